"""Chains of view operations on arrays of any layout, with NumPy to say what comes of them."""

from __future__ import annotations

from typing import Any

import dlferry
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided
from twins import DTYPES, check_shared, check_twins, tensor_of

Pair = tuple[dlferry.Tensor, Any]

slices = st.builds(
    slice,
    st.none() | st.integers(-6, 6),
    st.none() | st.integers(-6, 6),
    st.sampled_from([None, 1, 2, 3, 7, -1, -2, -3]),
)


@st.composite
def arrays(draw: st.DrawFn) -> Any:
    """Draw an array: shape, strides of either sign or none, offset, dtype."""
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    shape = tuple(draw(st.lists(st.sampled_from([0, 1, 1, 2, 3, 4]), max_size=5)))
    size = int(np.prod([extent for extent in shape if extent])) if shape else 1
    memory = np.arange(4 * size + 64)
    whole = (memory % 2 == 1) if dtype.kind == "b" else memory.astype(dtype)
    order = draw(st.permutations(range(len(shape))))
    strides = [0] * len(shape)
    step = draw(st.sampled_from([1, 1, 1, 2]))
    for axis in order:
        strides[axis] = step * draw(st.sampled_from([1, 1, 1, -1]))
        step *= max(shape[axis], 1)
    lowest = sum(
        (extent - 1) * stride for extent, stride in zip(shape, strides, strict=True) if stride < 0 < extent
    )
    first = draw(st.integers(0, 5)) - lowest
    return as_strided(whole[first:], shape, [stride * dtype.itemsize for stride in strides])


def index(draw: st.DrawFn, pair: Pair) -> Pair:
    """Pick, slice, skip and insert axes."""
    tensor, array = pair
    front = draw(st.integers(0, array.ndim))
    back = draw(st.integers(0, array.ndim - front))
    key: list[Any] = []
    for axis in (*range(front), *range(array.ndim - back, array.ndim)):
        extent = array.shape[axis]
        if extent and draw(st.booleans()):
            key.append(draw(st.integers(-extent, extent - 1)))
        else:
            key.append(draw(slices))
    if back or draw(st.booleans()):
        key.insert(front, Ellipsis)
    for _ in range(draw(st.integers(0, 2))):
        key.insert(draw(st.integers(0, len(key))), None)
    # A trailing ellipsis makes NumPy answer arrays without axes, as dlferry always does.
    wide = tuple(key) if Ellipsis in key else (*key, Ellipsis)
    return tensor[key[0] if len(key) == 1 else tuple(key)], array[wide]


def reshape(draw: st.DrawFn, pair: Pair) -> Pair:
    """Ask for a shape of as many elements; a view exactly when NumPy's is one."""
    tensor, array = pair
    rest, shape = array.size, []
    for _ in range(draw(st.integers(0, 4))):
        factor = draw(st.sampled_from([f for f in (1, 2, 3, 4, 6) if rest % f == 0] or [1]))
        shape.append(factor)
        rest = rest // factor
    shape.insert(draw(st.integers(0, len(shape))), draw(st.sampled_from([-1, rest])) if array.size else rest)
    copied = array.reshape(shape)
    if array.size and not np.shares_memory(copied, array):
        with pytest.raises(dlferry.CopyRequiredError):
            tensor.reshape(shape)
        made = tensor.copy().reshape(*shape)
        return made, as_strided_like(made, copied)
    return tensor.reshape(shape), copied


def permute(draw: st.DrawFn, pair: Pair) -> Pair:
    """Reorder the axes in one of the ways there are."""
    tensor, array = pair
    way = draw(st.sampled_from(["permute", "T", "mT"]))
    if way == "T":
        return tensor.T, array.T
    if way == "mT" and array.ndim >= 2:
        return tensor.mT, np.swapaxes(array, -1, -2)
    axes = draw(st.permutations(range(array.ndim)))
    axes = [axis - array.ndim if draw(st.booleans()) else axis for axis in axes]
    return tensor.permute_dims(tuple(axes)), array.transpose(axes)


