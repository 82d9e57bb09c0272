"""`tobytes`: the elements as they lie, in an order."""

import pickle

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from twins import DTYPES, cube, refused, tensor_of

LAYOUTS = {
    "row-major": lambda array: array,
    "column-major": np.asfortranarray,
    "transposed": lambda array: array.transpose(1, 2, 0),
    "reversed": lambda array: array[::-1, :, ::-1],
    "strided": lambda array: array[:, ::2, 1::2],
    "repeated": lambda array: np.broadcast_to(array[:1], (2, 3, 4)),
    "one element": lambda array: array[1:, 2:, 3:],
    "no axes": lambda array: array[1, 2, 3, ...],
    "empty": lambda array: array[:0],
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_bytes_are_those_of_numpy(dtype, layout):
    array = LAYOUTS[layout](cube(dtype))
    tensor = tensor_of(array)
    assert tensor.tobytes() == tensor.tobytes("C") == tensor.tobytes(order="C") == array.tobytes("C")
    assert tensor.tobytes("F") == array.tobytes("F")
    assert sorted(tensor.tobytes("K")) == sorted(array.tobytes("C"))


@pytest.mark.parametrize(("dtype", "count", "wanted"), [
    ("int4", 3, b"\xff\x0f"), ("int4", 4, b"\xff\xff"), ("uint2", 5, b"\xff\x03"), ("uint1", 9, b"\xff\x01"),
    ("float6_e2m3fn", 2, b"\xff\x0f"), ("float6_e2m3fn", 4, b"\xff\xff\xff"), ("int4", 0, b""),
])  # fmt: skip
def test_bits_behind_the_last_packed_element_are_zero(dtype, count, wanted):
    tensor = dlferry.from_buffer(b"\xff" * 9).view(dtype)[:count]
    for part in (tensor, tensor.reshape(count, 1), tensor.reshape(1, count).T):
        assert part.tobytes() == part.tobytes("F") == part.tobytes("K") == wanted
    other = dlferry.from_buffer(wanted.ljust(9, b"\x00")).view(dtype)[:count]
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.dumps(tensor, protocol) == pickle.dumps(other, protocol)
        assert pickle.loads(pickle.dumps(tensor, protocol)).tolist() == tensor.tolist()


def test_own_order_is_that_of_the_memory():
    array = cube()
    assert tensor_of(array.transpose(1, 2, 0)).tobytes("K") == array.tobytes()
    assert tensor_of(array.T).tobytes("K") == array.tobytes()
    assert tensor_of(array.T).tobytes() == array.T.tobytes() != array.tobytes()


def test_bytes_are_a_copy_and_make_the_tensor_again():
    memory = bytearray(b"abcd")
    taken = dlferry.from_buffer(memory).tobytes()
    memory[0] = 0
    assert (type(taken), taken) == (bytes, b"abcd")
    assert dlferry.from_buffer(taken).tobytes() == taken


@pytest.mark.parametrize("order", ["C", "F", "K"])
@pytest.mark.parametrize(
    ("name", "count", "wanted"),
    [("int4", 3, b"\x21\x03"), ("uint2", 5, b"\x21\x03"), ("float4_e2m1fn", 4, b"\x21\x43")],
)
def test_packed_elements_stay_packed(order, name, count, wanted):
    memory = bytes([0x21, 0x43])
    tensor = dlferry.from_address(np.frombuffer(memory, np.uint8).ctypes.data, (count,), name, owner=memory)
    assert tensor.tobytes(order) == wanted


@pytest.mark.parametrize("name", ["bfloat16", "float8_e5m2", "complex64"])
def test_dtypes_without_a_format_have_bytes(name):
    assert dlferry.from_buffer(bytes(range(16))).view(name).tobytes() == bytes(range(16))


def test_spread_elements_have_a_byte_each():
    recipe = dt.Crafted(bytes([1, 2, 15]), shape=[3], code=0, bits=4, flags=4)
    assert dlferry.from_dlpack(dt.Producer(recipe)).tobytes() == bytes([1, 2, 15])


@pytest.mark.parametrize("order", ["c", "A", "", "CF", "\u00e9"])
def test_other_order_is_refused(order):
    with refused(ValueError, match="order="):
        tensor_of(cube()).tobytes(order)


@pytest.mark.parametrize("shape", [(2,), (0,)])
def test_memory_of_a_device_has_no_bytes_here(shape):
    tensor = dlferry.from_address(0xDEAD0000, shape, "int8", owner=None, device=(2, 0))
    with refused(BufferError, match="cuda:0, which the host cannot read"):
        tensor.tobytes()
