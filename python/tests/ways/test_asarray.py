"""`asarray`: the first way that works, and one error when none does."""

import mmap
import re

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from arrays import WAYS, Cuda, Dlpack, Interface, Method, OldMethod, imported
from exporters import SWAPPED, refused

needs_versions = pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.1.0", reason="this NumPy has the unversioned protocol only"
)


@needs_versions
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("copy", [None, False])
def test_each_way_shares_the_memory(way, copy):
    make, source, copied = WAYS[way]
    array = np.arange(6.0).reshape(2, 3)
    tensor = dlferry.asarray(make(array), copy=copy)
    assert (tensor.source, tensor.copied, tensor.readonly) == (source, copied, False)
    assert tensor.data_ptr == array.ctypes.data
    assert tensor.tolist() == array.tolist()
    array[1, 1] = 40
    assert tensor.tolist() == array.tolist()


@needs_versions
@pytest.mark.parametrize("way", WAYS)
def test_each_way_copies_when_asked(way):
    array = np.arange(6.0).reshape(2, 3)
    tensor = dlferry.asarray(WAYS[way][0](array), copy=True)
    assert (tensor.copied, tensor.readonly, tensor.owner) == (True, False, None)
    assert tensor.data_ptr != array.ctypes.data
    array[:] = 0
    assert tensor.tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]


@needs_versions
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("copy", [None, True, False])
def test_read_only_memory_is_copied_to_be_writable_where_that_is_allowed(way, copy):
    array = np.arange(3.0)
    array.flags.writeable = False
    make = WAYS[way][0]
    assert dlferry.asarray(make(array)).readonly
    if copy is False:
        with refused(BufferError, match="read-only"):
            dlferry.asarray(make(array), copy=False, writable=True)
        return
    tensor = dlferry.asarray(make(array), copy=copy, writable=True)
    assert (tensor.copied, tensor.readonly) == (True, False)
    assert tensor.data_ptr != array.ctypes.data
    assert tensor.tolist() == [0.0, 1.0, 2.0]


@needs_versions
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("copy", [None, True, False])
def test_result_is_read_only_when_asked(way, copy):
    assert dlferry.asarray(WAYS[way][0](np.arange(3.0)), copy=copy, writable=False).readonly


def test_tensor_is_the_same_tensor_again():
    tensor = dlferry.from_buffer(bytearray(4))[1:]
    again = dlferry.asarray(tensor)
    assert (again.data_ptr, again.source, again.shape) == (tensor.data_ptr, "buffer", (3,))
    assert again.owner is tensor.owner


def test_copied_tensor_stays_copied_without_a_second_copy():
    tensor = dlferry.from_buffer(b"abcd", copy=True)
    assert dlferry.asarray(tensor, copy=False).data_ptr == tensor.data_ptr
    assert dlferry.asarray(tensor, writable=True).data_ptr == tensor.data_ptr


def test_ways_are_tried_in_their_order():
    first, second, third, last = (np.array([float(i)]) for i in range(4))

    class All(Dlpack, Interface):
        def __init__(self):
            Dlpack.__init__(self, first)
            Interface.__init__(self, third)

        def __array__(self, dtype=None, copy=None):
            return last

    every = All()
    assert dlferry.asarray(every).tolist() == [0.0]
    every.tensor = dlferry.from_address(0xDEAD0000, (1,), "float64", owner=None, device=(2, 0))
    assert dlferry.asarray(every).device == (2, 0)

    def refuse(**keywords):
        raise BufferError("not this way")

    every.tensor = type("", (), {"__dlpack__": staticmethod(refuse)})
    assert dlferry.asarray(every).tolist() == [2.0]
    every.__array_interface__ = {}
    assert dlferry.asarray(every).tolist() == [3.0]
    assert dlferry.asarray(memoryview(second)).tolist() == [1.0]


# What says of its memory what cannot be.
BROKEN = {
    "data": {"null_data": True},
    "ndim": {"ndim": -1},
    "extent": {"shape": [2, -3]},
    "elements": {"shape": [2**62, 8]},
    "strides": {"strides": [2**62, 1]},
    "address": {"address": 2**64 - 4},
}


