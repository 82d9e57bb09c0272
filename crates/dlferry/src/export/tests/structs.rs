use alloc::vec;
use alloc::vec::Vec;
use core::ptr::NonNull;

use super::{Consumer, Struct};
use crate::abi::{
    DLDataType, DLDevice, DLDeviceType, DLManagedTensor, DLManagedTensorVersioned, DLPackVersion, FLAG_IS_COPIED,
    FLAG_IS_SUBBYTE_TYPE_PADDED, FLAG_READ_ONLY,
};
use crate::export::{Export, ExportError};
use crate::layout::Layout;
use crate::managed::{Descriptor, Fields, ManagedStruct, Tensor};

fn vector(len: usize) -> Export<Vec<u16>> {
    Export::writable(vec![9; len])
}

fn consumer<S: Struct>(managed: Result<NonNull<S>, ExportError>) -> Consumer<S> {
    Consumer(managed.unwrap())
}

fn is_complete<S: Struct>() {
    let shapes: [&[i64]; 6] = [&[], &[1], &[6], &[2, 3], &[0], &[2, 0, 3]];
    for shape in shapes {
        let len = usize::try_from(shape.iter().product::<i64>()).unwrap();
        let direct = consumer::<S>(vector(len).shape(shape).into_managed());
        let again = consumer::<S>(vector(len).shape(shape).finish().unwrap().into_managed());
        for made in [direct, again] {
            let tensor = made.tensor();
            assert!(made.fields().c_deleter().is_some());
            assert!(!tensor.shape.is_null() && !tensor.strides.is_null(), "also at ndim 0");
            assert_eq!(made.dims(), (shape, Layout::c_contiguous(shape).unwrap().strides()));
            assert_eq!(tensor.data.is_null(), len == 0, "{shape:?}");
            assert_eq!(tensor.byte_offset, 0);
            assert_eq!((tensor.device, tensor.dtype), (DLDevice::CPU, DLDataType::U16));
        }
    }
}

#[test]
fn every_field_is_filled() {
    is_complete::<DLManagedTensor>();
    is_complete::<DLManagedTensorVersioned>();
}

#[test]
fn a_versioned_struct_is_of_version_1_3() {
    let made = consumer::<DLManagedTensorVersioned>(vector(2).into_managed());
    assert_eq!(made.fields().version, DLPackVersion { major: 1, minor: 3 });
}

#[test]
fn flags_say_what_was_said() {
    let cases = [
        (vector(2), 0),
        (vector(2).copied(), FLAG_IS_COPIED),
        (Export::read_only(vec![9; 2]), FLAG_READ_ONLY),
        (Export::read_only(vec![9; 2]).copied(), FLAG_READ_ONLY | FLAG_IS_COPIED),
        (vector(2).layout(Layout::new(&[5], &[0]).unwrap(), 1), FLAG_READ_ONLY),
    ];
    for (export, flags) in cases {
        let made = consumer::<DLManagedTensorVersioned>(export.into_managed());
        assert_eq!(made.fields().flags, flags);
    }
}

#[test]
fn the_layout_begins_at_the_element_that_was_named() {
    let layout = Layout::new(&[2, 2], &[-3, 2]).unwrap();
    let export = Export::writable([0_u16, 1, 2, 3, 4, 5]).layout(layout, 3);
    let tensor = export.finish().unwrap();
    assert_eq!(tensor.view().typed::<u16>().unwrap().to_vec(), [3, 5, 0, 2]);
    let made = consumer::<DLManagedTensorVersioned>(tensor.into_managed());
    assert_eq!(made.dims(), (&[2, 2][..], &[-3, 2][..]));
}

#[test]
fn a_tensor_of_many_axes_is_whole() {
    let mut shape = [1; 40];
    shape[3] = 2;
    shape[39] = 3;
    let made = consumer::<DLManagedTensorVersioned>(vector(6).shape(&shape).into_managed());
    assert_eq!(made.dims().0, shape);
    assert_eq!(made.dims().1[3], 3);
}

fn refused<S: ManagedStruct>(managed: Result<NonNull<S>, ExportError>) -> ExportError {
    managed.map(|_| ()).unwrap_err()
}

#[test]
fn an_unversioned_struct_cannot_carry_read_only_data() {
    let read_only = || Export::read_only(vec![9_u16; 4]);
    let repeated = || vector(4).layout(Layout::new(&[3, 4], &[0, 1]).unwrap(), 0);
    assert_eq!(refused(read_only().into_managed::<DLManagedTensor>()), ExportError::ReadOnlyUnversioned);
    assert_eq!(refused(repeated().into_managed::<DLManagedTensor>()), ExportError::ReadOnlyUnversioned);
    for export in [read_only(), repeated()] {
        let tensor = export.finish().unwrap();
        assert_eq!(refused(tensor.into_managed::<DLManagedTensor>()), ExportError::ReadOnlyUnversioned);
    }
    let shared = read_only().finish().unwrap().into_shared();
    assert_eq!(refused(shared.to_managed::<DLManagedTensor>()), ExportError::ReadOnlyUnversioned);
    let made_so = vector(4).finish().unwrap().into_read_only();
    assert_eq!(refused(made_so.into_managed::<DLManagedTensor>()), ExportError::ReadOnlyUnversioned);
}

fn on(device_type: DLDeviceType, padded: bool, byte_offset: u64) -> Tensor {
    let mut owner = vec![0_u8; 64];
    let data = owner.as_mut_ptr().cast();
    let device = DLDevice { device_type, device_id: 0 };
    let layout = Layout::c_contiguous(&[8]).unwrap();
    let fields = Fields { padded, ..Fields::SHARED };
    let descriptor = Descriptor::with_byte_offset(data, byte_offset, device, DLDataType::U4, layout, fields).unwrap();
    // SAFETY: the vector owns the 64 bytes that the descriptor is about, and is not touched again.
    unsafe { Tensor::from_owner(owner, descriptor) }.unwrap()
}

#[test]
fn an_unversioned_struct_cannot_carry_padded_elements() {
    let tensor = || on(DLDeviceType::CPU, true, 0);
    assert_eq!(refused(tensor().into_managed::<DLManagedTensor>()), ExportError::PaddedUnversioned);
    assert_eq!(refused(tensor().into_shared().to_managed::<DLManagedTensor>()), ExportError::PaddedUnversioned);
    let made = consumer::<DLManagedTensorVersioned>(tensor().into_managed());
    assert_eq!(made.fields().flags, FLAG_IS_SUBBYTE_TYPE_PADDED);
    let packed = consumer::<DLManagedTensor>(on(DLDeviceType::CPU, false, 0).into_managed());
    assert_eq!(packed.tensor().dtype, DLDataType::U4);
}

#[test]
fn the_byte_offset_of_a_handle_is_handed_on_and_that_of_an_address_is_not() {
    for (device, byte_offset) in
        [(DLDeviceType::METAL, 8), (DLDeviceType::CPU, 0), (DLDeviceType::CUDA, 0), (DLDeviceType::ROCM, 0)]
    {
        let tensor = on(device, false, 8);
        let data = tensor.descriptor().data();
        let made = consumer::<DLManagedTensorVersioned>(tensor.into_managed());
        assert_eq!((made.tensor().data, made.tensor().byte_offset), (data, byte_offset));
        assert_eq!(made.tensor().device.device_type, device);
    }
}
