"""Dtypes that somebody registered with NumPy for DLPack, from 2.5 on: run as ``python dlpack_registry.py NAME``.

A registration is for the process and cannot be taken back.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import dlferry
import dlferry_testing as dt
import numpy as np
from ndarrays import other

CASES: dict[str, Callable[[], None]] = {}


def case(function: Callable[[], None]) -> Callable[[], None]:
    """Add a function to what can be run by name."""
    CASES[function.__name__] = function
    return function


def register(code: int, bits: int, dtype: Any) -> None:
    """Tell NumPy of a dtype."""
    dtypes: Any = np.dtypes
    dtypes.register_dlpack_dtype((code, bits), np.dtype(dtype))


def crafted(code: int, bits: int, **fields: Any) -> Any:
    """Make a producer of four bytes of a type."""
    size = 32 // bits
    recipe = dt.Crafted(
        bytes([1, 2, 3, 4]), shape=[size], strides=[1], code=code, bits=bits, lanes=1, **fields
    )
    return dt.Producer(recipe)


@case
def code_that_nobody_knows_comes_in_as_what_was_registered() -> None:
    import ml_dtypes

    register(200, 16, ml_dtypes.bfloat16)
    array = dlferry.numpy.from_dlpack(crafted(200, 16))
    assert (array.dtype, array.shape) == (np.dtype(ml_dtypes.bfloat16), (2,))
    assert array.tobytes() == bytes([1, 2, 3, 4])
    assert array.flags.writeable
    assert not dlferry.numpy.from_dlpack(crafted(200, 16, flags=1)).flags.writeable


@case
def registered_code_goes_out() -> None:
    """Also where our own table has another."""
    import ml_dtypes

    before = dlferry.from_dlpack(other("bfloat16")).dtype
    assert str(before) == "bfloat16"
    try:
        register(201, 16, ml_dtypes.bfloat16)
    except ValueError:
        return
    array = other("bfloat16")
    theirs = dt.inspect(array.__dlpack__(max_version=(1, 0)))["dtype"]
    ours = dlferry.from_dlpack(array).dtype
    assert (ours.code, ours.bits, ours.lanes) == theirs
    assert dt.inspect(dlferry.numpy.to_dlpack(array, max_version=(1, 0)))["dtype"] == theirs


@case
def our_table_goes_on_beside_it() -> None:
    import ml_dtypes

    register(200, 16, ml_dtypes.bfloat16)
    for name in ("float8_e4m3fn", "int4"):
        array = other(name)
        assert dlferry.numpy.from_dlpack(dlferry.from_dlpack(array)).dtype == array.dtype


@case
def device_and_axes_are_still_refused() -> None:
    import ml_dtypes

    register(200, 16, ml_dtypes.bfloat16)
    for fields in ({"device": (2, 0), "address": 0xDEAD0000}, {"shape": [1] * 65, "strides": [1] * 65}):
        recipe = dt.Crafted(bytes(4), code=200, bits=16, lanes=1, **{"shape": [2], "strides": [1], **fields})
        try:
            dlferry.numpy.from_dlpack(dt.Producer(recipe))
        except BufferError:
            continue
        raise AssertionError("nothing was raised")


if __name__ == "__main__":
    CASES[sys.argv[1]]()
