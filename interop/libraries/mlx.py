"""MLX on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dlferry
import dlferry_testing as dt
import mlx.core as mx
from tensors import SHAPE, pattern

mx.set_default_device(mx.cpu)

CHAIN = "array of a copy"
WAYS: dict[str, Callable[[Any], Any]] = {
    "array": mx.array,
    "array of a copy": lambda tensor: mx.array(tensor.copy()),
    "array of a memoryview": lambda tensor: mx.array(memoryview(tensor)),
}
if hasattr(mx, "from_dlpack"):
    WAYS["from_dlpack"] = mx.from_dlpack
LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "contiguous": lambda base: base,
    "transposed": lambda base: base.transpose(2, 0, 1),
    "step": lambda base: base[:, ::2, 1::2],
    "reversed": lambda base: base[::-1, :, ::-1],
    "broadcast": lambda base: mx.broadcast_to(base[:, :1], SHAPE),
    "offset": lambda base: base[1:, 1:, 1:],
    "empty": lambda base: base[:, 3:],
    "no-axes": lambda base: base[1, 2, 3],
    "one-element": lambda base: base[1:, 2:, 3:],
}


def make(dtype: str, layout: str) -> Any:
    """Make an array; None where this release lacks the dtype."""
    kind = getattr(mx, "bool_" if dtype == "bool" else dtype, None)
    if kind is None:
        return None
    array = LAYOUTS[layout](mx.array(memoryview(pattern(dtype))).view(kind).reshape(SHAPE))
    mx.eval(array)
    return array


def narrowed(array: Any, dtype: str) -> bool:
    """Tell if it has made another dtype of ours than the one of the same name."""
    return str(array.dtype).removeprefix("mlx.core.").rstrip("_") != dtype


def values(array: Any) -> Any:
    """List the elements."""
    return array.tolist()


def pointer(array: Any) -> int | None:
    """Tell where the first element is, if its buffer tells it."""
    if not array.size:
        return None
    bits = array.view(mx.uint16) if array.dtype == mx.bfloat16 else array
    return int(dlferry.from_buffer(memoryview(bits)).data_ptr)


def writable(array: Any) -> None:
    """Tell nothing: its arrays are never written in place."""
    return


# Probes of quirks.


def is_always_unversioned() -> str:
    array = mx.zeros(2)
    asked = ({}, {"max_version": (1, 0)}, {"max_version": (1, 3)})
    return " ".join(dt.capsule_name(array.__dlpack__(**keywords)) for keywords in asked)


def leaves_dlferry_versioned() -> str:
    seen = dt.inspect(dlferry.from_dlpack(mx.zeros(2)).__dlpack__(max_version=(1, 0)))
    return f"{seen['version']}, flags {seen['flags']}"


def negative_extent_breaks_it() -> str:
    return str(mx.array(dt.Producer(dt.Crafted(bytes(64), shape=[-2, 3]))).shape)


def negative_extent_does_not_pass() -> str:
    return str(mx.array(dlferry.from_dlpack(dt.Producer(dt.Crafted(bytes(64), shape=[-2, 3])))))


def narrows_complex128() -> str:
    return str(mx.array(dlferry.from_buffer(bytes(64), copy=True).view("complex128")).dtype)


def copies_what_it_takes() -> str:
    memory = dlferry.from_buffer(bytes(64), copy=True)
    array = mx.array(memory)
    memoryview(memory)[0] = 9
    return str(array.tolist()[0])


def unknown_dtype_is_a_value_error() -> str:
    return str(mx.array(dt.Producer(dt.Crafted(bytes(4), shape=[1], code=200))))


def asks_for_no_version() -> str:
    asked = []

    class Producer:
        def __dlpack__(self, **keywords: Any) -> Any:
            asked.append(" ".join(keywords) or "nothing")
            return dlferry.from_buffer(bytes(4), copy=True).__dlpack__()

    mx.array(Producer())
    return "; ".join(asked)


def major_is_not_checked() -> str:
    return str(mx.array(dt.Producer(dt.Crafted(bytes(4), shape=[1], version=(2, 0)))).tolist())
