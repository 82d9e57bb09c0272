"""Consumers: what no consumer may take."""

from __future__ import annotations

from typing import Any

from ..case import DeviatesError, NotApplicableError, consumer
from ..look import Result, brief, refused
from ..subject import Subject, asks_for_versions, source

HUGE = 1 << 62


def _is_refused(subject: Subject, what: str, **fields: Any) -> Exception:
    """Demands a refusal, and that the tensor is given back once."""
    maker = source(**fields)
    error = refused(lambda: subject.take(maker))
    if error is None:
        raise DeviatesError(f"accepts {what}")
    return error


@consumer("R4.5", "header", "must", {"2.0": (2, 0), "9.1": (9, 1)})
def newer_major_is_refused(subject: Subject, version: tuple[int, int]) -> None:
    """A struct of version {} is refused: behind its head everything may be elsewhere."""
    _is_refused(subject, f"version {version[0]}.{version[1]}", version=version, style="always_versioned")


@consumer("R4.6", "header", "must")
def major_zero_is_refused(subject: Subject) -> None:
    """A versioned struct of major 0 is refused, as any major that is not 1."""
    _is_refused(subject, "version 0.9 in a versioned struct", version=(0, 9), style="always_versioned")


@consumer("R9.28", "array API", "should")
def refusal_of_a_major_is_a_buffer_error(subject: Subject) -> None:
    """A struct of another major is refused with a BufferError."""
    maker = source()
    if refused(lambda: subject.take(maker)) is None and not asks_for_versions(maker):
        raise NotApplicableError("it asks for the unversioned struct")
    error = _is_refused(subject, "version 2.0", version=(2, 0), style="always_versioned")
    if not isinstance(error, BufferError):
        raise DeviatesError(f"raises {brief(error)}")


@consumer(
    "R3.20",
    "observed",
    "usual",
    {
        "a negative extent": {"shape": [-2, 3]},
        "two negative extents": {"shape": [-2, -3]},
        "a rank of -1": {"ndim": -1},
    },
    hostile=True,
)
def negative_is_refused(subject: Subject, fields: dict[str, Any]) -> None:
    """A struct with {} is refused."""
    _is_refused(subject, f"a struct with {fields}", **fields)


@consumer(
    "R3.21",
    "here",
    "usual",
    {
        "elements": {"shape": [HUGE, 4], "strides": [4, 1]},
        "bytes": {"shape": [HUGE], "strides": [1]},
        "strides": {"shape": [2, 3], "strides": [HUGE, 1]},
    },
    hostile=True,
)
def overflow_is_refused(subject: Subject, fields: dict[str, Any]) -> None:
    """A struct whose {} are more than can be counted is refused."""
    _is_refused(subject, f"a struct with {fields}", **fields)


@consumer("R3.20", "observed", "usual", hostile=True)
def null_shape_is_refused(subject: Subject) -> None:
    """A NULL shape is refused where there are axes."""
    _is_refused(subject, "a NULL shape with two axes", shape=None, strides=None, ndim=2)


@consumer("R3.15", "here", "usual", hostile=True)
def null_data_is_refused(subject: Subject) -> None:
    """NULL data is refused where there are elements."""
    _is_refused(subject, "NULL data with six elements", null_data=True)


@consumer("R9.15", "header", "must", {"99": (99, 0), "CUDA": (2, 0), "Metal": (8, 0)}, hostile=True)
def other_device_is_not_read(subject: Subject, device: tuple[int, int]) -> None:
    """Memory of another device ({}) is refused, or kept as that; it is not read as host memory."""
    maker = source(device=device, announced=(1, 0))
    if refused(lambda: subject.take(maker)) is not None:
        return
    result = Result(subject.take(maker))
    if result.fields is not None and tuple(result.fields["device"]) == device:
        return
    raise DeviatesError(f"takes memory of device {device} for memory of the host")


@consumer("R9.28", "array API", "should")
def unknown_device_is_a_buffer_error(subject: Subject) -> None:
    """Memory of an unknown device is refused with a BufferError."""
    maker = source(device=(99, 0))
    error = refused(lambda: subject.take(maker))
    if error is None:
        raise NotApplicableError("it takes such memory")
    if not isinstance(error, BufferError):
        raise DeviatesError(f"raises {brief(error)}")


@consumer("R5.3", "array API", "should")
def object_without_the_protocol_is_refused(subject: Subject) -> None:
    """An object without __dlpack__ is an AttributeError, or a TypeError that says what to do instead."""
    if not subject.named:
        raise NotApplicableError("it is no from_dlpack")
    error = refused(lambda: subject.take(object()))
    if not isinstance(error, (AttributeError, TypeError)):
        raise DeviatesError("accepts it" if error is None else f"raises {brief(error)}")
