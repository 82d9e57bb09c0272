"""The report as a table in Markdown, as README.md shows it."""

from __future__ import annotations

from .report import Cell, Report
from .terminal import clean, duration

NOTE = (
    "From the row to the column; the time is that of one exchange, the median of several rounds. "
    "**!**: what is made of a read-only array may be written."
)


def markdown_of(report: Report) -> str:
    """Writes the table, with the versions and the date below it."""
    consumers = report.consumers()
    lines = [
        "| " + " | ".join(["", *map(_escaped, consumers)]) + " |",
        "| " + " | ".join(["---"] * (len(consumers) + 1)) + " |",
    ]
    for producer in report.producers():
        cells = [_cell(report.cell(producer, consumer)) for consumer in consumers]
        lines.append("| " + " | ".join([f"**{_escaped(producer)}**", *cells]) + " |")
    versions = ", ".join(
        f"{_escaped(name)} {_escaped(version)}" for name, version in report.libraries.items()
    )
    return (
        "\n".join(
            [
                *lines,
                "",
                NOTE,
                "",
                f"{versions}; Python {report.python}, {report.platform}, {report.date[:10]}.",
            ]
        )
        + "\n"
    )


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return ""
    words = [f"**{cell.outcome}**" if cell.is_fault() else cell.outcome if cell.outcome != "none" else "-"]
    if cell.ns is not None and not cell.is_fault():
        words.append(duration(cell.ns).replace(" ", "\u00a0"))
    return " ".join(words) + " **!**" * (cell.read_only == "lost")


def _escaped(text: str) -> str:
    return "".join(f"\\{char}" if char in "\\|<>[]*_`&" else char for char in clean(text))
