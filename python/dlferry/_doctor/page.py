"""The report as a page: one file, without anything from elsewhere, for a phone and for a wide screen.

What libraries say is text of strangers: all of it is escaped, and the page allows no script or style but its own.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from html import escape
from pathlib import Path

from .picture import CLASSES
from .report import Cell, Report
from .terminal import FAULT_WORDS, LEVELS, SIGNS, clean, duration

HERE = Path(__file__).parent
READ_ONLY = {
    "kept": "kept: the result may not be written",
    "lost": "lost: the result may be written",
    "copied": "copied, so nothing is at risk",
    "refused": "read-only arrays are refused",
    None: "the producer has no read-only arrays",
}


def page_of(report: Report) -> str:
    """Writes the page."""
    style = (HERE / "page.css").read_text(encoding="utf-8")
    script = (HERE / "page.js").read_text(encoding="utf-8")
    policy = f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'"
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>Array exchange, {_text(report.date[:10])}</title>",
            f"<style>{style}</style>",
            "</head>",
            "<body>",
            *_header(report),
            "<main>",
            *_matrix(report),
            *_findings(report),
            *_list(report),
            "</main>",
            *(line for at, cell in enumerate(report.cells) for line in _details(at, cell, report)),
            f"<script>{script}</script>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _text(text: object) -> str:
    return escape(clean(str(text)))


def _header(report: Report) -> Iterator[str]:
    date = report.date[:16].replace("T", " ")
    where = f"dlferry {report.dlferry}, Python {report.python}, {report.platform}, {date} UTC"
    yield "<header><h1>Who hands arrays to whom</h1>"
    yield f'<p class="dim">{_text(where)}</p>'
    outcomes = [cell.outcome for cell in report.cells]
    faults, lost = len(report.faults()), sum(cell.read_only == "lost" for cell in report.cells)
    figures = [
        ("good", outcomes.count("shared"), "share memory"),
        ("fair", sum(map(outcomes.count, ("copied", "converted", "taken"))), "copy or convert"),
        ("", outcomes.count("refused"), "are refused"),
        ("fair" if lost else "good", lost, "lose read-only"),
        ("bad" if faults else "good", faults, "wrong, crash or hang"),
    ]
    yield '<ul class="figures">'
    for kind, count, words in figures:
        yield f'<li class="card {kind}"><b>{count}</b>{words}</li>'
    yield '</ul><ul class="libraries">'
    for name, version in report.libraries.items():
        yield f'<li><b>{_text(name)}</b> <span class="dim">{_text(version)}</span></li>'
    for name, reason in report.broken.items():
        yield f'<li class="bad"><b>{_text(name)}</b> cannot be used: {_text(reason)}</li>'
    yield "</ul></header>"


def _matrix(report: Report) -> Iterator[str]:
    yield "<section><h2>The table</h2>"
    shown = {cell.outcome for cell in report.cells}
    yield '<ul class="legend">'
    for outcome, (sign, _, _, words) in SIGNS.items():
        if outcome in shown:
            yield f'<li><span class="sign {CLASSES[outcome]}" aria-hidden="true">{sign}</span> {words}</li>'
    yield '<li><span class="mark" aria-hidden="true">!</span> read-only is lost</li></ul>'
    yield '<div class="card scroll" tabindex="0" role="region" aria-label="The table; it scrolls sideways">'
    yield '<table class="matrix"><caption class="hidden">From the library of the row to that of the column</caption>'
    yield '<thead><tr><th scope="col"><button type="button">from</button></th>'
    for name in report.consumers():
        yield f'<th scope="col"><button type="button">{_breakable(name)}</button></th>'
    yield "</tr></thead><tbody>"
    numbers = {(cell.producer, cell.consumer): at for at, cell in enumerate(report.cells)}
    for producer in report.producers():
        version = report.libraries.get(producer, "")
        yield f'<tr><th scope="row" data-key="{_text(producer)}">{_breakable(producer)}'
        yield f"<small>{_text(version)}</small></th>"
        for consumer in report.consumers():
            cell = report.cell(producer, consumer)
            yield "<td></td>" if cell is None else _cell(numbers[producer, consumer], cell)
        yield "</tr>"
    yield "</tbody></table></div>"
    yield '<p class="dim">The time is that of one exchange. A cell opens to what was tried.</p></section>'


def _breakable(name: str) -> str:
    return _text(name).replace("_", "_<wbr>").replace(".", ".<wbr>")


def _cell(at: int, cell: Cell) -> str:
    sign, _, _, words = SIGNS[cell.outcome]
    said = f"{cell.producer} to {cell.consumer}: {words}"
    said += f", {duration(cell.ns)}" * (cell.ns is not None) + ", read-only is lost" * (
        cell.read_only == "lost"
    )
    mark = ' <b class="mark">!</b>' if cell.read_only == "lost" else ""
    shown = FAULT_WORDS.get(cell.outcome) or duration(cell.ns) or cell.outcome
    return (
        f'<td data-key="{cell.ns if cell.ns is not None else ""}">'
        f'<button type="button" class="cell {CLASSES[cell.outcome]}" popovertarget="pair-{at}" '
        f'aria-label="{_text(said)}">'
        f"{sign}{mark}<span>{shown}</span></button></td>"
    )


def _findings(report: Report) -> Iterator[str]:
    yield "<section><h2>What stands out</h2>"
    grouped: dict[tuple[str, str], list[str]] = {}
    for finding in report.findings:
        grouped.setdefault((finding.level, finding.library), []).append(finding.words)
    if not grouped:
        yield "<p>Nothing.</p>"
    yield '<ul class="card findings">' if grouped else ""
    kinds = {"fault": "bad", "warning": "warning", "note": "none"}
    for (level, library), words in grouped.items():
        kind = kinds.get(level, "none")
        sign = f'<span class="sign {kind}" role="img" aria-label="{_text(level)}">{LEVELS[level][0]}</span>'
        yield f"<li>{sign}<b>{_text(library)}</b>: {_text('; '.join(words))}</li>"
    yield "</ul></section>" if grouped else "</section>"


def _list(report: Report) -> Iterator[str]:
    yield "<section><h2>Every pair</h2>"
    yield '<div class="tools hidden">'
    yield '<input type="search" id="filter" placeholder="Filter: refused lost" aria-label="Filter the pairs">'
    yield '<span class="dim" id="shown" role="status"></span></div><p class="hidden" id="said" role="status"></p>'
    yield '<div class="card"><table class="list"><thead><tr>'
    for words in ("Producer", "Consumer", "Outcome", "Read-only", "Time"):
        kind = ' class="time"' if words == "Time" else ""
        yield f'<th scope="col"{kind}><button type="button">{words}</button></th>'
    yield '<th scope="col">In detail</th></tr></thead><tbody>'
    for at, cell in enumerate(report.cells):
        kind = CLASSES[cell.outcome]
        mark = ' class="kept mark"' if cell.read_only == "lost" else ' class="kept"'
        yield (
            f'<tr><th scope="row" data-key="{_text(cell.producer)}">'
            f'<button type="button" popovertarget="pair-{at}" '
            f'aria-label="{_text(cell.producer)} to {_text(cell.consumer)}, details">'
            f"{_text(cell.producer)}</button></th>"
            f'<td class="to">{_text(cell.consumer)}</td>'
            f'<td class="outcome"><span class="chip {kind}">{SIGNS[cell.outcome][0]} {cell.outcome}</span></td>'
            f"<td{mark}>{_text(cell.read_only or '')}</td>"
            f'<td class="time" data-key="{cell.ns if cell.ns is not None else ""}">{duration(cell.ns)}</td>'
            f'<td class="said">{_text(_shortened(cell.detail))}</td></tr>'
        )
    yield "</tbody></table></div></section>"


def _shortened(text: str) -> str:
    return text if len(text) <= 160 else f"{text[:159]}…"


def _details(at: int, cell: Cell, report: Report) -> Iterator[str]:
    kind = CLASSES[cell.outcome]
    yield f'<div popover id="pair-{at}" role="dialog" aria-labelledby="title-{at}">'
    yield f'<button type="button" class="close" popovertarget="pair-{at}" popovertargetaction="hide" '
    yield 'aria-label="Close">✕</button>'
    yield f'<h3 id="title-{at}" tabindex="-1" autofocus>{_text(cell.producer)} → {_text(cell.consumer)}</h3>'
    yield f'<p><span class="chip {kind}">{SIGNS[cell.outcome][0]} {SIGNS[cell.outcome][3]}</span></p>'
    facts = [
        ("In detail", cell.detail),
        ("One exchange", duration(cell.ns)),
        ("Read-only", READ_ONLY.get(cell.read_only, "")),
        ("Capsules of the producer", cell.capsule or ""),
        ("Memory is shared", f"down to an alignment of {cell.shared_from} bytes" if cell.shared_from else ""),
    ]
    yield '<dl class="facts">'
    for words, value in facts:
        if value:
            yield f"<dt>{words}</dt><dd>{_text(value)}</dd>"
    yield '</dl><table class="probes"><caption class="hidden">What was tried</caption><tbody>'
    for name, result in cell.probes.items():
        if name != "time" or result["outcome"] not in ("timed", "none"):
            yield _probe(name, result, report)
    yield "</tbody></table></div>"


def _probe(name: str, result: dict[str, object], report: Report) -> str:
    outcome = str(result["outcome"])
    said = [str(result[key]) for key in ("reason", "written", "refusal") if result.get(key)]
    return (
        f'<tr><th scope="row">{_text(name)}<small>{_text(report.words.get(name, ""))}</small></th>'
        f'<td><span class="chip {CLASSES.get(outcome, "none")}">{_text(outcome)}</span></td>'
        f"<td>{_text('; '.join(dict.fromkeys(said)))}</td></tr>"
    )
