"""The process that runs cells: reads a list of them, and writes a line before and after each."""

from __future__ import annotations

import json
import sys
import warnings

import cells


def main() -> None:
    """Run what standard input lists, and report on standard output."""
    # What libraries print goes elsewhere.
    report, sys.stdout = sys.stdout, sys.stderr
    warnings.simplefilter("ignore")
    for cell in json.load(sys.stdin):
        print(json.dumps({"begins": cell}), file=report, flush=True)
        kind, *arguments = cell
        try:
            outcome = cells.RUN[kind](*arguments)
        except Exception as error:
            outcome = f"fault of the cell: {error!r}"
        print(json.dumps({"ends": cell, "outcome": outcome}), file=report, flush=True)


if __name__ == "__main__":
    main()
