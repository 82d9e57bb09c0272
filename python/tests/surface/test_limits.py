"""The limits that the README states: how many axes, how large an extent, how many elements."""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Iterator
from typing import Any

import buffers
import dlferry
import dlferry_testing as dt
import numpy as np
import pytest

MOST = 2**63 - 1


def crafted(shape: list[int], strides: list[int], **fields: Any) -> dt.Crafted:
    return dt.Crafted(bytes(8), shape=shape, strides=strides, code=1, bits=8, **fields)


def tensor(shape: list[int], strides: list[int], **fields: Any) -> dlferry.Tensor:
    return dlferry.from_dlpack(crafted(shape, strides, **fields).capsule())


@pytest.mark.parametrize("ndim", [0, 1, 32, 33, 64, 65, 1000])
def test_any_number_of_axes_goes_through_dlpack(ndim: int) -> None:
    """R3.20: in and out, by capsules of both kinds and by the exchange table; an array interface has them too."""
    first = tensor([1] * ndim, [1] * ndim)
    shape = (1,) * ndim
    assert first.shape == shape
    writable = dlferry.from_dlpack(crafted([1] * ndim, [1] * ndim).capsule(False), writable=True)
    assert dlferry.from_dlpack(writable.__dlpack__()).shape == shape
    assert dlferry.from_dlpack(first.__dlpack__(max_version=(1, 0))).shape == shape
    held = dt.exchange_from(first)
    assert held.inspect()["ndim"] == ndim
    held.delete()
    assert first.__array_interface__["shape"] == shape
    assert first.copy().shape == first[...].shape == shape
    assert first.reshape(1).tolist() == [0]


def buffered(x: dlferry.Tensor) -> None:
    """Ask for a buffer as C does."""
    with buffers.requested(x, buffers.FULL_RO):
        pass


@pytest.mark.parametrize("ndim", [65, 1000])
def test_more_axes_than_a_way_can_carry_are_refused_there(ndim: int) -> None:
    """5.10: 64 in a `memoryview` and in NumPy; the tensor stays what it was."""
    first = tensor([1] * ndim, [1] * ndim)
    for ours in (memoryview, dlferry.Tensor.numpy, dlferry.numpy.from_dlpack, buffered):
        with pytest.raises(BufferError, match=f"{ndim} axes"):
            ours(first)
    for theirs in (np.asarray, np.from_dlpack):
        with pytest.raises((BufferError, ValueError, RuntimeError)):
            theirs(first)
    assert first.ndim == ndim
    assert memoryview(first.reshape(1)).tolist() == [0]


@pytest.mark.parametrize("shape", [[MOST], [MOST, 1, 1], [2**31, 2**31], [3, 0, MOST], [MOST, MOST, 0]])
def test_extents_go_up_to_the_largest_int64(shape: list[int]) -> None:
    """R3.18: of one byte that repeats, or of nothing."""
    repeated = tensor(shape, [0] * len(shape))
    assert repeated.shape == tuple(shape)
    assert dlferry.from_dlpack(repeated.__dlpack__(max_version=(1, 0))).shape == tuple(shape)
    if 0 not in shape:
        assert repeated[(-1,) * len(shape)].item() == 0
        assert dlferry.from_buffer(bytes(1)).broadcast_to(tuple(shape)).size == repeated.size


@pytest.mark.parametrize(
    ("shape", "bits"),
    [
        ([MOST, 2], 8),
        ([2**32, 2**31], 8),
        ([2**21, 2**21, 2**21], 8),
        ([-1], 8),
        ([-(2**63)], 8),
        ([-1, 0], 8),
    ],
)
def test_more_than_can_be_counted_is_refused(shape: list[int], bits: int) -> None:
    """R3.18, R3.20: the elements, in 63 bits."""
    wrong = dt.Crafted(bytes(8), shape=shape, strides=[0] * len(shape), code=1, bits=bits)
    with pytest.raises(BufferError):
        dlferry.from_dlpack(wrong.capsule())


