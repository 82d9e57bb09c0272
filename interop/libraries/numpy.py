"""NumPy, with its own dtypes and layouts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dlferry
import dlferry_testing as dt
import numpy as np
from tensors import SHAPE, pattern

CHAIN = "from_dlpack"
WAYS: dict[str, Callable[[Any], Any]] = {
    "from_dlpack": np.from_dlpack,
}


def frozen(array: Any) -> Any:
    """Take the right to write away."""
    array.flags.writeable = False
    return array


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "contiguous": lambda base: base,
    "transposed": lambda base: base.transpose(2, 0, 1),
    "step": lambda base: base[:, ::2, 1::2],
    "reversed": lambda base: base[::-1, :, ::-1],
    "broadcast": lambda base: np.broadcast_to(base[:, :1], SHAPE),
    "offset": lambda base: base[1:, 1:, 1:],
    "empty": lambda base: base[:, 3:],
    "no-axes": lambda base: base[1, 2, 3, ...],
    "one-element": lambda base: base[1:, 2:, 3:],
    "misaligned": lambda base: base,
    "read-only": frozen,
    "field": lambda base: field_of(base),
    "swapped": lambda base: base.astype(base.dtype.newbyteorder()),
    "overlapping": lambda base: np.lib.stride_tricks.sliding_window_view(base.ravel(), 3, writeable=True),
}


def field_of(base: Any) -> Any:
    """Put the array into a struct, whose size is no multiple of that of the field."""
    struct = np.zeros(base.shape, [("before", "u1"), ("field", base.dtype), ("after", "u2")])
    struct["field"] = base
    return struct["field"]


def base_of(dtype: Any, name: str, layout: str) -> Any:
    """Make the array that layouts are views of."""
    shift = int(layout == "misaligned")
    data = pattern(name)
    if dtype.itemsize * 8 > dlferry.dtype(name).bits:
        # One element in each byte, in its low bits.
        data = bytes(byte & (1 << dlferry.dtype(name).bits) - 1 for byte in pattern("uint8"))
    memory = np.frombuffer(bytearray(shift) + bytearray(data), np.uint8)[shift:]
    return memory.view(dtype).reshape(SHAPE)


def make(dtype: str, layout: str) -> Any:
    """Make an array."""
    return LAYOUTS[layout](base_of(np.dtype(dtype), dtype, layout))


def values(array: Any) -> Any:
    """List the elements; those of types that NumPy does not know itself as numbers."""
    if array.dtype.kind in "biufc":
        return array.tolist()
    return array.astype(np.complex128 if "complex" in str(array.dtype) else np.float64).tolist()


def pointer(array: Any) -> int:
    """Tell where the first element is."""
    return int(array.ctypes.data)


def writable(array: Any) -> bool:
    """Tell if the array may be written."""
    return bool(array.flags.writeable)


# Probes of quirks.


def never_asks_for_the_device() -> str:
    asked = []

    class Producer:
        def __dlpack__(self, **keywords: Any) -> Any:
            asked.append("__dlpack__ " + " ".join(keywords))
            return np.zeros(1).__dlpack__(**keywords)

        def __dlpack_device__(self) -> Any:
            asked.append("__dlpack_device__")
            return (1, 0)

    np.from_dlpack(Producer())
    return "; ".join(asked)


def unversioned_is_read_only() -> str:
    tensor = dlferry.from_dlpack(np.zeros(2))

    class Old:
        def __dlpack__(self, **_: Any) -> Any:
            return tensor.__dlpack__()

        def __dlpack_device__(self) -> Any:
            return (1, 0)

    return "read-only" if not np.from_dlpack(Old()).flags.writeable else "writable"


def exports_masked_arrays_without_the_mask() -> str:
    masked = np.ma.masked_array([1, 2, 3], [False, True, False])
    return f"{np.from_dlpack(masked).tolist()}, ours {taken(masked)}"


def taken(array: Any) -> str:
    """Tell how dlferry takes an array."""
    try:
        return str(dlferry.from_dlpack(array).tolist())
    except Exception as error:
        return type(error).__name__


def exports_misaligned_data() -> str:
    array = make("float32", "misaligned")
    return f"{array.flags.aligned}, {dt.inspect(array.__dlpack__(max_version=(1, 0)))['data'] % 4}"


def keeps_the_device_of_pinned_memory_in_a_copy() -> str:
    recipe = dt.Crafted(bytes(8), shape=[2], device=(3, 0))
    array = np.from_dlpack(dlferry.from_dlpack(dt.Producer(recipe)))
    return str(tuple(dt.inspect(array.__dlpack__(max_version=(1, 0), copy=True))["device"]))


def stamps_its_own_version() -> str:
    return str(tuple(dt.inspect(np.zeros(1).__dlpack__(max_version=(1, 3)))["version"]))


def sets_the_copied_flag() -> str:
    return str(dt.inspect(np.zeros(1).__dlpack__(max_version=(1, 0), copy=True))["flags"])


def refuses_padded_floats() -> str:
    return dt.capsule_name(np.zeros(1, np.longdouble).__dlpack__())


def has_no_exchange_table() -> str:
    return str(hasattr(np.ndarray, "__dlpack_c_exchange_api__"))


def takes_no_capsule() -> str:
    return str(np.from_dlpack(np.zeros(1).__dlpack__(max_version=(1, 0))))


def takes_major_zero() -> str:
    recipe = dt.Crafted(bytes(4), shape=[1], version=(0, 9))
    return str(np.from_dlpack(dt.Producer(recipe)).tolist())
