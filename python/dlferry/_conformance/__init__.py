"""``python -m dlferry conformance``: the rules of DLPack as cases that are run on a library."""

from __future__ import annotations

import argparse

EPILOG = """\
TARGET is a library (numpy), a function or a class of a module (mylib:zeros,
which makes an array, or mylib:from_dlpack, which takes one), the same of a file
(mine.py:zeros), or several of these joined by commas.

verdicts:
  pass            the library does what the rule says
  deviates        it does something else; the report says what, and from which
                  text it differs
  crashes         the process ended, or did not come to an end
  not applicable  the rule is about something that the library does not offer

levels:
  must            a text demands it
  should          a text recommends it
  usual           no text says it; libraries do it, and others count on it

exit status: 0 if no "must" is broken and nothing crashes, 1 if so, 2 if TARGET
cannot be tested.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the command takes."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = "Runs the rules of DLPack on a library, as producer and as consumer of arrays."
    parser.epilog = EPILOG
    parser.add_argument("target", metavar="TARGET", help="what is tested: numpy, mylib:zeros, mine.py:zeros")
    parser.add_argument(
        "--only",
        metavar="RULE",
        action="append",
        default=[],
        help="only the cases of a rule (R4.2), of a section (R4), or with a word in their name",
    )
    parser.add_argument(
        "--as", dest="role", choices=["producer", "consumer"], help="only one of the two roles"
    )
    parser.add_argument("--list", action="store_true", help="list the cases and run none")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument("-v", "--verbose", action="store_true", help="show the cases that pass, too")
    parser.add_argument(
        "--timeout", metavar="SECONDS", type=float, default=30.0, help="how long a case may take (30)"
    )


def main(args: argparse.Namespace) -> int:
    """Runs the cases and prints the report; gives the exit status."""
    from .command import run

    return run(args)
