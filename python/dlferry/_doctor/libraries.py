"""How each array library is called: to make an array of given memory, and to take one of another library.

This table is the only place where a library has a name. What a library does with an array is found by doing it.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import platform
from collections.abc import Callable
from importlib.machinery import PathFinder
from typing import Any, NamedTuple

Make = Callable[[Any, memoryview, str, tuple[int, ...]], Any]
Call = Callable[[Any], Any]


class Library(NamedTuple):
    """A library, by what is called of it.

    ``make(module, memory, dtype, shape)`` makes an array of that memory, or of a copy; it raises where the library has
    no such arrays. ``take(module)`` gives the function that takes arrays with ``__dlpack__``; ``take_buffer(module)``
    the one for what has the buffer protocol and no DLPack. ``freeze(array)`` gives the array read-only. ``dtype`` is
    what its arrays have where a probe does not say. None stands for what a library does not have.
    """

    name: str
    module: str
    make: Make | None = None
    take: Callable[[Any], Call | None] | None = None
    take_buffer: Callable[[Any], Call] | None = None
    freeze: Call | None = None
    dtype: str = "float32"
    distribution: str = ""


# The formats of the buffer protocol, for those that want to be told what a buffer holds.
FORMATS = {
    "?": "bool",
    "B": "uint8",
    "i": "int32",
    "l": "int64",
    "q": "int64",
    "f": "float32",
    "d": "float64",
}
# The same the other way round, as `memoryview.cast` knows them.
CASTS = {"bool": "?", "uint8": "B", "int32": "i", "int64": "q", "float32": "f", "float64": "d"}


def _dtype_of(view: memoryview) -> str:
    name = FORMATS.get(view.format.lstrip("@="))
    if name is None:
        raise TypeError(f"the table has no name for the buffer format {view.format!r}")
    return name


def _of_numpy(dtypes: str, memory: memoryview, dtype: str, shape: tuple[int, ...]) -> Any:
    numpy = importlib.import_module("numpy")
    kind = getattr(importlib.import_module(dtypes), dtype)
    return numpy.frombuffer(memory, dtype=numpy.dtype(kind)).reshape(shape)


def _numpy(module: Any, memory: memoryview, dtype: str, shape: tuple[int, ...]) -> Any:
    return module.frombuffer(memory, dtype=dtype).reshape(shape)


def _frozen_numpy(array: Any) -> Any:
    array.flags.writeable = False
    return array


def _ml_dtypes(module: Any, memory: memoryview, dtype: str, shape: tuple[int, ...]) -> Any:
    return _of_numpy("ml_dtypes", memory, dtype, shape)


def _strict(module: Any, memory: memoryview, dtype: str, shape: tuple[int, ...]) -> Any:
    return module.asarray(_numpy(importlib.import_module("numpy"), memory, dtype, shape), copy=False)


def _frozen_strict(array: Any) -> Any:
    _frozen_numpy(array._array)
    return array


def _torch(module: Any, memory: memoryview, dtype: str, shape: tuple[int, ...]) -> Any:
    return module.frombuffer(memory, dtype=getattr(module, dtype)).reshape(shape)


def _torch_of_buffer(module: Any) -> Call:
    def take(x: Any) -> Any:
        view = memoryview(x)
        return module.frombuffer(x, dtype=getattr(module, _dtype_of(view))).reshape(view.shape)

    return take


def _jax(module: Any, memory: memoryview, dtype: str, shape: tuple[int, ...]) -> Any:
    jnp = importlib.import_module("jax.numpy")
    return jnp.array(importlib.import_module("numpy").frombuffer(memory, jnp.dtype(dtype)).reshape(shape))


def _mlx(module: Any, memory: memoryview, dtype: str, shape: tuple[int, ...]) -> Any:
    kind = getattr(module, "bool_" if dtype == "bool" else dtype)
    array = module.array(memory).view(kind).reshape(shape)
    module.eval(array)
    return array


def _pyarrow(module: Any, memory: memoryview, dtype: str, shape: tuple[int, ...]) -> Any:
    (count,) = shape
    return module.Array.from_buffers(getattr(module, dtype)(), count, [None, module.py_buffer(memory)])


def _pyarrow_of_buffer(module: Any) -> Call:
    def take(x: Any) -> Any:
        view = memoryview(x)
        if view.ndim != 1:
            raise ValueError("its arrays have one axis")
        kind = getattr(module, _dtype_of(view))()
        return module.Array.from_buffers(kind, len(view), [None, module.py_buffer(x)])

    return take


def _dlferry(module: Any, memory: memoryview, dtype: str, shape: tuple[int, ...]) -> Any:
    return module.from_buffer(memory).view(dtype).reshape(shape)


def _tvm_ffi(module: Any, memory: memoryview, dtype: str, shape: tuple[int, ...]) -> Any:
    return module.from_dlpack(_dlferry(importlib.import_module("dlferry"), memory, dtype, shape))


def _memoryview(module: Any, memory: memoryview, dtype: str, shape: tuple[int, ...]) -> Any:
    return memory.cast(CASTS[dtype], shape)  # type: ignore[call-overload]


def _onnxruntime(module: Any, memory: memoryview, dtype: str, shape: tuple[int, ...]) -> Any:
    array = _numpy(importlib.import_module("numpy"), memory, dtype, shape)
    value = module.OrtValue.ortvalue_from_shape_and_type(shape, array.dtype.type)
    value.update_inplace(array)
    return value


def _cupy(module: Any, memory: memoryview, dtype: str, shape: tuple[int, ...]) -> Any:
    return module.asarray(_numpy(importlib.import_module("numpy"), memory, dtype, shape))


def _tensorflow(module: Any, memory: memoryview, dtype: str, shape: tuple[int, ...]) -> Any:
    return module.constant(_numpy(importlib.import_module("numpy"), memory, dtype, shape))


def _tensorflow_take(module: Any) -> Call:
    return lambda x: module.experimental.dlpack.from_dlpack(x.__dlpack__())


def _paddle(module: Any, memory: memoryview, dtype: str, shape: tuple[int, ...]) -> Any:
    return module.to_tensor(_numpy(importlib.import_module("numpy"), memory, dtype, shape))


# In the order in which they are loaded: quick ones first, so that a pair meets as few others as can be.
TABLE = (
    Library(
        "dlferry",
        "dlferry",
        make=_dlferry,
        take=lambda module: module.from_dlpack,
        take_buffer=lambda module: module.from_buffer,
        freeze=lambda tensor: importlib.import_module("dlferry").from_dlpack(tensor, writable=False),
    ),
    Library(
        "memoryview",
        "builtins",
        make=_memoryview,
        take_buffer=lambda module: memoryview,
        freeze=lambda view: view.toreadonly(),
    ),
    Library(
        "numpy",
        "numpy",
        make=_numpy,
        take=lambda module: module.from_dlpack,
        take_buffer=lambda module: module.asarray,
        freeze=_frozen_numpy,
    ),
    Library("ml_dtypes", "ml_dtypes", make=_ml_dtypes, freeze=_frozen_numpy, dtype="bfloat16"),
    Library(
        "array_api_strict",
        "array_api_strict",
        make=_strict,
        take=lambda module: module.from_dlpack,
        take_buffer=lambda module: module.asarray,
        freeze=_frozen_strict,
    ),
    Library("pyarrow", "pyarrow", make=_pyarrow, take_buffer=_pyarrow_of_buffer, freeze=lambda array: array),
    Library(
        "mlx",
        "mlx.core",
        make=_mlx,
        take=lambda module: getattr(module, "from_dlpack", module.array),
        take_buffer=lambda module: module.array,
    ),
    Library(
        "onnxruntime",
        "onnxruntime",
        make=_onnxruntime,
        take=lambda module: module.OrtValue.from_dlpack,
    ),
    Library("cupy", "cupy", make=_cupy, take=lambda module: module.from_dlpack),
    Library(
        "jax",
        "jax",
        make=_jax,
        take=lambda module: module.dlpack.from_dlpack,
        take_buffer=lambda module: module.numpy.asarray,
        freeze=lambda array: array,
    ),
    Library(
        "torch",
        "torch",
        make=_torch,
        take=lambda module: module.from_dlpack,
        take_buffer=_torch_of_buffer,
    ),
    # Loads PyTorch where that is installed.
    Library(
        "tvm_ffi",
        "tvm_ffi",
        make=_tvm_ffi,
        take=lambda module: module.from_dlpack,
        distribution="apache-tvm-ffi",
    ),
    Library("tensorflow", "tensorflow", make=_tensorflow, take=_tensorflow_take),
    Library(
        "paddle",
        "paddle",
        make=_paddle,
        take=lambda module: module.utils.dlpack.from_dlpack,
        distribution="paddlepaddle",
    ),
)
# What libraries find in their environment: the host's memory only, and no chatter.
ENVIRONMENT = {"JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "3"}


def of_module(name: str) -> Library:
    """Describes a module of the user's own as a library: by its functions ``make``, ``take`` and ``freeze``.

    Each is optional: ``make(memory, dtype, shape)`` gives an array, ``take(x)`` takes one, ``freeze(array)`` makes one
    read-only. The module is not imported here.
    """
    return Library(name, name, make=_own_make, take=_own_take, freeze=_own_freeze(name))


def _own_make(module: Any, memory: memoryview, dtype: str, shape: tuple[int, ...]) -> Any:
    return module.make(memory, dtype, shape)


def _own_take(module: Any) -> Call | None:
    return getattr(module, "take", None)


def _own_freeze(name: str) -> Call:
    def freeze(array: Any) -> Any:
        return importlib.import_module(name).freeze(array)

    return freeze


def installed() -> list[Library]:
    """Finds the libraries of the table that this interpreter has. None is imported."""
    return [library for library in TABLE if is_there(library.module)]


def is_there(module: str) -> bool:
    """Whether a module can be found, without importing anything: what contains it might end the process."""
    root, _, rest = module.partition(".")
    try:
        spec = importlib.util.find_spec(root)
        for name in rest.split(".") if rest else ():
            places = spec.submodule_search_locations if spec else None
            spec = PathFinder.find_spec(name, list(places)) if places else None
        return spec is not None
    except (ImportError, ValueError):
        return False


def version_of(library: Library) -> str:
    """Tells the release of a library without importing it; ``?`` where no metadata has it."""
    if library.module == "builtins":
        return platform.python_version()
    if library.module == "dlferry":
        return str(importlib.import_module("dlferry").__version__)
    try:
        return importlib.metadata.version(library.distribution or library.name)
    except importlib.metadata.PackageNotFoundError:
        # Some are distributed under several names.
        names = importlib.metadata.packages_distributions().get(library.module.partition(".")[0], [])
        return importlib.metadata.version(names[0]) if names else "?"
