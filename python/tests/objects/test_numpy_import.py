"""NumPy arrays as tensors: the same memory, described as it is (rules R3.4 to R3.15, N1 to N11)."""

import gc
import sys

import dlferry
import numpy as np
import pytest
from layouts import DTYPES, LAYOUTS, READ_ONLY, cube
from numpy.lib.stride_tricks import as_strided


@pytest.mark.parametrize("layout", LAYOUTS)
def test_array_of_any_layout_shares_its_memory(layout):
    array = LAYOUTS[layout]()
    tensor = dlferry.from_dlpack(array)
    assert tensor.shape == array.shape
    assert tensor.tolist() == array.tolist()
    if array.size:
        assert tensor.data_ptr == array.ctypes.data
    assert tensor.owner is array
    assert tensor.device == (1, 0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_array_of_any_number_type_shares_its_memory(dtype):
    array = cube(dtype)
    tensor = dlferry.from_dlpack(array)
    assert str(tensor.dtype) == dtype
    assert tensor.tolist() == array.tolist()
    array[0, 0, 0] = 1
    assert tensor.tolist() == array.tolist()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_writable_array_is_a_writable_tensor(layout):
    tensor = dlferry.from_dlpack(LAYOUTS[layout]())
    assert (tensor.readonly, tensor.copied, tensor.source) == (False, False, "numpy")


@pytest.mark.parametrize("layout", READ_ONLY)
def test_read_only_array_is_a_read_only_tensor(layout):
    array = READ_ONLY[layout]()
    tensor = dlferry.from_dlpack(array)
    assert tensor.readonly
    assert tensor.copied is False
    assert tensor.tolist() == array.tolist()


class Old(np.ndarray):
    """An array as NumPy before 2.1 exports it."""

    def __dlpack__(self):
        return super().__dlpack__()


def test_unversioned_array_is_read_only_and_cannot_say_if_copied():
    """Decision 5.2, R6.3."""
    array = cube().view(Old)
    tensor = dlferry.from_dlpack(array)
    assert (tensor.readonly, tensor.copied, tensor.source) == (True, None, "dlpack-unversioned")
    assert not dlferry.from_dlpack(array, writable=True).readonly
    with pytest.raises(BufferError):
        dlferry.from_dlpack(READ_ONLY["flag"]().view(Old))


def test_array_that_warns_on_writing_is_read_only_when_it_repeats_elements():
    """Decision 5.1: results of `broadcast_arrays` claim that they may be written."""
    first, _ = np.broadcast_arrays(np.zeros(3), np.zeros((2, 1)))
    tensor = dlferry.from_dlpack(first)
    assert tensor.shape == (2, 3)
    assert tensor.readonly


def test_overlapping_elements_are_read_only():
    """Decision 5.7."""
    array = as_strided(np.arange(8.0), (3, 3), (8, 8))
    tensor = dlferry.from_dlpack(array)
    assert tensor.readonly
    assert tensor.tolist() == array.tolist()


@pytest.mark.parametrize("stride", [0, 4, 8, -8, 800])
@pytest.mark.parametrize("extent", [0, 1])
def test_stride_without_a_second_element_means_nothing(extent, stride):
    """R3.8, R3.9."""
    array = as_strided(np.arange(3.0), (extent, 3), (stride, 8))
    tensor = dlferry.from_dlpack(array)
    assert tensor.tolist() == array.tolist()
    assert tensor.c_contiguous


def test_writing_to_the_array_is_seen_in_the_tensor():
    array = cube()[::-1, :, ::2]
    tensor = dlferry.from_dlpack(array)
    array[1, 2, 1] = -5
    assert tensor.tolist()[1][2][1] == -5


@pytest.mark.parametrize("layout", LAYOUTS)
def test_memory_lives_as_long_as_the_tensor(layout):
    array = LAYOUTS[layout]()
    values = array.tolist()
    tensor = dlferry.from_dlpack(array)
    del array
    gc.collect()
    ballast = [np.full(24, 7, np.int32) for _ in range(50)]
    assert tensor.tolist() == values
    assert ballast[0][0] == 7


def test_array_is_let_go_with_the_tensor():
    array = cube()
    before = sys.getrefcount(array)
    tensor = dlferry.from_dlpack(array)
    assert sys.getrefcount(array) > before
    del tensor
    assert sys.getrefcount(array) == before


def test_subclass_is_taken_as_the_plain_array():
    matrix = np.arange(4).reshape(2, 2).view(np.matrix)
    tensor = dlferry.from_dlpack(matrix)
    assert tensor.tolist() == [[0, 1], [2, 3]]
    assert tensor.owner is matrix


def test_memory_map_is_taken(tmp_path):
    path = tmp_path / "numbers"
    np.arange(4, dtype=np.int16).tofile(path)
    tensor = dlferry.from_dlpack(np.memmap(path, np.int16, mode="c"))
    assert tensor.tolist() == [0, 1, 2, 3]


def test_scalar_is_taken_where_numpy_exports_it():
    """Rule N10; elsewhere it has no such protocol, and the error says so."""
    scalar = np.float32(1.5)
    if hasattr(scalar, "__dlpack__"):
        tensor = dlferry.from_dlpack(scalar)
        assert (tensor.item(), tensor.readonly) == (1.5, True)
    else:
        with pytest.raises(TypeError, match="float32"):
            dlferry.from_dlpack(scalar)


# The arguments, and then readonly and copied of the tensor of a read-only array.
COPIES = [
    ({"copy": None}, True, False),
    ({"copy": False}, True, False),
    ({"copy": True}, False, True),
    ({"copy": True, "writable": False}, True, True),
    ({"copy": True, "writable": True}, False, True),
    ({"copy": True, "device": "cpu"}, False, True),
    ({"device": (1, 0)}, True, False),
]


@pytest.mark.parametrize(("arguments", "readonly", "copied"), COPIES)
@pytest.mark.parametrize("layout", READ_ONLY)
def test_only_a_copy_of_a_read_only_array_is_writable(layout, arguments, readonly, copied):
    """Decision 5.1."""
    array = READ_ONLY[layout]()
    tensor = dlferry.from_dlpack(array, **arguments)
    assert (tensor.readonly, tensor.copied) == (readonly, copied)
    assert tensor.tolist() == array.tolist()
    if array.size:
        assert (tensor.data_ptr == array.ctypes.data) is not copied


@pytest.mark.parametrize("layout", LAYOUTS)
def test_copy_is_private_compact_and_aligned(layout):
    array = LAYOUTS[layout]()
    values = array.tolist()
    tensor = dlferry.from_dlpack(array, copy=True)
    array[...] = 99
    assert tensor.tolist() == values
    assert tensor.c_contiguous
    assert tensor.data_ptr % 64 == 0
    assert (tensor.copied, tensor.readonly, tensor.owner) == (True, False, None)


def test_asserting_a_read_only_array_writable_is_refused():
    with pytest.raises(BufferError, match="copy=True"):
        dlferry.from_dlpack(READ_ONLY["flag"](), writable=True)
    with pytest.raises(BufferError, match="share memory"):
        dlferry.from_dlpack(as_strided(np.arange(8.0), (3, 3), (8, 8)), writable=True)
