"""What can be found out about an object in this process, without taking it, changing it or copying much."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from math import prod
from typing import Any

from .. import _native
from .facts import HOST, Layout
from .owners import owners
from .protocols import (
    CAPSULE,
    SMALL,
    Answer,
    ask_array,
    ask_buffer,
    ask_device,
    ask_dlpack,
    ask_exchange,
    ask_interface,
    attempt,
    extents,
    is_a,
    kind_of,
    say_capsule,
)

NEWEST = {"max_version": (1, 3)}


@dataclass
class Subject:
    """An object, and what is known of it."""

    x: object
    kind: str
    answers: list[Answer] = field(default_factory=list)
    tensor: _native.Tensor | None = None
    layout: Layout | None = None
    calls: list[tuple[str, str, str]] = field(default_factory=list)
    """What dlferry does with it: the call, the outcome (as of a library), and what there is to say."""
    refusals: list[tuple[str, str]] = field(default_factory=list)
    """The calls that it refuses, and the exceptions."""
    hidden: str | None = None
    """Why its memory does not say what it means, or cannot be described: the refusal of dlferry's own, or nothing where
    it has neither DLPack nor a buffer. None: there is no such reason."""
    owners: list[Any] = field(default_factory=list)

    @property
    def is_capsule(self) -> bool:
        """Whether it is a capsule, which is only looked at."""
        return is_a(self.x, CAPSULE)

    @property
    def device(self) -> tuple[int, int] | None:
        """Where it says it is."""
        for answer in self.answers:
            if "device" in answer.facts:
                kind, number = answer.facts["device"]
                return kind, number
        return None

    @property
    def offers(self) -> bool:
        """Whether it offers anything at all."""
        return any(answer.offered for answer in self.answers)

    def says_itself(self, refused: str) -> bool:
        """Whether a refusal is the object's own, which dlferry passed on."""
        return any(
            answer.refused == refused
            for answer in self.answers
            if answer.protocol.startswith(("__dlpack__(", "buffer protocol", "__array__"))
        )

    def answer(self, protocol: str) -> Answer | None:
        """The answer of one protocol, by the start of its name."""
        return next((answer for answer in self.answers if answer.protocol.startswith(protocol)), None)


def examine(x: object) -> Subject:
    """Asks an object everything."""
    subject = Subject(x, kind_of(x))
    if subject.is_capsule:
        _capsule(subject)
        return subject
    if is_a(x, type):
        return subject
    _protocols(subject)
    subject.answers.append(ask_array(x, subject.layout.nbytes if subject.layout else nbytes_of(x)))
    _dlferry(subject)
    if subject.offers:
        subject.owners = owners(x)
    return subject


def _capsule(subject: Subject) -> None:
    """A capsule can be taken once, and that is for somebody else."""
    seen = _native._look_at(subject.x)  # type: ignore[arg-type]
    taken = str(seen["name"]).startswith("used_")
    says = "its tensor was taken by a consumer" if taken else say_capsule(seen)
    subject.answers.append(Answer("capsule", True, seen.get("refusal"), says, seen))
    if "shape" in seen:
        subject.layout = _told(seen, "the capsule")


def _protocols(subject: Subject) -> None:
    x = subject.x
    add = subject.answers.append
    add(ask_exchange(x))
    add(ask_device(x))
    newest = ask_dlpack(x, NEWEST)
    add(newest)
    if newest.offered:
        add(ask_dlpack(x, {}))
    answer, subject.layout = ask_buffer(x)
    add(answer)
    for name in ("__array_interface__", "__cuda_array_interface__"):
        answer, layout = ask_interface(x, name)
        add(answer)
        if layout is not None and (layout.address is not None or subject.layout is None):
            subject.layout = layout
    if subject.layout is None and "shape" in newest.facts:
        subject.layout = _told(newest.facts, "__dlpack__")


def _told(seen: dict[str, Any], by: str) -> Layout:
    bits = seen["dtype"].itemsize * 8
    address = seen["data"] + seen["byte_offset"] if seen["device"][0] in HOST else None
    strides = tuple(step * bits for step in seen["strides"])
    # An unversioned capsule cannot say.
    readonly = seen["readonly"] if seen["version"] else None
    return Layout(seen["shape"], strides, bits, address, str(seen["dtype"]), readonly, by)


def _dlferry(subject: Subject) -> None:
    """What the calls of dlferry itself make of it: the first that works gives the tensor."""
    x: Any = subject.x
    if is_a(x, _native.Tensor):
        subject.tensor = x
    else:
        offered = tuple(answer.protocol for answer in subject.answers if answer.offered)
        ways = [way for way in WAYS_IN if any(name.startswith(way[2]) for name in offered)]
        for call, function, _ in ways:
            if subject.tensor is None:
                _call(subject, call, function)
        if subject.tensor is None:
            _by_any_way(subject)
        # What is refused by the first way that it offers has something about it, even if there is another way.
        if subject.calls and subject.calls[0][1] in ("refused", "untried"):
            refusals = [refused for _, refused in subject.refusals]
            ours = [said for said in refusals if not subject.says_itself(said)]
            subject.hidden = _clearest(ours or refusals)
        elif subject.tensor is None or not ways:
            subject.hidden = ""  # nobody can be given the like of it
    if subject.tensor is not None:
        subject.layout = Layout.of_tensor(subject.tensor, "dlferry")


