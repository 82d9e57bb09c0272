"""From what was typed to what is tested."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from .libraries import CONSTRUCTORS, CONSUMERS, LIBRARIES, Library
from .subject import Subject, refused_or


class TargetError(Exception):
    """There is no such thing to test."""


def resolve(target: str) -> Subject:
    """The subject of ``LIB``, ``module:name`` or ``FILE.py:name``; several are joined by commas.

    Raises :class:`TargetError` if there is no such thing, or if it is neither a producer nor a consumer.
    """
    parts = [part.strip() for part in target.split(",") if part.strip()]
    if not parts:
        raise TargetError("nothing is named that could be tested")
    subjects = [_one(part) for part in parts]
    subject = subjects[0]
    for more in subjects[1:]:
        subject.factory = subject.factory or more.factory
        subject.arrays = subject.arrays or more.arrays
        subject.named = more.named if more.consume else subject.named
        subject.consume = subject.consume or more.consume
        subject.name += f", {more.name}"
    if not subject.roles:
        raise TargetError(f"{target} makes no arrays with __dlpack__ and takes none")
    return subject


def _one(target: str) -> Subject:
    module, colon, name = target.rpartition(":")
    return _named(target, module, name) if colon else _library(target)


def _named(target: str, module: str, name: str) -> Subject:
    thing = attribute(load(module), name)
    version = "" if module.endswith(".py") else version_of(module.split(".")[0])
    if hasattr(thing, "__dlpack__") and not isinstance(thing, type):
        return Subject(target, version, factory=lambda: thing)
    if not callable(thing):
        raise TargetError(f"{target} is of type {type(thing).__name__}: wanted a function or an array")
    if isinstance(thing, type) and hasattr(thing, "__dlpack__") and not _wanted_arguments(thing):
        return Subject(target, version, factory=thing)
    if (wanted := _wanted_arguments(thing)) > 1:
        raise TargetError(
            f"{target} has {wanted} arguments without a default: what makes an array has none, what takes one has one"
        )
    if wanted:
        named = "from_dlpack" in (name.rpartition(".")[2], getattr(thing, "__name__", ""))
        return Subject(target, version, consume=thing, named=named)
    return Subject(target, version, factory=thing)


def _wanted_arguments(thing: Callable[..., Any]) -> int:
    """Tells a consumer from a factory: how many parameters without a default it has."""
    try:
        parameters = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return 0 if hasattr(refused_or(thing), "__dlpack__") else 1
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return sum(each.default is each.empty and each.kind not in kinds for each in parameters)


def _library(name: str) -> Subject:
    known = LIBRARIES.get(name)
    if known is None:
        return _unknown(name)
    load(name)
    if known.setup:
        scope = {name.split(".")[0]: load(name), **({} if not known.arrays else {"_": load(known.arrays)})}
        eval(known.setup, scope)
    return _of(name, known)


def _of(name: str, library: Library) -> Subject:
    arrays = load(library.arrays) if library.arrays else None
    consume, named = None, False
    if library.consume:
        module, _, path = library.consume.partition(":")
        consume, named = attribute(load(module), path), path.endswith("from_dlpack")
    return Subject(name, version_of(name), arrays=arrays, consume=consume, named=named)


def _unknown(name: str) -> Subject:
    """A library that is not in the table: its functions have the names that others' have."""
    module = load(name)
    arrays = name if any(hasattr(module, each) for each in CONSTRUCTORS) else ""
    found = [path for path in CONSUMERS if _has(module, path)]
    return _of(name, Library(arrays, f"{name}:{found[0]}" if found else ""))


def _has(module: Any, path: str) -> bool:
    try:
        attribute(module, path)
    except TargetError:
        return False
    return True


def load(name: str) -> Any:
    """Imports a module by its name, or by the path of its file."""
    path = Path(name)
    if path.suffix == ".py":
        if not path.is_file():
            raise TargetError(f"there is no file {name}")
        if path.stem in sys.modules and getattr(sys.modules[path.stem], "__file__", None) == str(
            path.resolve()
        ):
            return sys.modules[path.stem]
        sys.path.insert(0, str(path.resolve().parent))
        spec = importlib.util.spec_from_file_location(path.stem, path.resolve())
        if spec is None or spec.loader is None:
            raise TargetError(f"{name} cannot be imported")
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module
        spec.loader.exec_module(module)
        return module
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise TargetError(f"{name} cannot be imported: {error}") from None


def attribute(module: Any, path: str) -> Any:
    """The thing at a dotted path in a module."""
    thing = module
    for part in path.split("."):
        if not hasattr(thing, part) and inspect.ismodule(thing):
            refused_or(partial(importlib.import_module, f"{thing.__name__}.{part}"))
        if not hasattr(thing, part):
            raise TargetError(f"{module.__name__} has no {path}")
        thing = getattr(thing, part)
    return thing


def version_of(name: str) -> str:
    """The version of a library, or nothing where it has none."""
    module = sys.modules.get(name)
    version = getattr(module, "__version__", None)
    if isinstance(version, str):
        return version
    import importlib.metadata  # much of the time that a worker takes to start, and seldom needed

    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        # Looks into all that is installed, which takes long.
        distributions = importlib.metadata.packages_distributions().get(name, [])
    return importlib.metadata.version(distributions[0]) if distributions else ""
