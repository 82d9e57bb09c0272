"""TVM FFI, whose tensors are whatever they were made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dlferry
import dlferry_testing as dt
import tensors
import tvm_ffi

CHAIN = "from_dlpack"
WAYS: dict[str, Callable[[Any], Any]] = {
    "from_dlpack": tvm_ffi.from_dlpack,
    "echo": lambda tensor: tvm_ffi.get_global_func("testing.echo")(tensor),
}


def make(dtype: str, layout: str) -> Any:
    """Make a tensor of one of ours, for it has no other way to make one."""
    return tvm_ffi.from_dlpack(tensors.tensor(dtype, layout))


def values(tensor: Any) -> Any:
    """List the elements as we see them: it cannot read its own."""
    return dlferry.from_dlpack(tensor).tolist()


def pointer(tensor: Any) -> int:
    """Tell where the first element is."""
    data = tensor.data_ptr
    return int(data() if callable(data) else data)


def writable(tensor: Any) -> bool | None:
    """Tell nothing of theirs, which knows no read-only tensors; ours may be what comes back."""
    return not tensor.readonly if isinstance(tensor, dlferry.Tensor) else None


# Probes of quirks.


def forgets_read_only() -> str:
    theirs = tvm_ffi.from_dlpack(dlferry.from_buffer(bytes(4)))
    return str(dt.inspect(theirs.__dlpack__(max_version=(1, 0)))["flags"])


def major_zero_is_an_error() -> str:
    return dt.capsule_name(tvm_ffi.from_dlpack(tensors.tensor("int8", "step")).__dlpack__(max_version=(0, 8)))


def negative_extent_passes() -> str:
    theirs = tvm_ffi.from_dlpack(dt.Producer(dt.Crafted(bytes(64), shape=[-2, 3], strides=[3, 1])))
    return str(tuple(theirs.shape))


def negative_extent_is_refused_by_us() -> str:
    theirs = tvm_ffi.from_dlpack(dt.Producer(dt.Crafted(bytes(64), shape=[-2, 3], strides=[3, 1])))
    return str(dlferry.from_dlpack(theirs).shape)


def major_is_not_checked() -> str:
    capsule = dt.Crafted(bytes(4), shape=[1], version=(2, 0)).capsule()
    return str(tuple(tvm_ffi.from_dlpack(capsule).shape))


def refuses_padded() -> str:
    recipe = dt.Crafted(bytes(8), shape=[4], code=0, bits=4, flags=4)
    return str(tvm_ffi.from_dlpack(dlferry.from_dlpack(dt.Producer(recipe))))


def asks_for_no_version() -> str:
    asked = []

    class Producer:
        def __dlpack__(self, **keywords: Any) -> Any:
            asked.append(" ".join(keywords) or "nothing")
            return dlferry.from_buffer(bytes(4), copy=True).__dlpack__()

        def __dlpack_device__(self) -> Any:
            return (1, 0)

    tvm_ffi.from_dlpack(Producer())
    return "; ".join(asked)


def cannot_take_read_only_numpy() -> str:
    import numpy as np

    array = np.zeros(2)
    array.flags.writeable = False
    return str(tvm_ffi.from_dlpack(array))


def takes_read_only_numpy_from_us() -> str:
    import numpy as np

    array = np.zeros(2)
    array.flags.writeable = False
    return str(tuple(tvm_ffi.from_dlpack(dlferry.from_dlpack(array)).shape))


def copy_is_ignored_without_a_version() -> str:
    theirs = tvm_ffi.from_dlpack(dlferry.from_buffer(bytes(4), copy=True))
    address = dt.inspect(theirs.__dlpack__(copy=True))["data"]
    return "shared" if address == pointer(theirs) else "copied"


def tensor_has_no_exchange_table() -> str:
    return str(hasattr(tvm_ffi.Tensor, "__dlpack_c_exchange_api__"))
