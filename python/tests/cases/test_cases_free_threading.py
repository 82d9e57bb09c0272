"""Public failures of several threads at one array, which show without the interpreter's lock and may show with it."""

import random
import sys
import sysconfig
import threading
import time

import buffers
import dlferry
import numpy as np
import pytest


@pytest.fixture(autouse=True)
def _eager_switching():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def on_threads(count, action):
    """Run an action on several threads at once; what one of them raised fails the test."""
    barrier = threading.Barrier(count)
    errors = []

    def body(index: int) -> None:
        try:
            barrier.wait(60)
            action(index)
        except BaseException as error:
            errors.append(error.with_traceback(None))

    threads = [threading.Thread(target=body, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive()
    assert errors == []


class Wrapped:
    """An array that is reached through its methods, and so not by the structure."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack__(self, **keywords: object) -> object:
        return self.array.__dlpack__(**keywords)


@pytest.mark.parametrize("kind", ["array", "method", "tensor"])
def test_b174_many_threads_import_one_array(kind):
    """5.13, R2.13; numpy/numpy#28881: eight threads, 10,000 times, and each reference is given back."""
    array = np.arange(6.0).reshape(2, 3)
    made = {
        "array": lambda: array,
        "method": lambda: Wrapped(array),
        "tensor": lambda: dlferry.from_dlpack(array),
    }
    source = made[kind]()
    before = sys.getrefcount(array), sys.getrefcount(source)

    def work(_: int) -> None:
        for _ in range(10_000 // 8):
            tensor = dlferry.from_dlpack(source)
            assert tensor.data_ptr == array.ctypes.data
            assert tensor.shape == (2, 3)

    on_threads(8, work)
    assert (sys.getrefcount(array), sys.getrefcount(source)) == before


def test_b175_many_threads_ask_for_buffers_of_other_kinds():
    """PEP 3118, 5.13; numpy/numpy#30648: each gets what its own flags say, and shape and strides of its own."""
    tensor = dlferry.from_dlpack(np.arange(12, dtype=np.int32).reshape(3, 4))
    before = sys.getrefcount(tensor)
    kinds = [
        buffers.SIMPLE,
        buffers.ND,
        buffers.STRIDES,
        buffers.C_CONTIGUOUS,
        buffers.FORMAT | buffers.STRIDES,
        buffers.WRITABLE | buffers.STRIDES,
    ]

    def work(index: int) -> None:
        choice = random.Random(index)
        for _ in range(2000):
            kind = choice.choice(kinds)
            with buffers.requested(tensor, kind) as view:
                assert (view.len, view.itemsize, view.readonly) == (48, 4, 0)
                assert bool(view.shape) == bool(kind & buffers.ND)
                assert bool(view.strides) == (kind & buffers.STRIDES == buffers.STRIDES)
                if view.strides:
                    assert (view.axes("shape"), view.axes("strides")) == ([3, 4], [16, 4])

    on_threads(4, work)
    assert sys.getrefcount(tensor) == before


@pytest.mark.skipif(
    bool(sysconfig.get_config_var("Py_GIL_DISABLED")) and sys.version_info < (3, 14),
    reason="SKIPPED: without a lock, bytearray itself is resized while it is lent before 3.14 (python/cpython#129107)",
)
def test_b177_owner_is_resized_only_between_looks_of_other_threads():
    """PEP 3118; python/cpython#154524: one thread resizes it whenever nothing of it is lent."""
    lent = bytearray(4096)
    stop = threading.Event()

    def look() -> None:
        for _ in range(2000):
            try:
                tensor = dlferry.from_buffer(lent)
            except BufferError:
                continue  # resized at this moment
            view = memoryview(tensor)
            assert view.nbytes == tensor.nbytes
            assert view[0] == view[-1] == 0
            view.release()

    def resize() -> None:
        while not stop.is_set():
            try:
                lent.extend(bytes(4096))
                del lent[4096:]
            except BufferError:
                time.sleep(0)  # lent at this moment

    resizer = threading.Thread(target=resize)
    resizer.start()
    try:
        on_threads(3, lambda _: look())
    finally:
        stop.set()
        resizer.join(60)


def test_b177_owner_is_not_resized_while_another_thread_looks_at_it():
    """PEP 3118; python/cpython#154524: refused while anything of it is lent, and done when nothing is."""
    lent = bytearray(4096)
    held = dlferry.from_buffer(lent)
    views = [memoryview(held), held[1:], held.__dlpack__(max_version=(1, 0))]
    del held

    def refuse(_: int) -> None:
        with pytest.raises(BufferError):
            lent.append(0)

    while views:
        on_threads(3, refuse)
        views.pop()
    lent.append(0)


def test_b178_dtypes_do_not_change():
    """Section 3; numpy/numpy#28143: an object of its own for each reader, or a shared one that cannot be written."""
    array = np.arange(4, dtype=np.int16)
    tensor = dlferry.from_dlpack(array)
    seen = [set() for _ in range(8)]

    def work(index: int) -> None:
        for _ in range(2000):
            kind = tensor.dtype
            seen[index].add((kind, kind.name, kind.code, kind.bits, kind.lanes, str(array.dtype)))
            dlferry.from_dlpack(array)

    on_threads(8, work)
    assert set().union(*seen) == {(dlferry.int16, "int16", 0, 16, 1, "int16")}
    for name in ("name", "code", "bits", "lanes", "itemsize", "anything"):
        with pytest.raises((AttributeError, TypeError)):
            setattr(tensor.dtype, name, 1)
