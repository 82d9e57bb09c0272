"""Libraries that end, panic, fork and hang: what they did is told, and no process of ours is left."""

import os
import signal
import subprocess
import sys
import time

import dlferry
import pytest

X = dlferry.from_buffer(bytearray(16)).view("float32")
TAKE = "def from_dlpack(x): import dlferry; return dlferry.from_dlpack(x)\n"
LIBRARIES = {
    "ends when it is imported": ("import os; os._exit(0)", "untried", "its import ended the process"),
    "crashes when it is imported": ("import os; os.abort()", "untried", "its import ended the process"),
    "raises SystemExit": ("raise SystemExit('bye')", "untried", "SystemExit: bye"),
    "panics": (
        "class Panic(BaseException): pass\ndef from_dlpack(x): raise Panic('at the disco')",
        "refused",
        "Panic: at the disco",
    ),
    "ends well when it is given an array": (
        "import os\ndef from_dlpack(x): os._exit(0)",
        "crashed",
        "status 0",
    ),
    "shouts": (f"import sys; print('{{}}'); print('x', file=sys.stderr)\n{TAKE}", "shared", ""),
}


@pytest.fixture
def library(tmp_path, monkeypatch):
    """Writes a library and gives its verdict."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(code):
        (tmp_path / "hostile.py").write_text(code)
        (verdict,) = dlferry.explain(X, to="hostile").verdicts
        return verdict

    return write


@pytest.mark.parametrize("case", LIBRARIES)
def test_what_becomes_of_the_process_is_told(library, case):
    code, outcome, detail = LIBRARIES[case]
    verdict = library(code)
    assert verdict.outcome == outcome
    assert detail in verdict.detail


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks there")
def test_a_process_that_a_library_starts_is_not_waited_for(library):
    began = time.monotonic()
    # It holds a pipe open that would be read to its end.
    verdict = library(f"import os, time\nif os.fork() == 0:\n time.sleep(20)\n os._exit(0)\n{TAKE}")
    assert verdict.outcome == "shared"
    assert time.monotonic() - began < 15


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs groups of processes")
@pytest.mark.parametrize("command", [["explain", "b'abc'", "--to", "hangs"], ["conformance", "hangs"]])
def test_who_does_not_want_to_wait_leaves_nothing_behind(tmp_path, command):
    (tmp_path / "hangs.py").write_text(
        "import os, time\n"
        f"open(os.path.join({str(tmp_path)!r}, 'pid'), 'w').write(str(os.getpid()))\n"
        "time.sleep(1000)\n"
    )
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    process = subprocess.Popen(
        [sys.executable, "-m", "dlferry", *command],
        env={**os.environ, "PYTHONPATH": path},
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    pid = tmp_path / "pid"
    for _ in range(300):
        if pid.exists() and pid.read_text():
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)  # to it alone, as no terminal would do
    _, said = process.communicate(timeout=20)
    assert process.returncode == 130
    assert b"Traceback" not in said
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


def test_a_library_of_the_current_folder_is_found_from_a_prompt(tmp_path):
    (tmp_path / "nearby.py").write_text(TAKE)
    said = subprocess.run(
        [
            sys.executable,
            "-c",
            "import dlferry; x = dlferry.from_buffer(bytes(4));"
            "print(dlferry.explain(x, to='nearby').verdicts[0].outcome)",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.stdout.strip() == "shared", said.stderr
