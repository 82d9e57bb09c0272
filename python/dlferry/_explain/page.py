"""The report as HTML: for notebooks, and as a page of its own. Nothing is loaded from elsewhere."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from .judge import VERBS
from .picture import picture
from .text import grouped, printable, sentences

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .report import Report

# The colors are read on white and on black alike: a notebook does not say which of them it has.
# A notebook has a style for tables, which these selectors have to be more exact than.
STYLE = """
.dlferry-report{font:14px/1.45 system-ui,sans-serif;max-width:62em;overflow-wrap:anywhere}
.dlferry-report h3{font-size:1em;margin:1.2em 0 .3em}
.dlferry-report table.dlferry-rows{border-collapse:collapse;table-layout:auto;width:100%;margin:0;font-size:1em}
.dlferry-report .dlferry-rows tr{background:none}
.dlferry-report .dlferry-rows tr>*{text-align:left;vertical-align:top;white-space:normal;max-width:none;
padding:.25em .6em .25em 0;border:0;border-top:1px solid color-mix(in srgb,currentColor 18%,transparent)}
.dlferry-report .dlferry-rows tr>th{font-weight:600;white-space:nowrap;width:1%}
.dlferry-report .good{color:#1f8a43}
.dlferry-report .bad{color:#d0433a}
.dlferry-report .fair{color:#a86a00}
.dlferry-report .more{opacity:.85;margin:.15em 0 0}
@media(max-width:40em){.dlferry-report table.dlferry-rows,.dlferry-report .dlferry-rows tbody,
.dlferry-report .dlferry-rows tr,.dlferry-report .dlferry-rows tr>*{display:block;width:auto}
.dlferry-report .dlferry-rows tr>th{white-space:normal;width:auto}
.dlferry-report .dlferry-rows tr>td{border-top:0;padding-bottom:.6em}}
"""

MARKS = {"shared": "good", "copied": "fair", "converted": "fair", "taken": "fair", "untried": ""}


def escape(words: str) -> str:
    """Text of anybody's for HTML, and for any encoding."""
    return html.escape(printable(words))


def fragment(report: Report) -> str:
    """What a notebook shows."""
    parts = [f"<style>{STYLE}</style>", '<div class="dlferry-report">']
    device = f", on {report.device}" if report.device else ""
    parts.append(f"<p><strong>{escape(report.summary + device)}</strong></p>")
    if report.layout is not None:
        parts.append(f"<h3>Layout</h3>{picture(report.layout)}")
        parts.append("".join(f"<p class='more'>{escape(line)}</p>" for line in sentences(report.layout)))
    if report.answers:
        missing = ", ".join(answer.protocol for answer in report.answers if not answer.offered)
        rows = [
            (answer.protocol, answer.words, "bad" if answer.refused else "")
            for answer in report.answers
            if answer.offered
        ]
        parts.append(_table("Protocols", [*rows, ("not offered", missing, "")] if missing else rows))
    if report.calls:
        rows = [
            (call, f"{VERBS[outcome]}{': ' + says if says else ''}", MARKS.get(outcome, "bad"))
            for call, outcome, says in report.calls
        ]
        parts.append(_table("What dlferry does", rows))
    if report.verdicts:
        parts.append(_verdicts(report))
    if report.owners:
        parts.append(f"<h3>What keeps the memory</h3><p>{escape(report.owners)}</p>")
    if report.notes:
        items = "".join(f"<li>{escape(note)}</li>" for note in report.notes)
        parts.append(f"<h3>Notes</h3><ul>{items}</ul>")
    return "".join([*parts, "</div>"])


def _table(head: str, rows: Iterable[tuple[str, str, str]]) -> str:
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td class="{mark}">{escape(words)}</td></tr>'
        for name, words, mark in rows
    )
    return f"<h3>{escape(head)}</h3><table class='dlferry-rows'><tbody>{body}</tbody></table>"


def _verdicts(report: Report) -> str:
    rows = []
    for alike in grouped(report.verdicts):
        verdict = alike[0]
        lost = verdict.read_only == "lost"
        mark = "bad" if lost else MARKS.get(verdict.outcome, "bad")
        more = [
            f"{name}: {words}" for name, words in (("why", verdict.why), ("remedy", verdict.remedy)) if words
        ]
        if verdict.detail:
            more.insert(0, verdict.detail)
        lines = "".join(f'<p class="more">{escape(line)}</p>' for line in more)
        name = "<br>".join(escape(each.name) for each in alike)
        rows.append(
            f'<tr><th scope="row">{name}</th><td><span class="{mark}">{escape(verdict.says)}</span>{lines}</td></tr>'
        )
    tried = f"<p class='more'>{escape(report.tried)}</p>" if report.tried else ""
    body = "".join(rows)
    return f"<h3>What the libraries would do</h3>{tried}<table class='dlferry-rows'><tbody>{body}</tbody></table>"


def page(report: Report) -> str:
    """A page of its own."""
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(report.summary)}</title>"
        "<style>:root{color-scheme:light dark}body{margin:1.5em auto;padding:0 1em;max-width:62em}</style>"
        f"<body>{fragment(report)}</body></html>\n"
    )
