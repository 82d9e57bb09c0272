"""Tensors of more axes than anybody has: what walks them must neither recurse without end nor show without end."""

from __future__ import annotations

import dlferry
import dlferry_testing as dt
import pytest


def of_axes(ndim: int, extent: int = 1) -> dlferry.Tensor:
    crafted = dt.Crafted(bytes(4), shape=[extent] * ndim, strides=[0] * ndim)
    return dlferry.from_dlpack(crafted.capsule())


@pytest.mark.parametrize("ndim", [65, 1_000])
def test_lists_are_nested_to_a_depth_that_python_can_take(ndim: int) -> None:
    nested = of_axes(ndim).tolist()
    for _ in range(ndim):
        (nested,) = nested
    assert nested == 0.0


@pytest.mark.parametrize("ndim", [1_001, 1_000_000])
def test_deeper_lists_are_a_value_error(ndim: int) -> None:
    with pytest.raises(ValueError, match=f"{ndim} axes"):
        of_axes(ndim).tolist()


def test_repr_of_very_many_axes_shows_no_values() -> None:
    assert repr(of_axes(100_000)).startswith("Tensor([...], shape=(1, 1, ")


def test_repr_of_many_short_axes_ends() -> None:
    tensor = of_axes(60, extent=2)
    assert tensor.size == 2**60
    assert repr(tensor).startswith("Tensor([...], shape=(2, 2, ")


def test_very_many_axes_are_exported_and_indexed() -> None:
    tensor = of_axes(100_000)
    again = dlferry.from_dlpack(tensor.__dlpack__(max_version=(1, 0)))
    assert again.ndim == 100_000
    assert again[0].ndim == 99_999
    assert again.reshape(1).tolist() == [0.0]
