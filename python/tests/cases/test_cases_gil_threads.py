"""Public failures of deleters on the wrong thread, without the interpreter, or at its end."""

import sys

import dlferry
import dlferry_results as results
import dlferry_testing as dt
import numpy as np
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


WAITING = """
import threading
import dlferry, dlferry_results as results, dlferry_testing as dt, numpy as np

def drop(): box.clear()
def export(): return box.pop().__dlpack__(max_version=(1, 3))

box = [results.waiting({wait!r})]
"""

# Who lets go of an owner whose destructor waits for a lock, or a thread, that waits for the interpreter.
LAST = {
    "the tensor": "results.while_locked(drop)",
    "a view": "box[0] = box[0][1:]; results.while_locked(drop)",
    "a capsule": "box = [export()]; results.while_locked(drop)",
    "NumPy": "box[0] = np.from_dlpack(box[0])[1:]; results.while_locked(drop)",
    "a buffer": "box[0] = memoryview(box[0]); results.while_locked(drop)",
    "a deleter, attached": "held = dt.consume(export()); results.while_locked(held.delete)",
    "a deleter, detached": "held = dt.consume(export()); results.while_locked(held.delete_detached)",
    "a deleter on a thread": "held = dt.consume(export()); results.while_locked(held.delete_on_thread)",
    "a deleter with an exception": "held = dt.consume(export());"
    " assert results.while_locked(held.delete_with_exception_pending)",
    "another thread": "thread = threading.Thread(target=drop);"
    " results.while_locked(lambda: (thread.start(), thread.join()))",
    "the garbage collector": "import gc; box.append(box); del box; results.while_locked(gc.collect)",
}


@pytest.mark.parametrize("last", LAST)
@pytest.mark.parametrize("wait", ["lock", "thread", "python"])
def test_b164_destructor_that_waits_for_the_interpreter_gets_there(wait, last):
    """5.11, R2.13; llvm/llvm-project#124832: owners of Rust are dropped detached, whoever calls the deleter."""
    assert said(WAITING.format(wait=wait) + LAST[last] + "\nprint(results.ended())") == "1"


def test_b164_python_owner_is_released_behind_a_lock_of_its_own():
    """5.11; the same failure: our deleter waits for the interpreter, and a lock of Python's is let go of meanwhile.

    Without a global lock an object ends on the thread that made it, as long as there is one, whoever lets go of it.
    Here that thread would have the lock; so one makes it that is over by then, and it ends where it is let go of.
    """
    assert (
        said("""
import threading
import dlferry, dlferry_testing as dt, numpy as np
lock, ended = threading.Lock(), []
class Owner:
    def __init__(self): self.array = np.arange(3.0)
    def __dlpack__(self, **keywords): return self.array.__dlpack__(**keywords)
    def __del__(self):
        with lock:
            ended.append(threading.get_ident())
def make():
    owner = Owner()
    tensor = dlferry.from_address(owner.array.ctypes.data, (3,), "float64", owner=owner)
    made.append(dt.consume(tensor.__dlpack__(max_version=(1, 3))))
made = []
for way in ("delete", "delete_detached", "delete_on_thread", "delete_in_own_state"):
    maker = threading.Thread(target=make)
    maker.start()
    maker.join()
    held = made.pop()
    lock.acquire()
    thread = threading.Thread(target=getattr(held, way))
    thread.start()
    thread.join(0.05)
    assert thread.is_alive() and not ended
    lock.release()
    thread.join()
    assert len(ended) == 1 and ended[0] != threading.get_ident()
    ended.clear()
print("released")
""")
        == "released"
    )


@pytest.mark.parametrize("owner", ["lock", "thread", "python"])
@pytest.mark.parametrize("when", ["teardown", "finalize", "exit", "exit-thread"])
def test_b164_waiting_destructor_does_not_hold_up_the_exit(owner, when):
    """5.11, R2.14; the same failure: when there is no interpreter to wait for, and while threads still free."""
    ended = run(
        "-c",
        f"""
import dlferry_testing as dt, dlferry_results as results
held = dt.consume(results.waiting({owner!r}).__dlpack__(max_version=(1, 3)))
dt.leak_to_exit(held, {when!r})
""",
    )
    assert (ended.status, ended.complaints.strip()) == (0, f"dlferry_testing: the deleter returned at {when}")
    script = f"""
import threading, time
import dlferry, dlferry_results as results
def free():
    while True:
        results.waiting({owner!r})
for _ in range(3):
    threading.Thread(target=free, daemon=True).start()
time.sleep(0.05)
"""
    if when == "exit":
        for _ in range(10):
            ended = run("-c", script)
            assert (ended.status, ended.complaints) == (0, "")


def test_b165_thread_with_a_state_of_its_own_frees():
    """5.11; pytorch/pytorch#29065: as a program that embeds Python has them; no two ways to attach mixed."""
    assert (
        said("""
import sys
import dlferry, dlferry_results as results, dlferry_testing as dt, numpy as np
array, lent = np.arange(3.0), bytearray(8)
class Wrapped:
    def __dlpack__(self, **keywords): return array.__dlpack__(**keywords)
wrapped = Wrapped()
counted = (array, lent, wrapped)
before = [sys.getrefcount(one) for one in counted]
makes = [
    lambda: dlferry.from_dlpack(array),
    lambda: dlferry.from_dlpack(wrapped),
    lambda: dlferry.from_buffer(lent),
    lambda: dlferry.from_address(array.ctypes.data, (3,), "float64", owner=array),
    lambda: results.waiting("python"),
    lambda: results.waiting("thread"),
]
for make in makes:
    for keywords in ({"max_version": (1, 3)}, {}):
        tensor = make()
        if tensor.readonly:
            keywords = {"max_version": (1, 0)}
        held = dt.consume(tensor.__dlpack__(**keywords))
        del tensor
        assert held.delete_in_own_state()
    assert [sys.getrefcount(one) for one in counted] == before
print(results.ended())
""")
        == "4"
    )


def test_b168_array_is_dropped_while_the_function_is_detached():
    """5.11, R2.13; wjakob/nanobind#377: an import that a Rust function drops between letting go and coming back."""
    array, lent = np.arange(6.0), bytearray(b"\0" * 8)

    class Wrapped:
        def __dlpack__(self, **keywords: object) -> object:
            return array.__dlpack__(**keywords)

    crafted = floats()
    sources = [array, array[::2], lent, Wrapped(), dt.Producer(crafted), dlferry.from_dlpack(array)]
    counted = [array, lent, *sources]
    before = [sys.getrefcount(one) for one in counted]
    for _ in range(100):
        for index in range(len(sources)):
            results.drop_detached(dlferry.from_buffer(lent) if sources[index] is lent else sources[index])
    assert [sys.getrefcount(one) for one in counted] == before
    assert deletions(crafted) == 100
    lent.clear()


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
