"""Compares the time of two sides, as a ratio that survives a noisy machine.

Both sides alternate within one process, round by round, and what counts is the median of the ratios of the rounds: a
slow second slows both sides of its round. One side measured after the other gives anything between 0.5 and 2.0 for the
same function against itself.

A side is an expression in the names that are passed along, compiled into the loop that times it, so that no call stands
between the clock and what is timed; or a callable, where a call of Python's more or less does not matter. What it takes
of a module is looked up before, as by ``from numpy import from_dlpack``: a look-up in a module can take 50 ns. An empty
loop is timed beside them: what is left of a side once that is taken away is the side itself.
"""

from __future__ import annotations

import ast
import gc
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType

ROUNDS = 41
LEAST_ROUNDS = 31
SECONDS_PER_ROUND = 0.01

Side = str | Callable[[], object]
Clock = Callable[[], int]
Timed = Callable[[range, Clock], int]


@dataclass(frozen=True)
class Ratio:
    """What a comparison found: nanoseconds a call, and the ratios of the rounds; medians, with the quartiles."""

    ours: float
    theirs: float
    ratio: float
    low: float
    high: float
    empty: float
    rounds: int


def compare(
    ours: Side,
    theirs: Side,
    names: Mapping[str, object] | None = None,
    *,
    before: tuple[Callable[[], object], Callable[[], object]] | None = None,
    rounds: int = ROUNDS,
    seconds: float = SECONDS_PER_ROUND,
    clock: Clock = time.perf_counter_ns,
) -> Ratio:
    """The time of ``ours`` as a fraction of that of ``theirs``; ``before`` is called before each round of its side."""
    if rounds < LEAST_ROUNDS:
        raise ValueError(f"{rounds} rounds say too little: at least {LEAST_ROUNDS}")
    sides = [
        _loop(side, dict(names or {}), prepare)
        for side, prepare in zip((ours, theirs, "None"), (*(before or (int, int)), int), strict=True)
    ]
    with _undisturbed():
        counts = [_calls(side, seconds, clock) for side in sides]
        took = [_round(sides, counts, nth, clock) for nth in range(rounds)]
    ratios = [ours / theirs for ours, theirs, _ in took]
    low, middle, high = statistics.quantiles(ratios, n=4)
    of_ours, of_theirs, of_none = (statistics.median(side) for side in zip(*took, strict=True))
    return Ratio(of_ours, of_theirs, middle, low, high, of_none, rounds)


def _loop(side: Side, names: dict[str, object], prepare: Callable[[], object]) -> Timed:
    """The function that times a side, over a range; what it takes to prepare is not timed."""
    if not isinstance(side, str):
        names = {"side": side}
        side = "side()"
    tree = ast.parse(side, "<side>", "eval")  # an expression, and no more than one
    side = ast.unparse(_LookedUp(names).visit(tree))
    source = (
        "def timed(loop, clock):\n prepare()\n start = clock()\n"
        f" for _ in loop:\n  {side}\n return clock() - start\n"
    )
    names["prepare"] = prepare
    exec(source, names)
    return names["timed"]  # type: ignore[return-value]


class _LookedUp(ast.NodeTransformer):
    """Takes what a side uses of modules out of them, under names of its own."""

    def __init__(self, names: dict[str, object]):
        self.names = names

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and isinstance(
            module := self.names.get(node.value.id), ModuleType
        ):
            name = f"{node.value.id}_{node.attr}"
            self.names[name] = getattr(module, node.attr)
            return ast.copy_location(ast.Name(name, node.ctx), node)
        return node


def _calls(timed: Timed, seconds: float, clock: Clock) -> int:
    """Calls that fill a round, found by doubling; one, if it takes longer than that. Warms up on the way."""
    wanted = seconds * 1e9
    calls = 1
    while (took := timed(range(calls), clock)) < wanted / 4:
        calls *= 2
    return max(1, int(calls * wanted / took))


def _round(sides: list[Timed], counts: list[int], nth: int, clock: Clock) -> list[float]:
    """Nanoseconds a call of each side; in odd rounds the last side goes first."""
    order = range(len(sides)) if nth % 2 == 0 else reversed(range(len(sides)))
    took = {at: sides[at](range(counts[at]), clock) / counts[at] for at in order}
    return [took[at] for at in range(len(sides))]


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Without the cycle collector, whose runs fall on whichever side is at work."""
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
