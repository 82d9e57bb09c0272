"""Tensors as buffers: `memoryview` and all that takes one (PEP 3118)."""

import array
import ctypes
import gc
import hashlib
import io
import struct
import weakref

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from layouts import DTYPES, LAYOUTS, READ_ONLY, cube

LAID_OUT = {**LAYOUTS, **READ_ONLY}


@pytest.mark.parametrize("layout", LAID_OUT)
def test_memoryview_is_as_that_of_the_array(layout):
    source = LAID_OUT[layout]()
    ours, theirs = memoryview(dlferry.from_dlpack(source)), memoryview(source)
    for name in (
        "format",
        "itemsize",
        "ndim",
        "shape",
        "nbytes",
        "suboffsets",
        "c_contiguous",
        "f_contiguous",
    ):
        assert getattr(ours, name) == getattr(theirs, name), name
    meaningful = [axis for axis, extent in enumerate(source.shape) if extent > 1 and source.size]
    found, wanted = ours.strides or (), theirs.strides or ()
    assert [found[axis] for axis in meaningful] == [wanted[axis] for axis in meaningful]
    assert ours.tobytes() == source.tobytes()
    assert ours.readonly == theirs.readonly


@pytest.mark.parametrize("dtype", DTYPES)
def test_format_is_the_one_that_numpy_writes(dtype):
    source = cube(dtype)
    view = memoryview(dlferry.from_dlpack(source))
    assert (view.format, view.itemsize) == (memoryview(source).format, source.itemsize)
    again = np.asarray(view)
    assert again.dtype == source.dtype
    assert np.shares_memory(again, source)


def test_stride_of_an_axis_without_a_second_element_is_the_itemsize():
    """Consumers multiply what means nothing elsewhere."""
    recipe = dt.Crafted(bytes(16), shape=[1, 2], strides=[1 << 62, 1], bits=64)
    view = memoryview(dlferry.from_dlpack(dt.Producer(recipe)))
    assert view.strides == (8, 8)
    assert view.c_contiguous


@pytest.mark.parametrize("dtype", DTYPES)
def test_format_of_misaligned_elements_says_so(dtype):
    """As NumPy's does: a consumer must not read them as C does."""
    itemsize = np.dtype(dtype).itemsize
    source = np.frombuffer(bytearray(3 * itemsize + 1), np.uint8)[1:].view(dtype)
    view = memoryview(dlferry.from_dlpack(source))
    assert view.format == memoryview(source).format
    again = np.asarray(view)
    assert again.dtype == source.dtype
    assert again.ctypes.data == source.ctypes.data


# Dtypes without a format: by code and bits, of one lane unless said.
WITHOUT_FORMAT = [
    (4, 16, 1), (5, 32, 1), (10, 8, 1), (12, 8, 1), (14, 8, 1), (15, 6, 1), (17, 4, 1), (0, 4, 1), (18, 32, 1),
    (3, 64, 1), (200, 8, 1), (2, 32, 4), (2, 128, 1),
]  # fmt: skip


@pytest.mark.parametrize(("code", "bits", "lanes"), WITHOUT_FORMAT)
def test_dtype_without_a_format_has_no_buffer(code, bits, lanes):
    tensor = dlferry.from_dlpack(
        dt.Producer(dt.Crafted(bytes(64), shape=[1], code=code, bits=bits, lanes=lanes))
    )
    with pytest.raises(BufferError, match="no format"):
        memoryview(tensor)


@pytest.mark.parametrize("device_type", [2, 8, 10, 12, 14, 99])
def test_memory_of_a_device_has_no_buffer(device_type):
    """Decision 5.12. The address leads nowhere: reading it would end the process."""
    recipe = dt.Crafted(bytes(4), shape=[1], device=(device_type, 0), address=0xDEAD0000)
    tensor = dlferry.from_dlpack(dt.Producer(recipe))
    with pytest.raises(BufferError, match="no buffer"):
        memoryview(tensor)
    with pytest.raises((BufferError, TypeError)):
        bytes(tensor)


def test_write_through_the_view_is_seen_by_all():
    numbers = np.arange(6, dtype=np.uint8)
    recipe = dt.Crafted(bytes(1), shape=[6], code=1, bits=8, address=numbers.ctypes.data)
    tensor = dlferry.from_dlpack(dt.Producer(recipe))
    view = memoryview(tensor)
    assert not view.readonly
    view[2] = 77
    struct.pack_into("<H", view, 4, 0x0201)
    assert tensor.tolist() == numbers.tolist() == [0, 1, 77, 3, 1, 2]


@pytest.mark.parametrize("write", [lambda view: view.__setitem__(0, 1), ctypes.c_char.from_buffer])
def test_read_only_tensor_is_not_written_through_its_view(write):
    tensor = dlferry.from_dlpack(np.zeros(4, np.uint8), writable=False)
    assert memoryview(tensor).readonly
    with pytest.raises((TypeError, BufferError)):
        write(memoryview(tensor))
    assert tensor.tolist() == [0, 0, 0, 0]


