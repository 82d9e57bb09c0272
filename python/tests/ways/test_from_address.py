"""`from_address`: memory that the caller vouches for."""

import ctypes
import gc
import struct
import weakref

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from exporters import refused

NUMBERS = np.arange(12, dtype=np.int32)
PTR = NUMBERS.ctypes.data


def at(shape, dtype="int32", strides=None, *, ptr=PTR, owner=NUMBERS, **keywords):
    return dlferry.from_address(ptr, shape, dtype, strides, owner=owner, **keywords)


@pytest.mark.parametrize(
    ("shape", "strides", "offset", "elements"),
    [
        ((12,), None, 0, list(range(12))),
        ([2, 3], None, 0, [[0, 1, 2], [3, 4, 5]]),
        ((2, 3), (3, 1), 0, [[0, 1, 2], [3, 4, 5]]),
        ((2, 3), [1, 2], 0, [[0, 2, 4], [1, 3, 5]]),
        ((4,), (-3,), 36, [9, 6, 3, 0]),
        ((2, 2), (-6, -1), 28, [[7, 6], [1, 0]]),
        ((2, 3), (0, 1), 0, [[0, 1, 2], [0, 1, 2]]),
        ((), None, 8, 2),
        ((), (), 8, 2),
        ((0,), None, 0, []),
        ((2, 0), None, None, [[], []]),
        ((0, 2**62, 2**62), None, None, []),
        ((1, 2), (2**62, 1), 0, [[0, 1]]),
    ],
)
def test_memory_is_read_as_described(shape, strides, offset, elements):
    ptr = 0 if offset is None else PTR + offset
    tensor = at(shape, strides=strides, ptr=ptr)
    assert tensor.shape == tuple(shape)
    assert tensor.tolist() == elements
    assert (tensor.source, tensor.copied, tensor.readonly, tensor.device) == ("address", False, True, (1, 0))
    assert tensor.owner is NUMBERS
    if tensor.size:
        assert tensor.data_ptr == ptr


@pytest.mark.parametrize(
    ("dtype", "elements"),
    [
        ("uint8", [1, 2]), ("bool", [True, True]), ("int16", [0x0201, 0x0403]), (dlferry.int8, [1, 2]),
        ("int4", [1, 0]), (dlferry.uint4, [1, 0]), ("float16", list(struct.unpack("<2e", bytes([1, 2, 3, 4])))),
        (dlferry.dtype("bfloat16"), None), ("float8_e4m3fn", None), ("float4_e2m1fn", None), ("complex64", None),
    ],
)  # fmt: skip
def test_dtype_is_a_name_or_an_object(dtype, elements):
    memory = np.arange(1, 33, dtype=np.uint8)
    tensor = dlferry.from_address(memory.ctypes.data, (2,), dtype, owner=memory)
    assert tensor.dtype == (dlferry.dtype(dtype) if isinstance(dtype, str) else dtype)
    if elements is not None:
        assert tensor.tolist() == elements
    assert len(tensor.tolist()) == 2


@pytest.mark.parametrize(
    ("device", "found"), [(None, (1, 0)), ("cpu", (1, 0)), ((1, 0), (1, 0)), (dlferry.Device(3, 1), (3, 1))]
)
def test_device_is_as_said(device, found):
    assert at((2,), device=device).device == found
    assert at((2,), device=device).tolist() == [0, 1]


@pytest.mark.parametrize("device", [(2, 1), (8, 0), (99, -3), dlferry.Device(10, 0)])
def test_memory_of_another_device_is_never_followed(device):
    tensor = at((2,), ptr=0xDEAD0000, device=device)
    assert (tensor.device, tensor.data_ptr) == (tuple(device), 0xDEAD0000)
    assert tensor.__dlpack_device__() == tuple(device)
    with refused(BufferError, match="device|host|on "):
        tensor.tolist()


def test_memory_is_writable_when_said():
    memory = np.zeros(3, np.int16)
    tensor = dlferry.from_address(memory.ctypes.data, (3,), "int16", owner=memory, readonly=False)
    dlferry.copyto(tensor, np.array([1, 2, 3], np.int16))
    assert memory.tolist() == [1, 2, 3]
    overlapping = dlferry.from_address(memory.ctypes.data, (3,), "int16", (0,), owner=memory, readonly=False)
    assert overlapping.readonly


def test_owner_is_kept_until_the_last_view_is_gone():
    class Owner:
        pass

    owner = Owner()
    alive = weakref.ref(owner)
    tensor = at((12,), owner=owner)
    holders = [tensor[2:], np.from_dlpack(tensor), memoryview(tensor), tensor.__dlpack__(max_version=(1, 3))]
    del owner, tensor
    while holders:
        gc.collect()
        assert alive() is not None
        holders.pop()
    gc.collect()
    assert alive() is None


def test_owner_may_be_none_and_must_be_said():
    assert at((1,), owner=None).owner is None
    with refused(TypeError, match="owner"):
        dlferry.from_address(PTR, (1,), "int32")


