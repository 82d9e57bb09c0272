"""Public failures in which memory was never given back, or an owner never let go."""

import gc
import mmap
import os
import sys
import weakref

import buffers
import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from craft import deletions, exported, floats, taken

KINDS = {"versioned": {"max_version": (1, 3)}, "unversioned": {}}


@pytest.mark.parametrize("keywords", KINDS.values(), ids=KINDS)
def test_b020_export_that_nobody_takes_lets_go(keywords):
    """R2.4; pytorch/pytorch#9297: 10,000 capsules of 8 MB leave no reference and no block behind."""
    crafted = floats()
    tensor = dlferry.from_dlpack(bytearray_tensor())
    inner = taken(crafted)
    before = sys.getrefcount(tensor)
    for _ in range(10_000):
        capsule = tensor.__dlpack__(**keywords)
        inner.__dlpack__(**keywords)
        del capsule
    assert sys.getrefcount(tensor) == before
    del inner
    assert deletions(crafted) == 1


def bytearray_tensor():
    """Make a writable tensor of 8 MB."""
    return dlferry.from_buffer(bytearray(8 << 20))


def test_b021_tensor_that_dies_deletes_what_it_was_made_of():
    """R2.2; cupy/cupy#1445."""
    crafted = floats()
    tensor = taken(crafted)
    assert deletions(crafted) == 0
    del tensor
    assert deletions(crafted) == 1


def test_b023_copy_on_import_deletes_the_source_at_once():
    """5.4, R5.14; NVIDIA/cudf#5212: and also when the copy cannot be made."""
    crafted = floats()
    copy = taken(crafted, copy=True)
    assert deletions(crafted) == 1
    assert copy.tolist()[1] == [3.0, 4.0, 5.0]
    opaque = floats(device=(2, 0))
    with pytest.raises(BufferError):
        taken(opaque, copy=True)
    assert deletions(opaque) == 1


def test_b024_two_parties_in_a_loop_free_as_often_as_they_allocate():
    """R2.2; NVIDIA/cudf#2400."""
    gc.collect()
    crafted, live = floats(), dt.live()
    for _ in range(200):
        tensor = taken(crafted)
        array = np.from_dlpack(tensor)
        again = dlferry.from_dlpack(array)
        del tensor, array
        assert again.tolist()[0] == [0.0, 1.0, 2.0]
        del again
    gc.collect()
    assert deletions(crafted) == 200
    assert dt.live() == live


@pytest.mark.parametrize("shape", [[0], [0, 3], [3, 0, 2]])
@pytest.mark.parametrize("data", [{"address": 0}, {}], ids=["NULL", "memory"])
@pytest.mark.parametrize("style", ["new", "always_unversioned"])
def test_b026_empty_tensor_is_deleted_like_any_other(shape, data, style):
    """R3.7, R9.4; pytorch/pytorch#117273."""
    crafted = floats(shape=shape, strides=None, **data)
    tensor = taken(crafted, style)
    assert (tensor.shape, tensor.size) == (tuple(shape), 0)
    del tensor
    assert deletions(crafted) == 1


REFUSED = {
    "unversioned and read-only": ({}, BufferError),
    "device": ({"max_version": (1, 3), "dl_device": (2, 0)}, BufferError),
    "stream": ({"stream": 7}, ValueError),
    "version": ({"max_version": "1.3"}, TypeError),
}


@pytest.mark.parametrize("case", REFUSED)
def test_b027_export_that_fails_keeps_nothing(case):
    """R2.4; pytorch/pytorch#171820: 10,000 times, no reference more."""
    keywords, error = REFUSED[case]
    crafted = floats(flags=1)
    tensor = taken(crafted)
    before = sys.getrefcount(tensor)
    for _ in range(10_000):
        with pytest.raises(error):
            tensor.__dlpack__(**keywords)
    assert sys.getrefcount(tensor) == before
    del tensor
    assert deletions(crafted) == 1


def test_b029_each_failing_step_of_an_exchange_import_lets_go():
    """E4, E11; apache/tvm-ffi#424: whatever is wrong with what the table gave."""
    faults = {
        "version": (2, 0),
        "ndim": -1,
        "shape": [-1, 3],
        "strides": [2**62, 2**62],
        "address": 0,
        "lanes": 0,
    }
    for field, value in faults.items():
        crafted = floats(**{field: value})
        kind = dt.exchange_type(crafted)
        with pytest.raises(BufferError):
            dlferry.from_dlpack(kind())
        assert deletions(crafted) == 1, field
    crafted = floats(shape=None, ndim=2)
    with pytest.raises(BufferError):
        dlferry.from_dlpack(dt.exchange_type(crafted)())
    assert deletions(crafted) == 1


