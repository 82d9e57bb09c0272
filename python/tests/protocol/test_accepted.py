"""What an import accepts though it is odd: decision 5.7; rules R3.1 to R3.19, R1.14, R2.10, R6.7, R9.17 to R9.19."""

import struct

import dlferry
import dlferry_testing as dt
import pytest
from craft import NOWHERE, PADDED, READ_ONLY, deletions, exported, floats, taken

ROWS = [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]


@pytest.mark.parametrize("versioned", [True, False])
def test_null_strides_are_row_major(versioned):
    """R3.3, R3.4, R9.2."""
    tensor = dlferry.from_dlpack(floats(strides=None).capsule(versioned))
    assert (tensor.strides, tensor.c_contiguous) == ((3, 1), True)
    assert tensor.tolist() == ROWS


@pytest.mark.parametrize("style", ["new", "always_unversioned"])
def test_null_deleter_is_not_called(style):
    """R2.3, R2.10: and exported again with a deleter of our own."""
    crafted = floats(null_deleter=True)
    tensor = taken(crafted, style)
    assert tensor.tolist() == ROWS
    fields = exported(tensor)
    assert not fields["deleter_null"]
    del tensor
    assert deletions(crafted) == 0


@pytest.mark.parametrize("flag", [1 << 3, 1 << 40, 1 << 63])
def test_unknown_flags_are_ignored(flag):
    """R1.14: and not passed on."""
    tensor = taken(floats(flags=flag))
    assert (tensor.readonly, tensor.copied) == (False, False)
    assert exported(tensor)["flags"] == 0
    assert exported(taken(floats(flags=flag | READ_ONLY)))["flags"] == READ_ONLY


@pytest.mark.parametrize(("code", "bits"), [(2, 32), (6, 8), (4, 16), (10, 8), (0, 64)])
def test_padding_of_whole_bytes_means_nothing(code, bits):
    """R6.7: and is not passed on, so that every consumer takes it."""
    tensor = taken(floats(code=code, bits=bits, shape=[3], strides=[1], flags=PADDED))
    assert tensor.nbytes == 3 * bits // 8
    assert exported(tensor)["flags"] == 0
    assert dt.capsule_name(tensor.__dlpack__()) == "dltensor"


@pytest.mark.parametrize(("code", "bits"), [(200, 8), (200, 0), (255, 255), (3, 64), (2, 80), (0, 24)])
def test_unknown_dtype_passes_through_opaque(code, bits):
    """R1.2, R1.6: handed on as it came, and never looked into."""
    tensor = taken(floats(code=code, bits=bits, address=NOWHERE))
    assert (tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes) == (code, bits, 1)
    assert exported(tensor)["dtype"] == (code, bits, 1)
    for read in (tensor.tolist, lambda: memoryview(tensor)):
        with pytest.raises(BufferError):
            read()
    assert "0x" not in repr(tensor)


@pytest.mark.parametrize("lanes", [2, 4, 65535])
def test_vectors_pass_through(lanes):
    """R3.19: an element of several scalars."""
    tensor = taken(floats(shape=[1], strides=[1], lanes=lanes, address=NOWHERE))
    assert (tensor.dtype.lanes, tensor.itemsize) == (lanes, 4 * lanes)
    assert exported(tensor)["dtype"] == (2, 32, lanes)


@pytest.mark.parametrize(
    ("shape", "strides", "values"),
    [
        ([2, 3], [3, 1], ROWS),
        ([3, 2], [1, 3], [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]),
        ([3], [2], [0.0, 2.0, 4.0]),
        ([2, 2], [0, 1], [[0.0, 1.0], [0.0, 1.0]]),
        ([2, 3], [0, 0], [[0.0] * 3] * 2),
        ([2, 3], [2, 1], [[0.0, 1.0, 2.0], [2.0, 3.0, 4.0]]),
        ([1, 3], [99, 1], [[0.0, 1.0, 2.0]]),
        ([1, 3], [-7, 1], [[0.0, 1.0, 2.0]]),
        ([1, 1], [2**63 - 1, -(2**63)], [[0.0]]),
        ([2] * 2 + [1] * 63, [3, 1] + [5] * 63, None),
    ],
)
def test_any_strides_are_taken(shape, strides, values):
    """R3.9, R3.11: the stride of an axis of one element means nothing."""
    tensor = taken(floats(shape=shape, strides=strides))
    assert tensor.shape == tuple(shape)
    if values is not None:
        assert tensor.tolist() == values


