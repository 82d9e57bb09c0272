"""Public failures of deleters on the wrong thread, without the interpreter, or at its end."""

import sys

import dlferry
import dlferry_testing as dt
import pytest
from craft import deletions, floats, taken
from processes import run, said


def test_b161_deleter_attaches_itself_and_survives_the_exit():
    """R2.13, 5.11; numpy/numpy#22507: detached, on a thread that Python never saw, and when Python is gone."""
    assert (
        said("""
import sys
import dlferry, dlferry_testing as dt
lent = bytearray(8)
before = sys.getrefcount(lent)
for way in ("delete", "delete_detached", "delete_on_thread"):
    held = dt.consume(dlferry.from_buffer(lent).__dlpack__(max_version=(1, 3)))
    assert getattr(held, way)()
    assert sys.getrefcount(lent) == before, way
print("freed")
""")
        == "freed"
    )
    for when in ("teardown", "finalize", "exit", "exit-thread"):
        ended = run(
            "-c",
            f"""
import dlferry, dlferry_testing as dt
held = dt.consume(dlferry.from_buffer(bytearray(8)).__dlpack__(max_version=(1, 3)))
dt.leak_to_exit(held, {when!r})
""",
        )
        assert ended.status == 0, (when, ended.complaints)
        assert "Fatal" not in ended.complaints


@pytest.mark.torch
def test_b162_pytorch_frees_our_memory_without_the_interpreter():
    """R2.13, T8; pytorch/pytorch#88082: from a thread of its own, which holds the last reference."""
    torch = pytest.importorskip("torch", exc_type=ImportError)
    crafted = floats()
    theirs = torch.from_dlpack(taken(crafted))
    assert deletions(crafted) == 0
    held = dt.consume(dlferry.from_dlpack(theirs).__dlpack__(max_version=(1, 3)))
    del theirs
    assert held.delete_on_thread()
    assert deletions(crafted) == 1


@pytest.mark.parametrize("way", ["delete_detached", "delete_on_thread", "delete_with_exception_pending"])
def test_b167_chain_of_owners_is_freed_off_the_interpreter(way):
    """R2.13, 5.11; CVCUDA/CV-CUDA#298: a Python buffer, behind a tensor, behind an export of an export."""
    lent = bytearray(16)
    before = sys.getrefcount(lent)
    inner = dlferry.from_dlpack(dlferry.from_buffer(lent).__dlpack__(max_version=(1, 3)))
    outer = dlferry.from_dlpack(inner.__dlpack__(max_version=(1, 3)))
    held = dt.consume(outer[8:].__dlpack__(max_version=(1, 3)))
    del inner, outer
    with pytest.raises(BufferError):
        lent.clear()
    assert getattr(held, way)()
    assert sys.getrefcount(lent) == before
    lent.clear()


def test_b170_python_owner_is_let_go_from_a_detached_region():
    """R2.13, 5.11; PyO3/pyo3#913: the count changes, once, and on this thread."""

    class Owner:
        pass

    owner = Owner()
    before = sys.getrefcount(owner)
    memory = bytearray(8)
    address = dlferry.from_buffer(memory).data_ptr
    for keywords in ({"max_version": (1, 3)}, {}):
        tensor = dlferry.from_address(address, (8,), "uint8", owner=owner, readonly=False)
        held = dt.consume(tensor.__dlpack__(**keywords))
        del tensor
        assert sys.getrefcount(owner) > before
        held.delete_detached()
        assert sys.getrefcount(owner) == before


def test_b171_threads_that_free_while_the_process_ends_do_not_hold_it_up():
    """R2.14, 5.11; python/cpython#105805: twenty exits in the midst of it."""
    script = """
import threading, time
import dlferry, dlferry_testing as dt
def free():
    while True:
        held = dt.consume(dlferry.from_buffer(bytearray(64)).__dlpack__(max_version=(1, 3)))
        held.delete_on_thread()
for _ in range(3):
    threading.Thread(target=free, daemon=True).start()
time.sleep(0.05)
"""
    for _ in range(20):
        ended = run("-c", script)
        assert (ended.status, ended.complaints) == (0, "")
