"""``dlferry.testing``: the rules as tests of pytest's."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from dlferry.testing import conformance

# AddressSanitizer turns signals into reports and keeps freed memory: crashes and leaks look otherwise there.
pytestmark = pytest.mark.skipif("DLFERRY_ASAN" in os.environ, reason="not under AddressSanitizer")

HONEST = Path(__file__).with_name("honest.py")

# Three lines, as a library has them.
test_of_a_producer = conformance(producer=f"{HONEST}:producer", only=["R4", "R2.3"], strict=True)
test_of_a_consumer = conformance(consumer=f"{HONEST}:consumer", only=["R2.3"])
test_of_a_library = conformance("dlferry", only=["E3", "R5.4"], strict=True)


def counts(tmp_path, text):
    (tmp_path / "test_mine.py").write_text(text)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "test_mine.py"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    found = re.findall(r"(\d+) (passed|failed|skipped|xfailed|warnings?)", done.stdout.splitlines()[-1])
    return {
        word.removesuffix("s") if "warn" in word else word: int(number) for number, word in found
    }, done.stdout


def test_functions_of_the_test_file_are_found(tmp_path):
    found, out = counts(
        tmp_path,
        "import dlferry\nfrom dlferry.testing import conformance\n"
        "def make():\n    return dlferry.from_buffer(bytearray(8))\n"
        "test_rules = conformance(producer=make, consumer=dlferry.from_dlpack, only=['R4'])\n",
    )
    assert "failed" not in found, out
    assert found["passed"] >= 15


@pytest.mark.parametrize(
    ("fault", "more", "expected"),
    [
        ("always_versioned", "", {"failed": 4}),
        ("always_versioned", ", known=['R4']", {"xfailed": 4}),
        ("always_unversioned", "", {"warning": 4}),
        ("always_unversioned", ", known=['major_one', 'newer_major']", {"xfailed": 4}),
        ("always_unversioned", ", strict=True", {"failed": 4}),
    ],
)
def test_must_fails_and_should_warns(tmp_path, fault, more, expected):
    only = "only=['none_is', 'major_', 'no_argument', 'newer_major']"
    text = "from dlferry.testing import conformance\n"
    text += f"test_it = conformance(producer='{HONEST}:producer_{fault}', {only}"
    if more == ", known=['R4']":
        text = text.replace(only, "only=['none_is', 'major_zero', 'no_argument']")
    found, out = counts(tmp_path, f"{text}{more})\n")
    assert {word: found.get(word) for word in expected} == expected, out


def test_what_cannot_be_found_is_refused():
    with pytest.raises(ValueError, match="nothing to test"):
        conformance()
    with pytest.raises(ValueError, match="no name"):
        conformance(producer=lambda: None)
    with pytest.raises(ValueError, match="no case fits"):
        conformance("dlferry", only=["R99"])


def test_a_target_that_cannot_be_tested_is_tried_once(tmp_path):
    (tmp_path / "ends.py").write_text("import os\nopen('starts', 'a').write('x')\ndef make(): os._exit(3)\n")
    found, out = counts(
        tmp_path,
        "from dlferry.testing import conformance\n"
        "test_rules = conformance(producer='ends.py:make', only=['R5.1'])\n",
    )
    assert set(found) == {"failed"}, out
    assert found["failed"] > 3
    assert "ends.py:make cannot be tested: it ends at the start: exit status 3" in out
    assert "another exception occurred" not in out
    assert (tmp_path / "starts").read_text() == "x"


def test_what_is_known_to_be_broken_and_passes_says_what_to_do(tmp_path):
    found, out = counts(
        tmp_path,
        "import dlferry\n"
        "from dlferry.testing import conformance\n"
        "def make(): return dlferry.from_buffer(bytearray(8))\n"
        "test_rules = conformance(producer=make, only=['R5.2'], known=['R5.2'])\n",
    )
    assert set(found) == {"failed"}, out
    assert "name there what is broken alone" in out
