"""No truth is decided by a name: libraries are named in the table of how they are called, and nowhere else."""

import ast
import re
from pathlib import Path

import dlferry._doctor
import pytest
from dlferry._doctor import libraries

FOLDER = Path(dlferry._doctor.__file__).parent
NAMES = {library.name for library in libraries.TABLE} - {"dlferry", "memoryview"} | {
    "tvm",
    "tensorflow",
    "mxnet",
}
FILES = sorted(path for path in FOLDER.iterdir() if path.suffix in (".py", ".js", ".css"))


def strings_and_names(source: str) -> list[str]:
    """The words of a module that its program can see: not its comments, nor what it says of itself."""
    tree = ast.parse(source)
    documentation = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef))
        and isinstance(node.body[0], ast.Expr)
    }
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            found.append(node.value)
        found += [
            getattr(node, field)
            for field in ("id", "attr", "arg", "name")
            if isinstance(getattr(node, field, 0), str)
        ]
    return found


def named(path: Path) -> set[str]:
    """The libraries that a file names."""
    text = path.read_text()
    words = "\n".join(strings_and_names(text)) if path.suffix == ".py" else text
    return {name for name in NAMES if re.search(rf"(?<![a-z]){name}(?![a-z])", words.lower())}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_libraries_are_named_in_the_table_alone(path):
    allowed = {"libraries.py": NAMES, "__init__.py": {"numpy", "torch"}}  # the latter: an example in the help
    assert named(path) <= allowed.get(path.name, set())


def test_the_search_finds_names(tmp_path):
    (tmp_path / "probe.py").write_text('"""Of torch."""\nif library == "jax": import numpy  # mlx\n')
    assert named(tmp_path / "probe.py") == {"jax", "numpy"}


def test_the_table_branches_on_no_name():
    tree = ast.parse((FOLDER / "libraries.py").read_text())
    compared = [
        node.value
        for compare in ast.walk(tree)
        if isinstance(compare, ast.Compare)
        for node in ast.walk(compare)
        if isinstance(node, ast.Constant)
    ]
    assert not {str(value) for value in compared} & NAMES
