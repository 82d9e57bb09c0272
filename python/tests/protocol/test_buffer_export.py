"""The buffer protocol of a tensor: PEP 3118; decisions 5.1, 5.12 and section 3."""

import struct
from typing import Any

import buffers
import dlferry
import dlferry_testing as dt
import pytest
from buffers import (
    ANY_CONTIGUOUS,
    C_CONTIGUOUS,
    CONTIG,
    CONTIG_RO,
    F_CONTIGUOUS,
    FORMAT,
    FULL,
    FULL_RO,
    RECORDS_RO,
    SIMPLE,
    STRIDED,
    STRIDED_RO,
    WRITABLE,
)
from craft import NOWHERE, READ_ONLY, deletions, floats, on_device, taken

FORMATS = {
    (6, 8): "?",
    (0, 8): "b",
    (1, 8): "B",
    (0, 16): "h",
    (1, 16): "H",
    (0, 32): "i",
    (1, 32): "I",
    (0, 64): "lq",
    (1, 64): "LQ",
    (2, 16): "e",
    (2, 32): "f",
    (2, 64): "d",
    (5, 64): "Zf",
    (5, 128): "Zd",
}


@pytest.mark.parametrize("dtype", FORMATS)
def test_format_is_that_of_the_dtype(dtype):
    """Section 3: native order and size; 64-bit integers are C's long where that has 64 bits."""
    code, bits = dtype
    tensor = taken(dt.Crafted(bytes(64), shape=[2, 2], strides=[2, 1], code=code, bits=bits))
    with buffers.requested(tensor, FULL_RO) as view:
        format_ = view.format.decode()
        assert format_ == FORMATS[dtype] or (bits == 64 and format_ in FORMATS[dtype])
        assert (view.itemsize, view.len) == (bits // 8, bits // 2)
        if format_[0] != "Z":
            assert struct.calcsize(format_) == view.itemsize


@pytest.mark.parametrize(
    ("code", "bits", "lanes"),
    [
        (4, 16, 1),
        (10, 8, 1),
        (12, 8, 1),
        (0, 4, 1),
        (17, 4, 1),
        (5, 32, 1),
        (200, 8, 1),
        (2, 32, 2),
        (2, 128, 1),
        (3, 64, 1),
    ],
)
def test_dtype_without_a_format_is_refused(code, bits, lanes):
    """Section 3: BufferError that names the dtype; nothing is read."""
    tensor = taken(floats(code=code, bits=bits, lanes=lanes, address=NOWHERE))
    with pytest.raises(BufferError, match="the buffer protocol has no format for") as caught:
        memoryview(tensor)
    assert str(tensor.dtype) in str(caught.value)


ROWS = ([2, 3], [3, 1])
COLUMNS = ([2, 3], [1, 2])
GAPS = ([3], [2])
BOTH = ([1, 3], [3, 1])
EMPTY = ([0, 3], [-7, 99])
SCALAR: tuple[list[int], list[int]] = ([], [])

# Which layouts a request can be met with; the others are refused.
REQUESTS = {
    "simple": (SIMPLE, [ROWS, BOTH, EMPTY, SCALAR]),
    "format only": (FORMAT, [ROWS, BOTH, EMPTY, SCALAR]),
    "contiguous": (CONTIG_RO, [ROWS, BOTH, EMPTY, SCALAR]),
    "row-major": (C_CONTIGUOUS, [ROWS, BOTH, EMPTY, SCALAR]),
    "column-major": (F_CONTIGUOUS, [COLUMNS, BOTH, EMPTY, SCALAR]),
    "either": (ANY_CONTIGUOUS, [ROWS, COLUMNS, BOTH, EMPTY, SCALAR]),
    "strided": (STRIDED_RO, [ROWS, COLUMNS, GAPS, BOTH, EMPTY, SCALAR]),
    "records": (RECORDS_RO, [ROWS, COLUMNS, GAPS, BOTH, EMPTY, SCALAR]),
    "full": (FULL_RO, [ROWS, COLUMNS, GAPS, BOTH, EMPTY, SCALAR]),
}


def expected_strides(tensor: dlferry.Tensor) -> list[int]:
    """Return the strides in bytes; where they mean nothing, that is an item."""
    empty = tensor.size == 0
    return [
        4 if empty or extent == 1 else 4 * step
        for extent, step in zip(tensor.shape, tensor.strides, strict=True)
    ]


@pytest.mark.parametrize("request_", REQUESTS)
@pytest.mark.parametrize("layout", [ROWS, COLUMNS, GAPS, BOTH, EMPTY, SCALAR], ids=str)
def test_request_is_met_or_refused(request_, layout):
    """PEP 3118: what was not asked for is NULL, and what cannot be ignored is refused."""
    flags, fitting = REQUESTS[request_]
    shape, strides = layout
    crafted = floats(shape=shape, strides=strides)
    tensor = taken(crafted)
    if layout not in fitting:
        with (
            pytest.raises(BufferError, match=r"contiguous buffer in .* order was asked for"),
            buffers.requested(tensor, flags),
        ):
            pass
        return
    with buffers.requested(tensor, flags) as view:
        assert view.obj is tensor
        with_shape, with_strides = flags & buffers.ND, flags & buffers.STRIDES == buffers.STRIDES
        assert view.ndim == (len(shape) if with_shape else 1)
        assert view.len == 4 * tensor.size
        assert view.format == (b"f" if flags & FORMAT else None)
        assert view.axes("shape") == (shape if with_shape else None)
        assert view.axes("strides") == (expected_strides(tensor) if with_strides else None)
        assert not view.suboffsets
        assert view.buf
        assert view.buf == crafted.address or 0 in shape


def test_strides_without_meaning_are_those_of_an_item():
    """R3.8, R3.9: consumers multiply them, and some check them."""
    for shape, strides in ([1, 6], [2**62, 1]), ([0, 6], [-(2**63), 2**62]):
        with buffers.requested(taken(floats(shape=shape, strides=strides)), STRIDED_RO) as view:
            assert view.axes("strides") == [4, 4]


def test_negative_strides_are_bytes():
    """R3.10: the first element is where the buffer starts."""
    crafted = floats(shape=[6], strides=[-1], byte_offset=20)
    tensor = taken(crafted)
    view = memoryview(tensor)
    assert view.strides == (-4,)
    assert view.tolist() == [5.0, 4.0, 3.0, 2.0, 1.0, 0.0]
    with buffers.requested(tensor, STRIDED_RO) as raw:
        assert raw.buf == crafted.address + 20


@pytest.mark.parametrize("flags", [WRITABLE, CONTIG, STRIDED, FULL])
@pytest.mark.parametrize(
    ("fields", "style"),
    [({"flags": READ_ONLY}, "new"), ({}, "always_unversioned")],
    ids=["flag", "unversioned"],
)
def test_writable_buffer_of_read_only_memory_is_refused(flags, fields, style):
    """5.1, 5.2."""
    tensor = taken(floats(**fields), style)
    with (
        pytest.raises(BufferError, match=r"read-only.*writable buffer was asked for"),
        buffers.requested(tensor, flags),
    ):
        pass
    assert memoryview(tensor).readonly


@pytest.mark.parametrize("flags", [SIMPLE, WRITABLE, CONTIG, STRIDED, FULL, FULL_RO])
def test_writable_memory_is_lent_writable(flags):
    """5.1: also when only reading was asked for, as the protocol has it."""
    with buffers.requested(taken(floats()), flags) as view:
        assert view.readonly == 0


def test_view_keeps_the_tensor():
    """The memory lives until the last view is released."""
    crafted = floats()
    tensor = taken(crafted)
    view = memoryview(tensor)
    part: Any = view[1:]
    del tensor
    assert part.tolist() == [[3.0, 4.0, 5.0]]
    view.release()
    assert deletions(crafted) == 0
    part.release()
    del part, view
    assert deletions(crafted) == 1


def test_failed_request_keeps_nothing():
    """A refused request leaves no reference behind."""
    crafted = floats(shape=[3], strides=[2])
    tensor = taken(crafted)
    for _ in range(3):
        with pytest.raises(BufferError), buffers.requested(tensor, SIMPLE):
            pass
    del tensor
    assert deletions(crafted) == 1


def test_memory_elsewhere_has_no_buffer():
    """5.12: never dereferenced."""
    for flags in (SIMPLE, FULL_RO, FULL):
        with pytest.raises(BufferError, match="cuda:0"), buffers.requested(taken(on_device(2)), flags):
            pass


def test_bytes_are_in_row_major_order():
    """PEP 3118: whatever the strides."""
    crafted = floats(shape=[3, 2], strides=[1, 3])
    assert bytes(memoryview(taken(crafted))) == struct.pack("=6f", 0, 3, 1, 4, 2, 5)


def test_copy_has_a_buffer_of_its_own():
    """R5.14."""
    crafted = floats()
    view = memoryview(dlferry.from_dlpack(taken(crafted), copy=True))
    view.cast("B").cast("f")[0] = 9.0
    assert crafted.read()[:4] == bytes(4)
