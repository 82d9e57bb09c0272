"""What libraries do with an array.

Each is given a twin of it, in a process of its own, and others that differ from a plain array in one thing, until it is
clear which it minds.
"""

from __future__ import annotations

import base64
import json
import os
import pickle
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from .protocols import attempt, signature
from .twins import Twin, dense

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

SECONDS = 300.0
"""A library that takes longer is given up on; the first import of some takes half a minute."""


MODEST = {
    "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
    "TF_FORCE_GPU_ALLOW_GROWTH": "true",
    "TF_CPP_MIN_LOG_LEVEL": "3",
}
"""What keeps libraries from taking all memory of an accelerator for a trial on the host."""

STARTS = 4
"""So many processes are started for a library that crashes."""

LARGEST = 1 << 20
"""Bytes up to which an array is pickled."""


@dataclass
class Trial:
    """What one library did."""

    library: str
    version: str = ""
    call: str = ""
    failed: str | None = None
    """Why the library could not be tried."""
    asks: list[dict[str, str]] = field(default_factory=list)
    """The keywords, and their values as text, with which it asked a producer that offers ``__dlpack__`` alone."""
    asked: bool = False
    """Whether it came so far that it was given such a producer, which is the last."""
    results: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By the name of a twin: ``outcome`` (shared, copied, refused, wrong, taken, crashed), ``detail``, and more."""

    @property
    def whole(self) -> dict[str, Any]:
        """What became of the twin that has all properties."""
        return self.results.get(WHOLE, {"outcome": "untried", "detail": self.failed or "it was not tried"})


WHOLE, PLAIN, HANDED_ON, COPY = "whole", "plain", "through dlferry", "a copy by dlferry"
ALIGNMENT, READ_ONLY, NEGATIVE = "alignment", "read-only memory", "negative strides"
REPEATED, ORDER, HOLES = "repeated elements", "the order of the axes", "holes between the elements"
DTYPE, AXES, PRODUCER = "the dtype", "the number of axes", "the producer"


def twins_of(twin: Twin) -> dict[str, Twin]:
    """The twin, a plain one, one for each property in which they differ and that has this alone, and what may help."""
    plain = twin.plain()
    twins = {WHOLE: twin, PLAIN: plain, HANDED_ON: twin.handed_on(), COPY: plain.handed_on()}
    twins.update(_properties(twin, plain))
    # A plain one may be too much, too: these differ from it in one thing each.
    if twin.dtype != "float32":
        twins[f"not {DTYPE}"] = replace(plain, dtype="float32")
    if len(twin.shape) != 1:
        twins[f"not {AXES}"] = replace(plain, shape=(4,), strides=(1,))
    return twins


def _properties(twin: Twin, plain: Twin) -> Iterable[tuple[str, Twin]]:
    magnitudes = tuple(abs(step) for step in twin.strides)
    if any(step < 0 for step in twin.strides):
        yield NEGATIVE, replace(plain, strides=_backwards(twin))
    if any(step == 0 and extent > 1 for step, extent in zip(twin.strides, twin.shape, strict=True)):
        yield REPEATED, replace(plain, strides=_repeated(twin), readonly=twin.readonly)
    elif _moving(twin.shape, magnitudes) != _moving(twin.shape, plain.strides):
        dense_ = _dense_in_order(twin)
        if _moving(twin.shape, dense_) != _moving(twin.shape, plain.strides):
            yield ORDER, replace(plain, strides=dense_)
        if _moving(twin.shape, dense_) != _moving(twin.shape, magnitudes):
            yield HOLES, replace(plain, strides=tuple(step * 2 for step in plain.strides))
    if twin.readonly:
        yield READ_ONLY, replace(plain, readonly=True)
    if twin.misplaced:
        yield ALIGNMENT, replace(plain, misplaced=twin.misplaced)
        for place in PLACES:
            yield f"aligned to {place}", replace(plain, misplaced=place)


PLACES = (1, 2, 4, 8, 16, 32)
"""Alignments that are tried to find out which is enough."""


def _moving(shape: tuple[int, ...], strides: tuple[int, ...]) -> list[int]:
    return [step for extent, step in zip(shape, strides, strict=True) if extent > 1]


def _backwards(twin: Twin) -> tuple[int, ...]:
    return tuple(
        -step if own < 0 else step for step, own in zip(dense(twin.shape), twin.strides, strict=True)
    )


def _repeated(twin: Twin) -> tuple[int, ...]:
    return tuple(0 if own == 0 else step for step, own in zip(dense(twin.shape), twin.strides, strict=True))


def _dense_in_order(twin: Twin) -> tuple[int, ...]:
    """Strides without holes for the axes in the order in which they lie."""
    strides, reach = [0] * len(twin.shape), 1
    for axis in sorted(range(len(twin.shape)), key=lambda axis: (abs(twin.strides[axis]), -axis)):
        strides[axis] = reach
        reach *= max(twin.shape[axis], 1)
    return tuple(strides)


def run(
    libraries: list[str],
    twins: dict[str, Twin],
    itself: dict[str, str] | None = None,
    progress: Callable[[str], None] | None = None,
) -> dict[str, Trial]:
    """Tries the libraries, a few at once. ``itself``: the array as :func:`pickled` gives it."""
    trials: dict[str, Trial] = {}
    waiting = list(libraries)
    running = Running()
    lock = threading.Lock()

    def work() -> None:
        while True:
            with lock:
                if not waiting:
                    return
                library = waiting.pop(0)
            found = _one(library, twins, itself or {}, running)
            with lock:
                trials[library] = found
            if progress is not None:
                progress(library)

    threads = [
        threading.Thread(target=work, daemon=True) for _ in range(min(len(libraries), os.cpu_count() or 1))
    ]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    finally:
        running.end()  # as when somebody does not want to wait any longer
    return {library: trials[library] for library in libraries}


def pickled(x: object) -> dict[str, str] | None:
    """An array for a process of its own to be tried itself; None for one that cannot be pickled."""
    data, refused = attempt(lambda: pickle.dumps(x))
    if refused or not isinstance(data, bytes) or len(data) > LARGEST:
        return None
    return {"itself": base64.b64encode(data).decode(), "signature": signature(x)}


def _one(library: str, twins: dict[str, Twin], itself: dict[str, str], running: Running) -> Trial:
    trial = Trial(library)
    if not sys.executable:
        trial.failed = "there is no Python to start another of"
        return trial
    left = {name: twin.to_dict() for name, twin in twins.items()}
    task = {**itself, "library": library, "asked": left[PLAIN]}
    for _ in range(STARTS):
        ending = _start(trial, {**task, "twins": left}, running)
        if trial.failed or (ending is None and trial.asked):
            break
        # It crashed: the others are tried without what did it.
        left = {name: fields for name, fields in left.items() if name not in trial.results}
        task = {name: value for name, value in task.items() if name != "itself"}
    return trial


def _start(trial: Trial, task: dict[str, Any], running: Running) -> str | None:
    """Starts a process for a task and reads what it found; how it ended, if not well."""
    environment = {
        **MODEST,
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path),
    }
    environment.pop("DLFERRY_TRACE_EXPORTS", None)
    # A file for what it finds: a pipe would be read to its end, which a process that the library starts may keep open.
    with tempfile.TemporaryFile() as found:
        try:
            child = subprocess.Popen(
                [sys.executable, "-m", "dlferry._explain.child"],
                stdin=subprocess.PIPE,
                stdout=found,
                stderr=subprocess.DEVNULL,
                env=environment,
            )
        except OSError as error:
            trial.failed = f"no process could be started: {error}"
            return None
        with running.of(child):
            ending = _ended(child, json.dumps({**task, "seconds": SECONDS}).encode())
        found.seek(0)
        _read(trial, found.read(), ending)
    return ending


def _ended(child: subprocess.Popen[bytes], task: bytes) -> str | None:
    """Gives a process its task and waits for its end; how it ended, if not well."""
    assert child.stdin is not None
    with suppress(OSError), child.stdin:  # it may have ended already
        child.stdin.write(task)
    try:
        return _ending(child.wait(SECONDS))
    except subprocess.TimeoutExpired:
        return f"it took more than {SECONDS:.0f} s"


class Running:
    """The processes that run, so that none is left behind."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._children: set[subprocess.Popen[bytes]] = set()
        self._ended = False

    @contextmanager
    def of(self, child: subprocess.Popen[bytes]) -> Iterator[None]:
        """Keeps a process until its end, which this brings about where it has not come."""
        with self._lock:
            self._children.add(child)
            if self._ended:
                child.kill()
        try:
            yield
        finally:
            child.kill()
            child.wait()
            with self._lock:
                self._children.discard(child)

    def end(self) -> None:
        """Ends all, and those that are still started."""
        with self._lock:
            self._ended = True
            left = tuple(self._children)
        for child in left:
            child.kill()
            child.wait()


def _ending(code: int) -> str | None:
    if code >= 0:
        return f"the process ended with status {code}" if code else None
    import signal

    try:
        return f"the process was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"the process was ended by signal {-code}"


def _read(trial: Trial, output: bytes, ending: str | None) -> None:
    trying = None
    for line in output.decode("utf-8", "replace").splitlines():
        try:
            found = json.loads(line)
        except ValueError:  # cut off by the end of the process
            continue
        if "failed" in found:
            trial.failed = found["failed"]
        elif "version" in found:
            trial.version, trial.call = found["version"], found["call"]
        elif "asks" in found:
            trial.asks, trial.asked = found["asks"], True
        elif "trying" in found:
            trying = found["trying"]
        else:
            trial.results[found.pop("name")] = found
            trying = None
    if trying is not None:
        trial.results[trying] = {"outcome": "crashed", "detail": ending or "the process ended with status 0"}
    elif not trial.call:
        trial.failed = trial.failed or f"its import ended the process: {ending or 'with status 0'}"
    elif not trial.results:
        trial.failed = "the process ended with status 0 before anything was found"
