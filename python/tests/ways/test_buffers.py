"""`from_buffer`: any object with the buffer protocol, without a copy."""

import array
import ctypes
import mmap

import dlferry
import numpy as np
import pytest
from arrays import Dlpack, Method
from exporters import EXPORTERS, SWAPPED, address, items, mapped, refused

DTYPES = [
    "bool", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    "float16", "float32", "float64", "complex64", "complex128",
]  # fmt: skip


@pytest.mark.parametrize(
    ("make", "dtype", "shape", "readonly", "elements"),
    [row[1:] for row in EXPORTERS],
    ids=[row[0] for row in EXPORTERS],
)
def test_exporter_is_taken_as_it_is(make, dtype, shape, readonly, elements):
    exporter = make()
    tensor = dlferry.from_buffer(exporter)
    assert (tensor.dtype.name, tensor.shape, tensor.readonly) == (dtype, shape, readonly)
    assert tensor.tolist() == elements
    assert (tensor.source, tensor.copied, tensor.device) == ("buffer", False, (1, 0))
    assert tensor.owner is exporter
    if tensor.size:
        assert tensor.data_ptr == address(exporter)


@pytest.mark.parametrize("code", [code for code in array.typecodes if code not in "uw"])
def test_array_array_is_taken(code):
    source = items(code)
    tensor = dlferry.from_buffer(source)
    assert tensor.tolist() == [1, 2, 3]
    assert tensor.itemsize == source.itemsize
    assert tensor.data_ptr == source.buffer_info()[0]
    assert not tensor.readonly
    assert np.asarray(source).dtype.name == tensor.dtype.name


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_text_is_refused():
    with refused(BufferError, match="text"):
        dlferry.from_buffer(array.array("u", "abc"))


@pytest.mark.parametrize("access", [mmap.ACCESS_WRITE, mmap.ACCESS_READ, mmap.ACCESS_COPY])
def test_map_is_taken(access):
    with mapped(access) as memory:
        tensor = dlferry.from_buffer(memory)
        assert tensor.shape == (mmap.PAGESIZE,)
        assert tensor.readonly == (access == mmap.ACCESS_READ)
        assert bytes(memoryview(tensor[:8])) == memory[:8]
        del tensor


def test_write_reaches_the_file(tmp_path):
    path = tmp_path / "numbers"
    path.write_bytes(bytes(8))
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        tensor = dlferry.from_buffer(memory)
        np.from_dlpack(tensor)[3] = 9
        del tensor
        memory.flush()
    assert path.read_bytes() == bytes([0, 0, 0, 9, 0, 0, 0, 0])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "layout",
    ["row-major", "column-major", "reversed", "strided", "read-only", "no axes", "one element", "empty"],
)
def test_array_of_numpy_is_taken_in_every_layout(dtype, layout):
    whole = np.arange(24).reshape(2, 3, 4).astype(dtype)
    source = {
        "row-major": whole,
        "column-major": np.asfortranarray(whole),
        "reversed": whole[::-1, :, ::-1],
        "strided": whole[:, ::2, 1::2],
        "read-only": np.broadcast_to(whole, (2, 2, 3, 4)),
        "no axes": whole[1, 2, 3, ...],
        "one element": whole[1:, 2:, 3:],
        "empty": whole[:, 3:],
    }[layout]
    tensor = dlferry.from_buffer(source)
    assert (tensor.dtype.name, tensor.shape) == (dtype, source.shape)
    assert tensor.tolist() == source.tolist()
    assert tensor.readonly == (not source.flags.writeable)
    if source.size:
        assert tensor.data_ptr == source.__array_interface__["data"][0]
    for extent, stride, wanted in zip(source.shape, tensor.strides, source.strides, strict=True):
        assert extent <= 1 or source.size == 0 or stride * source.itemsize == wanted


@pytest.mark.parametrize("dtype", [name for name in DTYPES if np.dtype(name).itemsize > 1])
def test_other_byte_order_is_refused_with_the_remedy(dtype):
    source = np.arange(3).astype(np.dtype(dtype).newbyteorder(SWAPPED))
    with refused(BufferError, match=r"byte order.*asarray"):
        dlferry.from_buffer(source)


@pytest.mark.parametrize("order", ["<", ">", "=", "!"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8"])
def test_single_bytes_have_no_order(order, dtype):
    source = np.arange(2).astype(np.dtype(dtype).newbyteorder(order.replace("!", ">")))
    assert dlferry.from_buffer(source).tolist() == source.tolist()


class Point(ctypes.Structure):
    _fields_ = (("x", ctypes.c_float), ("y", ctypes.c_double))


class Union(ctypes.Union):
    _fields_ = (("x", ctypes.c_float), ("y", ctypes.c_double))


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: (Point * 2)(), "struct"),
        (Point, "struct"),
        (lambda: np.zeros(2, [("x", "f4"), ("y", "f8")]), "struct"),
        (lambda: np.zeros(2, "g"), "long double"),
        (lambda: np.zeros(2, "G"), "complex"),
        (lambda: np.zeros(2, "S3"), "text"),
        (lambda: np.zeros(2, "U3"), "text"),
        (lambda: np.array([None]), "pointer"),
        (lambda: (ctypes.c_void_p * 2)(), "address"),
        (lambda: (ctypes.c_char_p * 2)(), "format"),
        (lambda: np.zeros(2, "V4"), "padding|format"),
    ],
)
def test_elements_without_a_dtype_are_refused(make, why):
    with refused(BufferError, match=why):
        dlferry.from_buffer(make())


