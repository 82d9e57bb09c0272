"""What is done very often, by name, and how much memory that takes for good: run as ``python growth.py NAMES``.

Here are DLPack's own ways in and out; ``growth_ways`` has the others, ``growth_arguments`` those of Rust functions.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from typing import Any

import cstructs
import dlferry
import dlferry_testing as dt
import growth_arguments
import growth_ways
import numpy as np
from growth_tools import New, Old, refused

ARRAY = np.arange(12.0).reshape(3, 4)
READ_ONLY = np.arange(3.0)
READ_ONLY.flags.writeable = False
TENSOR = dlferry.from_dlpack(ARRAY)
FIXED = dlferry.from_dlpack(READ_ONLY)
DERIVED: Any = ARRAY.view(type("Derived", (np.ndarray,), {}))
SWAPPED = ARRAY.astype(ARRAY.dtype.newbyteorder())
TYPELESS = np.zeros(3, "datetime64[s]")
HIGH = dlferry.from_dlpack(dt.Producer(dt.Crafted(bytes(4), shape=[1] * 65, strides=[1] * 65)))
try:
    OTHERS = ARRAY.astype(importlib.import_module("ml_dtypes").bfloat16)
except ImportError:
    OTHERS = ARRAY
VERSIONED = (1, 0)
MEGABYTE = 1 << 20


class Odd:
    def __dlpack__(self, **keywords: object) -> object:
        return self


class Failing:
    def __dlpack__(self, **keywords: object) -> object:
        raise TypeError("cannot hold this")


NEW, OLD, ODD, FAILING, NOTHING = New(ARRAY), Old(ARRAY), Odd(), Failing(), object()
TABLED = cstructs.type_with_table(cstructs.born)()
BROKEN = cstructs.type_with_table(lambda: cstructs.born(ndim=-1))()
ELSEWHERE = cstructs.type_with_table(lambda: cstructs.born(device_type=2))()
GRADED = cstructs.type_with_table(cstructs.born)()
type(GRADED).requires_grad = True
MALFORMED = cstructs.born(ndim=-1)
STOLEN = type("Stolen", (), {"__dlpack_c_exchange_api__": dlferry.Tensor.__dlpack_c_exchange_api__})()


def take(source: object, **keywords: object) -> Callable[[], object]:
    return lambda: dlferry.from_dlpack(source, **keywords)


def enabled(array: Any) -> Any:
    """Give NumPy's arrays a table first; once more does nothing."""
    dlferry.numpy.enable_exchange_api()
    return array


def switched() -> None:
    """Give them one and take it away."""
    dlferry.numpy.enable_exchange_api()
    dlferry.numpy.disable_exchange_api()


def used_capsule() -> object:
    capsule = ARRAY.__dlpack__()
    dlferry.from_dlpack(capsule)
    return dlferry.from_dlpack(capsule)


