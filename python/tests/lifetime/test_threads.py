"""Threads: decision 5.13; rules R2.9, R2.13."""

import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest

THREADS = 8


@pytest.fixture(autouse=True)
def eager_switching() -> Iterator[None]:
    """Threads take turns as often as the interpreter lets them."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def on_all(action: Callable[[int], Any]) -> list[Any]:
    """Run an action on all threads at once; return what each returned or raised."""
    barrier = threading.Barrier(THREADS)
    results: list[Any] = [None] * THREADS

    def body(index: int) -> None:
        barrier.wait()
        try:
            results[index] = action(index)
        except BaseException as error:
            # Without its traceback, whose frames hold what is counted.
            results[index] = error.with_traceback(None)

    threads = [threading.Thread(target=body, args=(index,)) for index in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    return results


def taken(capsule: object, _: int) -> dlferry.Tensor:
    return dlferry.from_dlpack(capsule)


def deleted(held: list[Any], index: int) -> bool:
    return bool(held[index].delete_detached())


@pytest.mark.parametrize("versioned", [True, False])
def test_one_of_many_threads_takes_a_capsule(versioned):
    """5.13: the others are told that it was taken; the deleter runs once."""
    for _ in range(50):
        crafted = dt.Crafted(bytes(12), shape=[3], strides=[1])
        capsule = crafted.capsule(versioned)
        results = on_all(partial(taken, capsule))
        won = [one for one in results if isinstance(one, dlferry.Tensor)]
        lost = [one for one in results if isinstance(one, BufferError) and "consumed before" in str(one)]
        assert (len(won), len(lost)) == (1, THREADS - 1)
        assert crafted.deleter_calls == []
        del results, won, lost, capsule
        assert len(crafted.deleter_calls) == 1


def test_many_threads_export_one_tensor():
    """R2.13: capsules taken and untaken, buffers, tables and imports, all at once."""
    crafted = dt.Crafted(np.arange(6, dtype="f4").tobytes(), shape=[2, 3], strides=[3, 1])
    box = [dlferry.from_dlpack(dt.Producer(crafted))]

    def work(index: int) -> float:
        tensor, total = box[0], 0.0
        for _ in range(200):
            total += float(np.from_dlpack(tensor)[1, 2])
            tensor.__dlpack__()
            dt.consume(tensor.__dlpack__(max_version=(1, 0))).delete_detached()
            dt.exchange_from(tensor).delete()
            total += memoryview(tensor)[1, 2]
            total += dlferry.from_dlpack(tensor).tolist()[1][2]
        dt.consume(tensor.__dlpack__()).delete_on_thread()
        return total

    assert on_all(work) == [200 * 15.0] * THREADS
    assert crafted.deleter_calls == []
    box.clear()
    assert len(crafted.deleter_calls) == 1


def test_many_threads_import_one_array():
    """R2.13: and let go of it in another order."""
    array = np.arange(3)
    before = sys.getrefcount(array)
    tensors = on_all(lambda _: [dlferry.from_dlpack(array) for _ in range(100)])
    assert {one.data_ptr for some in tensors for one in some} == {array.ctypes.data}
    on_all(lambda index: tensors[index - 1].clear())
    assert sys.getrefcount(array) == before


def test_last_of_many_threads_deletes():
    """R2.3, R2.13: each drops its own; whoever is last, it happens once."""
    for _ in range(50):
        crafted = dt.Crafted(bytes(12), shape=[3], strides=[1])
        tensor = dlferry.from_dlpack(dt.Producer(crafted))
        held = [dt.consume(tensor.__dlpack__()) for _ in range(THREADS)]
        del tensor
        assert on_all(partial(deleted, held)) == [True] * THREADS
        assert len(crafted.deleter_calls) == 1
