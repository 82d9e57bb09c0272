"""Each way in, over memory that ends the process when it is written, and each way to write: run as ``pages.py NAME``.

Prints how many attempts were refused, and how many wrote into a copy. A write that gets through is a SIGSEGV.
"""

from __future__ import annotations

import ctypes
import io
import mmap
import struct
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import buffers
import dlferry
import dlferry_testing as dt
import numpy as np

COUNT = 1024
READ_ONLY = 1


def mapped() -> mmap.mmap:
    """Return a page of float32, all 1.0, that may not be written."""
    with tempfile.TemporaryFile() as file:
        file.write(struct.pack("f", 1.0) * COUNT)
        file.flush()
        return mmap.mmap(file.fileno(), 4 * COUNT, prot=mmap.PROT_READ)


PAGE = mapped()
ARRAY = np.frombuffer(PAGE, np.float32)
ADDRESS = ARRAY.ctypes.data
BEFORE = bytes(PAGE)


class Method:
    def __dlpack__(self, **keywords: Any) -> object:
        return ARRAY.__dlpack__(**keywords)


class Interface:
    __array_interface__ = ARRAY.__array_interface__


def crafted(**fields: Any) -> Any:
    """Return a recipe for tensors over the page."""
    return dt.Crafted(b"", shape=[COUNT], strides=[1], address=ADDRESS, **fields)


WAYS: dict[str, Callable[[], Any]] = {
    "buffer": lambda: dlferry.from_buffer(memoryview(PAGE).cast("f")),
    "array": lambda: dlferry.from_dlpack(ARRAY),
    "array, backwards": lambda: dlferry.from_dlpack(ARRAY[::-1]),
    "method": lambda: dlferry.from_dlpack(Method()),
    "asarray": lambda: dlferry.asarray(ARRAY),
    "interface": lambda: dlferry.asarray(Interface()),
    "versioned capsule": lambda: dlferry.from_dlpack(crafted(flags=READ_ONLY).capsule()),
    "unversioned capsule": lambda: dlferry.from_dlpack(crafted().capsule(False)),
    "unversioned producer": lambda: dlferry.from_dlpack(dt.Producer(crafted(), style="no_keywords")),
    "table": lambda: dlferry.from_dlpack(dt.exchange_type(crafted(flags=READ_ONLY))()),
    "address": lambda: dlferry.from_address(ADDRESS, (COUNT,), "float32", owner=PAGE),
    "overlapping elements": lambda: dlferry.from_dlpack(crafted().capsule())[:1].broadcast_to((8,)),
    "made read-only": lambda: dlferry.from_dlpack(crafted().capsule(), writable=False),
    "array of ours": lambda: dlferry.numpy.from_dlpack(dlferry.from_dlpack(ARRAY)),
    "array of NumPy's over ours": lambda: np.from_dlpack(dlferry.from_dlpack(ARRAY)),
    "memoryview of ours": lambda: memoryview(dlferry.from_dlpack(ARRAY)),
    "slice": lambda: dlferry.from_dlpack(ARRAY)[3:],
    "another shape": lambda: dlferry.from_dlpack(ARRAY).reshape(32, 32).T,
    "another type": lambda: dlferry.from_dlpack(ARRAY).view("int32").view("float32"),
    "handed on twice": lambda: dlferry.from_dlpack(np.asarray(dlferry.from_dlpack(ARRAY))),
}


def honest(held: Any) -> None:
    """Write as a consumer in C does that looks at the flags."""
    try:
        if not held.inspect()["flags"] & READ_ONLY:
            held.write_bytes(b"\0\0\0\0")
        else:
            raise BufferError("marked as read-only")
    finally:
        held.delete()


def assign(target: Any) -> None:
    target[...] = 0


def readinto(target: Any) -> None:
    io.BytesIO(bytes(4 * COUNT)).readinto(target)


def with_buffer(flags: int) -> Callable[[Any], None]:
    """Write through a buffer that C asks for."""

    def write(x: Any) -> None:
        with buffers.requested(x, flags) as view:
            if view.readonly:
                raise BufferError("marked as read-only")
            ctypes.memset(view.buf, 0, 4)

    return write


