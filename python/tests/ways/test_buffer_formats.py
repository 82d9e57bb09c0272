"""Formats and fields of a buffer that no known exporter writes: refused, or read as others read them."""

import struct
from typing import Any

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from exporters import SWAPPED, refused
from hypothesis import example, given
from hypothesis import strategies as st

DATA = bytes(range(64))


def lent(fmt: str | bytes | None, itemsize: int, data: bytes = DATA, **fields: Any) -> Any:
    """Lend data in items of some format, in a row unless a shape is given."""
    text = fmt.encode() if isinstance(fmt, str) else fmt
    fields.setdefault("shape", [len(data) // itemsize if itemsize > 0 else 0])
    return dt.BufferExporter(data, format=text, itemsize=itemsize, **fields)


CODES = [
    ("?", "bool", 1), ("b", "int8", 1), ("B", "uint8", 1), ("c", "uint8", 1), ("h", "int16", 2), ("H", "uint16", 2),
    ("i", "int32", 4), ("I", "uint32", 4), ("l", "int64", 8), ("L", "uint64", 8), ("q", "int64", 8),
    ("Q", "uint64", 8), ("n", "int64", 8), ("N", "uint64", 8), ("e", "float16", 2), ("f", "float32", 4),
    ("d", "float64", 8), ("Zf", "complex64", 8), ("Zd", "complex128", 16), ("F", "complex64", 8),
    ("D", "complex128", 16), ("=l", "int32", 4), ("=L", "uint32", 4), ("@l", "int64", 8), ("<q", "int64", 8),
    ("=Zf", "complex64", 8), ("<Zd", "complex128", 16), (">B", "uint8", 1), ("!?", "bool", 1), ("1f", "float32", 4),
    ("=1f", "float32", 4), ("<i", "int32", 4),
]  # fmt: skip


@pytest.mark.parametrize(("fmt", "dtype", "itemsize"), CODES)
def test_code_is_read_as_its_dtype(fmt, dtype, itemsize):
    tensor = dlferry.from_buffer(lent(fmt, itemsize))
    assert tensor.dtype.name == dtype
    assert tensor.tolist() == np.frombuffer(DATA, dtype).tolist()


@pytest.mark.parametrize(
    ("fmt", "shape", "dtype"),
    [
        ("4B", (4,), "uint8"), ("(2,3)h", (2, 3), "int16"), ("(2)f", (2,), "float32"), ("(2,2)2B", (2, 2, 2), "uint8"),
        ("=2i", (2,), "int32"), ("(2,2)<h", (2, 2), "int16"),
    ],
)  # fmt: skip
def test_counts_within_an_item_become_axes_behind_its_own(fmt, shape, dtype):
    itemsize = int(np.prod(shape)) * np.dtype(dtype).itemsize
    data = DATA[: itemsize * 3]
    tensor = dlferry.from_buffer(lent(fmt, itemsize, data))
    wanted = np.frombuffer(data, dtype).reshape(3, *shape)
    assert tensor.shape == wanted.shape
    assert tensor.tolist() == wanted.tolist()
    spread = dlferry.from_buffer(lent(fmt, itemsize, data, shape=[2], strides=[itemsize * 2]))
    assert spread.tolist() == wanted[::2].tolist()


@pytest.mark.parametrize("code", ["h", "I", "q", "e", "f", "d", "Zf", "Zd", "2h", "(2,2)f"])
def test_other_byte_order_is_copied_by_asarray_alone(code):
    items = struct.calcsize(code.replace("Z", "2")) if "(" not in code else 16
    exporter = lent(SWAPPED + code if "(" not in code else code.replace("f", SWAPPED + "f"), items)
    with refused(BufferError, match="byte order"):
        dlferry.from_buffer(exporter)
    tensor = dlferry.asarray(exporter)
    assert tensor.copied is True
    kind = {"e": "f2", "f": "f4", "d": "f8", "h": "i2", "I": "u4", "q": "i8"}[code[-1]]
    kind = {"Zf": "c8", "Zd": "c16"}.get(code, kind)
    assert np.array_equal(np.ravel(tensor.tolist()), np.frombuffer(DATA, SWAPPED + kind).astype(complex).real
                          if "Z" not in code else np.frombuffer(DATA, SWAPPED + kind), equal_nan=True)  # fmt: skip
    assert exporter.held == 0


@pytest.mark.parametrize(
    ("fmt", "itemsize"),
    [
        ("", 1), ("@", 1), ("x", 1), ("4x", 4), ("s", 1), ("5s", 5), ("p", 1), ("P", 8), ("O", 8), ("g", 16),
        ("Zg", 32), ("Z", 1), ("u", 2), ("w", 4), ("&i", 8), ("X{}", 8), ("T{i:x:}", 4), ("T{", 1), ("ii", 8),
        ("i4x", 8), ("4xi", 8), ("i:x:", 4), ("f4", 4), ("M8[ns]", 8), ("(2,3", 6), ("()f", 4), ("(,)f", 4),
        ("(2,)f", 8), ("((2)f)", 8), ("-1f", 4), ("99999999999999999999f", 4), ("(4611686018427387904,4)f", 4),
        ("9223372036854775807d", 8), ("(-1)f", 4), ("<<f", 4), (" f", 4), ("f ", 4), ("t", 1), ("3t", 1), ("\u00e9", 1),
        (b"\xff\xfe", 1), (b"\x80", 1), ("=n", 8), ("<N", 8), ("%s%n", 1), ("{", 1), ("?" * 5000, 5000),
        ("(" * 5000, 1), ("(1," * 5000, 1), ("9" * 5000, 1),
    ],
)  # fmt: skip
def test_format_of_no_plain_number_is_refused(fmt, itemsize):
    exporter = lent(fmt, itemsize)
    with refused(BufferError, match="format|padded|counted"):
        dlferry.from_buffer(exporter)
    assert exporter.held == 0


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"itemsize": 8, "shape": [2]}, "8 bytes"),
        ({"itemsize": 0, "shape": [2]}, "0 bytes"),
        ({"itemsize": -4, "shape": [2]}, "-4 bytes"),
        ({"ndim": -1}, "ndim is -1"),
        ({"ndim": -(2**31)}, "negative"),
        ({"shape": [1] * 65}, "at most 64 axes"),
        ({"ndim": 2**31 - 1}, "at most 64 axes"),
        ({"shape": [-1]}, "-1"),
        ({"shape": [-(2**63)]}, "-9223372036854775808"),
        ({"shape": [2**62, 2**62]}, "too many|overflow|count"),
        ({"shape": [2**62]}, "address|overflow|too many|span"),
        ({"shape": [3], "strides": [2**62]}, "address|overflow|span"),
        ({"shape": [2, 2], "strides": [-(2**63), 4]}, "address|overflow|span"),
        ({"shape": [4], "suboffsets": [0]}, "behind pointers"),
        ({"shape": [4], "suboffsets": [-1]}, "behind pointers"),
        ({"shape": [4], "null_data": True}, "NULL"),
        ({"refuse": "not today"}, "not today"),
    ],
)
def test_field_that_makes_no_sense_is_refused(fields, why):
    exporter = dt.BufferExporter(DATA, **{"format": b"f", "itemsize": 4, **fields})
    for way in (dlferry.from_buffer, dlferry.asarray):
        with refused(BufferError, match=why):
            way(exporter)
    assert exporter.held == 0