def test_address_of_ctypes_is_taken():
    numbers = (ctypes.c_double * 3)(1.0, 2.0, 3.0)
    tensor = dlferry.from_address(ctypes.addressof(numbers), (3,), "float64", owner=numbers)
    assert tensor.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("args", "keywords", "kind", "why"),
    [
        ((0, (1,), "int32"), {}, ValueError, "NULL"),
        ((0, (), "int32"), {}, ValueError, "NULL"),
        ((-1, (1,), "int32"), {}, ValueError, "-1 is out of range"),
        ((2**64, (1,), "int32"), {}, ValueError, "out of range"),
        (("0x10", (1,), "int32"), {}, TypeError, "ptr"),
        ((PTR, 3, "int32"), {}, TypeError, "shape"),
        ((PTR, "ab", "int32"), {}, TypeError, "shape"),
        ((PTR, (1.5,), "int32"), {}, TypeError, "shape"),
        ((PTR, (-1,), "int32"), {}, ValueError, "-1"),
        ((PTR, (2**63,), "int32"), {}, ValueError, "out of range"),
        ((PTR, (2**62, 2**62), "int32"), {}, ValueError, "counted"),
        ((PTR, (2**61,), "int32"), {}, ValueError, "address|64 bits"),
        ((PTR, (2, 2), "int32", (2**62, 1)), {}, ValueError, "address|64 bits"),
        ((PTR, (2, 2), "int32", (-(2**63), 1)), {}, ValueError, "address|64 bits"),
        ((2**64 - 8, (4,), "int32"), {}, ValueError, "address|64 bits"),
        ((4, (4,), "int32", (-1,)), {}, ValueError, "address|64 bits"),
        ((PTR, (2, 2), "int32", (1,)), {}, ValueError, "strides"),
        ((PTR, (2,), "int32", 1), {}, TypeError, "strides"),
        ((PTR, (2,), "int32", (2**70,)), {}, ValueError, "out of range"),
        ((PTR, (2,), "real32"), {}, ValueError, "real32"),
        ((PTR, (2,), np.complex256 if hasattr(np, "complex256") else float), {}, TypeError, "dtype"),
        ((PTR, (2,), None), {}, TypeError, "dtype"),
        ((PTR, (2,), "int32"), {"device": "cuda"}, ValueError, "device"),
        ((PTR, (2,), "int32"), {"device": 2}, TypeError, "device"),
        ((PTR, (2,), "int32"), {"device": (2, 2**40)}, BufferError, "device"),
        ((PTR, (2,), "int32"), {"readonly": 1}, TypeError, "readonly"),
    ],
)
def test_bad_description_is_refused(args, keywords, kind, why):
    with refused(kind, match=why):
        dlferry.from_address(*args, **{"owner": None, **keywords})


class Pointee(ctypes.Structure):
    _fields_ = (("x", ctypes.c_int32), ("y", ctypes.c_int32))


# What is no address, and how its address is had.
NO_ADDRESSES = [
    (lambda: ctypes.pointer(Pointee(3, 4)), r"ctypes\.addressof\(pointer\.contents\)"),
    (lambda: ctypes.cast(PTR, ctypes.c_void_p), r"ctypes\.cast\(pointer, ctypes\.c_void_p\)\.value"),
    (lambda: ctypes.c_char_p(b"abc"), r"ctypes\.cast\(pointer, ctypes\.c_void_p\)\.value"),
    (lambda: (ctypes.c_int32 * 3)(), r"ctypes\.addressof\(data\).*from_buffer"),
    (lambda: Pointee(3, 4), r"ctypes\.addressof\(data\)"),
    (lambda: np.zeros(3), "asarray takes arrays"),
    (lambda: b"abc", "asarray takes arrays"),
    (lambda: 1.5, "found an object of type float"),
    (lambda: None, "NoneType"),
]


@pytest.mark.parametrize(("make", "remedy"), NO_ADDRESSES)
def test_what_is_no_address_is_refused_with_the_way_to_it(make, remedy):
    with refused(TypeError, match=f"wanted an address, which is an integer.*{remedy}"):
        dlferry.from_address(make(), (1,), "int32", owner=None)


def test_ways_to_an_address_lead_there():
    pair = Pointee(3, 4)
    pointer = ctypes.pointer(pair)
    for address in (ctypes.addressof(pointer.contents), ctypes.cast(pointer, ctypes.c_void_p).value,
                    ctypes.addressof(pair)):  # fmt: skip
        assert dlferry.from_address(address, (2,), "int32", owner=pair).tolist() == [3, 4]


def test_pointer_of_cffi_is_refused_with_the_way_to_it():
    ffi = pytest.importorskip("cffi").FFI()
    memory = ffi.new("int32_t[3]", [1, 2, 3])
    with refused(TypeError, match=r'int\(ffi\.cast\("uintptr_t", pointer\)\)'):
        dlferry.from_address(memory, (3,), "int32", owner=memory)
    address = int(ffi.cast("uintptr_t", memory))
    assert dlferry.from_address(address, (3,), "int32", owner=memory).tolist() == [1, 2, 3]


@pytest.mark.parametrize("argument", ["shape", "strides"])
def test_single_integer_is_answered_with_the_tuple(argument):
    given = {"shape": (3,), "dtype": "int32", "owner": None, "strides": (1,), argument: 3}
    # PyO3 names it before the text, or in a note behind it.
    with refused(
        TypeError, match=rf"(?s)^(?=.*{argument}).*wanted a tuple of integers, \(3,\) for one axis, found 3"
    ):
        dlferry.from_address(PTR, **given)


def test_dtype_may_be_one_of_numpy():
    for dtype in (np.int32, np.dtype("int32"), NUMBERS.dtype):
        assert at((3,), dtype).tolist() == [0, 1, 2]


def test_capsule_of_it_says_read_only():
    assert dt.inspect(at((2,)).__dlpack__(max_version=(1, 3)))["flags"] & 1
