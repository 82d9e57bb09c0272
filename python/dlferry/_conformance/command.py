"""The command: from arguments to a report."""

from __future__ import annotations

import argparse
import sys

from . import cases  # noqa: F401  (fills CASES)
from .case import Case, Role, chosen
from .report import Report, listed
from .runner import Outcome, Target, TargetRefusedError
from .runner import run as run_cases
from .terminal import Progress, plain


def run(args: argparse.Namespace) -> int:
    """Runs what the arguments say; gives the exit status."""
    roles: list[Role] = [args.role] if args.role else ["producer", "consumer"]
    color = bool(getattr(args, "color", False))
    try:
        everything = chosen(args.only, roles)
    except ValueError as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2
    if args.list:
        print(listed(everything), end="")
        return 0
    progress = Progress(sys.stderr)
    progress.show(f"{args.target} starts", 0, len(everything))

    def select(target: Target) -> list[Case]:
        return [case for case in everything if case.role in target.roles]

    def heard(target: Target, outcome: Outcome | None, done: int, total: int) -> None:
        progress.show(f"{target.name} {outcome.case.role if outcome else ''}", done, total)

    try:
        target, outcomes = run_cases(args.target, select, heard, args.timeout)
    except TargetRefusedError as error:
        progress.clear()
        print(f"conformance: {plain(str(error))}", file=sys.stderr)
        return 2
    progress.clear()
    report = Report(args.target, target, outcomes)
    print(report.json() if args.json else report.text(color=color, verbose=args.verbose), end="")
    return report.status
