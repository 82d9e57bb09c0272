"""Public failures of the byte offset: forgotten on the way in, on the way out, or in between."""

import struct

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from craft import exported, floats, taken

STYLES = ["new", "always_unversioned"]


def test_b074_first_element_of_a_reversed_view_is_where_the_export_points():
    """R3.10, R9.20; tensor4all/tenferro-rs#474."""
    crafted = floats()
    tensor = taken(crafted)
    for view, place in (
        (tensor[::-1], 3),
        (tensor[:, ::-1], 2),
        (tensor[::-1, ::-1], 5),
        (tensor[1:, 1:], 4),
    ):
        fields = exported(view)
        assert fields["data"] + fields["byte_offset"] == crafted.address + 4 * place
        assert np.from_dlpack(view).tolist() == view.tolist()
        assert view.tolist()[0][0] == place


@pytest.mark.parametrize("style", STYLES)
def test_b080_offset_is_added_to_the_data(style):
    """R3.1, R3.12; pytorch/pytorch#168193: also without axes."""
    data = struct.pack("=8f", *range(8))
    tensor = taken(dt.Crafted(data, shape=[4], strides=[1], byte_offset=8), style)
    assert tensor.tolist() == [2.0, 3.0, 4.0, 5.0]
    assert taken(dt.Crafted(data, shape=[], strides=[], byte_offset=8), style).item() == 2.0
    assert taken(dt.Crafted(data, shape=[], strides=None, byte_offset=28), style).tolist() == 7.0


@pytest.mark.parametrize("style", STYLES)
def test_b082_offset_survives_two_hops(style):
    """R3.12, R9.20; NVIDIA/cuda-python#2592: ours, NumPy, ours, by either struct."""
    crafted = dt.Crafted(struct.pack("=12d", *range(12)), shape=[4], strides=[1], bits=64, byte_offset=64)
    tensor = taken(crafted, style, writable=True)
    for keywords in ({}, {"max_version": (1, 3)}):
        again = dlferry.from_dlpack(tensor.__dlpack__(**keywords))
        theirs = np.from_dlpack(again)
        assert theirs.tolist() == dlferry.from_dlpack(theirs).tolist() == [8.0, 9.0, 10.0, 11.0]
        assert theirs.ctypes.data == crafted.address + 64


def test_b083_reads_and_writes_both_take_the_offset():
    """R3.12; NVIDIA/warp#1573."""
    crafted = floats(shape=[2], strides=[1], byte_offset=12)
    tensor = taken(crafted)
    dlferry.copyto(tensor, np.array([30, 40], np.float32))
    memoryview(tensor)[1] = 41.0
    assert tensor.tolist() == [30.0, 41.0]
    assert struct.unpack("=6f", crafted.read()) == (0, 1, 2, 30, 41, 5)
