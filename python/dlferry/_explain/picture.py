"""The layout as a small SVG: memory from left to right and top to bottom, an element a box."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from .drawing import Cell, Drawing, draw, label
from .report import count, of_bytes

if TYPE_CHECKING:
    from .facts import Layout

WIDTH = 480
HEIGHT = 30
GAP = 4
TOP = 22
HUES = ("#9ecbff", "#ffd28f", "#b5e3a8", "#f3b6c8", "#cdbdf5", "#a5e2df", "#e8dd8a", "#d3d3d3")
"""By the index along the first axis that moves; dark letters are read on all of them."""


def picture(layout: Layout) -> str:
    """The picture; an empty string where there is nothing to draw."""
    drawing = draw(layout)
    if drawing is None:
        return ""
    per_row = _per_row(layout, drawing)
    unit = (WIDTH - 2) / per_row
    boxes, row, column = [], 0, 0.0
    for cell in drawing.cells:
        wide = _units(cell, layout.item_bits)
        if column and column + wide > per_row + 1e-9:
            row, column = row + 1, 0.0
        boxes.append(
            _box(cell, drawing, 1 + column * unit, TOP + row * (HEIGHT + GAP), min(wide, per_row) * unit)
        )
        column += wide
    lines = _legend(layout, drawing)
    bottom = TOP + (row + 1) * (HEIGHT + GAP)
    height = bottom + 18 * len(lines) + 6
    words = "".join(
        f'<text x="2" y="{bottom + 14 + 18 * number}" font-size="13" fill="currentColor">{escape(line)}</text>'
        for number, line in enumerate(lines)
    )
    title = escape(f"Memory of {layout.size} elements, {layout.order}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-label="{title}" style="max-width:100%;height:auto" '
        f'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace"><title>{title}</title>'
        '<text x="2" y="14" font-size="13" fill="currentColor">memory, lower addresses first</text>'
        f"{''.join(boxes)}{words}</svg>"
    )


def _per_row(layout: Layout, drawing: Drawing) -> int:
    """How many elements stand in a row: where it can be, as many as lie before the pattern begins anew."""
    units = sum(_units(cell, layout.item_bits) for cell in drawing.cells)
    longest = max(len(label(cell)) for cell in drawing.cells)
    most = max(2, min(16, int(WIDTH / (longest * 8 + 12))))
    steps = {abs(step) // layout.item_bits for _, _, step in layout.moving}
    fitting = [step for step in steps if 2 <= step <= most]
    return max(fitting) if fitting and units > max(fitting) else max(2, min(most, round(units + 0.49)))


def _units(cell: Cell, item_bits: int) -> float:
    """The width of a cell, of which an element has 1. Long holes are drawn shorter."""
    return min(cell.bits / item_bits, 1.5) if not cell.indices else 1.0


def _box(cell: Cell, drawing: Drawing, x: float, y: float, width: float) -> str:
    place = f'x="{x + 1:.1f}" y="{y}" width="{max(width - 2, 2):.1f}" height="{HEIGHT}" rx="3"'
    middle = f'x="{x + width / 2:.1f}" y="{y + HEIGHT / 2 + 4.5:.1f}" text-anchor="middle"'
    if not cell.indices:
        words = f"{cell.bits // 8} B" if width > 34 and cell.bits % 8 == 0 else ""
        return (
            f'<rect {place} fill="none" stroke="currentColor" stroke-opacity="0.45" stroke-dasharray="3 3"/>'
            f'<text {middle} font-size="11" fill="currentColor" fill-opacity="0.6">{words}</text>'
        )
    first = cell.at == drawing.first
    hue = HUES[next((index for index in cell.indices[0][:1]), 0) % len(HUES)]
    border = 'stroke="#c02020" stroke-width="2.5"' if first else 'stroke="#444" stroke-width="0.7"'
    return (
        f'<rect {place} fill="{hue}" {border}/>'
        f'<text {middle} font-size="12" fill="#111">{escape(label(cell))}</text>'
    )


def _legend(layout: Layout, drawing: Drawing) -> list[str]:
    lines = ["red: where the array begins" + ("; first indices only" if drawing.is_part else "")]
    if any(not cell.indices for cell in drawing.cells):
        lines[0] += "; dashed: not drawn" if drawing.is_part else "; dashed: holes"
    for axis, extent, step in layout.moving[:6]:
        size = of_bytes(abs(step) // 8) if step % 8 == 0 else f"{abs(step)} bits"
        way = "stays where it is" if step == 0 else f"{size} {'back' if step < 0 else 'on'}"
        lines.append(f"one step along axis {axis} of {count(extent)}: {way}")
    return lines