def test_union_is_bytes_or_refused():
    """Ctypes calls the items of a union bytes, though they are longer; newer ones say what they are."""
    with refused(BufferError, match="padded|format"):
        dlferry.from_buffer((Union * 2)())


def test_field_of_structs_is_taken_where_its_stride_is_whole():
    records = np.zeros(3, [("x", "i4"), ("y", "i4")])
    records["y"] = [1, 2, 3]
    tensor = dlferry.from_buffer(records["y"])
    assert (tensor.strides, tensor.tolist()) == ((2,), [1, 2, 3])
    assert tensor.data_ptr == records.ctypes.data + 4


def test_stride_that_is_no_number_of_elements_is_refused_with_the_remedy():
    records = np.zeros(3, [("x", "i4"), ("y", "i2")])
    with refused(BufferError, match=r"stride of 6 bytes.*asarray"):
        dlferry.from_buffer(records["x"])
    assert dlferry.from_buffer(records["x"][:1]).tolist() == [0]


def test_misaligned_elements_are_taken():
    source = np.frombuffer(bytearray(17), np.uint8)[1:].view(np.float64)
    tensor = dlferry.from_buffer(source)
    assert tensor.data_ptr == source.ctypes.data
    assert tensor.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("copy", [None, False])
def test_same_memory_unless_a_copy_is_asked(copy):
    source = bytearray(8)
    tensor = dlferry.from_buffer(source, copy=copy)
    source[3] = 7
    assert tensor.tolist()[3] == 7
    assert tensor.copied is False


def test_copy_is_private_and_writable():
    source = b"abcd"
    tensor = dlferry.from_buffer(source, copy=True)
    assert (tensor.copied, tensor.readonly, tensor.owner) == (True, False, None)
    assert tensor.data_ptr != address(source)
    assert tensor.data_ptr % 64 == 0


def test_writable_is_answered():
    assert dlferry.from_buffer(bytearray(2), writable=True).readonly is False
    assert dlferry.from_buffer(bytearray(2), writable=False).readonly is True
    assert dlferry.from_buffer(b"ab", copy=True, writable=True).readonly is False
    with refused(BufferError, match="read-only"):
        dlferry.from_buffer(b"ab", writable=True)


def test_object_without_buffer_is_a_type_error_that_names_the_other_way():
    with refused(TypeError, match="has no buffer protocol; it has DLPack: use dlferry.from_dlpack"):
        dlferry.from_buffer(Dlpack(np.zeros(1)))
    with refused(TypeError, match="has no buffer protocol; it has __array__: use dlferry.asarray"):
        dlferry.from_buffer(Method(np.zeros(1)))
    with refused(TypeError, match="has no buffer protocol; make an array of it first"):
        dlferry.from_buffer([1, 2])


def test_released_view_raises_its_own_error():
    view = memoryview(b"abc")
    view.release()
    with refused(ValueError, match="released"):
        dlferry.from_buffer(view)


def test_buffer_of_pyarrow_is_taken():
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed", exc_type=ImportError)
    buffer = pa.array([1, 2, 3], pa.int32()).buffers()[1]
    tensor = dlferry.from_buffer(buffer)
    assert tensor.readonly == (not buffer.is_mutable)
    assert dlferry.from_buffer(pa.py_buffer(b"abc")).readonly
    assert tensor.data_ptr == buffer.address
    assert tensor[:12].view("int32").tolist() == [1, 2, 3]


MASKED = np.ma.array([1, 2, 3], mask=[0, 1, 0])


@pytest.mark.parametrize("copy", [None, True, False])
@pytest.mark.parametrize(
    "lent", [MASKED, MASKED[1:], memoryview(MASKED), memoryview(MASKED)[1:], memoryview(memoryview(MASKED))],
    ids=["array", "slice", "view", "slice of a view", "view of a view"],
)  # fmt: skip
def test_masked_array_is_refused_as_everywhere(lent, copy):
    with refused(BufferError, match=r"masked.*array\.filled\(value\), or array\.data"):
        dlferry.from_buffer(lent, copy=copy)


def test_array_that_masks_nothing_is_taken_and_so_are_the_remedies():
    for lent in (np.ma.array([1, 2, 3]), memoryview(np.ma.array([1, 2, 3], mask=False)), MASKED.data, MASKED.filled(2),
                 memoryview(MASKED.data)):  # fmt: skip
        assert dlferry.from_buffer(lent).tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    "pointer", [ctypes.pointer(ctypes.c_int(3)), ctypes.c_void_p(3), ctypes.c_char_p(b"abc"), ctypes.c_wchar_p("abc"),
                ctypes.pointer((ctypes.c_int * 3)()), (ctypes.c_void_p * 2)(), ctypes.CFUNCTYPE(ctypes.c_int)(int)],
    ids=["to a number", "to anything", "to text", "to wide text", "to an array", "array of", "to a function"],
)  # fmt: skip
def test_pointer_is_not_what_it_points_to(pointer):
    with refused(BufferError, match=r"holds an address, and not the elements there: dlferry\.from_address"):
        dlferry.from_buffer(pointer)
