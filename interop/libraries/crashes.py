"""No library: what the tests of the processes run."""

from __future__ import annotations

import os
import time


def answers() -> str:
    return "yes"


answers_again = answers


def aborts() -> str:
    os.abort()


def leaves() -> str:
    os._exit(3)


def raises() -> str:
    raise OSError("no")


def hangs() -> str:
    time.sleep(1000)
    return "never"
