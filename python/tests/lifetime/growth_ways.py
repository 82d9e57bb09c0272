"""What is done very often with the other ways in and out: buffers, interfaces, addresses, copies, views, pickles."""

from __future__ import annotations

import array
import copy
import ctypes
import mmap
import pickle
from collections.abc import Callable
from typing import Any

import dlferry
import dlferry_testing as dt
import numpy as np
from growth_tools import Old, refused

NUMBERS = np.arange(12, dtype=np.float32).reshape(3, 4)
BACKWARDS = NUMBERS[::-1, ::2]
SWAPPED = NUMBERS.astype(">f4" if NUMBERS.dtype.newbyteorder("<") == NUMBERS.dtype else "<f4")
PACKED = np.zeros(3, [("a", "i1"), ("b", "f4")])["b"]
DATES = np.zeros(3, "M8[s]")
TENSOR = dlferry.from_dlpack(NUMBERS)
FIXED = dlferry.from_dlpack(NUMBERS, writable=False)
FLAT = dlferry.from_buffer(bytearray(8))
NUMBER = dlferry.from_dlpack(np.array(2.5))
BFLOATS = dlferry.from_dlpack(dt.Producer(dt.Crafted(bytes(8), shape=[4], strides=[1], code=4, bits=16)))
DEVICE = dlferry.from_dlpack(
    dt.Producer(dt.Crafted(bytes(8), shape=[2], strides=[1], device=(2, 0), address=0xDEAD0000))
)
BYTES, BYTEARRAY = bytes(16), bytearray(16)
DOUBLES, MAP, CTYPES = array.array("d", [1, 2]), mmap.mmap(-1, 4096), (ctypes.c_int32 * 4)()
VIEW = memoryview(bytearray(24)).cast("f", (2, 3))
REFUSING = dt.BufferExporter(bytes(8), refuse="not now")
LYING = dt.BufferExporter(bytes(8), format=b"B", itemsize=4)
POINTERS = memoryview(bytearray(16)).cast("P")


class Interface:
    """Has an array interface and nothing else."""

    def __init__(self, source: np.ndarray, **fields: object) -> None:
        self.source = source
        self.__array_interface__ = {**source.__array_interface__, **fields}


class Cuda:
    """Has `__cuda_array_interface__` and nothing else."""

    def __init__(self) -> None:
        self.__cuda_array_interface__ = {
            "version": 3,
            "shape": (2,),
            "typestr": "<f4",
            "data": (0xDEAD0000, False),
        }


class Convertible:
    """Knows how to become an array of NumPy's, and nothing else."""

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        return NUMBERS


class Raising:
    @property
    def __array_interface__(self) -> dict[str, object]:
        raise OSError("the disk is full")


INTERFACE, CUDA, CONVERTIBLE, RAISING = Interface(NUMBERS), Cuda(), Convertible(), Raising()
BROKEN, SHAPELESS = Interface(NUMBERS, typestr="|V4"), Interface(NUMBERS, shape=(-1,))
OLD = Old(NUMBERS)
STATE = pickle.dumps(TENSOR, 5)
KEY: Any = "x"


def out_of_band() -> object:
    buffers: list[pickle.PickleBuffer] = []
    state = pickle.dumps(TENSOR, 5, buffer_callback=buffers.append)
    return pickle.loads(state, buffers=buffers)


def at_address(**keywords: object) -> dlferry.Tensor:
    settings = {"owner": BYTEARRAY, "readonly": False, **keywords}
    return dlferry.from_address(FLAT.data_ptr, (8,), "uint8", **settings)


