"""``python -m dlferry explain``."""

from __future__ import annotations

import argparse
import ast
import builtins
import importlib
import json
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

EPILOG = """\
examples:
  python -m dlferry explain photo.npy
  python -m dlferry explain 'numpy.arange(12).reshape(3, 4)[:, ::-1]' --to torch
  python -m dlferry explain 'torch.ones(3, dtype=torch.complex64).conj()' --json

exit status: 0; 1 if a library of --to would refuse, crash or give other values;
2 if there is nothing to explain
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
    if what.endswith(".npy") and Path(what).exists():
        import numpy

        # A map: of a large file nothing is read that is not looked at. Objects are not unpickled.
        return numpy.load(what, mmap_mode="r", allow_pickle=False)
    tree = ast.parse(what, "<the expression>", "eval")
    return eval(compile(tree, "<the expression>", "eval"), names(tree))


def main(args: argparse.Namespace) -> int:
    """Explains, and gives the exit status."""
    from . import explain
    from .libraries import installed, named

    try:
        wanted = args.to or installed()
        libraries = () if "none" in wanted else tuple(named(name) for name in wanted)
        x = subject(args.what)
    except Exception as error:
        from .protocols import words

        print(f"python -m dlferry explain: {args.what}: {words(error)}", file=sys.stderr)
        return 2
    if sys.stderr.isatty() and libraries:
        print(f"trying {', '.join(libraries)} ...", end="\r", file=sys.stderr, flush=True)
    report = explain(x, to=libraries)
    if sys.stderr.isatty() and libraries:
        print("\x1b[2K", end="\r", file=sys.stderr, flush=True)
    if args.html:
        from .page import page

        Path(args.html).write_text(page(report), encoding="utf-8")
    if args.json:
        print(json.dumps(report.to_dict(), indent=2))
    elif not args.html:
        from .text import text

        print(text(report, color=args.color, width=min(shutil.get_terminal_size((80, 24)).columns, 120)))
    bad = any(verdict.outcome in ("refused", "crashed", "wrong") for verdict in report.verdicts)
    return 1 if args.to and bad else 0
