"""SAFETY.md names each room that has something unsafe, and only tests that there are."""

import re

import pytest
from blocks import ROOT

SAFETY = ROOT / "SAFETY.md"
UNSAFE = re.compile(r"\bunsafe (?:\{|impl|fn|extern)")
CRATES = {
    "dlferry": "crates/dlferry/src",
    "dlferry_pyo3": "crates/dlferry-pyo3/src",
    "dlferry_macros": "crates/dlferry-macros/src",
    "dlferry_python": "python/src",
    "dlferry_testing": "crates/dlferry-testing/src",
}
pytestmark = pytest.mark.skipif(
    not (ROOT / "crates").is_dir(), reason="SKIPPED: the sources in Rust are not there"
)


def unsafe_rooms() -> set[str]:
    """Return the modules right below their crate in which `unsafe` stands, outside comments and tests."""
    rooms = set()
    for crate, folder in CRATES.items():
        for path in (ROOT / folder).rglob("*.rs"):
            within = path.relative_to(ROOT / folder).with_suffix("")
            code = "\n".join(line.split("//")[0] for line in path.read_text().splitlines())
            if {"tests", "test"} & set(within.parts) or not UNSAFE.search(code):
                continue
            rooms.add(crate if crate == "dlferry_testing" else f"{crate}::{within.parts[0]}")
    return rooms


def test_each_unsafe_room_is_listed():
    listed = re.findall(r"^\| `(dlferry\w*(?:::\w+)?)` \|", SAFETY.read_text(), re.M)
    assert len(listed) == len(set(listed))
    assert set(listed) == unsafe_rooms()


def test_each_promise_of_a_room_is_one():
    text = SAFETY.read_text()
    promises = {*re.findall(r"^\| (\d+) \|", text, re.M)}
    assert promises == set(map(str, range(1, len(promises) + 1)))
    kept = re.findall(r"^\| `dlferry\w*(?:::\w+)?` \|.*\| ([^|]*) \|$", text, re.M)
    assert {number for room in kept for number in re.findall(r"(?<!P)\b\d+", room)} <= promises
    # Each is kept by some room, but for those that the compiler or a whole crate keeps.
    assert len(kept) == len(unsafe_rooms())


def test_each_test_that_shows_a_promise_is_there():
    named = set(
        re.findall(r"`((?:test_|\w+_)\w+)`", "".join(re.findall(r"^\| \d+ \|.*$", SAFETY.read_text(), re.M)))
    )
    sources = [
        *(ROOT / "crates").rglob("*.rs"),
        *(ROOT / "python").rglob("test_*.py"),
        *(ROOT / "fuzz").rglob("*.rs"),
    ]
    found = {name for path in sources for name in re.findall(r"\b(?:fn|def) (\w+)", path.read_text())} | {
        path.stem for path in sources
    }
    assert sorted(name for name in named if name not in found and name not in ELSEWHERE) == []


# Names in the table that are functions, features or types and not tests are functions in the sources as well.
ELSEWHERE = {"is_host_readable"}