@pytest.mark.parametrize("style", ["new", "always_unversioned", "table"])
@pytest.mark.parametrize("fault", BROKEN)
def test_memory_that_cannot_be_as_described_is_not_taken_another_way(fault, style):
    """5.10: the other ways lead to the same memory, and some of them do not look."""
    crafted = dt.Crafted(bytes(24), **{"shape": [2, 3], **BROKEN[fault]})
    lender = dt.exchange_type(crafted) if style == "table" else object
    producer = dt.Producer(crafted, style="new" if style == "table" else style)

    class Broken(lender):
        def __dlpack__(self, **keywords):
            return producer.__dlpack__(**keywords)

        def __array__(self, dtype=None, copy=None):
            pytest.fail("was asked")

        __array_interface__ = property(__array__)

    with pytest.raises(BufferError) as meant:
        dlferry.from_dlpack(Broken())
    for copy in (None, True, False):
        with refused(BufferError, match=re.escape(f"DLPack ({meant.value})")):
            dlferry.asarray(Broken(), copy=copy)
    views = pytest.importorskip("dlferry_views")
    for function in (views.see_converted, views.see_any, lambda x: views.fill(x, 1)):
        with refused(BufferError, match=re.escape(str(meant.value))):
            function(Broken())


def test_buffer_that_cannot_be_as_described_is_not_taken_another_way():
    class Broken(dt.BufferExporter):
        def __array__(self, dtype=None, copy=None):
            pytest.fail("was asked")

    for fields, why in (
        ({"null_data": True}, "NULL"),
        ({"ndim": -1}, "negative"),
        ({"shape": [-1]}, "negative"),
    ):
        with refused(BufferError, match=rf"buffer \(.*{why}"):
            dlferry.asarray(Broken(b"1234", **fields))


def test_one_error_lists_each_way_and_its_reason():
    class Hopeless:
        __cuda_array_interface__ = 7

        @property
        def __array_interface__(self):
            return {"shape": (1,), "typestr": "<M8"}

        def __dlpack__(self, **keywords):
            raise BufferError("no DLPack today.")

        def __array__(self, dtype=None, copy=None):
            raise RuntimeError("no array today")

    with refused(BufferError, match="Hopeless cannot be taken by any way") as _:
        dlferry.asarray(Hopeless())
    with pytest.raises(BufferError) as caught:
        dlferry.asarray(Hopeless())
    text = str(caught.value)
    places = [text.index(part) for part in (
        "DLPack (no DLPack today)", "__array_interface__ (", "__cuda_array_interface__ (", "__array__ (no array today)",
    )]  # fmt: skip
    assert places == sorted(places)
    assert "no DLPack today" in str(caught.value.__cause__)


def test_ways_that_refuse_for_one_reason_are_named_together():
    class Refusing:
        def __dlpack__(self, **keywords):
            raise BufferError("not today")

        def __array__(self, dtype=None, copy=None):
            raise ValueError("not today.")

    with refused(BufferError, match=r"by any way: DLPack, __array__ \(not today\)$"):
        dlferry.asarray(Refusing())


@pytest.mark.parametrize("thing", [None, 1, 1.5, "text", [1, 2], (1, 2), {}, object(), np, int, iter([])])
def test_object_without_any_way_is_a_type_error(thing):
    with refused(TypeError, match="no array"):
        dlferry.asarray(thing)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, MemoryError])
def test_interrupt_is_no_refusal(error):
    class Interrupted(Interface):
        def __dlpack__(self, **keywords):
            raise error

    with pytest.raises(error):
        dlferry.asarray(Interrupted(np.zeros(1)))


@pytest.mark.parametrize("dtype", ["int16", "uint32", "int64", "float16", "float32", "float64", "complex64",
                                   "complex128"])  # fmt: skip
@pytest.mark.parametrize("layout", ["row-major", "reversed", "strided", "no axes", "field"])
def test_other_byte_order_is_copied(dtype, layout):
    whole = (np.arange(24) * (1 + 1j) if dtype.startswith("complex") else np.arange(24)).astype(dtype)
    whole = whole.reshape(4, 6)
    source = whole.astype(np.dtype(dtype).newbyteorder(SWAPPED))
    records = np.zeros(3, [("x", "i1"), ("y", source.dtype)])
    records["y"] = source[0, :3]
    source, wanted = {
        "row-major": (source, whole), "reversed": (source[::-1, ::-1], whole[::-1, ::-1]),
        "strided": (source[::2, 1::3], whole[::2, 1::3]), "no axes": (source[1, 2, ...], whole[1, 2, ...]),
        "field": (records["y"], whole[0, :3]),
    }[layout]  # fmt: skip
    tensor = dlferry.asarray(source)
    assert (tensor.dtype.name, tensor.copied, tensor.readonly) == (dtype, True, False)
    assert tensor.c_contiguous
    assert tensor.tolist() == wanted.tolist()
    assert tensor.owner is None
    with refused(dlferry.CopyRequiredError, match="byte order"):
        dlferry.asarray(source, copy=False)


