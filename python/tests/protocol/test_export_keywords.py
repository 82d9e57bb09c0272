"""The keywords of ``Tensor.__dlpack__``: rules R4.1 to R4.3, R4.13, R5.1, R5.4, R5.11 to R5.14, R6.3; decision 5.6."""

import subprocess
import sys

import dlferry
import dlferry_testing as dt
import pytest
from craft import CUDA, CUDA_HOST, IS_COPIED, READ_ONLY, deletions, exported, floats, on_device, taken

VERSIONED, UNVERSIONED = "dltensor_versioned", "dltensor"


@pytest.mark.parametrize(
    ("max_version", "name"),
    [
        (None, UNVERSIONED),
        ((0, 8), UNVERSIONED),
        ((0, 99), UNVERSIONED),
        ((1, 0), VERSIONED),
        ((1, 3), VERSIONED),
        ((1, 99), VERSIONED),
        ((2, 0), VERSIONED),
        ((2**40, 0), VERSIONED),
        ((True, False), VERSIONED),
    ],
)
def test_max_version_chooses_the_struct(max_version, name):
    """R4.2, R4.3, R9.9: major 0 and None give the unversioned one."""
    assert dt.capsule_name(taken(floats()).__dlpack__(max_version=max_version)) == name


def test_call_without_arguments_is_unversioned():
    """R4.8: what several consumers do."""
    assert dt.capsule_name(taken(floats()).__dlpack__()) == UNVERSIONED


@pytest.mark.parametrize("max_version", [(1, 0), (1, 3), (2, 0)])
def test_stamp_is_our_own_version(max_version):
    """R4.3, R9.10."""
    assert exported(taken(floats()), max_version=max_version)["version"] == (1, 3)


@pytest.mark.parametrize(
    "max_version",
    [[1, 0], (1,), (1, 0, 0), (), "1.0", b"\1\0", 1, 1.0, (1.0, 0), ("1", "0"), (None, 0), True],
)
def test_max_version_of_another_form_is_a_type_error(max_version):
    """R4.13, 5.6: the text shows what was found."""
    with pytest.raises(
        TypeError, match="max_version must be None or a tuple of two integers, found"
    ) as caught:
        taken(floats()).__dlpack__(max_version=max_version)
    assert repr(max_version) in str(caught.value)


class Unspeakable:
    def __repr__(self) -> str:
        raise RuntimeError("has no text")


@pytest.mark.parametrize("keyword", ["max_version", "dl_device"])
def test_argument_without_a_text_is_a_type_error_all_the_same(keyword):
    """5.10: its own error does not come instead."""
    with pytest.raises(TypeError, match="found something else"):
        taken(floats()).__dlpack__(**{keyword: Unspeakable()})


@pytest.mark.parametrize("stream", [None, -1])
def test_stream_of_the_host_is_none_or_no_wait(stream):
    """R5.4."""
    assert dt.capsule_name(taken(floats()).__dlpack__(stream=stream)) == UNVERSIONED


@pytest.mark.parametrize("stream", [0, 1, 2, -2, 1 << 40, 1 << 80, True])
def test_other_stream_of_the_host_is_a_value_error(stream):
    """R5.4, 5.6."""
    with pytest.raises(ValueError, match=r"stream=.*(wanted None or -1|no stream)"):
        taken(floats()).__dlpack__(stream=stream)


@pytest.mark.parametrize("stream", ["x", 1.0, (1,), object])
@pytest.mark.parametrize("device", [1, CUDA])
def test_stream_that_is_no_int_is_a_type_error(stream, device):
    """R5.4, 5.6: on every device."""
    with pytest.raises(TypeError, match="stream must be None or an int, found"):
        taken(on_device(device)).__dlpack__(stream=stream)


@pytest.mark.parametrize("dl_device", [None, (1, 0), dlferry.Device(1, 0), (True, False)])
def test_device_of_the_host_is_granted(dl_device):
    """R5.11."""
    assert exported(taken(floats()), dl_device=dl_device)["device"] == (1, 0)


@pytest.mark.parametrize("dl_device", [(1, 1), (2, 0), (99, 0), (-1, 0), (1, -1), (2**40, 0), (1, -(2**80))])
def test_other_device_is_a_buffer_error(dl_device):
    """R5.11, R5.12, 5.6: nothing is moved."""
    crafted = floats()
    tensor = taken(crafted)
    with pytest.raises(BufferError, match="device"):
        tensor.__dlpack__(dl_device=dl_device)
    assert deletions(crafted) == 0


@pytest.mark.parametrize(
    "dl_device", [[1, 0], (1,), (1, 0, 0), (), "cpu", 1, (1, None), ("cpu", 0), (1.0, 0)]
)
def test_device_of_another_form_is_a_type_error(dl_device):
    """R5.13, 5.6."""
    with pytest.raises(TypeError, match="dl_device must be None or a tuple of two integers, found"):
        taken(floats()).__dlpack__(dl_device=dl_device)


def test_own_device_is_granted():
    """5.6."""
    tensor = taken(on_device(CUDA, 3))
    assert exported(tensor, dl_device=(CUDA, 3))["device"] == (CUDA, 3)
    for other in [(CUDA, 0), (1, 0)]:
        with pytest.raises(BufferError, match=r"cuda:3.*does not move"):
            tensor.__dlpack__(dl_device=other)