def squeeze(draw: st.DrawFn, pair: Pair) -> Pair:
    """Drop axes of extent 1."""
    tensor, array = pair
    single = [axis for axis, extent in enumerate(array.shape) if extent == 1]
    if not single or draw(st.booleans()):
        return tensor.squeeze(), array.squeeze()
    axes = tuple(draw(st.lists(st.sampled_from(single), unique=True)))
    return tensor.squeeze(axes), array.squeeze(axes)


def expand(draw: st.DrawFn, pair: Pair) -> Pair:
    """Add an axis."""
    tensor, array = pair
    axis = draw(st.integers(-array.ndim - 1, array.ndim))
    return tensor.expand_dims(axis), np.expand_dims(array, axis)


def broadcast(draw: st.DrawFn, pair: Pair) -> Pair:
    """Repeat along new axes and those of extent 1."""
    tensor, array = pair
    assume(array.ndim < 7)
    shape = [draw(st.integers(0, 3)) if extent == 1 else extent for extent in array.shape]
    shape = draw(st.lists(st.integers(0, 2), max_size=2)) + shape
    wide = tensor.broadcast_to(shape)
    assert wide.readonly
    return wide, np.broadcast_to(array, shape)


def retype(draw: st.DrawFn, pair: Pair) -> Pair:
    """Read the bytes as another type where both can."""
    tensor, array = pair
    dtype = draw(st.sampled_from([name for name in DTYPES if name != "bool"]))
    try:
        theirs = array.view(dtype)
    except ValueError:
        # Where NumPy refuses, so does dlferry, or the last axis has one element and any stride will do.
        if array.ndim == 0 or (array.shape[-1] != 1 and array.size):
            with pytest.raises(ValueError, match=r"bits|stride|axis"):
                tensor.view(dtype)
        return pair
    try:
        ours = tensor.view(dtype)
    except ValueError:
        # Strides count elements: those that are no multiple cannot be said in DLPack.
        grown = np.dtype(dtype).itemsize > array.itemsize
        assert grown
        assert any(stride % np.dtype(dtype).itemsize for stride in array.strides[:-1])
        return pair
    return ours, theirs


def copy(draw: st.DrawFn, pair: Pair) -> Pair:
    """Copy in any order."""
    tensor, array = pair
    order = draw(st.sampled_from(["C", "F", "K"]))
    made = tensor.copy(order)
    assert (made.copied, made.readonly, made.owner) == (True, False, None)
    assert made.size == 0 or made.data_ptr % 64 == 0
    if order == "K":
        assert made.size == 0 or all(stride > 0 for stride in made.strides)
        return made, as_strided_like(made, array)
    check_twins(made, array.copy(order))
    return made, as_strided_like(made, array)


def as_strided_like(tensor: dlferry.Tensor, array: Any) -> Any:
    """Return NumPy's array over the memory of a copy, after comparing the elements."""
    again = np.asarray(tensor)
    assert np.array_equal(again, array, equal_nan=True)
    return again


OPERATIONS = [index, reshape, permute, squeeze, expand, broadcast, retype, copy]


@settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much], deadline=None, max_examples=250
)
@given(st.data(), arrays())
def test_chain_of_views_is_as_that_of_numpy(data, array):
    tensor = tensor_of(array)
    check_twins(tensor, array)
    pair: Pair = (tensor, array)
    for _ in range(data.draw(st.integers(1, 5))):
        operation = data.draw(st.sampled_from(OPERATIONS))
        pair = data.draw(st.composite(operation)(pair))
        check_shared(*pair)
        assert pair[0].source == "buffer"


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.__name__)
@settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much], deadline=None, max_examples=120
)
@given(st.data(), arrays())
def test_single_view_is_as_that_of_numpy(operation, data, array):
    pair = data.draw(st.composite(operation)((tensor_of(array), array)))
    check_twins(*pair)
    if operation not in (reshape, copy):
        shared = np.shares_memory(np.asarray(pair[0]), array)
        assert shared == np.shares_memory(pair[1], array)


@given(arrays())
def test_same_array_comes_back(array):
    tensor = tensor_of(array)
    again = np.asarray(tensor)
    assert again.dtype == array.dtype
    check_shared(tensor, again)
    check_twins(dlferry.from_dlpack(again), array)
