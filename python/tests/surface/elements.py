"""Every dtype that has values, and crafted tensors over given bytes."""

from typing import Any

import dlferry
import dlferry_testing as dt
import numpy as np

READ_ONLY, COPIED, PADDED = 1, 2, 4

# Code and bits of each dtype with a name, from the header.
CODES: dict[str, tuple[int, int]] = {
    **{f"int{bits}": (0, bits) for bits in (1, 2, 4, 8, 16, 32, 64)},
    **{f"uint{bits}": (1, bits) for bits in (1, 2, 4, 8, 16, 32, 64)},
    **{f"float{bits}": (2, bits) for bits in (16, 32, 64)},
    "bfloat16": (4, 16),
    **{f"complex{bits}": (5, bits) for bits in (32, 64, 128)},
    "bool": (6, 8),
    "float8_e3m4": (7, 8),
    "float8_e4m3": (8, 8),
    "float8_e4m3b11fnuz": (9, 8),
    "float8_e4m3fn": (10, 8),
    "float8_e4m3fnuz": (11, 8),
    "float8_e5m2": (12, 8),
    "float8_e5m2fnuz": (13, 8),
    "float8_e8m0fnu": (14, 8),
    "float6_e2m3fn": (15, 6),
    "float6_e3m2fn": (16, 6),
    "float4_e2m1fn": (17, 4),
    "bcomplex32": (18, 32),
}

# NumPy's own dtypes, by the names that both have.
NUMPY = [
    "bool",
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    *("float16", "float32", "float64", "complex64", "complex128"),
]


def crafted(data: bytes, name: str, shape: list[int], **fields: Any) -> Any:
    """Make a tensor over a copy of the bytes."""
    code, bits = CODES[name]
    recipe = dt.Crafted(data, shape=shape, code=code, bits=bits, **fields)
    return dlferry.from_dlpack(dt.Producer(recipe))


def same(left: Any, right: Any) -> bool:
    """Compare two lists of numbers: equal, zeros of the same sign, and one NaN as good as another."""
    a, b = np.asarray(left), np.asarray(right)
    if not (a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")):
        return False
    numbers = a == b
    return np.array_equal(np.signbit(a.real)[numbers], np.signbit(b.real)[numbers])
