"""Arrays of every layout that NumPy makes, and what this NumPy can do."""

from typing import Any

import dlferry
import numpy as np
from numpy.lib.stride_tricks import as_strided

# NumPy before 2.1 has the unversioned protocol only: it refuses read-only tensors. Its own arrays are read by their
# structure, whatever its version.
VERSIONED = tuple(int(part) for part in np.__version__.split(".")[:2]) >= (2, 1)
# NumPy before 2.2.5 makes read-only arrays of whatever it imports.
WRITES = bool(np.from_dlpack(dlferry.from_dlpack(np.zeros(1), copy=True)).flags.writeable)

DTYPES = [
    "bool",
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    *("float16", "float32", "float64", "complex64", "complex128"),
]


def misaligned() -> Any:
    """Make an array whose elements lie one byte beside their alignment."""
    memory = np.frombuffer(bytearray(41), np.uint8)[1:]
    array = memory.view(np.float64)
    array[:] = range(5)
    return array


def cube(dtype: str = "int32") -> Any:
    """Make an array of three axes with different elements."""
    return np.arange(24).reshape(2, 3, 4).astype(dtype)


# Names of the layouts and how they are made, anew for each test.
LAYOUTS: dict[str, Any] = {
    "row-major": cube,
    "column-major": lambda: np.asfortranarray(cube()),
    "transposed": lambda: cube().transpose(1, 2, 0),
    "reversed": lambda: cube()[::-1, :, ::-1],
    "strided": lambda: cube()[:, ::2, 1::2],
    "sub-view": lambda: cube()[1:, 1:, 1:-1],
    "one axis": lambda: np.arange(7.0),
    "one element": lambda: cube()[1:, 2:, 3:],
    "no axes": lambda: np.array(2.5),
    "no axes of a view": lambda: cube()[1, 2, 3, ...],
    "empty": lambda: np.zeros((0,)),
    "empty rows": lambda: np.zeros((3, 0), np.int8),
    "empty columns": lambda: np.zeros((0, 3), np.complex64),
    "empty slice": lambda: cube()[:, 3:],
    "odd stride of one element": lambda: as_strided(np.arange(3.0), (1, 3), (800, 8)),
    "new axes": lambda: np.arange(6.0)[:, None, None],
    "misaligned": misaligned,
    "many axes": lambda: np.arange(2.0).reshape((1,) * 20 + (2,)),
}
# The same, of arrays that must not be written.
READ_ONLY: dict[str, Any] = {
    "flag": lambda: frozen(cube()),
    "broadcast": lambda: np.broadcast_to(np.arange(3.0), (2, 3)),
    "broadcast without axes": lambda: np.broadcast_to(np.float32(1.5), (2, 3)),
    "bytes": lambda: np.frombuffer(b"abcdefgh", np.int32),
    "empty": lambda: frozen(np.zeros((0, 2))),
    "no axes": lambda: frozen(np.array(2.5)),
}


def frozen(array: Any) -> Any:
    """Take the right to write away."""
    array.flags.writeable = False
    return array
