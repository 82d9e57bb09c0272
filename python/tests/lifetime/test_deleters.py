"""Each deleter runs once, whoever lets go of the tensor: rules R2.2 to R2.8, R2.12 to R2.17; decision 5.11."""

import pytest
from processes import said

PRELUDE = """
import gc, threading
import dlferry, dlferry_testing as dt, numpy as np

versioned = {"max_version": (1, 0)}
calls = lambda: crafted.deleter_calls
"""

IMPORT = """
crafted = dt.Crafted(bytes(24), shape=[2, 3], strides=[3, 1])
tensor = dlferry.from_dlpack(crafted.capsule({versioned}), writable=True)
"""

TELL = """
print(len(calls()), all(call["original"] for call in calls()), dt.live())
"""

WAYS = {
    "dropped": """
        del tensor
    """,
    "dropped on another thread": """
        box = [tensor]; del tensor
        thread = threading.Thread(target=box.clear); thread.start(); thread.join()
    """,
    "a capsule that nobody took": """
        capsule = tensor.__dlpack__(**versioned)
        del tensor
        assert calls() == []
        del capsule
    """,
    "an unversioned capsule that nobody took": """
        capsule = tensor.__dlpack__()
        del tensor
        assert calls() == []
        del capsule
    """,
    "a capsule that was taken": """
        capsule = tensor.__dlpack__(**versioned)
        held = dt.consume(capsule)
        del tensor, capsule
        assert calls() == []
        held.delete()
    """,
    "a capsule that was renamed to a name of its taker's": """
        capsule = tensor.__dlpack__()
        held = dt.consume(capsule, name="mine_now")
        del tensor, capsule
        assert calls() == []
        held.delete()
    """,
    "a capsule whose destructor was cleared": """
        capsule = tensor.__dlpack__(**versioned)
        held = dt.consume(capsule, clear_destructor=True)
        del tensor, capsule
        held.delete()
    """,
    "a deleter called without the GIL": """
        held = dt.consume(tensor.__dlpack__(**versioned)); del tensor
        held.delete_detached()
    """,
    "a deleter called on a bare thread": """
        held = dt.consume(tensor.__dlpack__()); del tensor
        held.delete_on_thread()
    """,
    "a deleter called with an exception pending": """
        held = dt.consume(tensor.__dlpack__()); del tensor
        assert held.delete_with_exception_pending()
    """,
    "a capsule dropped with an exception pending": """
        box = [tensor]; del tensor
        assert dt.drop_with_exception_pending(lambda: box.pop().__dlpack__(**versioned))
    """,
    "the exchange table": """
        held = dt.exchange_from(tensor); del tensor
        assert calls() == []
        held.delete_on_thread()
    """,
    "an object made by the exchange table": """
        made = dt.exchange_to(dlferry.Tensor, tensor.__dlpack__(**versioned)); del tensor
        assert calls() == []
        del made
    """,
    "a buffer": """
        view = memoryview(tensor); del tensor
        assert calls() == []
        view.release(); del view
    """,
    "NumPy": """
        array = np.from_dlpack(tensor); del tensor
        part = array[1:]; del array
        assert calls() == []
        del part
    """,
    "a second import": """
        second = dlferry.from_dlpack(tensor); del tensor
        third = dlferry.from_dlpack(second.__dlpack__()); del second
        assert calls() == []
        del third
    """,
    "a cycle of two tensors' owners": """
        class Owner:
            def __init__(self, tensor): self.source = tensor
            def __dlpack__(self, **keywords): return self.source.__dlpack__(**keywords)
        owner = Owner(tensor); del tensor
        owner.tensor = dlferry.from_dlpack(owner)
        del owner
        gc.collect()
    """,
    "a refused import": """
        try:
            dlferry.from_dlpack(tensor, device=(2, 0))
        except BufferError:
            pass
        try:
            np.from_dlpack(tensor, device="gpu")
        except ValueError:
            pass
        del tensor
    """,
    "an exception's frames": """
        def fails(tensor):
            raise KeyError(tensor)
        try:
            fails(tensor)
        except KeyError as error:
            kept = error
        del tensor
        assert calls() == []
        del kept
        gc.collect()
    """,
    "many exports, the last on a bare thread": """
        held = [dt.consume(tensor.__dlpack__(**versioned)) for _ in range(100)]; del tensor
        for one in held[:-1]:
            one.delete()
        assert calls() == []
        held[-1].delete_on_thread()
    """,
}


