"""Public failures around capsules: who takes them, how often, and who deletes."""

import re
import struct
from pathlib import Path

import dlferry
import dlferry_testing as dt
import pytest
from craft import deletions, floats


@pytest.mark.parametrize("versioned", [True, False])
def test_b001_second_import_of_a_capsule_is_refused(versioned):
    """R2.9; cupy/cupy#3611: the first import stays what it was, and there is one deletion."""
    crafted = dt.Crafted(struct.pack("=200d", *range(200)), shape=[100, 2], strides=[2, 1], bits=64)
    capsule = crafted.capsule(versioned)
    tensor = dlferry.from_dlpack(capsule)
    with pytest.raises(BufferError, match="consumed before"):
        dlferry.from_dlpack(capsule)
    with pytest.raises(BufferError, match="consumed before"):
        dlferry.asarray(capsule)
    assert tensor.tolist()[99] == [198.0, 199.0]
    del tensor, capsule
    assert deletions(crafted) == 1


@pytest.mark.parametrize("versioned", [True, False])
@pytest.mark.parametrize("clear", [True, False])
def test_b005_renaming_alone_marks_a_capsule_as_taken(versioned, clear):
    """R2.4, R2.5, R2.8; dmlc/dlpack#51: the same on both sides, with the destructor left in place or cleared."""
    crafted = floats()
    capsule = crafted.capsule(versioned)
    tensor = dlferry.from_dlpack(capsule)
    assert dt.capsule_name(capsule) == ("used_dltensor_versioned" if versioned else "used_dltensor")
    del capsule
    assert deletions(crafted) == 0
    ours = dlferry.from_dlpack(tensor, copy=True).__dlpack__(max_version=(1, 0) if versioned else None)
    held = dt.consume(ours, clear_destructor=clear)
    del ours
    assert held.read_bytes(24) == crafted.read()
    assert held.delete()
    del tensor
    assert deletions(crafted) == 1


@pytest.mark.parametrize("versioned", [True, False])
def test_b038_null_deleter_is_not_called(versioned):
    """R2.3, R2.10; pytorch/pytorch#43166: and what is exported again has one."""
    tensor = dlferry.from_dlpack(floats(null_deleter=True).capsule(versioned), writable=True)
    held = dt.consume(tensor.__dlpack__())
    del tensor
    assert held.read_bytes(4) == bytes(4)
    assert held.delete()


def test_b039_method_without_keywords_may_give_a_null_deleter():
    """R2.10, R4.10; NVIDIA/cuda-python#2427: neither is missed."""
    producer = dt.Producer(floats(null_deleter=True), style="no_keywords")
    tensor = dlferry.from_dlpack(producer)
    assert tensor.tolist()[1] == [3.0, 4.0, 5.0]
    assert producer.calls[-1] == {}
    del tensor


def test_b173_counting_deleters_are_not_written_in_python():
    """R2.15, R2.17; mpi4py/mpi4py#612: ours are native, and so count right with an exception pending."""
    for versioned in (True, False):
        crafted = floats()
        assert dt.drop_with_exception_pending(lambda c=crafted, v=versioned: c.capsule(v))
        assert deletions(crafted) == 1
        held = dt.consume(crafted.capsule(versioned))
        assert held.delete_with_exception_pending()
        assert [call["pending"] for call in crafted.deleter_calls] == [True, True]
    # Neither a capsule's destructor nor a deleter is made of a Python function anywhere in the tests.
    callback = re.compile(
        r"@(?:ctypes\.)?(?:CFUNCTYPE|PYFUNCTYPE)|\b(?:DELETER|DESTRUCTOR)\((?:lambda|[a-z_]+\))"
    )
    tests = Path(__file__).parents[1]
    assert [path for path in tests.rglob("*.py") if callback.search(path.read_text())] == []
