"""TVM FFI both ways: by `__dlpack__` as producer, by the exchange table as consumer (rules V1 to V5, E1 to E11)."""

import gc

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from layouts import LAYOUTS

tvm_ffi = pytest.importorskip("tvm_ffi", exc_type=ImportError)


def echo(value):
    """Send a value through a function of theirs and back."""
    function = tvm_ffi.get_global_func("testing.echo", allow_missing=True)
    if function is None:
        pytest.skip("this release of TVM FFI has no testing.echo")
    return function(value)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_tensor_goes_there_and_back_on_the_same_memory(layout):
    array = LAYOUTS[layout]()
    tensor = dlferry.from_dlpack(array)
    again = dlferry.from_dlpack(tvm_ffi.from_dlpack(tensor))
    assert (again.shape, again.dtype, again.tolist()) == (tensor.shape, tensor.dtype, tensor.tolist())
    if array.size:
        assert again.data_ptr == tensor.data_ptr


# Code and bits of what has no NumPy dtype, and goes through all the same.
OPAQUE = [(4, 16), (10, 8), (12, 8), (14, 8), (17, 4), (0, 4)]


@pytest.mark.parametrize(("code", "bits"), OPAQUE)
def test_dtype_without_numpy_goes_there_and_back(code, bits):
    tensor = dlferry.from_dlpack(dt.Producer(dt.Crafted(bytes(range(16)), shape=[4], code=code, bits=bits)))
    again = dlferry.from_dlpack(tvm_ffi.from_dlpack(tensor))
    assert again.dtype == tensor.dtype
    assert again.tolist() == tensor.tolist()


def test_tensor_is_taken_through_its_exchange_table():
    """Their result is made by our table too: what comes out is a Tensor, not one of theirs."""
    tensor = dlferry.from_dlpack(np.arange(6.0))
    again = echo(tensor)
    assert type(again) is dlferry.Tensor
    assert again.source == "exchange"
    assert again.data_ptr == tensor.data_ptr


def test_read_only_tensor_is_not_lent_and_still_read():
    """Decision 5.1: what is lent has no flags. They take a managed tensor in its place, which has."""
    tensor = dlferry.from_dlpack(np.arange(3.0), copy=True, writable=False)
    with pytest.raises(BufferError, match="read-only"):
        dt.exchange_borrow(tensor)
    assert dt.exchange_from(tensor).inspect()["flags"] == 1
    assert dlferry.from_dlpack(tvm_ffi.from_dlpack(tensor)).tolist() == [0.0, 1.0, 2.0]
    assert echo(tensor).tolist() == [0.0, 1.0, 2.0]
    assert tensor.readonly


def test_padded_tensor_is_refused():
    """R6.7: they know no such flag, and would read padded elements as packed ones."""
    tensor = dlferry.from_dlpack(dt.Producer(dt.Crafted(bytes(8), shape=[4], code=0, bits=4, flags=4)))
    with pytest.raises((BufferError, RuntimeError)):
        tvm_ffi.from_dlpack(tensor)


def test_write_by_one_side_is_seen_by_the_other():
    array = np.arange(4.0)
    theirs = tvm_ffi.from_dlpack(dlferry.from_dlpack(array))
    ours = dlferry.from_dlpack(theirs)
    array[1] = -1.0
    assert ours.tolist() == [0.0, -1.0, 2.0, 3.0]


def test_memory_is_freed_when_their_tensor_goes():
    recipe = dt.Crafted(bytes(8), shape=[2], poison=True)
    theirs = tvm_ffi.from_dlpack(dlferry.from_dlpack(dt.Producer(recipe)))
    gc.collect()
    assert recipe.deleter_calls == []
    ours = dlferry.from_dlpack(theirs)
    del theirs
    gc.collect()
    assert recipe.deleter_calls == []
    assert ours.tolist() == [0.0, 0.0]
    del ours
    gc.collect()
    assert len(recipe.deleter_calls) == 1
