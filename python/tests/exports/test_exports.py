"""Who holds the memory of tensors, and for how long."""

import gc
import os
import threading

import dlferry
import dlferry_testing as dt
import pytest
from craft import floats, taken
from processes import run, said


@pytest.fixture(autouse=True)
def traced():
    """Tracing is on in each test, and off after it."""
    dlferry.trace_exports()
    yield
    dlferry.trace_exports(False)


def of(tensor):
    return [export.kind for export in dlferry.exports(tensor)]


def new(count=8):
    return dlferry.from_buffer(bytearray(count))


def as_capsule(tensor):
    return tensor.__dlpack__(max_version=(1, 3))


def as_unversioned(tensor):
    return tensor.__dlpack__()


def as_array(tensor):
    return pytest.importorskip("numpy") and tensor.numpy()


def by_exchange(tensor):
    tvm_ffi = pytest.importorskip("tvm_ffi")
    return tvm_ffi.from_dlpack(tensor)


WAYS = {"capsule": as_capsule, "buffer": memoryview, "numpy": as_array, "exchange": by_exchange}


@pytest.mark.parametrize("kind", WAYS)
def test_an_export_is_known_until_it_is_let_go_of(kind):
    tensor = new()
    held = WAYS[kind](tensor)
    (export,) = dlferry.exports(tensor)
    assert export.kind == kind
    assert (export.shape, str(export.dtype), export.nbytes) == ((8,), "uint8", 8)
    assert (str(export.device), export.readonly) == ("cpu", False)
    assert 0 <= export.age < 60
    del held
    gc.collect()
    assert dlferry.exports(tensor) == []


@pytest.mark.parametrize("export", [as_capsule, as_unversioned])
def test_a_capsule_that_a_consumer_took_is_alive_as_long_as_what_was_made_of_it(export):
    tensor = new()
    capsule = export(tensor)
    made = dlferry.from_dlpack(capsule)
    del capsule
    view = made[1:]
    del made
    assert of(tensor) == ["capsule"]
    del view
    assert of(tensor) == []


def test_a_private_copy_is_marked_as_one_and_known_for_itself():
    tensor = new()
    capsule = tensor.__dlpack__(max_version=(1, 3), copy=True)
    assert of(tensor) == []
    assert dt.inspect(capsule)["flags"] == 2
    copy = dlferry.from_dlpack(capsule)
    assert of(copy) == ["capsule"]


def test_flags_and_refusals_are_those_without_tracing():
    read_only = dlferry.from_buffer(bytes(8))
    assert dt.inspect(as_capsule(read_only))["flags"] == 1
    with pytest.raises(BufferError, match="unversioned"):
        read_only.__dlpack__()
    assert of(read_only) == []
    assert dt.inspect(as_capsule(new()))["flags"] == 0


def test_an_array_keeps_its_memory_and_its_owner():
    array = as_array(new())
    assert array.flags.writeable
    assert array.base.owner.owner == bytearray(8)
    assert dlferry.from_dlpack(array).data_ptr == array.ctypes.data


def test_exports_are_found_by_memory_that_they_share():
    tensor = new(16)
    left, right = memoryview(tensor[:8]), memoryview(tensor[8:])
    assert len(dlferry.exports(tensor)) == 2
    assert len(dlferry.exports(tensor[:8])) == 1
    assert len(dlferry.exports(tensor[::2])) == 2
    assert dlferry.exports(b"elsewhere") == []
    left.release()
    assert dlferry.exports(tensor[:8]) == []
    assert [export.shape for export in dlferry.exports(tensor)] == [(8,)]
    right.release()


def test_where_it_was_exported():
    def here():
        return memoryview(new())

    held = here()
    frames = dlferry.exports(held)[0].frames
    assert (frames[0].function, frames[1].function) == ("here", "test_where_it_was_exported")
    assert frames[0].file == __file__
    assert str(frames[0]).startswith(f"{__file__}:{frames[0].line} in here")
    dlferry.trace_exports(frames=1)
    assert len(dlferry.exports(here())[0].frames) == 1


