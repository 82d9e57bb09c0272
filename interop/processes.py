"""Running cells in processes of their own: a crash is the outcome of a cell and not the end of the run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

Cell = tuple[str, ...]

CHILD = Path(__file__).with_name("child.py")
SECONDS = 240


def run(cells: Sequence[Cell], environment: dict[str, str] | None = None) -> dict[Cell, str]:
    """Run the cells one after the other; where one crashes or hangs, go on behind it in a new process."""
    outcomes: dict[Cell, str] = {}
    waiting = list(cells)
    while waiting:
        begun, fate, complaints = _process(waiting, outcomes, environment or {})
        waiting = [cell for cell in waiting if cell not in outcomes]
        if not waiting:
            break
        if begun is None:
            raise RuntimeError(f"the process of the cells {fate} before the first of them:\n{complaints}")
        outcomes[begun] = fate
        waiting.remove(begun)
    return outcomes


def _process(
    cells: list[Cell], outcomes: dict[Cell, str], environment: dict[str, str]
) -> tuple[Cell | None, str, str]:
    """Run one process and note what it reports; tell the cell that it died in, and how."""
    process = subprocess.Popen(
        [sys.executable, str(CHILD)],
        env={**os.environ, **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    hangs = False
    try:
        said, complaints = process.communicate(json.dumps(cells), timeout=SECONDS)
    except subprocess.TimeoutExpired:
        hangs = True
        process.kill()
        said, complaints = process.communicate()
    begun = None
    for line in said.splitlines():
        report = json.loads(line)
        if "begins" in report:
            begun = tuple(report["begins"])
        else:
            outcomes[tuple(report["ends"])] = report["outcome"]
            begun = None
    return begun, "hangs" if hangs else fate_of(process.returncode), complaints[-4000:]


def fate_of(status: int) -> str:
    """Name the end of a process: `crash SIGABRT`, `exit 1`."""
    return f"crash {signal.Signals(-status).name}" if status < 0 else f"exit {status}"
