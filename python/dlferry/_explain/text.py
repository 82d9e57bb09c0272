"""The report as text for a terminal."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from .drawing import draw, label
from .judge import VERBS
from .report import count, of_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .facts import Layout
    from .judge import Verdict
    from .report import Report

SHOWN_AXES = 12
GOOD, BAD, FAIR, HEAD, FAINT = "32", "31", "33", "1", "2"
HUES = {
    "shared": GOOD,
    "copied": FAIR,
    "converted": FAIR,
    "taken": FAIR,
    "refused": BAD,
    "crashed": BAD,
    "wrong": BAD,
    "untried": FAINT,
}


class Page:
    """Lines of at most so many columns."""

    def __init__(self, *, color: bool, width: int) -> None:
        self.lines: list[str] = []
        self.color = color
        self.width = max(width, 40)

    def paint(self, words: str, hue: str) -> str:
        """Words in a color, where there are colors."""
        return f"\x1b[{hue}m{words}\x1b[0m" if self.color and words else words

    def head(self, words: str) -> None:
        """A line above a section."""
        self.lines += ["", self.paint(words, HEAD)]

    def say(self, words: str, indent: int = 2, hang: int | None = None) -> None:
        """A paragraph."""
        hang = indent if hang is None else hang
        wrapped = textwrap.wrap(
            printable(words),
            self.width,
            initial_indent=" " * indent,
            subsequent_indent=" " * hang,
            break_on_hyphens=False,
        )
        self.lines += wrapped or [""]

    def row(self, name: str, words: str, column: int, hue: str = "") -> None:
        """A name and what there is to say about it, in a column of its own."""
        start = len(self.lines)
        if len(name) + 4 > column:
            self.lines.append(f"  {name}")
            self.say(words, column)
            start += 1
        else:
            self.say(f"{name:{column - 2}}{words}", 2, column)
            self.lines[start] = f"  {name:{column - 2}}" + self.lines[start][column:]
        if hue:
            self.lines[start:] = [
                line[:column] + self.paint(line[column:], hue) for line in self.lines[start:]
            ]


def printable(words: str) -> str:
    """Text of anybody's, without what a terminal would obey."""
    return "".join(letter if letter.isprintable() else "?" for letter in words)


def text(report: Report, *, color: bool, width: int) -> str:
    """The whole report."""
    page = Page(color=color, width=width)
    page.say(report.summary + (f", on {report.device}" if report.device else ""), 0, 2)
    if report.layout is not None:
        _layout(page, report.layout)
    if report.answers:
        _protocols(page, report)
    if report.calls:
        page.head("What dlferry does")
        for call, outcome, says in report.calls:
            page.row(call, f"{VERBS[outcome]}{': ' + says if says else ''}", 28, HUES[outcome])
    if report.verdicts:
        page.head("What the libraries would do")
        if report.tried:
            page.say(f"({report.tried})")
        for alike in grouped(report.verdicts):
            _verdict(page, alike)
    if report.owners:
        page.head("What keeps the memory")
        page.say(report.owners)
    if report.notes:
        page.head("Notes")
        for note in report.notes:
            page.say(f"- {note}", 2, 4)
    return "\n".join(line.rstrip() for line in page.lines)


def _layout(page: Page, layout: Layout) -> None:
    page.head("Layout")
    if layout.ndim:
        page.lines.append(
            page.paint("  axis           extent      stride, elements             bytes", FAINT)
        )
    strides = layout.strides
    for axis, (extent, step) in enumerate(zip(layout.shape, layout.bit_strides, strict=True)):
        if axis >= SHOWN_AXES and layout.ndim > SHOWN_AXES + 1:
            page.say(f"  ... {layout.ndim - SHOWN_AXES} more axes")
            break
        elements = "no whole number" if strides is None else count(strides[axis])
        bytes_ = count(step // 8) if step % 8 == 0 else f"{step / 8:g}"
        still = extent < 2 or not layout.size
        word = "" if still else "  backwards" if step < 0 else "  repeated" if step == 0 else ""
        row = f"  {axis:4} {count(extent):>16} {elements:>21} {bytes_:>17}{word}"
        if len(row) > page.width:
            page.say(f"{axis:4}: {extent}, stride {elements}, {bytes_} bytes{word}", 2, 8)
        else:
            page.lines.append(row)
    for line in sentences(layout):
        page.say(line)
    _memory(page, layout)


def sentences(layout: Layout) -> Iterator[str]:
    """What there is to say about a layout."""
    if layout.ndim == 0:
        yield "no axes: a single element"
    yield f"order: {layout.order}"
    holes, overlaps = layout.holes, layout.overlaps
    between = f"{of_bytes(holes)} of holes" if holes else "no holes"
    if overlaps is not False:
        between = (
            "elements share memory"
            if overlaps
            else "whether elements share memory would take too long to tell"
        )
    if layout.size:
        yield f"{of_bytes(layout.nbytes)} of elements within {of_bytes(layout.span)} of memory: {between}"
    if layout.alignment is not None and layout.size:
        page = " or more" if layout.alignment == 4096 else ""
        yield f"first element at {layout.address:#x}, aligned to {of_bytes(layout.alignment)}{page}"


def _memory(page: Page, layout: Layout) -> None:
    drawing = draw(layout)
    if drawing is None or len(drawing.cells) < 2:
        return
    words = []
    for cell in drawing.cells:
        if cell.indices:
            mark = ">" if cell.at == drawing.first else ""
            words.append(f"{mark}[{label(cell).replace('…', '...')}]")
        else:
            words.append(f"~{cell.bits // 8}~" if cell.bits % 8 == 0 else "~")
    part = " of the first indices" if drawing.is_part else ""
    page.say(f"memory{part}, upwards: {' '.join(words)}", 2, 4)
    gap = "n bytes that are not drawn" if drawing.is_part else "a hole of n bytes"
    legend = "> is where the array begins" + (f"; ~n~ is {gap}" if "~" in "".join(words) else "")
    page.say(f"({legend})", 4)


def _protocols(page: Page, report: Report) -> None:
    page.head("Protocols")
    missing = [answer.protocol for answer in report.answers if not answer.offered]
    for answer in report.answers:
        if answer.offered:
            page.row(answer.protocol, answer.words, 34, BAD if answer.refused else "")
    if missing:
        page.row("not offered", ", ".join(missing), 34)


def grouped(verdicts: tuple[Verdict, ...]) -> list[list[Verdict]]:
    """The verdicts, those together that differ in nothing but the library."""
    found: dict[tuple[str, ...], list[Verdict]] = {}
    for verdict in verdicts:
        alike = (verdict.says, verdict.detail, verdict.why, verdict.remedy)
        found.setdefault(alike, []).append(verdict)
    return list(found.values())


def _verdict(page: Page, alike: list[Verdict]) -> None:
    verdict = alike[0]
    said = verdict.says
    if verdict.detail:
        said += f": {verdict.detail}"
    hue = BAD if verdict.read_only == "lost" else HUES[verdict.outcome]
    page.row(printable(verdict.name), said, 28, hue)
    if verdict.why:
        page.say(f"why: {verdict.why}", 28, 30)
    if verdict.remedy:
        page.say(f"remedy: {verdict.remedy}", 28, 30)
    for other in alike[1:]:
        page.row(printable(other.name), "the same", 28, hue)
