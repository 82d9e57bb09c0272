"""Devices: what a producer announces and what its capsule says; rules R5.2, R9.15, R9.16; decisions 5.7 and 5.12."""

from enum import IntEnum

import dlferry
import dlferry_testing as dt
import pytest
from craft import CUDA, HOST_READABLE, NOWHERE, OTHER_DEVICES, deletions, exported, floats, on_device, taken


class Kind(IntEnum):
    CPU = 1
    CUDA = 2


class Index:
    def __index__(self) -> int:
        return 1


def raising(error: BaseException):
    """Return a method that raises."""

    def method(self):
        raise error

    return method


# What `__dlpack_device__` may be like; the memory is the host's each time.
ANNOUNCED = {
    "right": lambda self: (1, 0),
    "an enum": lambda self: (Kind.CPU, 0),
    "another device": lambda self: (2, 7),
    "another enum": lambda self: (Kind.CUDA, 0),
    "an index": lambda self: (Index(), Index()),
    "no number": lambda self: (1, None),
    "garbage": lambda self: "cpu",
    "nothing": lambda self: None,
    "too many": lambda self: (1, 0, 0),
    "too large": lambda self: (2**40, 0),
    "BufferError": raising(BufferError("not today")),
    "AttributeError": raising(AttributeError("inner")),
    "absent": None,
}


@pytest.mark.parametrize("announced", ANNOUNCED)
def test_capsule_decides_the_device(announced):
    """R9.15: the announcement changes nothing, whether right, wrong, malformed, failing or absent."""
    crafted = floats()
    body = {"__dlpack__": lambda self, **keywords: crafted.capsule()}
    if ANNOUNCED[announced] is not None:
        body["__dlpack_device__"] = ANNOUNCED[announced]
    tensor = dlferry.from_dlpack(type("Announcing", (), body)())
    assert tensor.device == (1, 0)
    assert tensor.tolist()[0] == [0.0, 1.0, 2.0]


def test_host_announced_for_memory_elsewhere_is_not_believed():
    """R9.15: nothing is read."""
    tensor = dlferry.from_dlpack(dt.Producer(on_device(CUDA, 1), device=(1, 0)))
    assert tensor.device == (CUDA, 1)
    with pytest.raises(BufferError, match="cuda:1"):
        tensor.tolist()


@pytest.mark.parametrize("kind", HOST_READABLE)
def test_memory_that_the_host_reads_has_values(kind):
    """5.12: without synchronising, and under any device number (R1.8)."""
    crafted = floats(device=(kind, 3))
    tensor = taken(crafted)
    assert tensor.device == (kind, 3)
    assert tensor.tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    assert memoryview(tensor).tolist() == tensor.tolist()
    assert taken(crafted, copy=True).tolist() == tensor.tolist()
    assert tensor.__dlpack_device__() == (kind, 3)


@pytest.mark.parametrize("kind", HOST_READABLE[1:])
def test_copy_of_such_memory_is_plain_host_memory(kind):
    """N8."""
    assert taken(floats(device=(kind, 3)), copy=True).device == (1, 0)


@pytest.mark.parametrize("kind", OTHER_DEVICES)
def test_other_memory_passes_through_unread(kind):
    """5.7, 5.12, R1.6: known device types and unknown ones, at an address that would end the process."""
    crafted = on_device(kind, 1)
    tensor = taken(crafted)
    assert (tensor.device, tensor.data_ptr, tensor.readonly) == ((kind, 1), NOWHERE, False)
    assert tensor.__dlpack_device__() == (kind, 1)
    fields = exported(tensor)
    assert (fields["device"], fields["data"], fields["shape"]) == ((kind, 1), NOWHERE, [2, 3])
    del tensor
    assert deletions(crafted) == 1


@pytest.mark.parametrize("kind", OTHER_DEVICES)
def test_values_of_other_memory_are_refused(kind):
    """5.12: BufferError that names the device, wherever the bytes would be needed."""
    tensor = taken(on_device(kind, 1))
    one = taken(on_device(kind, 1, shape=[], strides=[]))
    name = str(tensor.device)
    for read in (
        tensor.tolist,
        one.item,
        lambda: memoryview(tensor),
        lambda: bytes(tensor),
        lambda: tensor.__dlpack__(copy=True),
        lambda: dlferry.from_dlpack(tensor, copy=True),
        lambda: tensor.__dlpack__(max_version=(1, 0), dl_device=(1, 0)),
    ):
        with pytest.raises(BufferError) as caught:
            read()
        text = str(caught.value)
        assert name in text or f"{kind}" in text
    assert "0.0" not in repr(tensor)


def test_handle_keeps_its_offset():
    """R3.13: what is no address is not counted from."""
    fields = exported(taken(on_device(8, byte_offset=12)))
    assert (fields["data"], fields["byte_offset"]) == (NOWHERE, 12)
    fields = exported(taken(on_device(CUDA, byte_offset=12)))
    assert (fields["data"], fields["byte_offset"]) == (NOWHERE + 12, 0)


def test_own_device_is_a_pair_of_plain_integers():
    """R5.2: for consumers that compare or unpack it."""
    answer = taken(floats()).__dlpack_device__()
    assert type(answer) is tuple
    assert [type(part) for part in answer] == [int, int]
