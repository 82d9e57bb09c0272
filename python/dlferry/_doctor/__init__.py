"""``python -m dlferry doctor``: every installed array library hands arrays to every other, and one sees what comes.

Each exchange really happens, in a process that may crash. The result is judged by the memory itself and not by what a
library says. ``docs/doctor.md`` explains how to read it, ``report`` has the schema of the JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from . import libraries, markdown, page, picture, report, runner, terminal
from .libraries import Library
from .report import Report

EPILOG = """exit status:
  0  every exchange that took place was right
  1  some gave wrong values, crashed or did not end
  2  the arguments make no sense, or a file cannot be written

The JSON has the keys dlferry, python, platform, date, libraries {import name:
version}, broken {import name: reason}, cells [{producer, consumer, outcome,
read_only, ns, detail, capsule, shared_from, probes}], findings [{level,
library, words}] and words {probe: what it is}. outcome is shared, copied,
converted, taken, refused, wrong, crashed, timeout or none; read_only is kept,
lost, copied, refused or null.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the subcommand takes."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    parser.add_argument(
        "--only", metavar="A,B", help="these libraries only, by their import names, such as numpy,torch"
    )
    parser.add_argument(
        "--with",
        metavar="MODULE",
        dest="modules",
        action="append",
        default=[],
        help="a module of yours as one more library, by its functions make(memory, dtype, shape), "
        "take(array) and freeze(array), each of them optional",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--html", metavar="FILE", help="write a page, in one file")
    parser.add_argument("--svg", metavar="FILE", help="write the table as a picture")
    parser.add_argument("--markdown", metavar="FILE", help="write the table in Markdown")
    parser.add_argument("--input", metavar="FILE", help="show the JSON of an earlier run, and try nothing")
    parser.add_argument(
        "--isolate",
        action="store_true",
        help="a process for each pair: nothing else is loaded, and it takes longer",
    )
    parser.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=float,
        default=20.0,
        help="for one exchange (default: 20); a library may take six times as long to load, and a minute at least",
    )


def main(args: argparse.Namespace) -> int:
    """Runs the doctor and gives the exit status; ``args.color`` says whether the text is colored."""
    try:
        found = _read(args.input) if args.input else _run(args)
        for path, write in (
            (args.html, page.page_of),
            (args.svg, picture.picture_of),
            (args.markdown, markdown.markdown_of),
        ):
            _write(path, write, found)
    except (_UsageError, OSError) as error:
        print(f"doctor: {error}", file=sys.stderr)
        return 2
    if args.json:
        json.dump(found.to_dict(), sys.stdout, indent=1)
        print()
    else:
        width = max(60, shutil.get_terminal_size((80, 24)).columns)
        style = terminal.Style(getattr(args, "color", False), terminal.can_encode(sys.stdout))
        print(terminal.text_of(found, width, style))
    return 1 if found.faults() else 0


class _UsageError(Exception):
    """What was asked for makes no sense."""


def _run(args: argparse.Namespace) -> Report:
    if not args.timeout > 0:
        raise _UsageError("--timeout has to be above 0")
    chosen = choose(args.only, args.modules)
    bar = terminal.Bar(sys.stderr, shutil.get_terminal_size((80, 24)).columns)
    try:
        ran = runner.run(chosen, seconds=args.timeout, isolate=args.isolate, tell=bar)
    finally:
        bar.end()
    return report.of_run(chosen, ran)


def choose(only: str | None, modules: list[str]) -> list[Library]:
    """Finds the libraries that are meant: the installed ones, or those named, and the user's own.

    Raises an error that says which name is that of no installed library.
    """
    there = libraries.installed()
    own = [libraries.of_module(name) for name in modules]
    for library in own:
        if library.name in {known.name for known in libraries.TABLE}:
            raise _UsageError(f"--with {library.name}: a library of the table has this name")
        if not libraries.is_there(library.module):
            raise _UsageError(f"--with {library.name}: there is no such module")
    if only is not None:
        wanted = {name.strip() for name in only.split(",") if name.strip()}
        known = {library.name for library in (*there, *own)}
        if missing := sorted(wanted - known):
            names = ", ".join(sorted(known))
            raise _UsageError(
                f"--only: {', '.join(missing)} is not installed or not known; there are {names}"
            )
        there = [library for library in there if library.name in wanted]
    if not [*there, *own]:
        raise _UsageError("--only: names no library")
    return [*there, *own]


def _read(path: str) -> Report:
    try:
        return Report.from_dict(json.loads(Path(path).read_text(encoding="utf-8")))
    except (ValueError, KeyError, TypeError) as error:
        raise _UsageError(f"--input {path}: not the JSON of a run: {error}") from None


def _write(path: str | None, write: Callable[[Report], str], found: Report) -> None:
    """Writes a file as a whole, or leaves the one that is there as it is."""
    if path is None:
        return
    aside = Path(f"{path}.{os.getpid()}")
    try:
        aside.write_text(write(found), encoding="utf-8")
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)
