"""``python -m dlferry``: tools that show what happens between array libraries.

Each subcommand is a package that has ``add_arguments(parser)`` and ``main(args) -> int``, whose result is the exit
status. A package is imported only when its subcommand runs or its help is asked for.
"""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
import textwrap
from importlib.util import find_spec
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


COMMANDS = {
    "explain": "what an array is, which protocols it offers, and what each library would make of it",
    "doctor": "the installed array libraries, each handing arrays to each",
    "conformance": "the rules of DLPack, put to a library",
}


class Command(Protocol):
    """What the package of a subcommand has."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Adds what the subcommand takes."""

    def main(self, args: argparse.Namespace) -> int:
        """Runs the subcommand and gives the exit status."""


def _installed() -> dict[str, str]:
    """The subcommands whose package is there, and what each does."""
    return {name: words for name, words in COMMANDS.items() if find_spec(f"{__package__}._{name}")}


def _load(name: str) -> Command:
    return importlib.import_module(f"{__package__}._{name}")


def _wants_color(args: argparse.Namespace) -> bool:
    """Whether the output is colored: as asked; else as https://no-color.org has it, and on terminals only."""
    if args.color is not None:
        return bool(args.color)
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return sys.stdout.isatty()


def _parser(name: str | None) -> argparse.ArgumentParser:
    """The parser, with the arguments of the subcommand ``name`` alone, for the others' are not looked at."""
    parser = argparse.ArgumentParser(
        prog="python -m dlferry",
        description="Shows what happens between array libraries.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="store_true", help="say which dlferry this is, and go")
    subcommands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for command, words in _installed().items():
        # Some have epilogs that are laid out, and then nothing else is either.
        description = textwrap.fill(f"Shows {words}.", 78)
        of_command = subcommands.add_parser(command, help=words, description=description, allow_abbrev=False)
        if command == name:
            _load(command).add_arguments(of_command)
            of_command.add_argument(
                "--color",
                action=argparse.BooleanOptionalAction,
                default=None,
                help="color the output; without this, on a terminal where NO_COLOR is not set",
            )
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a subcommand and gives its exit status: 2 where the arguments make no sense.

    The subcommand finds ``args.color`` decided, True or False.

    >>> main(["--version"])  # doctest: +ELLIPSIS
    dlferry ...
    0
    """
    argv = sys.argv[1:] if argv is None else list(argv)
    parser = _parser(next((word for word in argv if word in COMMANDS), None))
    args = parser.parse_args(argv)
    if args.version:
        from ._native import __version__

        print(f"dlferry {__version__}")
        return 0
    if args.command is None:
        parser.print_help()
        return 2
    args.color = _wants_color(args)
    for stream in (sys.stdout, sys.stderr):
        # What a terminal cannot show is no reason to end; names of files and types may be anything.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        return _load(args.command).main(args)
    except KeyboardInterrupt:
        return 130  # as a shell has it
    except BrokenPipeError:  # as of `| head`; nothing may be written to it when Python ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


if __name__ == "__main__":
    sys.exit(main())
