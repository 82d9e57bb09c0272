"""Producers: the keyword ``copy``."""

from __future__ import annotations

from typing import Any

from ..case import DeviatesError, NotApplicableError, producer
from ..look import (
    COPIED,
    READ_ONLY,
    Taken,
    ask,
    brief,
    exported,
    first_byte,
    inspected,
    keyword_is_known,
    refused,
    same,
    versioned,
)
from ..subject import Subject


def _copy(subject: Subject) -> tuple[Any, dict[str, Any]]:
    """The capsule of a copy, and the fields of the array itself."""
    array = subject.make().array
    _, own = exported(array)
    error = refused(lambda: array.__dlpack__(copy=True, max_version=(1, 3)))
    if isinstance(error, BufferError):  # that it has to make one is a case of its own
        raise NotApplicableError(f"it makes no copies: {brief(error)}")
    return ask(array, copy=True, max_version=(1, 3)), own


def _spans(fields: dict[str, Any]) -> tuple[int, int]:
    """The lowest and the highest byte of an array of few elements, to within an element."""
    first, size = first_byte(fields), max(fields["dtype"][1] // 8, 1)
    steps = [
        stride * (extent - 1) * size
        for stride, extent in zip(fields["strides"] or [], fields["shape"] or [], strict=False)
    ]
    return first + sum(min(step, 0) for step in steps), first + sum(max(step, 0) for step in steps)


@producer("R5.14", "array API", "must")
def copy_is_other_memory(subject: Subject) -> None:
    """copy=True always copies."""
    array = subject.make().array
    own, fields = exported(array)
    copied = inspected(ask(array, copy=True, max_version=(1, 3)))
    (low, high), (start, end) = _spans(fields), _spans(copied)
    if not fields["flags"] and start <= high and low <= end:
        raise DeviatesError("the memory is that of the array")
    del own


@producer("R5.14", "array API", "must")
def copy_says_so(subject: Subject) -> None:
    """The copy made for copy=True carries IS_COPIED."""
    capsule, own = _copy(subject)
    fields = inspected(capsule)
    if not fields["versioned"]:
        raise NotApplicableError("the unversioned struct has no flags")
    if first_byte(fields) == first_byte(own) and not own["flags"] & COPIED:
        raise NotApplicableError("it makes no copies")
    if not fields["flags"] & COPIED:
        raise DeviatesError(f"the flags of the copy are {fields['flags']}")


@producer("R5.14", "array API", "must")
def copy_has_the_elements(subject: Subject) -> None:
    """The copy has the shape and the elements of the array."""
    capsule, own = _copy(subject)
    with Taken(exported(subject.make().array)[0]) as taken:
        expected = taken.values()
    with Taken(capsule) as taken:
        if taken.fields["shape"] != own["shape"] or taken.fields["dtype"] != own["dtype"]:
            raise DeviatesError(
                f"the copy has shape {taken.fields['shape']} and dtype {taken.fields['dtype']}"
            )
        if not same(taken.values(), expected):
            raise DeviatesError(
                f"the elements of the copy are {taken.values()}, those of the array {expected}"
            )


@producer("R5.14", "array API", "must")
def no_copy_is_the_same_memory(subject: Subject) -> None:
    """copy=False never copies: the memory is the array's, or there is a BufferError."""
    array = subject.make().array
    kept, own = exported(array)
    error = refused(lambda: array.__dlpack__(copy=False, max_version=(1, 3)))
    if isinstance(error, BufferError):
        return
    keyword_is_known(error)
    if error is not None:
        raise DeviatesError(f"raises {brief(error)}")
    fields = inspected(ask(array, copy=False, max_version=(1, 3)))
    if fields["versioned"] and fields["flags"] & COPIED:
        raise DeviatesError("IS_COPIED is set for copy=False")
    if first_byte(fields) != first_byte(own) and not (own["versioned"] and own["flags"] & COPIED):
        raise DeviatesError("the memory is other than without copy=False")
    del kept


@producer("R6.5", "header", "must")
def shared_memory_is_not_called_a_copy(subject: Subject) -> None:
    """IS_COPIED is not set on memory that the producer goes on using."""
    array = subject.make().array
    kept, one = versioned(array)
    _, two = versioned(array)
    if one["flags"] & COPIED and first_byte(one) == first_byte(two) and 0 not in (one["shape"] or ()):
        raise DeviatesError("IS_COPIED is set, and the next export has the same memory")
    del kept


@producer("R5.15", "observed", "usual")
def copy_may_be_written(subject: Subject) -> None:
    """The copy made for copy=True is the consumer's alone, and not READ_ONLY."""
    capsule, own = _copy(subject)
    fields = inspected(capsule)
    if not fields["versioned"] or first_byte(fields) == first_byte(own):
        raise NotApplicableError("it makes no copies that have flags")
    if fields["flags"] & READ_ONLY:
        raise DeviatesError(f"the flags of the copy are {fields['flags']}")


@producer("R5.15", "observed", "usual")
def other_copy_is_refused(subject: Subject) -> None:
    """A copy that is a string is refused."""
    array = subject.make().array
    if refused(lambda: array.__dlpack__(copy="yes", max_version=(1, 3))) is None:
        raise DeviatesError("accepts copy='yes'")
