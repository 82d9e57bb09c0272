"""How long things take, against what people use for them today: ``make bench``.

Run with dlferry on the path, from a release build. Rows for libraries that are not installed are left out, and said to
be. The exit status is 1 when a promise is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from dataclasses import asdict
from pathlib import Path

from harness import ROUNDS, Ratio, compare
from rows import Row, rows

WIDTH = 62
HEAD = f"{'':{WIDTH}} {'ours ns':>11} {'theirs ns':>11} {'ratio':>6} {'quartiles':>13} {'expected':>8} {'promise':>7}"


def is_missed(row: Row, found: Ratio) -> bool:
    """Whether the promise of a row is broken: by the median, which is what we promise."""
    return found.ratio > row.promise


def line(row: Row, found: Ratio) -> str:
    """One line of the table."""
    quartiles = f"{found.low:.2f} to {found.high:.2f}"
    return (
        f"{row!s:{WIDTH}} {found.ours:11.0f} {found.theirs:11.0f} {found.ratio:6.2f} {quartiles:>13} "
        f"{row.expected:8.2f} {row.promise:7.2f}{'  MISSED' if is_missed(row, found) else ''}"
    )


def record(row: Row, found: Ratio) -> dict[str, object]:
    """One row for the JSON file."""
    promised = {"promise": row.promise, "expected": row.expected, "missed": is_missed(row, found)}
    return {"row": str(row), **asdict(found), **promised}


def machine() -> dict[str, object]:
    """Where it was measured."""
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
    }


def main(arguments: list[str] | None = None) -> int:
    """Measures, prints and writes; the exit status."""
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was found to FILE too")
    parser.add_argument("--only", default="", metavar="TEXT", help="only rows with TEXT in their name")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"rounds a row, {ROUNDS} unless said")
    asked = parser.parse_args(arguments)
    found = []
    print(HEAD)
    for row in rows():
        if asked.only in str(row):
            ratio = compare(row.ours, row.theirs, row.names, before=row.before, rounds=asked.rounds)
            found.append((row, ratio))
            print(line(row, ratio), flush=True)
    if found:
        print(
            f"an empty loop takes {min(ratio.empty for _, ratio in found):.1f} ns a turn, and is in all of these"
        )
    missed = sum(is_missed(row, ratio) for row, ratio in found)
    if missed:
        print(f"{missed} of {len(found)} promises MISSED", file=sys.stderr)
    if asked.json:
        report = {**machine(), "rows": [record(row, ratio) for row, ratio in found]}
        asked.json.write_text(json.dumps(report, indent=1) + "\n")
    return min(missed, 1)


if __name__ == "__main__":
    sys.exit(main())
