"""The array API to the letter, on NumPy's memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import array_api_strict as xp
import dlferry
import numpy as np
from tensors import SHAPE

from libraries import numpy as plain

CHAIN = "from_dlpack"
WAYS: dict[str, Callable[[Any], Any]] = {
    "from_dlpack": xp.from_dlpack,
    "from_dlpack copy=False": lambda tensor: xp.from_dlpack(tensor, copy=False),
    "from_dlpack copy=True": lambda tensor: xp.from_dlpack(tensor, copy=True),
    "asarray": xp.asarray,
}


def make(dtype: str, layout: str) -> Any:
    """Make an array; None where the standard lacks the dtype."""
    base = xp.asarray(plain.base_of(np.dtype(dtype), dtype, layout), copy=False)
    made: dict[str, Callable[[], Any]] = {
        "contiguous": lambda: base,
        "transposed": lambda: xp.permute_dims(base, (2, 0, 1)),
        "step": lambda: base[:, ::2, 1::2],
        "reversed": lambda: base[::-1, :, ::-1],
        "broadcast": lambda: xp.broadcast_to(base[:, :1, :], SHAPE),
        "offset": lambda: base[1:, 1:, 1:],
        "empty": lambda: base[:, 3:, :],
        "no-axes": lambda: base[1, 2, 3],
        "one-element": lambda: base[1:, 2:, 3:],
    }
    return made[layout]()


def values(array: Any) -> Any:
    """List the elements."""
    return plain.values(array._array)


def pointer(array: Any) -> int:
    """Tell where the first element is."""
    return plain.pointer(array._array)


def writable(array: Any) -> bool:
    """Tell if the array may be written."""
    return plain.writable(array._array)


# Probes of quirks.


def device_is_an_object() -> str:
    return str(dlferry.from_dlpack(xp.asarray([1.0]), device="cpu").device)


def asks_with_all_keywords() -> str:
    asked = []

    class Producer:
        def __dlpack__(self, **keywords: Any) -> Any:
            asked.append(" ".join(sorted(keywords)) or "nothing")
            return dlferry.from_buffer(bytes(4), copy=True).__dlpack__(**keywords)

        def __dlpack_device__(self) -> Any:
            return (1, 0)

    xp.from_dlpack(Producer())
    return "; ".join(asked)


def dtypes_outside_the_standard_are_refused() -> str:
    return str(xp.from_dlpack(dlferry.from_buffer(bytes(4), copy=True).view("float16")).dtype)
