"""Each public failure has a test, which names where it was told."""

import re
from pathlib import Path

import pytest
from coverage_of_cases import COVERED

HERE = Path(__file__).parent
RUST = HERE.parents[2] / "crates" / "dlferry" / "tests"
IN_PYTHON = re.compile(r'^def test_(b\d{3})_\w+\(.*?\n    """(.*?)"""', re.M | re.S)
IN_RUST = re.compile(r"((?:^/// .*\n)+)#\[test\]\nfn (b\d{3})_", re.M)


def found() -> list[tuple[str, str]]:
    """Return the number and the description of each test of a case."""
    python = [
        pair for path in sorted(HERE.glob("test_cases_*.py")) for pair in IN_PYTHON.findall(path.read_text())
    ]
    rust = [
        (number, " ".join(text.replace("///", "").split()))
        for path in sorted(RUST.glob("cases_*.rs"))
        for text, number in IN_RUST.findall(path.read_text())
    ]
    return [(number.upper(), text) for number, text in python + rust]


@pytest.mark.skipif(not RUST.is_dir(), reason="SKIPPED: the tests in Rust are not there")
def test_each_covered_case_has_a_test():
    assert {number for number, _ in found()} == set(COVERED)
    assert len(COVERED) == 153


@pytest.mark.skipif(not RUST.is_dir(), reason="SKIPPED: the tests in Rust are not there")
def test_each_test_of_a_case_names_its_source():
    named = dict(reversed(found()))
    assert [number for number, (_, source) in COVERED.items() if source not in named[number]] == []
