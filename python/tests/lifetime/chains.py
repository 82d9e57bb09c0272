"""Chains of four libraries over one crafted tensor, dropped in every order: run as ``chains.py NAMES``.

Prints how many chains there were. An order is the order in which the four are let go of, the tensor being one of them.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import queue
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import dlferry
import dlferry_testing as dt
import numpy as np

VALUES = np.arange(6, dtype=np.float32)


def through_numpy(x: Any) -> Any:
    return np.from_dlpack(x) if hasattr(x, "__dlpack__") else np.asarray(x)


def through_held(x: Any) -> Any:
    """Take the struct as C does, and hand it on in a new capsule."""
    return dlferry.from_dlpack(dlferry.asarray(x).__dlpack__(max_version=(1, 0)))


@functools.cache
def library(name: str) -> Any:
    return importlib.import_module(name)


def through_tvm_ffi(x: Any) -> Any:
    return library("tvm_ffi").from_dlpack(dlferry.asarray(x))


def through_torch(x: Any) -> Any:
    return library("torch").from_dlpack(dlferry.asarray(x))


HOPS: dict[str, Callable[[Any], Any]] = {
    "dlferry": dlferry.asarray,
    "numpy": through_numpy,
    "memoryview": lambda x: memoryview(dlferry.asarray(x)),
    "view": lambda x: dlferry.asarray(x)[...],
    "held": through_held,
    "own numpy": lambda x: dlferry.numpy.from_dlpack(dlferry.asarray(x)),
    "tvm_ffi": through_tvm_ffi,
    "torch": through_torch,
}


class Worker:
    """A thread that does what it is told, one thing after the other."""

    def __init__(self) -> None:
        self.told: queue.SimpleQueue[Callable[[], object] | None] = queue.SimpleQueue()
        self.done: queue.SimpleQueue[None] = queue.SimpleQueue()
        self.thread = threading.Thread(target=self.work)
        self.thread.start()

    def work(self) -> None:
        while (action := self.told.get()) is not None:
            action()
            del action
            self.done.put(None)

    def do(self, action: Callable[[], object]) -> None:
        self.told.put(action)
        self.done.get()


def chained(hops: tuple[str, ...]) -> tuple[Any, list[list[Any]]]:
    """Make a chain; return the recipe, and a box for each link."""
    crafted = dt.Crafted(VALUES.tobytes(), shape=[6], strides=[1])
    boxes, last = [], dlferry.from_dlpack(dt.Producer(crafted))
    for hop in hops:
        last = HOPS[hop](last)
        boxes.append([last])
    return crafted, boxes


def dropped(
    hops: tuple[str, ...], order: tuple[int, ...], drop: Callable[[Callable[[], object]], object]
) -> None:
    """Let go of the links of a new chain in an order; the deleter runs once, and not before the last of them."""
    crafted, boxes = chained(hops)
    for index in order[:-1]:
        drop(boxes[index].clear)
        assert not crafted.deleter_calls, (hops, order)
    (left,) = boxes[order[-1]]
    seen = np.asarray(dlferry.asarray(left))
    assert seen.ctypes.data == crafted.address
    assert seen.tolist() == VALUES.tolist()
    del left, seen
    drop(boxes[order[-1]].clear)
    assert len(crafted.deleter_calls) == 1, (hops, order)
    assert crafted.deleter_calls[0]["original"]


def chains(names: list[str], last: list[str]) -> Iterator[tuple[str, ...]]:
    """All chains of four of these, some of those among them."""
    for hops in itertools.product(names, repeat=4):
        if not last or set(last) & set(hops):
            yield hops


def main(names: list[str], among: list[str]) -> None:
    worker, count = Worker(), 0
    try:
        for hops in chains(names, among):
            for order in itertools.permutations(range(4)):
                dropped(hops, order, lambda action: action())
            for order in ((0, 1, 2, 3), (3, 2, 1, 0)):
                dropped(hops, order, worker.do)
            count += 1
    finally:
        worker.told.put(None)
        worker.thread.join()
    assert dt.live() == 0
    print(count)


if __name__ == "__main__":
    first, _, second = " ".join(sys.argv[1:]).partition(" among ")
    main(first.split("+"), second.split("+") if second else [])
