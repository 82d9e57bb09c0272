"""Arrow arrays as tensors, and tensors as Arrow buffers (rules R6.4, J4)."""

import gc

import dlferry
import numpy as np
import pytest

pa = pytest.importorskip("pyarrow", exc_type=ImportError)
if not hasattr(pa.Array, "__dlpack__"):
    pytest.skip("this release of pyarrow has no DLPack", allow_module_level=True)


def test_array_is_a_read_only_tensor_on_the_same_memory():
    array = pa.array([1, 2, 3], pa.int32())
    tensor = dlferry.from_dlpack(array)
    assert tensor.tolist() == [1, 2, 3]
    assert tensor.owner is array
    assert tensor.readonly
    assert tensor.data_ptr == array.buffers()[1].address


def test_slice_begins_at_its_first_element():
    assert dlferry.from_dlpack(pa.array([1, 2, 3, 4], pa.int16())[1:3]).tolist() == [2, 3]


def test_empty_array_is_taken():
    tensor = dlferry.from_dlpack(pa.array([], pa.float64()))
    assert (tensor.shape, tensor.dtype) == ((0,), dlferry.float64)


@pytest.mark.parametrize(
    "name", [*(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)), "float32"]
)
def test_dtype_is_the_same(name):
    tensor = dlferry.from_dlpack(pa.array([1, 2], getattr(pa, name)()))
    assert str(tensor.dtype) == name
    assert tensor.tolist() == [1, 2]


# What has no place in a tensor.
REFUSED = {
    "nulls": lambda: pa.array([1, None]),
    "bits": lambda: pa.array([True, False]),
    "text": lambda: pa.array(["a", "bc"]),
    "dates": lambda: pa.array([1], pa.date32()),
    "lists": lambda: pa.array([[1], [2]]),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusal_of_arrow_passes_unchanged(case):
    array = REFUSED[case]()
    with pytest.raises(Exception, match="DLPack") as own:
        array.__dlpack__(max_version=(1, 3))
    with pytest.raises(type(own.value)) as ours:
        dlferry.from_dlpack(array)
    assert str(ours.value) == str(own.value)


@pytest.mark.parametrize(
    "arguments", [{"copy": False}, {"device": "cpu"}, {"device": (1, 0)}, {"copy": True}]
)
def test_keywords_are_understood(arguments):
    tensor = dlferry.from_dlpack(pa.array([1, 2, 3]), **arguments)
    assert tensor.tolist() == [1, 2, 3]
    assert tensor.readonly is not (arguments.get("copy") is True)


def test_array_lives_as_long_as_the_tensor():
    array = pa.array(range(1000), pa.int64())
    tensor = dlferry.from_dlpack(array)
    del array
    gc.collect()
    assert tensor.tolist() == list(range(1000))


def test_tensor_is_an_arrow_buffer():
    tensor = dlferry.from_dlpack(np.arange(4, dtype=np.int16), copy=True)
    buffer = pa.py_buffer(tensor)
    assert buffer.address == tensor.data_ptr
    assert pa.Array.from_buffers(pa.int16(), 4, [None, buffer]).to_pylist() == [0, 1, 2, 3]
    assert buffer.is_mutable
    assert not pa.py_buffer(dlferry.from_dlpack(tensor, writable=False)).is_mutable