@pytest.mark.parametrize(("extent", "bits"), [(MOST, 16), (2**62, 64), (2**60, 64), (MOST, 128)])
def test_more_bytes_than_can_be_counted_are_refused_where_bytes_are_needed(extent: int, bits: int) -> None:
    """R3.18: DLPack carries them, for no more than one element of memory is there."""
    code = 5 if bits == 128 else 1
    large = dlferry.from_dlpack(
        dt.Crafted(bytes(16), shape=[extent], strides=[0], code=code, bits=bits).capsule()
    )
    assert (large.size, large[-1].item()) == (extent, 0)
    assert dlferry.from_dlpack(large.__dlpack__(max_version=(1, 0))).size == extent
    for way in (memoryview, dlferry.Tensor.numpy, buffered):
        with pytest.raises(BufferError, match="bytes"):
            way(large)
    for way in (dlferry.Tensor.copy, dlferry.Tensor.tobytes):
        with pytest.raises(MemoryError):
            way(large)


@pytest.fixture(scope="module", params=[2**31 + 8, 2**32 + 8])
def sparse(request: pytest.FixtureRequest) -> Iterator[tuple[int, mmap.mmap]]:
    """As many float32, of which the file system keeps a page or two."""
    count: int = request.param
    with tempfile.TemporaryFile() as file:
        try:
            file.truncate(4 * count)
            mapped = mmap.mmap(file.fileno(), 4 * count)
        except (OSError, ValueError, OverflowError) as error:
            pytest.skip(f"SKIPPED: no room for a sparse file of {4 * count} bytes: {error}")
        mapped[-4:] = np.float32(77).tobytes()
        yield count, mapped
        # Whoever still looks at it keeps the map; it is not closed here.


def ways(mapped: mmap.mmap) -> dict[str, Any]:
    array = np.frombuffer(mapped, np.float32)
    first = dlferry.from_dlpack(array)
    return {
        "array": first,
        "buffer": dlferry.from_buffer(memoryview(mapped).cast("f")),
        "capsule": dlferry.from_dlpack(first.__dlpack__(max_version=(1, 0))),
        "unversioned": dlferry.from_dlpack(first.__dlpack__(), writable=True),
        "interface": dlferry.asarray(type("I", (), {"__array_interface__": first.__array_interface__})()),
        "NumPy": dlferry.from_dlpack(np.from_dlpack(first)),
        "address": dlferry.from_address(
            first.data_ptr, (array.size,), "float32", owner=mapped, readonly=False
        ),
    }


def test_more_than_32_bits_of_elements_are_exchanged(sparse: tuple[int, mmap.mmap]) -> None:
    """R3.18: the last one is found by each way in and each way out, and written."""
    count, mapped = sparse
    views = pytest.importorskip("dlferry_views")
    for name, large in ways(mapped).items():
        assert (large.shape, large.nbytes) == ((count,), 4 * count), name
        assert large[-1].item() == large[count - 1].item() == large[::-1][0].item() == 77.0, name
        assert memoryview(large)[count - 1] == np.asarray(large)[-1] == large.numpy()[-1] == 77.0, name
        assert views.see_at(large, [count - 1]) == 77.0, name
        assert large[:: count - 1].tolist() == [0.0, 77.0], name
        assert large[:: count - 1].copy().tolist() == [0.0, 77.0], name
        held = dt.exchange_from(large)
        assert held.inspect()["shape"] == [count], name
        held.delete()
        dlferry.copyto(large[-2:-1], np.ones(1, np.float32))
        assert np.frombuffer(mapped[-8:], np.float32).tolist() == [1.0, 77.0], name
        dlferry.copyto(large[-2:-1], np.zeros(1, np.float32))
    rows = large.reshape(8, count // 8)
    assert rows[7, -1].item() == rows.T[-1, 7].item() == 77.0
    assert rows.broadcast_to((2, 8, count // 8))[1, 7, -1].item() == 77.0


@pytest.mark.parametrize("library", ["tvm_ffi", pytest.param("torch", marks=pytest.mark.torch)])
def test_others_take_and_give_more_than_32_bits_of_elements(
    sparse: tuple[int, mmap.mmap], library: str
) -> None:
    """R3.18: and what comes back is the same memory."""
    module = pytest.importorskip(library, exc_type=ImportError)
    count, mapped = sparse
    large = dlferry.from_buffer(memoryview(mapped).cast("f"))
    back = dlferry.from_dlpack(module.from_dlpack(large))
    assert (back.data_ptr, back.shape, back[-1].item()) == (large.data_ptr, (count,), 77.0)
