"""The exporter stays locked while anything looks at its memory, and no longer."""

import gc
import pickle
import threading

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from exporters import mapped


class Consumer:
    """Holds the bare struct, and calls its deleter at the end, as libraries do."""

    def __init__(self, tensor):
        self.held = dt.consume(tensor.__dlpack__(max_version=(1, 3)))

    def __del__(self):
        self.held.delete()


# What a tensor may become and still look at the same memory.
HOLDERS = {
    "tensor": lambda tensor: tensor,
    "slice": lambda tensor: tensor[1:3],
    "element": lambda tensor: tensor[2],
    "reshaped": lambda tensor: tensor.reshape(2, 4).T,
    "other dtype": lambda tensor: tensor.view("int16"),
    "memoryview": memoryview,
    "part of a memoryview": lambda tensor: memoryview(tensor)[1:3],
    "capsule": lambda tensor: tensor.__dlpack__(max_version=(1, 3)),
    "unversioned capsule": lambda tensor: tensor.__dlpack__(),
    "NumPy": np.from_dlpack,
    "NumPy through the buffer": np.asarray,
    "tensor again": dlferry.from_dlpack,
    "asarray again": dlferry.asarray,
    "buffer of a buffer": dlferry.from_buffer,
    "consumer": lambda tensor: Consumer(tensor),
    "pickle buffer": lambda tensor: pickle.PickleBuffer(tensor),
    "iterator": iter,
}


@pytest.mark.parametrize("holder", HOLDERS)
def test_bytearray_is_locked_until_the_last_holder_is_gone(holder):
    source = bytearray(range(8))
    held = HOLDERS[holder](dlferry.from_buffer(source))
    gc.collect()
    with pytest.raises(BufferError, match="re-size"):
        source.append(1)
    del held
    gc.collect()
    source.append(1)
    assert len(source) == 9


@pytest.mark.parametrize("holder", HOLDERS)
def test_map_is_locked_until_the_last_holder_is_gone(holder):
    memory = mapped()
    held = HOLDERS[holder](dlferry.from_buffer(memory)[:8])
    gc.collect()
    with pytest.raises(BufferError, match="exported pointers"):
        memory.close()
    del held
    gc.collect()
    memory.close()
    assert memory.closed


def test_copy_locks_nothing():
    source = bytearray(8)
    copy = dlferry.from_buffer(source, copy=True)
    source.append(1)
    lenient = dlferry.asarray(memoryview(source).cast("B")[:8:2], copy=True)
    source.append(1)
    assert (copy.size, lenient.size) == (8, 4)


def test_refused_buffer_is_given_back():
    for fields in ({"format": b"T{i:x:}"}, {"format": b"f"}, {"suboffsets": [0]}, {"shape": [-1]}):
        exporter = dt.BufferExporter(bytes(8), **fields)
        with pytest.raises(BufferError):
            dlferry.from_buffer(exporter)
        assert exporter.held == 0


def test_each_tensor_holds_one_buffer():
    exporter = dt.BufferExporter(bytes(8))
    tensor = dlferry.from_buffer(exporter)
    views = [tensor[i:] for i in range(4)]
    assert exporter.held == 1
    del tensor
    assert exporter.held == 1
    views.clear()
    assert exporter.held == 0


def test_buffer_is_given_back_by_another_thread():
    exporter = dt.BufferExporter(bytes(8))
    tensors = [dlferry.from_buffer(exporter)]
    thread = threading.Thread(target=tensors.clear)
    thread.start()
    thread.join()
    assert exporter.held == 0


def test_capsule_dropped_with_an_exception_pending_gives_the_buffer_back():
    exporter = dt.BufferExporter(bytes(8))
    tensors = [dlferry.from_buffer(exporter)]
    assert dt.drop_with_exception_pending(lambda: tensors.pop().__dlpack__(max_version=(1, 3)))
    assert exporter.held == 0
