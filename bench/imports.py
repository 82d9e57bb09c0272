"""How long taking an array takes, against the libraries that people use for it today.

Run with dlferry on the path. Rows for libraries that are not installed are left out, and said to be.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator

from harness import compare

import dlferry

Row = tuple[str, Callable[[], object], Callable[[], object], float]


def library(name: str) -> object | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"left out: {name} is not installed", file=sys.stderr)
        return None


def rows() -> Iterator[Row]:
    """Name, our side, their side, and the ratio that we promise not to exceed."""
    take = dlferry.from_dlpack
    numpy, torch, tvm_ffi = library("numpy"), library("torch"), library("tvm_ffi")

    def empty() -> None:
        pass

    yield "empty call against itself", empty, empty, 1.05
    if numpy:
        array = numpy.zeros((3, 4), numpy.float32)
        tensor = take(array)
        yield "from_dlpack(ndarray) / numpy's", lambda: take(array), lambda: numpy.from_dlpack(array), 1.0
        yield "numpy.from_dlpack(Tensor / ndarray)", (
            lambda: numpy.from_dlpack(tensor)
        ), lambda: numpy.from_dlpack(array), 1.05
    if torch and tvm_ffi:
        other = torch.zeros(3, 4)
        yield "from_dlpack(torch) / tvm_ffi's", lambda: take(other), lambda: tvm_ffi.from_dlpack(other), 1.0
    if torch and numpy:
        yield "from_dlpack(torch) / numpy's", lambda: take(other), lambda: numpy.from_dlpack(other), 1.0


def main() -> int:
    missed = 0
    for name, ours, theirs, promise in rows():
        result = compare(ours, theirs)
        missed += result.ratio > promise
        print(f"{name:38} {result}   promised {promise:.2f}{'' if result.ratio <= promise else '   MISSED'}")
    return min(missed, 1)


if __name__ == "__main__":
    sys.exit(main())
