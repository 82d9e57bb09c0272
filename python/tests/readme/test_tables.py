"""The tables of SAFETY.md and docs/rules.md name tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TABLES = {"SAFETY.md": 33, "docs/rules.md": 20}


def defined() -> set[str]:
    """The names of all test functions of the repository."""
    rust = [*ROOT.glob("crates/*/src/**/*.rs"), *ROOT.glob("crates/*/tests/**/*.rs")]
    python = [*ROOT.glob("python/tests/**/*.py"), *ROOT.glob("crates/*/tests_python/*.py")]
    names: set[str] = set()
    for path in [*rust, *python]:
        names.update(re.findall(r"^\s*(?:fn|def) (\w+)", path.read_text(), re.MULTILINE))
    return names


def rows(document: str) -> list[str]:
    """The rows whose first cell is a number."""
    return re.findall(r"^\| \d+ \|.*$", (ROOT / document).read_text(), re.MULTILINE)


@pytest.mark.parametrize("document", TABLES)
def test_named_tests_exist(document: str) -> None:
    known = defined()
    found = rows(document)
    assert len(found) == TABLES[document]
    for row in found:
        last = row.rsplit("|", 2)[1]
        named = re.findall(r"`([^`]+)`", last)
        assert named, f"no test is named: {row}"
        for name in named:
            assert name in known or (ROOT / name).exists() or list(ROOT.glob(f"crates/dlferry/src/{name}")), (
                name
            )
