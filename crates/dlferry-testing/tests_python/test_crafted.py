"""The crafted producers and the inspecting consumer, against NumPy and against each other."""

import gc
import threading

import dlferry_testing as dt
import numpy as np
import pytest


def test_numpy_shares_the_crafted_memory(floats):
    array = np.from_dlpack(dt.Producer(floats))
    assert array.shape == (2, 3)
    assert array.dtype == np.float32
    assert array.ctypes.data == floats.address
    assert array.tobytes() == floats.read()
    array[0, 0] = 1.0
    assert floats.read()[:4] == np.float32(1.0).tobytes()
    assert floats.deleter_calls == []
    del array
    assert floats.deleter_calls == [
        {"thread": dt.thread_id(), "attached": True, "pending": False, "absent": False, "original": True}
    ]


def test_numpy_drops_a_refused_capsule_with_its_exception_pending():
    crafted = dt.Crafted(bytes(8), shape=[2], strides=[1], code=200)
    # RuntimeError before NumPy 2.5.
    with pytest.raises((BufferError, RuntimeError), match="dtype"):
        np.from_dlpack(dt.Producer(crafted))
    (call,) = crafted.deleter_calls
    assert call["attached"]
    assert call["pending"]


@pytest.mark.parametrize("versioned", [True, False])
def test_every_field_is_seen_as_it_was_set(versioned):
    crafted = dt.Crafted(
        bytes(64), shape=[-3, 9], code=77, bits=3, lanes=0, strides=[1 << 62, -1], byte_offset=(1 << 64) - 1,
        device=(-5, 12), flags=1 << 63, version=(4, 9), misalign=13,
    )  # fmt: skip
    assert crafted.address % 64 == 13
    capsule = crafted.capsule(versioned)
    seen = dt.inspect(capsule)
    assert seen.pop("struct_address") != 0
    assert seen == {
        "versioned": versioned,
        "version": (4, 9) if versioned else None,
        "flags": 1 << 63 if versioned else None,
        "data": crafted.address,
        "device": (-5, 12),
        "ndim": 2,
        "dtype": (77, 3, 0),
        "byte_offset": (1 << 64) - 1,
        "shape": [-3, 9],
        "strides": [1 << 62, -1],
        "shape_null": False,
        "strides_null": False,
        "deleter_null": False,
        "manager_ctx_null": False,
    }
    assert crafted.deleter_calls == []


@pytest.mark.parametrize(
    ("keywords", "expected"),
    [
        ({"shape": None}, {"shape": None, "shape_null": True, "ndim": 0}),
        ({"shape": [2]}, {"strides": None, "strides_null": True}),
        ({"shape": [2], "null_data": True}, {"data": 0}),
        ({"shape": [2], "address": 0x40}, {"data": 0x40}),
        ({"shape": [2], "ndim": -1}, {"ndim": -1, "shape": []}),
        ({"shape": [2], "ndim": 65}, {"ndim": 65, "shape": [2] + [1] * 64}),
        ({"shape": [2], "ndim": 2**31 - 1}, {"ndim": 2**31 - 1, "shape": None, "shape_null": False}),
        ({"shape": [2], "null_deleter": True}, {"deleter_null": True}),
    ],
)
def test_pointers_and_ndim_may_be_absurd(keywords, expected):
    seen = dt.inspect(dt.Crafted(bytes(8), **keywords).capsule())
    assert {key: seen[key] for key in expected} == expected


def test_inspect_reads_what_numpy_exports():
    array = np.arange(12, dtype="<i2").reshape(3, 4)[::-1, ::2]
    array.flags.writeable = False
    seen = dt.inspect(array.__dlpack__(max_version=(1, 0)))
    assert seen["version"] == (1, 0)
    assert seen["flags"] == 1
    assert (seen["shape"], seen["strides"]) == ([3, 2], [-4, 2])
    assert seen["dtype"] == (0, 16, 1)
    assert seen["data"] == array.ctypes.data
    capsule = np.zeros(1).__dlpack__()
    dt.consume(capsule).delete()
    with pytest.raises(ValueError, match="used_dltensor"):
        dt.inspect(capsule)


def test_dropped_capsule_deletes_once(floats):
    for versioned in (True, False):
        floats.capsule(versioned)
    assert len(floats.deleter_calls) == 2


