"""Both: the C exchange API."""

from __future__ import annotations

from typing import Any

from ..case import DeviatesError, NotApplicableError, consumer, producer
from ..look import Result, brief, exported, first_byte, is_sane, native, refused, same, settle
from ..subject import NUMBERS, Subject, crafted

ATTRIBUTE = "__dlpack_c_exchange_api__"
OBLIGATORY = (
    "managed_tensor_allocator",
    "managed_tensor_from_py_object_no_sync",
    "managed_tensor_to_py_object_no_sync",
    "current_work_stream",
)
MEMBERS = (*OBLIGATORY, "dltensor_from_py_object_no_sync")


def _table(subject: Subject) -> tuple[Any, dict[str, Any]]:
    """An array whose type has a table, and that table."""
    array = subject.make().array
    if not hasattr(type(array), ATTRIBUTE):
        raise NotApplicableError(f"its arrays have no {ATTRIBUTE}")
    try:
        return array, native.exchange_table(type(array))
    except Exception as error:
        raise DeviatesError(f"{ATTRIBUTE} is no capsule of a table: {brief(error)}") from None


@producer("E1", "header", "must")
def table_is_in_a_capsule(subject: Subject) -> None:
    """The table is a capsule named dlpack_exchange_api, on the type."""
    array, _ = _table(subject)
    capsule = getattr(type(array), ATTRIBUTE)
    if native.capsule_name(capsule) != "dlpack_exchange_api":
        raise DeviatesError(f"the capsule is named {native.capsule_name(capsule)!r}")


@producer("E3", "header", "must")
def table_of_major_one_is_there(subject: Subject) -> None:
    """The table, or one that it leads to, is of major 1."""
    _, table = _table(subject)
    if 1 not in [table["version"][0], *(version[0] for version in table["prev"])]:
        raise DeviatesError(f"the tables are of versions {[table['version'], *table['prev']]}")


@producer("E4", "header", "must")
def members_are_there(subject: Subject) -> None:
    """The members of the table that must be set are set."""
    _, table = _table(subject)
    nulls = [name for name in OBLIGATORY if (table["members_null"] or {}).get(name)]
    if nulls:
        raise DeviatesError(f"{', '.join(nulls)} NULL")


@producer("E8", "header", "must")
def table_exports_what_the_method_does(subject: Subject) -> None:
    """The table exports the same memory, shape, dtype and flags as __dlpack__."""
    array, _ = _table(subject)
    held = native.exchange_from(array)
    fields = held.inspect()
    kept, expected = exported(array)
    held.delete()
    is_sane(fields)
    for name in ("shape", "dtype", "device"):
        if fields[name] != expected[name]:
            raise DeviatesError(f"{name} is {fields[name]}, and {expected[name]} by __dlpack__")
    if first_byte(fields) != first_byte(expected):
        raise DeviatesError("the memory is other than by __dlpack__")
    if expected["versioned"] and fields["flags"] & 1 != expected["flags"] & 1:
        raise DeviatesError(f"the flags are {fields['flags']}, and {expected['flags']} by __dlpack__")
    del kept


@producer("E4", "header", "must")
def lent_tensor_is_the_array(subject: Subject) -> None:
    """The tensor that the table lends has the memory, the shape and the dtype of the array."""
    array, table = _table(subject)
    if table["members_null"]["dltensor_from_py_object_no_sync"]:
        raise NotApplicableError("it lends none")
    kept, expected = exported(array)
    if expected["versioned"] and expected["flags"] & 1:
        raise NotApplicableError("a lent tensor has no flags, and the array is read-only")
    fields = native.exchange_borrow(array)
    for name in ("shape", "dtype", "device"):
        if fields[name] != expected[name]:
            raise DeviatesError(f"{name} is {fields[name]}, and {expected[name]} by __dlpack__")
    if first_byte(fields) != first_byte(expected):
        raise DeviatesError("the memory is other than by __dlpack__")
    del kept


