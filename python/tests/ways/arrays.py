"""Objects that are arrays in one way only, and libraries that may be absent."""

from __future__ import annotations

from typing import Any

import dlferry
import pytest


class Dlpack:
    """Has DLPack and nothing else."""

    def __init__(self, array: Any):
        self.tensor = dlferry.from_dlpack(array)

    def __dlpack__(self, **keywords: Any) -> Any:
        """Answer for the array."""
        return self.tensor.__dlpack__(**keywords)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Say that it is on the CPU."""
        return self.tensor.__dlpack_device__()


class Interface:
    """Has `__array_interface__` and nothing else."""

    def __init__(self, array: Any, **fields: Any):
        self.array = array
        self.__array_interface__ = {**(array.__array_interface__ if array is not None else {}), **fields}


class Cuda:
    """Has `__cuda_array_interface__` and nothing else."""

    def __init__(self, **fields: Any):
        made = {"version": 3, "shape": (2, 3), "typestr": "<f4", "data": (0xDEAD0000, False), **fields}
        self.__cuda_array_interface__ = {key: value for key, value in made.items() if value is not ...}


class Method:
    """Has `__array__` and nothing else."""

    def __init__(self, array: Any):
        self.array = array
        self.calls: list[dict[str, Any]] = []

    def __array__(self, dtype: Any = None, **keywords: Any) -> Any:
        """Answer with the array."""
        self.calls.append({"dtype": dtype, **keywords})
        return self.array


class OldMethod:
    """Has an `__array__` from before `copy`."""

    def __init__(self, array: Any):
        self.array = array

    def __array__(self, dtype: Any = None) -> Any:
        """Answer with the array."""
        return self.array


# Each way in: how an array is made to have it alone, what `source` says, and whether `copied` can be told.
WAYS: dict[str, tuple[Any, str, bool | None]] = {
    "Tensor": (dlferry.from_dlpack, "numpy", False),
    "DLPack": (Dlpack, "dlpack", False),
    "capsule": (lambda array: dlferry.from_dlpack(array).__dlpack__(max_version=(1, 3)), "dlpack", False),
    "buffer": (memoryview, "buffer", False),
    "__array_interface__": (Interface, "array-interface", False),
    "__array__": (Method, "numpy", None),
}


def imported(name: str) -> Any:
    """Import a library, or skip the test."""
    return pytest.importorskip(name, reason=f"{name} is not installed", exc_type=ImportError)
