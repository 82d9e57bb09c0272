"""`__array_interface__` and `__cuda_array_interface__`: arrays that a dictionary describes."""

import gc
import sys
import weakref
from typing import Any

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from arrays import Cuda, Interface
from exporters import SWAPPED, refused

NATIVE = "<" if SWAPPED == ">" else ">"


def described(**fields: Any) -> Any:
    """Describe six int16 in two rows, but for the fields given; an entry that is `...` is left out."""
    memory = np.arange(6, dtype=np.int16)
    made = Interface(None, **{
        "version": 3, "shape": (2, 3), "typestr": NATIVE + "i2", "data": (memory.ctypes.data, False),
        "strides": None, **fields,
    })  # fmt: skip
    made.__array_interface__ = {k: v for k, v in made.__array_interface__.items() if v is not ...}
    made.array = memory
    return made


def test_address_is_followed_without_a_copy():
    source = described()
    tensor = dlferry.asarray(source)
    assert tensor.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert (tensor.copied, tensor.readonly, tensor.source) == (False, False, "array-interface")
    assert tensor.data_ptr == source.array.ctypes.data
    assert tensor.owner is source


@pytest.mark.parametrize(
    ("fields", "elements"),
    [
        ({"strides": (6, 2)}, [[0, 1, 2], [3, 4, 5]]),
        ({"strides": ...}, [[0, 1, 2], [3, 4, 5]]),
        ({"strides": (0, 2)}, [[0, 1, 2], [0, 1, 2]]),
        ({"strides": (2, 4), "shape": (2, 2)}, [[0, 2], [1, 3]]),
        ({"shape": ()}, 0),
        ({"shape": (), "strides": ()}, 0),
        ({"shape": [6]}, [0, 1, 2, 3, 4, 5]),
        ({"shape": (6,), "descr": [("", "<i2")]}, [0, 1, 2, 3, 4, 5]),
        ({"shape": (6,), "descr": [("", "|V2")]}, [0, 1, 2, 3, 4, 5]),
        ({"shape": (6,), "mask": None}, [0, 1, 2, 3, 4, 5]),
        ({"version": 2, "shape": (1, 6)}, [[0, 1, 2, 3, 4, 5]]),
        ({"shape": (0, 3)}, []),
        ({"shape": (0, 3), "data": (0, False)}, []),
        ({"shape": (2, 0), "strides": (2**62, 2**62), "data": (0, False)}, [[], []]),
        ({"shape": (1, 2), "strides": (2**62 + 1, 2)}, [[0, 1]]),
        ({"typestr": "|u1", "shape": (4,)}, [0, 0, 1, 0]),
        ({"typestr": "|b1", "shape": (4,)}, [False, False, True, False]),
    ],
)
def test_fields_are_read_as_numpy_reads_them(fields, elements):
    assert dlferry.asarray(described(**fields)).tolist() == elements


def test_data_may_be_a_buffer_within_which_the_elements_lie():
    data = bytes(range(12))
    tensor = dlferry.asarray(described(data=data))
    assert tensor.tolist() == np.frombuffer(data, np.int16).reshape(2, 3).tolist()
    assert tensor.readonly
    writable = bytearray(data)
    assert not dlferry.asarray(described(data=writable)).readonly
    with refused(dlferry.CopyRequiredError, match="stride"):
        dlferry.asarray(described(data=writable, shape=(3,), strides=(3,)), copy=False)
    assert dlferry.asarray(described(data=writable, shape=(3,), strides=(3,))).tolist() == [
        0x100,
        0x403,
        0x706,
    ]


@pytest.mark.parametrize("data", [bytes(12), bytearray(12), memoryview(bytes(12)), np.zeros(6, np.int16)])
def test_nobody_can_tell_whether_data_of_another_object_is_a_copy(data):
    source = described(data=data)
    for request in ({}, {"writable": False}):
        assert dlferry.asarray(source, **request).copied is None
    assert dlferry.asarray(source, copy=True).copied is True
    assert dlferry.asarray(source, writable=True).copied is (
        True if dlferry.from_buffer(data).readonly else None
    )
    assert dlferry.asarray(described(data=data, typestr=SWAPPED + "i2")).copied is True
    kind = type(data).__name__
    with refused(
        dlferry.CopyRequiredError, match=f"data is an object of type .*{kind}.* copy made for this answer"
    ):
        dlferry.asarray(source, copy=False)
    if isinstance(data, bytearray):
        data.append(0)  # nothing holds it any more


@pytest.mark.skipif(sys.version_info < (3, 12), reason="classes of Python code lend buffers from 3.12 on")
def test_data_that_is_the_array_itself_is_no_copy():
    exporter = dt.BufferExporter(bytes(range(8)))

    class Own:
        """Lends a buffer that asks for strides, so that only the interface can say what it holds."""

        def __buffer__(self, flags):
            return memoryview(exporter)

    source = Own()
    source.__array_interface__ = {"shape": (8,), "typestr": "|u1", "data": source}
    tensor = dlferry.asarray(source)
    assert (tensor.copied, tensor.tolist()) == (False, list(range(8)))