@pytest.mark.skipif(
    "DLFERRY_ASAN" in os.environ, reason="SKIPPED: AddressSanitizer keeps what is freed for a while"
)
def test_b030_copies_that_rust_allocates_are_all_given_back():
    """R2.2; apache/tvm-ffi#87: half a gigabyte in turn, none of it kept."""
    resource = pytest.importorskip("resource")
    source = dlferry.from_buffer(bytearray(1 << 20))

    def peak() -> int:
        return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)

    def exchange() -> None:
        held = dt.consume(source.copy().__dlpack__(max_version=(1, 3)))
        assert held.delete()

    for _ in range(16):
        exchange()
    before = peak()
    for _ in range(512):
        exchange()
    assert peak() - before < 64 << 10  # kilobytes


@pytest.mark.parametrize("versioned", [True, False])
def test_b032_capsule_of_either_kind_is_deleted_by_its_own_struct(versioned):
    """R2.4; Genesis-Embodied-AI/quadrants#598: dropped unused, and dropped by an import that refuses."""
    crafted = floats()
    tensor = taken(crafted)
    tensor.__dlpack__(max_version=(1, 0) if versioned else None)
    assert deletions(crafted) == 0
    del tensor
    assert deletions(crafted) == 1
    malformed = floats(ndim=-1)
    with pytest.raises(BufferError):
        dlferry.from_dlpack(malformed.capsule(versioned))
    assert deletions(malformed) == 1


def test_b033_taken_capsule_keeps_its_used_name():
    """R2.5; iree-org/iree#20849: and the source is freed when the tensor dies, not the capsule."""
    crafted = floats()
    capsule = crafted.capsule()
    tensor = dlferry.from_dlpack(capsule)
    view = tensor[1]
    del tensor
    assert dt.capsule_name(capsule) == "used_dltensor_versioned"
    assert deletions(crafted) == 0
    del view
    assert deletions(crafted) == 1
    assert dt.capsule_name(capsule) == "used_dltensor_versioned"


def test_b036_owner_that_refers_back_to_its_tensor_is_collected():
    """Decision on Tensor.owner; wjakob/nanobind#930: the cycle is seen by the garbage collector."""

    class Wrapper:
        def __init__(self) -> None:
            self.numbers = np.arange(3.0)
            self.view = dlferry.from_dlpack(self)

        def __dlpack__(self, **keywords: object) -> object:
            return self.numbers.__dlpack__(**keywords)

    wrapper = Wrapper()
    alive = weakref.ref(wrapper)
    del wrapper
    gc.collect()
    assert alive() is None


def test_b186_memory_map_can_be_closed_when_its_tensor_is_gone():
    """Section 3; capnproto/pycapnp#280: and not before; nothing waits for a garbage collection."""
    gc.disable()
    try:
        lent = mmap.mmap(-1, mmap.PAGESIZE)
        tensor = dlferry.from_buffer(lent)
        part = tensor[:8]
        del tensor
        with pytest.raises(BufferError):
            lent.close()
        del part
        lent.close()
        assert lent.closed
        view = memoryview(bytearray(8))
        tensor = dlferry.from_buffer(view)
        with pytest.raises(BufferError):
            view.release()
        del tensor
        view.release()
    finally:
        gc.enable()


def test_b187_buffer_request_that_fails_keeps_nothing():
    """5.12; numpy/numpy#4197: of a tensor, and of an object that lends what cannot be taken."""
    crafted = floats(shape=[3], strides=[2])
    tensor = taken(crafted)
    lent = bytearray(16)
    odd = memoryview(lent).cast("P")
    before = sys.getrefcount(tensor), sys.getrefcount(odd)
    for _ in range(1000):
        with pytest.raises(BufferError), buffers.requested(tensor, buffers.SIMPLE):
            pass
        with pytest.raises(BufferError):
            dlferry.from_buffer(odd)
    assert (sys.getrefcount(tensor), sys.getrefcount(odd)) == before
    odd.release()
    lent.append(1)
    assert exported(tensor)["shape"] == [3]
    del tensor
    assert deletions(crafted) == 1
