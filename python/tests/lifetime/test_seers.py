"""What the other tests rely on to see a crash, a leak, a double free or a write does see one."""

import os
import signal
import sys

import pytest
from processes import run, said

# AddressSanitizer sees these things by itself, before they are seen here.
pytestmark = pytest.mark.skipif(
    "DLFERRY_ASAN" in os.environ, reason="SKIPPED: AddressSanitizer sees it first"
)


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="SKIPPED: pages and signals are Linux's here"
)
def test_write_to_a_read_only_page_ends_the_process():
    ended = run("-c", "import ctypes, pages; ctypes.memset(pages.ADDRESS, 0, 1); print('alive')", tells=False)
    assert (ended.status, ended.said) == (-signal.SIGSEGV, "")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="SKIPPED: signals are Linux's here")
def test_second_free_of_a_block_ends_the_process():
    script = "from cstructs import born, delete; one = born(); delete(one); delete(one); print('alive')"
    ended = run("-c", script, tells=False)
    assert (ended.status, ended.said) == (-signal.SIGABRT, "")


def test_second_deletion_is_counted(tmp_path):
    script = """
import dlferry_testing as dt, cstructs
crafted = dt.Crafted(bytes(4), shape=[1])
address = cstructs.taken(crafted.capsule())
cstructs.delete(address)
assert dt.totals() == (1, 0, 0)
cstructs.delete(address)
assert dt.totals() == (1, 0, 1)
crafted.capsule()
left = cstructs.taken(crafted.capsule())
"""
    ledger = tmp_path / "ledger"
    keep = {"DLFERRY_TESTING_KEEP": "1", "DLFERRY_TESTING_LEDGER": str(ledger)}
    ended = run("-c", script, tells=False, **keep)
    assert (ended.status, ended.complaints) == (0, "")
    _, born, live, again = map(int, ledger.read_text().split())
    assert (born, live, again) == (3, 1, 1)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="SKIPPED: /proc/self/statm is needed")
def test_growth_of_few_bytes_is_seen():
    # In a process of its own, which has no free memory left from other tests.
    script = """
import growth
assert growth.grown(lambda: growth.cstructs.libc.malloc(24)) >= growth.MEGABYTE
assert growth.grown(lambda: None) < growth.MEGABYTE
"""
    assert said(script) == ""


def test_reference_too_many_is_seen_as_growth():
    script = """
import ctypes, sys, growth
assert growth.grown(lambda: ctypes.pythonapi.Py_IncRef(ctypes.py_object(bytearray(8)))) >= growth.MEGABYTE
"""
    assert said(script) == ""