def test_missing_format_means_bytes():
    assert dlferry.from_buffer(lent(None, 1, b"ab")).tolist() == [97, 98]
    with refused(BufferError, match="4 bytes"):
        dlferry.from_buffer(lent(None, 4))


def test_missing_shape_is_a_run_of_items():
    tensor = dlferry.from_buffer(dt.BufferExporter(DATA, format=b"i", itemsize=4))
    assert (tensor.shape, tensor.strides) == ((16,), (1,))
    assert dlferry.from_buffer(dt.BufferExporter(DATA, format=b"i", itemsize=4, ndim=0, len=4)).shape == ()


def test_missing_strides_are_row_major():
    tensor = dlferry.from_buffer(dt.BufferExporter(DATA, format=b"i", itemsize=4, shape=[2, 2, 4]))
    assert tensor.strides == (8, 4, 1)


def test_buffer_without_elements_may_say_what_it_likes():
    for fields in (
        {"shape": [0, 2**62, 2**62]},
        {"shape": [0], "null_data": True},
        {"shape": [0], "strides": [3]},
        {"shape": [2, 0], "strides": [-(2**63), 2**63 - 1]},
    ):
        tensor = dlferry.from_buffer(dt.BufferExporter(b"", format=b"d", itemsize=8, **fields))
        assert (tensor.size, tensor.shape, tensor.tolist()[:1]) in (
            (0, tuple(fields["shape"]), []),
            (0, (2, 0), [[]]),
        )
    assert dlferry.from_buffer(lent("0f", 0, shape=[3])).shape == (3, 0)


