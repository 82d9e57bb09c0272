"""The stubs say what the module has."""

import subprocess
import sys

import pytest


def test_stubs_are_those_of_the_module():
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy.stubtest", "pictures"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
