"""What ``import dlferry`` brings along: no array library, and next to no time."""

import os
import statistics
import sys
from pathlib import Path

import dlferry
import pytest
from processes import run, said

LOADED = """
import sys
before = set(sys.modules)
import dlferry
{use}
names = {{name.partition(".")[0] for name in set(sys.modules) - before}}
print(*sorted(names - set(sys.stdlib_module_names) - {{"dlferry", "dlferry_testing"}}))
"""

USES = {
    "import": "",
    "import of the testing module": "import dlferry_testing",
    "attributes": "dlferry.float32, dlferry.DeviceType.CPU, dlferry.Device(2, 1), dir(dlferry)",
    "exchange": """
import dlferry_testing as dt
tensor = dlferry.from_dlpack(dt.Producer(dt.Crafted(bytes(8), shape=[2], strides=[1])))
tensor.tolist(), repr(tensor), tensor.device, memoryview(tensor)
dlferry.from_dlpack(dlferry.from_dlpack(tensor), copy=True).__dlpack__(copy=True)
""",
    "refusals": """
for wrong in (object(), b"", 3):
    try:
        dlferry.from_dlpack(wrong)
    except TypeError:
        pass
""",
}


@pytest.mark.parametrize("use", USES)
def test_no_array_library_is_imported(use):
    """Section 1: nothing is loaded that is not Python's own."""
    assert said(LOADED.format(use=USES[use])) == ""


STARTED = """
import time
start = time.perf_counter()
import dlferry
print(time.perf_counter() - start)
"""
ROUNDS = 31
SECONDS = 0.005


def test_import_takes_at_most_five_milliseconds(monkeypatch):
    """Section 1: on a release build, and measured inside, so that the interpreter's own start does not count."""
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    run("-c", STARTED)  # the first one compiles the package
    times = [float(said(STARTED)) for _ in range(ROUNDS)]
    median = statistics.median(times)
    parts = Path(dlferry.__file__).parts
    if "debug" in parts or "asan" in parts or "DLFERRY_ASAN" in os.environ:
        pytest.skip(f"SKIPPED: not a release build; this one takes {median * 1000:.2f} ms")
    assert median <= SECONDS, f"{median * 1000:.2f} ms on {sys.version}"
