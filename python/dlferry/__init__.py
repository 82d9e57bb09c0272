"""Array exchange: any array of any library as a :class:`Tensor`, without a copy.

==========================  =========================================================================
``from_dlpack(x)``          an array of NumPy, PyTorch, JAX, CuPy, or anything else that speaks DLPack
``from_buffer(x)``          bytes, bytearray, mmap, memoryview, array.array, ctypes arrays
``asarray(x)``              you do not know, or it is awkward: a copy only where nothing else will do
``from_address(ptr, ...)``  an address from ctypes, cffi or a driver
``copyto(dst, src)``        the elements of one array into another, of any two libraries
==========================  =========================================================================

What they give speaks DLPack itself, has the DLPack C exchange API and the buffer protocol, and can be handed to any of them.

No array library is imported here or needed.
"""

from __future__ import annotations

from . import _native
from ._device import Device
from ._native import (
    CopyRequiredError,
    Tensor,
    __version__,
    asarray,
    copyto,
    dtype,
    from_address,
    from_buffer,
    from_dlpack,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._device_type import DeviceType

__all__ = [
    "CopyRequiredError",
    "Device",
    "DeviceType",
    "Tensor",
    "__version__",
    "asarray",
    "copyto",
    "dtype",
    "from_address",
    "from_buffer",
    "from_dlpack",
]

# float32, bfloat16, int4, ...: a dtype object for each dtype that has a name.
_dtypes = {name: value for name, value in vars(_native).items() if isinstance(value, dtype)}
globals().update(_dtypes)
__all__ += sorted(_dtypes)


def __getattr__(name: str) -> object:
    # IntEnum costs more to import than all the rest of dlferry, and few look at it.
    if name == "DeviceType":
        from ._device_type import DeviceType

        globals()[name] = DeviceType
        return DeviceType
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