def test_complex_halves_are_swapped_each():
    source = np.array([1 + 2j, 3 - 4j], SWAPPED + "c8")
    assert dlferry.asarray(source).tolist() == [1 + 2j, 3 - 4j]


@pytest.mark.parametrize("offset", [0, 1, 5])
def test_stride_that_is_no_number_of_elements_is_copied(offset):
    records = np.zeros(
        4, [("pad", f"V{offset}"), ("x", "f4"), ("y", "i2")] if offset else [("x", "f4"), ("y", "V3")]
    )
    records["x"] = range(4)
    tensor = dlferry.asarray(records["x"])
    assert (tensor.copied, tensor.strides, tensor.tolist()) == (True, (1,), [0.0, 1.0, 2.0, 3.0])
    assert tensor.data_ptr % 64 == 0
    assert dlferry.asarray(records["x"][::-1]).tolist() == [3.0, 2.0, 1.0, 0.0]
    with refused(dlferry.CopyRequiredError, match="stride"):
        dlferry.asarray(records["x"], copy=False)


def test_misaligned_elements_are_copied_unless_forbidden():
    source = np.frombuffer(bytearray(41), np.uint8)[1:].view(np.float64)
    source[:] = range(5)
    copy = dlferry.asarray(source)
    assert (copy.copied, copy.tolist()) == (True, [0.0, 1.0, 2.0, 3.0, 4.0])
    same = dlferry.asarray(source, copy=False)
    assert (same.copied, same.data_ptr, same.tolist()) == (False, source.ctypes.data, copy.tolist())


@pytest.mark.parametrize("copy", [None, True, False])
def test_masked_array_is_refused_by_every_way(copy):
    masked = np.ma.array([1, 2, 3], mask=[0, 1, 0])
    with refused(BufferError, match="masked"):
        dlferry.asarray(masked, copy=copy)
    with refused(BufferError, match="masked"):
        dlferry.asarray(Method(masked), copy=copy)
    with refused(BufferError, match="masked|read-only|mask"):
        dlferry.asarray(masked, copy=copy, writable=True)
    with refused(BufferError, match="masked"):
        dlferry.asarray(memoryview(masked), copy=copy)
    assert dlferry.asarray(np.ma.array([1, 2, 3])).tolist() == [1, 2, 3]


@pytest.mark.parametrize("device_type", [2, 8, 99])
def test_memory_of_a_device_passes(device_type):
    recipe = dt.Crafted(bytes(4), shape=[1], device=(device_type, 0), address=0xDEAD0000)
    assert dlferry.asarray(dt.Producer(recipe)).device == (device_type, 0)


def test_array_method_is_asked_for_no_copy_only_when_copies_are_forbidden():
    array = np.arange(3.0)
    method = Method(array)
    dlferry.asarray(method)
    dlferry.asarray(method, copy=False)
    assert method.calls == [{"dtype": None}, {"dtype": None, "copy": False}]
    assert dlferry.asarray(OldMethod(array)).tolist() == [0.0, 1.0, 2.0]
    with refused(BufferError, match="copy"):
        dlferry.asarray(OldMethod(array), copy=False)


@pytest.mark.parametrize("answer", [None, 7, [1, 2], "text"])
def test_array_method_that_answers_no_array_is_refused(answer):
    with refused(BufferError, match="__array__ .*answers"):
        dlferry.asarray(Method(answer))


class Counted(Method):
    """Says how many elements are absent."""

    def __init__(self, null_count):
        super().__init__(np.arange(3.0))
        self.null_count = null_count


@pytest.mark.parametrize("count", [1, 2**40, lambda: 3, True])
@pytest.mark.parametrize("copy", [None, True, False])
def test_array_with_nulls_is_refused_before_others_stand_in_for_them(count, copy):
    array = Counted(count)
    with refused(BufferError, match=r"^the Arrow array has nulls.*fill_null\(value\).*numpy\.asarray"):
        dlferry.asarray(array, copy=copy)
    assert array.calls == []


def test_array_that_counts_no_nulls_is_taken():
    def failing():
        raise RuntimeError("not today")

    for count in (0, lambda: 0, failing, lambda axis: 3, "many", None, lambda: [1], 2**70, -1):
        assert dlferry.asarray(Counted(count)).tolist() == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("values", [[1, None], [1.5, None], [True, None], ["a", None], [None]])
