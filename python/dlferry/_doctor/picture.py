"""The table as a picture: SVG that follows the reader's light or dark scheme and needs nothing else."""

from __future__ import annotations

from html import escape

from .report import Cell, Report
from .terminal import FAULT_WORDS, SIGNS, clean, duration

CELL, ROW, LABEL, TOP, EDGE = 84, 34, 150, 92, 16
CLASSES = {
    "shared": "good",
    "copied": "fair",
    "converted": "fair",
    "taken": "fair",
    "refused": "none",
    "none": "none",
    **dict.fromkeys(FAULT_WORDS, "bad"),
}
STYLE = """
svg{font:13px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
.page{fill:#fff;stroke:#d5d9de}.ink{fill:#1b2027}.dim{fill:#5d6672}.name{font-weight:600}
.good rect{fill:#dcf3e4}.good text{fill:#0f6236}.fair rect{fill:#fdeecb}.fair text{fill:#7a4d00}
.none rect{fill:#eef0f3}.none text{fill:#5d6672}.bad rect{fill:#fbdcd9}.bad text{fill:#a01b13;font-weight:700}
.mark{fill:#c25700!important;font-weight:700}
@media (prefers-color-scheme:dark){
.page{fill:#14181d;stroke:#323a44}.ink{fill:#e7eaee}.dim{fill:#98a2ae}
.good rect{fill:#143d28}.good text{fill:#86e0ac}.fair rect{fill:#453509}.fair text{fill:#f3cd78}
.none rect{fill:#232a32}.none text{fill:#98a2ae}.bad rect{fill:#541a17}.bad text{fill:#ffb0aa}
.mark{fill:#ff9d4d!important}}
"""


def picture_of(report: Report) -> str:
    """Draws the table."""
    producers, consumers = report.producers(), report.consumers()
    width = 2 * EDGE + LABEL + CELL * len(consumers)
    height = TOP + ROW * len(producers) + 58
    title = "Arrays handed from the library of the row to that of the column"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        f"<title>{title}</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="page" x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="10"/>',
        _text(EDGE, 30, "python -m dlferry doctor", "ink name"),
        _text(EDGE, 50, f"Python {report.python}, {report.platform}, {report.date[:10]}", "dim"),
    ]
    for column, name in enumerate(consumers):
        x = EDGE + LABEL + CELL * column + CELL / 2
        parts.append(_text(x, TOP - 12, _fitting(name, 12), "ink name", "middle", small=len(name) > 10))
    for row, producer in enumerate(producers):
        y = TOP + ROW * row
        parts.append(_text(EDGE, y + 21, _fitting(producer, 18), "ink name"))
        for column, consumer in enumerate(consumers):
            cell = report.cell(producer, consumer)
            if cell is not None:
                parts.append(_cell(EDGE + LABEL + CELL * column, y, cell))
    y = TOP + ROW * len(producers) + 24
    parts += [*_legend(report, y), "</svg>"]
    return "\n".join(parts) + "\n"


def _legend(report: Report, y: float) -> list[str]:
    outcomes = {cell.outcome for cell in report.cells}
    words = [f"{SIGNS[name][0]} {SIGNS[name][3]}" for name in SIGNS if name in outcomes and name != "none"]
    parts = [_text(EDGE, y, (4 * "\u00a0").join([*words, "the time is that of one exchange"]), "dim")]
    if any(cell.read_only == "lost" for cell in report.cells):
        parts.append(_text(EDGE, y + 19, "!  what is made of a read-only array may be written", "mark"))
    return parts


def _cell(x: float, y: float, cell: Cell) -> str:
    words = FAULT_WORDS.get(cell.outcome) or duration(cell.ns) or cell.outcome
    text = f"{SIGNS[cell.outcome][0]} {words}".strip()
    mark = '<tspan class="mark" dx="4">!</tspan>' if cell.read_only == "lost" else ""
    label = escape(clean(f"{cell.producer} to {cell.consumer}: {cell.outcome}"))
    return (
        f'<g class="{CLASSES[cell.outcome]}"><title>{label}</title>'
        f'<rect x="{x + 2}" y="{y + 2}" width="{CELL - 4}" height="{ROW - 4}" rx="5"/>'
        f'<text x="{x + CELL / 2}" y="{y + 21}" text-anchor="middle">{text}{mark}</text></g>'
    )


def _text(x: float, y: float, text: str, kind: str, anchor: str = "start", *, small: bool = False) -> str:
    size = ' font-size="10"' if small else ""
    return f'<text class="{kind}" x="{x}" y="{y}" text-anchor="{anchor}"{size}>{escape(clean(text))}</text>'


def _fitting(name: str, count: int) -> str:
    return name if len(name) <= count + 4 else f"{name[: count + 3]}…"
