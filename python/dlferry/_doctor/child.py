"""The process in which arrays are exchanged: told by lines of JSON, it answers by lines of JSON.

A request is ``[producer, consumer, [probe, ...]]``, libraries by their names, or by those of modules of the user's own.
Each step is told before it is done, so that whoever reads knows what it was that a crash ended.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
import warnings
from typing import Any, TextIO

from . import probes
from .libraries import TABLE, Library, of_module

_LIBRARIES = {library.name: library for library in TABLE}


def main() -> None:
    """Answers requests until there are none."""
    report = _own_output()
    warnings.simplefilter("ignore")
    modules: dict[str, Any] = {}
    for line in sys.stdin:
        producer, consumer, wanted = json.loads(line)
        libraries = [_library(producer), _library(consumer)]
        for library in libraries:
            if library.name not in modules:
                _say(report, {"imports": library.name})
                try:
                    modules[library.name] = importlib.import_module(library.module)
                except (
                    BaseException
                ) as error:  # a library that ends the process is one that cannot be imported
                    _say(report, {"broken": library.name, "reason": probes.sentence(error)})
                    break
        else:
            gc.freeze()  # what libraries are made of is not looked through after each probe
            pair = probes.Pair(
                libraries[0], libraries[1], (modules[libraries[0].name], modules[libraries[1].name])
            )
            for name in wanted:
                _say(report, {"begins": name})
                _say(report, {"ends": name, "result": probes.run(pair, name)})
        _say(report, {"done": [producer, consumer]})
    report.flush()
    os._exit(0)  # what libraries do when Python ends is no exchange


def _library(name: str) -> Library:
    return _LIBRARIES.get(name) or of_module(name)


def _own_output() -> TextIO:
    """Keeps standard output for the report: what libraries print goes to standard error, as bytes too."""
    report = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return report


def _say(report: TextIO, what: dict[str, Any]) -> None:
    report.write(json.dumps(what) + "\n")
    report.flush()


if __name__ == "__main__":
    main()
