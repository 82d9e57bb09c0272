"""Consumers: shapes, strides and offsets, which must be understood or refused."""

from __future__ import annotations

import struct
from typing import Any

from ..case import DeviatesError, NotApplicableError, consumer
from ..look import Result, brief, native, refused, same
from ..subject import NUMBERS, Subject, source

UNEVEN = [float(number) for number in range(12)]


def _reads(
    subject: Subject, expected: list[float], *, may_refuse: bool, style: str = "new", **fields: Any
) -> None:
    """Demands the elements, or a refusal where there may be one."""
    maker = source(fields.pop("values", None), style=style, **fields)
    error = refused(lambda: subject.take(maker))
    if error is not None:
        if may_refuse:
            raise NotApplicableError(f"refused: {brief(error)}")
        raise DeviatesError(f"raises {brief(error)}")
    result = Result(subject.take(maker))
    shape = tuple(fields.get("shape", (2, 3)) or ())
    if result.shape is not None and result.shape != shape:
        raise DeviatesError(f"shape {shape} becomes {result.shape}")
    if result.values is None:
        raise NotApplicableError("accepted, and the result cannot be seen")
    if not same(result.values, expected):
        raise DeviatesError(f"elements {expected} become {result.values}")


@consumer("R3.1", "header", "must", {"unversioned": "always_unversioned", "versioned": "new"})
def elements_are_read(subject: Subject, style: str) -> None:
    """The elements of a plain array come through ({} struct)."""
    _reads(subject, NUMBERS, may_refuse=False, style=style)


@consumer("R3.2", "header", "must")
def strides_count_elements(subject: Subject) -> None:
    """Strides are counted in elements: those of a transposed array are read right, or refused."""
    _reads(subject, [0, 3, 1, 4, 2, 5], may_refuse=True, shape=[3, 2], strides=[1, 3])


@consumer("R3.2", "header", "must")
def gaps_are_skipped(subject: Subject) -> None:
    """Elements with gaps between them are read right, or refused."""
    _reads(subject, [0, 2, 6, 8], may_refuse=True, values=UNEVEN, shape=[2, 2], strides=[6, 2])


@consumer(
    "R3.3",
    "header",
    "must",
    {
        "unversioned": ("always_unversioned", (1, 0)),
        "version 1.0": ("new", (1, 0)),
        "version 1.1": ("new", (1, 1)),
    },
)
def null_strides_are_row_major(subject: Subject, how: tuple[str, tuple[int, int]]) -> None:
    """NULL strides mean C order ({})."""
    style, version = how
    _reads(subject, NUMBERS, may_refuse=False, style=style, strides=None, version=version)


@consumer("R3.4", "observed", "usual")
def null_strides_of_today_are_row_major(subject: Subject) -> None:
    """NULL strides are taken from a producer of 1.3 as well, which may not leave them out."""
    _reads(subject, NUMBERS, may_refuse=False, strides=None, version=(1, 3))


@consumer("R3.5", "header", "must", {"real": [], "NULL": None})
def scalar_is_taken(subject: Subject, axes: list[int] | None) -> None:
    """Without axes there is one element, also where shape and strides are {} pointers."""
    _reads(subject, [7], may_refuse=False, values=[7.0], shape=axes, strides=axes, ndim=0)


@consumer("R3.7", "header", "must", {"NULL": True, "real": False})
def empty_is_taken(subject: Subject, null: bool) -> None:
    """Without elements the data pointer may be anything ({})."""
    _reads(subject, [], may_refuse=False, shape=[0, 3], strides=[3, 1], null_data=null)


@consumer("R3.8", "observed", "usual")
def strides_of_empty_are_not_judged(subject: Subject) -> None:
    """Without elements, strides of any kind are taken."""
    _reads(subject, [], may_refuse=False, shape=[0, 3], strides=[-7, 99])


@consumer("R3.9", "observed", "usual", {"an odd one": 99, "a negative one": -5})
def stride_of_one_is_not_judged(subject: Subject, stride: int) -> None:
    """The stride of an axis of extent 1 means nothing, also {}."""
    _reads(subject, [0, 1, 2], may_refuse=False, shape=[1, 3], strides=[stride, 1])


@consumer("R3.10", "observed", "usual")
def negative_strides_are_read_or_refused(subject: Subject) -> None:
    """Negative strides are read right, or refused."""
    data = struct.pack("=6f", *NUMBERS)
    base = native.Crafted(data, shape=[6], strides=[1])
    maker = native.Producer(native.Crafted(data, shape=[3], strides=[-1], byte_offset=8))
    error = refused(lambda: subject.take(maker))
    if error is not None:
        raise NotApplicableError(f"refused: {brief(error)}")
    result = Result(subject.take(maker))
    if result.values is None:
        raise NotApplicableError("accepted, and the result cannot be seen")
    if not same(result.values, [2, 1, 0]):
        raise DeviatesError(f"elements [2, 1, 0] become {result.values}")
    del base


@consumer("R3.11", "observed", "usual")
def repeated_elements_are_read_or_refused(subject: Subject) -> None:
    """Strides of zero are read right, or refused."""
    _reads(subject, [0, 1, 2, 0, 1, 2], may_refuse=True, shape=[2, 3], strides=[0, 1])


@consumer("R3.12", "header", "must", {"unversioned": "always_unversioned", "versioned": "new"})
def offset_is_added(subject: Subject, style: str) -> None:
    """byte_offset is added to the pointer ({} struct), or refused."""
    _reads(subject, [2, 3, 4, 5], may_refuse=True, style=style, shape=[2, 2], strides=[2, 1], byte_offset=8)


@consumer("R3.14", "header", "must")
def misaligned_is_read_or_refused(subject: Subject) -> None:
    """Misaligned data is read right, or refused: alignment cannot be relied on."""
    _reads(subject, NUMBERS, may_refuse=True, misalign=1)


@consumer("R3.20", "observed", "usual")
def many_axes_are_read_or_refused(subject: Subject) -> None:
    """An array of 65 axes is read right, or refused."""
    _reads(subject, [7], may_refuse=True, values=[7.0], shape=[1] * 65, strides=[1] * 65)