@producer("E4", "header", "must", {"attached": False, "not attached": True})
def allocator_allocates(subject: Subject, detached: bool) -> None:
    """The allocator makes what the prototype says, with the interpreter {}."""
    array, _ = _table(subject)
    held = native.exchange_allocate(type(array), [2, 3], (2, 32, 1), detached=detached)
    fields = held.inspect()
    held.delete()
    if fields["shape"] != [2, 3] or fields["dtype"] != (2, 32, 1) or not fields["data"]:
        raise DeviatesError(
            f"asked for shape [2, 3] and float32, it makes {fields['shape']} and {fields['dtype']}"
        )


@producer("E4", "header", "must")
def allocator_tells_its_error(subject: Subject) -> None:
    """The allocator tells a failure through the callback, once."""
    array, _ = _table(subject)
    error = refused(lambda: native.exchange_allocate(type(array), [1 << 40, 1 << 20], (2, 32, 1)))
    if error is None:
        raise DeviatesError("allocates more than there is")
    if isinstance(error, SystemError):
        raise DeviatesError(str(error))


@producer("E4", "header", "must")
def table_makes_arrays(subject: Subject) -> None:
    """The table makes an array of the library out of a tensor, and gives the tensor back once."""
    array, _ = _table(subject)
    recipe = crafted(leak=True)
    made = native.exchange_to(type(array), recipe.capsule())
    seen = Result(made)
    if seen.values is not None and not same(seen.values, NUMBERS):
        raise DeviatesError(f"elements {NUMBERS} become {seen.values}")
    del made
    settle(lambda: bool(recipe.deleter_calls))
    if len(recipe.deleter_calls) != 1:
        raise DeviatesError(f"the deleter runs {len(recipe.deleter_calls)} times")


@producer("E4", "header", "must")
def stream_of_the_host_is_null(subject: Subject) -> None:
    """The current stream of host memory is NULL."""
    array, _ = _table(subject)
    stream = native.exchange_stream(type(array), 1, 0)
    if stream is not None:
        raise DeviatesError(f"it is {stream:#x}")


# Consumers.


def _used(subject: Subject, **how: Any) -> tuple[Any, Any]:
    """A type with a table, which the library uses, and an object of it."""
    plain = native.exchange_type(crafted(), style="new")
    error = refused(lambda: subject.take(plain()))
    calls = native.table_calls(plain)
    if error is not None or not calls["managed_tensor_from_py_object_no_sync"]:
        raise NotApplicableError("it does not use the exchange API")
    made = native.exchange_type(crafted(), style="new", **how)
    return made, made()


@consumer("E7", "header", "must")
def table_is_called_attached(subject: Subject) -> None:
    """The members of a table are called with the interpreter attached."""
    kind, array = _used(subject)
    subject.take(array)
    if native.table_calls(kind)["detached"]:
        raise DeviatesError("calls them without")


@consumer("E3", "header", "must", {"alone": None, "before one of major 1": [(1, 3)]}, hostile=True)
def newer_table_is_not_called(subject: Subject, prev: list[tuple[int, int]] | None) -> None:
    """A table of major 2 ({}) is not called."""
    kind, array = _used(subject, version=(2, 0), prev=prev)
    error = refused(lambda: subject.take(array))
    if native.table_calls(kind)["forbidden"]:
        raise DeviatesError("calls it")
    if error is not None:
        raise DeviatesError(f"raises {brief(error)}, though there is __dlpack__")


@consumer(
    "E4",
    "observed",
    "usual",
    {name: name for name in (*OBLIGATORY, "dltensor_from_py_object_no_sync")},
    hostile=True,
)
def null_member_is_not_called(subject: Subject, name: str) -> None:
    """A table whose {} is NULL does no harm."""
    _, array = _used(subject, null=[name])
    error = refused(lambda: subject.take(array))
    if error is not None:
        raise DeviatesError(f"raises {brief(error)}, though there is __dlpack__")


@consumer("E11", "array API", "should")
def failing_table_leads_to_the_method(subject: Subject) -> None:
    """A BufferError of the table leads to __dlpack__."""
    fails = {"managed_tensor_from_py_object_no_sync": BufferError("not by this way")}
    kind, array = _used(subject, fails=fails)
    error = refused(lambda: subject.take(array))
    if error is not None:
        raise DeviatesError(f"raises {brief(error)}, though there is __dlpack__")
    if not kind.producer.calls:
        raise DeviatesError("does not call __dlpack__")
