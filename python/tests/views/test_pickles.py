"""Pickling: by every protocol, out of band with 5, and from one process into another."""

import copy
import gc
import io
import pickle
import subprocess
import sys
from typing import Any

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from twins import DTYPES, begin, check_twins, cube, refused, tensor_of

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)
LAYOUTS: dict[str, Any] = {
    "row-major": cube,
    "column-major": lambda: np.asfortranarray(cube()),
    "strided": lambda: cube()[:, ::2, ::-1],
    "no axes": lambda: np.array(2.5),
    "empty": lambda: np.zeros((0, 3), np.complex64),
    "empty rows": lambda: np.zeros((3, 0)),
    "one element": lambda: cube()[1:, 2:, 3:],
    "misaligned": lambda: np.frombuffer(bytearray(17), np.uint8)[1:].view(np.float64),
    "read-only": lambda: np.frombuffer(bytes(range(8)), np.int16),
    "repeated": lambda: np.broadcast_to(np.int8(3), (2, 3)),
}


def packed(padded: bool, readonly: bool = False) -> Any:
    """Make three elements of four bits."""
    recipe = dt.Crafted(bytes([0x21, 0x03, 0x0F]), shape=[3], code=1, bits=4, flags=4 * padded + readonly)
    return dlferry.from_dlpack(dt.Producer(recipe))


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_tensor_comes_back(protocol, layout):
    array = LAYOUTS[layout]()
    again = pickle.loads(pickle.dumps(tensor_of(array), protocol))
    assert np.array_equal(np.asarray(again), array)
    assert (again.shape, again.dtype.name) == (array.shape, array.dtype.name)
    assert again.readonly == (not array.flags.writeable)
    assert again.c_contiguous


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_comes_back(dtype):
    array = cube(dtype)
    check_twins(pickle.loads(pickle.dumps(tensor_of(array))), array)


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e8m0fnu"])
def test_dtypes_that_numpy_lacks_come_back(name):
    tensor = tensor_of(np.array([[0x40, 0x41], [0x42, 0x43]], np.uint8)).view(name)
    again = pickle.loads(pickle.dumps(tensor))
    assert (again.dtype, again.tolist()) == (tensor.dtype, tensor.tolist())


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("readonly", [False, True])
def test_elements_below_a_byte_come_back_as_they_lay(protocol, padded, readonly):
    tensor = packed(padded, readonly)
    again = pickle.loads(pickle.dumps(tensor, protocol))
    assert again.tolist() == tensor.tolist() == ([1, 3, 15] if padded else [1, 2, 3])
    assert (again.nbytes, again.readonly) == (tensor.nbytes, readonly)
    assert dt.inspect(again.__dlpack__(max_version=(1, 3)))["flags"] & 4 == 4 * padded


def test_dtype_without_a_name_comes_back():
    recipe = dt.Crafted(bytes(8), shape=[2], code=200, bits=32)
    tensor = dlferry.from_dlpack(dt.Producer(recipe))
    assert pickle.loads(pickle.dumps(tensor)).dtype == tensor.dtype


def test_memory_goes_out_of_band_without_a_copy():
    array = cube("float32")
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(tensor_of(array), 5, buffer_callback=buffers.append)
    assert len(data) < 300
    assert np.frombuffer(buffers[0], np.uint8).ctypes.data == array.ctypes.data
    again = pickle.loads(data, buffers=buffers)
    assert (again.data_ptr, again.readonly) == (array.ctypes.data, False)
    array[0, 0, 0] = 77
    assert again[0, 0, 0].item() == 77.0
    del buffers, array
    gc.collect()
    assert again[0, 0, 0].item() == 77.0


def test_buffers_of_another_kind_are_copied_only_to_be_writable():
    data = pickle.dumps(tensor_of(np.arange(4, dtype=np.int16)), 5, buffer_callback=lambda buffer: None)
    memory = bytearray(np.arange(4, dtype=np.int16).tobytes())
    assert pickle.loads(data, buffers=[memory]).data_ptr == begin(np.frombuffer(memory, np.uint8))
    copied = pickle.loads(data, buffers=[bytes(memory)])
    assert (copied.readonly, copied.tolist()) == (False, [0, 1, 2, 3])
    source = np.arange(4, dtype=np.int16)
    source.flags.writeable = False
    kept = pickle.dumps(tensor_of(source), 5, buffer_callback=lambda buffer: None)
    same = bytes(memory)
    assert pickle.loads(kept, buffers=[same]).data_ptr == begin(np.frombuffer(same, np.uint8))
    assert pickle.loads(kept, buffers=[memory]).readonly