def test_strides_of_one_element_mean_nothing():
    fields = {"shape": [1, 2], "strides": [2**63 - 1, 8]}
    assert dlferry.from_buffer(dt.BufferExporter(DATA, format=b"d", itemsize=8, **fields)).size == 2


def test_as_many_axes_as_the_protocol_has_are_taken():
    tensor = dlferry.from_buffer(dt.BufferExporter(b"ab", shape=[1] * 63 + [2]))
    assert tensor.ndim == 64
    assert tensor[(0,) * 63].tolist() == [97, 98]


def test_repeated_elements_come_in_read_only():
    exporter = dt.BufferExporter(DATA, shape=[2, 4], strides=[0, 1], readonly=False)
    tensor = dlferry.from_buffer(exporter)
    assert tensor.readonly
    with refused(BufferError, match=r"share|read-only"):
        dlferry.from_buffer(exporter, writable=True)


formats = st.one_of(
    st.text("<>=@!^ ?bBhHiIlLqQnNefdFDgZcsptuwOPXxT{}:()0123456789,&-", max_size=8),
    st.from_regex(r"\A[<>=@!]?(\([0-3](,[0-3]){0,2}\))?[<>=@!]?[0-4]?(Z[fd]|[?bBhHiIlLqQefd])\Z"),
    st.text(max_size=6),
)


def by_numpy(exporter: Any) -> Any:
    """Read a buffer with NumPy, or return None where it cannot."""
    try:
        return np.asarray(memoryview(exporter))
    except (BufferError, ValueError, TypeError, RuntimeError, NotImplementedError, SystemError, SyntaxError):
        return None


@given(formats, st.integers(0, 64))
@example("(2,0)f", 0)
@example(">(2,2)h", 8)
@example("4Zf", 32)
def test_any_format_is_read_as_numpy_does_or_refused(fmt, itemsize):
    """NumPy reads some formats that have no dtype, never another value than we do."""
    text = fmt.encode().replace(b"\0", b"")
    exporter = lent(text, itemsize)
    try:
        tensor = dlferry.asarray(exporter)
    except BufferError as error:
        assert "format" in str(error) or "padded" in str(error)  # noqa: PT017
        assert exporter.held == 0
        return
    array = by_numpy(exporter)
    if array is None or array.dtype.kind not in "?biufc":
        return
    assert tensor.shape == array.shape
    if array.size:
        assert tensor.dtype.name == array.dtype.newbyteorder("=").name
        assert np.array_equal(np.asarray(tensor.tolist()), np.asarray(array.tolist()), equal_nan=True)


small = st.integers(-3, 4) | st.sampled_from([2**31, 2**62, -(2**63), 2**63 - 1])


@given(
    shape=st.none() | st.lists(small, max_size=4),
    strides=st.none() | st.lists(small, max_size=4),
    ndim=st.none() | st.integers(-2, 6),
    itemsize=st.integers(-1, 16),
    fmt=st.sampled_from([None, b"i", b"d", b"2h", b">q", b"B", b"(0)f"]),
    null_data=st.booleans(),
)
def test_any_field_is_taken_or_refused(shape, strides, ndim, itemsize, fmt, null_data):
    """Nothing is read here: a shape that promises too much is the exporter's lie (assumption P1)."""
    exporter = dt.BufferExporter(
        DATA, format=fmt, itemsize=itemsize, shape=shape, strides=strides, ndim=ndim, null_data=null_data
    )
    try:
        tensor = dlferry.from_buffer(exporter)
    except BufferError:
        assert exporter.held == 0
        return
    assert tensor.source == "buffer"
    assert (tensor.data_ptr != 0) or tensor.size == 0
