"""Tensors at the end of a process, and across a fork: rules R2.13, R2.14; decision 5.11.

The deleter is the C library's ``puts``, which tells of each call whether or not there is an interpreter.
"""

import os

import pytest
from cstructs import TOLD
from processes import run

PRELUDE = """
import sys
import dlferry
from cstructs import PUTS, born, capsule
tensor = dlferry.from_dlpack(capsule(born(PUTS)))
"""

# What a module leaves behind when it ends, and what `del` would have made of it.
LEFT = {
    "a tensor": "",
    "a tensor and exports that nobody took": """
one, two = tensor.__dlpack__(), tensor.__dlpack__(max_version=(1, 0))
""",
    "an export that nobody took": """
pending = tensor.__dlpack__(max_version=(1, 0))
del tensor
""",
    "an export that NumPy took": """
import numpy
array = numpy.from_dlpack(tensor)
del tensor
""",
    "a buffer": """
view = memoryview(tensor)
del tensor
""",
    "a tensor in sys": """
sys.left = tensor
del tensor
""",
    "a tensor with an owner": """
class Owner:
    def __dlpack__(self, **keywords):
        return tensor.__dlpack__(**keywords)
owner = Owner()
owner.tensor = dlferry.from_dlpack(owner)
""",
    "a function that is called at exit": """
import atexit
atexit.register(lambda: print(memoryview(tensor).tolist()[:0], file=sys.stderr, end=""))
""",
    "sys.exit": """
sys.exit(0)
""",
}


@pytest.mark.parametrize("left", LEFT)
def test_process_ends_well_and_deletes_once(left):
    """R2.14: with whatever module globals are left when the interpreter goes."""
    ended = run("-W", "error", "-c", PRELUDE + LEFT[left])
    complaints = ended.complaints.replace("[]", "")
    assert (ended.status, complaints, ended.said.count(TOLD)) == (0, "", 1)


def test_uncaught_exception_ends_the_process_and_deletes_once():
    """R2.14: the frames of the traceback hold the tensor."""
    ended = run("-c", PRELUDE + "def fails(x):\n    raise KeyError('mine')\nfails(tensor)\n")
    assert (ended.status, ended.said.count(TOLD)) == (1, 1)
    assert ended.complaints.rstrip().endswith("KeyError: 'mine'")


@pytest.mark.parametrize("moment", ["teardown", "finalize", "exit", "exit-thread"])
@pytest.mark.parametrize("export", ["tensor.__dlpack__()", "tensor.__dlpack__(max_version=(1, 0))", "table"])
def test_our_deleter_needs_no_interpreter(moment, export):
    """R2.14, list 10: called after the interpreter is gone, also on a new thread, as a static destructor would."""
    held = "dt.exchange_from(tensor)" if export == "table" else f"dt.consume({export})"
    script = f"import dlferry_testing as dt\nheld = {held}\ndel tensor\ndt.leak_to_exit(held, {moment!r})\n"
    ended = run("-W", "error", "-c", PRELUDE + script)
    assert (ended.status, ended.said.count(TOLD)) == (0, 1)
    assert ended.complaints.strip() == f"dlferry_testing: the deleter returned at {moment}"


@pytest.mark.parametrize("moment", ["teardown", "finalize", "exit", "exit-thread"])
def test_deleter_over_a_python_owner_returns_when_the_interpreter_is_gone(moment):
    """R2.14, N17: the memory is NumPy's, whose own deleter leaks then."""
    script = f"""
import numpy as np, dlferry, dlferry_testing as dt
held = dt.consume(dlferry.from_dlpack(np.arange(3)).__dlpack__())
dt.leak_to_exit(held, {moment!r})
"""
    ended = run("-W", "error", "-c", script)
    assert ended.status == 0
    assert ended.complaints.strip() == f"dlferry_testing: the deleter returned at {moment}"


def test_daemon_thread_that_holds_a_tensor_does_not_hold_the_process():
    """R2.14: it is stopped where it is, and what it holds is leaked."""
    script = """
import threading, time
def work(mine):
    while True:
        dlferry.from_dlpack(mine).__dlpack__(max_version=(1, 0))
threads = [threading.Thread(target=work, args=(tensor,), daemon=True) for _ in range(4)]
for thread in threads:
    thread.start()
time.sleep(0.05)
"""
    ended = run("-c", PRELUDE + script)
    assert ended.status == 0
    assert ended.said.count(TOLD) <= 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("ending", ["sys.exit(0)", "del tensor, taken; os._exit(flushed())"])
def test_tensor_works_on_both_sides_of_a_fork(ending):
    """5.11: each process has the tensor and deletes its own, once."""
    script = f"""
import os
import numpy as np
import cstructs

def flushed():
    cstructs.libc.fflush(None)
    return 0

taken = np.from_dlpack(tensor)
child = os.fork()
assert dlferry.from_dlpack(tensor).tolist() == taken.tolist()
assert memoryview(tensor).shape == (3,)
assert np.from_dlpack(tensor, copy=True).shape == (3,)
if child == 0:
    {ending}
_, status = os.waitpid(child, 0)
assert status == 0
"""
    ended = run("-c", PRELUDE + script)
    assert (ended.status, ended.complaints, ended.said.count(TOLD)) == (0, "", 2)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_child_of_a_fork_copies_on_threads_of_its_own():
    """5.11: nothing that a copy on threads left behind is waited for on the other side."""
    script = """
import os
import dlferry
dlferry.set_num_threads(4)
lent = dlferry.from_buffer(bytearray(16 << 20)).reshape(4096, 4096).T
assert lent.copy().c_contiguous
child = os.fork()
assert lent.copy()[4095].tolist() == [0] * 4096
if child == 0:
    os._exit(0)
_, status = os.waitpid(child, 0)
assert status == 0
print("copied")
"""
    ended = run("-W", "ignore", "-c", script)
    assert (ended.status, ended.complaints, ended.said) == (0, "", "copied\n")


def test_last_tensor_of_a_thread_that_outlives_the_main_one_is_deleted():
    """R2.13, R2.14: the interpreter waits for it, and its tensor is the last object that there is."""
    script = """
import threading, time
def work(box):
    while threading.main_thread().is_alive():
        time.sleep(0.001)
    mine = box.pop()
    assert memoryview(mine).nbytes == 12
box = [tensor]
del tensor
threading.Thread(target=work, args=(box,)).start()
del box
"""
    ended = run("-W", "error", "-c", PRELUDE + script)
    assert (ended.status, ended.complaints, ended.said.count(TOLD)) == (0, "", 1)
