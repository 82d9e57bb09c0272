"""A small array that differs from a given one only in how much it is: trials must not cost what big data does."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from .._native import Tensor, dtype, from_address, from_buffer

if TYPE_CHECKING:
    from .facts import Layout

WHOLE = 4096
"""Up to so many elements an array is tried as it is."""
CUT = 3
"""Longer axes are cut to this."""
ALIGNED = 64


@dataclass(frozen=True)
class Twin:
    """What is needed to make it anywhere; strides in elements."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: str
    misplaced: int
    """Bytes from an address that is a multiple of 64 to the first element."""
    readonly: bool
    versioned: bool
    """Whether its producer answers with a versioned capsule to who asks for one."""
    exchange: bool
    """Whether its producer has the C exchange API."""
    dlpack: bool = True
    """Whether its producer has DLPack at all, and not the buffer protocol alone."""
    kind: str | None = None
    """The library whose array it is made to be; None for a producer of its own."""

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Twin:
        """What :meth:`to_dict` gave."""
        return cls(**{**fields, "shape": tuple(fields["shape"]), "strides": tuple(fields["strides"])})

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    def plain(self) -> Twin:
        """One of the same producer that nobody has a reason to refuse: in one piece, aligned, writable."""
        return replace(self, strides=dense(self.shape), misplaced=0, readonly=False)

    def handed_on(self) -> Twin:
        """The same as a tensor of dlferry's, which is asked in the producer's place."""
        return replace(self, versioned=True, exchange=True, dlpack=True, kind=None)

    def make(self) -> Tensor:
        """The twin, in memory of its own."""
        item = max(dtype(self.dtype).itemsize, 1)
        moving = [(n - 1) * step for n, step in zip(self.shape, self.strides, strict=True) if n > 1]
        low, high = sum(step for step in moving if step < 0), sum(step for step in moving if step > 0)
        below = (-low * item + ALIGNED - 1) // ALIGNED * ALIGNED
        memory = bytearray(below + (high + 1) * item + 2 * ALIGNED)
        start = from_buffer(memory).data_ptr
        first = start + -start % ALIGNED + below + self.misplaced
        fill(memory, first + low * item - start, (high - low + 1) * item)
        return from_address(first, self.shape, self.dtype, self.strides, owner=memory, readonly=self.readonly)


def fill(memory: bytearray, start: int, length: int) -> None:
    """Bytes in no order that are values of every dtype, truth values too."""
    for at in range(length):
        memory[start + at] = (at * 2654435761 >> 7) & 1


def dense(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Row-major strides in elements."""
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides))


def cut(layout: Layout) -> tuple[tuple[int, ...], tuple[int, ...], bool]:
    """Extents and strides, in elements, of the twin, and whether it is smaller than the array.

    What runs backwards still does, what has holes still has, what is repeated still is; the axes lie in their order.
    Strides that are no whole number of elements become the next lower one.
    """
    item = max(layout.item_bits, 1)
    strides = tuple(step // item for step in layout.bit_strides)
    low, high = layout.reach
    if layout.size <= WHOLE and high - low <= 16 * WHOLE * 8:
        still = tuple(0 if extent < 2 else step for extent, step in zip(layout.shape, strides, strict=True))
        return layout.shape, still, False
    shape, left = [], WHOLE
    for extent in layout.shape:
        shorter = min(extent, CUT) if left >= CUT else min(extent, 1)
        left //= max(shorter, 1)
        shape.append(shorter)
    cut_strides = [0] * len(shape)
    whole_reach, reach = 1, 1
    for axis in sorted(range(len(shape)), key=lambda axis: (abs(strides[axis]), -axis)):
        step = abs(strides[axis])
        if shape[axis] < 2 or step == 0:
            continue
        shorter = reach if step == whole_reach else reach + 1 if step > whole_reach else min(step, reach)
        cut_strides[axis] = shorter if strides[axis] > 0 else -shorter
        whole_reach = max(whole_reach, step * layout.shape[axis])
        reach = max(reach, shorter * shape[axis])
    return tuple(shape), tuple(cut_strides), True
