import builtins
from collections.abc import Iterator
from types import ModuleType
from typing import Any, ClassVar, Literal, TypeAlias, final, overload

from numpy.typing import DTypeLike as _NumPyDTypeLike
from numpy.typing import NDArray as _NDArray
from typing_extensions import Never, Self, SupportsIndex

from ._device import Device
from .typing import (
    ArrayLike,
    CapsuleType,
    DeviceLike,
    DTypeLike,
    FromDLPack,
    Index,
    Shape,
    SupportsBuffer,
)

__all__ = [
    "CopyRequiredError",
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
    "set_num_threads",
    "uint1",
    "uint2",
    "uint4",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]
__version__: str

class CopyRequiredError(BufferError, ValueError): ...

@final
class dtype:  # noqa: N801
    def __new__(cls, name: DTypeLike, /) -> Self: ...
    @property
    def name(self) -> str: ...
    @property
    def code(self) -> int: ...
    @property
    def bits(self) -> int: ...
    @property
    def lanes(self) -> int: ...
    @property
    def itemsize(self) -> int: ...
    def __eq__(self, value: object, /) -> builtins.bool: ...
    def __ne__(self, value: object, /) -> builtins.bool: ...
    def __hash__(self, /) -> int: ...
    def __reduce__(self) -> tuple[type[dtype], tuple[str]]: ...

# Within the class the name is that of an attribute.
_dtype: TypeAlias = dtype

@final
class Tensor:
    # Tensors come from the functions below.
    def __new__(cls, _: Never, /) -> Self: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def strides(self) -> tuple[int, ...]: ...
    @property
    def ndim(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def itemsize(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def dtype(self) -> _dtype: ...
    @property
    def device(self) -> Device: ...
    @property
    def data_ptr(self) -> int: ...
    @property
    def byte_offset(self) -> int: ...
    @property
    def readonly(self) -> builtins.bool: ...
    @property
    def copied(self) -> builtins.bool | None: ...
    @property
    def c_contiguous(self) -> builtins.bool: ...
    @property
    def f_contiguous(self) -> builtins.bool: ...
    @property
    def source(
        self,
    ) -> Literal[
        "exchange", "dlpack", "dlpack-unversioned", "buffer", "array-interface", "numpy", "address", "rust"
    ]: ...
    @property
    def owner(self) -> Any: ...
    def tolist(self) -> Any: ...
    def item(self) -> builtins.bool | int | float | complex: ...
    def copy(self, order: Literal["C", "F", "K"] = "C") -> Tensor: ...
    @overload
    def reshape(self, shape: Shape, /) -> Tensor: ...
    @overload
    def reshape(self, *shape: SupportsIndex) -> Tensor: ...
    def tobytes(self, order: Literal["C", "F", "K"] = "C") -> bytes: ...
    @overload
    def permute_dims(self, axes: Shape, /) -> Tensor: ...
    @overload
    def permute_dims(self, *axes: SupportsIndex) -> Tensor: ...
    @property
    def T(self) -> Tensor: ...  # noqa: N802
    @property
    def mT(self) -> Tensor: ...  # noqa: N802
    def squeeze(self, axis: SupportsIndex | Shape | None = None) -> Tensor: ...
    def expand_dims(self, axis: SupportsIndex = 0) -> Tensor: ...
    def broadcast_to(self, shape: Shape, /) -> Tensor: ...
    def view(self, dtype: DTypeLike, /) -> Tensor: ...
    def numpy(self) -> _NDArray[Any]: ...
    def torch(self) -> Any: ...
    def jax(self) -> Any: ...
    @overload
    def to(self, target: Literal["numpy"] | _NDArray[Any], /) -> _NDArray[Any]: ...
    @overload
    def to(self, target: Tensor, /) -> Tensor: ...
    @overload
    def to(self, target: object, /) -> Any: ...
    def __getitem__(self, key: Index, /) -> Tensor: ...
    def __len__(self, /) -> int: ...
    def __iter__(self, /) -> Iterator[Tensor]: ...
    def __contains__(self, value: object, /) -> Never: ...
    def __bool__(self, /) -> builtins.bool: ...
    def __int__(self, /) -> int: ...
    def __float__(self, /) -> float: ...
    def __index__(self, /) -> int: ...
    def __array__(
        self, dtype: _NumPyDTypeLike | None = None, *, copy: builtins.bool | None = None
    ) -> _NDArray[Any]: ...
    @property
    def __array_interface__(self) -> dict[str, Any]: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: builtins.bool | None = None,
    ) -> CapsuleType: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    __dlpack_c_exchange_api__: ClassVar[CapsuleType]
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __release_buffer__(self, buffer: memoryview, /) -> None: ...
    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, tuple[Any, ...]]: ...
    @staticmethod
    def _rebuild(
        bytes: SupportsBuffer, dtype: DTypeLike, shape: Shape, read_only: builtins.bool, padded: builtins.bool
    ) -> Tensor: ...
    def __copy__(self) -> Tensor: ...
    def __deepcopy__(self, _memo: Any) -> Tensor: ...

