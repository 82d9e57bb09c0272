"""Classes of one's own that the attribute `producer` gives the protocol."""

import gc
import inspect
import os
import threading
from typing import Any

import dlferry
import dlferry_results as rust
import dlferry_testing as dt
import numpy as np
import pytest
from craft import CUDA, deletions, floats, on_device
from owners import no_owner_left  # noqa: F401

SQUARES = [0, 1, 4, 9]

# Each way in which others take an array; the last ones are of libraries that may be missing.
WAYS: dict[str, Any] = {
    "from_dlpack": lambda array: dlferry.from_dlpack(array).tolist(),
    "asarray": lambda array: dlferry.asarray(array).tolist(),
    "from_buffer": lambda array: dlferry.from_buffer(array).tolist(),
    "memoryview": lambda array: memoryview(array).tolist(),
    "numpy.from_dlpack": lambda array: np.from_dlpack(array).tolist(),
    "numpy.asarray": lambda array: np.asarray(array).tolist(),
    "exchange table": lambda array: rust_table(array),
    "jax": lambda array: pytest.importorskip("jax", exc_type=ImportError).numpy.from_dlpack(array).tolist(),
    "tvm_ffi": lambda array: through_tvm_ffi(array),
}


def rust_table(array: Any) -> list[int]:
    held = dt.exchange_from(array)
    fields = held.inspect()
    held.delete()
    assert (fields["version"], fields["shape"], fields["strides"]) == ((1, 3), [4], [1])
    return SQUARES


def through_tvm_ffi(array: Any) -> list[int]:
    tvm_ffi = pytest.importorskip("tvm_ffi", exc_type=ImportError)
    echo = tvm_ffi.get_global_func("testing.echo")
    assert np.from_dlpack(tvm_ffi.from_dlpack(array)).tolist() == SQUARES
    values: list[int] = np.from_dlpack(echo(array)).tolist()
    return values


@pytest.mark.parametrize("way", WAYS)
def test_class_is_taken_by_every_way_and_computed_once(way):
    squares = rust.Squares(4)
    assert squares.computed == 0
    assert WAYS[way](squares) == SQUARES
    assert WAYS[way](squares) == SQUARES
    assert squares.computed == 1


@pytest.mark.torch
def test_class_is_taken_by_torch():
    torch = pytest.importorskip("torch", exc_type=ImportError)
    squares = rust.Squares(4)
    ours, theirs = torch.from_dlpack(squares), torch.from_dlpack(squares)
    ours[0] = 5
    assert theirs.tolist() == [5, 1, 4, 9]


def test_exports_are_of_one_memory():
    squares = rust.Squares(4)
    array, view, tensor = np.from_dlpack(squares), memoryview(squares), dlferry.from_dlpack(squares)
    array[1] = 7
    assert (view[1], tensor.tolist()[1], tensor.source, tensor.owner) == (7, 7, "exchange", squares)


def test_memory_outlives_the_object():
    array, view = np.from_dlpack(squares := rust.Squares(4)), memoryview(squares)
    del squares
    gc.collect()
    assert array.tolist() == view.tolist() == SQUARES


def test_keywords_are_those_of_the_tensor():
    """R4.1 to R4.3, decision 5.6."""
    squares = rust.Squares(4)
    assert dt.capsule_name(squares.__dlpack__()) == "dltensor"
    assert dt.capsule_name(squares.__dlpack__(max_version=(1, 3))) == "dltensor_versioned"
    everything = {"stream": None, "max_version": (1, 0), "dl_device": (1, 0), "copy": True}
    private = dlferry.from_dlpack(squares.__dlpack__(**everything))
    assert (private.copied, private.tolist()) == (True, SQUARES)
    assert private.data_ptr != dlferry.from_dlpack(squares).data_ptr
    for bad, error in [
        ({"stream": 3}, ValueError),
        ({"stream": "x"}, TypeError),
        ({"max_version": 1}, TypeError),
        ({"dl_device": (2, 0)}, BufferError),
        ({"copy": 1}, TypeError),
        ({"other": 1}, TypeError),
    ]:
        with pytest.raises(error):
            squares.__dlpack__(**bad)
    with pytest.raises(TypeError):
        squares.__dlpack__(None)


