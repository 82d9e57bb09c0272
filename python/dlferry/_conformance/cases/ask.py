"""Consumers: how a producer is asked, and what becomes of its errors."""

from __future__ import annotations

from typing import Any

from ..case import DeviatesError, NotApplicableError, consumer
from ..look import Result, brief, refused
from ..subject import Subject, source


def _calls(subject: Subject) -> list[dict[str, Any]]:
    """The keywords with which a new producer was called."""
    maker = source()
    error = refused(lambda: subject.take(maker))
    if error is not None and not maker.calls:
        raise NotApplicableError(f"refused: {brief(error)}")
    if not maker.calls:
        raise DeviatesError("does not call __dlpack__")
    return list(maker.calls)


def _pair_or_none(value: Any) -> bool:
    return value is None or (
        isinstance(value, tuple) and len(value) == 2 and all(isinstance(number, int) for number in value)
    )


@consumer("R5.1", "array API", "must")
def keywords_are_those_of_the_standard(subject: Subject) -> None:
    """__dlpack__ is called with keywords of the standard only, once."""
    calls = _calls(subject)
    unknown = {name for call in calls for name in call} - {"stream", "max_version", "dl_device", "copy"}
    if unknown:
        raise DeviatesError(f"passes {', '.join(sorted(unknown))}")
    if len(calls) != 1:
        raise DeviatesError(f"calls a producer that takes all keywords {len(calls)} times")


@consumer("R4.1", "array API", "must")
def max_version_is_a_pair(subject: Subject) -> None:
    """max_version is None or a tuple of two ints."""
    for call in _calls(subject):
        if not _pair_or_none(call.get("max_version")):
            raise DeviatesError(f"passes max_version={call['max_version']!r}")


@consumer("R4.1", "array API", "should")
def versioned_is_asked_for(subject: Subject) -> None:
    """The versioned struct is asked for: without it nothing can be read-only."""
    asked = _calls(subject)[-1].get("max_version")
    if not _pair_or_none(asked) or not asked or asked[0] < 1:
        raise DeviatesError("asks for the unversioned struct")


@consumer("R5.11", "array API", "must")
def dl_device_is_a_pair(subject: Subject) -> None:
    """dl_device is None or a tuple of two ints."""
    for call in _calls(subject):
        if not _pair_or_none(call.get("dl_device")):
            raise DeviatesError(f"passes dl_device={call['dl_device']!r}")


@consumer("R5.14", "array API", "must")
def copy_is_a_bool(subject: Subject) -> None:
    """Copy is None or a bool, and not True where nobody asked for a copy."""
    for call in _calls(subject):
        if not isinstance(call.get("copy"), (bool, type(None))):
            raise DeviatesError(f"passes copy={call['copy']!r}")


@consumer("R5.4", "array API", "must")
def stream_of_the_host_is_none(subject: Subject) -> None:
    """For host memory the stream is None or left out."""
    for call in _calls(subject):
        if call.get("stream") is not None:
            raise DeviatesError(f"passes stream={call['stream']!r}")


@consumer("R5.17", "array API", "must", {"BufferError": BufferError, "ValueError": ValueError})
def error_of_the_producer_passes(subject: Subject, kind: type[Exception]) -> None:
    """A {} that the producer raises passes unchanged."""
    maker = source(style="raises", error=kind("the producer's own"))
    error = refused(lambda: subject.take(maker))
    if error is None:
        raise DeviatesError("goes on as if there were none")
    if type(error) is not kind:
        raise DeviatesError(f"raises {brief(error)} instead")


@consumer("R4.12", "array API", "should")
def other_error_is_no_reason_to_ask_again(subject: Subject) -> None:
    """A producer that raised a BufferError is not asked again."""
    maker = source(style="raises", error=BufferError("the producer's own"))
    if refused(lambda: subject.take(maker)) is None:
        raise DeviatesError("goes on as if there were no error")
    if len(maker.calls) > 1:
        raise DeviatesError(f"calls it {len(maker.calls)} times")


@consumer("R4.12", "here", "usual")
def type_error_from_inside_passes(subject: Subject) -> None:
    """A TypeError that the producer raises itself passes unchanged, too."""
    maker = source(style="type_error_inside")
    error = refused(lambda: subject.take(maker))
    if not isinstance(error, TypeError):
        raise DeviatesError(
            "goes on as if there were none" if error is None else f"raises {brief(error)} instead"
        )


@consumer("R5.17", "array API", "must", {"device": {"device": None}, "copy": {"copy": None}})
def keyword_may_be_none(subject: Subject, keywords: dict[str, None]) -> None:
    """from_dlpack takes the keyword that the standard has: {}."""
    if not subject.named:
        raise NotApplicableError("it is no from_dlpack")
    error = refused(lambda: subject.take(source(), **keywords))
    if error is not None:
        raise DeviatesError(f"raises {brief(error)}")


def _ours(**fields: Any) -> tuple[Any, Any]:
    """An array that does what its ``copy`` says, and its memory."""
    from ... import from_dlpack

    maker = source(**fields)
    return from_dlpack(maker), maker.crafted


def _with_copy(subject: Subject, copy: bool) -> tuple[Result | None, Exception | None, Any]:
    if not subject.named:
        raise NotApplicableError("it is no from_dlpack")
    array, memory = _ours()
    error = refused(lambda: subject.take(array, copy=copy))
    if isinstance(error, TypeError):
        raise NotApplicableError(f"it has no copy: {brief(error)}")
    return (Result(subject.take(array, copy=copy)) if error is None else None), error, memory


@consumer("R5.17", "array API", "must")
def copy_is_other_memory(subject: Subject) -> None:
    """from_dlpack(x, copy=True) gives memory of its own."""
    result, error, memory = _with_copy(subject, True)
    if result is None:
        raise DeviatesError(f"raises {brief(error)}" if error else "gives nothing")
    if result.address is None:
        raise NotApplicableError("the result does not tell its address")
    if result.address == memory.address:
        raise DeviatesError("the memory is the producer's")


@consumer("R5.17", "array API", "must")
def no_copy_is_the_same_memory(subject: Subject) -> None:
    """from_dlpack(x, copy=False) gives the producer's memory, or an error."""
    result, error, memory = _with_copy(subject, False)
    if result is None:
        if isinstance(error, (BufferError, ValueError)):
            return
        raise DeviatesError(f"raises {brief(error)}" if error else "gives nothing")
    if result.address is None:
        raise NotApplicableError("the result does not tell its address")
    if result.address != memory.address:
        raise DeviatesError("the memory is not the producer's")
