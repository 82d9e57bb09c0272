"""Consumers: capsules that are none of DLPack's, or not to be taken."""

from __future__ import annotations

from ..case import DeviatesError, NotApplicableError, consumer
from ..look import Result, brief, native, refused, same
from ..subject import NUMBERS, Subject, crafted, source


@consumer(
    "R2.1",
    "spec",
    "must",
    {
        "a name of its own": "wrong_name",
        "the used name": "used_name",
        "no name": "null_name",
        "no capsule at all": "not_a_capsule",
    },
    hostile=True,
)
def other_answer_is_refused(subject: Subject, style: str) -> None:
    """An answer of __dlpack__ with {} is refused."""
    maker = source(style=style, leak=True)
    if refused(lambda: subject.take(maker)) is None:
        raise DeviatesError("accepts it")
    if style == "used_name" and maker.crafted.deleter_calls:
        raise DeviatesError("calls the deleter of a tensor that somebody else has")


@consumer("R4.4", "array API", "must", {"unversioned": False, "versioned": True}, hostile=True)
def name_decides_the_struct(subject: Subject, versioned: bool) -> None:
    """The name of the capsule says which struct is in it, whatever was asked for ({})."""
    capsule = crafted(leak=True).capsule(versioned)

    class Array:
        def __dlpack__(self, **keywords: object) -> object:
            return capsule

        def __dlpack_device__(self) -> tuple[int, int]:
            return (1, 0)

    error = refused(lambda: subject.take(Array()))
    if error is not None and versioned:
        raise NotApplicableError(f"refused: {brief(error)}")
    if error is not None:
        raise DeviatesError(f"raises {brief(error)}")
    capsule = crafted(leak=True).capsule(versioned)
    result = Result(subject.take(Array()))
    if result.values is None:
        raise NotApplicableError("accepted, and the result cannot be seen")
    if not same(result.values, NUMBERS):
        raise DeviatesError(f"elements {NUMBERS} become {result.values}")


@consumer("R2.21", "observed", "usual")
def bare_capsule_is_taken_or_refused(subject: Subject) -> None:
    """A bare capsule is taken, or refused without being used up."""
    recipe = crafted(leak=True)
    capsule = recipe.capsule(False)
    error = refused(lambda: subject.take(capsule))
    if error is None:
        return
    name = native.capsule_name(capsule)
    if name != "dltensor" and not recipe.deleter_calls:
        raise DeviatesError(f"refuses it, and leaves it named {name!r} with its deleter uncalled")
    raise NotApplicableError(f"refused: {brief(error)}")
