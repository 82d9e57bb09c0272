"""Public failures of time: element by element, or in proportion to what is only passed on."""

import mmap
import time
from pathlib import Path

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from craft import floats, taken

BENCH = Path(__file__).parents[3] / "bench"
SECONDS = 0.5  # Element by element it takes several; at once, a millisecond.


def timed(action) -> float:
    """Return the shortest of three durations."""

    def once() -> float:
        start = time.perf_counter()
        action()
        return time.perf_counter() - start

    return min(once() for _ in range(3))


def test_b193_constructors_of_arrays_take_the_memory_at_once():
    """Section 3; pytorch/pytorch#120614: a million elements, and no `__getitem__` for each."""
    tensor = dlferry.from_dlpack(np.arange(1_000_000, dtype=np.float32))
    for make in (np.array, np.asarray, memoryview, bytes, bytearray, lambda x: np.asarray(x, copy=False)):
        assert timed(lambda make=make: make(tensor)) < SECONDS, make
    assert np.asarray(tensor).ctypes.data == tensor.data_ptr


@pytest.mark.torch
def test_b194_constructors_of_pytorch_take_the_memory_at_once():
    """Section 3; pytorch/pytorch#28761: also what knows no DLPack."""
    torch = pytest.importorskip("torch", exc_type=ImportError)
    tensor = dlferry.from_dlpack(np.arange(1_000_000, dtype=np.float32))
    for make in (torch.tensor, torch.as_tensor, torch.asarray):
        assert timed(lambda make=make: make(tensor)) < SECONDS, make
        assert make(tensor)[-1] == 999_999


@pytest.mark.skipif(not BENCH.is_dir(), reason="SKIPPED: the benchmarks are not there")
def test_b196_exchange_is_measured_and_takes_the_short_way(monkeypatch):
    """Section 7; dmlc/dlpack#175: both ways with NumPy, and the exchange table; the rows are kept."""
    monkeypatch.syspath_prepend(str(BENCH))
    rows = pytest.importorskip("rows")
    library = rows.library
    monkeypatch.setattr(rows, "library", lambda name: None if name == "torch" else library(name))
    titles = [str(row) for row in rows.rows()]
    for row in ("dlferry.from_dlpack(array)", "numpy.from_dlpack(tensor)"):
        assert [title for title in titles if title.startswith(row)], row
    if rows.library("tvm_ffi"):
        assert [title for title in titles if "our table" in title]
    # No method of the producer's is called where there is a table or a structure to read.
    producer = dt.exchange_type(floats())
    tensor = dlferry.from_dlpack(producer())
    assert tensor.source == "exchange"
    assert dlferry.from_dlpack(np.zeros(3)).source == "numpy"
    assert dt.exchange_from(tensor).delete()


def test_b197_export_takes_no_longer_for_more_memory():
    """R2.7; tensorflow/tensorflow#88731: a gigabyte that is nowhere yet stays nowhere."""
    resource = pytest.importorskip("resource")

    def faults() -> int:
        return int(resource.getrusage(resource.RUSAGE_SELF).ru_minflt)

    large = dlferry.from_buffer(mmap.mmap(-1, 1 << 30))
    small = taken(dt.Crafted(bytes(1024), shape=[1024], strides=[1], code=1, bits=8))
    before = faults()
    for _ in range(100):
        large.__dlpack__(max_version=(1, 3))
        dlferry.from_dlpack(large)
        memoryview(large)
    assert faults() - before < 500
    few, many = (timed(lambda t=t: [t.__dlpack__() for _ in range(1000)]) for t in (small, large))
    assert many < 20 * few
