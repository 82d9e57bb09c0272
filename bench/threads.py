"""How far two threads get beyond one, in a Python without a global interpreter lock: 2.0 would be all the way.

One thread and two alternate within the process, round by round. Each thread makes an array of its own, so that no two
threads count references to one object or have objects on one line of the cache, and stays on a processor of its own,
where the system has that: else both may take turns on one. They begin together, and what counts is the time from the
first call of either to the last. A round in which the system took a processor away from one of them, for another
process, says nothing and is repeated; one in which they waited for each other counts.

Calls come from a loop of C's, of ``map``, or from one of Python's. The second counts references to the function, which
both threads share, with each call, and so cannot get far; how far a function of Rust's gets that takes any object and
does nothing is measured beside the others, for it says what this machine and this interpreter allow.
"""

from __future__ import annotations

import gc
import itertools
import math
import os
import resource
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
SECONDS_PER_ROUND = 0.006
PROCESSORS = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []

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


def interruptions() -> int:
    """How often the system took the processor away from this thread, where it tells."""
    own = getattr(resource, "RUSAGE_THREAD", None)
    return 0 if own is None else resource.getrusage(own).ru_nivcsw


def nanoseconds(
    loop: Loop, function: Function, make: Callable[[], Any], calls: int, count: int
) -> tuple[int, bool]:
    """The time from the first call to the last of threads with an array each, and if they had their processors."""
    ready = threading.Barrier(count)
    times: list[tuple[int, int, bool]] = []

    def body(number: int) -> None:
        if len(PROCESSORS) > number:
            os.sched_setaffinity(0, {PROCESSORS[number]})  # of this thread alone
        array = make()
        loop(function, array, 100)
        ready.wait()
        before = interruptions()
        start, began = time.perf_counter_ns(), time.thread_time_ns()
        loop(function, array, calls)
        end, ended = time.perf_counter_ns(), time.thread_time_ns()
        was_out = interruptions() > before and ended - began < 0.97 * (end - start)
        times.append((start, end, was_out))

    threads = [threading.Thread(target=body, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = max(end for _, end, _ in times) - min(start for start, _, _ in times)
    return took, not any(was_out for _, _, was_out in times)


def growth(loop: Loop, function: Function, make: Callable[[], Any]) -> tuple[float, float]:
    """Nanoseconds of a call in one thread, and how far two get beyond it: medians of the rounds."""
    calls = 1000
    while (took := nanoseconds(loop, function, make, calls, 1)[0]) < SECONDS_PER_ROUND * 5e8:
        calls = int(calls * min(10.0, SECONDS_PER_ROUND * 1e9 / took))
    rounds: list[tuple[int, int]] = []
    for _ in range(ROUNDS * 8):
        (one, alone), (two, together) = (nanoseconds(loop, function, make, calls, count) for count in (1, 2))
        if alone and together:
            rounds.append((one, two))
        if len(rounds) == ROUNDS:
            break
    else:
        return math.nan, math.nan  # other processes have the processors
    each = statistics.median(one / calls for one, _ in rounds)
    return each, statistics.median(2 * one / two for one, two in rounds)


def main() -> None:
    """Prints a line for each kind of work."""
    gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    lock = "on, so that two threads get no further than one" if gil else "off"
    if len(PROCESSORS) == 1:
        print("There is one processor: two threads get no further than one")
    print(f"Python {sys.version.split()[0]}, the global interpreter lock is {lock}")
    print(f"{'':30} {'map':>18} {'a loop':>18}")
    gc.disable()
    for name, function, make in ROWS:
        cells = [growth(loop, function, make) for loop in (mapped, looped)]
        print(f"{name:30}" + "".join(f" {each:8.0f} ns {two:5.2f} x" for each, two in cells), flush=True)


if __name__ == "__main__":
    main()