@pytest.mark.parametrize(
    ("shape", "strides", "offset", "values"),
    [
        ([6], [-1], 20, [5.0, 4.0, 3.0, 2.0, 1.0, 0.0]),
        ([2, 3], [-3, -1], 20, [[5.0, 4.0, 3.0], [2.0, 1.0, 0.0]]),
        ([2, 3], [3, -1], 8, [[2.0, 1.0, 0.0], [5.0, 4.0, 3.0]]),
    ],
)
def test_negative_strides_are_taken(shape, strides, offset, values):
    """R3.10: the data then points into the memory."""
    crafted = floats(shape=shape, strides=strides, byte_offset=offset)
    tensor = taken(crafted)
    assert tensor.tolist() == values
    assert tensor.data_ptr == crafted.address + offset
    assert not tensor.readonly


@pytest.mark.parametrize(
    ("shape", "strides", "overlaps"),
    [
        ([2, 3], [0, 1], True),
        ([2, 3], [1, 1], True),
        ([2, 3], [2, 1], True),
        ([3, 2], [-1, 1], True),
        ([2, 3], [3, 1], False),
        ([1, 3], [0, 1], False),
        ([0, 3], [0, 0], False),
        ([2, 2], [1, 2], False),
    ],
)
def test_overlapping_elements_are_read_only(shape, strides, overlaps):
    """R3.11: two indices that reach one element are no two places to write to."""
    crafted = floats(shape=shape, strides=strides, byte_offset=4)
    tensor = taken(crafted)
    assert tensor.readonly is overlaps
    assert exported(tensor)["flags"] == (READ_ONLY if overlaps else 0)


@pytest.mark.parametrize(
    ("shape", "strides"),
    [
        ([0], [1]),
        ([0, 3], [-7, 99]),
        ([3, 0], [0, 0]),
        ([2**62, 2**62, 0], None),
        ([2**63 - 1, 0], [2**63 - 1, 1]),
    ],
)
@pytest.mark.parametrize("address", [0, NOWHERE, 1, 2**64 - 1])
def test_empty_tensor_has_no_data_and_never_overflows(shape, strides, address):
    """R3.7, R3.8, R9.4: NULL or not; its strides are not looked at."""
    crafted = floats(shape=shape, strides=strides, address=address, byte_offset=8)
    tensor = taken(crafted)
    assert (tensor.shape, tensor.size, tensor.nbytes, tensor.readonly) == (tuple(shape), 0, 0, False)
    assert (tensor.c_contiguous, tensor.f_contiguous) == (True, True)
    fields = exported(tensor)
    assert (fields["data"], fields["shape"]) == (0, shape)


@pytest.mark.parametrize("shape", [[], None])
@pytest.mark.parametrize("strides", [[], None])
def test_scalar_may_have_null_shape_and_strides(shape, strides):
    """R3.5, R3.6."""
    tensor = taken(floats(shape=shape, strides=strides, byte_offset=12))
    assert (tensor.shape, tensor.strides, tensor.ndim, tensor.size) == ((), (), 0, 1)
    assert tensor.item() == 3.0
    assert tensor.tolist() == 3.0


def test_byte_offset_is_added():
    """R3.1, R3.12: exported as 0."""
    crafted = floats(shape=[4], strides=[1], byte_offset=8)
    tensor = taken(crafted)
    assert tensor.tolist() == [2.0, 3.0, 4.0, 5.0]
    assert (tensor.data_ptr, tensor.byte_offset) == (crafted.address + 8, 0)
    fields = exported(tensor)
    assert (fields["data"], fields["byte_offset"]) == (crafted.address + 8, 0)


