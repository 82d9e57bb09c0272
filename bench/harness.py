"""Compares the time of two callables, as a ratio that survives a noisy machine.

Both sides alternate within one process, round by round, and what counts is the median of the ratios of the rounds: a
slow second slows both sides of its round. One side measured after the other gives anything between 0.5 and 2.0 for the
same function against itself.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

ROUNDS = 41
SECONDS_PER_ROUND = 0.01


@dataclass(frozen=True)
class Ratio:
    """What a comparison found: nanoseconds a call (medians), and the median of the ratios of the rounds."""

    ours: float
    theirs: float
    ratio: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.ratio:5.2f}  ({self.low:.2f} to {self.high:.2f})  {self.ours:8.0f} ns  {self.theirs:8.0f} ns"


def _time(function: Callable[[], object], calls: int) -> float:
    loop = range(calls)
    start = time.perf_counter_ns()
    for _ in loop:
        function()
    return (time.perf_counter_ns() - start) / calls


def _calls(function: Callable[[], object]) -> int:
    """Calls that fill a round, found by doubling."""
    calls = 16
    while (took := _time(function, calls) * calls) < SECONDS_PER_ROUND * 1e9 / 4:
        calls *= 2
    return max(1, int(calls * SECONDS_PER_ROUND * 1e9 / took))


def compare(ours: Callable[[], object], theirs: Callable[[], object], rounds: int = ROUNDS) -> Ratio:
    """The time of ``ours`` as a fraction of that of ``theirs``; quartiles beside it."""
    calls = _calls(ours), _calls(theirs)
    gc.collect()
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        pairs = []
        for nth in range(rounds):
            first, second = (ours, theirs) if nth % 2 == 0 else (theirs, ours)
            counts = calls if nth % 2 == 0 else calls[::-1]
            one, two = _time(first, counts[0]), _time(second, counts[1])
            pairs.append((one, two) if nth % 2 == 0 else (two, one))
    finally:
        if was_enabled:
            gc.enable()
    ratios = [one / two for one, two in pairs]
    low, _, high = statistics.quantiles(ratios, n=4)
    return Ratio(
        statistics.median(one for one, _ in pairs),
        statistics.median(two for _, two in pairs),
        statistics.median(ratios),
        low,
        high,
    )
