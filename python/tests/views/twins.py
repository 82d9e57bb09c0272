"""Tensors beside NumPy arrays over the same memory, and what must be the same in both."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dlferry
import numpy as np
import pytest

DTYPES = [
    "bool", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    "float16", "float32", "float64", "complex64", "complex128",
]  # fmt: skip


@contextmanager
def refused(kind: type[BaseException], match: str) -> Iterator[None]:
    """Expect an exception of exactly this class, made by dlferry and not by a panic in it."""
    with pytest.raises(kind, match=match) as caught:
        yield
    assert type(caught.value) is kind, repr(caught.value)


def cube(dtype: str = "int16") -> Any:
    """Make an array of three axes with different elements."""
    return np.arange(24).reshape(2, 3, 4).astype(dtype)


def tensor_of(array: Any) -> dlferry.Tensor:
    """Take an array with its right to be written, also from a NumPy that cannot say it."""
    return dlferry.from_buffer(array)


def begin(array: Any) -> int:
    """Return the address of the first element."""
    return int(array.__array_interface__["data"][0])


def check_twins(tensor: dlferry.Tensor, array: Any) -> None:
    """Compare all that both tell; strides where they mean something."""
    assert tensor.shape == array.shape
    assert (tensor.ndim, tensor.size, tensor.itemsize) == (array.ndim, array.size, array.itemsize)
    assert tensor.nbytes == array.nbytes
    assert (tensor.c_contiguous, tensor.f_contiguous) == (array.flags.c_contiguous, array.flags.f_contiguous)
    assert np.array_equal(
        np.asarray(tensor.tolist(), array.dtype).reshape(array.shape), array, equal_nan=True
    )
    if array.size:
        for extent, ours, theirs in zip(array.shape, tensor.strides, array.strides, strict=True):
            assert extent == 1 or ours * array.itemsize == theirs


def check_shared(tensor: dlferry.Tensor, array: Any) -> None:
    """Compare as `check_twins` does, and the memory too."""
    check_twins(tensor, array)
    if array.size:
        assert tensor.data_ptr == begin(array)


def imported(name: str) -> Any:
    """Import a library, or skip the test."""
    return pytest.importorskip(name, reason=f"{name} is not installed", exc_type=ImportError)