ACTIONS: dict[str, Callable[[], object]] = {
    "import of an array": take(ARRAY),
    "import, versioned": take(NEW),
    "import, unversioned": take(OLD),
    "import through a table": take(TABLED),
    "import of our own": take(TENSOR),
    "import of a capsule": lambda: dlferry.from_dlpack(ARRAY.__dlpack__()),
    "import with a copy": take(ARRAY, copy=True),
    "import, read-only": take(ARRAY, writable=False),
    "import, writable": take(OLD, writable=True),
    "import, struct of C": lambda: dlferry.from_dlpack(cstructs.capsule(cstructs.born())),
    "refused: malformed": lambda: refused(take(dt.Crafted(b"", shape=[-1]).capsule()), BufferError)(),
    "refused: malformed, by a table": refused(take(BROKEN), BufferError),
    "refused: elsewhere, by a table": refused(take(ELSEWHERE), BufferError),
    "refused: marked, by a table": refused(take(GRADED), BufferError),
    "refused: major version": lambda: refused(
        take(dt.Crafted(b"", shape=[0], version=(2, 0)).capsule()), BufferError
    )(),
    "refused: used capsule": refused(used_capsule, BufferError),
    "refused: no capsule": refused(take(ODD), BufferError),
    "refused: no protocol": refused(take(NOTHING), TypeError),
    "refused: error inside": refused(take(FAILING), TypeError),
    "refused: device": refused(take(NEW, device=(2, 0)), BufferError, ValueError),
    "refused: device's name": refused(take(ARRAY, device="gpu"), ValueError),
    "refused: writable": refused(take(READ_ONLY, writable=True), BufferError),
    "refused: copied": lambda: refused(
        take(dt.Crafted(b"", shape=[0], flags=2).capsule(), copy=False), dlferry.CopyRequiredError
    )(),
    "export, unversioned, unused": lambda: TENSOR.__dlpack__(),
    "export, versioned, unused": lambda: TENSOR.__dlpack__(max_version=VERSIONED),
    "export, copied, unused": lambda: TENSOR.__dlpack__(max_version=VERSIONED, copy=True),
    "export, taken": lambda: cstructs.delete(cstructs.taken(TENSOR.__dlpack__(max_version=VERSIONED))),
    "export, taken by NumPy": lambda: np.from_dlpack(TENSOR),
    "export, relabelled": lambda: TENSOR.__dlpack__(dl_device=(1, 0)),
    "refused: unversioned and read-only": refused(lambda: FIXED.__dlpack__(), BufferError),
    "refused: version's form": refused(lambda: TENSOR.__dlpack__(max_version=[1]), TypeError),
    "refused: export to a device": refused(lambda: TENSOR.__dlpack__(dl_device=(2, 0)), BufferError),
    "refused: stream": refused(lambda: TENSOR.__dlpack__(stream=5), ValueError),
    "import of a derived array": take(DERIVED),
    "import of a type of others": take(OTHERS),
    "refused: type of NumPy": refused(take(TYPELESS), BufferError),
    "refused: byte order": refused(take(SWAPPED), BufferError),
    "NumPy: array": lambda: dlferry.numpy.from_dlpack(TENSOR),
    "NumPy: array of an array": lambda: dlferry.numpy.from_dlpack(ARRAY),
    "NumPy: array of a type of others": lambda: dlferry.numpy.from_dlpack(OTHERS),
    "NumPy: refused": refused(lambda: dlferry.numpy.from_dlpack(HIGH), BufferError),
    "NumPy: capsule": lambda: dlferry.numpy.to_dlpack(ARRAY),
    "NumPy: capsule, versioned": lambda: dlferry.numpy.to_dlpack(READ_ONLY, max_version=VERSIONED),
    "NumPy: capsule of a copy": lambda: dlferry.numpy.to_dlpack(SWAPPED),
    "NumPy: capsule of a derived array": lambda: dlferry.numpy.to_dlpack(DERIVED),
    "NumPy: refused capsule": refused(lambda: dlferry.numpy.to_dlpack(TYPELESS), BufferError),
    "NumPy, table: export": lambda: dt.exchange_from(enabled(ARRAY)).delete(),
    "NumPy, table: borrow": lambda: dt.exchange_borrow(enabled(ARRAY)),
    "NumPy, table: object": lambda: cstructs.made_object(enabled(np.ndarray), cstructs.born()),
    "NumPy, table: refused": refused(lambda: dt.exchange_from(enabled(SWAPPED)), BufferError),
    "NumPy, table: on and off": lambda: switched(),
    "buffer": lambda: memoryview(TENSOR),
    "buffer, through NumPy": lambda: np.asarray(memoryview(TENSOR)),
    "refused: buffer": refused(
        lambda: bytearray().join([FIXED, TENSOR])[0:0] or hash(memoryview(TENSOR)), ValueError
    ),
    "table: export": lambda: dt.exchange_from(TENSOR).delete(),
    "table: borrow": lambda: dt.exchange_borrow(TENSOR),
    "table: refused borrow": refused(lambda: dt.exchange_borrow(FIXED), BufferError),
    "table: object": lambda: cstructs.made_object(dlferry.Tensor, cstructs.born()),
    "table: refused object": refused(lambda: cstructs.made_object(dlferry.Tensor, MALFORMED), BufferError),
    "table: another type": refused(lambda: dt.exchange_from(STOLEN), TypeError),
    "table: allocate": lambda: dt.exchange_allocate(dlferry.Tensor, [3, 4], (2, 32, 1)).delete(),
    "table: refused allocation": refused(
        lambda: dt.exchange_allocate(dlferry.Tensor, [-1], (2, 32, 1)), RuntimeError
    ),
    "table: stream": lambda: dt.exchange_stream(dlferry.Tensor, 1, 0),
    "attributes": lambda: (
        TENSOR.shape,
        TENSOR.strides,
        TENSOR.dtype,
        TENSOR.device,
        TENSOR.owner,
        TENSOR.source,
    ),
    "values": lambda: (FIXED.tolist(), repr(FIXED)),
    **growth_ways.ACTIONS,
    **growth_arguments.ACTIONS,
}


def resident() -> int:
    """Return the bytes of this process that are in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def grown(action: Callable[[], object], times: int = 50_000) -> int:
    """Return how many bytes the second half of the repetitions added."""
    for _ in range(times):
        action()
    before = resident()
    for _ in range(times):
        action()
    return resident() - before


def batches(count: int) -> list[list[str]]:
    """Deal all names out to as many processes, near ones apart."""
    names = list(ACTIONS)
    return [names[first::count] for first in range(count)]


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(grown(ACTIONS[name]), name, flush=True)