ATTEMPTS: dict[str, Callable[[Any], object]] = {
    "copyto": lambda x: dlferry.copyto(x, np.zeros(np.shape(x), np.float32)),
    "copyto a part": lambda x: dlferry.copyto(dlferry.asarray(x)[:1], dlferry.asarray(x)[1:2]),
    "copyto itself": lambda x: dlferry.copyto(x, x),
    "memoryview": lambda x: memoryview(x).cast("B").__setitem__(0, 0),
    "memoryview, writable": with_buffer(buffers.FULL),
    "buffer, simple": with_buffer(buffers.SIMPLE),
    "buffer, writable": with_buffer(buffers.WRITABLE | buffers.STRIDES),
    "struct": lambda x: struct.pack_into("f", x, 0, 0.0),
    "readinto": readinto,
    "ctypes": lambda x: (ctypes.c_float * 1).from_buffer(x).__setitem__(0, 0.0),
    "asarray of NumPy": lambda x: assign(np.asarray(x)),
    "from_dlpack of NumPy": lambda x: assign(np.from_dlpack(x)),
    "from_dlpack for NumPy": lambda x: assign(dlferry.numpy.from_dlpack(x)),
    "numpy()": lambda x: assign(dlferry.asarray(x).numpy()),
    "to()": lambda x: assign(dlferry.asarray(x).to("numpy")),
    "interface": lambda x: assign(
        np.asarray(type("I", (), {"__array_interface__": x.__array_interface__})())
    ),
    "capsule": lambda x: honest(dt.consume(dlferry.asarray(x).__dlpack__(max_version=(1, 3)))),
    "unversioned capsule": lambda x: dt.consume(dlferry.asarray(x).__dlpack__()).write_bytes(bytes(4)),
    "capsule of a copy": lambda x: honest(
        dt.consume(dlferry.asarray(x).__dlpack__(max_version=(1, 3), copy=True))
    ),
    "table": lambda x: honest(dt.exchange_from(dlferry.asarray(x))),
    "borrowed": lambda x: ctypes.memset(dt.exchange_borrow(dlferry.asarray(x))["data"], 0, 4),
    "said to be writable": lambda x: assign(np.asarray(dlferry.from_dlpack(x, writable=True))),
    "asarray, writable": lambda x: assign(np.asarray(dlferry.asarray(x, writable=True))),
    "copy": lambda x: assign(np.asarray(dlferry.asarray(x).copy())),
    "import again": lambda x: dlferry.copyto(
        dlferry.from_dlpack(dlferry.asarray(x)), np.zeros(np.shape(x), "f4")
    ),
    "capsule for NumPy": lambda x: honest(
        dt.consume(dlferry.numpy.to_dlpack(np.asarray(x), max_version=(1, 3)))
    ),
}
try:
    import dlferry_results as results
    import dlferry_views as views
except ImportError:  # not built here
    pass
else:
    ATTEMPTS.update({
        "argument": lambda x: views.fill(x, 0.0),
        "argument, applied": lambda x: views.double(x),
        "argument, filled from": lambda x: views.copy_from(x, [0.0] * COUNT),
        "argument, optional": lambda x: views.fill_option(x, 0.0),
        "argument, owned": lambda x: assign(np.asarray(views.own_mut(x))),
        "argument for reading, owned": lambda x: assign(np.asarray(views.own(x))),
        "argument, duplicated": lambda x: assign(np.asarray(views.duplicate(x))),
        "producer": lambda x: assign(np.asarray(results.Slot(x))),
        "producer's capsule": lambda x: honest(dt.consume(results.Slot(x).__dlpack__(max_version=(1, 3)))),
        "producer's table": lambda x: honest(dt.exchange_from(results.Slot(x))),
    })  # fmt: skip


def attempted(way: str) -> tuple[int, int]:
    """Try everything with what a way gives; return how many were refused and how many wrote elsewhere."""
    refused = elsewhere = 0
    for name, attempt in ATTEMPTS.items():
        source = WAYS[way]()
        try:
            attempt(source)
        except (BufferError, TypeError, ValueError, AttributeError):
            refused += 1
        else:
            elsewhere += 1
            assert name in {"copy", "asarray, writable", "capsule of a copy", "argument, duplicated"}, name
        assert bytes(PAGE) == BEFORE, name
    return refused, elsewhere


if __name__ == "__main__":
    print(*attempted(sys.argv[1]))
