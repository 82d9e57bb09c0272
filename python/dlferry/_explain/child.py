"""What runs in a process of its own: a library is given arrays, and whatever it does to the process is a result.

Started as ``python -m dlferry._explain.child`` with a task as JSON on the standard input. What is found goes to the
standard output at once, a line of JSON each, so that what came before a crash is known.
"""

from __future__ import annotations

import base64
import importlib
import importlib.metadata
import json
import os
import pickle
import signal
import sys
import warnings
from contextlib import suppress
from typing import Any

from .. import _native
from .libraries import TAKES, takes
from .protocols import signature, words
from .twins import Twin


class Producer:
    """An array that offers ``__dlpack__`` alone."""

    def __init__(self, tensor: Any, versioned: bool) -> None:
        self._tensor = tensor
        self._versioned = versioned

    def __dlpack__(self, **keywords: Any) -> Any:
        """Answers as its tensor does, without a version where it knows of none."""
        if not self._versioned:
            keywords.pop("max_version", None)
        return self._tensor.__dlpack__(**keywords)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Answers as its tensor does."""
        return self._tensor.__dlpack_device__()  # type: ignore[no-any-return]


class Recorder(Producer):
    """One that writes down with which keywords it is asked."""

    def __init__(self, tensor: Any) -> None:
        super().__init__(tensor, True)
        self.calls: list[dict[str, str]] = []

    def __dlpack__(self, **keywords: Any) -> Any:
        """Answers, after writing down."""
        self.calls.append({key: repr(value) for key, value in keywords.items()})
        return super().__dlpack__(**keywords)


def producer(twin: Twin) -> tuple[Any, Any]:
    """A tensor and what offers it: an array of the twin's own library, if that has one which is the same."""
    tensor = twin.make()
    if twin.kind is not None:
        try:
            module, function = TAKES[twin.kind]
            own = getattr(importlib.import_module(module), function)(tensor)
            seen = _native.from_dlpack(own)
            same = seen.data_ptr == tensor.data_ptr and seen.readonly == tensor.readonly
            if same and steps(seen) == steps(tensor):
                return tensor, own
        except Exception:  # that library has no such array, then
            pass
    if not twin.dlpack:
        return tensor, memoryview(tensor)
    if twin.exchange and twin.versioned:
        return tensor, tensor
    return tensor, Producer(tensor, twin.versioned)


def steps(tensor: Any) -> list[tuple[int, int]]:
    """Extents and strides of the axes on which there is more than one element."""
    return [(extent, step) for extent, step in zip(tensor.shape, tensor.strides, strict=True) if extent > 1]


def span(twin: Twin, tensor: Any) -> range:
    """The addresses of a twin's elements."""
    moving = [
        (n - 1) * step * tensor.itemsize for n, step in zip(twin.shape, twin.strides, strict=True) if n > 1
    ]
    low, high = sum(step for step in moving if step < 0), sum(step for step in moving if step > 0)
    return range(tensor.data_ptr + low, tensor.data_ptr + high + tensor.itemsize)


def read(x: Any) -> Any:
    """A tensor of what a library made."""
    try:
        return _native.from_dlpack(x)
    except Exception:
        return _native.asarray(x)


def trial(take: Any, twin: Twin) -> dict[str, Any]:
    """Gives the twin to the library and looks at what it made."""
    tensor, offered = producer(twin)
    try:
        made = take(offered)
    except BaseException as error:  # a panic of Rust's is no Exception
        return {"outcome": "refused", "detail": words(error)}
    try:
        seen = read(made)
    except Exception as error:
        return {"outcome": "taken", "detail": f"what it made cannot be looked at: {words(error)}"}
    if seen.size == 0:
        return {
            "outcome": "shared" if tensor.size == 0 else "wrong",
            "detail": "what it made has no elements",
        }
    result: dict[str, Any] = {
        "outcome": "shared" if seen.data_ptr in span(twin, tensor) else "copied",
        "detail": "",
    }
    if tuple(seen.shape) != tuple(twin.shape):
        return {"outcome": "wrong", "detail": f"what it made has shape {seen.shape}"}
    if seen.dtype != tensor.dtype:
        result["outcome"], result["detail"] = "converted", f"its elements are {seen.dtype}"
    elif seen.tobytes() != tensor.tobytes():
        return {"outcome": "wrong", "detail": "what it made has other values"}
    if twin.readonly and result["outcome"] == "shared":
        result["read_only"] = kept(made, seen)
    return result


def kept(made: Any, seen: Any) -> str:
    """Whether what a library made of read-only memory still says so, to the next who asks."""
    try:
        told = _native._look_at(made.__dlpack__(max_version=(1, 3)))
    except Exception:  # it goes by another protocol
        return "kept" if seen.readonly else "lost"
    if told.get("version") is None:
        return "unknown"
    return "kept" if told["flags"] & READ_ONLY else "lost"


READ_ONLY = 1


def trial_itself(take: Any, task: dict[str, Any]) -> dict[str, Any] | None:
    """Gives the library the array itself, which came pickled; None where it did not arrive as it was."""
    try:
        x = pickle.loads(base64.b64decode(task["itself"]))  # of the process that started this one
        if signature(x) != task["signature"]:
            return None
    except Exception:
        return None
    try:
        made = take(x)
    except BaseException as error:
        return {"outcome": "refused", "detail": words(error)}
    try:
        found, expected = read(made).tolist(), x.tolist()
    except Exception as error:
        return {"outcome": "taken", "detail": f"what it made cannot be compared: {words(error)}"}
    if found != expected:
        return {"outcome": "wrong", "detail": "what it made has other values than the array"}
    return {"outcome": "taken", "detail": "what it made has the values of the array"}


def version(module: Any) -> str:
    """The version of a library, as it or its package says."""
    own = getattr(module, "__version__", None)
    if isinstance(own, str):
        return own
    try:
        return importlib.metadata.version(module.__name__.replace("_", "-"))
    except importlib.metadata.PackageNotFoundError:
        return ""


def main() -> None:
    """Reads the task, imports the library, and tries one twin after another."""
    output = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is no result

    def say(**found: Any) -> None:
        output.write(json.dumps(found) + "\n")
        output.flush()

    task = json.load(sys.stdin)
    if hasattr(signal, "alarm"):  # ends it without Python's help, should nobody be left to do that
        signal.alarm(int(task["seconds"]) + 1)
    warnings.simplefilter("ignore")
    module, function = takes(task["library"])
    try:
        imported = importlib.import_module(module)
        take = getattr(imported, function)
    except BaseException as error:  # some end the process
        say(failed=words(error))
        return
    root = sys.modules.get(task["library"].partition(".")[0], imported)
    say(version=version(root), call=f"{module}.{function}")
    twins = {name: Twin.from_dict(fields) for name, fields in task["twins"].items()}
    if "itself" in task:
        say(trying="itself")
        itself = trial_itself(take, task)
        say(
            name="itself",
            **(itself or {"outcome": "untried", "detail": "it cannot be had in another process"}),
        )
    for name, twin in twins.items():
        say(trying=name)
        try:
            result = trial(take, twin)
        except Exception as error:  # not the library's: the twin could not be made, or its result not be read
            result = {"outcome": "untried", "detail": words(error)}
        say(name=name, **result)
    recorder = Recorder(Twin.from_dict(task["asked"]).make())
    with suppress(BaseException):  # how it asks is of interest, not what it makes of it
        take(recorder)
    say(asks=recorder.calls)


if __name__ == "__main__":
    main()
