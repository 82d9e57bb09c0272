"""Nothing is left behind: 50,000 more exchanges take less than a megabyte of memory."""

import os
import sys

import growth
import pytest
from processes import run

MEGABYTE = 1 << 20


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="SKIPPED: /proc/self/statm is needed to see the growth"
)
@pytest.mark.skipif(
    "DLFERRY_ASAN" in os.environ, reason="SKIPPED: AddressSanitizer keeps what is freed for a while"
)
@pytest.mark.parametrize("action", growth.ACTIONS)
def test_memory_does_not_grow(action):
    """R2.2 to R2.7: 16 bytes lost each time would fill most of it, and no allocation is smaller."""
    ended = run(growth.__file__, action)
    assert (ended.status, ended.complaints) == (0, "")
    assert int(ended.said) < MEGABYTE
