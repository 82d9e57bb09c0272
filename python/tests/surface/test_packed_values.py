"""Elements below a byte: packed, low bits first, or one to a byte (rules R3.17, R3.18, R9.17 to R9.19)."""

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from elements import CODES, PADDED, crafted, same

BITS = {name: bits for name, (_, bits) in CODES.items() if bits < 8}
BYTES = bytes((37 * index + 11) % 256 for index in range(96))


def patterns(data, bits):
    """Cut the bytes, as one little-endian number, into patterns of so many bits."""
    number, mask = int.from_bytes(data, "little"), (1 << bits) - 1
    return [number >> (index * bits) & mask for index in range(len(data) * 8 // bits)]


def values(raw, name):
    """Read the low bits of each number as a value of the dtype."""
    bits = BITS[name]
    raw = [number & ((1 << bits) - 1) for number in raw]
    if name.startswith("uint"):
        return raw
    if name.startswith("int"):
        return [number - (1 << bits) if number >> (bits - 1) else number for number in raw]
    dtype = getattr(pytest.importorskip("ml_dtypes"), name)
    return np.array(raw, np.uint8).view(dtype).astype(np.float64).tolist()


@pytest.mark.parametrize("name", BITS)
def test_packed_elements_begin_with_the_low_bits(name):
    wanted = values(patterns(BYTES, BITS[name]), name)
    tensor = crafted(BYTES, name, [len(wanted)])
    assert tensor.nbytes == len(BYTES)
    assert same(tensor.tolist(), wanted)


@pytest.mark.parametrize("name", BITS)
def test_padded_elements_are_the_low_bits_of_a_byte_each(name):
    """Whatever the other bits of the byte are."""
    tensor = crafted(bytes(range(256)), name, [256], flags=PADDED)
    assert tensor.nbytes == 256
    assert same(tensor.tolist(), values(range(256), name))


@pytest.mark.parametrize("name", BITS)
def test_strides_of_packed_elements_count_elements(name):
    raw = patterns(BYTES, BITS[name])
    tensor = crafted(BYTES, name, [3, 4], strides=[5, 2])
    wanted = values([raw[5 * row + 2 * column] for row in range(3) for column in range(4)], name)
    assert same(np.ravel(tensor.tolist()), wanted)


def test_negative_stride_of_packed_elements_walks_down():
    """From the first element, which lies at a byte border, to lower addresses."""
    data = bytes([0x10, 0x32, 0x54])
    tensor = crafted(data, "uint4", [5], strides=[-1], byte_offset=2)
    assert tensor.tolist() == [4, 3, 2, 1, 0]


def test_first_float4_is_the_low_nibble():
    """R3.17: [0, 0.5, 1, 1.5] is 0x10 0x32."""
    assert crafted(bytes([0x10, 0x32]), "float4_e2m1fn", [4]).tolist() == [0.0, 0.5, 1.0, 1.5]


def test_pairs_of_float4_become_single_elements():
    """R9.17: lanes 2 is how one library writes them; the last axis is widened."""
    recipe = dt.Crafted(bytes([0x10, 0x32, 0x54, 0x76]), shape=[2, 2], code=17, bits=4, lanes=2)
    tensor = dlferry.from_dlpack(dt.Producer(recipe))
    assert (tensor.shape, tensor.dtype.name) == ((2, 4), "float4_e2m1fn")
    assert tensor.tolist() == [[0.0, 0.5, 1.0, 1.5], [2.0, 3.0, 4.0, 6.0]]


def test_pairs_of_float4_with_gaps_stay_pairs():
    recipe = dt.Crafted(bytes(4), shape=[2], strides=[2], code=17, bits=4, lanes=2)
    tensor = dlferry.from_dlpack(dt.Producer(recipe))
    assert (tensor.shape, tensor.dtype.name) == ((2,), "float4_e2m1fnx2")


@pytest.mark.parametrize(("code", "wrong"), [(15, 8), (16, 8), (17, 8), (17, 6)])
def test_narrow_float_of_another_width_is_refused(code, wrong):
    """R1.11."""
    with pytest.raises(BufferError, match=f"{wrong}"):
        dlferry.from_dlpack(dt.Producer(dt.Crafted(bytes(8), shape=[1], code=code, bits=wrong)))
