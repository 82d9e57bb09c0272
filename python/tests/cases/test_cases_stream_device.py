"""Public failures of devices and streams. No device is there, so their memory is an address that leads nowhere."""

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from craft import CUDA, HOST_READABLE, MANAGED, deletions, exported, floats, on_device, taken


def test_b152_device_of_an_import_equals_that_of_its_source():
    """Section 3; data-apis/array-api-strict#99: and can be hashed."""
    native = dlferry.from_buffer(bytearray(4))
    imported = dlferry.from_dlpack(np.arange(3))
    devices = {native.device, imported.device, dlferry.from_dlpack(native).device, native.copy().device}
    assert len(devices) == 1
    assert devices == {(1, 0)}


def test_b153_memory_of_the_host_is_on_its_only_cpu():
    """R5.13; data-apis/array-api-strict#221."""
    sources = [b"ab", np.arange(3), np.zeros((0, 2)), np.array(1.5), memoryview(bytearray(4))]
    for source in sources:
        assert dlferry.asarray(source).__dlpack_device__() == (1, 0)
        assert dlferry.asarray(source, copy=True).__dlpack_device__() == (1, 0)


STREAMS = {
    "None": (None, None),
    "-1": (-1, None),
    "0": (0, ValueError),
    "1": (1, ValueError),
    "2": (2, ValueError),
    "-2": (-2, ValueError),
    "text": ("1", TypeError),
    "float": (1.0, TypeError),
    "object": (object(), TypeError),
}


@pytest.mark.parametrize("stream", STREAMS)
def test_b207_stream_of_an_export_is_read_as_the_standard_says(stream):
    """R5.4, R5.10; PaddlePaddle/Paddle#76840."""
    value, error = STREAMS[stream]
    tensor = taken(floats())
    if error is None:
        assert dt.capsule_name(tensor.__dlpack__(stream=value)) == "dltensor"
    else:
        with pytest.raises(error):
            tensor.__dlpack__(stream=value)


@pytest.mark.parametrize("device", [(1, 0), (2, 0), (2, 3), (10, 0), (13, 0)])
def test_b208_stream_is_always_said_and_never_left_to_a_default(device):
    """R5.9, R9.23; data-apis/array-api#974."""
    producer = dt.Producer(on_device(*device) if device[0] != 1 else floats())
    dlferry.from_dlpack(producer)
    assert len(producer.calls) == 1
    assert "stream" in producer.calls[0]


def test_b210_managed_memory_is_taken_for_what_it_is():
    """5.12, R9.16; pytorch/pytorch#96318: the host reads it, and it is exported as it came."""
    tensor = taken(floats(device=(MANAGED, 0)))
    assert tensor.device == (13, 0)
    assert tensor.tolist()[1] == [3.0, 4.0, 5.0]
    assert exported(tensor)["device"] == (13, 0)
    with pytest.raises(BufferError, match="cuda"):
        tensor.__dlpack__(dl_device=(2, 0))


@pytest.mark.parametrize("kind", [*range(1, 22), 99])
def test_b211_device_types_are_kept_apart(kind):
    """R1.2; NVIDIA/cuda-python#1863: one number, one name, there and back."""
    crafted = floats(device=(kind, 0)) if kind in HOST_READABLE else on_device(kind)
    tensor = taken(crafted)
    assert tensor.__dlpack_device__() == (kind, 0)
    assert exported(tensor, stream=None)["device"] == (kind, 0)
    names = [member.name for member in dlferry.DeviceType]
    assert len(set(names)) == len({member.value for member in dlferry.DeviceType}) == len(names)
    assert dlferry.DeviceType.CUDA_HOST.value == 3
    assert dlferry.DeviceType.CUDA_MANAGED.value == 13


def test_b213_other_streams_of_a_device_are_asked_of_the_source():
    """5.12, R5.7; pytorch/pytorch#150217: None is the default one, 1 the same, and nothing waits for another."""
    crafted = on_device(CUDA)
    producer = dt.Producer(crafted)
    tensor = dlferry.from_dlpack(producer)
    for stream in (None, 1):
        assert exported(tensor, stream=stream)["device"] == (CUDA, 0)
    assert len(producer.calls) == 1
    assert exported(tensor, stream=2)["device"] == (CUDA, 0)
    assert len(producer.calls) == 2
    assert producer.calls[1]["stream"] == 2
    with pytest.raises(ValueError, match="0"):
        tensor.__dlpack__(stream=0, max_version=(1, 3))
    alone = dlferry.from_dlpack(on_device(CUDA).capsule())
    with pytest.raises(BufferError):
        alone.__dlpack__(stream=2, max_version=(1, 3))
    del tensor, producer
    assert deletions(crafted) == 2
