"""Read-only memory is never written: tried on pages where a write ends the process. Rules R6.1 to R6.5."""

import sys

import pages
import pytest
from processes import run

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"),
    reason="SKIPPED: maps that cannot be written are made here as on Linux",
)


@pytest.mark.parametrize("way", pages.WAYS)
def test_no_way_to_write_gets_through(way):
    """5.1: whichever way the memory came in, each is refused, or writes into a copy of its own."""
    ended = run(pages.__file__, way)
    assert (ended.status, ended.complaints) == (0, "")
    refused, elsewhere = map(int, ended.said.split())
    assert refused + elsewhere == len(pages.ATTEMPTS)
    assert elsewhere <= 4
