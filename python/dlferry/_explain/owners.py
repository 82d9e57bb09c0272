"""What keeps the memory of an array, as a chain that reads as a sentence."""

from __future__ import annotations

from itertools import islice
from typing import Any

from .facts import MOST_AXES
from .protocols import attempt, is_a, kind_of

NAMES = ("owner", "base", "obj", "_base")
"""The attributes by which arrays, tensors and memoryviews name the object that their memory is of."""

LONGEST = 12


def owners(x: object) -> list[Any]:
    """The object, the one that its memory is of, and so on."""
    chain = [x]
    while len(chain) <= LONGEST:
        last = chain[-1]
        for name in NAMES:
            found, refused = attempt(lambda last=last, name=name: getattr(last, name, None))  # type: ignore[misc]
            if refused is None and found is not None and holds(found):
                break
        else:
            return chain
        if any(found is known for known in chain):
            return chain
        chain.append(found)
    return chain


def holds(x: object) -> bool:
    """Whether an object may hold memory for others: what is named so elsewhere is often a text or a number."""
    vars_of, mro_of = type.__dict__["__dict__"].__get__, type.__dict__["__mro__"].__get__
    is_called = any("__call__" in vars_of(kind) for kind in mro_of(type(x)))
    return not (is_called or is_a(x, (str, int, float, type)))


def sentence(chain: list[Any]) -> str:
    """The chain in words."""
    if len(chain) == 1:
        return f"this {name(chain[0])} names no other object as the owner of its memory"
    links = ", which holds ".join(f"{article(name(link))} {name(link)}" for link in chain[1:])
    return f"this {name(chain[0])} holds {links}"


def article(word: str) -> str:
    """``a`` or ``an``."""
    return "an" if word[:1].lower() in "aeiou" else "a"


def name(x: object) -> str:
    """An object in few words: its type, and how much it is."""
    kind = kind_of(x)
    shape, refused = attempt(lambda: str(tuple(islice(x.shape, MOST_AXES))))  # type: ignore[attr-defined]
    if refused is None and len(shape) < 60:
        return f"{kind} of shape {shape}"
    if is_a(x, (bytes, bytearray)):
        size = len(x)  # type: ignore[arg-type]
        return f"{kind} of {size} byte{'' if size == 1 else 's'}"
    return kind
