"""The buffer protocol, asked as C does: with any request flags, and every field of the answer."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager

SIMPLE, WRITABLE, FORMAT, ND = 0, 0x1, 0x4, 0x8
STRIDES = 0x10 | ND
C_CONTIGUOUS, F_CONTIGUOUS, ANY_CONTIGUOUS = 0x20 | STRIDES, 0x40 | STRIDES, 0x80 | STRIDES
INDIRECT = 0x100 | STRIDES
CONTIG, STRIDED, FULL = ND | WRITABLE, STRIDES | WRITABLE, INDIRECT | WRITABLE | FORMAT
CONTIG_RO, STRIDED_RO, RECORDS_RO, FULL_RO = ND, STRIDES, STRIDES | FORMAT, INDIRECT | FORMAT


class View(ctypes.Structure):
    """``Py_buffer``."""

    _fields_ = (
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.py_object),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("suboffsets", ctypes.POINTER(ctypes.c_ssize_t)),
        ("internal", ctypes.c_void_p),
    )

    def axes(self, field: str) -> list[int] | None:
        """Return `shape` or `strides`, or None for NULL."""
        pointer = getattr(self, field)
        return [pointer[axis] for axis in range(self.ndim)] if pointer else None


_get = ctypes.pythonapi.PyObject_GetBuffer
_get.argtypes = (ctypes.py_object, ctypes.POINTER(View), ctypes.c_int)
_release = ctypes.pythonapi.PyBuffer_Release
_release.argtypes = (ctypes.POINTER(View),)
_release.restype = None


@contextmanager
def requested(exporter: object, flags: int) -> Iterator[View]:
    """Ask for a buffer and release it at the end."""
    view = View()
    _get(exporter, ctypes.byref(view), flags)
    try:
        yield view
    finally:
        _release(ctypes.byref(view))
