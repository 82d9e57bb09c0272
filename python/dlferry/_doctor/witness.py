"""Looks at an array without any array library: by its capsule, its array interface or its buffer, and by ctypes.

What a library says of its own result proves nothing. Here the memory itself is read, so a result that shares memory, or
shows other values, is told by the bytes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

READ_ONLY = 1
HOST = {1, 3, 11, 13, 20}  # the kinds of devices whose memory the host can read
FAMILIES = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 5: "complex", 6: "bool"}
TYPESTR = {"i": "int", "u": "uint", "f": "float", "c": "complex", "b": "bool"}
FORMAT = {
    **dict.fromkeys("bhilq", "int"),
    **dict.fromkeys("BHILQ", "uint"),
    **dict.fromkeys("efd", "float"),
    "Zf": "complex",
    "Zd": "complex",
    "?": "bool",
}


class Seen(NamedTuple):
    """What a look at an array found.

    ``address`` is where its first element lies; ``strides`` are in bytes; ``read_only`` is None where the way of
    looking cannot tell; ``version`` is that of the capsule, ``unversioned``, or None where there was no capsule.
    """

    way: str
    address: int
    dtype: str | None
    itemsize: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    read_only: bool | None
    version: str | None
    on_host: bool
    keeps: object

    def values(self) -> bytes | None:
        """Reads the elements in row-major order; None where the host cannot read them."""
        if not self.on_host:
            return None
        return b"".join(
            ctypes.string_at(self.address + offset, size)
            for offset, size in runs(self.shape, self.strides, self.itemsize)
        )


def runs(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> Iterator[tuple[int, int]]:
    """Yields where the bytes of an array lie, in row-major order: offset and length of each piece.

    >>> list(runs((2, 3), (12, 4), 4))
    [(0, 24)]
    >>> list(runs((3,), (-4,), 4))
    [(0, 4), (-4, 4), (-8, 4)]
    """
    if 0 in shape:
        return
    size, inner = itemsize, len(shape)
    while inner and (strides[inner - 1] == size or shape[inner - 1] == 1):
        inner -= 1
        size *= shape[inner]
    for index in product(*map(range, shape[:inner])):
        yield sum(at * step for at, step in zip(index, strides, strict=False)), size


def row_major(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """Gives the strides, in bytes, of an array without gaps."""
    strides, step = [], itemsize
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides))


class _DLTensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class _Versioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _DLTensor),
    )


class _Buffer(ctypes.Structure):
    _fields_ = (
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    )


# Functions of our own, for what is said of those of `ctypes.pythonapi` is said to everybody in the process.
_python = ctypes.PyDLL(ctypes.pythonapi._name, handle=ctypes.pythonapi._handle)
_is_valid = _python.PyCapsule_IsValid
_is_valid.argtypes = (ctypes.py_object, ctypes.c_char_p)
_pointer = _python.PyCapsule_GetPointer
_pointer.argtypes, _pointer.restype = (ctypes.py_object, ctypes.c_char_p), ctypes.c_void_p
_get_buffer = _python.PyObject_GetBuffer
_get_buffer.argtypes = (ctypes.py_object, ctypes.POINTER(_Buffer), ctypes.c_int)
_release = _python.PyBuffer_Release
_release.argtypes, _release.restype = (ctypes.POINTER(_Buffer),), None


def look(array: Any) -> Seen | None:
    """Looks at an array by the first way that it offers and that works; None where there is none."""
    for way in (_by_capsule, _by_interface, _by_buffer):
        try:
            seen = way(array)
        except Exception:  # it refuses, or has something of the name that is no such thing
            continue
        if seen is not None:
            return seen
    return None


def capsule_of(array: Any) -> Any:
    """Asks for a capsule: a versioned one, and where the keyword is not known, any."""
    try:
        return array.__dlpack__(max_version=(1, 3))
    except TypeError:
        return array.__dlpack__()


def _by_capsule(array: Any) -> Seen | None:
    capsule = capsule_of(array)
    if _is_valid(capsule, b"dltensor_versioned"):
        struct = _Versioned.from_address(_pointer(capsule, b"dltensor_versioned"))
        if struct.major != 1:
            return None  # the rest of it may mean anything
        version, read_only = f"{struct.major}.{struct.minor}", bool(struct.flags & READ_ONLY)
        return _of_tensor(struct.tensor, version, read_only, capsule)
    if _is_valid(capsule, b"dltensor"):
        tensor = _DLTensor.from_address(_pointer(capsule, b"dltensor"))
        return _of_tensor(tensor, "unversioned", None, capsule)
    return None


def _of_tensor(tensor: _DLTensor, version: str, read_only: bool | None, capsule: object) -> Seen | None:
    itemsize = (tensor.bits * tensor.lanes + 7) // 8
    if not 0 <= tensor.ndim <= 64:
        return None
    shape = tuple(tensor.shape[axis] for axis in range(tensor.ndim))
    if any(extent < 0 for extent in shape):
        return None
    has_strides = tensor.ndim and bool(tensor.strides)
    strides = tuple(tensor.strides[axis] * itemsize for axis in range(tensor.ndim)) if has_strides else None
    family = FAMILIES.get(tensor.code, f"code{tensor.code}-")
    return Seen(
        way="capsule",
        address=(tensor.data or 0) + tensor.byte_offset,
        dtype=_name(family, tensor.bits),
        itemsize=itemsize,
        shape=shape,
        strides=row_major(shape, itemsize) if strides is None else strides,
        read_only=read_only,
        version=version,
        on_host=tensor.device_type in HOST,
        keeps=capsule,
    )


def _name(family: str, bits: int) -> str:
    return family if family == "bool" else f"{family}{bits}"


def _by_interface(array: Any) -> Seen | None:
    interface = array.__array_interface__
    address, read_only = interface["data"]
    kind, itemsize = interface["typestr"][1], int(interface["typestr"][2:])
    family = TYPESTR.get(kind)
    shape = tuple(interface["shape"])
    return Seen(
        way="array interface",
        address=address,
        dtype=family and _name(family, itemsize * 8),
        itemsize=itemsize,
        shape=shape,
        strides=interface.get("strides") or row_major(shape, itemsize),
        read_only=bool(read_only),
        version=None,
        on_host=True,
        keeps=(array, interface),
    )


class _Held:
    """A buffer, until this object goes."""

    def __init__(self, array: Any) -> None:
        self.buffer = _Buffer()
        if _get_buffer(array, ctypes.byref(self.buffer), 0x11C):  # PyBUF_FULL_RO
            raise BufferError

    def __del__(self) -> None:
        _release(ctypes.byref(self.buffer))


def _by_buffer(array: Any) -> Seen | None:
    held = _Held(array)
    buffer = held.buffer
    if buffer.suboffsets:
        return None
    shape = tuple(buffer.shape[axis] for axis in range(buffer.ndim))
    family = FORMAT.get((buffer.format or b"B").decode().lstrip("@="))
    return Seen(
        way="buffer",
        address=buffer.buf or 0,
        dtype=family and _name(family, buffer.itemsize * 8),
        itemsize=buffer.itemsize,
        shape=shape,
        strides=tuple(buffer.strides[axis] for axis in range(buffer.ndim)),
        read_only=bool(buffer.readonly),
        version=None,
        on_host=True,
        keeps=held,
    )