@pytest.mark.parametrize("off", [1, 2, 3, 63])
def test_misaligned_data_is_read_unaligned(off):
    """R3.14, R3.15."""
    crafted = floats(misalign=off)
    tensor = taken(crafted)
    assert tensor.data_ptr % 64 == off
    assert tensor.tolist() == ROWS
    assert taken(crafted, copy=True).tolist() == ROWS
    assert "5.0" in repr(tensor)


def test_misaligned_offset_is_read_unaligned():
    """R3.12: an offset that is no multiple of the item."""
    data = b"\0" + struct.pack("=2f", 1.5, 2.5)
    tensor = taken(dt.Crafted(data, shape=[2], strides=[1], byte_offset=1))
    assert tensor.tolist() == [1.5, 2.5]


@pytest.mark.parametrize("ndim", [65, 200])
def test_any_number_of_axes_is_taken(ndim):
    """R3.20: no limit of ours."""
    tensor = taken(floats(shape=[6], strides=[1], ndim=ndim))
    assert tensor.ndim == ndim
    assert exported(tensor)["shape"] == [6] + [1] * (ndim - 1)


def test_bytes_other_than_one_are_true():
    """5.8: a bool reads as byte != 0."""
    tensor = taken(dt.Crafted(b"\0\1\2\xff", shape=[4], strides=[1], code=6, bits=8))
    assert tensor.tolist() == [False, True, True, True]


def test_four_bit_floats_in_pairs_are_single_ones():
    """R9.17: one library exports (17, 4, lanes 2), the element being a byte."""
    tensor = taken(dt.Crafted(b"\x10\x32", shape=[2], strides=[1], code=17, bits=4, lanes=2))
    assert (tensor.shape, tensor.strides, tensor.dtype.lanes) == ((4,), (1,), 1)
    assert tensor.tolist() == [0.0, 0.5, 1.0, 1.5]
    assert exported(tensor)["dtype"] == (17, 4, 1)


def test_four_bit_floats_in_pairs_with_gaps_stay_pairs():
    """R9.17: only a dense last axis can be widened."""
    tensor = taken(dt.Crafted(bytes(8), shape=[2], strides=[3], code=17, bits=4, lanes=2))
    assert (tensor.shape, tensor.dtype.lanes) == ((2,), 2)


def test_small_integers_are_packed_low_bits_first():
    """R3.17, R9.19."""
    signed = taken(dt.Crafted(b"\x21\xf8", shape=[4], strides=[1], code=0, bits=4))
    assert signed.tolist() == [1, 2, -8, -1]
    assert signed.nbytes == 2
    unsigned = taken(dt.Crafted(b"\x21\xf8", shape=[3], strides=[1], code=1, bits=4))
    assert unsigned.tolist() == [1, 2, 8]
    assert (unsigned.nbytes, unsigned.itemsize) == (2, 1)


def test_complex_of_two_bfloats_has_values():
    """R1.4, list 14: (18, 32, 1), newer than the version that we stamp."""
    tensor = taken(dt.Crafted(struct.pack("=2H", 0x3F80, 0x3F00), shape=[1], strides=[1], code=18, bits=32))
    assert tensor.item() == 1 + 0.5j
    assert exported(tensor)["dtype"] == (18, 32, 1)


def test_padded_elements_have_a_byte_each():
    """R9.18: the low bits hold the value; no unversioned capsule can say so."""
    tensor = taken(dt.Crafted(b"\1\2\3\4", shape=[4], strides=[1], code=1, bits=4, flags=PADDED))
    assert tensor.tolist() == [1, 2, 3, 4]
    assert tensor.nbytes == 4
    assert exported(tensor)["flags"] == PADDED
    with pytest.raises(BufferError, match=r"padded.*max_version=\(1, 1\)"):
        tensor.__dlpack__()
