"""Consumers: what has to be taken, and how the producer is asked."""

from __future__ import annotations

import enum

from ..case import DeviatesError, NotApplicableError, consumer
from ..look import brief, refused
from ..subject import Subject, asks_for_versions, source


def _is_taken(subject: Subject, maker: object) -> None:
    error = refused(lambda: subject.take(maker))
    if error is not None:
        raise DeviatesError(f"raises {brief(error)}")


@consumer("R4.7", "header", "must", {"1.0": (1, 0), "1.1": (1, 1), "1.3": (1, 3), "1.99": (1, 99)})
def any_minor_is_taken(subject: Subject, version: tuple[int, int]) -> None:
    """A struct of version {} is taken: a minor adds values, and these are ones that all know."""
    _is_taken(subject, source(version=version))


@consumer("R4.4", "array API", "must")
def unversioned_answer_is_taken(subject: Subject) -> None:
    """A producer that gives the unversioned struct whatever it is asked is understood."""
    _is_taken(subject, source(style="always_unversioned"))


@consumer("R4.4", "array API", "should")
def versioned_answer_is_taken(subject: Subject) -> None:
    """A producer that gives the versioned struct whatever it is asked is understood."""
    maker = source()
    if refused(lambda: subject.take(maker)) is None and not asks_for_versions(maker):
        raise NotApplicableError("it asks for the unversioned struct, and is to get it")
    _is_taken(subject, source(style="always_versioned"))


@consumer("R4.10", "array API", "should", {"stream alone": "stream_only", "no keyword": "no_keywords"})
def old_producer_is_asked_again(subject: Subject, style: str) -> None:
    """A producer of before 2023, which knows {}, is asked again without what it refuses."""
    _is_taken(subject, source(style=style))


@consumer("R4.10", "array API", "should")
def old_python_producer_is_asked_again(subject: Subject) -> None:
    """The same for one that is written in Python."""
    made = source(style="no_keywords")

    class Old:
        def __dlpack__(self, stream: object = None) -> object:
            return made.__dlpack__()

        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

    _is_taken(subject, Old())


@consumer("R5.2", "array API", "must")
def device_of_another_integer_is_taken(subject: Subject) -> None:
    """__dlpack_device__() may give anything that is an integer by __index__, such as an IntEnum."""
    made = source()
    kind = enum.IntEnum("kind", {"cpu": 1})

    class Array:
        def __dlpack__(self, **keywords: object) -> object:
            return made.__dlpack__(**keywords)

        def __dlpack_device__(self) -> tuple[int, int]:
            return (kind.cpu, 0)

    _is_taken(subject, Array())
