"""Public failures of copies: made where none was wanted, or not made where one was."""

import mmap

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from craft import deletions, floats, taken

DTYPES = [
    "bool",
    "int8",
    "uint16",
    "int32",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


def test_b077_writing_to_a_reversed_view_writes_to_its_array():
    """Section 3; opencv/opencv#15895: an output is never a temporary."""
    image = np.zeros((4, 5, 3), np.uint8)
    dlferry.copyto(image[:, :, ::-1], np.array([1, 2, 3], np.uint8))
    assert (image == [3, 2, 1]).all()
    view = dlferry.from_dlpack(image)[::-1, :, ::-1]
    dlferry.copyto(view[0, 0], np.array([7, 8, 9], np.uint8))
    assert image[3, 0].tolist() == [9, 8, 7]
    memoryview(view)[0, 0, 0] = 77
    assert image[3, 0, 2] == 77
    pytest.importorskip("dlferry_views").fill_u8(image[::-1, :, ::-1], 5)
    assert (image == 5).all()


@pytest.mark.parametrize("elements", [10, 1024])
def test_b089_memory_of_a_writable_source_is_shared_whatever_its_size(elements):
    """Section 3; jax-ml/jax#37830: no size and no alignment makes a copy of it."""
    source = np.zeros(elements + 16, np.float32)
    for first in range(16):
        part = source[first : first + elements]
        tensor = dlferry.from_dlpack(part)
        assert tensor.data_ptr == part.ctypes.data
        assert not tensor.copied
        part[0] = first + 1
        assert tensor[0].item() == first + 1
        assert taken_copy(part).tolist()[0] == first + 1


def taken_copy(array) -> dlferry.Tensor:
    """Import a copy and see that it is one."""
    copy = dlferry.from_dlpack(array, copy=True)
    assert copy.data_ptr != array.ctypes.data
    return copy


def test_b188_output_that_would_need_a_conversion_is_refused():
    """Section 3; wjakob/nanobind#711: of another dtype, or with too few places; nothing is written."""
    output = np.full(4, 9, np.int64)
    with pytest.raises((TypeError, ValueError, BufferError)):
        dlferry.copyto(output, np.zeros(4, np.float32))
    with pytest.raises((TypeError, ValueError, BufferError)):
        dlferry.copyto(output[:3], np.zeros(4, np.int64))
    other = output.astype(output.dtype.newbyteorder())
    with pytest.raises(BufferError):
        dlferry.copyto(other, np.zeros(4, np.int64))
    assert output.tolist() == other.tolist() == [9] * 4
    dlferry.copyto(output[::2], np.zeros(2, np.int64))
    assert output.tolist() == [0, 9, 0, 9]
    views = pytest.importorskip("dlferry_views")
    with pytest.raises(TypeError, match="float32"):
        views.fill(output, 1.0)
    strided = np.zeros((4, 6), np.float32)[:, ::2]
    with pytest.raises(TypeError, match="order"):
        views.set_slice(strided, 1.0)
    assert output.tolist() == [0, 9, 0, 9]
    assert not strided.any()


@pytest.mark.parametrize("dtype", DTYPES)
def test_b189_copy_into_order_is_the_same_for_each_dtype(dtype):
    """Section 3; wjakob/nanobind#709: the view is refused where a run is wanted, and the copy is right."""
    array = np.arange(24).reshape(4, 6).astype(dtype)[:, ::2].T
    tensor = dlferry.from_dlpack(array)
    assert not tensor.c_contiguous
    with pytest.raises(dlferry.CopyRequiredError):
        tensor.reshape(12)
    copy = tensor.copy()
    assert copy.c_contiguous
    assert copy.reshape(12).tolist() == array.reshape(12).tolist()
    assert tensor.copy("F").tolist() == array.tolist()
    if dtype == "float32":
        views = pytest.importorskip("dlferry_views")
        with pytest.raises(TypeError, match="order"):
            views.see_c(array)
        assert views.see_converted_c(array)[1] == array.reshape(12).tolist()


@pytest.mark.parametrize("way", ["from_buffer", "from_dlpack"])
def test_b191_shared_memory_is_never_touched(way):
    """Section 3; python-pillow/Pillow#3336: a quarter of a gigabyte comes and goes without a page of it."""
    resource = pytest.importorskip("resource")
    pages = (256 << 20) // mmap.PAGESIZE

    def faults() -> int:
        return int(resource.getrusage(resource.RUSAGE_SELF).ru_minflt)

    source = np.frombuffer(mmap.mmap(-1, 256 << 20), np.uint8)
    before = faults()
    tensor = getattr(dlferry, way)(source)
    again = np.from_dlpack(dlferry.from_dlpack(tensor[::-1])[::-1])
    assert (tensor.data_ptr, again.ctypes.data) == (source.ctypes.data, source.ctypes.data)
    again[5] = 1
    assert tensor[5].item() == source[5] == 1
    assert faults() - before < pages // 50


@pytest.mark.parametrize("keywords", [{"max_version": (1, 3)}, {}], ids=["versioned", "unversioned"])
def test_b192_round_trip_comes_back_to_the_same_memory(keywords):
    """5.3; NVIDIA/cudf#10874."""
    crafted = floats()
    tensor = taken(crafted)
    for _ in range(3):
        tensor = dlferry.from_dlpack(tensor.__dlpack__(**keywords), writable=True)
        assert tensor.data_ptr == crafted.address
    assert dlferry.asarray(tensor, copy=False).data_ptr == crafted.address
    array = tensor.numpy()
    assert dlferry.asarray(array).data_ptr == array.ctypes.data == crafted.address
    held = dt.consume(tensor.__dlpack__())
    del tensor, array
    assert deletions(crafted) == 0
    held.delete()
    assert deletions(crafted) == 1
