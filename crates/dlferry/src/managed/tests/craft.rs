//! Managed structs as a foreign producer makes them, right or wrong, with a deleter that frees them and counts.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ffi::c_void;
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use crate::abi::{
    DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLPackVersion, DLTensor,
    FLAG_IS_SUBBYTE_TYPE_PADDED,
};
use crate::managed::{DescribeError, Descriptor, ManagedStruct, Tensor};

/// An address without memory, with room on both sides. Whoever reads there crashes, so nobody may.
pub(super) const NOWHERE: *mut c_void = ptr::without_provenance_mut(1 << 24);

/// What the deleter has seen.
#[derive(Debug, Default)]
pub(super) struct Log {
    calls: AtomicUsize,
    address: AtomicPtr<c_void>,
}

impl Log {
    pub(super) fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    /// What the last call was made with.
    pub(super) fn address(&self) -> *mut c_void {
        self.address.load(Ordering::SeqCst)
    }
}

/// A managed struct to be made. By default a writable `float32` tensor of the current version on the CPU.
#[derive(Clone, Debug)]
pub(super) struct Spec {
    pub(super) version: DLPackVersion,
    pub(super) flags: u64,
    pub(super) data: *mut c_void,
    pub(super) device: DLDevice,
    pub(super) dtype: DLDataType,
    pub(super) shape: Vec<i64>,
    /// NULL when `None`.
    pub(super) strides: Option<Vec<i64>>,
    pub(super) byte_offset: u64,
    /// Changes the finished tensor, for what a careful producer could not say.
    pub(super) tamper: fn(&mut DLTensor),
}

/// A spec without strides.
pub(super) fn compact(shape: &[i64]) -> Spec {
    Spec {
        version: DLPackVersion::CURRENT,
        flags: 0,
        data: NOWHERE,
        device: DLDevice::CPU,
        dtype: DLDataType::F32,
        shape: shape.to_vec(),
        strides: None,
        byte_offset: 0,
        tamper: |_| {},
    }
}

/// A spec with strides.
pub(super) fn strided(shape: &[i64], strides: &[i64]) -> Spec {
    Spec { strides: Some(strides.to_vec()), ..compact(shape) }
}

/// The struct comes first, so that its address is the block's.
#[repr(C)]
struct Block<S> {
    managed: S,
    shape: Vec<i64>,
    strides: Option<Vec<i64>>,
    log: Arc<Log>,
}

/// A deleter that frees the block: a second call, or a use afterwards, is one that a sanitizer sees.
unsafe extern "C" fn delete<S>(managed: *mut S) {
    // SAFETY: made by `Spec::make` as the first field of a boxed block; whoever owns it calls once.
    let block = unsafe { Box::from_raw(managed.cast::<Block<S>>()) };
    block.log.address.store(managed.cast(), Ordering::SeqCst);
    block.log.calls.fetch_add(1, Ordering::SeqCst);
}

/// The two structs, for tests that hold for both.
pub(super) trait Kind: ManagedStruct {
    fn craft(spec: &Spec, tensor: DLTensor) -> Self;

    /// # Safety
    ///
    /// As the function of `Tensor` that it calls.
    unsafe fn import(managed: NonNull<Self>) -> Result<Tensor, DescribeError>;
}

impl Kind for DLManagedTensor {
    fn craft(_spec: &Spec, tensor: DLTensor) -> Self {
        Self { dl_tensor: tensor, manager_ctx: ptr::null_mut(), deleter: Some(delete::<Self>) }
    }

    unsafe fn import(managed: NonNull<Self>) -> Result<Tensor, DescribeError> {
        // SAFETY: vouched for by the caller.
        unsafe { Tensor::from_raw_unversioned(managed) }
    }
}

impl Kind for DLManagedTensorVersioned {
    fn craft(spec: &Spec, tensor: DLTensor) -> Self {
        Self {
            version: spec.version,
            manager_ctx: ptr::null_mut(),
            deleter: Some(delete::<Self>),
            flags: spec.flags,
            dl_tensor: tensor,
        }
    }

    unsafe fn import(managed: NonNull<Self>) -> Result<Tensor, DescribeError> {
        // SAFETY: vouched for by the caller.
        unsafe { Tensor::from_raw_versioned(managed) }
    }
}

impl Spec {
    /// Makes the struct; its deleter frees it.
    pub(super) fn make<S: Kind>(&self) -> (NonNull<S>, Arc<Log>) {
        let (mut shape, mut strides) = (self.shape.clone(), self.strides.clone());
        let mut tensor = DLTensor {
            data: self.data,
            device: self.device,
            ndim: i32::try_from(shape.len()).unwrap(),
            dtype: self.dtype,
            shape: shape.as_mut_ptr(),
            strides: strides.as_mut().map_or(ptr::null_mut(), Vec::as_mut_ptr),
            byte_offset: self.byte_offset,
        };
        (self.tamper)(&mut tensor);
        let log = Arc::new(Log::default());
        let block = Block { managed: S::craft(self, tensor), shape, strides, log: Arc::clone(&log) };
        (NonNull::new(Box::into_raw(Box::new(block)).cast()).unwrap(), log)
    }

    /// Makes the struct and takes it over.
    pub(super) fn import<S: Kind>(&self) -> (Result<Tensor, DescribeError>, Arc<Log>) {
        let (managed, log) = self.make::<S>();
        // SAFETY: just made, handed to nobody else, and no test reads an element.
        (unsafe { S::import(managed) }, log)
    }

    /// What the struct of the kind `S` holds, after its deleter has run, once.
    pub(super) fn describe_as<S: Kind>(&self) -> Result<Descriptor, DescribeError> {
        let (tensor, log) = self.import::<S>();
        assert_eq!(log.calls(), usize::from(tensor.is_err()), "an owned tensor is not deleted, a refused one is");
        let descriptor = tensor.map(|tensor| tensor.descriptor().clone());
        assert_eq!(log.calls(), 1, "deleted with its owner");
        descriptor
    }

    /// What the versioned struct holds. The unversioned one must hold the same, flags aside.
    pub(super) fn describe(&self) -> Result<Descriptor, DescribeError> {
        let versioned = self.describe_as::<DLManagedTensorVersioned>();
        if self.version.major == 1 && self.flags & FLAG_IS_SUBBYTE_TYPE_PADDED == 0 {
            let unversioned = self.describe_as::<DLManagedTensor>();
            assert_eq!(versioned.as_ref().map(numbers), unversioned.as_ref().map(numbers));
        }
        versioned
    }

    /// The reason why the struct is refused.
    pub(super) fn refusal(&self) -> DescribeError {
        self.describe().expect_err("malformed")
    }
}

/// All that a descriptor says beside its flags.
#[allow(clippy::type_complexity, reason = "a list of fields, compared and nothing else")]
fn numbers(d: &Descriptor) -> (*mut c_void, u64, DLDevice, DLDataType, Vec<i64>, Vec<i64>) {
    (d.data(), d.byte_offset(), d.device(), d.dtype(), d.shape().to_vec(), d.strides().to_vec())
}