@pytest.mark.parametrize("device", [3, 11, 13, 20])
def test_memory_that_the_host_reads_is_lent_as_the_hosts(device):
    """R9.16: no copy, another name."""
    crafted = floats(device=(device, 1))
    tensor = taken(crafted)
    assert exported(tensor)["device"] == (device, 1)
    fields = exported(tensor, dl_device=(1, 0))
    assert (fields["device"], fields["data"], fields["flags"]) == ((1, 0), crafted.address, 0)


@pytest.mark.parametrize("copy", [None, False])
def test_memory_is_shared_unless_a_copy_is_asked_for(copy):
    """R5.14."""
    crafted = floats()
    fields = exported(taken(crafted), copy=copy)
    assert (fields["data"], fields["flags"]) == (crafted.address, 0)


@pytest.mark.parametrize("max_version", [None, (1, 0)])
def test_copy_is_private_and_says_so(max_version):
    """R5.14, R6.5, R9.25, 5.3: 64-byte aligned, row-major, writable, IS_COPIED where there are flags."""
    crafted = floats(shape=[3, 2], strides=[1, 3], flags=READ_ONLY)
    tensor = taken(crafted)
    held = dt.consume(tensor.__dlpack__(max_version=max_version, copy=True))
    fields = held.inspect()
    assert fields["data"] != crafted.address
    assert fields["data"] % 64 == 0
    assert fields["strides"] == [2, 1]
    assert fields["flags"] == (None if max_version is None else IS_COPIED)
    assert deletions(crafted) == 0
    del tensor
    assert deletions(crafted) == 1
    assert held.read_bytes(8) == crafted.read()[0:4] + crafted.read()[12:16]
    held.delete()


@pytest.mark.parametrize("copy", [1, 0, "x", [], 1.0])
def test_copy_that_is_no_bool_is_a_type_error(copy):
    """R5.15, 5.6."""
    with pytest.raises(TypeError, match="copy must be None or a bool, found"):
        taken(floats()).__dlpack__(copy=copy)


def test_copy_of_memory_elsewhere_is_a_buffer_error():
    """5.12: never dereferenced."""
    with pytest.raises(BufferError, match=r"copy=True.*cuda:0"):
        taken(on_device(CUDA)).__dlpack__(copy=True)


def test_copy_of_pinned_memory_is_the_hosts():
    """N8: a fresh copy is plain host memory, and says so."""
    assert exported(taken(floats(device=(CUDA_HOST, 0))), copy=True)["device"] == (1, 0)


def test_read_only_data_has_no_unversioned_capsule():
    """R6.3, R9.5: the text names both ways out, and both work."""
    tensor = taken(floats(flags=READ_ONLY))
    for keywords in ({}, {"max_version": None}, {"max_version": (0, 8)}, {"copy": False}):
        with pytest.raises(BufferError, match=r"read-only.*max_version=\(1, 0\).*copy=True"):
            tensor.__dlpack__(**keywords)
    assert exported(tensor)["flags"] == READ_ONLY
    assert dt.capsule_name(tensor.__dlpack__(copy=True)) == UNVERSIONED


def test_keywords_are_keywords_only():
    """R5.1."""
    tensor = taken(floats())
    with pytest.raises(TypeError):
        tensor.__dlpack__(None)
    with pytest.raises(TypeError, match="bogus"):
        tensor.__dlpack__(bogus=None)
    assert (
        dt.capsule_name(tensor.__dlpack__(stream=None, max_version=(1, 3), dl_device=None, copy=None))
        == VERSIONED
    )


def test_arguments_are_checked_before_anything_happens():
    """R4.11: a wrong kind of argument is reported even where another one is refused."""
    tensor = taken(floats(flags=READ_ONLY))
    with pytest.raises(TypeError, match="copy"):
        tensor.__dlpack__(dl_device=(2, 0), copy=1)


def test_names_of_keywords_are_told_by_their_text():
    """R5.1: those that are made while the program runs are other objects than those in its code."""
    tensor = taken(floats())
    made = {"".join(["max_", "version"]): (1, 0), "".join(["co", "py"]): None}
    assert dt.capsule_name(tensor.__dlpack__(**made)) == VERSIONED
    with pytest.raises(TypeError, match="max_versions"):
        tensor.__dlpack__(**{"".join(["max_", "versions"]): (1, 0)})
    with pytest.raises(TypeError, match="bogus"):
        tensor.__dlpack__(max_version=(1, 0), bogus=None)
    with pytest.raises(TypeError, match="positional"):
        tensor.__dlpack__((1, 0), max_version=(1, 0))


def test_method_belongs_to_tensors():
    """It is called as the class's own is, and cannot be put to other objects."""
    tensor = taken(floats())
    assert dt.capsule_name(dlferry.Tensor.__dlpack__(tensor, max_version=(1, 0))) == VERSIONED
    for other in (3, dlferry.Tensor, dlferry.float32):
        with pytest.raises(TypeError, match="Tensor"):
            dlferry.Tensor.__dlpack__(other, max_version=(1, 0))


def test_method_says_the_same_before_and_after_its_first_call():
    """What is put in its place has its name, its text and its signature."""
    script = """
import inspect, dlferry
told = lambda: [f(dlferry.Tensor.__dlpack__) for f in (inspect.signature, inspect.getdoc, repr)] + [
    getattr(dlferry.Tensor.__dlpack__, name) for name in ("__name__", "__qualname__", "__objclass__")]
before, method = told(), dlferry.Tensor.__dlpack__
dlferry.from_buffer(bytearray(4)).__dlpack__()
assert dlferry.Tensor.__dlpack__ is not method
assert told() == before, (before, told())
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)
