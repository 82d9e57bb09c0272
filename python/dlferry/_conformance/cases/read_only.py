"""Both: memory that must not be written, and what the flag of it means."""

from __future__ import annotations

from typing import Any

from ..case import DeviatesError, NotApplicableError, consumer, producer
from ..look import READ_ONLY, brief, exported, refused, versioned
from ..subject import Subject, asks_for_versions, refused_or, source

# Producers.


@producer("R6.4", "header", "must")
def read_only_array_says_so(subject: Subject) -> None:
    """An array whose own buffer is read-only is exported with READ_ONLY."""
    array = subject.make("read-only").array
    error = refused(lambda: exported(array))
    if isinstance(error, BufferError):
        return
    _, fields = versioned(array)
    if not fields["flags"] & READ_ONLY:
        raise DeviatesError(f"the flags are {fields['flags']}")


@producer("R6.3", "observed", "usual")
def read_only_array_is_not_unversioned(subject: Subject) -> None:
    """A read-only array is refused to an unversioned consumer, which could not be told: a BufferError."""
    try:
        array = subject.make("read-only").array
    except NotApplicableError:
        array = subject.make().array
        _, fields = versioned(array)
        if not fields["flags"] & READ_ONLY:
            raise NotApplicableError("its arrays are writable") from None
    error = refused(array.__dlpack__)
    if error is None:
        raise DeviatesError("exports it, and the consumer may write")
    if not isinstance(error, BufferError):
        raise DeviatesError(f"raises {brief(error)}")


@producer("R6.4", "header", "must")
def writable_array_says_so(subject: Subject) -> None:
    """An array whose own buffer is writable is not exported with READ_ONLY."""
    made = subject.make()
    if refused_or(lambda: memoryview(made.array).readonly) is not False:
        raise NotApplicableError("it has no writable buffer")
    _, fields = versioned(made.array)
    if fields["flags"] & READ_ONLY:
        raise DeviatesError("READ_ONLY is set")


@producer("R3.22", "here", "usual")
def buffer_is_the_same_memory(subject: Subject) -> None:
    """The buffer protocol, where it is offered, gives the memory that DLPack gives."""
    made = subject.make()
    error = refused(lambda: memoryview(made.array))
    if error is not None:
        raise NotApplicableError("it has no buffer")
    from ... import from_buffer

    buffer = from_buffer(made.array)
    kept, fields = exported(made.array)
    shape = tuple(fields["shape"] or ())
    if buffer.shape != shape:
        raise DeviatesError(f"the buffer has shape {buffer.shape}, the struct {shape}")
    if fields["device"][0] == 1 and buffer.size and buffer.data_ptr != fields["data"] + fields["byte_offset"]:
        raise DeviatesError("the buffer is other memory than that of the struct")
    del kept


@producer("R6.6", "here", "usual")
def read_only_survives(subject: Subject) -> None:
    """An array that came in with READ_ONLY is exported with READ_ONLY again, unless it is a copy."""
    maker = source(flags=READ_ONLY)
    error = refused(lambda: subject.take(maker))
    if error is not None:
        raise NotApplicableError(f"it does not take such an array: {brief(error)}")
    array = subject.take(maker)
    if refused(lambda: versioned(array)) is not None:
        raise NotApplicableError("it does not export it again")
    _, fields = versioned(array)
    if fields["data"] + fields["byte_offset"] != maker.crafted.address:
        raise NotApplicableError("it makes a copy")
    if not fields["flags"] & READ_ONLY:
        raise DeviatesError(
            f"shares memory that came in with READ_ONLY and exports it with flags {fields['flags']}"
        )


# Consumers.


@consumer("R6.1", "array API", "should")
def read_only_is_taken(subject: Subject) -> None:
    """READ_ONLY alone is no reason to refuse an array."""
    error = refused(lambda: subject.take(source(flags=READ_ONLY)))
    if error is not None:
        raise DeviatesError(f"raises {brief(error)}")


@consumer("R6.1", "array API", "should")
def read_only_is_not_written(subject: Subject) -> None:
    """What came in with READ_ONLY cannot be written through the result."""
    maker = source(flags=READ_ONLY)
    error = refused(lambda: subject.take(maker))
    if error is not None:
        raise NotApplicableError(f"refused: {brief(error)}")
    if not asks_for_versions(maker):
        raise NotApplicableError("it asks for the unversioned struct, which has no flags")
    result = subject.take(maker)
    before = maker.crafted.read()
    if _write(result) and maker.crafted.read() != before:
        raise DeviatesError("writing to the result changes the producer's memory")


def _write(result: Any) -> bool:
    """Writes by whatever way there is; tells whether one was taken."""

    def by_item() -> None:
        result[0] = 77

    def by_items() -> None:
        result[...] = 77

    def by_buffer() -> None:
        view = memoryview(result)
        view.cast("B")[0] = 77

    return any(refused(way) is None for way in (by_item, by_items, by_buffer))


@consumer("R6.7", "observed", "usual")
def padded_whole_bytes_are_taken(subject: Subject) -> None:
    """The flag for padded elements means nothing on whole bytes, and is no reason to refuse."""
    error = refused(lambda: subject.take(source(flags=4)))
    if error is not None:
        raise DeviatesError(f"raises {brief(error)}")


@consumer("R1.14", "observed", "usual")
def unknown_flags_are_ignored(subject: Subject) -> None:
    """A flag that nobody knows (bit 40) is ignored."""
    error = refused(lambda: subject.take(source(flags=1 << 40)))
    if error is not None:
        raise DeviatesError(f"raises {brief(error)}")
