"""What the READMEs show is what happens."""

import doctest

import pytest
from blocks import CORE, MAIN, PYO3, PYTHON, ROOT, blocks

FIRST = (ROOT / "examples/first/src/lib.rs").read_text()


@pytest.mark.parametrize("readme", [MAIN, PYO3, PYTHON])
def test_python_examples_show_what_happens(readme):
    """Runs the blocks of a README one after another, in one session."""
    pytest.importorskip("numpy")
    if any("import first" in block for block in blocks(readme, "python")):
        pytest.importorskip("first", reason="the extension in examples/first is not built")
    session = "".join(blocks(readme, "python"))
    test = doctest.DocTestParser().get_doctest(session, {}, readme, readme, 0)
    assert len(test.examples) >= 4
    said: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.FAIL_FAST).run(test, out=said.append)
    assert result.failed == 0, "".join(said)


@pytest.mark.parametrize("readme", [MAIN, PYO3])
def test_the_extension_shown_is_the_one_that_is_built(readme):
    assert FIRST in blocks(readme, "rust")


def test_the_rust_example_is_the_one_that_cargo_runs():
    """The core crate's README is part of its documentation tests."""
    assert blocks(CORE, "rust") == [block for block in blocks(MAIN, "rust") if block != FIRST]
    assert 'include_str!("../README.md")' in (ROOT / "crates/dlferry/src/lib.rs").read_text()
