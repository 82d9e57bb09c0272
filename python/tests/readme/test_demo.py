"""The demo of the README."""

import os
import subprocess
import sys

import pytest
from blocks import ROOT


@pytest.fixture
def demo(tmp_path):
    """Runs the demo, or a changed copy of it, and returns its exit status and what it printed."""
    for package in ["numpy", "PIL", "textual_image", "first"]:
        pytest.importorskip(package)
    source = (ROOT / "examples/demo.py").read_text()

    def run(old="", new=""):
        assert old in source
        script = tmp_path / "demo.py"
        script.write_text(source.replace(old, new))
        environment = os.environ | {"CARGO_TARGET_DIR": str(tmp_path)}
        return subprocess.run(
            [sys.executable, script], env=environment, capture_output=True, text=True, timeout=100
        )

    return run


def test_the_demo_shares_memory_and_fits_a_terminal(demo, tmp_path):
    done = demo()
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if not line.startswith("Saved")]
    assert max(map(len, lines)) <= 80
    assert {picture.name for picture in (tmp_path / "demo").iterdir()} == {"shared.png", "negative.png"}


@pytest.mark.parametrize(
    ("old", "new", "blamed"),
    [
        ("array = numpy.from_dlpack(tensor)\n    hops", "array = numpy.array(tensor)\n    hops", "NumPy"),
        ("rust_hop(last)", "rust_hop(last + 0)", "Rust"),
        ("dlferry.from_dlpack(last))\n    hops", "dlferry.from_dlpack(last, copy=True))\n    hops", "Pillow"),
    ],
)
def test_the_demo_fails_when_somebody_copied(demo, old, new, blamed):
    done = demo(old, new)
    assert done.returncode == 1
    assert "not on the memory of the first hop" in done.stderr
    assert blamed in done.stderr