def test_missing_data_means_the_buffer_of_the_object_itself():
    class Own(bytearray):
        pass

    source = Own(range(8))
    source.__array_interface__ = {"shape": (2,), "typestr": NATIVE + "i2", "data": None, "offset": 4}
    tensor = dlferry.asarray(source)
    assert tensor.source == "buffer"  # the buffer protocol comes first

    class Exporter:
        @property
        def __array_interface__(self):
            return {"shape": (2,), "typestr": "|u1", "data": None}

    with refused(BufferError, match="bytes-like|buffer"):
        dlferry.asarray(Exporter())


@pytest.mark.parametrize(("offset", "fits"), [(0, True), (4, True), (5, False), (2**62, False), (-1, False)])
def test_elements_lie_within_the_buffer(offset, fits):
    source = described(data=bytearray(16), offset=offset)
    if fits:
        assert dlferry.asarray(source).shape == (2, 3)
        return
    with refused(BufferError, match="__array_interface__"):
        dlferry.asarray(source)


@pytest.mark.parametrize("fields", [{"strides": (-6, 2)}, {"strides": (6, -2)}, {"strides": (12, 2)}, {"shape": (3, 3)},
                                    {"strides": (2**62, 2)}, {"strides": (-(2**63), 2)}])  # fmt: skip
def test_strides_do_not_lead_out_of_the_buffer(fields):
    with refused(BufferError, match="beyond its buffer|64 bits"):
        dlferry.asarray(described(data=bytes(12), **fields))
    if fields == {"strides": (-6, 2)}:
        assert dlferry.asarray(described(data=bytes(12), offset=6, **fields)).shape == (2, 3)


def test_buffer_of_the_data_is_locked():
    memory = bytearray(12)
    tensor = dlferry.asarray(described(data=memory))
    with pytest.raises(BufferError):
        memory.append(1)
    del tensor
    memory.append(1)
    exporter = dt.BufferExporter(bytes(4))
    with refused(BufferError, match="beyond"):
        dlferry.asarray(described(data=exporter))
    assert exporter.held == 0


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"shape": ...}, "shape is missing"),
        ({"shape": None}, "shape is missing"),
        ({"shape": 3}, "shape is no tuple"),
        ({"shape": ("a",)}, "shape is no tuple"),
        ({"shape": (2**70,)}, "shape is no tuple"),
        ({"shape": (-1, 3)}, "-1"),
        ({"shape": (2**62, 2**62)}, "count"),
        ({"typestr": ...}, "typestr is missing"),
        ({"typestr": 7}, "typestr is no text"),
        ({"typestr": b"<i2"}, "typestr is no text"),
        ({"typestr": ""}, "typestr"),
        ({"typestr": "<M8[ns]"}, "typestr"),
        ({"typestr": "|V4"}, "typestr"),
        ({"typestr": "|O8"}, "typestr"),
        ({"typestr": "<f16"}, "typestr"),
        ({"typestr": "\u00e9\u00e9\u00e9"}, "typestr"),
        ({"typestr": "<i" + "9" * 1000}, "typestr"),
        ({"strides": (2,)}, "strides"),
        ({"strides": (6, 2, 1)}, "strides"),
        ({"strides": 7}, "strides is no tuple"),
        ({"strides": (2**70, 2)}, "strides is no tuple"),
        ({"strides": (2**63 - 2, 2)}, "address|overflow"),
        ({"data": (0, False)}, "NULL"),
        ({"data": (-1, False)}, "data is no pair"),
        ({"data": (2**70, False)}, "data is no pair"),
        ({"data": (1,)}, "data is no pair"),
        ({"data": (1, False, 3)}, "data is no pair"),
        ({"data": ("a", False)}, "data is no pair"),
        ({"data": 7}, "bytes-like|buffer"),
        ({"data": ...}, "bytes-like|buffer"),
        ({"data": [1, False]}, "bytes-like|buffer"),
        ({"mask": (1,)}, "mask would be lost"),
        ({"offset": "a", "data": bytes(12)}, "offset|int"),
    ],
)
def test_malformed_dictionary_is_refused(fields, why):
    with refused(BufferError, match=f"__array_interface__ .*({why})"):
        dlferry.asarray(described(**fields))


@pytest.mark.parametrize("interface", [7, (1, 2), [], "text"])
def test_interface_that_is_no_dictionary_is_refused(interface):
    source = described()
    source.__array_interface__ = interface
    with refused(BufferError, match="no dictionary"):
        dlferry.asarray(source)


