"""dlferry in a program that embeds Python, on threads whose states the program made: decision 5.11."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from processes import SECONDS, tell

SOURCE = Path(__file__).with_name("embedded.c")
MAKE = """
import sys
import dlferry, dlferry_testing as dt, numpy as np
class Owner:
    def __init__(self): self.array = np.arange(3.0)
    def __dlpack__(self, **keywords): return self.array.__dlpack__(**keywords)
crafted = dt.Crafted(bytes(12), shape=[3], strides=[1])
lent, array, owner = bytearray(8), np.arange(3.0), Owner()
counted = [lent, array, owner.array]
before = [sys.getrefcount(one) for one in counted]
def tensors():
    return [dlferry.from_buffer(lent), dlferry.from_dlpack(array), dlferry.from_dlpack(owner),
            dlferry.from_dlpack(crafted.capsule(), writable=True)]
box = tensors()
capsules = [tensor.__dlpack__(max_version=(1, 0)) for tensor in tensors()]
held = [dt.consume(tensor.__dlpack__()) for tensor in tensors()]
left = tensors()
"""
USE = """
box.clear()
capsules.clear()
for one in held[:2]: one.delete()
for one in held[2:]: one.delete_detached()
again = tensors()
assert [memoryview(tensor).nbytes for tensor in again] == [8, 24, 24, 12]
again.clear()
"""
CHECK = """
left.clear()
assert [sys.getrefcount(one) for one in counted] == before
assert len(crafted.deleter_calls) == 5 and dt.live() == 0
left = tensors()
print("freed")
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """The program, compiled."""
    compiler = next(filter(None, map(shutil.which, (os.environ.get("CC", "cc"), "gcc", "clang"))), None)
    if compiler is None or os.name == "nt":
        pytest.skip("SKIPPED: no C compiler")
    found = sysconfig.get_config_vars()
    library = Path(found.get("LIBDIR") or "") / (found.get("LDLIBRARY") or "")
    if not library.is_file() or not (Path(found["INCLUDEPY"]) / "Python.h").is_file():
        pytest.skip("SKIPPED: this Python has no library to embed")
    made = tmp_path_factory.mktemp("embedded") / "program"
    flags = [f"-I{found['INCLUDEPY']}", "-pthread", str(library), f"-Wl,-rpath,{library.parent}"]
    flags += f"{found['LIBS']} {found['SYSLIBS']} {found['LINKFORSHARED']}".split()
    subprocess.run([compiler, str(SOURCE), "-o", str(made), *flags], check=True)
    return made


def test_thread_with_a_state_of_its_own_frees_and_imports(program):
    """R2.13: what is taken on one thread is let go of on the other, each reference once."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHOME": sys.base_prefix}
    done = subprocess.run(
        [program, MAKE, USE, CHECK],
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    tell(done.returncode)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "freed\n")
