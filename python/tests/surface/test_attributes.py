"""The attributes of a Tensor, against NumPy's for the same array (rules R3.2, R3.8, R3.9, R3.16)."""

import operator

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from elements import PADDED, READ_ONLY, crafted

BASE = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
LAYOUTS = {
    "row-major": BASE,
    "column-major": np.asfortranarray(BASE),
    "transposed": BASE.transpose(2, 0, 1),
    "reversed": BASE[::-1, :, ::-1],
    "strided": BASE[:, ::2, 1::2],
    "sub-view": BASE[1:, 1:],
    "one axis": BASE[0, 0],
    "one element": BASE[:1, :1, :1],
    "no axes": np.array(2.5),
    "empty": np.zeros((0, 3), np.int16),
    "empty in the middle": np.zeros((2, 0, 3), np.complex128),
    "bytes": np.arange(5, dtype=np.uint8),
    "complex": np.zeros((2, 2), np.complex64).T,
}
# Each attribute, and what it is in terms of the array.
ATTRIBUTES = {
    "shape": lambda a: a.shape,
    "ndim": lambda a: a.ndim,
    "size": lambda a: a.size,
    "itemsize": lambda a: a.itemsize,
    "nbytes": lambda a: a.nbytes,
    "dtype": lambda a: dlferry.dtype(a.dtype.name),
    "device": lambda a: dlferry.Device(1, 0),
    "byte_offset": lambda a: 0,
    "c_contiguous": lambda a: a.flags.c_contiguous,
    "f_contiguous": lambda a: a.flags.f_contiguous,
    "owner": lambda a: a,
}


@pytest.mark.parametrize("attribute", ATTRIBUTES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_attribute_is_as_numpy_has_it(layout, attribute):
    array = LAYOUTS[layout]
    tensor = dlferry.from_dlpack(array)
    found, wanted = getattr(tensor, attribute), ATTRIBUTES[attribute](array)
    if attribute == "owner":
        assert found is wanted
    else:
        assert found == wanted
        assert type(found) is type(wanted)


@pytest.mark.parametrize("layout", [name for name, array in LAYOUTS.items() if array.size])
def test_strides_count_elements(layout):
    array = LAYOUTS[layout]
    tensor = dlferry.from_dlpack(array)
    # The stride of an axis without a second element means nothing.
    counts = [
        (found, stride // array.itemsize)
        for found, stride, extent in zip(tensor.strides, array.strides, array.shape, strict=True)
        if extent > 1
    ]
    assert all(found == wanted for found, wanted in counts)
    assert type(tensor.strides) is tuple


@pytest.mark.parametrize("layout", [name for name, array in LAYOUTS.items() if array.size])
def test_data_ptr_is_the_address_of_the_first_element(layout):
    array = LAYOUTS[layout]
    assert dlferry.from_dlpack(array).data_ptr == array.ctypes.data


def test_byte_offset_of_host_memory_is_in_data_ptr():
    """R9.20."""
    recipe = dt.Crafted(bytes(16), shape=[2], byte_offset=8)
    tensor = dlferry.from_dlpack(dt.Producer(recipe))
    assert (tensor.data_ptr, tensor.byte_offset) == (recipe.address + 8, 0)


def test_byte_offset_of_a_handle_stays_apart():
    """R3.13: no arithmetic on what is not an address."""
    recipe = dt.Crafted(bytes(16), shape=[2], byte_offset=8, device=(8, 0), address=0xDEAD0000)
    tensor = dlferry.from_dlpack(dt.Producer(recipe))
    assert (tensor.data_ptr, tensor.byte_offset) == (0xDEAD0000, 8)


# Versioned or not, the flags, and then readonly and copied.
FLAGS = [
    (True, 0, False, False),
    (True, 1, True, False),
    (True, 2, False, True),
    (True, 3, True, True),
    (True, 1 << 40, False, False),
    (False, 0, True, None),
]


@pytest.mark.parametrize(("versioned", "flags", "readonly", "copied"), FLAGS)
def test_readonly_and_copied_are_the_flags(versioned, flags, readonly, copied):
    recipe = dt.Crafted(bytes(8), shape=[2], flags=flags)
    tensor = dlferry.from_dlpack(recipe.capsule(versioned))
    assert (tensor.readonly, tensor.copied) == (readonly, copied)


@pytest.mark.parametrize("versioned", [True, False])
def test_tensor_of_a_capsule_has_no_owner(versioned):
    tensor = dlferry.from_dlpack(dt.Crafted(bytes(8), shape=[2]).capsule(versioned))
    assert tensor.owner is None


def test_copy_has_no_owner():
    assert dlferry.from_dlpack(BASE, copy=True).owner is None


def test_source_names_the_way_in():
    recipe = dt.Crafted(bytes(8), shape=[2])
    ways = {
        "exchange": dt.exchange_type(recipe)(),
        "dlpack": dt.Producer(recipe),
        "dlpack-unversioned": dt.Producer(recipe, style="always_unversioned"),
    }
    for source, producer in ways.items():
        assert dlferry.from_dlpack(producer).source == source


# Name, whether padded, shape, itemsize, nbytes.
BELOW_A_BYTE = [
    ("int4", False, [3], 1, 2),
    ("int4", True, [3], 1, 3),
    ("uint4", False, [4, 2], 1, 4),
    ("uint1", False, [9], 1, 2),
    ("uint2", False, [0], 1, 0),
    ("float6_e2m3fn", False, [5], 1, 4),
    ("float6_e2m3fn", True, [5], 1, 5),
    ("float4_e2m1fn", False, [], 1, 1),
]


@pytest.mark.parametrize(("name", "padded", "shape", "itemsize", "nbytes"), BELOW_A_BYTE)
def test_nbytes_of_packed_elements_is_exact(name, padded, shape, itemsize, nbytes):
    """R3.16: packed elements are counted as they lie, padded ones as a byte each."""
    tensor = crafted(bytes(8), name, shape, flags=PADDED if padded else 0)
    assert (tensor.itemsize, tensor.nbytes) == (itemsize, nbytes)


def test_lanes_count_in_itemsize_and_not_in_size():
    tensor = dlferry.from_dlpack(dt.Producer(dt.Crafted(bytes(32), shape=[2], lanes=4)))
    assert (tensor.dtype.name, tensor.size, tensor.itemsize, tensor.nbytes) == ("float32x4", 2, 16, 32)


def test_attributes_cannot_be_set():
    tensor = dlferry.from_dlpack(dt.Producer(dt.Crafted(bytes(8), shape=[2], flags=READ_ONLY)))
    for name in ("shape", "strides", "readonly", "data_ptr", "dtype", "anything"):
        with pytest.raises(AttributeError):
            setattr(tensor, name, 0)


def test_tensor_is_not_made_by_calling_its_class():
    with pytest.raises(TypeError):
        dlferry.Tensor()


def test_tensors_are_compared_by_identity():
    """No value `==`: a tensor is not an array to compute with."""
    one, two = (dlferry.from_dlpack(BASE) for _ in range(2))
    assert one == one
    assert one != two
    assert len({one, two}) == 2


@pytest.mark.parametrize("operation", [operator.add, operator.mul, operator.lt, operator.matmul])
def test_tensors_do_not_compute(operation):
    tensor = dlferry.from_dlpack(BASE)
    with pytest.raises(TypeError):
        operation(tensor, tensor)
