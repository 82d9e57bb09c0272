"""``python -m dlferry explain``."""

from __future__ import annotations

import argparse
import ast
import builtins
import importlib
import json
import os
import shutil
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

EPILOG = """\
examples:
  python -m dlferry explain photo.npy
  python -m dlferry explain 'numpy.arange(12).reshape(3, 4)[:, ::-1]' --to torch
  python -m dlferry explain 'torch.ones(3, dtype=torch.complex64).conj()' --json

exit status: 0; 1 if a library of --to would refuse, crash or give other values,
or could not be tried; 2 if there is nothing to explain
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds what the subcommand takes."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    parser.add_argument(
        "what",
        metavar="FILE.npy|EXPR",
        help="a file of NumPy's, or an expression of Python's; modules that it names are imported, and it runs as any "
        "Python code does",
    )
    parser.add_argument(
        "--to",
        action="append",
        metavar="LIB",
        help="what this library would do, by the name that one imports; may be given again; 'none' for none",
    )
    parser.add_argument(
        "--json", action="store_true", help="print the report as JSON, as Report.to_dict documents it"
    )
    parser.add_argument(
        "--html", metavar="FILE", help="write the report as a page, with a picture of the memory"
    )


def names(tree: ast.AST) -> dict[str, Any]:
    """The modules that an expression names, imported: ``numpy``, and ``PIL.Image`` where it says so."""
    found: dict[str, Any] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not hasattr(builtins, node.id):
            with suppress(ModuleNotFoundError):
                found[node.id] = importlib.import_module(SHORT.get(node.id, node.id))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in found:
            module = found[node.value.id]
            if not hasattr(module, node.attr):
                with suppress(ModuleNotFoundError):
                    importlib.import_module(f"{module.__name__}.{node.attr}")
    return found


SHORT = {
    "np": "numpy",
    "jnp": "jax.numpy",
    "mx": "mlx.core",
    "pa": "pyarrow",
    "cp": "cupy",
    "tf": "tensorflow",
}
"""Names that are customary for modules."""


def subject(what: str) -> Any:
    """The array in a file, or the value of an expression."""
    path = Path(what)
    if what.endswith(".npy") and path.exists():
        return loaded(path)
    if what.endswith((".npy", ".npz")) or (os.sep in what and path.exists()):
        there = "only files that end in .npy are read" if path.exists() else "there is no such file"
        raise FileNotFoundError(
            f"{there}; an expression can open others, as numpy.load('{what}')['name'] does"
        )
    tree = ast.parse(what, "<the expression>", "eval")
    known = {"__name__": "__main__", **names(tree)}  # of which classes that it makes are
    try:
        return eval(compile(tree, "<the expression>", "eval"), known)
    except NameError as error:
        if error.name in known or error.name not in {
            node.id for node in ast.walk(tree) if isinstance(node, ast.Name)
        }:
            raise
        raise ModuleNotFoundError(f"no module {error.name!r} is installed here") from None


def loaded(path: Path) -> Any:
    """The array in a file, as a map: of a large file nothing is read that is not looked at."""
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise ValueError("it does not begin as files of NumPy's do")
    import numpy

    return numpy.load(path, mmap_mode="r", allow_pickle=False)  # objects are not unpickled


MAGIC = b"\x93NUMPY"
"""What a file of NumPy's begins with."""


def main(args: argparse.Namespace) -> int:
    """Explains, and gives the exit status."""
    from . import explain
    from .libraries import installed, named
    from .protocols import attempt
    from .text import text

    wanted = args.to or installed()
    try:
        libraries = () if "none" in wanted else tuple(named(name) for name in wanted)
    except ValueError as error:
        return _senseless(f"--to: {error}")
    x, refused = attempt(lambda: subject(args.what))
    if refused is not None:
        return _senseless(f"{args.what}: {refused}")
    with waiting(f"trying {', '.join(libraries)} ..." if libraries else ""):
        report = explain(x, to=libraries)
    if args.html:
        from .page import page

        try:
            Path(args.html).write_text(page(report), encoding="utf-8")
        except OSError as error:
            return _senseless(f"--html: {error}")
    if args.json:
        print(json.dumps(report.to_dict(), indent=2))
    elif not args.html:
        print(text(report, color=args.color, width=min(shutil.get_terminal_size((80, 24)).columns, 120)))
    bad = any(verdict.outcome in BAD for verdict in report.verdicts)
    return 1 if args.to and bad else 0


BAD = ("refused", "crashed", "wrong", "untried")
"""The outcomes with which an exchange that was asked about cannot be counted on."""


def _senseless(words: str) -> int:
    from .text import printable

    print(f"python -m dlferry explain: {printable(words)}", file=sys.stderr)
    return 2


@contextmanager
def waiting(words: str) -> Iterator[None]:
    """Says on a terminal what one waits for, and takes that away."""
    shown = bool(words) and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    if shown:
        columns = shutil.get_terminal_size((80, 24)).columns
        print(words[: columns - 1], end="\r", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        if shown:
            print("\x1b[2K", end="\r", file=sys.stderr, flush=True)
