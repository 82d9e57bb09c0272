"""What is compared with what, what we promise, and what we expected before we measured.

A promise is the largest ratio that we will stand by; "no slower" is 1.05, for within 5 % nobody can tell. What was
expected is written down first and stays: a row far from it, in either direction, is one that we have not understood.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from harness import Side

NO_SLOWER = 1.05


@dataclass(frozen=True)
class Row:
    """One comparison: two sides, expressions in ``names`` or callables, and the ratio that ours is held to."""

    ours: Side
    theirs: Side
    promise: float
    expected: float
    names: dict[str, object] = field(default_factory=dict)
    title: str = ""
    before: tuple[Callable[[], object], Callable[[], object]] | None = None

    def __str__(self) -> str:
        return self.title or f"{self.ours} / {self.theirs}"


def library(name: str) -> object | None:
    """A library to compare with; when it is missing, that is said and its rows are left out."""
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"left out: {name} is not installed", file=sys.stderr)
        return None


def started(code: str) -> Callable[[], object]:
    """A start of the interpreter that runs ``code``."""
    command = [sys.executable, "-c", code]
    return lambda: subprocess.run(command, check=True)


def rows() -> Iterator[Row]:
    """All rows whose libraries are installed."""
    import dlferry

    yield Row("None", "None", NO_SLOWER, 1.0, title="nothing / nothing")
    yield Row(started("import dlferry"), started("pass"), 1.3, 1.12, title="python: import dlferry / pass")
    yield from _buffers(dlferry)
    numpy = library("numpy")
    torch, tvm_ffi = library("torch"), library("tvm_ffi")
    if numpy:
        yield from _numpy(dlferry, numpy)
        from copies import copies  # which has rows from here

        yield from copies(dlferry, numpy, torch)

        from argument_rows import arguments

        yield from arguments(numpy, torch)
    if numpy and tvm_ffi:
        yield from _table(dlferry, numpy, tvm_ffi)
    if torch:
        yield from _torch(dlferry, numpy, torch, tvm_ffi)


def _buffers(dlferry) -> Iterator[Row]:
    names = {"dlferry": dlferry, "data": bytearray(64)}
    # A memoryview is one allocation of the interpreter's own; a tensor holds a buffer, a descriptor and an object.
    yield Row("dlferry.from_buffer(data)", "memoryview(data)", 6.0, 4.5, names)


def _numpy(dlferry, numpy) -> Iterator[Row]:
    array = numpy.zeros((3, 4), numpy.float32)
    names = {"dlferry": dlferry, "numpy": numpy, "array": array, "tensor": dlferry.from_dlpack(array)}
    # The struct is read, and no method called: 98 ns of 336 in a first try.
    yield Row("dlferry.from_dlpack(array)", "numpy.from_dlpack(array)", 1 / 3, 0.29, names)
    yield Row("numpy.from_dlpack(tensor)", "numpy.from_dlpack(array)", NO_SLOWER, 0.95, names)
    yield Row("memoryview(tensor)", "memoryview(array)", NO_SLOWER, 0.9, names)
    yield Row("tensor[1, 1:3]", "array[1, 1:3]", 1.5, 1.2, names)
    yield Row("tensor[..., None]", "array[..., None]", 1.5, 1.1, names)
    yield Row("tensor.shape", "array.shape", 1.5, 1.2, names)
    yield Row("tensor.T", "array.T", 1.5, 1.2, names)
    yield Row("tensor.numpy()", "numpy.from_dlpack(array)", 1.5, 1.2, names)
    names = {**names, "data": bytearray(64)}
    yield Row("dlferry.from_buffer(data)", "numpy.frombuffer(data, 'u1')", NO_SLOWER, 0.8, names)
    yield from _many(dlferry, numpy)


def _many(dlferry, numpy) -> Iterator[Row]:
    """Rows that touch each element of a megabyte and more."""
    import pickle

    for kind in ("float32", "int64", "bool"):
        array = numpy.arange(1_000_000).astype(kind).reshape(1000, 1000)
        names = {"tensor": dlferry.from_dlpack(array), "array": array}
        yield Row(
            "tensor.tolist()", "array.tolist()", NO_SLOWER, 0.95, names, f"tolist of 1000 x 1000 {kind}"
        )
        if kind == "float32":
            yield Row(
                "tensor.T.tolist()", "array.T.tolist()", NO_SLOWER, 0.95, names, "tolist of the transposed"
            )
            yield Row("tensor.copy()", "array.copy()", NO_SLOWER, 1.0, names, "copy of 4 MB")
            yield Row(
                "tensor.T.copy()", "array.T.copy('C')", NO_SLOWER, 0.9, names, "copy of 4 MB, transposed"
            )
    names = {"dumps": pickle.dumps, "loads": pickle.loads, "tensor": names["tensor"], "array": names["array"]}
    once = "loads(dumps({0}, 5))"
    yield Row(once.format("tensor"), once.format("array"), NO_SLOWER, 1.0, names, "pickle of 1 MB")
    small = numpy.zeros((3, 4), numpy.float32)
    names = {**names, "tensor": dlferry.from_dlpack(small), "array": small}
    yield Row(once.format("tensor"), once.format("array"), 1.5, 1.2, names, "pickle of 48 bytes")


def _table(dlferry, numpy, tvm_ffi) -> Iterator[Row]:
    """The exchange table of NumPy's arrays, given and taken away between the rounds."""
    names = {"tvm_ffi": tvm_ffi, "array": numpy.zeros((3, 4), numpy.float32)}
    enable, disable = dlferry.numpy.enable_exchange_api, dlferry.numpy.disable_exchange_api
    call = "tvm_ffi.from_dlpack(array)"
    # 325 ns of 532 in a first try.
    yield Row(call, call, 0.7, 0.61, names, f"{call}, with / without our table", (enable, disable))
    disable()


def _torch(dlferry, numpy, torch, tvm_ffi) -> Iterator[Row]:
    other = torch.zeros(3, 4)
    names = {"dlferry": dlferry, "numpy": numpy, "tvm_ffi": tvm_ffi, "torch": torch, "other": other}
    names["tensor"] = dlferry.from_dlpack(other)
    if tvm_ffi:
        # 201 ns of 486 in a first try, 55 of them for a question.
        yield Row("dlferry.from_dlpack(other)", "tvm_ffi.from_dlpack(other)", 0.6, 0.45, names)
    if numpy:
        yield Row("dlferry.from_dlpack(other)", "numpy.from_dlpack(other)", 0.2, 0.1, names)
        # The import, 200 ns, and an array of NumPy's, 120 ns: of 4213, and of 1116.
        yield Row("dlferry.numpy.from_dlpack(other)", "numpy.from_dlpack(other)", 0.12, 0.08, names)
        yield Row("dlferry.numpy.from_dlpack(other)", "other.numpy()", 0.5, 0.3, names)
        yield Row("tensor.numpy()", "other.numpy()", NO_SLOWER, 0.6, names)
    yield Row("tensor.torch()", "torch.from_dlpack(other)", NO_SLOWER, 0.8, names)
