"""Producers: the keywords of ``__dlpack__`` but ``max_version`` and ``copy``, and ``__dlpack_device__``."""

from __future__ import annotations

import operator
from typing import Any

from ..case import DeviatesError, NotApplicableError, producer
from ..look import ask, brief, expect_error, exported, first_byte, inspected, refused
from ..subject import Subject


def _host(subject: Subject) -> Any:
    """An array in plain host memory."""
    array = subject.make().array
    _, fields = exported(array)
    if fields["device"][0] != 1:
        raise NotApplicableError(f"its arrays are on device {fields['device']}")
    return array


@producer(
    "R5.1",
    "array API",
    "must",
    {
        "stream": {"stream": None},
        "max_version": {"max_version": None},
        "dl_device": {"dl_device": None},
        "copy": {"copy": None},
        "all": {"stream": None, "max_version": (1, 0), "dl_device": None, "copy": None},
    },
)
def keyword_may_be_none(subject: Subject, keywords: dict[str, Any]) -> None:
    """__dlpack__ takes the keyword that the standard has: {}."""
    array = subject.make().array
    error = refused(lambda: array.__dlpack__(**keywords))
    if error is not None and not isinstance(error, BufferError):
        raise DeviatesError(f"raises {brief(error)}")


@producer("R5.1", "array API", "should")
def arguments_are_keywords(subject: Subject) -> None:
    """__dlpack__ takes its arguments by keyword only."""
    array = subject.make().array
    expect_error(lambda: array.__dlpack__(None), TypeError, when="a positional argument")


@producer("R5.1", "array API", "must")
def stream_none_is_as_left_out(subject: Subject) -> None:
    """stream=None gives the same as no stream."""
    array = _host(subject)
    _, without = exported(array)
    asked = (1, 3) if without["versioned"] else None
    capsule = ask(array, stream=None, max_version=asked)
    given = inspected(capsule)
    for name in ("dtype", "shape", "device", "versioned"):
        if given[name] != without[name]:
            raise DeviatesError(f"{name} is {given[name]} with stream=None and {without[name]} without")


@producer("R5.4", "array API", "should", {"7": 7, "0": 0})
def other_stream_of_the_host_is_refused(subject: Subject, stream: int) -> None:
    """For host memory stream={} is refused: only None is allowed there."""
    array = _host(subject)
    if refused(lambda: array.__dlpack__(stream=stream)) is None:
        raise DeviatesError(f"accepts stream={stream}")


@producer("R5.4", "array API", "should")
def stream_that_is_no_number_is_refused(subject: Subject) -> None:
    """A stream that is a string is refused."""
    array = _host(subject)
    if refused(lambda: array.__dlpack__(stream="fast")) is None:
        raise DeviatesError("accepts stream='fast'")


@producer("R5.2", "array API", "must")
def device_is_two_numbers(subject: Subject) -> None:
    """__dlpack_device__() gives two ints."""
    array = subject.make().array
    try:
        device = array.__dlpack_device__()
    except Exception as error:
        if isinstance(error, BufferError):
            return
        raise DeviatesError(f"raises {brief(error)}") from None
    if not isinstance(device, tuple) or len(device) != 2:
        raise DeviatesError(f"gives {device!r}")
    if refused(lambda: [operator.index(number) for number in device]) is not None:
        raise DeviatesError(f"gives {device!r}")


@producer("R9.15", "observed", "usual")
def announced_device_is_that_of_the_struct(subject: Subject) -> None:
    """__dlpack_device__() is the device that the struct names."""
    array = subject.make().array
    _, fields = exported(array)
    error = refused(array.__dlpack_device__)
    if error is not None:
        raise NotApplicableError(f"__dlpack_device__ raises {brief(error)}")
    announced = tuple(map(operator.index, array.__dlpack_device__()))
    if announced != tuple(fields["device"]):
        raise DeviatesError(f"announces {announced}, and the struct says {fields['device']}")


@producer("R5.12", "array API", "must")
def own_device_is_granted(subject: Subject) -> None:
    """dl_device with the array's own device gives the array."""
    array = _host(subject)
    _, fields = exported(array)
    capsule = ask(array, dl_device=tuple(fields["device"]), max_version=(1, 3))
    if inspected(capsule)["device"] != fields["device"]:
        raise DeviatesError(f"gives device {inspected(capsule)['device']}")


@producer("R5.11", "array API", "must", {"(99, 0)": (99, 0), "(2, 77)": (2, 77)})
def impossible_device_is_a_buffer_error(subject: Subject, device: tuple[int, int]) -> None:
    """dl_device={}, which the producer cannot do, is a BufferError."""
    array = _host(subject)
    expect_error(
        lambda: array.__dlpack__(dl_device=device, max_version=(1, 3)),
        BufferError,
        when=f"dl_device={device}",
    )


@producer("R5.13", "observed", "usual", {"a string": "cpu", "a number": 1})
def other_device_argument_is_a_type_error(subject: Subject, device: Any) -> None:
    """A dl_device that is {} is a TypeError."""
    array = _host(subject)
    expect_error(
        lambda: array.__dlpack__(dl_device=device, max_version=(1, 3)),
        TypeError,
        when=f"dl_device={device!r}",
    )


@producer("R2.2", "header", "must")
def array_stays_usable(subject: Subject) -> None:
    """An array can be exported again and again, over the same memory."""
    array = subject.make().array
    (first, one), (second, two) = exported(array), exported(array)
    if first is second:
        raise DeviatesError("gives one and the same capsule twice")
    if one["struct_address"] == two["struct_address"]:
        raise DeviatesError("gives one and the same struct in two capsules")
    if first_byte(one) != first_byte(two) and not one["flags"]:
        raise DeviatesError("gives other memory the second time, and does not say that it is a copy")
