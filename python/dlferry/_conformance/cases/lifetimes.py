"""Producers: how long what was exported lives, and what its deleter bears."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any

from ..case import DeviatesError, NotApplicableError, producer
from ..look import Taken, ask, exported, native, same, settle
from ..subject import Subject

MANY = 8_000
MOST_GROWTH = 1 << 19


@producer("R2.2", "header", "must")
def export_outlives_the_array(subject: Subject) -> None:
    """Struct, shape, strides and memory live until the deleter has run, whatever becomes of the array."""
    array = subject.make().array
    capsule, before = exported(array)
    taken = Taken(capsule)
    values = taken.values()
    del array, capsule
    gc.collect()
    others = [subject.make().array for _ in range(20)]
    after = taken.held.inspect()
    if after != before:
        changed = [name for name in before if before[name] != after[name]]
        raise DeviatesError(f"{', '.join(changed)} of the struct changed when the array was gone")
    if not same(taken.values(), values):
        raise DeviatesError("the elements changed when the array was gone")
    taken.close()
    del others


@producer("R2.4", "spec", "must")
def unused_capsule_gives_back(subject: Subject) -> None:
    """A capsule that nobody consumes gives back all that it held, when it goes."""
    array = subject.make().array
    _balanced(array, lambda: ask(array))
    _does_not_grow(lambda: ask(array), "exports that nobody consumes")


@producer("R2.3", "header", "must")
def deleter_gives_back(subject: Subject) -> None:
    """The deleter gives back all that the export held."""
    array = subject.make().array
    _balanced(array, lambda: Taken(ask(array)).close())
    _does_not_grow(lambda: Taken(ask(array)).close(), "exports that were deleted")


def _balanced(array: Any, export: Callable[[], Any]) -> None:
    export()
    settle(lambda: True)
    before = sys.getrefcount(array)
    for _ in range(10):
        export()
    settle(lambda: sys.getrefcount(array) <= before, 0.5)
    after = sys.getrefcount(array)
    if after != before:
        raise DeviatesError(f"10 exports change the references to the array from {before} to {after}")


def _resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def _does_not_grow(export: Callable[[], Any], what: str) -> None:
    try:
        _resident()
    except OSError:
        return
    for _ in range(3):
        for _ in range(MANY // 4):
            export()
        gc.collect()
        before = _resident()
        for _ in range(MANY):
            export()
        gc.collect()
        grown = _resident() - before
        if grown < MOST_GROWTH:
            return
    raise DeviatesError(f"{MANY} {what} take {grown / MANY:.0f} bytes each")


@producer("R2.4", "spec", "must", {"unversioned": False, "versioned": True})
def used_capsule_is_left_alone(subject: Subject, newer: bool) -> None:
    """The destructor of a consumed capsule does nothing ({} struct)."""
    array = subject.make().array
    capsule = _capsule(array, newer)
    taken = Taken(capsule)
    values = taken.values()
    del capsule
    gc.collect()
    others = [subject.make().array for _ in range(20)]
    if not same(taken.values(), values):
        raise DeviatesError("the elements changed when the used capsule went")
    taken.close()
    del others


def _capsule(array: Any, newer: bool) -> Any:
    if newer:
        capsule, fields = exported(array)
        if not fields["versioned"]:
            raise NotApplicableError("no versioned struct")
        return capsule
    try:
        return array.__dlpack__()
    except BufferError as error:
        raise NotApplicableError(f"no unversioned struct: {error}") from None


@producer("R2.8", "observed", "usual")
def destructor_is_not_counted_on(subject: Subject) -> None:
    """A consumer may take the destructor off the capsule: all is given back by the deleter."""
    array = subject.make().array
    _balanced(array, lambda: Taken(ask(array), clear_destructor=True).close())


@producer("R2.8", "observed", "usual")
def any_other_name_is_a_used_one(subject: Subject) -> None:
    """A consumer may rename the capsule to anything: its destructor then does nothing."""
    array = subject.make().array
    taken = Taken(ask(array), name="used_by_somebody")
    values = taken.values()
    gc.collect()
    if not same(taken.values(), values):
        raise DeviatesError("the elements changed when the capsule went")
    taken.close()


@producer("R2.15", "observed", "usual")
def destructor_leaves_an_exception_alone(subject: Subject) -> None:
    """A capsule that goes while an exception is set leaves that exception as it is."""
    array = subject.make().array
    if not native.drop_with_exception_pending(lambda: ask(array)):
        raise DeviatesError("the exception is gone, or another one")


@producer("R2.16", "observed", "usual")
def deleter_leaves_an_exception_alone(subject: Subject) -> None:
    """A deleter that runs while an exception is set leaves that exception as it is."""
    taken = Taken(ask(subject.make().array))
    if not taken.held.delete_with_exception_pending():
        raise DeviatesError("the exception is gone, or another one")


@producer("R2.17", "header", "must")
def deleter_sets_no_exception(subject: Subject) -> None:
    """A deleter leaves no exception behind."""
    taken = Taken(ask(subject.make().array))
    try:
        taken.held.delete()
    except Exception as error:
        raise DeviatesError(f"{type(error).__name__} is set after the deleter has run") from None


@producer("R2.12", "spec", "must")
def deleter_runs_without_the_interpreter(subject: Subject) -> None:
    """The deleter runs on a thread that is not attached to the interpreter."""
    array = subject.make().array
    Taken(ask(array)).held.delete_detached()
    _balanced(array, lambda: Taken(ask(array)).held.delete_detached())


@producer("R2.13", "here", "usual")
def deleter_runs_on_any_thread(subject: Subject) -> None:
    """The deleter runs on a thread that Python has never seen."""
    array = subject.make().array
    Taken(ask(array)).held.delete_on_thread()
    _balanced(array, lambda: Taken(ask(array)).held.delete_on_thread())


@producer("R2.2", "header", "must")
def exports_are_independent(subject: Subject) -> None:
    """Of two exports of an array each lives on when the other was deleted."""
    array = subject.make().array
    first, second = Taken(ask(array)), Taken(ask(array))
    values = second.values()
    first.close()
    del array
    gc.collect()
    if not same(second.values(), values):
        raise DeviatesError("the elements of the one changed when the other was deleted")
    second.close()


@producer(
    "R2.14",
    "spec",
    "must",
    {
        "modules are cleared": "teardown",
        "the interpreter is gone": "finalize",
        "the process exits": "exit",
        "a thread does it at exit": "exit-thread",
    },
    alone=True,
)
def deleter_runs_at_the_end(subject: Subject, when: str) -> None:
    """The deleter comes back when it runs at the end of the process: {}."""
    native.leak_to_exit(Taken(ask(subject.make().array)).held, when)
