"""Managed tensors made field by field, with functions of the C library for deleters.

Such a deleter needs no Python at all: ``free`` leaves nothing behind, and ``puts`` tells of itself on stdout, also when
the interpreter is gone. The first byte of the struct is the major version, and the second is zero, so what it prints is
the byte 1 and a new line.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes = (ctypes.c_size_t,)

FREE: int = ctypes.cast(libc.free, ctypes.c_void_p).value or 0
PUTS: int = ctypes.cast(libc.puts, ctypes.c_void_p).value or 0
TOLD = "\x01\n"

FROM = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))


class Managed(ctypes.Structure):
    """``DLManagedTensorVersioned``."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager_ctx", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    )


class Table(ctypes.Structure):
    """``DLPackExchangeAPI``."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("prev_api", ctypes.c_void_p),
        ("allocator", ctypes.c_void_p),
        ("from_object", FROM),
        ("to_object", ctypes.c_void_p),
        ("borrow", ctypes.c_void_p),
        ("current_work_stream", ctypes.c_void_p),
    )


def born(deleter: int = FREE, **fields: Any) -> int:
    """Allocate a tensor of three float32 and return the address of its struct; shape and data lie behind it."""
    room = ctypes.sizeof(Managed)
    address = libc.malloc(room + 64)
    ctypes.memset(address, 0, room + 64)
    shape = (ctypes.c_int64 * 2).from_address(address + room)
    shape[:] = [3, 1]
    plain = {
        "major": 1,
        "minor": 3,
        "deleter": deleter,
        "data": address + room + 16,
        "device_type": 1,
        "ndim": 1,
        "code": 2,
        "bits": 32,
        "lanes": 1,
        "shape": address + room,
        "strides": address + room + 8,
    }
    struct = Managed.from_address(address)
    for name, value in {**plain, **fields}.items():
        setattr(struct, name, value)
    return int(address)


def capsule(address: int, name: bytes = b"dltensor_versioned") -> object:
    """Return a capsule without a destructor: it is for those who take it."""
    new = ctypes.pythonapi.PyCapsule_New
    new.restype = ctypes.py_object
    new.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return new(address, name, None)


_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype = ctypes.c_void_p
_get_pointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
_set_name = ctypes.pythonapi.PyCapsule_SetName
_set_name.argtypes = (ctypes.py_object, ctypes.c_char_p)
_USED = b"used_dltensor_versioned"

DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
TO = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))


def taken(unused: object) -> int:
    """Take the tensor out of a versioned capsule, as C does, and return the address of its struct."""
    address = _get_pointer(unused, b"dltensor_versioned")
    _set_name(unused, _USED)
    return int(address)


def delete(address: int) -> None:
    """Call the deleter of a tensor."""
    DELETER(Managed.from_address(address).deleter)(address)


def table_of(kind: Any) -> Table:
    """Return the exchange table of a type."""
    return Table.from_address(_get_pointer(kind.__dlpack_c_exchange_api__, b"dlpack_exchange_api"))


def made_object(kind: Any, address: int) -> object:
    """Hand a tensor to a type's exchange table and return the object that it makes of it."""
    out = ctypes.c_void_p()
    assert TO(table_of(kind).to_object)(address, ctypes.byref(out)) == 0
    made = ctypes.cast(out, ctypes.py_object).value
    ctypes.pythonapi.Py_DecRef(ctypes.py_object(made))
    return made


# Tables and names live as long as the process.
_KEPT: list[object] = []


def type_with_table(make: Callable[[], int]) -> type:
    """Return a type whose exchange table exports what `make` gives, and which has nothing else."""

    def export(_: object, out: Any) -> int:
        out[0] = make()
        return 0

    table = Table(major=1, minor=3, from_object=FROM(export))
    name = b"dlpack_exchange_api"
    _KEPT.extend((table, name))
    return type("Tabled", (), {"__dlpack_c_exchange_api__": capsule(ctypes.addressof(table), name)})
