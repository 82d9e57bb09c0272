"""Public failures of byte order, structures and buffer formats."""

import ctypes
import struct
import sys

import buffers
import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from craft import taken

DTYPES = {
    name: getattr(dlferry, name)
    for name in (
        "bool",
        "int8",
        "uint16",
        "int32",
        "int64",
        "float16",
        "float32",
        "float64",
        "complex64",
        "complex128",
    )
}


def crafted_as(dtype, **fields):
    """Return a recipe of two elements of a dtype."""
    return dt.Crafted(bytes(64), shape=[2], strides=[1], code=dtype.code, bits=dtype.bits, **fields)


@pytest.mark.parametrize("name", [*DTYPES, "bfloat16", "float8_e4m3fn", "int4"])
def test_b114_format_and_itemsize_of_a_buffer_agree(name):
    """Section 3; ml-explore/mlx#3974: a dtype without a format has no buffer."""
    tensor = taken(crafted_as(getattr(dlferry, name)))
    if name not in DTYPES:
        with pytest.raises(BufferError, match=name):
            memoryview(tensor)
        return
    view = memoryview(tensor)
    assert view.itemsize == tensor.itemsize
    letters = view.format.replace("Zf", "ff").replace("Zd", "dd")
    assert struct.calcsize(letters) == view.itemsize


def test_b115_format_is_null_only_when_it_was_not_asked_for():
    """PEP 3118; ml-explore/mlx#383: and then means bytes."""
    tensor = taken(crafted_as(dlferry.float32))
    for flags, text in ((buffers.CONTIG_RO, None), (buffers.FORMAT, b"f"), (buffers.FULL_RO, b"f")):
        with buffers.requested(tensor, flags) as view:
            assert (view.format, view.itemsize, view.len) == (text, 4, 8)
    for name in ("bfloat16", "float8_e5m2"):
        for flags in (buffers.SIMPLE, buffers.CONTIG_RO, buffers.FULL_RO):
            with (
                pytest.raises(BufferError),
                buffers.requested(taken(crafted_as(getattr(dlferry, name))), flags),
            ):
                pass


@pytest.mark.parametrize("letter", ["f8", "i2", "u4", "c8", "f2", "i8"])
def test_b124_other_byte_order_is_swapped_or_refused(letter):
    """Section 3; cupy/cupy#5828: never read as it stands."""
    other = np.arange(1, 5).astype(">" + letter if struct.pack("=h", 1)[0] else "<" + letter)
    for take in (dlferry.from_dlpack, dlferry.from_buffer):
        with pytest.raises(BufferError):
            take(other)
    tensor = dlferry.asarray(other)
    assert tensor.copied
    assert tensor.tolist() == other.tolist()
    with pytest.raises(dlferry.CopyRequiredError):
        dlferry.asarray(other, copy=False)
    assert dlferry.asarray(other[::2]).tolist() == other[::2].tolist()


SWAPPED = b">i" if sys.byteorder == "little" else b"<i"


def test_b125_order_of_shape_and_byte_order_in_a_format_is_understood():
    """PEP 3118; numpy/numpy#9049: nothing is misread; what is not understood is refused."""
    memory = struct.pack("=6i", *range(6))
    rows, refused = [[0, 1, 2], [3, 4, 5]], "refused"
    cases = {
        b"=i": [0, 1, 2, 3, 4, 5],
        b"@i": [0, 1, 2, 3, 4, 5],
        b"i": [0, 1, 2, 3, 4, 5],
        b"^i": [0, 1, 2, 3, 4, 5],
        b"1i": [0, 1, 2, 3, 4, 5],
        b"(3)=i": rows,
        b"=(3)i": rows,
        b"(3)i": rows,
        b"3i": rows,
        b"(2,3)i": [rows],
        b"(2)(3)i": refused,
        b"T{(2)(3)i:foo:}": refused,
        b"T{i:a:i:b:}": refused,
        b"ii": refused,
        b"i:name:": refused,
        b"": refused,
        SWAPPED: refused,
    }
    for text, values in cases.items():
        shape = np.shape(values) if values is not refused else (6,)
        item = 24 // shape[0]
        lender = dt.BufferExporter(memory, format=text, itemsize=item, shape=[shape[0]], strides=[item])
        if values is refused:
            with pytest.raises(BufferError):
                dlferry.from_buffer(lender)
        else:
            assert dlferry.from_buffer(lender).tolist() == values, text


def test_b127_format_that_disagrees_with_the_itemsize_is_refused():
    """PEP 3118; python/cpython#5561: padding that a structure's format forgets."""

    class Padded(ctypes.Structure):
        _fields_ = (("small", ctypes.c_uint8), ("large", ctypes.c_uint32))

    for lender in ((Padded * 3)(), np.zeros(3, np.dtype([("a", "u1"), ("b", "u4")], align=True))):
        for take in (dlferry.from_buffer, dlferry.asarray):
            with pytest.raises(BufferError):
                take(lender)


def test_b129_structure_with_a_date_is_refused():
    """PEP 3118; numpy/numpy#11694: no field is taken for bytes."""
    lender = np.zeros(2, np.dtype([("number", "<i4"), ("when", "<M8[s]")]))
    for take in (dlferry.from_dlpack, dlferry.from_buffer, dlferry.asarray):
        with pytest.raises((BufferError, ValueError)):
            take(lender)
    assert dlferry.asarray(lender["number"]).tolist() == [0, 0]
