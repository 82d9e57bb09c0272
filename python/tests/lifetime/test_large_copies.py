"""Large copies: on threads, beside other Python threads, and stopped from the keyboard."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time

import dlferry
import processes
import pytest

MEGABYTE = 1 << 20


def transposed(rows, columns):
    """A matrix of bytes, its rows in the columns of the memory."""
    return (
        dlferry.from_buffer(bytearray(os.urandom(MEGABYTE)) * (rows * columns // MEGABYTE))
        .reshape(columns, rows)
        .T
    )


def run(code, **environment):
    """What a fresh process prints."""
    command = [sys.executable, "-c", code]
    environment = {**os.environ, **environment}
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout.strip()


@pytest.fixture
def threads():
    before = dlferry.get_num_threads()
    yield
    dlferry.set_num_threads(before)


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_copy_is_the_same_on_any_number_of_threads(count, threads):
    dlferry.set_num_threads(count)
    assert dlferry.get_num_threads() == count
    tensor = transposed(4096, 8192)
    copy = tensor.copy()
    assert copy.c_contiguous
    assert not tensor.c_contiguous
    for row in [0, 1, 1023, 2048, 4095]:
        assert memoryview(copy[row]).tobytes() == memoryview(tensor[row]).tobytes()


@pytest.mark.parametrize("columns", [4096, 4097])
def test_packed_copy_is_the_same_on_any_number_of_threads(columns, threads):
    """Also where each second row of the copy begins in a byte of the row before."""
    rows, source = 4100, bytearray(os.urandom(16 * MEGABYTE))
    tensor = dlferry.from_buffer(source).view("uint4")[: columns * rows].reshape(columns, rows).T
    copies = []
    for count in [1, 2, 3, 4]:
        dlferry.set_num_threads(count)
        copies.append(tensor.copy().tobytes())
    assert copies[1:] == copies[:1] * 3

    def element(packed, at):
        return packed[at // 2] >> at % 2 * 4 & 15

    for row, column in [(0, 0), (0, 1), (1, 0), (77, columns - 1), (rows - 1, 5), (rows - 1, columns - 1)]:
        assert element(copies[0], row * columns + column) == element(source, column * rows + row)


@pytest.mark.parametrize("count", [0, -1, 10**30, -(10**30)])
def test_number_of_threads_is_at_least_one(count):
    with pytest.raises(ValueError, match=r"1 or more|out of range"):
        dlferry.set_num_threads(count)


@pytest.mark.parametrize("count", [1.5, "2", None])
def test_number_of_threads_is_a_number(count):
    with pytest.raises(TypeError):
        dlferry.set_num_threads(count)


@pytest.mark.parametrize(("text", "wanted"), [("3", 3), (" 5 ", 5), ("1", 1)])
def test_environment_says_how_many_threads(text, wanted):
    code = "import dlferry; print(dlferry.get_num_threads())"
    assert run(code, DLFERRY_NUM_THREADS=text) == str(wanted)


@pytest.mark.parametrize("text", ["", "  ", "0", "-1", "many", "2.0", "1e99", str(10**30), "\udcff"])
def test_environment_that_says_no_number_is_ignored_with_a_warning(text):
    """Naming what it says, once; one that is empty is as good as none."""
    code = (
        "import dlferry, warnings\n"
        "with warnings.catch_warnings(record=True) as warned:\n"
        "    warnings.simplefilter('always')\n"
        "    counts = {dlferry.get_num_threads(), dlferry.get_num_threads()}\n"
        "    dlferry.from_buffer(bytes(32 << 20)).copy()\n"
        "print(counts, [(each.category.__name__, ascii(str(each.message))) for each in warned])"
    )
    counts, said = run(code, DLFERRY_NUM_THREADS=text).split(" ", 1)
    assert counts == run(code, DLFERRY_NUM_THREADS="").split(" ", 1)[0]
    if not text.strip():
        assert said == "[]"
    else:
        assert re.fullmatch(
            r"\[\('RuntimeWarning', .*DLFERRY_NUM_THREADS is .* ignored: a large copy .*\)\]", said
        )
        assert said.count("RuntimeWarning") == 1
        assert f'"{text}"' in said or not text.isascii()


@pytest.mark.parametrize(
    ("code", "warned"),
    [
        ("dlferry.from_buffer(bytes(7 << 20)).copy()", False),
        ("dlferry.from_buffer(bytes(8 << 20)).copy()", True),
        ("dlferry.set_num_threads(1); dlferry.from_buffer(bytes(32 << 20)).copy()", False),
        ("dlferry.copyto(bytearray(32 << 20), bytes(32 << 20))", True),
    ],
)
def test_environment_is_complained_of_when_it_counts(code, warned):
    """Never at import, whatever warnings are made of."""
    command = [
        sys.executable,
        "-W",
        "error::RuntimeWarning",
        "-c",
        f"import dlferry; print('imported'); {code}",
    ]
    environment = {**os.environ, "DLFERRY_NUM_THREADS": "all"}
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    assert done.stdout == "imported\n"
    assert (done.returncode != 0) == warned == ("RuntimeWarning" in done.stderr)


def test_other_threads_run_while_a_large_copy_does():
    tensor = transposed(16384, 16384)
    done = threading.Event()
    beats = []

    def beat():
        while not done.is_set():
            beats.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=beat)
    thread.start()
    start = time.perf_counter()
    tensor.copy()
    end = time.perf_counter()
    done.set()
    thread.join()
    assert sum(start < beat < end for beat in beats) >= 3


def seconds(work):
    """How long some work takes, interrupted or not."""
    start = time.perf_counter()
    with contextlib.suppress(KeyboardInterrupt):
        work()
    return time.perf_counter() - start


# The rows of the second begin in a byte of the row before.
@pytest.mark.skipif(os.name == "nt", reason="no signal of its own process on Windows")
@pytest.mark.parametrize(("dtype", "shape"), [("uint8", (1 << 14, 1 << 16)), ("uint4", (10_000, 200_001))])
def test_keyboard_interrupt_ends_a_large_copy(dtype, shape, threads):
    """It ends long before the copy would; a busy machine gets more than one chance."""
    dlferry.set_num_threads(1)
    repeated = dlferry.from_buffer(bytearray(200_001)).view(dtype)[: shape[1]].broadcast_to(shape)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        for _ in range(5):
            whole = seconds(repeated.copy)
            timer = threading.Timer(whole / 5, signal.raise_signal, [signal.SIGINT])
            timer.start()
            stopped = seconds(repeated.copy)
            seconds(timer.join)
            if stopped < 0.7 * whole:
                break
    finally:
        signal.signal(signal.SIGINT, handler)
    assert stopped < 0.7 * whole


def test_copy_that_has_no_memory_is_a_memory_error():
    byte = dlferry.from_buffer(bytearray(1))
    for shape in [(1 << 46,), (1 << 62,), (1 << 20, 1 << 28)]:
        with pytest.raises(MemoryError):
            byte.broadcast_to(shape).copy()


AT_THE_END = """
import sys, threading, time
import dlferry
dlferry.set_num_threads(1)
repeated = dlferry.from_buffer(bytearray(1)).broadcast_to((1 << 12, 1 << 16))
class Last:
    def __del__(self, repeated=repeated, sleep=time.sleep, out=sys.stderr):
        {last}
last = Last()
"""

COPYING = """
def copy():
    while True:
        repeated.copy()
threading.Thread(target=copy, daemon=True).start()
time.sleep(0.05)
"""


def test_large_copy_while_the_interpreter_ends_is_whole():
    """On the thread that ends it, which no longer counts as one that can attach."""
    script = AT_THE_END.format(last="out.write(str(repeated.copy().nbytes))")
    ended = processes.run("-c", script)
    assert (ended.status, ended.complaints) == (0, str(1 << 28))


def test_large_copies_of_other_threads_do_not_hold_up_the_end():
    """A thread in the midst of one asks for signals when there is nobody left to ask."""
    ended = processes.run("-c", AT_THE_END.format(last="sleep(0.5)") + COPYING)
    assert (ended.status, ended.complaints) == (0, "")
