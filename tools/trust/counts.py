"""What ``make trust`` counts, and how it is printed."""

from __future__ import annotations

import importlib
import re
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from jobs import TESTS, Job

MEGABYTE = 1 << 20
NUMBER = re.compile(r"\b(?:test_)?(b\d{3})_")
RUST_TEST = re.compile(r"^test (\S+) \.\.\. (ok|FAILED|ignored)", re.M)


@dataclass
class Tensors:
    """What became of crafted tensors, in all processes that used some."""

    processes: int = 0
    born: int = 0
    left: int = 0
    again: int = 0


def crafted(ledger: Path, pids: set[int]) -> Tensors:
    """Reads what each process wrote down at its end; what is left counts for those processes that ran tests."""
    found = Tensors()
    for line in ledger.read_text().splitlines() if ledger.exists() else []:
        pid, born, left, again = map(int, line.split())
        found.processes += 1
        found.born += born
        found.again += again
        found.left += left if pid in pids else 0
    return found


@dataclass
class Counts:
    """Everything that is counted."""

    tests: list[tuple[str, str]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    processes: int = 0
    crashes: int = 0
    ways: int = 0
    grown: int = 0
    attempts: int = 0
    writes: int = 0
    tensors: Tensors = field(default_factory=Tensors)

    def add(self, job: Job) -> None:
        """Counts what a process did."""
        self.processes += 1
        crashed = job.status is None or job.status < 0
        self.crashes += crashed
        if job.kind == "tests":
            self._tests(job)
        elif job.kind == "rust":
            outcomes = {"ok": "passed", "FAILED": "failed", "ignored": "skipped"}
            self.tests += [(name, outcomes[outcome]) for name, outcome in RUST_TEST.findall(job.said)]
        elif job.kind == "growth":
            self._growth(job)
        elif job.status == 0:
            self.attempts += sum(map(int, job.said.split()))
        else:
            self.writes += 1
        if job.status != 0:
            words = job.complaints.strip() or job.said.strip()
            self.failures.append(f"{' '.join(job.command[-2:])}: status {job.status}\n{words[-2000:]}")

    def _tests(self, job: Job) -> None:
        if job.report is None or not job.report.exists():
            return
        for test in ET.parse(job.report).iter("testcase"):
            what = {child.tag for child in test}
            outcome = (
                "failed" if what & {"failure", "error"} else "skipped" if "skipped" in what else "passed"
            )
            self.tests.append((test.get("name", ""), outcome))

    def _growth(self, job: Job) -> None:
        for line in job.said.splitlines():
            size, name = line.split(" ", 1)
            self.ways += 1
            if int(size) >= MEGABYTE:
                self.grown += 1
                self.failures.append(f"{name}: {size} bytes more after 50,000 times")

    def add_children(self, path: Path) -> None:
        """Counts the processes that tests started."""
        statuses = [int(line) for line in path.read_text().splitlines()] if path.exists() else []
        self.processes += len(statuses)
        self.crashes += sum(status < 0 for status in statuses)

    def bad(self) -> tuple[int, ...]:
        """What has to be 0."""
        return self.crashes, self.grown + self.tensors.left, self.tensors.again, self.writes

    def text(self) -> str:
        """The four counts, and what they were counted in."""
        crashes, leaks, again, writes = self.bad()
        tensors = f"{self.tensors.born:,} crafted tensors"
        rows = [
            ("crashes", crashes, f"in {self.processes:,} processes"),
            ("leaks", leaks, f"in {self.ways} ways in and out, 100,000 times each, and of {tensors}"),
            ("double frees", again, f"of {tensors} in {self.tensors.processes:,} processes"),
            ("writes into read-only memory", writes, f"in {self.attempts:,} attempts"),
        ]
        return "\n".join(f"{what:30}{count:5}   {where}" for what, count, where in rows)


def state(outcomes: Counter[str]) -> str:
    """What became of a case that may have several tests."""
    if outcomes["failed"] or not outcomes:
        return "failed"
    return "passed" if outcomes["passed"] else "skipped"


def cases(tests: list[tuple[str, str]]) -> tuple[str, list[str]]:
    """The public failures by kind, and those that did not pass."""
    sys.path.insert(0, str(TESTS / "cases"))
    covered: dict[str, tuple[str, str]] = importlib.import_module("coverage_of_cases").COVERED
    outcomes: dict[str, Counter[str]] = {number: Counter() for number in covered}
    others: Counter[str] = Counter()
    for name, outcome in tests:
        found = NUMBER.match(name)
        (outcomes[found[1].upper()] if found else others)[outcome] += 1
    states = {number: state(outcome) for number, outcome in outcomes.items()}
    lines = [f"{'public failures':30}{'cases':>5}{'passed':>9}{'skipped':>9}{'tests':>9}"]
    for kind in [*sorted({kind for kind, _ in covered.values()}), ""]:
        numbers = [number for number in covered if covered[number][0] == (kind or covered[number][0])]
        became = Counter(states[number] for number in numbers)
        ran = sum(sum(outcomes[number].values()) for number in numbers)
        lines.append(f"{kind or 'all':30}{len(numbers):5}{became['passed']:9}{became['skipped']:9}{ran:9}")
    lines.append(f"other tests of lifetimes: {others['passed']} passed, {others['skipped']} skipped")
    skipped = sorted(number for number in states if states[number] == "skipped")
    if skipped:
        lines.append(f"skipped, for want of a library: {', '.join(skipped)}")
    missing = [f"{number} ({covered[number][1]})" for number in covered if states[number] == "failed"]
    return "\n".join([*lines, ""]), missing
