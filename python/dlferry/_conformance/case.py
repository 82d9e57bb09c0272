"""What a case is: a rule that can be run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

Role = Literal["producer", "consumer"]
#: A function that runs a rule: with a subject, and a value for each of many.
Rule = TypeVar("Rule", bound=Callable[..., None])
Level = Literal["must", "should", "usual"]
Verdict = Literal["pass", "deviates", "crashes", "not applicable"]

#: What each level means, as the reports say it.
LEVELS: dict[Level, str] = {
    "must": "a text demands it",
    "should": "a text recommends it",
    "usual": "no text says it; libraries do it, and others count on it",
}


class DeviatesError(Exception):
    """The library does something else than the rule says; the message is what it does."""


class NotApplicableError(Exception):
    """The rule is about something that the library does not offer; the message is what."""


@dataclass(frozen=True)
class Case:
    """A rule that can be run: it raises :class:`DeviatesError`, :class:`NotApplicableError`, or returns.

    ``demand`` says in a sentence what the rule demands, ``source`` is the text which does so. A case that is ``alone``
    is the last one of its process, and the end of that process belongs to it.
    """

    role: Role
    rule: str
    name: str
    demand: str
    source: str
    level: Level
    run: Callable[[Any], None]
    hostile: bool = False
    alone: bool = False

    @property
    def id(self) -> str:
        """The name by which the case is asked for, such as ``producer/R4.2/none_is_unversioned``."""
        return f"{self.role}/{self.rule}/{self.name}"


CASES: dict[str, Case] = {}


def _register(case: Case) -> None:
    if case.id in CASES:
        raise ValueError(f"two cases are named {case.id}")
    CASES[case.id] = case


def _rule(
    role: Role, rule: str, source: str, level: Level, each: dict[str, Any] | None, **more: bool
) -> Callable[[Rule], Rule]:
    def decorate(function: Rule) -> Rule:
        demand = " ".join((function.__doc__ or "").split("\n\n")[0].split())
        name = function.__name__
        if each is None:
            _register(Case(role, rule, name, demand, source, level, function, **more))
        for label, value in (each or {}).items():

            def run(subject: Any, value: Any = value) -> None:
                function(subject, value)

            said = demand.replace("{}", label)
            _register(Case(role, rule, f"{name}[{label}]", said, source, level, run, **more))
        return function

    return decorate


def producer(
    rule: str, source: str, level: Level, each: dict[str, Any] | None = None, *, alone: bool = False
) -> Callable[[Rule], Rule]:
    """Makes a case of a function of the :class:`~.subject.Subject`, about the arrays that a library exports.

    ``each`` makes one case for each of its items; the function gets the value, and ``{}`` in its first paragraph is
    the name.
    """
    return _rule("producer", rule, source, level, each, alone=alone)


def consumer(
    rule: str, source: str, level: Level, each: dict[str, Any] | None = None, *, hostile: bool = False
) -> Callable[[Rule], Rule]:
    """Makes a case of a function, about what a library does with the arrays of others; else as :func:`producer`.

    ``hostile`` says that a library without a check may break its own memory here, and crash in a later case.
    """
    return _rule("consumer", rule, source, level, each, hostile=hostile)


def chosen(only: Iterable[str], roles: Iterable[Role]) -> list[Case]:
    """The cases of some roles, in the order in which they are run: hostile ones late, those that end alone last.

    ``only`` has rules (``R4``, which means R4.1 and all others of that section, or ``R4.2``) and parts of names; with
    none, all are chosen. Raises ``ValueError`` for one that fits no case.
    """
    cases = [case for case in CASES.values() if case.role in set(roles)]
    wanted = list(only)
    for part in wanted:
        if not any(fits(case, part) for case in CASES.values()):
            raise ValueError(f"no case fits {part!r}")
    if wanted:
        cases = [case for case in cases if any(fits(case, part) for part in wanted)]
    return sorted(cases, key=lambda case: (case.role != "producer", case.hostile, case.alone))


RULE = re.compile(r"[A-Z]\d+(\.\d+)?")


def fits(case: Case, part: str) -> bool:
    """Tells whether the case is meant by ``part``, a rule or a piece of the case's id."""
    if RULE.fullmatch(part):  # R5.1 is not R5.14
        return case.rule == part or case.rule.startswith(f"{part}.")
    return len(part) > 3 and part in case.id
