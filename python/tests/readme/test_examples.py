"""What the READMEs show is what happens."""

import doctest
import json
import re
import shutil
import subprocess

import pytest
from blocks import CORE, EXTENSION, MAIN, PYO3, PYTHON, ROOT, blocks

FIRST = (ROOT / "examples/first/src/lib.rs").read_text()


@pytest.mark.parametrize("readme", [MAIN, PYO3, PYTHON, EXTENSION])
def test_python_examples_show_what_happens(readme):
    """Runs the blocks of a README one after another, in one session."""
    pytest.importorskip("numpy")
    if any("import first" in block for block in blocks(readme, "python")):
        pytest.importorskip("first", reason="the extension in examples/first is not built")
    if readme == EXTENSION:
        pytest.importorskip("pictures", reason="the extension in examples/extension is not built")
    session = "".join(blocks(readme, "python"))
    test = doctest.DocTestParser().get_doctest(session, {}, readme, readme, 0)
    assert len(test.examples) >= 4
    said: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.FAIL_FAST).run(test, out=said.append)
    assert result.failed == 0, "".join(said)


@pytest.mark.parametrize("readme", [MAIN, PYO3])
def test_the_extension_shown_is_the_one_that_is_built(readme):
    assert FIRST in blocks(readme, "rust")


def manifest() -> str:
    """Finds the `Cargo.toml` of the extension."""
    (text,) = [block for block in blocks(MAIN, "toml") if "[package]" in block]
    return text


def test_the_extensions_manifest_says_what_that_of_the_example_says():
    tomllib = pytest.importorskip("tomllib", reason="Python has it from 3.11 on")
    shown = tomllib.loads(manifest())
    real = tomllib.loads((ROOT / "examples/first/Cargo.toml").read_text())
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]
    assert shown["lib"]["crate-type"] == real["lib"]["crate-type"]
    assert list(shown["dependencies"]) == list(real["dependencies"])
    assert shown["package"]["edition"] == workspace["package"]["edition"]
    assert f"fn {shown['package']['name']}(module" in FIRST
    lower, upper = re.findall(r"0\.(\d+)", workspace["dependencies"]["pyo3"]["version"])
    assert int(lower) <= int(shown["dependencies"]["pyo3"].removeprefix("0.")) < int(upper)


def test_cargo_takes_the_extensions_manifest(tmp_path):
    cargo = shutil.which("cargo")
    if cargo is None:
        pytest.skip("cargo is not installed")
    (tmp_path / "src").mkdir()
    (tmp_path / "src/lib.rs").write_text(FIRST)
    (tmp_path / "Cargo.toml").write_text(manifest().replace("../dlferry/", f"{ROOT}/"))
    command = [cargo, "metadata", "--no-deps", "--offline", "--format-version=1"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    (package,) = json.loads(done.stdout)["packages"]
    (target,) = package["targets"]
    assert (target["name"], target["crate_types"]) == ("first", ["cdylib"])
    assert (ROOT / "crates/dlferry-pyo3").samefile(package["dependencies"][0]["path"])


def test_the_rust_example_is_the_one_that_cargo_runs():
    """The core crate's README is part of its documentation tests."""
    assert blocks(CORE, "rust") == [block for block in blocks(MAIN, "rust") if block != FIRST]
    assert 'include_str!("../README.md")' in (ROOT / "crates/dlferry/src/lib.rs").read_text()
