"""The process that runs cases: it reads ids from its standard input, and says on a pipe what became of each."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from . import cases  # noqa: F401  (fills CASES)
from .case import CASES, DeviatesError, NotApplicableError
from .look import brief
from .resolve import TargetError, resolve
from .subject import Subject


def judge(subject: Subject, name: str) -> dict[str, Any]:
    """Runs a case and gives its verdict and, where there is something to say, the detail."""
    case = CASES[name]
    try:
        case.run(subject)
    except DeviatesError as error:
        return {"verdict": "deviates", "detail": str(error)}
    except NotApplicableError as error:
        return {"verdict": "not applicable", "detail": str(error)}
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a panic of Rust's is no Exception
        return {"verdict": "deviates", "detail": f"raises {brief(error)}"}
    return {"verdict": "pass", "detail": ""}


def main(arguments: list[str]) -> None:
    """Runs the cases of a target: ``FD TARGET``."""
    pipe = os.fdopen(int(arguments[0]), "w", buffering=1)

    def say(**words: Any) -> None:
        pipe.write(json.dumps(words) + "\n")
        pipe.flush()

    try:
        subject = resolve(arguments[1])
    except TargetError as error:
        say(refused=str(error))
        return
    say(name=subject.name, version=subject.version, roles=subject.roles)
    for line in sys.stdin:
        name = line.strip()
        say(begins=name)
        say(ends=name, **judge(subject, name))


if __name__ == "__main__":
    main(sys.argv[1:])
