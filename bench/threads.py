"""How far two threads get beyond one, in a Python without a global interpreter lock: 2.0 would be all the way.

One thread and two alternate within the process, round by round. Each thread makes an array of its own, so that no two threads
count references to one object or have objects on one line of the cache; they begin together, and what counts is the time from
the first call of either to the last.

Calls come from a loop of C's, of ``map``, or from one of Python's. The second counts references to the function, which both
threads share, with each call, and so cannot get far; how far a function of Rust's gets that takes any object and does nothing
is measured beside the others, for it says what this machine and this interpreter allow.
"""

from __future__ import annotations

import gc
import itertools
import statistics
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import dlferry
import dlferry_views
import numpy as np

ROUNDS = 31
SECONDS_PER_ROUND = 0.02

Function = Callable[[Any], object]
Loop = Callable[[Function, Any, int], None]


def array() -> Any:
    """A small array."""
    return np.zeros((3, 4), np.float32)


ROWS: list[tuple[str, Function, Callable[[], Any]]] = [
    ("a function that does nothing", dlferry_views.take_object, array),
    ("a View of a NumPy array", dlferry_views.take_2d, array),
    ("a ViewMut of a NumPy array", dlferry_views.take_2d_mut, array),
    ("a View of a Tensor", dlferry_views.take_2d, lambda: dlferry.asarray(array())),
    ("dlferry.from_dlpack(ndarray)", dlferry.from_dlpack, array),
    ("dlferry.from_dlpack(Tensor)", dlferry.from_dlpack, lambda: dlferry.asarray(array())),
    ("numpy.from_dlpack(ndarray)", np.from_dlpack, array),
]


def mapped(function: Function, array: Any, calls: int) -> None:
    """Calls the function in a loop of C's."""
    deque(map(function, itertools.repeat(array, calls)), maxlen=0)


def looped(function: Function, array: Any, calls: int) -> None:
    """Calls the function in a loop of Python's."""
    for _ in range(calls):
        function(array)


def nanoseconds(loop: Loop, function: Function, make: Callable[[], Any], calls: int, count: int) -> int:
    """The time from the first call to the last of as many threads, each with an array of its own."""
    ready = threading.Barrier(count)
    times: list[tuple[int, int]] = []

    def body() -> None:
        array = make()
        loop(function, array, 100)
        ready.wait()
        start = time.perf_counter_ns()
        loop(function, array, calls)
        times.append((start, time.perf_counter_ns()))

    threads = [threading.Thread(target=body) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return max(end for _, end in times) - min(start for start, _ in times)


def growth(loop: Loop, function: Function, make: Callable[[], Any]) -> tuple[float, float]:
    """Nanoseconds of a call in one thread, and how far two get beyond it: medians of the rounds."""
    calls = 1000
    while (took := nanoseconds(loop, function, make, calls, 1)) < SECONDS_PER_ROUND * 5e8:
        calls = int(calls * min(10.0, SECONDS_PER_ROUND * 1e9 / took))
    rounds = []
    for _ in range(ROUNDS):
        one = nanoseconds(loop, function, make, calls, 1)
        rounds.append((one, nanoseconds(loop, function, make, calls, 2)))
    return statistics.median(one / calls for one, _ in rounds), statistics.median(2 * one / two for one, two in rounds)


def main() -> None:
    """Prints a line for each kind of work."""
    gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    lock = "on, so that two threads get no further than one" if gil else "off"
    print(f"Python {sys.version.split()[0]}, the global interpreter lock is {lock}")
    print(f"{'':30} {'map':>18} {'a loop':>18}")
    gc.disable()
    for name, function, make in ROWS:
        cells = [growth(loop, function, make) for loop in (mapped, looped)]
        print(f"{name:30}" + "".join(f" {each:8.0f} ns {two:5.2f} x" for each, two in cells), flush=True)


if __name__ == "__main__":
    main()
