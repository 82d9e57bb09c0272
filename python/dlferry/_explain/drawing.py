"""The elements as they lie in memory: what the text and the picture draw."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .facts import Layout

FEW = 64
"""Up to so many elements are drawn; larger arrays are drawn by the start of each axis."""
CORNER = 4


@dataclass(frozen=True)
class Cell:
    """A piece of memory: an element, or a hole."""

    at: int
    """Bits from the lowest element drawn."""
    bits: int
    indices: tuple[tuple[int, ...], ...]
    """The indices of the elements that lie here; none: a hole."""


@dataclass(frozen=True)
class Drawing:
    """A strip of memory."""

    cells: tuple[Cell, ...]
    first: int
    """The place of the element with index 0 everywhere, in bits from the lowest drawn."""
    is_part: bool
    """Whether only the first indices of each axis are drawn."""


def draw(layout: Layout) -> Drawing | None:
    """The strip, or None where there is nothing to draw or too many axes for it."""
    if not layout.size or not layout.item_bits:
        return None
    extents, is_part = corner(layout.shape)
    indices = list(product(*(range(extent) for extent in extents)))
    if len(indices) > FEW:
        return None
    places: dict[int, list[tuple[int, ...]]] = {}
    for index in indices:
        at = sum(step * i for step, i in zip(layout.bit_strides, index, strict=True))
        places.setdefault(at, []).append(index)
    low = min(places)
    cells, reach = [], low
    for at in sorted(places):
        if at > reach:
            cells.append(Cell(reach - low, at - reach, ()))
        cells.append(Cell(at - low, layout.item_bits, tuple(places[at])))
        reach = max(reach, at + layout.item_bits)
    return Drawing(tuple(cells), -low, is_part)


def corner(shape: tuple[int, ...]) -> tuple[tuple[int, ...], bool]:
    """The extents that are drawn, and whether they are less than all."""
    extents = list(shape)
    size = 1
    for extent in extents:
        size *= extent
    if size <= FEW:
        return shape, False
    left = FEW
    for axis in reversed(range(len(extents))):
        extents[axis] = max(1, min(extents[axis], CORNER, left))
        left //= extents[axis]
    return tuple(extents), True


def label(cell: Cell) -> str:
    """The indices of a cell: ``0,1``; those of several elements with a sign between them."""
    if not cell.indices:
        return ""
    texts = [",".join(map(str, index)) or "·" for index in cell.indices[:2]]
    return "=".join(texts) + ("=…" if len(cell.indices) > 2 else "")
