"""Tensors as PyTorch tensors (rules T5 to T8, R2.12, R3.10, R3.12)."""

import gc
import sys
import threading
from types import SimpleNamespace

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest

torch = pytest.importorskip("torch", exc_type=ImportError)
pytestmark = pytest.mark.torch

LAYOUTS = {
    "row-major": lambda: np.arange(24).reshape(2, 3, 4),
    "transposed": lambda: np.arange(24).reshape(2, 3, 4).transpose(2, 0, 1),
    "offset": lambda: np.arange(24).reshape(2, 3, 4)[1:, 1:, 1:],
    "strided": lambda: np.arange(24).reshape(2, 3, 4)[:, ::2, 1::2],
    "no axes": lambda: np.array(2.5),
    "one element": lambda: np.ones((1, 1)),
    "empty": lambda: np.zeros((0,)),
    "empty columns": lambda: np.zeros((0, 3), np.int8),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_array_goes_to_pytorch_on_the_same_memory(layout):
    array = LAYOUTS[layout]()
    theirs = torch.from_dlpack(dlferry.from_dlpack(array))
    assert tuple(theirs.shape) == array.shape
    assert theirs.tolist() == array.tolist()
    if array.size:
        assert theirs.data_ptr() == array.ctypes.data


@pytest.mark.parametrize("layout", LAYOUTS)
def test_pytorch_tensor_comes_back_as_it_was(layout):
    source = torch.from_numpy(LAYOUTS[layout]())
    again = torch.from_dlpack(dlferry.from_dlpack(source))
    assert (again.dtype, again.shape) == (source.dtype, source.shape)
    assert torch.equal(again, source)
    if source.numel():
        assert again.data_ptr() == source.data_ptr()
        assert again.stride() == source.stride()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_chain_from_numpy_over_pytorch_to_numpy_shares_one_memory(layout):
    array = LAYOUTS[layout]()
    theirs = torch.from_dlpack(dlferry.from_dlpack(array))
    again = np.from_dlpack(dlferry.from_dlpack(theirs))
    assert np.array_equal(again, array)
    assert again.dtype == array.dtype
    if array.size:
        assert np.shares_memory(again, array)


def test_write_by_either_side_is_seen_by_the_other():
    array = np.arange(4)
    tensor = dlferry.from_dlpack(array)
    theirs = torch.from_dlpack(tensor)
    theirs[0] = -1
    array[1] = -2
    memoryview(tensor)[2] = -3
    assert array.tolist() == tensor.tolist() == theirs.tolist() == [-1, -2, -3, 3]


NAMES = [
    *(
        "bool",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "int8",
        "int16",
        "int32",
        "int64",
        "float16",
        "bfloat16",
    ),
    *("float32", "float64", "complex32", "complex64", "complex128", "float8_e4m3fn", "float8_e4m3fnuz"),
    *("float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"),
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore:ComplexHalf")
def test_dtype_goes_there_and_back(name):
    if not hasattr(torch, name):
        pytest.skip(f"this release of PyTorch has no {name}")
    dtype = dlferry.dtype(name)
    recipe = dt.Crafted(bytes([1, 0] * 32), shape=[4], code=dtype.code, bits=dtype.bits)
    tensor = dlferry.from_dlpack(dt.Producer(recipe))
    theirs = torch.from_dlpack(tensor)
    assert theirs.dtype is getattr(torch, name)
    again = dlferry.from_dlpack(theirs)
    assert (again.dtype, again.data_ptr, again.tolist()) == (dtype, tensor.data_ptr, tensor.tolist())


@pytest.mark.parametrize("name", ["float8_e3m4", "float8_e4m3", "float6_e2m3fn", "float4_e2m1fn"])
def test_dtype_that_it_lacks_is_refused_in_its_words(name):
    """Single float4 elements among them: it takes pairs alone (R3.19)."""
    dtype = dlferry.dtype(name)
    recipe = dt.Crafted(bytes(8), shape=[4], code=dtype.code, bits=dtype.bits)
    tensor = dlferry.from_dlpack(dt.Producer(recipe))
    with pytest.raises((BufferError, RuntimeError)):
        torch.from_dlpack(tensor)
    del tensor
    gc.collect()
    assert len(recipe.deleter_calls) == 1


def test_negative_strides_are_refused_in_its_words():
    """R3.10. A copy has none."""
    tensor = dlferry.from_dlpack(np.arange(4.0)[::-1])
    with pytest.raises((BufferError, RuntimeError, ValueError)):
        torch.from_dlpack(tensor)
    theirs = torch.from_dlpack(dlferry.from_dlpack(tensor, copy=True))
    assert theirs.tolist() == [3.0, 2.0, 1.0, 0.0]


@pytest.mark.parametrize("arguments", [{"copy": False}, {"copy": True}, {"device": "cpu"}])
def test_keywords_are_asked_of_the_tensor(arguments):
    tensor = dlferry.from_dlpack(np.arange(3))
    theirs = torch.from_dlpack(tensor, **arguments)
    assert theirs.tolist() == [0, 1, 2]
    assert (theirs.data_ptr() == tensor.data_ptr) is not arguments.get("copy", False)


def test_buffer_of_a_tensor_is_taken():
    tensor = dlferry.from_dlpack(np.arange(4), copy=True)
    theirs = torch.frombuffer(tensor, dtype=torch.int64)
    assert theirs.data_ptr() == tensor.data_ptr
    assert theirs.tolist() == [0, 1, 2, 3]


def test_deleter_runs_without_the_interpreter():
    """R2.12: PyTorch lets go of the GIL, even for `del` on the main thread."""
    recipe = dt.Crafted(bytes(8), shape=[2], poison=True)
    theirs = torch.from_dlpack(dlferry.from_dlpack(dt.Producer(recipe)))
    gc.collect()
    assert theirs.tolist() == [0.0, 0.0]
    assert recipe.deleter_calls == []
    del theirs
    gc.collect()
    assert [call["attached"] for call in recipe.deleter_calls] == [False]


def test_python_owner_is_let_go_from_a_thread():
    """NumPy's own deleter, which frees a Python object, runs at the end of the chain."""
    array = np.arange(1000.0)
    before = sys.getrefcount(array)
    held = [torch.from_dlpack(dlferry.from_dlpack(array)) for _ in range(100)]
    assert sys.getrefcount(array) > before
    parts = [held[part::4] for part in range(4)]
    held.clear()
    threads = [threading.Thread(target=part.clear) for part in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    assert sys.getrefcount(array) == before


def test_tensor_lives_in_the_graph_of_a_computation():
    """Saved for the backward pass, in whose thread it may be freed."""
    recipe = dt.Crafted(np.arange(4, dtype=np.float32).tobytes(), shape=[4], poison=True)
    weight = torch.ones(4, requires_grad=True)
    loss = (weight * torch.from_dlpack(dlferry.from_dlpack(dt.Producer(recipe)))).sum()
    gc.collect()
    assert recipe.deleter_calls == []
    loss.backward()
    assert weight.grad.tolist() == [0.0, 1.0, 2.0, 3.0]
    del loss
    gc.collect()
    assert len(recipe.deleter_calls) == 1


MEMORY = np.arange(6.0)
INTERFACE = SimpleNamespace(
    __array_interface__={
        "version": 3,
        "shape": (6,),
        "typestr": MEMORY.dtype.str,
        "data": (MEMORY.ctypes.data, False),
    }
)


@pytest.mark.parametrize(
    "take",
    [
        lambda: dlferry.from_dlpack(np.arange(6.0)),
        lambda: dlferry.from_buffer(bytearray(48)),
        lambda: dlferry.asarray(INTERFACE),
    ],
    ids=["array", "buffer", "array interface"],
)
def test_object_is_let_go_of_where_torch_let_go_of_the_interpreter(take):
    # The last tensor of the memory goes within PyTorch's deleter, which calls ours without the interpreter.
    tensor = dlferry.from_dlpack(torch.from_dlpack(take()))
    del tensor
