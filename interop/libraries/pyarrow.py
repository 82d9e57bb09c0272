"""Arrow arrays: of one axis, immutable, and a producer only; buffers go the other way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dlferry
import dlferry_testing as dt
import pyarrow as pa
from tensors import COUNT, pattern

WAYS: dict[str, Callable[[Any], Any]] = {"py_buffer": pa.py_buffer}
LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "contiguous": lambda base: base,
    "offset": lambda base: base[5:],
    "empty": lambda base: base[:0],
    "one-element": lambda base: base[23:],
}


def make(dtype: str, layout: str) -> Any:
    """Make an array."""
    kind = getattr(pa, dtype)()
    return LAYOUTS[layout](pa.Array.from_buffers(kind, COUNT, [None, pa.py_buffer(pattern(dtype))]))


def values(array: Any) -> Any:
    """List the elements; a buffer has no dtype."""
    return array.to_pylist() if isinstance(array, pa.Array) else ...


def pointer(array: Any) -> int:
    """Tell where the first element is."""
    if isinstance(array, pa.Array):
        return int(array.buffers()[1].address) + array.offset * array.type.bit_width // 8
    return int(array.address)


def writable(array: Any) -> bool:
    """Tell if the memory may be written."""
    return bool(array.is_mutable)


# Probes of quirks.


def is_always_read_only() -> str:
    return str(dt.inspect(pa.array([1, 2]).__dlpack__(max_version=(1, 0)))["flags"])


def is_read_only_unversioned_all_the_same() -> str:
    return dt.capsule_name(pa.array([1, 2]).__dlpack__())


def empty_data_is_null() -> str:
    return str(dt.inspect(pa.array([], pa.int32()).__dlpack__(max_version=(1, 0)))["data"])


def refuses_nulls() -> str:
    return str(dlferry.from_dlpack(pa.array([1, None])).tolist())


def refuses_bits() -> str:
    return str(dlferry.from_dlpack(pa.array([True, False])).tolist())


def copy_needs_a_version() -> str:
    return dt.capsule_name(pa.array([1]).__dlpack__(copy=True))


def stream_is_refused() -> str:
    return dt.capsule_name(pa.array([1]).__dlpack__(stream=1))


def buffer_is_taken_as_bytes() -> str:
    tensor = dlferry.from_buffer(pa.array([1, 2], pa.int16()).buffers()[1])
    return f"{tensor.dtype}, {'read-only' if tensor.readonly else 'writable'}"
