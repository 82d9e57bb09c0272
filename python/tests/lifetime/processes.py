"""Scripts in a process of their own, which may crash or hang without taking the tests along."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
# The variable that names a file in which `make trust` counts processes: one line for each, with how it ended.
TOLD_IN = "DLFERRY_TESTS_TELL"
# The variable that says what each process runs under, as `make valgrind` does; that takes its time.
UNDER = os.environ.get("DLFERRY_TESTS_UNDER", "").split()
SECONDS = 1800 if UNDER else 120


class Ended(NamedTuple):
    """How a process ended and what it said."""

    status: int
    said: str
    complaints: str


def tell(status: int) -> None:
    """Write down how a process ended, when somebody wants to know."""
    if path := os.environ.get(TOLD_IN):
        with open(path, "a") as file:
            file.write(f"{status}\n")


def run(*arguments: str, tells: bool = True, **environment: str) -> Ended:
    """Run Python with the modules that all tests have; a process that hangs is ended and fails the test."""
    path = os.pathsep.join([str(HERE), str(HERE.parent / "protocol"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [*UNDER, sys.executable, "-X", "faulthandler", *arguments],
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    if tells:
        tell(done.returncode)
    return Ended(done.returncode, done.stdout, done.stderr)


def said(script: str) -> str:
    """Run a script that has to end well and to complain of nothing; return what it printed."""
    ended = run("-W", "error", "-c", script)
    assert (ended.status, ended.complaints) == (0, "")
    return ended.said.strip()