def reason(refused: str) -> tuple[str, str]:
    """A refusal of dlferry's in two parts, what is the matter and what to do; the other is empty where it has one."""
    _, _, said = refused.partition(": ")
    why, colon, help_ = said.rpartition(": ")
    if not colon:
        why, colon, help_ = said.partition("; for ")
        help_ = f"for {help_}" if colon else ""
    return (why, help_) if colon else (said, "")


def _clearest(refusals: list[str]) -> str:
    """The first refusal that says what to do, too, for a producer's own seldom does; the first of all if none does."""
    single = [said for said in refusals if NO_WAY not in said]
    return next((said for said in single if reason(said)[1]), next(iter(single), ""))


NO_WAY = "cannot be taken by any way: "
"""What ``asarray`` says before it lists the refusals of all ways."""

WAYS_IN: tuple[tuple[str, Any, tuple[str, ...]], ...] = (
    ("from_dlpack(x)", _native.from_dlpack, ("C exchange API", "__dlpack__")),
    ("from_buffer(x)", _native.from_buffer, ("buffer",)),
)


def _by_any_way(subject: Subject) -> None:
    """What ``asarray(x)`` does: without a copy if it can, with one if that is not much."""
    x: Any = subject.x
    tensor, _ = attempt(lambda: _native.asarray(x, copy=False))
    if tensor is not None:
        _taken(subject, "asarray(x)", tensor)
        return
    nbytes = subject.layout.nbytes if subject.layout else nbytes_of(x)
    small = (nbytes is not None and nbytes <= SMALL) or not subject.offers  # then it is refused at once
    part = x if small else _part(x, subject.layout)
    if part is None and not small:
        subject.calls.append(("asarray(x)", "untried", "it may copy all elements"))
        return
    copy, refused = attempt(lambda: _native.asarray(part))
    if refused:
        _refused(subject, "asarray(x)", refused)
        return
    what = f"elements of {copy.dtype}{', in row-major order' if copy.c_contiguous else ''}"
    what += "" if small else f"; tried on a part of shape {copy.shape}"
    subject.calls.append(("asarray(x)", "copied" if copy.copied is not False else "shared", what))


def _refused(subject: Subject, call: str, refused: str) -> None:
    """Notes a refusal: in its own words, or by the calls before it that say the same."""
    said = {
        name: words
        for name, words in subject.refusals
        if words == refused or (NO_WAY in refused and _said(words) in refused)
    }
    words = refused
    if said:
        is_last = len(set(said.values())) == 1 and subject.refusals[-1][0] in said
        words = "likewise" if is_last else f"as {' and '.join(said)} {'does' if len(said) == 1 else 'do'}"
    subject.calls.append((call, "refused", words))
    subject.refusals.append((call, refused))


def _said(refused: str) -> str:
    """A refusal without the name of its error, as a list of several has it."""
    return refused.partition(": ")[2]


def _part(x: Any, layout: Layout | None) -> Any:
    """A few elements of a large array, of the same kind."""
    if layout is None or not layout.ndim:
        return None
    part, refused = attempt(lambda: x[tuple(slice(0, 2) for _ in layout.shape)])
    return None if refused else part


def _call(subject: Subject, call: str, function: Any) -> None:
    tensor, refused = attempt(lambda: function(subject.x))
    if refused:
        _refused(subject, call, refused)
        return
    _taken(subject, call, tensor)


def _taken(subject: Subject, call: str, tensor: _native.Tensor) -> None:
    subject.tensor = tensor
    outcome = {True: "copied", False: "shared", None: "taken"}[tensor.copied]
    says = f"{'read-only' if tensor.readonly else 'writable'}; by {WAYS.get(tensor.source, tensor.source)}"
    if tensor.copied is None:
        says += "; nobody can tell whether the producer copied"
    subject.calls.append((call, outcome, says))


WAYS = {
    "exchange": "the C exchange API",
    "dlpack": "a versioned capsule",
    "dlpack-unversioned": "an unversioned capsule",
    "buffer": "the buffer protocol",
    "array-interface": "the array interface",
    "numpy": "the array's own C structure",
}


def nbytes_of(x: object) -> int | None:
    """The bytes of all elements, as an object says, or at most so many as its shape makes likely."""
    found, refused = attempt(lambda: int(x.nbytes))  # type: ignore[attr-defined]
    if refused is None:
        return found  # type: ignore[no-any-return]
    shape = extents(x)
    return None if shape is None else prod(shape) * WIDEST


WIDEST = 16
"""Bytes of an element of what does not say how many bytes it has, at most, but for texts and objects."""


def ask_as(x: object, call: dict[str, str]) -> Answer:
    """Asks as a library does, by the keywords that it was seen to use."""
    keywords = {}
    for key, value in call.items():
        literal, refused = attempt(lambda value=value: ast.literal_eval(value))  # type: ignore[misc]
        if refused is None:
            keywords[key] = literal
    return ask_dlpack(x, keywords)
