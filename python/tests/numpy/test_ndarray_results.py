"""`dlferry.numpy.from_dlpack` and `asarray`: plain arrays of NumPy's over the same memory."""

import gc
import sys
import weakref

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from craft import (
    CUDA,
    CUDA_HOST,
    HOST_READABLE,
    IS_COPIED,
    OTHER_DEVICES,
    READ_ONLY,
    deletions,
    floats,
    on_device,
)
from ndarrays import AWKWARD, HAS_DLPACK, LAYOUTS, LETTERS, MAX_AXES, cube, extremes, frozen
from ndarrays import READ_ONLY as FROZEN


@pytest.mark.parametrize("letter", LETTERS)
def test_dtype_is_numpys_own_of_that_size(letter):
    """`long long` comes back as the integer of that size that NumPy prefers."""
    array = extremes(letter)
    result = dlferry.numpy.from_dlpack(array)
    assert result.dtype is np.dtype(array.dtype.str)
    assert repr(result.tolist()) == repr(array.tolist())


@pytest.mark.parametrize("layout", LAYOUTS)
def test_result_is_a_plain_array_over_the_same_memory(layout):
    array = LAYOUTS[layout]()
    result = dlferry.numpy.from_dlpack(array)
    assert type(result) is np.ndarray
    assert result is not array
    assert (result.dtype, result.shape, result.tolist()) == (array.dtype, array.shape, array.tolist())
    flags = ["writeable", "aligned", "c_contiguous", "f_contiguous", "forc"]
    assert [getattr(result.flags, name) for name in flags] == [getattr(array.flags, name) for name in flags]
    assert not result.flags.owndata
    if array.size:
        assert result.ctypes.data == array.ctypes.data
        assert np.shares_memory(result, array)
        result[...] = 1
        assert (array == 1).all()


@pytest.mark.parametrize("layout", FROZEN)
def test_read_only_memory_is_a_read_only_array(layout):
    array = FROZEN[layout]()
    result = dlferry.numpy.from_dlpack(array)
    assert not result.flags.writeable
    assert result.tolist() == array.tolist()
    with pytest.raises(ValueError, match="WRITEABLE"):
        result.flags.writeable = True


def test_base_is_the_tensor_and_keeps_the_memory():
    crafted = floats()
    result = dlferry.numpy.from_dlpack(dt.Producer(crafted))
    assert type(result.base) is dlferry.Tensor
    assert result.ctypes.data == result.base.data_ptr == crafted.address
    part = result[1:]
    del result
    gc.collect()
    assert (part.tolist(), deletions(crafted)) == ([[3.0, 4.0, 5.0]], 0)
    del part
    assert deletions(crafted) == 1


def test_array_of_an_array_holds_it_once():
    array = cube()
    before = sys.getrefcount(array)
    results = [dlferry.numpy.from_dlpack(array) for _ in range(5)]
    assert sys.getrefcount(array) == before + 5
    assert all(result.base.owner is array for result in results)
    del results
    assert sys.getrefcount(array) == before


@pytest.mark.skipif(not HAS_DLPACK, reason="this NumPy has no DLPack that a class could have")
def test_array_of_a_derived_class_is_held_once():
    """Nobody asks it again, so what its capsule holds is enough."""
    array = cube().view(type("Derived", (np.ndarray,), {}))
    before = sys.getrefcount(array)
    result = dlferry.numpy.from_dlpack(array)
    assert sys.getrefcount(array) == before + 1
    del result
    assert sys.getrefcount(array) == before


def test_tensor_lives_as_long_as_its_arrays():
    tensor = dlferry.from_dlpack(cube())
    before = sys.getrefcount(tensor)
    result = dlferry.numpy.from_dlpack(tensor)
    assert sys.getrefcount(tensor) + sys.getrefcount(result.base) >= before + 1
    values = result.tolist()
    del tensor
    gc.collect()
    assert result.tolist() == values


