"""Arrays of every kind that NumPy has, and what this NumPy can do; it may be one without any DLPack."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

MAJOR = int(np.__version__.split(".")[0])
# NumPy before 1.22 has no DLPack, before 2.1 the unversioned protocol only, and before 2.5 no dtypes of others in it.
HAS_DLPACK = hasattr(np.ndarray, "__dlpack__")
HAS_VERSIONS = tuple(int(part) for part in np.__version__.split(".")[:2]) >= (2, 1)
MAX_AXES = 64 if MAJOR >= 2 else 32

# NumPy's letters of its own numbers, those of C's types that have several names among them.
LETTERS = "?bBhHiIlLqQefdFD"
SWAPPED = np.dtype(np.int32).newbyteorder()
OTHER_ORDER = SWAPPED.str[0]


def name_of(dtype: Any) -> str:
    """Tell DLPack's name of one of NumPy's own numbers."""
    kind = {"b": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex"}[dtype.kind]
    return kind if kind == "bool" else f"{kind}{8 * dtype.itemsize}"


def extremes(letter: str) -> Any:
    """Make an array of the values at the edges of a type."""
    dtype = np.dtype(letter)
    if dtype.kind == "b":
        return np.array([True, False, True])
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return np.array([limits.min, limits.max, 1, 0], dtype)
    real = np.finfo(dtype)
    edges = [real.max, real.min, real.tiny, real.eps, -0.0, np.inf, -np.inf, np.nan]
    array = np.array(edges, dtype)
    if dtype.kind == "c":
        array.imag = edges[::-1]
    return array


def cube(dtype: Any = "int32") -> Any:
    """Make an array of three axes with different elements."""
    return np.arange(24).reshape(2, 3, 4).astype(dtype)


def frozen(array: Any) -> Any:
    """Take the right to write away."""
    array.flags.writeable = False
    return array


def beside_alignment() -> Any:
    """Make an array whose elements lie one byte beside their alignment."""
    array = np.frombuffer(bytearray(41), np.uint8)[1:].view(np.float64)
    array[:] = range(5)
    return array


# Names of the layouts and how they are made, anew for each test.
LAYOUTS: dict[str, Callable[[], Any]] = {
    "row-major": cube,
    "column-major": lambda: np.asfortranarray(cube()),
    "transposed": lambda: cube().transpose(1, 2, 0),
    "reversed": lambda: cube()[::-1, :, ::-1],
    "strided": lambda: cube()[:, ::2, 1::2],
    "strided backwards": lambda: cube()[:, ::-2, -2::-2],
    "part": lambda: cube()[1:, 1:, 1:-1],
    "diagonal": lambda: np.arange(25.0).reshape(5, 5).diagonal().copy()[::2],
    "no axes": lambda: np.array(2.5),
    "no axes, of a part": lambda: cube()[1, 2, 3, ...],
    "empty": lambda: np.zeros(0),
    "empty rows": lambda: np.zeros((3, 0), np.int8),
    "empty columns": lambda: np.zeros((0, 3), np.complex64),
    "empty part": lambda: cube()[:, 3:],
    "empty with a stride that is no element": lambda: as_strided(np.zeros(3), (0, 3), (5, 3)),
    "one element, with any strides": lambda: as_strided(np.arange(3.0), (1, 1), (800, -8)),
    "one element, with strides that are no elements": lambda: as_strided(np.arange(3.0), (1, 3), (5, 8)),
    "new axes": lambda: np.arange(6.0)[:, None, None],
    "beside alignment": beside_alignment,
    "eight axes": lambda: np.arange(256.0).reshape((2,) * 8).transpose(),
    "nine axes": lambda: np.arange(512.0).reshape((2,) * 9)[::-1].transpose(),
    "as many axes as there can be": lambda: np.arange(2.0).reshape((1,) * (MAX_AXES - 1) + (2,)),
    "a field in step": lambda: np.zeros(4, [("a", "f4"), ("b", "f4")])["b"],
    "the imaginary parts": lambda: np.array([1 + 2j, 3 + 4j]).imag,
}
# The same, of arrays that must not be written.
READ_ONLY: dict[str, Callable[[], Any]] = {
    "flag": lambda: frozen(cube()),
    "flag of a part": lambda: frozen(cube())[::-1, 1],
    "broadcast": lambda: np.broadcast_to(np.arange(3.0), (2, 3)),
    "bytes": lambda: np.frombuffer(b"abcdefgh", np.int32),
    "empty": lambda: frozen(np.zeros((0, 2))),
    "no axes": lambda: frozen(np.array(2.5)),
    "a warning, with repeated elements": lambda: np.broadcast_arrays(np.zeros(3), np.zeros((2, 1)))[0],
    "a warning": lambda: np.broadcast_arrays(np.zeros(3), np.zeros((1, 3)))[0],
    "elements that overlap": lambda: as_strided(np.arange(8.0), (3, 3), (8, 8)),
}


def packed_field() -> Any:
    """Make a field whose elements are no whole number of themselves apart."""
    whole = np.zeros(3, [("a", "f4"), ("b", "i1")])
    whole["a"] = [0.5, 1.5, -2.5]
    return whole["a"]


# What a tensor cannot describe and a copy can.
AWKWARD: dict[str, Callable[[], Any]] = {
    "swapped": lambda: np.arange(-2, 3).astype(SWAPPED),
    "swapped, reversed": lambda: np.arange(5).astype(SWAPPED)[::-2],
    "swapped, no axes": lambda: np.array(7, SWAPPED),
    "swapped, empty": lambda: np.zeros((0, 2), SWAPPED),
    "swapped, read-only": lambda: frozen(np.arange(3).astype(SWAPPED)),
    "swapped, complex": lambda: np.array([1 + 2j, -3.5j]).astype(np.dtype("c16").newbyteorder()),
    "field": packed_field,
    "field, swapped": lambda: np.array([(1, 2), (3, 4)], [("a", "u1"), ("b", np.dtype("i4").newbyteorder())])[
        "b"
    ],
    "stride of five bytes": lambda: as_strided(np.frombuffer(bytes(range(24)), "u2"), (3,), (5,)),
}

# What has no type in DLPack, and the remedy that the refusal names.
TYPELESS: dict[str, tuple[Callable[[], Any], str]] = {
    "long double": (lambda: np.zeros(3, np.longdouble), 'astype("float64")'),
    "complex of long doubles": (lambda: np.zeros(3, np.clongdouble), 'astype("complex128")'),
    "datetime": (lambda: np.zeros(3, "datetime64[s]"), 'view("int64")'),
    "timedelta": (lambda: np.zeros(3, "timedelta64[ms]"), 'view("int64")'),
    "bytes": (lambda: np.array([b"a", b"bc"]), 'view("uint8")'),
    "text": (lambda: np.array(["a", "bc"]), 'view("uint32")'),
    "objects": (lambda: np.array([None, 1]), "astype(...)"),
    "void": (lambda: np.zeros(3, "V5"), 'view("uint8")'),
    "structure": (lambda: np.zeros(3, "f4,i4"), 'array["name"]'),
    "structure of one field": (lambda: np.zeros(3, [("x", "f4")]), 'array["name"]'),
    "no axes": (lambda: np.array("text"), 'view("uint32")'),
    "empty": (lambda: np.zeros(0, "datetime64[D]"), 'view("int64")'),
    "swapped": (
        lambda: np.array([1, 2], np.dtype("datetime64[s]").newbyteorder()),
        f'view("{OTHER_ORDER}i8") to asarray',
    ),
    "swapped text": (
        lambda: np.array(["a", "bc"], f"{OTHER_ORDER}U2"),
        f'view("{OTHER_ORDER}u4") to asarray',
    ),
}
if MAJOR >= 2:
    TYPELESS["strings of any length"] = (
        lambda: np.array(["a", "bc"], np.dtypes.StringDType()),
        "astype(...)",
    )
if np.dtype(np.longdouble).itemsize == 8:
    del TYPELESS["long double"], TYPELESS["complex of long doubles"]

# Of the types of ml_dtypes, values that each can hold.
OTHERS: dict[str, list[float | complex]] = {
    "bfloat16": [1.5, -2.0, 2.0**127, 0.0078125],
    "float8_e3m4": [1.5, -2.0, 15.5, 0.25],
    "float8_e4m3": [1.5, -2.0, 240.0, 0.25],
    "float8_e4m3fn": [1.5, -2.0, 448.0, 0.25],
    "float8_e4m3fnuz": [1.5, -2.0, 240.0, 0.25],
    "float8_e4m3b11fnuz": [1.5, -2.0, 30.0, 0.25],
    "float8_e5m2": [1.5, -2.0, 57344.0, 0.25],
    "float8_e5m2fnuz": [1.5, -2.0, 57344.0, 0.25],
    "float8_e8m0fnu": [1.0, 2.0, 0.25, 1024.0],
    "float6_e2m3fn": [1.5, -2.0, 7.5, 0.125],
    "float6_e3m2fn": [1.5, -2.0, 28.0, 0.25],
    "float4_e2m1fn": [1.5, -2.0, 6.0, 0.5],
    "int1": [0, -1, -1, 0],
    "uint1": [0, 1, 1, 0],
    "int2": [1, -2, 0, -1],
    "uint2": [1, 3, 0, 2],
    "int4": [1, -8, 7, -1],
    "uint4": [1, 15, 7, 9],
    "complex32": [1.5 - 2j, 0.25j, -3.0, 0.0],
    "bcomplex32": [1.5 - 2j, 0.25j, -3.0, 0.0],
}


def others() -> dict[str, Any]:
    """Find the types of ml_dtypes that this release of it has, by name."""
    try:
        import ml_dtypes
    except ImportError:
        return {}
    return {name: getattr(ml_dtypes, name) for name in OTHERS if hasattr(ml_dtypes, name)}


def other(name: str) -> Any:
    """Make an array of a type of ml_dtypes: its values, in two rows."""
    return np.array(OTHERS[name]).astype(others()[name]).reshape(2, 2)


def values(array: Any) -> Any:
    """List the elements as Python's numbers, those of others too."""
    if array.dtype.kind in "biufc":
        return array.tolist()
    return array.astype(np.complex128 if "complex" in str(array.dtype) else np.float64).tolist()