def test_writable_buffer_of_a_read_only_tensor_is_refused():
    """Asked with PyBUF_WRITABLE, as `readinto` and `recv_into` do."""
    tensor = dlferry.from_dlpack(np.zeros(4, np.uint8), writable=False)
    with pytest.raises((BufferError, TypeError), match=r"read-(only|write)"):
        struct.pack_into("B", tensor, 0, 1)
    with pytest.raises((BufferError, TypeError), match=r"read-(only|write)"):
        io.BytesIO(b"abcd").readinto(tensor)


def test_file_is_read_into_the_tensor(tmp_path):
    path = tmp_path / "numbers"
    path.write_bytes(bytes(range(8)))
    tensor = dlferry.from_dlpack(np.zeros((2, 4), np.uint8), copy=True)
    with path.open("rb") as file:
        assert file.readinto(tensor) == 8
    assert tensor.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]


# Consumers that take bytes in a row, and what they make of them.
FLAT = {
    "bytes": bytes,
    "bytearray": lambda buffer: bytes(bytearray(buffer)),
    "hashlib": lambda buffer: hashlib.sha256(buffer).digest(),
    "struct": lambda buffer: struct.pack("24i", *struct.unpack("24i", buffer)),
    "numpy.frombuffer": lambda buffer: np.frombuffer(buffer, np.int32).tobytes(),
    "array": lambda buffer: array.array("i", bytes(buffer)).tobytes(),
    "int": lambda buffer: int.from_bytes(buffer, "little"),
    "join": lambda buffer: b"".join([buffer, b"!"]),
}


@pytest.mark.parametrize("consumer", FLAT)
def test_compact_tensor_is_as_good_as_bytes(consumer):
    source = cube()
    take = FLAT[consumer]
    assert take(dlferry.from_dlpack(source)) == take(source.tobytes())


@pytest.mark.parametrize("consumer", ["hashlib", "struct", "numpy.frombuffer", "join"])
def test_tensor_with_gaps_is_refused_where_bytes_must_lie_in_a_row(consumer):
    """Asked without strides: only row-major memory is what such a consumer expects."""
    for source in (cube()[:, ::2], cube().T, cube()[::-1]):
        with pytest.raises((BufferError, ValueError, TypeError)):
            FLAT[consumer](dlferry.from_dlpack(source))


def test_refused_order_is_named():
    tensor = dlferry.from_dlpack(np.zeros((2, 3)).T)
    with pytest.raises((BufferError, ValueError), match=r"row-major.*\(1, 3\)|row-major.*\[1, 3\]"):
        hashlib.sha256(tensor)


def test_bytes_are_in_row_major_order_whatever_the_strides():
    source = cube()[::-1, :, ::2].T
    assert bytes(memoryview(dlferry.from_dlpack(source))) == source.tobytes()


def test_view_can_be_cast_when_compact():
    tensor = dlferry.from_dlpack(cube())
    flat = memoryview(tensor).cast("B").cast("i")
    assert flat.tolist() == list(range(24))
    with pytest.raises(TypeError, match="contiguous"):
        memoryview(dlferry.from_dlpack(cube()[::2, ::2])).cast("B")


def test_ctypes_array_shares_the_memory():
    tensor = dlferry.from_dlpack(np.arange(4, dtype=np.int32), copy=True)
    numbers = (ctypes.c_int32 * 4).from_buffer(tensor)
    assert ctypes.addressof(numbers) == tensor.data_ptr
    numbers[1] = -9
    assert tensor.tolist() == [0, -9, 2, 3]


def test_view_keeps_the_tensor_and_lets_it_go():
    tensor = dlferry.from_dlpack(np.zeros(4))
    alive = weakref.ref(tensor)
    view = memoryview(tensor)
    part = view[1:3]
    del tensor
    gc.collect()
    assert part.tolist() == [0.0, 0.0]
    assert view.obj is alive()
    view.release()
    gc.collect()
    assert alive() is not None
    part.release()
    gc.collect()
    assert alive() is None


def test_memory_is_freed_after_the_last_view():
    recipe = dt.Crafted(bytes(range(8)), shape=[8], code=1, bits=8, poison=True)
    view = memoryview(dlferry.from_dlpack(dt.Producer(recipe)))
    gc.collect()
    assert recipe.deleter_calls == []
    assert view.tobytes() == bytes(range(8))
    view.release()
    gc.collect()
    assert len(recipe.deleter_calls) == 1


@pytest.mark.parametrize("layout", ["empty", "empty rows", "empty columns", "empty slice"])
def test_buffer_without_elements_is_taken(layout):
    source = LAYOUTS[layout]()
    tensor = dlferry.from_dlpack(source)
    assert bytes(memoryview(tensor)) == b""
    assert np.asarray(tensor).shape == source.shape
    assert hashlib.sha256(tensor).digest() == hashlib.sha256(b"").digest()


def test_view_of_a_view_shows_the_same_element():
    """Negative strides: the buffer begins at the first element, not at the lowest address."""
    source = np.arange(5, dtype=np.int16)[::-1]
    view = memoryview(dlferry.from_dlpack(source))
    assert (view[0], view[4], view.strides) == (4, 0, (-2,))
    view[0] = 40
    assert source[0] == 40


def test_elements_of_more_bytes_than_a_buffer_can_say():
    tensor = dlferry.from_buffer(bytes(8)).view("int64").broadcast_to((2**61,))
    with pytest.raises(BufferError, match="more than a buffer can count"):
        memoryview(tensor)
