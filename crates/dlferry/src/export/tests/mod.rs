#![allow(
    clippy::arithmetic_side_effects,
    reason = "test arithmetic is checked by the overflow checks of the test profile"
)]

mod bounds;
mod counted;
mod drops;
mod owners;
mod reexport;
mod release;
mod structs;

use core::ptr::NonNull;

use crate::abi::{DLManagedTensor, DLManagedTensorVersioned, DLTensor};
use crate::managed::ManagedStruct;

/// A C consumer of one of the two structs: owns it, reads its fields, calls its deleter.
struct Consumer<S: Struct>(NonNull<S>);

// SAFETY: a deleter may be called on any thread (condition 4).
unsafe impl<S: Struct> Send for Consumer<S> {}

/// What the two structs have in common, as a C consumer sees them.
trait Struct: ManagedStruct + Copy {
    fn tensor(self) -> DLTensor;
    fn c_deleter(self) -> Option<unsafe extern "C" fn(*mut Self)>;
}

impl Struct for DLManagedTensor {
    fn tensor(self) -> DLTensor {
        self.dl_tensor
    }

    fn c_deleter(self) -> Option<unsafe extern "C" fn(*mut Self)> {
        self.deleter
    }
}

impl Struct for DLManagedTensorVersioned {
    fn tensor(self) -> DLTensor {
        self.dl_tensor
    }

    fn c_deleter(self) -> Option<unsafe extern "C" fn(*mut Self)> {
        self.deleter
    }
}

impl<S: Struct> Consumer<S> {
    fn fields(&self) -> S {
        // SAFETY: the struct lives until the consumer is dropped.
        unsafe { self.0.read() }
    }

    fn tensor(&self) -> DLTensor {
        self.fields().tensor()
    }

    /// The extents and the strides.
    fn dims(&self) -> (&[i64], &[i64]) {
        let tensor = self.tensor();
        let ndim = usize::try_from(tensor.ndim).unwrap();
        // SAFETY: what this crate exports has `ndim` extents, which live as long as the struct.
        let shape = unsafe { core::slice::from_raw_parts(tensor.shape, ndim) };
        // SAFETY: as above.
        (shape, unsafe { core::slice::from_raw_parts(tensor.strides, ndim) })
    }
}

impl<S: Struct> Drop for Consumer<S> {
    fn drop(&mut self) {
        let deleter = self.fields().c_deleter().expect("never NULL on export");
        // SAFETY: the consumer owns the struct and calls once.
        unsafe { deleter(self.0.as_ptr()) }
    }
}
