"""What each library does and others do not. A test that fails here tells of a release that has changed its ways."""

import re
from pathlib import Path

import matrix
import pytest
from facts import LIBRARIES, facts_of
from tables import in_range

QUIRKS = [(library, quirk) for library in LIBRARIES for quirk in facts_of(library).quirks]
ROOT = Path(__file__).parent


@pytest.mark.parametrize(
    ("library", "quirk"), QUIRKS, ids=[f"{library}-{quirk.id}" for library, quirk in QUIRKS]
)
def test_quirk_is_still_there(library, quirk):
    release = matrix.release_of(library)
    if not in_range(quirk.releases, release):
        pytest.skip(f"{library} {release} is not one of {quirk.releases}")
    assert matrix.outcomes(library)["quirk", library, quirk.id] == quirk.outcome, f"no longer {quirk.what}"


@pytest.mark.parametrize("library", LIBRARIES)
def test_each_probe_has_a_row(library):
    text = (ROOT / "libraries" / f"{library}.py").read_text()
    probes = re.findall(r"^def (\w+)\(\) -> str", text, re.MULTILINE)
    assert sorted(probes) == sorted(quirk.id for quirk in facts_of(library).quirks)


@pytest.mark.parametrize(
    ("library", "quirk"), QUIRKS, ids=[f"{library}-{quirk.id}" for library, quirk in QUIRKS]
)
def test_rule_of_a_quirk_is_in_the_book(library, quirk):
    rules = (ROOT.parent / "docs" / "rules.md").read_text()
    assert f"| {quirk.rule} |" in rules, library
