"""Tensors of every dtype and layout, made by dlferry alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dlferry

SHAPE = (2, 3, 4)
COUNT = 24

# Names of the dtypes below a byte, whose elements are packed.
PACKED = [
    *("int2", "int4", "uint1", "uint2", "uint4"),
    *("float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn"),
]
DTYPES = [
    "bool",
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    *("float16", "bfloat16", "float32", "float64", "complex32", "complex64", "complex128", "bcomplex32"),
    *("float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz"),
    *("float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"),
    *PACKED,
]
# How the layouts come from the row-major one. Of the packed dtypes, a view begins where a byte begins.
LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "contiguous": lambda base: base,
    "transposed": lambda base: base.permute_dims((2, 0, 1)),
    "step": lambda base: base[:, ::2, 1::2],
    "reversed": lambda base: base[::-1, :, ::-1],
    "broadcast": lambda base: base[:, :1].broadcast_to(SHAPE),
    "offset": lambda base: base[1:, 1:, 1:],
    "empty": lambda base: base[:, 3:],
    "no-axes": lambda base: base[1, 2, 3],
    "one-element": lambda base: base[1:, 2:, 3:],
    "misaligned": lambda base: base,
    "read-only": lambda base: dlferry.from_dlpack(base, writable=False),
}
OF_PACKED = ("contiguous", "transposed", "broadcast", "empty", "misaligned", "read-only")


def layouts_of(dtype: str) -> list[str]:
    """List the layouts that a dtype can have."""
    return list(OF_PACKED if dtype in PACKED else LAYOUTS)


def pattern(dtype: str, count: int = COUNT) -> bytes:
    """Make the bytes of so many elements: different ones, and in every float format ordinary numbers."""
    size = -(-dlferry.dtype(dtype).bits * count // 8)
    data = bytes(0x21 + index * 5 % 29 for index in range(size))
    return bytes(byte & 1 for byte in data) if dtype == "bool" else data


def tensor(dtype: str, layout: str) -> Any:
    """Make a tensor on memory of its own, which begins at a multiple of 64 bytes unless it is the misaligned one."""
    data = pattern(dtype)
    shift = int(layout == "misaligned")
    memory = dlferry.from_buffer(bytes(shift) + data, copy=True)[shift:]
    return LAYOUTS[layout](memory.view(dtype).reshape(SHAPE))
