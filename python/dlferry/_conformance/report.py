"""What was found, for people and for programs."""

from __future__ import annotations

import datetime
import json
import platform
import textwrap
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .._native import __version__
from .case import Case, Verdict
from .runner import Outcome, Target
from .terminal import painted, plain, width

#: What the sources of the rules are, in a sentence that begins with "differs from".
SOURCES = {
    "header": "dlpack.h",
    "spec": "DLPack's Python specification",
    "array API": "the Python array API standard",
    "observed": "what libraries do (no text says it)",
    "here": "dlferry's own rule (no text says it)",
}
VERDICTS: tuple[Verdict, ...] = ("pass", "deviates", "crashes", "not applicable")


def listed(cases: Iterable[Case]) -> str:
    """The cases, a line or two each."""
    lines = []
    for case in cases:
        head = f"{case.rule:<6} {case.level:<6} "
        demand = f"{_capital(case.demand)} [{case.source}]"
        lines += textwrap.wrap(demand, width(), initial_indent=head, subsequent_indent=" " * 14)
        lines.append(f"{'':14}{case.id}")
    return "".join(f"{line}\n" for line in lines)


@dataclass
class Report:
    """What became of the cases of a target."""

    target: str
    said: Target
    outcomes: list[Outcome]

    @property
    def broken(self) -> list[Outcome]:
        """The cases for which the exit status is 1: a ``must`` that is not kept, and any crash."""
        return [each for each in self.outcomes if each.verdict == "crashes" or _breaks(each)]

    @property
    def status(self) -> int:
        """The exit status."""
        return 1 if self.broken else 0

    def counts(self, role: str | None = None) -> dict[str, int]:
        """How many cases, of a role or of both, got which verdict."""
        found = Counter(each.verdict for each in self.outcomes if role in (None, each.case.role))
        return {verdict: found[verdict] for verdict in VERDICTS}

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data, as ``docs/conformance.md`` describes it."""
        return {
            "target": self.target,
            "version": self.said.version,
            "roles": self.said.roles,
            "dlferry": __version__,
            "python": platform.python_version(),
            "platform": f"{platform.system()} {platform.machine()}",
            "date": datetime.date.today().isoformat(),
            "counts": self.counts(),
            "broken": [each.case.id for each in self.broken],
            "cases": [
                {
                    "id": each.case.id,
                    "role": each.case.role,
                    "rule": each.case.rule,
                    "level": each.case.level,
                    "source": each.case.source,
                    "demand": each.case.demand,
                    "verdict": each.verdict,
                    "detail": each.detail,
                }
                for each in self.outcomes
            ],
        }

    def json(self) -> str:
        """The report as JSON."""
        return json.dumps(self.to_dict(), indent=1) + "\n"

    def text(self, *, color: bool = False, verbose: bool = False) -> str:
        """The report for people."""
        version = f" {self.said.version}" if self.said.version else ""
        lines = [
            painted(plain(f"{self.said.name}{version}"), "bold", color)
            + f", Python {platform.python_version()}, dlferry {__version__}, {datetime.date.today().isoformat()}"
        ]
        for role in self.said.roles:
            mine = [each for each in self.outcomes if each.case.role == role]
            if mine:
                lines += ["", painted(f"As {role}: {_sentence(self.counts(role))}", "bold", color)]
                lines += self._cases(mine, color, verbose)
        lines += ["", *self._end(color)]
        return "".join(f"{line}\n" for line in lines)

    def _cases(self, outcomes: list[Outcome], color: bool, verbose: bool) -> list[str]:
        lines = []
        for each in outcomes:
            if each.verdict in ("deviates", "crashes") or verbose:
                lines += (
                    ["", *_told(each, color)]
                    if each.verdict in ("deviates", "crashes")
                    else _told(each, color)
                )
        return lines

    def _end(self, color: bool) -> list[str]:
        broken = self.broken
        if not broken:
            return [painted("No must is broken.", "pass", color)]
        many = len(broken) != 1
        said = f"{len(broken)} {'cases break' if many else 'case breaks'} a must, or {'crash' if many else 'crashes'}."
        return [painted(said, "must", color)]


def _breaks(outcome: Outcome) -> bool:
    return outcome.verdict == "deviates" and outcome.case.level == "must"


def _sentence(counts: dict[str, int]) -> str:
    words = {"pass": "pass", "deviates": "deviate", "crashes": "crash", "not applicable": "not applicable"}
    return ", ".join(f"{count} {words[verdict]}" for verdict, count in counts.items() if count)


def _told(outcome: Outcome, color: bool) -> list[str]:
    case = outcome.case
    head = f"{case.rule:<6} {case.level:<6} {outcome.verdict:<9} "
    indent = " " * 7
    level = painted(f"{case.level:<6}", "must" if _breaks(outcome) else "", color)
    lines = textwrap.wrap(_capital(case.demand), width(), initial_indent=head, subsequent_indent=indent)
    verdict = painted(outcome.verdict, outcome.verdict, color)
    lines[0] = lines[0].replace(
        head, f"{case.rule:<6} {level} {verdict}{' ' * (9 - len(outcome.verdict))} ", 1
    )
    if outcome.detail:
        said = plain(f"It {outcome.detail}" if _verb(outcome.detail) else _capital(outcome.detail))
        lines += textwrap.wrap(
            said if said.endswith(".") else f"{said}.",
            width(),
            initial_indent=indent,
            subsequent_indent=indent,
        )
    if outcome.verdict in ("deviates", "crashes"):
        lines += textwrap.wrap(
            f"Differs from {SOURCES.get(case.source, case.source)}, {case.rule}.",
            width(),
            initial_indent=indent,
            subsequent_indent=indent,
        )
    return lines


_VERBS = (
    *(
        "accepts",
        "allocates",
        "announces",
        "asks",
        "calls",
        "does",
        "exports",
        "gets",
        "gives",
        "goes",
        "leaves",
    ),
    *("makes", "passes", "raises", "refuses", "shares", "takes"),
)


def _verb(detail: str) -> bool:
    return detail.split(" ", 1)[0] in _VERBS


def _capital(detail: str) -> str:
    first = detail.split(" ", 1)[0]
    return detail[:1].upper() + detail[1:] if first.isalpha() else detail
