"""Deleters at the end of the process, each in a process of its own."""

import subprocess
import sys

import pytest

MOMENTS = ["teardown", "finalize", "exit", "exit-thread"]

SCRIPT = """
import sys
import dlferry_testing as dt
moments = sys.argv[1:]
crafted = dt.Crafted(bytes(8), shape=[2], strides=[1])
for moment in moments:
    for versioned in (True, False):
        dt.leak_to_exit(dt.consume(crafted.capsule(versioned)), moment)
"""


def ends(*moments):
    """Run the script; give its exit status and the moments that it told."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *moments], capture_output=True, text=True, timeout=60
    )
    prefix = "dlferry_testing: the deleter returned at "
    return done.returncode, [line.removeprefix(prefix) for line in done.stderr.splitlines()]


@pytest.mark.parametrize("moment", MOMENTS)
def test_deleter_returns_at_the_end(moment):
    assert ends(moment) == (0, [moment, moment])


def test_ends_come_in_their_order():
    status, told = ends("finalize", "exit", "teardown")
    assert status == 0
    assert told == ["teardown"] * 2 + ["finalize"] * 2 + ["exit"] * 2


def test_unknown_moment_is_refused():
    status, told = ends("never")
    assert status == 1
    assert told[-1] == "ValueError: no such moment: 'never'"
