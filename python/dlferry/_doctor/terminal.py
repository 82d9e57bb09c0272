"""The report as text: a table that fits the terminal, sentences, and a bar while one waits."""

from __future__ import annotations

import os
import sys
import textwrap
import time
from collections.abc import Iterable
from typing import TextIO

from .report import Cell, Report
from .runner import Progress

LABEL = 17
# One sign for each outcome, its color (SGR), and the word.
SIGNS = {
    "shared": ("●", "=", "32", "shared: the same memory"),
    "copied": ("◐", "+", "33", "copied"),
    "converted": ("◑", "~", "33", "converted to another dtype"),
    "taken": ("◌", "?", "36", "taken, shared or not"),
    "refused": ("○", "-", "2", "refused"),
    "wrong": ("✖", "W", "1;31", "wrong values"),
    "crashed": ("✖", "C", "1;31", "crashed"),
    "timeout": ("✖", "T", "1;31", "took too long"),
    "none": ("·", ".", "2", "nothing to try"),
}
FAULT_WORDS = {"wrong": "wrong", "crashed": "crash", "timeout": "hangs"}
LEVELS = {"fault": ("✖", "!", "1;31"), "warning": ("▲", "!", "1;33"), "note": ("–", "-", "2")}  # noqa: RUF001


class Style:
    """How text is written: with colors or not, with signs beyond ASCII or not."""

    def __init__(self, color: bool, unicode: bool) -> None:
        self.color = color
        self.unicode = unicode

    def paint(self, text: str, code: str) -> str:
        """Colors text."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.color and code else text

    def sign(self, outcome: str) -> str:
        """Gives the sign of an outcome."""
        fancy, plain, _, _ = SIGNS[outcome]
        return fancy if self.unicode else plain


def can_encode(stream: TextIO) -> bool:
    """Whether a stream takes the signs."""
    try:
        "●◐◑◌○✖·▲→µ…–█".encode(stream.encoding or "ascii")  # noqa: RUF001
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def clean(text: str, unicode: bool = True) -> str:
    """Makes text of others harmless: no control characters, so no escape sequences."""
    text = "".join(char if char.isprintable() else " " for char in text)
    if unicode:
        return text
    for fancy, plain in (("→", "->"), ("µ", "u"), ("…", "..."), ("●", "="), ("–", "-")):  # noqa: RUF001
        text = text.replace(fancy, plain)
    return text.encode("ascii", "replace").decode()


def duration(ns: float | None) -> str:
    """Writes a time in at most four characters and its unit.

    >>> duration(98.4), duration(1234), duration(45678), duration(5.1e6), duration(None)
    ('98 ns', '1.2 µs', '46 µs', '5.1 ms', '')
    """
    if ns is None:
        return ""
    for unit, size in (("ns", 1e3), ("µs", 1e6), ("ms", 1e9)):
        if ns < size * 0.9995:
            value = ns / size * 1e3
            return f"{value:.1f} {unit}" if value < 9.95 and unit != "ns" else f"{value:.0f} {unit}"
    return f"{ns / 1e9:.1f} s"


def table(report: Report, width: int, style: Style) -> list[str]:
    """Writes the matrix, in as many blocks of columns as the width needs. Lines are never wider than it."""
    cell_width = 14 if len(report.consumers()) * 14 + LABEL <= width else 7
    count = max(1, (width - LABEL) // cell_width)
    consumers = report.consumers()
    lines: list[str] = []
    for start in range(0, len(consumers), count):
        block = consumers[start : start + count]
        lines += [*([""] if lines else []), *_head(block, cell_width, style)]
        for producer in report.producers():
            cells = [_cell(report.cell(producer, consumer), cell_width, style) for consumer in block]
            label = clean(producer, style.unicode)[: LABEL - 1].ljust(LABEL)
            lines.append((style.paint(label, "1") + "".join(cells)).rstrip())
    return lines


def _head(consumers: list[str], width: int, style: Style) -> list[str]:
    """Writes the names of the consumers, broken into lines that fit their columns."""
    pieces = [_broken(clean(name, style.unicode), width - 1) for name in consumers]
    height = max(map(len, pieces))
    lines = []
    for row in range(height):
        words = [piece[row - height + len(piece)] if row >= height - len(piece) else "" for piece in pieces]
        label = ("from \\ to" if not style.unicode else "from ↓  to →") if row == height - 1 else ""
        names = "".join(word.ljust(width) for word in words).rstrip()
        lines.append(style.paint(label.ljust(LABEL), "2") + style.paint(names, "1"))
    return lines


def _broken(name: str, width: int) -> list[str]:
    """Breaks a name behind its underlines, and a word that is too long where it fills the line, or in its middle.

    >>> _broken("array_api_strict", 6), _broken("memoryview", 6), _broken("pyarrow", 6)
    (['array_', 'api_', 'strict'], ['memory', 'view'], ['pyar-', 'row'])
    """
    lines = [""]
    for word in name.replace("_", "_\0").replace(".", ".\0").split("\0"):
        if len(lines[-1]) + len(word) > width and lines[-1]:
            lines.append("")
        lines[-1] += word
    pieces = []
    for line in lines:
        while len(line) > width:
            cut = width if len(line) - width > 2 else (len(line) + 1) // 2
            pieces.append(line[:cut] + "-" * (cut < width))
            line = line[cut:]
        pieces.append(line)
    return pieces


def _cell(cell: Cell | None, width: int, style: Style) -> str:
    if cell is None:
        return " " * width
    fault = FAULT_WORDS.get(cell.outcome)
    wide = width > 7
    time = duration(cell.ns) if wide else _short(cell.ns)
    words = fault or time or (SIGNS[cell.outcome][3] if wide else "")
    words = clean(words.split(":")[0], style.unicode)[: width - 4 if wide else 4 + bool(fault)]
    _, _, color, _ = SIGNS[cell.outcome]
    mark = "!" if cell.read_only == "lost" and not fault else ""
    text = style.paint(style.sign(cell.outcome), color) + " " * wide
    text += style.paint(words, color) if fault else words
    return text + style.paint(mark, "1;33") * bool(mark) + " " * (width - 1 - wide - len(words) - len(mark))


def _short(ns: float | None) -> str:
    """Writes a time in four characters: `98n`, `1.2µ`, `46µ`."""
    return duration(ns).replace(" ", "").replace("s", "")


def legend(report: Report, width: int, style: Style) -> list[str]:
    """Explains the signs that the table has."""
    shown = {cell.outcome for cell in report.cells}
    parts = [
        (f"{style.sign(outcome)} {words}", color)
        for outcome, (_, _, color, words) in SIGNS.items()
        if outcome in shown and outcome not in FAULT_WORDS
    ]
    if any(cell.read_only == "lost" for cell in report.cells):
        parts.append(("! read-only memory may be written", "1;33"))
    parts.append((clean("time of one exchange, n = ns, µ = µs", style.unicode), "2"))
    lines, used = [""], 0
    for text, color in parts:
        if used and used + 3 + len(text) > width:
            lines.append("")
            used = 0
        lines[-1] += "   " * bool(used) + style.paint(text, color)
        used += len(text) + 3 * bool(used)
    return lines


def sentences(report: Report, width: int, style: Style) -> Iterable[str]:
    """Writes the findings, a paragraph for what is of one level about one library."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for finding in report.findings:
        grouped.setdefault((finding.level, finding.library), []).append(finding.words)
    for (level, library), words in grouped.items():
        fancy, plain, color = LEVELS[level]
        name = clean(library, style.unicode)
        text = clean(f"{library}: {'; '.join(words)}", style.unicode)
        lines = textwrap.wrap(text, width - 2, break_on_hyphens=False, max_lines=6, placeholder=" …")
        body = "\n".join(f"  {line}" for line in lines)[2:]
        if body.startswith(f"{name}:"):
            body = style.paint(f"{name}:", "1") + body[len(name) + 1 :]
        yield style.paint(fancy if style.unicode else plain, color) + " " + body


