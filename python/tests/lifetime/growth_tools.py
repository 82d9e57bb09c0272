"""What the tables of things that are done very often have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class New:
    """An array that is reached through its method, with all keywords."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **keywords: Any) -> object:
        return self.array.__dlpack__(**keywords)


class Old:
    """An array whose method has no keywords."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self) -> object:
        return self.array.__dlpack__()


def refused(action: Callable[[], object], *errors: type[BaseException]) -> Callable[[], object]:
    """Return the action, which must fail each time."""

    def refusal() -> None:
        try:
            action()
        except errors:
            return
        raise AssertionError("was not refused")

    return refusal