def test_arrow_array_with_nulls_is_refused(values):
    pa = imported("pyarrow")
    chunks = [values[:1], values[1:]]
    for array in (
        pa.array(values),
        pa.chunked_array(chunks, pa.array(values).type),
        pa.array([*values, values[0]])[1:],
    ):
        with refused(BufferError, match=r"has nulls.*fill_null"):
            dlferry.asarray(array)
        with refused(BufferError, match=r"has nulls"):
            dlferry.asarray(array, writable=True)


def test_remedies_for_nulls_work():
    pa = imported("pyarrow")
    array = pa.array([1.5, None])
    assert dlferry.asarray(array.fill_null(2.5)).tolist() == [1.5, 2.5]
    assert str(dlferry.asarray(np.asarray(array)).tolist()) == "[1.5, nan]"
    chunked = pa.chunked_array([[1], [2]])
    assert (dlferry.asarray(chunked).tolist(), dlferry.asarray(chunked).copied) == ([1, 2], None)


def test_array_method_answers_in_another_byte_order():
    tensor = dlferry.asarray(Method(np.arange(3, dtype=SWAPPED + "i4")))
    assert (tensor.copied, tensor.tolist()) == (True, [0, 1, 2])


@pytest.mark.parametrize("exporter", [b"abc", bytearray(b"abc"), memoryview(b"abc")])
def test_plain_buffers_are_arrays(exporter):
    assert dlferry.asarray(exporter).tolist() == [97, 98, 99]


def test_map_is_an_array():
    with mmap.mmap(-1, 16) as memory:
        assert dlferry.asarray(memory).shape == (16,)


def test_cuda_interface_is_the_way_of_objects_that_have_it_alone():
    assert dlferry.asarray(Cuda()).source == "array-interface"


@pytest.mark.torch
def test_tensor_that_requires_a_gradient_comes_in_read_only():
    torch = imported("torch")
    source = torch.arange(3.0).requires_grad_()
    tensor = dlferry.asarray(source)
    assert (tensor.readonly, tensor.data_ptr) == (True, source.data_ptr())
    assert dlferry.asarray(source, writable=True).copied is True
    with refused(BufferError, match="detach"):
        dlferry.from_dlpack(source)


@pytest.mark.torch
@pytest.mark.parametrize("copy", [None, True, False])
def test_bytes_that_are_not_the_values_are_refused(copy):
    torch = imported("torch")
    conjugated = torch.tensor([1 + 2j, 3 - 4j]).conj()
    for source, remedy in ((conjugated, "resolve_conj"), (conjugated.imag, "resolve_neg")):
        with refused(BufferError, match=remedy):
            dlferry.asarray(source, copy=copy)


@pytest.mark.torch
def test_bfloat16_of_torch_needs_no_copy():
    torch = imported("torch")
    source = torch.arange(4, dtype=torch.bfloat16)
    tensor = dlferry.asarray(source)
    assert (tensor.dtype.name, tensor.data_ptr) == ("bfloat16", source.data_ptr())


def test_image_of_pillow_is_an_array():
    image_module = imported("PIL.Image")
    image = image_module.new("RGB", (4, 2), (1, 2, 3))
    tensor = dlferry.asarray(image)
    assert (tensor.shape, tensor.dtype.name) == ((2, 4, 3), "uint8")
    assert tensor.tolist()[0][0] == [1, 2, 3]
    # Its interface answers with new bytes each time.
    assert (tensor.copied, tensor.readonly) == (None, True)
    image.putpixel((0, 0), (7, 7, 7))
    assert tensor.tolist()[0][0] == [1, 2, 3]
    with refused(dlferry.CopyRequiredError, match="copy made for this answer"):
        dlferry.asarray(image, copy=False)


@pytest.mark.parametrize(
    "make", [lambda array: array, lambda array: array.view(np.matrix)], ids=["plain", "derived"]
)
@pytest.mark.parametrize("dtype", ["g", "G", "S3", "U3", "M8[s]", "O", "V4", "f4,f4"])
def test_array_without_a_type_is_refused_once(dtype, make):
    """What the other ways would say is the same in other words."""
    with pytest.raises(BufferError) as caught:
        dlferry.asarray(make(np.zeros((1, 2), dtype)))
    assert str(caught.value).startswith("DLPack has no type for NumPy's")
    assert not re.search("buffer|interface|any way", str(caught.value))
