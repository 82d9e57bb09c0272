"""PyTorch on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dlferry
import dlferry_testing as dt
import torch
from tensors import SHAPE, pattern

CHAIN = "from_dlpack"
WAYS: dict[str, Callable[[Any], Any]] = {"from_dlpack": torch.from_dlpack}
LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "contiguous": lambda base: base,
    "transposed": lambda base: base.permute(2, 0, 1),
    "step": lambda base: base[:, ::2, 1::2],
    "broadcast": lambda base: base[:, :1].expand(SHAPE),
    "offset": lambda base: base[1:, 1:, 1:],
    "empty": lambda base: base[:, 3:],
    "no-axes": lambda base: base[1, 2, 3],
    "one-element": lambda base: base[1:, 2:, 3:],
    "overlapping": lambda base: base.flatten().unfold(0, 3, 1),
    "parameter": lambda base: torch.nn.Parameter(base, requires_grad=False),
    "misaligned": lambda base: base,
}


def make(dtype: str, layout: str) -> Any:
    """Make a tensor; None where this release lacks the dtype."""
    kind = getattr(torch, dtype, None)
    if kind is None:
        return None
    # What it shifts by has to fit the item size, so a misaligned one starts in misaligned memory.
    shift = int(layout == "misaligned")
    memory = bytearray(shift) + bytearray(pattern(dtype))
    return LAYOUTS[layout](torch.frombuffer(memory, dtype=kind, offset=shift).reshape(SHAPE))


# What it converts to before it lists.
WIDER = {torch.bfloat16: torch.float64, getattr(torch, "complex32", None): torch.complex64}


def values(tensor: Any) -> Any:
    """List the elements."""
    small = str(tensor.dtype).startswith("torch.float8")
    return tensor.to(torch.float64 if small else WIDER.get(tensor.dtype, tensor.dtype)).tolist()


def pointer(tensor: Any) -> int:
    """Tell where the first element is."""
    return int(tensor.data_ptr())


def writable(tensor: Any) -> None:
    """Tell nothing: it knows no read-only tensors."""
    return


# Probes of quirks.


def crafted(data: bytes, **fields: Any) -> Any:
    """Make a producer of a struct with these fields."""
    return dt.Producer(dt.Crafted(data, **fields))


def writes_to_read_only_memory() -> str:
    tensor = dlferry.from_buffer(bytes(4))
    torch.from_dlpack(tensor)[0] = 9
    return str(tensor.tolist())


def never_sets_the_copied_flag() -> str:
    return str(dt.inspect(torch.zeros(2).__dlpack__(max_version=(1, 0), copy=True))["flags"])


def exports_negated_memory() -> str:
    negated = torch.tensor([1 + 2j, 3 + 4j]).conj().imag
    try:
        ours = str(dlferry.from_dlpack(negated).tolist())
    except Exception as error:
        ours = type(error).__name__
    return f"{negated.tolist()} as {torch.from_dlpack(negated.__dlpack__()).tolist()}, ours {ours}"


def exports_int4_as_bytes() -> str:
    seen = dt.inspect(torch.empty(2, dtype=torch.int4).__dlpack__(max_version=(1, 0)))
    return str(seen["dtype"])


def table_lets_gradients_through() -> str:
    return str(dt.exchange_from(torch.ones(2, requires_grad=True)).inspect()["flags"])


def refuses_gradients_in_its_method() -> str:
    return str(torch.ones(2, requires_grad=True).__dlpack__())


def refuses_negative_strides() -> str:
    return str(torch.from_dlpack(dlferry.from_buffer(bytes(4))[::-1]))


def needs_pairs_of_float4() -> str:
    return str(torch.from_dlpack(crafted(bytes(2), shape=[4], code=17, bits=4)))


def keeps_the_stride_of_one_element() -> str:
    odd = torch.as_strided(torch.arange(3.0), (1, 3), (77, 1))
    return str(dt.inspect(odd.__dlpack__(max_version=(1, 0)))["strides"])


def refuses_pinned_memory() -> str:
    return str(torch.from_dlpack(crafted(bytes(4), shape=[1], device=(3, 0))))


def offset_with_null_strides_is_refused() -> str:
    return str(torch.from_dlpack(crafted(bytes(8), shape=[1], byte_offset=4, strides=None)))


def takes_a_capsule() -> str:
    return str(torch.from_dlpack(dlferry.from_buffer(b"ab").__dlpack__(max_version=(1, 0))).tolist())


def asarray_takes_the_buffer_as_one_axis() -> str:
    return str(tuple(torch.asarray(dlferry.from_buffer(bytes(6), copy=True).reshape(2, 3)).shape))


def calls_deleters_detached() -> str:
    recipe = dt.Crafted(bytes(8), shape=[2], poison=True)
    tensor = torch.from_dlpack(dlferry.from_dlpack(dt.Producer(recipe)))
    del tensor
    return str([call["attached"] for call in recipe.deleter_calls])


def copy_is_not_checked() -> str:
    class Deaf:
        def __dlpack__(self, **_: Any) -> Any:
            return shared.__dlpack__(max_version=(1, 0))

        def __dlpack_device__(self) -> Any:
            return (1, 0)

    shared = dlferry.from_buffer(bytearray(4))
    return "shared" if torch.from_dlpack(Deaf(), copy=True).data_ptr() == shared.data_ptr else "copied"
