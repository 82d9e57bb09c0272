"""Recipes and producers that the tests of the protocol share."""

from __future__ import annotations

import struct
from typing import Any

import dlferry
import dlferry_testing as dt

# An address that nobody may follow: reading it ends the process.
NOWHERE = 0xDEAD0000

READ_ONLY = 1
IS_COPIED = 2
PADDED = 4

CPU, CUDA, CUDA_HOST, ROCM, ROCM_HOST, MANAGED, TPU_HOST = 1, 2, 3, 10, 11, 13, 20
HOST_READABLE = [CPU, CUDA_HOST, ROCM_HOST, MANAGED, TPU_HOST]
OTHER_DEVICES = [CUDA, 4, 7, 8, 9, ROCM, 12, 14, 15, 16, 17, 18, 19, 21, 99, -5]


def floats(**fields: Any) -> dt.Crafted:
    """Return a recipe of six float32, 0.0 to 5.0, in two rows, but for the fields that are given."""
    data = struct.pack("=6f", *range(6))
    return dt.Crafted(data, **{"shape": [2, 3], "strides": [3, 1], **fields})


def on_device(kind: int, index: int = 0, **fields: Any) -> dt.Crafted:
    """Return the same recipe on a device, at an address that leads nowhere."""
    return floats(device=(kind, index), address=NOWHERE, **fields)


def taken(crafted: dt.Crafted, style: str = "new", **keywords: Any) -> dlferry.Tensor:
    """Import a recipe from a producer of a style."""
    return dlferry.from_dlpack(dt.Producer(crafted, style=style), **keywords)


def deletions(crafted: dt.Crafted) -> int:
    """Count the calls of the deleter."""
    return len(crafted.deleter_calls)


def exported(tensor: Any, **keywords: Any) -> dict[str, Any]:
    """Return the fields of what an object exports; the capsule is dropped unused."""
    fields: dict[str, Any] = dt.inspect(tensor.__dlpack__(**{"max_version": (1, 3), **keywords}))
    return fields