def from_dlpack(
    x: FromDLPack,
    /,
    *,
    device: DeviceLike | None = None,
    copy: builtins.bool | None = None,
    writable: builtins.bool | None = None,
) -> Tensor: ...
def from_buffer(
    x: SupportsBuffer, /, *, copy: builtins.bool | None = None, writable: builtins.bool | None = None
) -> Tensor: ...
def asarray(
    x: ArrayLike, /, *, copy: builtins.bool | None = None, writable: builtins.bool | None = None
) -> Tensor: ...
def from_address(
    ptr: SupportsIndex,
    shape: Shape,
    dtype: DTypeLike,
    strides: Shape | None = None,
    *,
    owner: object,
    readonly: builtins.bool = True,
    device: DeviceLike = "cpu",
) -> Tensor: ...
def copyto(dst: ArrayLike, src: ArrayLike, /) -> None: ...
def set_num_threads(count: int, /) -> None: ...
def get_num_threads() -> int: ...

bool: dtype
int1: dtype
int2: dtype
int4: dtype
int8: dtype
int16: dtype
int32: dtype
int64: dtype
uint1: dtype
uint2: dtype
uint4: dtype
uint8: dtype
uint16: dtype
uint32: dtype
uint64: dtype
float16: dtype
bfloat16: dtype
float32: dtype
float64: dtype
complex32: dtype
complex64: dtype
complex128: dtype
bcomplex32: dtype
float8_e3m4: dtype
float8_e4m3: dtype
float8_e4m3b11fnuz: dtype
float8_e4m3fn: dtype
float8_e4m3fnuz: dtype
float8_e5m2: dtype
float8_e5m2fnuz: dtype
float8_e8m0fnu: dtype
float6_e2m3fn: dtype
float6_e3m2fn: dtype
float4_e2m1fn: dtype

def _numpy_from_dlpack(
    x: FromDLPack,
    /,
    *,
    device: Literal["cpu"] | tuple[int, int] | None = None,
    copy: builtins.bool | None = None,
) -> _NDArray[Any]: ...
def _numpy_asarray(
    x: ArrayLike, /, *, copy: builtins.bool | None = None, writable: builtins.bool | None = None
) -> _NDArray[Any]: ...
def _numpy_to_dlpack(
    a: ArrayLike, /, *, max_version: tuple[int, int] | None = None, copy: builtins.bool | None = None
) -> CapsuleType: ...
def _numpy_enable_exchange_api() -> None: ...
def _numpy_disable_exchange_api() -> None: ...
def _numpy_exchange_api_enabled() -> builtins.bool: ...
def _testing() -> ModuleType: ...
def _look_at(capsule: CapsuleType) -> dict[str, Any]: ...
def _trace_exports(frames: int, report: builtins.bool) -> None: ...
def _live_exports(
    tensor: Tensor | None,
) -> (
    list[
        tuple[
            tuple[int, ...],
            dtype,
            tuple[int, int],
            int,
            builtins.bool,
            Literal["capsule", "exchange", "buffer", "numpy"],
            float,
            tuple[tuple[str, int, str], ...],
        ]
    ]
    | None
): ...
