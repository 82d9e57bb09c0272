"""Producers: which struct is given for which ``max_version``."""

from __future__ import annotations

from typing import Any

from ..case import DeviatesError, NotApplicableError, producer
from ..look import UNVERSIONED, VERSIONED, ask, brief, expect_error, keyword_is_known, native, refused
from ..subject import Subject


def _unversioned_or_refused(subject: Subject, **keywords: Any) -> None:
    array = subject.make().array
    error = refused(lambda: array.__dlpack__(**keywords))
    if isinstance(error, BufferError):
        return
    keyword_is_known(error)
    if error is not None:
        raise DeviatesError(f"raises {brief(error)}")
    name = native.capsule_name(ask(array, **keywords))
    if name != UNVERSIONED:
        raise DeviatesError(f"the capsule is named {name!r}")


@producer("R4.2", "array API", "must")
def no_argument_is_unversioned(subject: Subject) -> None:
    """__dlpack__() without arguments gives the unversioned struct, or a BufferError."""
    _unversioned_or_refused(subject)


@producer("R4.2", "array API", "must")
def none_is_unversioned(subject: Subject) -> None:
    """max_version=None gives the unversioned struct, or a BufferError."""
    _unversioned_or_refused(subject, max_version=None)


@producer("R4.14", "array API", "must", {"(0, 8)": (0, 8), "(0, 5)": (0, 5)})
def major_zero_is_unversioned(subject: Subject, asked: tuple[int, int]) -> None:
    """max_version={} gives the unversioned struct, or a BufferError."""
    _unversioned_or_refused(subject, max_version=asked)


@producer("R4.2", "array API", "should", {"(1, 0)": (1, 0), "(1, 3)": (1, 3), "(1, 99)": (1, 99)})
def major_one_is_versioned(subject: Subject, asked: tuple[int, int]) -> None:
    """max_version={} gives the versioned struct."""
    name = native.capsule_name(ask(subject.make().array, max_version=asked))
    if name != VERSIONED:
        raise DeviatesError(f"the capsule is named {name!r}")


@producer("R4.3", "array API", "should")
def newer_major_gets_what_there_is(subject: Subject) -> None:
    """max_version=(2, 0) gives what the producer has, of major 1."""
    capsule = ask(subject.make().array, max_version=(2, 0))
    if native.capsule_name(capsule) != VERSIONED:
        raise DeviatesError(f"the capsule is named {native.capsule_name(capsule)!r}")
    version = native.inspect(capsule)["version"]
    if version[0] != 1:
        raise DeviatesError(f"the struct is of version {version}")


@producer("R1.1", "header", "must")
def version_is_known(subject: Subject) -> None:
    """The versioned struct has a major of 1, the only one there is."""
    capsule = ask(subject.make().array, max_version=(1, 3))
    if native.capsule_name(capsule) == VERSIONED:
        version = native.inspect(capsule)["version"]
        if version[0] != 1:
            raise DeviatesError(f"the struct is of version {version}")


@producer("R4.13", "observed", "usual", {"a string": "1.0", "a number": 1})
def other_max_version_is_a_type_error(subject: Subject, asked: Any) -> None:
    """A max_version that is {} is a TypeError."""
    array = subject.make().array
    expect_error(lambda: array.__dlpack__(max_version=asked), TypeError, when=f"max_version={asked!r}")


@producer("R2.1", "spec", "must", {"unversioned": None, "versioned": (1, 3)})
def capsule_is_unused(subject: Subject, asked: Any) -> None:
    """A {} capsule has a name of the standard, that of an unused one."""
    array = subject.make().array
    keywords = {} if asked is None else {"max_version": asked}
    try:
        capsule = array.__dlpack__(**keywords)
    except (BufferError, TypeError) as error:
        raise NotApplicableError(f"none: {brief(error)}") from None
    if type(capsule).__name__ != "PyCapsule":
        raise DeviatesError(f"gives a {type(capsule).__name__}")
    name = native.capsule_name(capsule)
    if name not in (VERSIONED, UNVERSIONED):
        raise DeviatesError(f"the capsule is named {name!r}")
