"""Public failures of tensors without elements or without axes."""

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from craft import exported, floats, taken


def test_b044_scalar_is_exported_with_shape_and_strides_that_are_none():
    """R3.5, 5.6; numpy/numpy#29872: the pointers are there, and in the struct's own memory."""
    scalar = dlferry.from_dlpack(np.array(2.5))
    for keywords in ({}, {"copy": True}):
        fields = exported(scalar, **keywords)
        assert (fields["ndim"], fields["shape"], fields["strides"]) == (0, [], [])
    assert scalar.item() == np.from_dlpack(scalar) == 2.5
    assert dlferry.from_dlpack(scalar).shape == ()


@pytest.mark.parametrize("shape", [(0,), (0, 0, 0), (2, 0, 3)])
@pytest.mark.parametrize("stride", [0, 1, -1, 7, 2**62])
def test_b140_empty_tensor_is_contiguous_whatever_its_strides(shape, stride):
    """R3.8; triton-inference-server/python_backend#444."""
    tensor = taken(floats(shape=list(shape), strides=[stride] * len(shape)))
    assert (tensor.c_contiguous, tensor.f_contiguous, tensor.size) == (True, True, 0)
    view = memoryview(tensor)
    assert (view.c_contiguous, view.tobytes()) == (True, b"")
    assert np.from_dlpack(tensor).shape == shape


@pytest.mark.parametrize("shape", [[0], [0, 3], [3, 0]])
@pytest.mark.parametrize("strides", [0, 1, None], ids=["0", "1", "compact"])
@pytest.mark.parametrize("data", [{}, {"address": 0}], ids=["memory", "NULL"])
def test_b141_strides_of_nothing_are_taken_as_they_come(shape, strides, data):
    """R3.8, R9.4; NVIDIA/cudf#11449."""
    given = None if strides is None else [strides] * len(shape)
    for style in ("new", "always_unversioned"):
        tensor = taken(floats(shape=shape, strides=given, **data), style)
        assert (tensor.shape, tensor.tolist()) == (tuple(shape), np.zeros(shape).tolist())
        assert tensor.copy().shape == tuple(shape)


@pytest.mark.parametrize("address", [0, None])
def test_b143_array_interface_of_nothing_goes_round(address):
    """Section 3; cupy/cupy#2104: either way of saying so is taken, and 0 is what is said here."""
    described = {"version": 3, "typestr": "<f4", "shape": (0,), "data": (address, False)}
    tensor = dlferry.asarray(type("Nothing", (), {"__array_interface__": described})())
    assert (tensor.shape, tensor.dtype, tensor.source) == ((0,), dlferry.float32, "array-interface")
    interface = tensor.__array_interface__
    assert interface["data"][0] == 0
    again = dlferry.asarray(type("Again", (), {"__array_interface__": interface})())
    assert (again.shape, again.dtype) == (tensor.shape, tensor.dtype)
    assert dlferry.from_buffer(bytearray()).__array_interface__["data"][0] == 0
    assert np.asarray(type("Theirs", (), {"__array_interface__": interface})()).shape == (0,)


def test_b144_copy_between_nothings_is_nothing():
    """Section 3; numba/numba#8477: their strides differ, and do not matter."""
    for ours, theirs in (([0], [4]), ([0, 3], [0, 0]), ([3, 0], [-9, 2**61])):
        target = taken(floats(shape=ours, strides=theirs))
        dlferry.copyto(target, taken(floats(shape=ours, strides=[0] * len(ours))))
        dlferry.copyto(target, np.zeros(ours, np.float32))
        dlferry.copyto(np.zeros(ours, np.float32), target)
    with pytest.raises((ValueError, BufferError)):
        dlferry.copyto(taken(floats(shape=[0], strides=[1])), np.zeros(2, np.float32))
    assert dt.live() >= 0
