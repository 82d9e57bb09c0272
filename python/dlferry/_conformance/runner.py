"""Running cases in processes of their own: a crash is a verdict, not the end of the run."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

from .case import CASES, Case, Verdict

START_SECONDS = 180.0
CASE_SECONDS = 30.0
ENDLESS = "no end after"
CONTROL = "producer/R5.2/device_is_two_numbers"
"""A case that makes an array and exports nothing: how its process ends is no fault of an export."""


@dataclass(frozen=True)
class Outcome:
    """What became of a case."""

    case: Case
    verdict: Verdict
    detail: str = ""


@dataclass
class Target:
    """What a worker says of the thing that it tests."""

    name: str
    version: str
    roles: list[str]


class TargetRefusedError(Exception):
    """The target cannot be tested; the message says why."""


class Died(Exception):  # noqa: N818  (what happened to a process, not an error of ours)
    """A worker ended, or was ended, before it answered."""


@dataclass
class Worker:
    """A process that runs cases of a target."""

    target: str
    process: subprocess.Popen[bytes] = field(init=False)
    said: Target = field(init=False)

    def __post_init__(self) -> None:
        reading, writing = os.pipe()
        self._complaints: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  (closed with the worker)
        path = os.pathsep.join(each or os.getcwd() for each in sys.path)
        self.process = subprocess.Popen(
            [sys.executable, "-m", f"{__package__}.worker", str(writing), self.target],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=self._complaints,
            pass_fds=[writing],
            env={**os.environ, "PYTHONPATH": path},
        )
        os.close(writing)
        self._pipe = os.fdopen(reading, "rb", buffering=0)
        self._rest = b""
        try:
            answer = self._hear(START_SECONDS)
        except BaseException:  # who does not want to wait any longer, too
            self.process.kill()
            self.end()
            raise
        if "refused" in answer:
            self.end()
            raise TargetRefusedError(answer["refused"])
        self.said = Target(answer["name"], answer["version"], answer["roles"])

    def _hear(self, seconds: float) -> dict[str, Any]:
        """The next line that the worker says."""
        deadline = time.monotonic() + seconds
        while b"\n" not in self._rest:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._pipe], [], [], left)[0]:
                self.process.kill()
                raise Died(f"{ENDLESS} {seconds:.0f} seconds")
            more = self._pipe.read(65536)
            if not more:
                raise Died(self.fate())
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def run(self, case: Case, seconds: float) -> Outcome:
        """Runs a case; raises :class:`Died` when the worker does not survive it."""
        assert self.process.stdin
        try:
            self.process.stdin.write(f"{case.id}\n".encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Died(self.fate()) from None
        self._hear(seconds)
        answer = self._hear(seconds)
        return Outcome(case, answer["verdict"], answer["detail"])

    def end(self, seconds: float = CASE_SECONDS) -> str:
        """Lets the worker come to its end; gives how it ended where that was not in peace."""
        with contextlib.suppress(BrokenPipeError):
            if self.process.stdin:
                self.process.stdin.close()
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            self._close()
            return f"{ENDLESS} {seconds:.0f} seconds"
        fate = self.fate() if self.process.returncode else ""
        self._close()
        return fate

    def _close(self) -> None:
        self._pipe.close()
        self._complaints.close()

    def fate(self) -> str:
        """How the process ended, and the last that it complained of."""
        status = self.process.wait()
        with contextlib.suppress(ValueError):
            how = signal.Signals(-status).name if status < 0 else f"exit status {status}"
        self._complaints.seek(0)
        lines = self._complaints.read()[-4000:].decode(errors="replace").strip().splitlines()
        said = [" ".join(line.split()) for line in lines if line.strip() and not line.startswith(" ")]
        return f"{how} ({said[-1][:160]})" if said else how


def run(
    target: str,
    cases: Callable[[Target], Sequence[Case]],
    heard: Callable[[Target, Outcome | None, int, int], None] = lambda *_: None,
    seconds: float = CASE_SECONDS,
) -> tuple[Target, list[Outcome]]:
    """Runs the cases that ``cases`` chooses for a target, and gives what became of each, in their order.

    ``heard`` is called after each with the outcome, how many are done and how many there are. Raises
    :class:`TargetRefusedError` for a target that cannot be tested.
    """
    session = _Session(target, seconds)
    try:
        said = session.worker().said
        chosen = list(cases(said))
        heard(said, None, 0, len(chosen))
        found: dict[str, Outcome] = {}
        last = [case for case in chosen if case.alone]
        for case in [case for case in chosen if not case.alone]:
            found.update((each.case.id, each) for each in session.judge(case))
            heard(said, found[case.id], len(found), len(chosen))
        found.update((each.case.id, each) for each in session.finish())
        for outcome in session.last(last):
            found[outcome.case.id] = outcome
            heard(said, outcome, len(found), len(chosen))
    finally:
        session.abandon()
    return said, [found[case.id] for case in chosen]


class _Session:
    """The workers of a run, one at a time, and who is to blame for the death of one."""

    def __init__(self, target: str, seconds: float) -> None:
        self._target, self._seconds = target, seconds
        self._worker: Worker | None = None
        self._suspects: list[Case] = []

    def worker(self) -> Worker:
        if self._worker is None:
            try:
                self._worker = Worker(self._target)
            except Died as death:
                raise TargetRefusedError(f"it ends at the start: {death}") from None
            self._suspects = []
        return self._worker

    def judge(self, case: Case) -> list[Outcome]:
        try:
            outcome = self.worker().run(case, self._seconds)
        except Died as death:
            self.abandon()
            return self._blamed(case, str(death))
        if case.hostile:
            self._suspects.append(case)
        return [outcome]

    def last(self, cases: Sequence[Case]) -> Iterator[Outcome]:
        """Runs cases about the end of a process: all in one, and each in its own if that does not end in peace."""
        if not cases:
            return
        try:
            outcomes = [self.worker().run(case, self._seconds) for case in cases]
        except Died:
            self.abandon()
        else:
            worker, self._worker = self._worker, None
            if worker is None or not worker.end(self._seconds):
                yield from outcomes
                return
        control = self._alone(CASES[CONTROL])
        if control.verdict == "crashes" and ENDLESS in control.detail:  # threads of the target's own go on
            why = f"a process that only makes an array does not come to its end either: {control.detail}"
            yield from (Outcome(case, "not applicable", why) for case in cases)
            return
        for case in cases:
            yield self._alone(case)

    def finish(self) -> list[Outcome]:
        """Ends the worker; a death at the end is the fault of a case that it ran."""
        worker, self._worker = self._worker, None
        fate = worker.end(self._seconds) if worker else ""
        if not fate:
            return []
        for case in reversed(self._suspects):
            outcome = self._alone(case)
            if outcome.verdict == "crashes":
                return [outcome]
        return []

    def _blamed(self, case: Case, how: str) -> list[Outcome]:
        """Finds the case that broke a worker: the one that it died in, or a hostile one before that."""
        suspects, self._suspects = self._suspects, []
        if not suspects:
            return [Outcome(case, "crashes", how)]
        outcome = self._alone(case)
        if outcome.verdict == "crashes":
            return [outcome]
        for suspect in reversed(suspects):
            found = self._alone(suspect)
            if found.verdict == "crashes":
                return [found, outcome]
        return [Outcome(suspects[-1], "crashes", f"in a later case: {how}"), outcome]

    def _alone(self, case: Case) -> Outcome:
        """Runs a case in a process of its own, to the end of that."""
        try:
            worker = Worker(self._target)
        except Died as death:
            return Outcome(case, "crashes", f"at the start: {death}")
        try:
            outcome = worker.run(case, self._seconds)
        except Died as death:
            worker.end()
            return Outcome(case, "crashes", str(death))
        fate = worker.end(self._seconds)
        return Outcome(case, "crashes", f"at the end of the process: {fate}") if fate else outcome

    def abandon(self) -> None:
        worker, self._worker = self._worker, None
        if worker:
            worker.process.kill()
            worker.end()
