//! Tensors that are only lent, and those that are only wanted: what an exchange table gives and takes.

use alloc::format;
use core::ptr::{self, NonNull};

use super::craft::{Spec, compact, strided};
use crate::abi::{DLDataType, DLDevice, DLDeviceType, DLManagedTensorVersioned, DLTensor, FLAG_IS_COPIED};
use crate::element::DTypeError;
use crate::layout::LayoutError;
use crate::managed::{DescribeError, Descriptor, Fields, Handle, describe_borrowed, describe_prototype};

fn on(device_type: i32, spec: Spec) -> Spec {
    Spec { device: DLDevice { device_type: DLDeviceType(device_type), device_id: 0 }, ..spec }
}

/// What `look` sees of the tensor of a struct, which lives as long as that.
fn lent<T>(spec: &Spec, look: impl FnOnce(&mut DLTensor) -> T) -> T {
    let (managed, _log) = spec.make::<DLManagedTensorVersioned>();
    // SAFETY: just made, and owned by nobody yet.
    let mut tensor = unsafe { (*managed.as_ptr()).dl_tensor };
    let seen = look(&mut tensor);
    // SAFETY: made above and handed to nobody else.
    drop(unsafe { Handle::versioned(managed) });
    seen
}

#[test]
fn a_borrowed_tensor_is_read_only_and_cannot_tell_of_copies() {
    lent(&Spec { flags: FLAG_IS_COPIED, ..compact(&[2]) }, |tensor| {
        // SAFETY: the tensor is one of two elements.
        let descriptor = unsafe { describe_borrowed(tensor) }.unwrap();
        assert_eq!((descriptor.shape(), descriptor.fields()), (&[2][..], Fields::UNVERSIONED));
    });
}

#[test]
fn a_borrowed_tensor_is_described_where_a_descriptor_is() {
    let mut descriptor = Descriptor::blank();
    let pair = DLDataType { lanes: 2, ..DLDataType::F4_E2M1FN };
    let unusual = DLDataType { bits: 12, ..DLDataType::U16 };
    // And the bytes of those that are taken for plain.
    let cases = [
        (strided(&[2, 3], &[3, 1]), Some(24)),
        (strided(&[1; 8], &[1; 8]), Some(4)),
        (Spec { dtype: DLDataType::C128, ..strided(&[5], &[1]) }, Some(80)),
        (strided(&[1; 9], &[1; 9]), None),
        (strided(&[3, 2], &[-1, 7]), None),
        (strided(&[3, 0], &[1, 1]), None),
        (strided(&[], &[]), None),
        (compact(&[2, 3]), None),
        (Spec { byte_offset: 8, ..strided(&[2], &[1]) }, None),
        (Spec { dtype: pair, ..strided(&[2, 3], &[3, 1]) }, None),
        (Spec { dtype: unusual, ..strided(&[2], &[1]) }, None),
        (on(2, strided(&[2], &[1])), None),
        (on(8, Spec { byte_offset: 6, ..compact(&[1; 9]) }), None),
    ];
    for (spec, plain) in cases {
        lent(&spec, |tensor| {
            // SAFETY: its shape and strides are those of the spec.
            let wanted = unsafe { describe_borrowed(tensor) }.unwrap();
            // SAFETY: as above.
            let bytes = unsafe { descriptor.rewrite_borrowed(NonNull::from(&mut *tensor)) }.unwrap();
            assert_eq!(format!("{descriptor:?}"), format!("{wanted:?}"));
            assert!(bytes.is_none_or(|bytes| wanted.byte_range() == Ok(0..isize::try_from(bytes).unwrap())));
            assert_eq!(bytes, plain, "{spec:?}");
            if wanted.layout().is_empty() {
                return;
            }
            tensor.data = ptr::null_mut();
            // SAFETY: as above.
            let refused = unsafe { descriptor.rewrite_borrowed(NonNull::from(tensor)) };
            assert_eq!(refused, Err(DescribeError::NullData { size: wanted.layout().size() }));
            assert_eq!((descriptor.shape(), descriptor.data()), (&[0][..], ptr::null_mut()), "blank");
        });
    }
}

#[test]
fn a_prototype_is_dtype_device_and_shape_and_nothing_else() {
    // SAFETY: ndim and shape are those of the spec.
    let describe = |spec: &Spec| lent(spec, |tensor| unsafe { describe_prototype(NonNull::from(tensor)) });
    // What an allocator must not look at is what no tensor has (rule E4).
    let wild = |tensor: &mut DLTensor| {
        tensor.data = ptr::null_mut();
        tensor.strides = ptr::without_provenance_mut(5);
        tensor.byte_offset = u64::MAX;
    };
    let spec = on(2, Spec { dtype: DLDataType::BF16, tamper: wild, ..strided(&[2, 3], &[9, 9]) });
    let prototype = describe(&spec).unwrap();
    assert_eq!((prototype.dtype, prototype.device), (DLDataType::BF16, spec.device));
    assert_eq!((prototype.layout.shape(), prototype.layout.strides()), (&[2, 3][..], &[3, 1][..]));
    assert_eq!(describe(&compact(&[])).unwrap().layout.ndim(), 0);
    let none = DLDataType { lanes: 0, ..DLDataType::F32 };
    let refused = [
        (Spec { dtype: none, ..compact(&[2]) }, DTypeError::ZeroLanes { dtype: none }.into()),
        (compact(&[-1]), LayoutError::NegativeExtent { axis: 0, extent: -1 }.into()),
        (Spec { tamper: |tensor| tensor.ndim = -1, ..compact(&[2]) }, DescribeError::NegativeNdim { ndim: -1 }),
        (
            Spec { tamper: |tensor| tensor.shape = ptr::null_mut(), ..compact(&[2]) },
            DescribeError::NullShape { ndim: 1 },
        ),
    ];
    for (spec, wanted) in refused {
        assert_eq!(describe(&spec).map(|prototype| prototype.layout).unwrap_err(), wanted);
    }
}
