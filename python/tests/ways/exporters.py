"""Objects with the buffer protocol, and what the tests of the ways in share."""

from __future__ import annotations

import array
import ctypes
import mmap
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

SWAPPED = ">" if struct.pack("=H", 1) == struct.pack("<H", 1) else "<"


def mapped(access: int = mmap.ACCESS_WRITE) -> mmap.mmap:
    """Make an anonymous map of eight bytes."""
    memory = mmap.mmap(-1, mmap.PAGESIZE, access=access)
    if access != mmap.ACCESS_READ:
        memory[:8] = bytes(range(8))
    return memory


def matrix(*counts: int) -> Any:
    """Make a ctypes array of nested arrays of int32."""
    kind: Any = ctypes.c_int32
    for count in reversed(counts):
        kind = kind * count
    made = kind()
    ctypes.memmove(made, np.arange(np.prod(counts), dtype=np.int32).tobytes(), ctypes.sizeof(made))
    return made


# Name, how it is made, dtype, shape, whether read-only, and its elements.
EXPORTERS: list[tuple[str, Callable[[], Any], str, tuple[int, ...], bool, Any]] = [
    ("bytes", lambda: b"abc", "uint8", (3,), True, [97, 98, 99]),
    ("no bytes", lambda: b"", "uint8", (0,), True, []),
    ("bytearray", lambda: bytearray(b"abc"), "uint8", (3,), False, [97, 98, 99]),
    ("no bytearray", bytearray, "uint8", (0,), False, []),
    ("memoryview", lambda: memoryview(b"abcdef")[1::2], "uint8", (3,), True, [98, 100, 102]),
    ("memoryview in reverse", lambda: memoryview(bytearray(b"abc"))[::-1], "uint8", (3,), False, [99, 98, 97]),
    ("memoryview cast", lambda: memoryview(bytes(8)).cast("d"), "float64", (1,), True, [0.0]),
    ("memoryview cast to rows", lambda: memoryview(bytes(range(6))).cast("B", (2, 3)), "uint8", (2, 3), True,
     [[0, 1, 2], [3, 4, 5]]),
    ("memoryview cast to chars", lambda: memoryview(b"ab").cast("c"), "uint8", (2,), True, [97, 98]),
    ("memoryview cast to bools", lambda: memoryview(b"\x00\x02").cast("?"), "bool", (2,), True, [False, True]),
    ("memoryview without axes", lambda: memoryview(bytearray(b"\x01\x00\x00\x00")).cast("i", ()), "int32", (), False,
     1),
    ("memoryview of NumPy", lambda: memoryview(np.arange(6.0).reshape(2, 3).T), "float64", (3, 2), False,
     [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]),
    ("ctypes array", lambda: matrix(3), "int32", (3,), False, [0, 1, 2]),
    ("ctypes nested array", lambda: matrix(2, 3), "int32", (2, 3), False, [[0, 1, 2], [3, 4, 5]]),
    ("ctypes array without elements", lambda: matrix(0, 3), "int32", (0, 3), False, []),
    ("ctypes number", lambda: ctypes.c_double(1.5), "float64", (), False, 1.5),
    ("ctypes bool", lambda: ctypes.c_bool(True), "bool", (), False, True),
    ("NumPy number", lambda: np.float32(2.5), "float32", (), True, 2.5),
    ("NumPy array without axes", lambda: np.array(7, np.int16), "int16", (), False, 7),
    ("NumPy without elements", lambda: np.zeros((2, 0, 3), np.int8), "int8", (2, 0, 3), False, [[], []]),
]  # fmt: skip


@contextmanager
def refused(kind: type[BaseException], match: str) -> Iterator[None]:
    """Expect an exception of exactly this class, made by dlferry and not by a panic in it."""
    with pytest.raises(kind, match=match) as caught:
        yield
    assert type(caught.value) is kind, repr(caught.value)


def address(exporter: Any) -> int:
    """Return where a buffer begins."""
    return int(np.asarray(memoryview(exporter)).__array_interface__["data"][0])


def items(code: str) -> array.array[Any]:
    """Make an `array.array` of a few small numbers."""
    return array.array(code, [1, 2, 3])
