"""ONNX Runtime's values, which speak the protocol in C++ and without versions."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import dlferry
import dlferry_testing as dt
import numpy as np
import onnxruntime as ort
from tensors import tensor as tensor_of

from libraries import numpy as plain

CHAIN = "from_dlpack of a copy"


WAYS: dict[str, Callable[[Any], Any]] = {
    "from_dlpack": ort.OrtValue.from_dlpack,
    "from_dlpack of a copy": lambda tensor: ort.OrtValue.from_dlpack(tensor.copy()),
    "ortvalue_from_numpy": lambda tensor: ort.OrtValue.ortvalue_from_numpy(tensor.numpy()),
}


LISTED = [
    f"tensor({name})"
    for name in (
        *("bool", "float16", "float", "double"),
        *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    )
]


def make(dtype: str, layout: str) -> Any:
    """Make a value."""
    array = plain.make(dtype, layout)
    # Memory of its own: a value made of a NumPy array borrows that array's, which its C++ side does not keep.
    value = ort.OrtValue.ortvalue_from_shape_and_type(array.shape, array.dtype.type)
    if array.size:
        value.update_inplace(np.array(array, order="C"))
    return value


def values(value: Any) -> Any:
    """List the elements of what NumPy can have; it lists others wrongly, past their end even, or not at all."""
    return value.numpy().tolist() if value.data_type() in LISTED else ...


def pointer(value: Any) -> int:
    """Tell where the first element is."""
    return int(value.data_ptr())


def writable(value: Any) -> None:
    """Tell nothing: it knows no read-only values."""
    return


# Probes of quirks.


def refuses_max_version() -> str:
    value = make("float32", "contiguous")
    return dt.capsule_name(value.__dlpack__(max_version=(1, 0)))


def is_always_unversioned() -> str:
    return dt.capsule_name(make("float32", "contiguous").__dlpack__())


def leaves_dlferry_versioned() -> str:
    tensor = dlferry.from_dlpack(make("float32", "contiguous"))
    seen = dt.inspect(tensor.__dlpack__(max_version=(1, 0)))
    return f"{seen['version']}, flags {seen['flags']}"


def takes_no_versioned_capsule() -> str:
    return str(ort.OrtValue.from_dlpack(tensor_of("float32", "contiguous").__dlpack__(max_version=(1, 0))))


def exports_bool_as_bool() -> str:
    exported = make("bool", "contiguous")
    return str(dlferry.from_dlpack(exported).dtype)


def cpp_value_does_not_keep_the_numpy_array() -> str:
    array = np.zeros(2)
    before = sys.getrefcount(array)
    value = ort.OrtValue.ortvalue_from_numpy(array)._ortvalue
    return f"{value.data_ptr() == array.ctypes.data}, {sys.getrefcount(array) - before}"


def refuses_gaps() -> str:
    return str(ort.OrtValue.from_dlpack(tensor_of("float32", "step")).shape())
