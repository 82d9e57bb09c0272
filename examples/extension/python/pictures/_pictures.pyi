"""What the Rust part has, for type checkers and editors."""

import sys
from typing import Any, TypeVar, final, overload

from typing_extensions import CapsuleType

__all__ = ["Checkerboard", "blur", "normalize"]

_Array = TypeVar("_Array")

@overload
def blur(image: bytes | bytearray | memoryview, radius: int = 1) -> memoryview: ...
@overload
def blur(image: _Array, radius: int = 1) -> _Array: ...
def normalize(image: Any, /) -> None: ...

@final
class Checkerboard:
    __dlpack_c_exchange_api__: CapsuleType
    def __new__(cls, height: int, width: int, tile: int = 8) -> Checkerboard: ...
    @property
    def painted(self) -> bool: ...
    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> CapsuleType: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    if sys.version_info >= (3, 12):  # before, it lends a buffer and does not say so
        def __buffer__(self, flags: int, /) -> memoryview: ...
        def __release_buffer__(self, buffer: memoryview, /) -> None: ...
