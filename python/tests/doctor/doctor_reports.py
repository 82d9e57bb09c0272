"""Reports made by hand: small, and with what is hardest to show."""

from __future__ import annotations

from typing import Any

from dlferry._doctor import findings, report
from dlferry._doctor.probes import PROBES
from dlferry._doctor.report import Report

HOSTILE = "\x1b[31m<script>alert('1')</script> & | `code` \x00\u202e ]]> \" end"


def probed(outcome: str = "shared", ns: float | None = 98.4, **read_only: str) -> dict[str, dict[str, Any]]:
    """The probes of a pair that all had one outcome."""
    each: dict[str, Any] = {"outcome": outcome, "capsule": "1.3", "refusal": None}
    if outcome not in ("shared", "copied"):
        each["reason"] = HOSTILE
    probes = {name: dict(each) for name in PROBES}
    probes["read-only"] |= read_only or {"read_only": "kept"}
    probes["alignment"] = {"outcome": "none"}
    probes["time"] = {"outcome": "none"} if ns is None else {"outcome": "timed", "ns": ns}
    return probes


def of_pairs(pairs: dict[tuple[str, str], dict[str, dict[str, Any]]]) -> Report:
    """A report of these pairs."""
    cells = [report.cell_of(producer, consumer, probes) for (producer, consumer), probes in pairs.items()]
    names = dict.fromkeys(name for pair in pairs for name in pair)
    return Report(
        dlferry="0.1.0",
        python="3.13.0",
        platform="Linux x86_64",
        date="2026-11-29T12:00:00+00:00",
        libraries=dict.fromkeys(names, "1.2.3"),
        broken={"broken_one": HOSTILE},
        cells=cells,
        findings=findings.of_cells(cells),
    )


def some() -> Report:
    """A report with each outcome, long names and hostile text."""
    names = [
        "dlferry",
        "a_library_with_a_long_name",
        "memoryview",
        HOSTILE,
        "third",
        "fourth",
        "fifth",
        "sixth",
        "seventh",
    ]
    outcomes = [*report.OUTCOMES]
    lost = {"read_only": "lost", "written": "an assignment to its element changed the producer's memory"}
    pairs = {}
    for row, producer in enumerate(names):
        for column, consumer in enumerate(names):
            outcome = sorted(outcomes)[(row + column) % len(outcomes)]
            is_timed = outcome in ("shared", "copied", "converted", "taken")
            time = 10.0 ** (row + 1) if is_timed else None
            pairs[producer, consumer] = probed(
                outcome, time, **(lost if outcome == "shared" and column % 2 else {})
            )
    return of_pairs(pairs)
