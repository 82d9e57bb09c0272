"""Array exchange: any array of any library as a :class:`Tensor`, without a copy.

==========================  =========================================================================
``from_dlpack(x)``          an array of NumPy, PyTorch, JAX, CuPy, or anything else that speaks DLPack
``from_buffer(x)``          bytes, bytearray, mmap, memoryview, array.array, ctypes arrays
``asarray(x)``              you do not know, or it is awkward: a copy only where nothing else will do
``from_address(ptr, ...)``  an address from ctypes, cffi or a driver
``copyto(dst, src)``        the elements of one array into another, of any two libraries
``set_num_threads(n)``      how many threads a large copy is shared between
``explain(x)``              what an array is, and what each library would make of it, and why
``exports(x)``              who holds the memory of tensors; after ``trace_exports()``
==========================  =========================================================================

What they give speaks DLPack itself, has the DLPack C exchange API and the buffer protocol, and can be handed to any of
them. ``dlferry.numpy`` gives and takes arrays of NumPy's; ``dlferry.typing`` has types for annotations.

No array library is imported here or needed.
"""

from __future__ import annotations

from . import numpy
from ._device import Device
from ._native import (
    CopyRequiredError,
    Tensor,
    __version__,
    asarray,
    bcomplex32,
    bfloat16,
    bool,
    complex32,
    complex64,
    complex128,
    copyto,
    dtype,
    float4_e2m1fn,
    float6_e2m3fn,
    float6_e3m2fn,
    float8_e3m4,
    float8_e4m3,
    float8_e4m3b11fnuz,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
    float8_e8m0fnu,
    float16,
    float32,
    float64,
    from_address,
    from_buffer,
    from_dlpack,
    get_num_threads,
    int1,
    int2,
    int4,
    int8,
    int16,
    int32,
    int64,
    set_num_threads,
    uint1,
    uint2,
    uint4,
    uint8,
    uint16,
    uint32,
    uint64,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._device_type import DeviceType
    from ._explain import explain
    from ._exports import exports, trace_exports

__all__ = [
    "CopyRequiredError",
    "Device",
    "DeviceType",
    "Tensor",
    "__version__",
    "asarray",
    "bcomplex32",
    "bfloat16",
    "bool",
    "complex32",
    "complex64",
    "complex128",
    "copyto",
    "dtype",
    "explain",
    "exports",
    "float4_e2m1fn",
    "float6_e2m3fn",
    "float6_e3m2fn",
    "float8_e3m4",
    "float8_e4m3",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
    "float16",
    "float32",
    "float64",
    "from_address",
    "from_buffer",
    "from_dlpack",
    "get_num_threads",
    "int1",
    "int2",
    "int4",
    "int8",
    "int16",
    "int32",
    "int64",
    "numpy",
    "set_num_threads",
    "trace_exports",
    "uint1",
    "uint2",
    "uint4",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]

if not TYPE_CHECKING:
    # What costs more to import than all the rest of dlferry, and few look at: IntEnum is one such.
    _LATER = {
        "DeviceType": "_device_type",
        "explain": "_explain",
        "exports": "_exports",
        "trace_exports": "_exports",
    }

    # Hidden, or type checkers would take any name for an attribute.
    def __getattr__(name: str) -> object:
        module = _LATER.get(name)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = found = getattr(__import__(f"{__name__}.{module}", fromlist=(name,)), name)
        return found


def __dir__() -> list[str]:
    # What is meant for use, and what every module has.
    return sorted({*(name for name in globals() if name.startswith("__")), *__all__})
