"""Exchange tables that ``dlferry_testing`` does not make: written field by field, as C would."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

# What Python may never free: tables live as long as the process, and so do the functions in them.
_KEPT: list[object] = []

FROM = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))


class Table(ctypes.Structure):
    """``DLPackExchangeAPI`` of DLPack 1.3."""

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


def type_with(table: Table, name: bytes = b"dlpack_exchange_api", **attributes: object) -> type:
    """Return a new type that has the table in a capsule of that name."""
    new = ctypes.pythonapi.PyCapsule_New
    new.restype = ctypes.py_object
    new.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    _KEPT.extend((table, name))
    capsule = new(ctypes.addressof(table), name, None)
    return type("Tabled", (), {"__dlpack_c_exchange_api__": capsule, **attributes})


def answering(answer: Callable[[], int], major: int = 1) -> Table:
    """Return a table whose export writes nothing and returns what ``answer`` does."""
    function = FROM(lambda obj, out: answer())
    _KEPT.append(function)
    return Table(major=major, minor=3, from_object=function)
