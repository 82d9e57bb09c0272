"""How to call the libraries that are known by name: where their functions are, and nothing about what these do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Library:
    """Where a library has what.

    ``arrays`` is the module with the functions that make arrays and with the dtypes, ``consume`` the function that
    takes the arrays of others, as ``module:name``; empty strings for what it has not. ``setup`` is run at the start.
    """

    arrays: str = ""
    consume: str = ""
    setup: str = ""


LIBRARIES: dict[str, Library] = {
    "cupy": Library("cupy", "cupy:from_dlpack"),
    "dlferry": Library("", "dlferry:from_dlpack"),
    "jax": Library("jax.numpy", "jax.dlpack:from_dlpack"),
    "mlx": Library("mlx.core", "mlx.core:array", "mlx.core.set_default_device(mlx.core.cpu)"),
    "ndonnx": Library("ndonnx", "ndonnx:from_dlpack"),
    "numpy": Library("numpy", "numpy:from_dlpack"),
    "onnxruntime": Library("", "onnxruntime:OrtValue.from_dlpack"),
    "paddle": Library("paddle", "paddle.utils.dlpack:from_dlpack"),
    "pyarrow": Library("pyarrow", ""),
    "tensorflow": Library("tensorflow", "tensorflow.experimental.dlpack:from_dlpack"),
    "torch": Library("torch", "torch:from_dlpack"),
    "tvm_ffi": Library("", "tvm_ffi:from_dlpack"),
}

#: Names under which modules that are not in the table have what makes an array of a list, and what takes others'.
CONSTRUCTORS = ("asarray", "array", "tensor", "to_tensor", "constant")
CONSUMERS = ("from_dlpack", "dlpack.from_dlpack", "utils.dlpack.from_dlpack")
