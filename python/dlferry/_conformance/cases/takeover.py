"""Consumers: who calls the deleter, when, and how often."""

from __future__ import annotations

import gc
from typing import Any

from ..case import DeviatesError, NotApplicableError, consumer
from ..look import Result, brief, native, refused, same, settle
from ..subject import NUMBERS, Subject, source

STRUCTS = {"unversioned": "always_unversioned", "versioned": "new"}

#: What a consumer may refuse, so that it can be seen what becomes of the tensor.
REFUSABLE: dict[str, dict[str, Any]] = {
    "version 2.0": {"version": (2, 0), "style": "always_versioned"},
    "an unknown dtype": {"code": 200},
    "an unknown device": {"device": (99, 0)},
    "no lanes": {"lanes": 0},
}


def _taken(subject: Subject, **fields: Any) -> tuple[Any, Any]:
    """A result, and its producer; the deleter only counts, so that a second call is seen and harms nobody."""
    maker = source(leak=True, **fields)
    error = refused(lambda: subject.take(maker))
    if error is not None:
        raise NotApplicableError(f"refused: {brief(error)}")
    maker = source(leak=True, **fields)
    return subject.take(maker), maker


def _calls(maker: Any) -> list[dict[str, Any]]:
    return list(maker.crafted.deleter_calls)


def _ran_once(maker: Any, made: int = 1) -> None:
    settle(lambda: len(_calls(maker)) >= made)
    gc.collect()
    count = len(_calls(maker))
    if count != made:
        raise DeviatesError(f"the deleter of {made} tensor{'s' * (made > 1)} runs {count} times")


@consumer("R2.3", "header", "must", STRUCTS)
def deleter_runs_once(subject: Subject, style: str) -> None:
    """The deleter runs once, when the result is gone ({} struct)."""
    result, maker = _taken(subject, style=style)
    del result
    _ran_once(maker, _made(maker))


def _made(maker: Any) -> int:
    """How many capsules a maker gave away: one for each call that it did not refuse."""
    return len(maker.calls)


@consumer("R2.3", "header", "must")
def deleter_waits_for_the_result(subject: Subject) -> None:
    """The deleter does not run as long as the result uses the memory."""
    maker = source(poison=True)
    error = refused(lambda: subject.take(maker))
    if error is not None:
        raise NotApplicableError(f"refused: {brief(error)}")
    maker = source(poison=True)
    result = subject.take(maker)
    gc.collect()
    seen = Result(result)
    if seen.values is not None and not same(seen.values, NUMBERS):
        raise DeviatesError(f"the memory was given back, and the elements are {seen.values[:2]} and so on")
    if seen.address == maker.crafted.address and _calls(maker):
        raise DeviatesError("the deleter has run, and the result still has the memory")


@consumer("R2.3", "header", "must")
def deleter_waits_for_a_part(subject: Subject) -> None:
    """The deleter does not run as long as a part of the result uses the memory."""
    maker = source(poison=True)
    if refused(lambda: subject.take(maker)) is not None:
        raise NotApplicableError("refused")
    maker = source(poison=True)
    result = subject.take(maker)
    try:
        part = result[1:]
    except Exception:
        raise NotApplicableError("the result has no parts") from None
    if part is result or not hasattr(part, "__dlpack__"):
        raise NotApplicableError("the result has no parts")
    del result
    gc.collect()
    seen = Result(part)
    if seen.values is not None and not same(seen.values, NUMBERS[3:]):
        raise DeviatesError(f"the memory was given back, and the elements are {seen.values}")


@consumer("R2.20", "header", "must")
def deleter_gets_the_struct(subject: Subject) -> None:
    """The deleter gets the address of the producer's own struct, not of a copy."""
    result, maker = _taken(subject)
    del result
    settle(lambda: bool(_calls(maker)))
    for call in _calls(maker):
        if not call["original"]:
            raise DeviatesError("it gets another address")


@consumer("R2.6", "spec", "must", {name: name for name in REFUSABLE})
def refused_tensor_is_given_back(subject: Subject, name: str) -> None:
    """After a refusal, here of {}, the deleter has run once."""
    maker = source(leak=True, **REFUSABLE[name])
    error = refused(lambda: subject.take(maker))
    if error is None:
        raise NotApplicableError("it is accepted")
    del error
    _ran_once(maker, _made(maker))


@consumer("R2.10", "header", "must", STRUCTS, hostile=True)
def null_deleter_is_not_called(subject: Subject, style: str) -> None:
    """A NULL deleter is not called ({} struct)."""
    maker = source(style=style, null_deleter=True)
    error = refused(lambda: subject.take(maker))
    if error is not None:
        raise DeviatesError(f"raises {brief(error)}")
    result = subject.take(maker)
    del result
    settle(lambda: False, 0.2)


@consumer("R2.5", "spec", "must", STRUCTS)
def capsule_is_renamed(subject: Subject, style: str) -> None:
    """A consumed capsule has the used name ({} struct)."""
    maker = source(style=style, keep=True, leak=True)
    error = refused(lambda: subject.take(maker))
    if error is not None:
        raise NotApplicableError(f"refused: {brief(error)}")
    name = native.capsule_name(maker.__dlpack__(max_version=(1, 3)))
    wanted = ("used_dltensor_versioned", "used_dltensor")
    if name not in wanted:
        raise DeviatesError(f"the capsule is named {name!r} after it was consumed")
    if style == "always_unversioned" and name != "used_dltensor":
        raise DeviatesError(f"the capsule of an unversioned struct is named {name!r} after it was consumed")


@consumer("R2.9", "spec", "must", hostile=True)
def capsule_is_consumed_once(subject: Subject) -> None:
    """A capsule that was consumed is refused."""
    maker = source(keep=True, leak=True)
    error = refused(lambda: subject.take(maker))
    if error is not None:
        raise NotApplicableError(f"refused: {brief(error)}")
    if refused(lambda: subject.take(maker)) is None:
        raise DeviatesError("accepts it again")
    _ran_once(maker)


@consumer("R2.6", "spec", "must")
def refused_capsule_stays_unused(subject: Subject) -> None:
    """A capsule that was refused keeps its name, or was taken over and deleted."""
    maker = source(keep=True, leak=True, code=200)
    error = refused(lambda: subject.take(maker))
    if error is None:
        raise NotApplicableError("it is accepted")
    name = native.capsule_name(maker.__dlpack__())
    calls = len(_calls(maker))
    if name in STRUCTS_NAMES and calls:
        raise DeviatesError("the deleter was called, and the capsule still has the unused name")
    if name not in STRUCTS_NAMES and calls != 1:
        raise DeviatesError(f"the capsule is named {name!r}, and the deleter was called {calls} times")


STRUCTS_NAMES = ("dltensor", "dltensor_versioned")