def dedented(script: str) -> str:
    return "\n".join(line[8:] for line in script.splitlines())


@pytest.mark.parametrize("way", WAYS)
def test_deleter_runs_once(way):
    """R2.3, 5.11: not before the last user is gone, and with the pointer that the producer gave out (R2.20)."""
    parts = [PRELUDE]
    for versioned in (True, False):
        parts += [IMPORT.format(versioned=versioned), dedented(WAYS[way]), TELL]
    assert said("".join(parts)) == "1 True 0\n1 True 0"


HOPS = """
import dlferry, dlferry_testing as dt, numpy as np, tvm_ffi
crafted = dt.Crafted(np.arange(6, dtype="f4").tobytes(), shape=[2, 3], strides=[3, 1])
one = dlferry.from_dlpack(dt.Producer(crafted))
two = np.from_dlpack(one)
three = dlferry.from_dlpack(two)
four = tvm_ffi.from_dlpack(three)
assert {one.data_ptr, two.ctypes.data, three.data_ptr, four.data_ptr()} == {crafted.address}
del one, two, three
assert crafted.deleter_calls == []
assert np.from_dlpack(four).tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
del four
print(len(crafted.deleter_calls))
"""


def test_deleter_runs_once_behind_four_hops():
    """R2.3: dlferry, NumPy, dlferry, tvm-ffi; the memory is the first producer's all along."""
    pytest.importorskip("tvm_ffi")
    assert said(HOPS) == "1"


def test_deleter_of_the_first_producer_runs_without_the_gil_when_the_last_user_does():
    """R2.12, R2.13: nothing of ours needs the interpreter, so a bare thread is not made to wait for it."""
    script = """
import dlferry, dlferry_testing as dt
crafted = dt.Crafted(bytes(4), shape=[1], strides=[1])
held = dt.consume(dlferry.from_dlpack(dt.Producer(crafted)).__dlpack__())
held.delete_on_thread()
(call,) = crafted.deleter_calls
print(call["attached"], call["thread"] != dt.thread_id())
"""
    assert said(script) == "False True"


def test_deleter_does_not_see_the_pending_exception():
    """R2.16, R2.17: what runs behind our capsule's destructor sees a clean state."""
    script = """
import dlferry, dlferry_testing as dt
crafted = dt.Crafted(bytes(4), shape=[1], strides=[1])
box = [dlferry.from_dlpack(dt.Producer(crafted))]
print(dt.drop_with_exception_pending(lambda: box.pop().__dlpack__()), crafted.deleter_calls[0]["pending"])
"""
    assert said(script) == "True False"


def test_poisoned_memory_shows_that_nobody_looks_after_the_deleter():
    """R2.2: a deleter that overwrites everything with 0xDD; what was copied before is not touched by it."""
    script = """
import dlferry, dlferry_testing as dt
crafted = dt.Crafted(bytes(8), shape=[2], strides=[1], poison=True)
tensor = dlferry.from_dlpack(dt.Producer(crafted))
copy = dlferry.from_dlpack(tensor, copy=True)
shape, strides, text = tensor.shape, tensor.strides, repr(tensor)
del tensor
assert crafted.read() == b"\\xdd" * 8
print(copy.tolist(), shape, strides)
"""
    assert said(script) == "[0.0, 0.0] (2,) (1,)"
