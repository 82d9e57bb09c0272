"""NumPy arrays of the dtypes that ml_dtypes adds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from libraries import numpy as plain

CHAIN = "method"
WAYS: dict[str, Callable[[Any], Any]] = {
    "asarray": np.asarray,
    "method": lambda tensor: tensor.numpy(),
}


def make(dtype: str, layout: str) -> Any:
    """Make an array; None where this release lacks the dtype."""
    kind = getattr(ml_dtypes, dtype, None)
    return kind and plain.LAYOUTS[layout](plain.base_of(np.dtype(kind), dtype, layout))


values, pointer, writable = plain.values, plain.pointer, plain.writable


def takes_a_byte_for_an_element_below_one() -> str:
    return ", ".join(str(np.dtype(kind).itemsize) for kind in (ml_dtypes.int4, ml_dtypes.float4_e2m1fn))


def has_no_buffer_format() -> str:
    return str(memoryview(np.zeros(1, ml_dtypes.bfloat16)).format)


def has_no_dlpack_of_its_own() -> str:
    return str(np.zeros(1, ml_dtypes.bfloat16).__dlpack__(max_version=(1, 0)))


def has_a_typestr_of_raw_bytes() -> str:
    return str(np.zeros(1, ml_dtypes.bfloat16).__array_interface__["typestr"])
