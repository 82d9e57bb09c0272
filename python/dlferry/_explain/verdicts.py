"""What each library would do with the subject: by its twin, or by itself where it has none."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .._native import Tensor
from .judge import Verdict, judge, remedy
from .libraries import library_of, takes
from .protocols import SMALL, attempt, is_a
from .subject import ask_as, nbytes_of, reason
from .trials import DTYPE, PLAIN, PRODUCER, Trial, pickled, run, twins_of
from .twins import ALIGNED, Twin, cut

if TYPE_CHECKING:
    from collections.abc import Callable

    from .subject import Subject


def twin_of(subject: Subject) -> tuple[Twin | None, bool]:
    """The twin of a subject, and whether it is smaller."""
    tensor, layout = subject.tensor, subject.layout
    if tensor is None or layout is None or subject.is_capsule:
        return None, False
    shape, strides, smaller = cut(layout)
    newest = subject.answer("__dlpack__(max_version")
    exchange = subject.answer("C exchange API")
    has_table = exchange is not None and exchange.offered
    dlpack = has_table or (newest is not None and newest.offered)
    versioned = (
        newest is None or not newest.offered or "version" not in newest.facts or bool(newest.facts["version"])
    )
    misplaced = (layout.address or 0) % ALIGNED
    kind = library_of(subject.x) if dlpack else None
    # As it says itself: of an unversioned capsule dlferry thinks so, and the capsule does not.
    said = newest.facts if newest is not None and "version" in newest.facts else {"readonly": layout.readonly}
    readonly = bool(said["readonly"]) and versioned
    return Twin(
        shape, strides, layout.dtype, misplaced, readonly, versioned, has_table, dlpack, kind
    ), smaller


def verdicts(
    subject: Subject, libraries: list[str], progress: Callable[[str], None] | None = None
) -> tuple[list[Verdict], str]:
    """A verdict for each library, and what was tried, in words."""
    why = _not_tried(subject)
    if why:
        return [Verdict(name, "", ".".join(takes(name)), "untried", why=why) for name in libraries], ""
    if not libraries:
        return [], ""
    twin, smaller = twin_of(subject)
    if twin is not None and subject.hidden is None:
        trials = run(libraries, twins_of(twin), None, progress)
        tried = f"tried on an array of shape {twin.shape} that is laid out alike" if smaller else ""
        return [judged(subject, trial, twin) for trial in trials.values()], tried
    layout = subject.layout
    nbytes = layout.nbytes if layout is not None else nbytes_of(subject.x)
    small = nbytes is not None and nbytes <= SMALL
    plain = Twin((4,), (1,), "float32", 0, False, True, False, kind=library_of(subject.x))
    trials = run(libraries, {PLAIN: plain}, pickled(subject.x) if small else None, progress)
    return [of_hidden(subject, trial) for trial in trials.values()], ""


def judged(subject: Subject, trial: Trial, twin: Twin) -> Verdict:
    """The verdict by the twin, which a producer that refuses the library's way of asking overrides."""
    verdict = judge(trial, twin)
    if DTYPE in verdict.causes:
        return replace(verdict, remedy=of_dtype(subject, verdict))
    if verdict.outcome in ("refused", "crashed", "untried") or not trial.asks or twin.exchange:
        return verdict
    refusals = [answer for answer in (ask_as(subject.x, call) for call in trial.asks) if answer.refused]
    if len(refusals) < len(trial.asks):
        return verdict
    why = f"the array itself refuses to be asked by {refusals[0].protocol}"
    said = refusals[0].refused or ""
    help_ = remedy(trial, "refused")
    return Verdict(trial.library, trial.version, trial.call, "refused", said, (PRODUCER,), why, help_)


def of_dtype(subject: Subject, verdict: Verdict) -> str:
    """What helps where a library lacks a dtype."""
    tensor, refused = subject.tensor, verdict.outcome in ("refused", "crashed")
    ways = []
    if tensor is not None and refused and verdict.library == "numpy" and tensor.dtype.lanes == 1:
        ways.append(f"dlferry.numpy.from_dlpack(x) makes an array of {tensor.dtype}, with ml_dtypes")
    if is_a(subject.x, Tensor):
        ways.append("convert the elements first, as x.numpy().astype(...) does")
    else:
        ways.append("convert the elements with the array's own library first")
    if tensor is not None and refused and attempt(lambda: tensor.view("uint8"))[1] is None:
        ways.append('hand on the bytes, dlferry.asarray(x).view("uint8")')
    return "; or ".join(ways)


def of_hidden(subject: Subject, trial: Trial) -> Verdict:
    """The verdict on what dlferry refuses, and so has no twin: its memory does not mean what it says."""
    if trial.failed:
        return judge(trial, Twin((4,), (1,), "float32", 0, False, True, False))
    outcome, detail = "untried", ""
    itself = trial.results.get("itself")
    if itself is not None and itself["outcome"] != "untried":
        outcome, detail = itself["outcome"], itself.get("detail", "")
    else:
        for call in trial.asks:
            answer = ask_as(subject.x, call)
            if answer.refused:
                outcome, detail = "refused", answer.refused
                break
    if outcome == "taken":
        return Verdict(trial.library, trial.version, trial.call, outcome, detail)
    said = subject.hidden or ""
    why, help_ = ("", "") if subject.says_itself(said) else reason(said)
    if not subject.hidden and outcome == "refused":
        why = "it has no DLPack"
    done = next((done for call, done, _ in subject.calls if call == "asarray(x)"), "")
    if (done == "copied" or (done in ("shared", "taken") and not help_)) and trial.results.get(PLAIN, {}).get(
        "outcome"
    ) in ("shared", "copied"):
        help_ = f"hand on dlferry.asarray(x){', a copy' if done == 'copied' else ''} in its place"
    if why and why in detail:
        why = ""
    if outcome == "untried" and not detail and not why:
        why = "it cannot be tried in another process"
    return Verdict(trial.library, trial.version, trial.call, outcome, detail, (), why, help_)


def _not_tried(subject: Subject) -> str:
    """Why no library is given the subject, or anything like it; nothing where they are."""
    if subject.is_capsule:
        return "a capsule can be taken once, so it was only looked at; explain the array that it is of"
    if not subject.offers:
        return "it is no array"
    if subject.device is not None and subject.device[0] != 1:
        return "only arrays in host memory are tried"
    return ""
