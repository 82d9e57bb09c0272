"""Nothing is left behind: 50,000 more exchanges take less than a megabyte of memory."""

import os
import sys

import growth
import pytest
from processes import run


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="SKIPPED: /proc/self/statm is needed to see the growth"
)
@pytest.mark.skipif(
    "DLFERRY_ASAN" in os.environ, reason="SKIPPED: AddressSanitizer keeps what is freed for a while"
)
@pytest.mark.parametrize("batch", growth.batches(16), ids=range(16))
def test_memory_does_not_grow(batch):
    """R2.2 to R2.7: 16 bytes lost each time would fill most of it, and no allocation is smaller."""
    ended = run(growth.__file__, *batch)
    assert (ended.status, ended.complaints) == (0, "")
    lines = [line.split(" ", 1) for line in ended.said.splitlines()]
    assert [name for _, name in lines] == batch
    assert {name: size for size, name in lines if int(size) >= growth.MEGABYTE} == {}