@pytest.mark.parametrize(
    "buffers",
    [
        [memoryview(bytes(16))[::2]], [memoryview(bytes(8))[::-1]], [np.broadcast_to(np.uint8(1), (8,))],
        [np.zeros(8, np.uint8)[::-1]], [bytes(7)], [bytes(9)], [b""], [np.zeros(8, np.int8)], [np.zeros(4, np.int16)],
    ],
    ids=["gaps", "reversed", "repeated", "reversed array", "short", "long", "none", "signed", "wide"],
)  # fmt: skip
@pytest.mark.parametrize("readonly", [False, True])
def test_buffer_that_does_not_hold_the_elements_is_refused(buffers, readonly):
    """Reading on from a reversed or repeated byte would leave the memory."""
    source = np.arange(4, dtype=np.int16)
    source.flags.writeable = not readonly
    data = pickle.dumps(tensor_of(source), 5, buffer_callback=lambda buffer: None)
    with refused(ValueError, match="bytes"):
        pickle.loads(data, buffers=buffers)


@pytest.mark.parametrize(
    ("change", "kind", "why"),
    [
        ({0: [1, 2]}, TypeError, "buffer"), ({0: b"abc"}, ValueError, "3 bytes"), ({0: None}, TypeError, "buffer"),
        ({1: "real32"}, ValueError, "real32"), ({1: 7}, TypeError, "dtype"), ({1: "int8"}, ValueError, "8 bytes"),
        ({2: (-4,)}, ValueError, "-4"), ({2: (2**62, 2**62)}, ValueError, "counted"), ({2: 4}, TypeError, "shape"),
        ({2: (2**70,)}, ValueError, "out of range"), ({2: (5,)}, ValueError, "8 bytes"),
        ({2: ("a",)}, TypeError, "shape"),
        ({2: (2**61,)}, ValueError, "bytes|64 bits"),
        ({3: 1}, TypeError, "read_only"), ({4: "x"}, TypeError, "padded"), ({4: True}, BufferError, "int16|PADDED"),
    ],
)  # fmt: skip
def test_malformed_pickle_is_refused(change, kind, why):
    args: list[Any] = [bytes(8), "int16", (4,), False, False]
    assert dlferry.Tensor._rebuild(*args).tolist() == [0, 0, 0, 0]
    for place, value in change.items():
        args[place] = value
    try:
        made = dlferry.Tensor._rebuild(*args)
    except (BufferError, ValueError, TypeError) as error:
        assert type(error) is kind, repr(error)  # noqa: PT017
        return
    assert 4 in change, f"made {made!r}"
    assert made.tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_pickle_is_read_in_another_process(protocol):
    data = pickle.dumps(
        [tensor_of(cube()), packed(True), tensor_of(np.array(1 + 2j)).view("complex128")], protocol
    )
    script = (
        "import pickle, sys; values = pickle.loads(sys.stdin.buffer.read()); assert 'numpy' not in sys.modules;"
        "print([(value.tolist(), str(value.dtype), value.shape) for value in values])"
    )
    done = subprocess.run([sys.executable, "-c", script], input=data, capture_output=True, check=True)
    assert done.stdout.decode().strip() == str(
        [(cube().tolist(), "int16", (2, 3, 4)), ([1, 3, 15], "uint4", (3,)), (1 + 2j, "complex128", ())]
    )


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_nobody_can_tell_whose_memory_an_unpickled_tensor_has(protocol, layout):
    """In band it is private, out of band that of the buffers, whoever made them."""
    tensor = tensor_of(LAYOUTS[layout]())
    assert pickle.loads(pickle.dumps(tensor, protocol)).copied is None
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(tensor, 5, buffer_callback=buffers.append)
    assert pickle.loads(data, buffers=buffers).copied is None
    assert pickle.loads(data, buffers=[bytes(buffer) for buffer in buffers]).copied is None


def test_pickled_twice_is_one_object():
    tensor = tensor_of(cube())
    first, second = pickle.loads(pickle.dumps([tensor, tensor]))
    assert first is second


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_memory_of_a_device_is_not_pickled(protocol):
    tensor = dlferry.from_address(0xDEAD0000, (2,), "int8", owner=None, device=(2, 0))
    with refused(TypeError, match="cuda"):
        pickle.dumps(tensor, protocol)
    with refused(BufferError, match="cuda"):
        copy.deepcopy(tensor)
    assert copy.copy(tensor).data_ptr == 0xDEAD0000


def test_million_elements_are_pickled_through_a_file():
    array = np.arange(1_000_000, dtype=np.int32)
    file = io.BytesIO()
    pickle.dump(tensor_of(array), file)
    file.seek(0)
    assert np.array_equal(np.asarray(pickle.load(file)), array)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_shallow_copy_shares_and_deep_copy_does_not(layout):
    array = LAYOUTS[layout]()
    tensor = tensor_of(array)
    shallow, deep = copy.copy(tensor), copy.deepcopy(tensor)
    assert (shallow.data_ptr, shallow.strides, shallow.owner) == (
        tensor.data_ptr,
        tensor.strides,
        tensor.owner,
    )
    assert np.array_equal(np.asarray(deep), array)
    assert (deep.readonly, deep.owner) == (tensor.readonly, None)
    assert array.size == 0 or deep.data_ptr != tensor.data_ptr
    assert copy.deepcopy(packed(True)).tolist() == [1, 3, 15]
    assert copy.deepcopy([tensor, tensor])[0].tolist() == array.tolist()