def test_device_is_that_of_the_tensor():
    assert rust.Squares(4).__dlpack_device__() == (1, 0)
    slot = rust.Slot(dt.Producer(on_device(CUDA)))
    assert slot.__dlpack_device__() == (CUDA, 0)
    with pytest.raises(BufferError, match="cuda"):
        memoryview(slot)


def test_methods_have_signatures_and_docstrings():
    assert str(inspect.signature(rust.Squares.__dlpack__)) == str(
        inspect.signature(dlferry.Tensor.__dlpack__)
    )
    assert rust.Squares.__dlpack__.__doc__ == dlferry.Tensor.__dlpack__.__doc__.split("\n")[0]
    assert rust.Squares.__dlpack_device__.__doc__ == dlferry.Tensor.__dlpack_device__.__doc__


def test_table_is_complete_but_lends_nothing():
    """E1, E4: the tensor that a producer answers with is not kept by the object, so nothing is lent."""
    table = dt.exchange_table(rust.Squares)
    assert table["version"] == (1, 3)
    lent = table["members_null"].pop("dltensor_from_py_object_no_sync")
    assert (lent, set(table["members_null"].values())) == (True, {False})
    assert rust.Squares.__dlpack_c_exchange_api__ is rust.Squares.__dlpack_c_exchange_api__


def test_subclass_has_the_protocol_too():
    """E5."""

    class Sub(rust.Slot):
        pass

    sub = Sub(np.arange(3))
    assert dlferry.from_dlpack(sub).source == "exchange"
    assert memoryview(sub).tolist() == [0, 1, 2]


def test_what_the_class_raises_is_what_the_consumer_gets():
    slot = rust.Slot()
    for export in [
        np.from_dlpack,
        memoryview,
        dlferry.from_dlpack,
        lambda x: x.__dlpack_device__(),
        dt.exchange_from,
    ]:
        with pytest.raises(ValueError, match=r"^the slot is empty$"):
            export(slot)


def test_who_took_what_the_object_had_before_keeps_it():
    crafted = floats()
    slot = rust.Slot(dt.Producer(crafted))
    view, tensor = memoryview(slot), dlferry.from_dlpack(slot)
    slot.put(np.arange(3))
    gc.collect()
    assert memoryview(slot).tolist() == [0, 1, 2]
    assert view.tolist() == tensor.tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    assert deletions(crafted) == 0
    del tensor
    assert deletions(crafted) == 0
    view.release()
    assert deletions(crafted) == 1


def test_memory_is_freed_with_its_last_user():
    slot = rust.Slot()
    slot.count()
    view, array = memoryview(slot), np.from_dlpack(slot)
    assert rust.live() == 1
    del slot
    view.release()
    assert rust.live() == 1
    del array
    assert rust.live() == 0


def test_read_only_memory_is_not_lent_for_writing():
    """Decision 5.1."""
    slot = rust.Slot(np.broadcast_to(np.arange(3), (2, 3)))
    assert memoryview(slot).readonly
    assert not np.from_dlpack(slot).flags.writeable
    with pytest.raises(BufferError, match="read-only"):
        slot.__dlpack__()


@pytest.mark.skipif("DLFERRY_ASAN" in os.environ, reason="SKIPPED: threads and AddressSanitizer take long")
def test_many_threads_compute_once():
    squares = rust.Squares(1000)
    start, results = threading.Barrier(8), []

    def take() -> None:
        start.wait()
        results.append(int(np.from_dlpack(squares)[-1]))

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [999**2] * 8
    assert squares.computed == 1