ACTIONS: dict[str, Callable[[], object]] = {
    **{
        f"buffer in: {kind}": lambda source=source: dlferry.from_buffer(source)
        for kind, source in {
            "bytes": BYTES,
            "bytearray": BYTEARRAY,
            "array": DOUBLES,
            "map": MAP,
            "ctypes": CTYPES,
            "rows": VIEW,
            "NumPy": BACKWARDS,
            "tensor": TENSOR,
        }.items()
    },
    "buffer in: copied": lambda: dlferry.from_buffer(VIEW, copy=True),
    "buffer in: read-only": lambda: dlferry.from_buffer(BYTEARRAY, writable=False),
    "buffer in, refused: writable": refused(lambda: dlferry.from_buffer(BYTES, writable=True), BufferError),
    "buffer in, refused: by the exporter": refused(lambda: dlferry.from_buffer(REFUSING), BufferError),
    "buffer in, refused: lying": refused(lambda: dlferry.from_buffer(LYING), BufferError),
    "buffer in, refused: format": refused(lambda: dlferry.from_buffer(POINTERS), BufferError),
    "buffer in, refused: none": refused(lambda: dlferry.from_buffer(3), TypeError),
    "interface in": lambda: dlferry.asarray(INTERFACE),
    "interface in: CUDA": lambda: dlferry.asarray(CUDA),
    "interface in, refused: void": refused(
        lambda: dlferry.asarray(BROKEN), BufferError, TypeError, ValueError
    ),
    "interface in, refused: shape": refused(lambda: dlferry.asarray(SHAPELESS), BufferError, ValueError),
    "interface in, refused: its own error": refused(lambda: dlferry.asarray(RAISING), BufferError),
    "interface out": lambda: TENSOR.__array_interface__,
    "interface out: CUDA": lambda: DEVICE.__cuda_array_interface__,
    "interface out, refused": refused(lambda: BFLOATS.__array_interface__, AttributeError),
    "asarray: array": lambda: dlferry.asarray(NUMBERS),
    "asarray: unversioned": lambda: dlferry.asarray(OLD),
    "asarray: byte order": lambda: dlferry.asarray(SWAPPED),
    "asarray: field": lambda: dlferry.asarray(PACKED),
    "asarray: __array__": lambda: dlferry.asarray(CONVERTIBLE),
    "asarray: copied": lambda: dlferry.asarray(BACKWARDS, copy=True),
    "asarray, refused: copy": refused(lambda: dlferry.asarray(SWAPPED, copy=False), BufferError),
    "asarray, refused: every way": refused(
        lambda: dlferry.asarray(DATES), BufferError, ValueError, TypeError
    ),
    "asarray, refused: nothing": refused(lambda: dlferry.asarray(object()), TypeError),
    "address": at_address,
    "address, refused: shape": refused(
        lambda: dlferry.from_address(8, (-1,), "uint8", owner=None), BufferError, ValueError
    ),
    "address, refused: device": refused(lambda: at_address(device="gpu"), ValueError),
    "array out": lambda: np.asarray(FIXED),
    "array out: numpy()": lambda: TENSOR.numpy(),
    "array out: to(array)": lambda: TENSOR.to(NUMBERS),
    "array out: to(name)": lambda: FIXED.to("numpy"),
    "array out, refused": refused(lambda: DEVICE.numpy(), BufferError),
    "bytes out": lambda: (TENSOR.tobytes(), BFLOATS.tobytes()),
    "buffer out, refused: no format": refused(lambda: memoryview(BFLOATS), BufferError),
    "buffer out, refused: device": refused(lambda: memoryview(DEVICE), BufferError),
    "values, refused": refused(lambda: DEVICE.tolist(), BufferError),
    "copy": lambda: TENSOR.copy("F"),
    "copy: deep": lambda: copy.deepcopy(TENSOR),
    "copy: shallow": lambda: copy.copy(TENSOR),
    "copy: into": lambda: dlferry.copyto(TENSOR, NUMBERS),
    "copy: into itself": lambda: dlferry.copyto(FLAT[1:], FLAT[:-1]),
    "copy, refused: read-only": refused(lambda: dlferry.copyto(FIXED, NUMBERS), BufferError),
    "copy, refused: dtype": refused(
        lambda: dlferry.copyto(TENSOR, BYTES), TypeError, ValueError, BufferError
    ),
    "copy, refused: device": refused(lambda: DEVICE.copy(), BufferError),
    "copy, refused: memory": refused(lambda: FLAT[:1].broadcast_to((1 << 46,)).copy(), MemoryError),
    "views": lambda: (TENSOR[1:, ::2], TENSOR[0, 0], TENSOR[..., None], TENSOR.T, TENSOR.reshape(4, 3)),
    "views: more": lambda: (
        TENSOR.permute_dims(1, 0),
        TENSOR[None].squeeze(0),
        TENSOR.expand_dims(),
        FLAT.view("int16"),
        TENSOR.broadcast_to((2, 3, 4)),
        *TENSOR,
    ),
    "views, refused: index": refused(lambda: TENSOR[7], IndexError),
    "views, refused: key": refused(lambda: TENSOR[KEY], TypeError),
    "views, refused: reshape": refused(lambda: TENSOR.reshape(5), ValueError),
    "views, refused: needs a copy": refused(lambda: TENSOR.T.reshape(12), dlferry.CopyRequiredError),
    "numbers": lambda: (float(NUMBER), bool(NUMBER), NUMBER.item(), complex(NUMBER.item())),
    "numbers, refused": refused(lambda: float(TENSOR), TypeError),
    "pickle": lambda: pickle.dumps(TENSOR, 2),
    "pickle: and back": lambda: pickle.loads(STATE),
    "pickle: out of band": out_of_band,
    "pickle, refused": refused(lambda: pickle.dumps(DEVICE), BufferError, TypeError),
    "objects": lambda: (
        dlferry.dtype("float32"),
        dlferry.Device(1, 0),
        dlferry.DeviceType(1),
        TENSOR.dtype.name,
        hash(TENSOR.device),
    ),
    "objects, refused": refused(lambda: dlferry.dtype("float31"), TypeError, ValueError),
}
