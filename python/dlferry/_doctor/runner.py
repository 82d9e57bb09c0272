"""Exchanges in processes of their own: a crash or a hang is the outcome of a probe and not the end of the run."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from . import probes
from .libraries import ENVIRONMENT, Library

# An import may take so many times as long as an exchange, and never less than that many seconds: the first of some
# reads a gigabyte.
IMPORT_FACTOR, LEAST_IMPORT_SECONDS = 6.0, 60.0
# How often a pair may bring its process down before the rest of its probes is left out.
CRASHES = 3

Probed = dict[str, dict[str, Any]]


class Progress(NamedTuple):
    """How far a run is: pairs done, pairs in all, and what is being done."""

    done: int
    total: int
    doing: str


class Ran(NamedTuple):
    """What a run found: for each pair of names the results of its probes, and the libraries that cannot be imported."""

    pairs: dict[tuple[str, str], Probed]
    broken: dict[str, str]


class Fate(NamedTuple):
    """What a process ended in: the probe, or the library that it loaded, and the outcome and reason."""

    probe: str
    library: str
    verdict: dict[str, Any]


def pairs_of(libraries: list[Library]) -> list[tuple[Library, Library]]:
    """Lists the pairs to try. Those of libraries that are loaded first come first."""
    numbered = list(enumerate(libraries))
    pairs = [
        (max(row, column), row, column)
        for row, producer in numbered
        for column, consumer in numbered
        if producer.make and (consumer.take or consumer.take_buffer)
    ]
    return [(libraries[row], libraries[column]) for _, row, column in sorted(pairs)]


def run(
    libraries: list[Library],
    *,
    seconds: float = 20.0,
    isolate: bool = False,
    tell: Callable[[Progress], None] = lambda progress: None,
) -> Ran:
    """Tries every pair. ``seconds`` bounds one probe; with ``isolate`` each pair has a process of its own."""
    pairs = pairs_of(libraries)
    ran = Ran({}, {})
    child: _Child | None = None
    try:
        for done, (producer, consumer) in enumerate(pairs):
            tell(Progress(done, len(pairs), f"{producer.name} → {consumer.name}"))
            if producer.name in ran.broken or consumer.name in ran.broken:
                continue
            if child is None or isolate or not child.lives():
                child = _fresh(child)

            def loading(name: str, done: int = done) -> None:
                tell(Progress(done, len(pairs), f"loading {name}"))

            child = _pair(child, producer.name, consumer.name, ran, seconds, loading)
        tell(Progress(len(pairs), len(pairs), "done"))
    finally:
        if child is not None:
            child.end()
    return ran


def _fresh(child: _Child | None) -> _Child:
    if child is not None:
        child.end()
    return _Child()


def _pair(
    child: _Child, producer: str, consumer: str, ran: Ran, seconds: float, loading: Callable[[str], None]
) -> _Child:
    """Runs the probes of a pair, in new processes behind those that end one; gives the process to go on with."""
    results = ran.pairs.setdefault((producer, consumer), {})
    waiting = probes.names()
    crashes = 0
    while waiting:
        fate = child.run(producer, consumer, waiting, results, ran.broken, seconds, loading)
        if fate is None:
            break
        child = _fresh(child)
        if fate.library:
            ran.broken[fate.library] = f"its import {fate.verdict['reason']}"
            break
        verdict = fate.verdict
        if crashes == 0 and verdict["outcome"] == "crashed":
            verdict = _alone(producer, consumer, fate.probe, verdict, seconds)
        results[fate.probe] = verdict
        waiting = waiting[waiting.index(fate.probe) + 1 :]
        crashes += 1
        if crashes == CRASHES:
            results.update(
                {probe: {"outcome": "none", "reason": "left out after crashes"} for probe in waiting}
            )
            break
    if producer in ran.broken or consumer in ran.broken:
        ran.pairs.pop((producer, consumer), None)
    return child


def _alone(
    producer: str, consumer: str, probe: str, verdict: dict[str, Any], seconds: float
) -> dict[str, Any]:
    """Tries a probe that crashed once more, in a process where nothing went before it."""
    child = _Child()
    results: Probed = {}
    try:
        again = child.run(producer, consumer, [probe], results, {}, seconds, lambda name: None)
    finally:
        child.end()
    if again is not None:
        return verdict if again.library else again.verdict
    return results.get(probe, verdict)


class _Child:
    """A process that runs probes."""

    def __init__(self) -> None:
        # A file, for a pipe that nobody reads fills up.
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115
        path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "dlferry._doctor.child"],
            env={**ENVIRONMENT, **os.environ, "PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            text=True,
            encoding="utf-8",
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def lives(self) -> bool:
        """Whether the process can be asked."""
        return self._process.poll() is None

    def end(self) -> None:
        """Ends the process, which has nothing to lose."""
        self._process.kill()
        self._process.wait()
        self._reader.join(1.0)
        # A process that it started may hold the pipe open, and closing it would wait for that one.
        stdout = None if self._reader.is_alive() else self._process.stdout
        for pipe in (self._process.stdin, stdout, self._complaints):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()

    def run(
        self,
        producer: str,
        consumer: str,
        wanted: list[str],
        results: Probed,
        broken: dict[str, str],
        seconds: float,
        loading: Callable[[str], None],
    ) -> Fate | None:
        """Runs probes and notes their results; None, or what the process ended in."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it has ended, as will be read
            self._process.stdin.write(json.dumps([producer, consumer, wanted]) + "\n")
            self._process.stdin.flush()
        importing = max(LEAST_IMPORT_SECONDS, IMPORT_FACTOR * seconds)
        probe, loads, limit = wanted[0], "", importing
        while True:
            answer = self._answer(limit)
            if answer is None:
                return Fate(probe, loads, self._fate(limit))
            if "imports" in answer:
                loads, limit = answer["imports"], importing
                loading(loads)
            elif "broken" in answer:
                broken[answer["broken"]] = answer["reason"]
            elif "begins" in answer:
                probe, loads, limit = answer["begins"], "", seconds
            elif "ends" in answer:
                results[answer["ends"]] = answer["result"]
            else:
                return None

    def _answer(self, limit: float) -> dict[str, Any] | None:
        """Reads what the process says next; None when it ends or takes too long."""
        try:
            line = self._lines.get(timeout=limit)
        except queue.Empty:
            return None
        if line is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(5.0)
            return None
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _fate(self, limit: float) -> dict[str, Any]:
        """Names the end of the process, or ends one that hangs."""
        if self.lives():
            self._process.kill()
            self._process.wait()
            return {"outcome": "timeout", "reason": f"took longer than {limit:g} s"}
        status = self._process.returncode
        said = self._last_words()
        return {"outcome": "crashed", "reason": name_of(status) + (f": {said}" if said else "")}

    def _last_words(self) -> str:
        """The last line that the process wrote to standard error, shortened."""
        self._complaints.seek(max(0, self._complaints.seek(0, os.SEEK_END) - 4096))
        lines = self._complaints.read().decode("utf-8", "replace").split("\n")
        return next((line.strip()[:200] for line in reversed(lines) if line.strip()), "")


def name_of(status: int) -> str:
    """Names how a process ended.

    >>> name_of(-11), name_of(3)
    ('ended by SIGSEGV', 'ended with exit status 3')
    """
    if status >= 0:
        return f"ended with exit status {status}"
    try:
        return f"ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"ended by signal {-status}"
