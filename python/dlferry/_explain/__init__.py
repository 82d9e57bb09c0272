"""``dlferry.explain`` and ``python -m dlferry explain``: what an array is, and what becomes of it where, and why."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from .report import Report

if TYPE_CHECKING:
    import argparse
    from types import ModuleType

__all__ = ["Report", "explain"]


def explain(x: object, to: str | ModuleType | tuple[str | ModuleType, ...] | None = None) -> Report:
    """Tells what an array is, which protocols it offers and how each answers, and what each library would make of it.

    ``x`` is any object. It is asked, but not taken: a capsule stays as it is, memory on a device is not touched, and
    of large arrays nothing is copied. Libraries are not given ``x``, but small arrays that are laid out alike, in
    processes of their own, and others that differ in one thing, until it is clear what a library minds; no library
    is imported here. That takes some seconds.

    - ``to``: the name of a library, or its module, or a tuple of them, for what these would do; ``()`` for none. By
      default those that dlferry knows how to call and that are installed.

    Raises ``ValueError`` for the name of what is not installed, ``TypeError`` for what is neither a name nor a module,
    ``RecursionError`` where an object that is asked explains itself again and again.

    >>> import dlferry
    >>> report = dlferry.explain(dlferry.from_buffer(bytes(range(6))).reshape(2, 3)[:, ::-1], to=())
    >>> report.layout.strides, report.layout.order
    ((3, -1), 'neither row-major nor column-major: axis 1 runs backwards')
    >>> report.to_dict()["layout"]["readonly"]
    True
    """
    from .libraries import installed, named
    from .report import report
    from .subject import examine
    from .verdicts import verdicts

    wanted = to if isinstance(to, tuple) else (to,)
    libraries = installed() if to is None else [named(library) for library in wanted]
    running = getattr(_RUNNING, "calls", 0)
    if running == NESTED:
        raise RecursionError("explain was called by what it explains, and again by that")
    _RUNNING.calls = running + 1
    try:
        subject = examine(x)
        found, tried = verdicts(subject, libraries)
        return report(subject, found, tried)
    finally:
        _RUNNING.calls = running


NESTED = 2
"""So many calls may be within each other in a thread: each asks several times, so a few would take for ever."""
_RUNNING = threading.local()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the subcommand takes."""
    from .command import add_arguments

    add_arguments(parser)


def main(args: argparse.Namespace) -> int:
    """Runs the subcommand and gives the exit status."""
    from .command import main

    return main(args)
