"""From what a library did with the twins to a sentence that says why, and what helps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .trials import (
    ALIGNMENT,
    AXES,
    COPY,
    DTYPE,
    HANDED_ON,
    HOLES,
    NEGATIVE,
    ORDER,
    PLACES,
    PLAIN,
    PRODUCER,
    READ_ONLY,
    REPEATED,
    Trial,
)

if TYPE_CHECKING:
    from .twins import Twin

PROPERTIES = (NEGATIVE, REPEATED, ORDER, HOLES, READ_ONLY, ALIGNMENT)
KINDS = {
    "refused": "no",
    "crashed": "no",
    "copied": "copy",
    "converted": "convert",
    "wrong": "wrong",
    "taken": "taken",
}
"""Outcomes that are of one kind, so that one has the cause of the other."""

VERBS = {
    "shared": "shares the memory",
    "copied": "copies",
    "converted": "converts",
    "refused": "refuses",
    "crashed": "crashes",
    "wrong": "makes something else of it",
    "taken": "takes it",
    "untried": "was not tried",
}


READ_ONLY_WORDS: dict[str | None, str] = {
    "kept": ", and keeps it read-only",
    "lost": ", but loses that it is read-only",
    "unknown": ", and cannot say that it is read-only",
}


@dataclass(frozen=True)
class Verdict:
    """What one library would do with the array, why, and what helps."""

    library: str
    version: str
    call: str
    outcome: str
    """``shared``, ``copied``, ``converted``, ``refused``, ``crashed``, ``wrong``, ``taken`` or ``untried``."""
    detail: str = ""
    """What the library itself says, or what became of the process."""
    causes: tuple[str, ...] = ()
    """The properties of the array that it minds, each found by a trial that differs in nothing else."""
    why: str = ""
    remedy: str = ""
    read_only: str | None = None
    """For read-only memory that is shared: ``kept``, ``lost`` (what it made can be written) or ``unknown``."""

    @property
    def name(self) -> str:
        """The library and its version."""
        return f"{self.library} {self.version}".strip()

    @property
    def says(self) -> str:
        """What it would do, in words."""
        return VERBS[self.outcome] + READ_ONLY_WORDS.get(self.read_only, "")

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        return {
            "library": self.library,
            "version": self.version,
            "call": self.call,
            "outcome": self.outcome,
            "detail": self.detail,
            "causes": list(self.causes),
            "why": self.why,
            "remedy": self.remedy,
            "read_only": self.read_only,
        }


def judge(trial: Trial, twin: Twin) -> Verdict:
    """The verdict on a trial of the array's twin."""
    whole = trial.whole
    outcome, detail = whole["outcome"], whole.get("detail", "")
    read_only = whole.get("read_only")
    causes: tuple[str, ...] = ()
    why = help_ = ""
    if outcome in KINDS:
        causes, why = _causes(trial, twin, outcome)
        help_ = remedy(trial, outcome)
    elif read_only == "lost":
        causes = (READ_ONLY,)
        why = "the memory is read-only, and what it makes of it can be written all the same"
        help_ = "x.copy(), or dlferry.asarray(x, copy=True), before anybody writes"
    return Verdict(trial.library, trial.version, trial.call, outcome, detail, causes, why, help_, read_only)


def _like(trial: Trial, name: str, outcome: str) -> bool:
    found = trial.results.get(name, {}).get("outcome")
    return KINDS.get(found or "", found) == KINDS.get(outcome, outcome)


DOES = {**VERBS, "taken": "takes", "wrong": "makes something else of", "crashed": "crashes with"}
"""What it does to an array that is named behind it."""


def _causes(trial: Trial, twin: Twin, outcome: str) -> tuple[tuple[str, ...], str]:
    does = DOES[outcome]
    if _like(trial, PLAIN, outcome):
        return _of_plain(trial, twin, outcome)
    found = tuple(name for name in PROPERTIES if _like(trial, name, outcome))
    if not found:
        return (
            (),
            f"it {does} no array that has one property of this one alone, but this one, which has several",
        )
    return found, "; ".join(_phrase(name, trial, twin) for name in found)


def _of_plain(trial: Trial, twin: Twin, outcome: str) -> tuple[tuple[str, ...], str]:
    """Why a twin without anything special fares no better."""
    does = DOES[outcome]
    if f"not {DTYPE}" in trial.results and not _like(trial, f"not {DTYPE}", outcome):
        why = f"it {does} what has elements of {twin.dtype}, and not the same with elements of float32"
        return (DTYPE,), why
    if f"not {AXES}" in trial.results and not _like(trial, f"not {AXES}", outcome):
        return (AXES,), f"it {does} what has {len(twin.shape)} axes, and not the same with one axis"
    if not _like(trial, COPY, outcome):
        gives = (
            f"what this producer gives{_asked(trial)}" if twin.dlpack else "what has a buffer and no DLPack"
        )
        return (PRODUCER,), f"it {does} {gives}, and not the same given by another"
    return (), f"it {does} every array, also a plain one of float32"


def _phrase(name: str, trial: Trial, twin: Twin) -> str:
    if name == NEGATIVE:
        backwards = [axis for axis, step in enumerate(twin.strides) if step < 0]
        which = (
            f"axis {backwards[0]} runs"
            if len(backwards) == 1
            else f"axes {', '.join(map(str, backwards))} run"
        )
        return f"{which} backwards, which is a negative stride"
    if name == REPEATED:
        return "elements are repeated, which is a stride of 0"
    if name == ORDER:
        return "its axes do not lie in row-major order"
    if name == HOLES:
        return "there are holes between its elements"
    if name == READ_ONLY:
        return f"the memory is read-only{_asked(trial)}"
    place = twin.misplaced & -twin.misplaced
    return f"the first element is aligned to {place} {'byte' if place == 1 else 'bytes'} only{_enough(trial)}"


def _enough(trial: Trial) -> str:
    good = {place: _fine(trial, f"aligned to {place}") for place in PLACES}
    enough = next((place for place in PLACES if all(good[more] for more in PLACES if more >= place)), 64)
    return f", and it shares from an alignment of {enough} bytes on"


def _asked(trial: Trial) -> str:
    """How the library asks, where that explains what it gets."""
    if not trial.asks or any("max_version" in call for call in trial.asks):
        return ""
    return ", and it asks without max_version: for an unversioned capsule, which cannot say that memory is read-only"


def _fine(trial: Trial, name: str) -> bool:
    return trial.results.get(name, {}).get("outcome") == "shared"


def remedy(trial: Trial, outcome: str) -> str:
    """What helps, as far as it was tried."""
    handed, copy = trial.results.get(HANDED_ON, {}), trial.results.get(COPY, {})
    if handed.get("outcome") == "shared" and handed.get("read_only") != "lost":
        return "hand on dlferry.asarray(x) in its place: tried, and the memory is shared"
    if KINDS[outcome] in ("copy", "convert"):
        if copy.get("outcome") != "shared":
            return "none: it has memory of its own, always"
        return (
            "none is needed, unless the memory must be shared: then hand on dlferry.asarray(x, copy=True), which is "
            "aligned to 64 bytes, in row-major order, and was shared when it was tried"
        )
    if copy.get("outcome") == "shared":
        return "hand on dlferry.asarray(x).copy(), which is in row-major order and writable: tried, and taken"
    if copy.get("outcome") in ("copied", "converted"):
        return "hand on dlferry.asarray(x).copy(): tried, and taken with one more copy"
    return ""