@pytest.mark.parametrize(
    ("fields", "writable"),
    [({}, True), ({"flags": READ_ONLY}, False), ({"flags": IS_COPIED}, True), ({"strides": [0, 1]}, False)],
    ids=["plain", "read-only", "copied", "overlapping"],
)
def test_right_to_write_is_what_the_producer_says(fields, writable):
    assert dlferry.numpy.from_dlpack(dt.Producer(floats(**fields))).flags.writeable is writable


def test_unversioned_tensor_is_read_only():
    """R6.2."""
    result = dlferry.numpy.from_dlpack(dt.Producer(floats(), style="always_unversioned"))
    assert not result.flags.writeable


@pytest.mark.parametrize("shape", [[0], [0, 3], [3, 0], [2, 0, 5]])
@pytest.mark.parametrize("flags", [0, READ_ONLY])
@pytest.mark.parametrize("null", [False, True])
def test_array_without_elements_is_not_fresh_memory(shape, flags, null):
    """NumPy allocates when it is given no address, and what it allocated is always writable."""
    crafted = floats(shape=shape, strides=[77] * len(shape), flags=flags, null_data=null)
    result = dlferry.numpy.from_dlpack(dt.Producer(crafted))
    assert (list(result.shape), result.tolist()) == (shape, np.zeros(shape).tolist())
    assert result.flags.writeable is (flags == 0)
    assert type(result.base) is dlferry.Tensor
    assert (result + 1).shape == tuple(shape)


def test_tensor_without_axes_has_one_element():
    result = dlferry.numpy.from_dlpack(dt.Producer(floats(shape=[], strides=[])))
    assert (result.shape, result.item()) == ((), 0.0)
    result[()] = 7
    assert result.base.item() == 7


@pytest.mark.parametrize("ndim", [8, 9, 31, 32, 33, 63, 64, 65, 100])
def test_as_many_axes_as_numpy_has(ndim):
    """R3.20: the limit is NumPy's, and the refusal says so."""
    crafted = floats(shape=[1] * (ndim - 1) + [6], strides=[5] * (ndim - 1) + [1])
    if ndim <= MAX_AXES:
        result = dlferry.numpy.from_dlpack(dt.Producer(crafted))
        assert result.shape == (1,) * (ndim - 1) + (6,)
        assert result.ravel().tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
        del result
    else:
        with pytest.raises(BufferError, match=f"{ndim} axes.*at most {MAX_AXES}"):
            dlferry.numpy.from_dlpack(dt.Producer(crafted))
        with pytest.raises(BufferError, match=f"at most {MAX_AXES}"):
            dlferry.from_dlpack(dt.Producer(crafted)).numpy()
    gc.collect()
    assert deletions(crafted) == (1 if ndim <= MAX_AXES else 2)


@pytest.mark.parametrize("device", HOST_READABLE)
def test_memory_that_the_host_can_read_is_taken(device):
    """R9.16."""
    crafted = floats(device=(device, 0))
    assert dlferry.numpy.from_dlpack(dt.Producer(crafted)).tolist()[1] == [3.0, 4.0, 5.0]


@pytest.mark.parametrize("device", OTHER_DEVICES)
def test_memory_of_a_device_is_refused_and_not_followed(device):
    with pytest.raises(BufferError, match="move it with its own library"):
        dlferry.numpy.from_dlpack(dt.Producer(on_device(device)))


@pytest.mark.parametrize("shape", [[], [0], [3]])
def test_memory_of_a_device_is_refused_of_any_shape(shape):
    crafted = on_device(CUDA, shape=shape, strides=[1] * len(shape))
    with pytest.raises(BufferError, match="cuda:0"):
        dlferry.numpy.from_dlpack(dt.Producer(crafted))
    crafted = on_device(CUDA, shape=shape, strides=[1] * len(shape), code=4, bits=16)
    with pytest.raises(BufferError, match="cuda:0"):
        dlferry.numpy.from_dlpack(dt.Producer(crafted))


def test_device_may_be_the_host_only():
    array = cube()
    for device in (None, "cpu", (1, 0)):
        assert dlferry.numpy.from_dlpack(array, device=device).ctypes.data == array.ctypes.data
    with pytest.raises(BufferError):
        dlferry.numpy.from_dlpack(array, device=(CUDA, 0))
    with pytest.raises(ValueError, match="gpu"):
        dlferry.numpy.from_dlpack(array, device="gpu")
    pinned = dlferry.from_dlpack(dt.Producer(floats(device=(CUDA_HOST, 0))))
    assert dlferry.numpy.from_dlpack(pinned, device="cpu").shape == (2, 3)