def text_of(report: Report, width: int, style: Style) -> str:
    """Writes the whole report."""
    versions = ", ".join(f"{name} {version}" for name, version in report.libraries.items())
    title = f"dlferry {report.dlferry} doctor"
    where = clean(f"Python {report.python}, {report.platform}, {report.date[:10]}", style.unicode)
    lines = [
        style.paint(title, "1"),
        *(style.paint(line, "2") for line in textwrap.wrap(where, width)),
        *(style.paint(line, "2") for line in textwrap.wrap(clean(versions, style.unicode), width)),
        "",
    ]
    if report.cells:
        lines += [*table(report, width, style), "", *legend(report, width, style), ""]
    for name, reason in report.broken.items():
        words = clean(f"{name} is installed and cannot be used: {reason}", style.unicode)
        lines += [style.paint(line, "33") for line in textwrap.wrap(words, width)]
    lines += [*sentences(report, width, style), ""]
    faults = report.faults()
    exchanged = sum(1 for cell in report.cells if cell.outcome not in ("refused", "none"))
    pairs = f"{len(report.cells)} pair{'' if len(report.cells) == 1 else 's'}"
    summary = f"{pairs}, {exchanged} exchange{'s' if exchanged == 1 else ''} arrays, "
    summary += f"{len(faults)} with wrong values, a crash or a hang"
    lines += [style.paint(line, "1;31" if faults else "1;32") for line in textwrap.wrap(summary, width)]
    return "\n".join(lines)


class Bar:
    """A line that tells how far a run is, on a terminal; nothing elsewhere."""

    def __init__(self, stream: TextIO = sys.stderr, width: int = 80) -> None:
        self._stream = stream
        self._width = width
        self._start = time.monotonic()
        self._shown = stream.isatty() and os.environ.get("TERM") != "dumb"

    def __call__(self, progress: Progress) -> None:
        """Draws the line anew."""
        if not self._shown:
            return
        self._stream.write("\r" + self.line(progress, time.monotonic() - self._start) + "\x1b[K")
        self._stream.flush()

    def line(self, progress: Progress, seconds: float) -> str:
        """Writes the line: a bar, pairs done, the time left and what is being done."""
        fancy = can_encode(self._stream)
        full, empty = ("█", "·") if fancy else ("#", ".")
        share = progress.done / max(progress.total, 1)
        filled = int(share * 20)
        left = f"{seconds / share - seconds:.0f} s left" if progress.done > 5 else "…"
        text = f" {progress.done}/{progress.total}  {left}  {progress.doing}"
        return (full * filled + empty * (20 - filled) + clean(text, fancy))[: self._width - 1]

    def end(self) -> None:
        """Wipes the line."""
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
