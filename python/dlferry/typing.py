"""What the functions of dlferry accept, as types for annotations.

A library that takes any array annotates it so, whatever the caller's library is::

    from dlferry import Tensor, from_dlpack
    from dlferry.typing import FromDLPack

    def total(x: FromDLPack) -> int:
        return from_dlpack(x).size

``import dlferry`` does not import this module. The protocols ask for the least that dlferry needs, so that each
library's own annotations fit them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import EllipsisType
from typing import TYPE_CHECKING, Any, Literal, Protocol, SupportsIndex, TypeAlias, runtime_checkable

from ._native import Tensor, dtype

if TYPE_CHECKING:
    if sys.version_info >= (3, 13):
        from types import CapsuleType
    else:
        from typing_extensions import CapsuleType
else:
    # Python has a name for it from 3.13 on.
    CapsuleType = type(Tensor.__dlpack_c_exchange_api__)

if sys.version_info >= (3, 12):
    from collections.abc import Buffer as SupportsBuffer
else:

    class SupportsBuffer(Protocol):
        """An object with the buffer protocol, such as ``bytes``, ``mmap``, ``array.array`` and ctypes arrays.

        For type checkers: before Python 3.12 a class written in C does not show that it has the protocol.
        """

        def __buffer__(self, flags: int, /) -> memoryview:
            """Lends the memory."""


__all__ = [
    "ArrayLike",
    "CapsuleType",
    "DTypeLike",
    "DeviceLike",
    "FromDLPack",
    "Index",
    "Shape",
    "SupportsArray",
    "SupportsArrayInterface",
    "SupportsBuffer",
    "SupportsCudaArrayInterface",
    "SupportsDLPack",
    "SupportsDType",
    "SupportsExchange",
]


@runtime_checkable
class SupportsDLPack(Protocol):
    """An array with the method of the array-API standard, as those of NumPy, PyTorch, JAX and CuPy are.

    The method is called with the keywords ``stream`` and ``max_version``, and again without if it does not know them.
    """

    def __dlpack__(self) -> object:
        """Makes a capsule named ``dltensor_versioned`` or ``dltensor``."""


@runtime_checkable
class SupportsExchange(Protocol):
    """An array whose class has the DLPack C exchange API, as PyTorch's has."""

    @property
    def __dlpack_c_exchange_api__(self) -> object:
        """A capsule named ``dlpack_exchange_api``, found on the class."""


@runtime_checkable
class SupportsArrayInterface(Protocol):
    """An object in host memory that describes itself in NumPy's way, as Pillow's images do."""

    @property
    def __array_interface__(self) -> dict[str, Any]:
        """Shape, type and address."""


@runtime_checkable
class SupportsCudaArrayInterface(Protocol):
    """An array in CUDA memory that describes itself in Numba's way."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """Shape, type and address."""


@runtime_checkable
class SupportsArray(Protocol):
    """An object that can make a ``numpy.ndarray`` of itself."""

    def __array__(self) -> object:
        """Makes an array."""


@runtime_checkable
class SupportsDType(Protocol):
    """A dtype of another library, as ``numpy.dtype("float32")`` and ``torch.float32`` are.

    Its name is looked at, and has to be one that :class:`dlferry.dtype` knows.
    """

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""


FromDLPack: TypeAlias = SupportsDLPack | SupportsExchange | CapsuleType
"""What :func:`dlferry.from_dlpack` takes; :func:`dlferry.from_buffer` takes :class:`SupportsBuffer`."""

ArrayLike: TypeAlias = (
    FromDLPack | SupportsBuffer | SupportsArrayInterface | SupportsCudaArrayInterface | SupportsArray
)
"""What :func:`dlferry.asarray` and :func:`dlferry.copyto` take: not lists and numbers, as in NumPy."""

DTypeLike: TypeAlias = dtype | str | SupportsDType | type[Any]
"""A dtype, the name of one, or that of another library; a class such as ``numpy.float32`` or ``ml_dtypes.bfloat16``."""

DeviceLike: TypeAlias = tuple[int, int] | Literal["cpu"]
"""A :class:`dlferry.Device` or another pair of type and number; ``"cpu"`` for ``(1, 0)``."""

Shape: TypeAlias = Sequence[SupportsIndex]
"""Extents, strides or axes."""

Index: TypeAlias = (
    SupportsIndex | slice | EllipsisType | tuple[SupportsIndex | slice | EllipsisType | None, ...] | None
)
"""What stands between the brackets of ``tensor[...]``."""


def __dir__() -> list[str]:
    # What is meant for use, and what every module has.
    return sorted({*(name for name in globals() if name.startswith("__")), *__all__})