def test_copy_is_made_when_asked_for():
    array = frozen(cube())
    copy = dlferry.numpy.from_dlpack(array, copy=True)
    assert not np.shares_memory(copy, array)
    assert (copy.flags.writeable, copy.tolist()) == (True, array.tolist())
    for choice in (None, False):
        assert np.shares_memory(dlferry.numpy.from_dlpack(array, copy=choice), array)
    with pytest.raises(dlferry.CopyRequiredError):
        dlferry.numpy.from_dlpack(dt.Producer(floats(flags=IS_COPIED)), copy=False)


@pytest.mark.parametrize("dtype", [(2, 32, 4), (200, 8, 1), (0, 128, 1), (2, 128, 1), (3, 64, 1)])
def test_type_that_numpy_lacks_is_refused_by_name(dtype):
    code, bits, lanes = dtype
    crafted = dt.Crafted(bytes(64), shape=[1], strides=[1], code=code, bits=bits, lanes=lanes)
    with pytest.raises(BufferError, match="NumPy has no type for elements of"):
        dlferry.numpy.from_dlpack(dt.Producer(crafted))


@pytest.mark.parametrize("thing", [[1, 2], (1, 2), 3, "text", None, {}, object()])
def test_what_is_no_array_is_a_type_error(thing):
    with pytest.raises(TypeError):
        dlferry.numpy.from_dlpack(thing)
    with pytest.raises(TypeError, match="no array"):
        dlferry.numpy.asarray(thing)


def test_arguments_are_by_keyword():
    with pytest.raises(TypeError):
        dlferry.numpy.from_dlpack(cube(), "cpu")
    with pytest.raises(TypeError):
        dlferry.numpy.from_dlpack(x=cube())


@pytest.mark.parametrize("case", AWKWARD)
def test_asarray_copies_what_only_a_copy_can_describe(case):
    array = AWKWARD[case]()
    result = dlferry.numpy.asarray(array)
    assert (type(result), result.dtype.isnative, result.flags.writeable) == (np.ndarray, True, True)
    assert result.tolist() == array.tolist()
    with pytest.raises(dlferry.CopyRequiredError):
        dlferry.numpy.asarray(array, copy=False)


def test_asarray_takes_buffers_and_array_interfaces():
    data = bytearray(b"abc")
    result = dlferry.numpy.asarray(data)
    result[0] = 120
    assert data == b"xbc"
    del result
    assert not dlferry.numpy.asarray(b"abc").flags.writeable
    array = cube()
    kind = type("Interfaced", (), {"__array_interface__": array.__array_interface__, "kept": array})
    assert dlferry.numpy.asarray(kind()).ctypes.data == array.ctypes.data


def test_asarray_makes_writable_what_it_must():
    array = frozen(cube())
    copy = dlferry.numpy.asarray(array, writable=True)
    assert copy.flags.writeable
    assert not np.shares_memory(copy, array)
    assert not dlferry.numpy.asarray(cube(), writable=False).flags.writeable
    with pytest.raises(BufferError):
        dlferry.numpy.asarray(array, writable=True, copy=False)


def test_owner_of_the_memory_is_let_go_with_the_array():
    class Owner(bytearray):
        pass

    owner = Owner(24)
    gone = weakref.ref(owner)
    result = dlferry.numpy.asarray(owner)
    del owner
    gc.collect()
    assert gone() is not None
    result[0] = 1
    del result
    gc.collect()
    assert gone() is None


def test_result_does_not_own_its_memory():
    result = dlferry.numpy.from_dlpack(cube())
    with pytest.raises(ValueError, match="resize"):
        result.resize((100,))
    assert dlferry.from_dlpack(result).tolist() == cube().tolist()


def test_method_of_the_tensor_goes_the_same_way():
    tensor = dlferry.from_dlpack(cube())
    assert tensor.numpy().base is tensor