def test_bad_numbers_of_frames_are_refused():
    with pytest.raises(ValueError, match="wanted 1 or more"):
        dlferry.trace_exports(frames=0)


def test_what_was_recorded_stays_known_when_tracing_is_off():
    tensor = new()
    held = memoryview(tensor)
    dlferry.trace_exports(False)
    other = memoryview(tensor)
    assert of(tensor) == ["buffer"]
    held.release()
    assert of(tensor) == []
    other.release()


def test_many_exports_are_forgotten():
    tensor = new()
    for _ in range(10_000):
        memoryview(tensor).release()
    held = [memoryview(tensor) for _ in range(200)]
    assert len(dlferry.exports(tensor)) == 200
    del held
    assert dlferry.exports(tensor) == []


def test_a_consumer_lets_go_on_any_thread():
    crafted = floats()
    tensor = taken(crafted)
    holds = [as_capsule(tensor) for _ in range(64)]
    threads = [threading.Thread(target=holds.clear) for _ in range(4)]
    threads += [threading.Thread(target=come_and_go, args=(tensor,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert of(tensor) == []
    del tensor, threads, thread
    assert len(crafted.deleter_calls) == 1


def come_and_go(tensor):
    for _ in range(200):
        as_capsule(tensor)


def test_nothing_is_told_that_was_never_recorded():
    assert (
        said("""
import dlferry
try:
    dlferry.exports()
except RuntimeError as error:
    print(error)
""")
        == "no exports were recorded: call dlferry.trace_exports() before they are made"
    )


LEAKING = """
import ctypes, dlferry
{start}
kept = memoryview(dlferry.from_buffer(bytes(4)))
def leak():
    lost = memoryview(dlferry.from_buffer(bytes(12)).view("float32").reshape(3, 1))
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(lost))
leak()
"""


def test_what_leaked_is_reported_when_python_has_ended():
    """What a module held is not, for it is gone by then."""
    ended = run("-c", LEAKING.format(start="dlferry.trace_exports(report=True)"))
    assert (ended.status, ended.said) == (0, "")
    head, export, *frames = ended.complaints.splitlines()
    assert head == "dlferry: 1 export was still held when Python had ended"
    assert export.startswith("  float32 (3, 1), 12 bytes, as buffer, ")
    assert [frame.split(" in ")[1] for frame in frames] == ["leak", "<module>"]


@pytest.mark.parametrize(("value", "reports"), [("1", True), ("0", False), ("", False)])
def test_the_environment_asks_for_the_report(monkeypatch, value, reports):
    monkeypatch.setenv("DLFERRY_TRACE_EXPORTS", value)
    assert bool(run("-c", LEAKING.format(start="")).complaints) == reports


def test_a_report_of_nothing_says_nothing():
    assert (
        said(
            "import dlferry; dlferry.trace_exports(report=True); memoryview(dlferry.from_buffer(b'ab')).release()"
        )
        == ""
    )


ENDING = """
import dlferry, dlferry_testing as dt
dlferry.trace_exports()
tensor = dlferry.from_buffer(bytearray(4))
dt.leak_to_exit(dt.consume(tensor.__dlpack__(max_version=(1, 3))), {moment!r})
"""


@pytest.mark.parametrize("moment", ["teardown", "finalize", "exit", "exit-thread"])
def test_a_consumer_may_let_go_when_python_ends_and_after(moment):
    ended = run("-c", ENDING.format(moment=moment))
    assert (ended.status, ended.complaints) == (0, f"dlferry_testing: the deleter returned at {moment}\n")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="SKIPPED: this system does not fork")
def test_a_process_that_forks_goes_on():
    assert (
        said("""
import os, threading, dlferry
dlferry.trace_exports()
tensor = dlferry.from_buffer(bytearray(8))
stop = False
def work():
    while not stop:
        tensor.__dlpack__()
thread = threading.Thread(target=work)
thread.start()
import warnings
warnings.simplefilter("ignore")
for _ in range(20):
    child = os.fork()
    if child == 0:
        memoryview(tensor).release()
        dlferry.exports(tensor)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
stop = True
thread.join()
""")
        == ""
    )
