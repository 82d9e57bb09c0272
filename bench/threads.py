"""How far two threads get beyond one, in a Python without a global interpreter lock: 2.0 would be all the way.

One thread and two alternate within the process, round by round, each thread on an array of its own. A function of
Rust's that takes any object and does nothing is measured beside the others: it says what this machine and this
interpreter allow.
"""

from __future__ import annotations

import statistics
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import dlferry
import dlferry_views
import numpy as np

ROUNDS = 31
CALLS = 20_000


def array() -> Any:
    """A small array."""
    return np.zeros((3, 4), np.float32)


ROWS: list[tuple[str, Callable[[Any], object], Callable[[], Any]]] = [
    ("a function that does nothing", dlferry_views.take_object, array),
    ("a View of a NumPy array", dlferry_views.take_2d, array),
    ("a ViewMut of a NumPy array", dlferry_views.take_2d_mut, array),
    ("a View of a Tensor", dlferry_views.take_2d, lambda: dlferry.asarray(array())),
    ("dlferry.from_dlpack(ndarray)", dlferry.from_dlpack, array),
    ("dlferry.from_dlpack(Tensor)", dlferry.from_dlpack, lambda: dlferry.asarray(array())),
    ("numpy.from_dlpack(ndarray)", np.from_dlpack, array),
]


def nanoseconds(function: Callable[[Any], object], arrays: list[Any]) -> int:
    """The time that a thread for each array takes, from the moment on which all are ready."""
    barrier = threading.Barrier(len(arrays) + 1)

    def body(array: Any) -> None:
        repeated = range(CALLS)
        barrier.wait()
        for _ in repeated:
            function(array)

    threads = [threading.Thread(target=body, args=(array,)) for array in arrays]
    for thread in threads:
        thread.start()
    barrier.wait()
    start = time.perf_counter_ns()
    for thread in threads:
        thread.join()
    return time.perf_counter_ns() - start


def main() -> None:
    """Prints a line for each kind of work."""
    gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    lock = "on, so that two threads get no further than one" if gil else "off"
    print(f"Python {sys.version.split()[0]}, the global interpreter lock is {lock}")
    for name, function, make in ROWS:
        arrays = [make(), make()]
        nanoseconds(function, arrays)
        rounds = [(nanoseconds(function, arrays[:1]), nanoseconds(function, arrays)) for _ in range(ROUNDS)]
        growth = statistics.median(2 * one / two for one, two in rounds)
        each = statistics.median(one / CALLS for one, _ in rounds)
        print(f"{name:30} {each:8.0f} ns   two threads: {growth:.2f} of one", flush=True)


if __name__ == "__main__":
    main()
