"""ONNX Runtime's values, which speak the protocol in C++ and without versions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dlferry
import dlferry_testing as dt
import numpy as np
import onnxruntime as ort
from libraries import numpy as plain
from tensors import tensor as tensor_of

CHAIN = "from_dlpack of a copy"


def taken(tensor: Any) -> Any:
    """Make a value of a capsule; it has to be told what a byte is."""
    return ort.OrtValue.from_dlpack(tensor.__dlpack__(), str(tensor.dtype) == "bool")


WAYS: dict[str, Callable[[Any], Any]] = {
    "from_dlpack": taken,
    "from_dlpack of a copy": lambda tensor: taken(tensor.copy()),
    "ortvalue_from_numpy": lambda tensor: ort.OrtValue.ortvalue_from_numpy(tensor.numpy()),
}


def make(dtype: str, layout: str) -> Any:
    """Make the C++ value, which has the protocol."""
    return ort.OrtValue.ortvalue_from_numpy(plain.make(dtype, layout))._ortvalue


def values(value: Any) -> Any:
    """List the elements."""
    return value.numpy().tolist()


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
    return dt.capsule_name(make("float32", "contiguous").to_dlpack())


def leaves_dlferry_versioned() -> str:
    tensor = dlferry.from_dlpack(make("float32", "contiguous"))
    seen = dt.inspect(tensor.__dlpack__(max_version=(1, 0)))
    return f"{seen['version']}, flags {seen['flags']}"


def takes_no_versioned_capsule() -> str:
    return str(ort.OrtValue.from_dlpack(tensor_of("float32", "contiguous").__dlpack__(max_version=(1, 0))))


def needs_to_be_told_of_bool() -> str:
    exported = ort.OrtValue.ortvalue_from_numpy(np.array([True, False]))._ortvalue
    return str(dlferry.from_dlpack(exported).dtype)


def refuses_gaps() -> str:
    return str(taken(tensor_of("float32", "step")).shape())
