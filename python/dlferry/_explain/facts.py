"""What a layout is: extents, strides, holes, overlap, order, alignment. Arithmetic, no memory is looked at."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise, product
from math import prod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .._native import Tensor

TYPESTR = re.compile(r"[<>|=]([a-zA-Z])(\d{1,9})(?:\[.*\])?")
"""Byte order, kind and size of an element, as the array interface has it; times have a unit behind that."""

KINDS = {
    "b": "bool",
    "i": "int",
    "u": "uint",
    "f": "float",
    "c": "complex",
    "M": "datetime",
    "m": "timedelta",
}
"""Of the array interface, the kinds that are named with their bits; of truth values there is one."""

OTHER_ORDER = ">" if sys.byteorder == "little" else "<"

MOST_AXES = 1024
"""More axes than that are not looked at: what says its shape may go on for ever."""

COUNTED = 1 << 16
"""Elements up to which overlap is counted where arithmetic alone does not tell."""


@dataclass(frozen=True)
class Layout:
    """Where the elements of an array are, as somebody says; strides in bits, so that packed elements have some."""

    shape: tuple[int, ...]
    bit_strides: tuple[int, ...]
    item_bits: int
    address: int | None
    dtype: str
    readonly: bool | None
    said_by: str
    """Who says it."""

    @classmethod
    def of_tensor(cls, tensor: Tensor, said_by: str) -> Layout:
        """The layout of a tensor."""
        # Small elements stand one in each byte, or are packed: the bytes of all of them tell.
        packed = tensor.size > 0 and tensor.nbytes < tensor.size * tensor.itemsize
        bits = tensor.dtype.bits * tensor.dtype.lanes if packed else tensor.itemsize * 8
        address = tensor.data_ptr + tensor.byte_offset if tensor.device[0] in HOST else None
        strides = tuple(stride * bits for stride in tensor.strides)
        return cls(tensor.shape, strides, bits, address, str(tensor.dtype), tensor.readonly, said_by)

    @classmethod
    def of_interface(cls, interface: dict[str, Any], said_by: str) -> Layout | None:
        """The layout that an array interface tells of; None for one that is not as it should be."""
        try:
            shape = tuple(int(extent) for extent in islice(interface["shape"], MOST_AXES + 1))
            typestr = str(interface["typestr"])
            kind, count = TYPESTR.fullmatch(typestr).groups()  # type: ignore[union-attr]
            bits = int(count) * (32 if kind == "U" else 8)  # text is counted in code points
            strides = interface.get("strides")
            steps = (
                tuple(int(step) * 8 for step in strides) if strides is not None else row_major(shape, bits)
            )
            data = interface.get("data")
            address, readonly = (int(data[0]), bool(data[1])) if isinstance(data, tuple) else (None, None)
        except (AttributeError, KeyError, TypeError, ValueError, IndexError, OverflowError):
            return None
        if len(steps) != len(shape) or len(shape) > MOST_AXES or min(shape, default=0) < 0:
            return None
        return cls(shape, steps, bits, address, named(typestr), readonly, said_by)

    @classmethod
    def of_buffer(cls, view: memoryview, said_by: str) -> Layout:
        """The layout of a buffer."""
        bits, shape = view.itemsize * 8, view.shape or ()
        strides = tuple(step * 8 for step in view.strides) if view.strides else row_major(shape, bits)
        return cls(shape, strides, bits, None, view.format, view.readonly, said_by)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return (self.size * self.item_bits + 7) // 8

    @property
    def moving(self) -> list[tuple[int, int, int]]:
        """Axis, extent and stride of the axes on which there is more than one element."""
        axes = enumerate(zip(self.shape, self.bit_strides, strict=True))
        return [(axis, extent, step) for axis, (extent, step) in axes if extent > 1] if self.size else []

    @property
    def strides(self) -> tuple[int, ...] | None:
        """Strides in elements; None where one is no whole number of them."""
        if not self.item_bits or any(step % self.item_bits for step in self.bit_strides):
            return None
        return tuple(step // self.item_bits for step in self.bit_strides)

    @property
    def reach(self) -> tuple[int, int]:
        """The first bit and that behind the last, counted from the first element."""
        if not self.size:
            return 0, 0
        low = sum((extent - 1) * step for _, extent, step in self.moving if step < 0)
        high = sum((extent - 1) * step for _, extent, step in self.moving if step > 0)
        return low, high + self.item_bits

    @property
    def span(self) -> int:
        """Bytes from the first to behind the last that elements lie in."""
        low, high = self.reach
        return (high - low + 7) // 8

    @cached_property
    def overlaps(self) -> bool | None:
        """Whether elements share memory; None where it would take too long to tell."""
        reach = self.item_bits
        for _, extent, step in sorted(self.moving, key=lambda axis: abs(axis[2])):
            if step == 0:
                return True
            if abs(step) < reach:
                return self._count()
            reach += (extent - 1) * abs(step)
        return False

    def _count(self) -> bool | None:
        if self.size > COUNTED:
            return None
        places = sorted(self.places())
        return any(after - before < self.item_bits for before, after in pairwise(places))

    def places(self) -> list[int]:
        """Where each element begins, in bits from the first, in row-major order. For few elements."""
        axes = [range(0, extent * step, step) if step else (0,) * extent for _, extent, step in self.moving]
        return [sum(steps) for steps in product(*axes)] if self.size else []

    @property
    def holes(self) -> int | None:
        """Bytes within the span that belong to no element; None where elements share memory."""
        return None if self.overlaps is not False else self.span - self.nbytes

    @property
    def c_contiguous(self) -> bool:
        """Whether the elements lie one after another in row-major order."""
        return self._dense(reversed(self.moving))

    @property
    def f_contiguous(self) -> bool:
        """Whether the elements lie one after another in column-major order."""
        return self._dense(iter(self.moving))

    def _dense(self, axes: Any) -> bool:
        reach = self.item_bits
        for _, extent, step in axes:
            if step != reach:
                return False
            reach *= extent
        return True

    @property
    def alignment(self) -> int | None:
        """The largest power of two, up to a page, that divides the address of the first element."""
        if not self.address:
            return None
        return min(self.address & -self.address, 4096)

    @property
    def item_alignment(self) -> int:
        """The alignment that C asks of an element: its size where that is a power of two, and at most 8."""
        size = self.item_bits // 8
        return min(size & -size, 8) if size else 1

    @property
    def order(self) -> str:
        """The order of the elements in memory, in words."""
        if not self.size:
            return "no elements, so any order"
        if not self.moving:
            return "one element, so any order"
        if self.c_contiguous and self.f_contiguous:
            return "one after another, which is row-major and column-major"
        if self.c_contiguous:
            return 'row-major ("C")'
        if self.f_contiguous:
            return 'column-major ("F")'
        return "neither row-major nor column-major: " + ", ".join(self._oddities())

    def _oddities(self) -> list[str]:
        backwards = [axis for axis, _, step in self.moving if step < 0]
        still = [axis for axis, _, step in self.moving if step == 0]
        words = []
        if backwards:
            words.append(f"{axes(backwards)} {'runs' if len(backwards) == 1 else 'run'} backwards")
        if still:
            words.append(f"{axes(still)} {'is' if len(still) == 1 else 'are'} repeated")
        if self.holes:
            words.append("with holes")
        return words or ["its axes in another order" if self.holes == 0 else "overlapping"]


def named(typestr: str) -> str:
    """An element in words: ``float32``, ``datetime64[s]``, ``text of 3 characters``; of another kind, the string."""
    kind, size, unit = re.fullmatch(r"[<>|=](.)(\d+)(.*)", typestr).groups()  # type: ignore[union-attr]
    count = int(size)
    order = (
        f" in {'big' if OTHER_ORDER == '>' else 'little'}-endian order" if typestr[0] == OTHER_ORDER else ""
    )
    if kind in "US":
        letters = "character" if kind == "U" else "byte"
        return f"text of {count} {letters}{'' if count == 1 else 's'}{order if kind == 'U' else ''}"
    if kind not in KINDS:
        return typestr
    return f"{KINDS[kind]}{'' if kind == 'b' else count * 8}{unit}{order if count > 1 else ''}"


HOST = frozenset({1, 3, 11, 13, 20})
"""The types of devices whose memory the host reads: plain, pinned, managed."""


def row_major(shape: tuple[int, ...], bits: int) -> tuple[int, ...]:
    """The strides in bits of elements that lie one after another in row-major order."""
    strides, step = [], bits
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides))


def axes(numbers: list[int]) -> str:
    """Axes in words: ``axis 0``, ``axes 0, 1 and 2``."""
    if len(numbers) == 1:
        return f"axis {numbers[0]}"
    return f"axes {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"
