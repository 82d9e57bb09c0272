"""Tensors as NumPy arrays: the same memory, and the right to write as it was (rules R6.2, N11 to N15)."""

import gc

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from layouts import DTYPES, LAYOUTS, READ_ONLY, VERSIONED, WRITES, cube

versioned = pytest.mark.skipif(not VERSIONED, reason="this NumPy has the unversioned protocol only")


@pytest.mark.parametrize("layout", LAYOUTS)
@versioned
def test_array_of_any_layout_comes_back_as_it_was(layout):
    array = LAYOUTS[layout]()
    again = np.from_dlpack(dlferry.from_dlpack(array))
    assert again.dtype == array.dtype
    assert again.shape == array.shape
    assert np.array_equal(again, array)
    assert again.flags.writeable is (WRITES or not array.size)
    if array.size:
        assert again.ctypes.data == array.ctypes.data
        assert np.shares_memory(again, array)
        assert again.flags.c_contiguous == array.flags.c_contiguous


@pytest.mark.parametrize("layout", READ_ONLY)
@versioned
def test_read_only_array_comes_back_read_only(layout):
    """Decision 5.1."""
    array = READ_ONLY[layout]()
    again = np.from_dlpack(dlferry.from_dlpack(array))
    assert np.array_equal(again, array)
    if array.size:
        # Of no elements, whose address is NULL, NumPy makes an array of its own.
        assert not again.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            again[...] = 0


@pytest.mark.parametrize("dtype", DTYPES)
@versioned
def test_array_of_any_number_type_comes_back_as_it_was(dtype):
    array = cube(dtype).T
    again = np.from_dlpack(dlferry.from_dlpack(array))
    assert again.dtype == array.dtype
    assert np.array_equal(again, array)
    array[1, 1, 1] = 0
    assert again[1, 1, 1] == 0


def test_tensor_of_unversioned_origin_is_an_unversioned_array_of_a_writable_promise():
    """The one way that a NumPy without the versioned protocol can take: the caller says that it may be written."""
    array = cube()
    recipe = dt.Crafted(
        bytes(4), shape=[24], strides=[1], code=0, bits=32, address=array.ctypes.data
    )  # fmt: skip
    tensor = dlferry.from_dlpack(recipe.capsule(versioned=False), writable=True)
    again = np.from_dlpack(tensor)
    assert np.array_equal(again, array.ravel())
    assert np.shares_memory(again, array)


def test_read_only_tensor_has_no_unversioned_capsule():
    """R6.3, R9.5."""
    tensor = dlferry.from_dlpack(cube(), writable=False)
    with pytest.raises(BufferError, match="read-only"):
        tensor.__dlpack__()
    assert dt.capsule_name(tensor.__dlpack__(copy=True)) == "dltensor"


def test_memory_lives_as_long_as_the_array():
    """Over four hops, each of which is forgotten."""
    array = cube()
    values = array.tolist()
    view = np.asarray(memoryview(dlferry.from_dlpack(dlferry.from_dlpack(array))))
    del array
    gc.collect()
    ballast = [np.full(24, 7, np.int32) for _ in range(50)]
    assert view.tolist() == values
    assert ballast[0][0] == 7


@versioned
def test_chain_of_many_hops_shares_one_memory():
    array = cube()[::-1, ::2]
    hop = array
    for _ in range(20):
        hop = np.from_dlpack(dlferry.from_dlpack(hop))
    array[0, 0, 0] = -3
    assert hop[0, 0, 0] == -3
    assert hop.strides == array.strides


@pytest.mark.skipif(not WRITES, reason="this NumPy makes read-only arrays of whatever it imports")
def test_write_to_the_array_is_seen_in_its_origin():
    array = cube()
    np.from_dlpack(dlferry.from_dlpack(array))[1, 1, 1] = -3
    assert array[1, 1, 1] == -3


@versioned
def test_copy_is_asked_of_the_tensor():
    array = cube()
    tensor = dlferry.from_dlpack(array)
    shared, copied = np.from_dlpack(tensor, copy=False), np.from_dlpack(tensor, copy=True)
    array[0, 0, 0] = -3
    assert shared[0, 0, 0] == -3
    assert copied[0, 0, 0] == 0
    assert copied.flags.writeable is WRITES


@versioned
def test_copy_of_a_read_only_tensor_is_writable():
    copied = np.from_dlpack(dlferry.from_dlpack(READ_ONLY["flag"]()), copy=True)
    assert copied.flags.writeable is WRITES


@versioned
def test_device_is_asked_of_the_tensor():
    tensor = dlferry.from_dlpack(cube())
    assert np.from_dlpack(tensor, device="cpu").ctypes.data == tensor.data_ptr
    cuda = dlferry.from_dlpack(
        dt.Producer(dt.Crafted(bytes(4), shape=[1], device=(2, 0), address=0xDEAD0000))
    )
    for device in (None, "cpu"):
        with pytest.raises((BufferError, RuntimeError)):
            np.from_dlpack(cuda, device=device)


@versioned
def test_pinned_memory_is_an_array():
    """R9.16, N14."""
    tensor = dlferry.from_dlpack(
        dt.Producer(dt.Crafted(bytes([1, 0, 0, 0]), shape=[1], code=0, device=(3, 0)))
    )
    assert np.from_dlpack(tensor).tolist() == [1]
    assert np.from_dlpack(tensor, device="cpu").tolist() == [1]


def test_refusal_by_numpy_frees_the_tensor():
    """R2.15: NumPy drops the capsule with its exception set, which survives."""
    recipe = dt.Crafted(bytes(8), shape=[2], code=200)
    tensor = dlferry.from_dlpack(dt.Producer(recipe))
    with pytest.raises((BufferError, RuntimeError)) as caught:
        np.from_dlpack(tensor)
    assert "dtype" in str(caught.value)
    del tensor, caught
    gc.collect()
    assert len(recipe.deleter_calls) == 1


def test_asarray_takes_the_buffer():
    array = cube()[:, ::-1]
    view = np.asarray(dlferry.from_dlpack(array))
    assert np.shares_memory(view, array)
    assert view.strides == array.strides
    assert view.dtype == array.dtype