def test_interface_that_raises_is_a_reason():
    class Raises:
        @property
        def __array_interface__(self):
            raise RuntimeError("out of order")

    with refused(BufferError, match="out of order"):
        dlferry.asarray(Raises())


def test_other_byte_order_and_odd_strides_are_copied():
    source = described(typestr=SWAPPED + "i2")
    assert dlferry.asarray(source).tolist() == [[0, 256, 512], [768, 1024, 1280]]
    with refused(dlferry.CopyRequiredError, match="byte order"):
        dlferry.asarray(source, copy=False)


def test_interface_and_object_are_kept_until_the_last_view_is_gone():
    source = described()
    alive = weakref.ref(source)
    view = dlferry.asarray(source)[0]
    del source
    gc.collect()
    assert view.tolist() == [0, 1, 2]
    del view
    gc.collect()
    assert alive() is None


@pytest.mark.parametrize(
    "source",
    [np.arange(6.0), np.arange(6.0).reshape(2, 3).T, np.zeros((2, 3), ">i2" if NATIVE == ">" else "<i2")[::-1, ::2],
     np.array(1 + 2j), np.zeros((0, 3), bool), np.broadcast_to(np.int8(3), (2, 2))],
    ids=str,
)  # fmt: skip
def test_export_says_what_numpy_says(source):
    tensor = dlferry.from_buffer(source)
    ours, theirs = tensor.__array_interface__, source.__array_interface__
    assert (ours["version"], ours["shape"], ours["typestr"]) == (3, theirs["shape"], theirs["typestr"])
    if source.size:
        assert ours["data"] == theirs["data"]
    assert ours["strides"] == theirs["strides"] or 0 in source.shape or source.size == 1
    again = np.asarray(Interface(None, **ours))
    assert again.tolist() == source.tolist()


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "int4"])
def test_dtype_without_a_type_string_has_no_interface(name):
    tensor = dlferry.from_address(0xDEAD0000, (2,), name, owner=None)
    assert not hasattr(tensor, "__array_interface__")
    with refused(AttributeError, match="type string"):
        tensor.__array_interface__  # noqa: B018


def test_each_interface_is_on_its_own_device_alone():
    on_cpu = dlferry.from_buffer(bytes(4))
    on_gpu = dlferry.from_address(0xDEAD0000, (2,), "float32", owner=None, device=(2, 1))
    managed = dlferry.from_address(0xDEAD0000, (2,), "float32", owner=None, device=(13, 0))
    assert not hasattr(on_cpu, "__cuda_array_interface__")
    assert not hasattr(on_gpu, "__array_interface__")
    assert on_gpu.__cuda_array_interface__ == {
        "version": 3, "shape": (2,), "typestr": NATIVE + "f4", "data": (0xDEAD0000, True), "strides": None, "stream": 1,
    }  # fmt: skip
    assert hasattr(managed, "__array_interface__")
    assert hasattr(managed, "__cuda_array_interface__")


@pytest.mark.parametrize("stream", [..., None, 1])
def test_cuda_memory_ready_on_the_default_stream_is_taken(stream):
    """The address leads nowhere: reading it would end the process."""
    source = Cuda(stream=stream)
    tensor = dlferry.asarray(source)
    assert (tensor.device, tensor.shape, tensor.dtype.name) == ((2, 0), (2, 3), "float32")
    assert (tensor.data_ptr, tensor.readonly, tensor.copied) == (0xDEAD0000, False, False)
    assert tensor.owner is source
    assert dlferry.asarray(Cuda(data=(0xDEAD0000, True))).readonly
    assert "0xdead0000" in repr(tensor) or "cuda" in repr(tensor).lower()


@pytest.mark.parametrize("stream", [0, 2, 0x1234, -1, 2**70, "x"])
def test_cuda_memory_that_is_not_ready_is_refused(stream):
    with refused(BufferError, match="__cuda_array_interface__"):
        dlferry.asarray(Cuda(stream=stream))


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"data": ...}, "data is missing"),
        ({"data": bytes(24)}, "data is no pair"),
        ({"data": (0, False)}, "NULL"),
        ({"mask": Cuda()}, "mask"),
        ({"typestr": SWAPPED + "f4"}, "byte order"),
        ({"strides": (13, 4)}, "stride"),
        ({"strides": (4,)}, "strides"),
    ],
)
@pytest.mark.parametrize("copy", [None, False])
def test_cuda_memory_that_dlpack_cannot_describe_is_refused_and_never_read(fields, why, copy):
    with pytest.raises(BufferError, match=why) as caught:
        dlferry.asarray(Cuda(**fields), copy=copy)
    assert type(caught.value) in (BufferError, dlferry.CopyRequiredError)


def test_copy_of_cuda_memory_is_refused():
    with refused(BufferError, match="cuda"):
        dlferry.asarray(Cuda(), copy=True)
    assert dlferry.asarray(Cuda(shape=(0, 3), data=(0, False))).size == 0