@pytest.mark.parametrize("name", [None, "used_dltensor_versioned", "whatever"])
@pytest.mark.parametrize("clear_destructor", [True, False])
def test_consumed_capsule_deletes_nothing(floats, name, clear_destructor):
    capsule = floats.capsule()
    held = dt.consume(capsule, name=name, clear_destructor=clear_destructor)
    assert dt.capsule_name(capsule) == (name or "used_dltensor_versioned")
    with pytest.raises(ValueError, match="unused"):
        dt.consume(capsule)
    del capsule
    assert floats.deleter_calls == []
    assert held.delete()
    assert len(floats.deleter_calls) == 1
    with pytest.raises(RuntimeError, match="given up"):
        held.delete()


def test_capsule_names_are_free(floats):
    assert dt.capsule_name(floats.capsule()) == "dltensor_versioned"
    assert dt.capsule_name(floats.capsule(False)) == "dltensor"
    assert dt.capsule_name(floats.capsule(name="x")) == "x"
    assert dt.capsule_name(floats.capsule(null_name=True)) is None
    assert len(floats.deleter_calls) == 4
    capsule = floats.capsule()
    dt.rename_capsule(capsule, None)
    assert dt.capsule_name(capsule) is None
    dt.rename_capsule(capsule, "dltensor_versioned")
    del capsule
    assert len(floats.deleter_calls) == 5
    floats.capsule(name="used_dltensor")
    assert len(floats.deleter_calls) == 5
    with pytest.raises(TypeError, match="expected a capsule, found int"):
        dt.capsule_name(1)


def test_held_reads_and_writes_from_the_first_element(floats):
    held = dt.consume(floats.capsule())
    assert held.read_bytes(24) == floats.read()
    held.write_bytes(b"abcd", offset=4)
    assert floats.read()[4:8] == b"abcd"
    assert held.inspect()["data"] == floats.address
    held.delete()
    crafted = dt.Crafted(bytes(range(16)), shape=[1], byte_offset=8)
    held = dt.consume(crafted.capsule())
    assert held.read_bytes(2) == b"\x08\x09"
    held.delete()


def test_deleter_runs_where_it_is_told(floats):
    here = dt.thread_id()
    for delete in ("delete", "delete_detached", "delete_on_thread", "delete_with_exception_pending"):
        assert getattr(dt.consume(floats.capsule()), delete)() is True
    calls = floats.deleter_calls
    assert [call["attached"] for call in calls] == [True, False, False, True]
    assert [call["pending"] for call in calls] == [False, False, False, True]
    assert [call["thread"] == here for call in calls] == [True, True, False, True]
    seen = []
    thread = threading.Thread(target=lambda: seen.append(dt.thread_id()))
    thread.start()
    thread.join()
    assert seen[0] not in {here, calls[2]["thread"]}


def test_null_deleter_is_not_called():
    crafted = dt.Crafted(bytes(4), shape=[1], null_deleter=True)
    assert dt.consume(crafted.capsule()).delete() is False
    np.from_dlpack(dt.Producer(crafted))
    assert crafted.deleter_calls == []


def test_exception_survives_a_dropped_capsule(floats):
    assert dt.drop_with_exception_pending(floats.capsule) is True
    assert floats.deleter_calls[0]["pending"]
    assert dt.drop_with_exception_pending(lambda: np.zeros(3).__dlpack__()) is True
    assert dt.consume(np.zeros(3).__dlpack__()).delete_with_exception_pending() is True


def test_poison_shows_a_use_after_the_deleter():
    crafted = dt.Crafted(bytes(8), shape=[2], strides=[1], poison=True)
    array = np.from_dlpack(dt.Producer(crafted))
    assert array.tolist() == [0.0, 0.0]
    del array
    assert crafted.read() == b"\xdd" * 8
    with pytest.raises(ValueError, match="exclude"):
        dt.Crafted(b"", shape=[0], poison=True, leak=True)


def test_second_deletion_is_counted_when_kept():
    crafted = dt.Crafted(bytes(8), shape=[2], strides=[1], leak=True)
    capsule = crafted.capsule()
    held = dt.consume(capsule)
    dt.rename_capsule(capsule, "dltensor_versioned")
    del capsule
    held.delete()
    assert len(crafted.deleter_calls) == 2


def test_memory_outlives_the_recipe(floats):
    array = np.from_dlpack(dt.Producer(dt.Crafted(b"\1\2", shape=[2], code=1, bits=8)))
    gc.collect()
    assert array.tolist() == [1, 2]
