"""Devices: pairs of integers that know their names, unknown kinds too (rules R1.6, R5.2)."""

import copy
import enum
import pickle
from typing import Any, cast

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest

# The kinds of the header.
KINDS = {
    "CPU": 1, "CUDA": 2, "CUDA_HOST": 3, "OPENCL": 4, "VULKAN": 7, "METAL": 8, "VPI": 9, "ROCM": 10,
    "ROCM_HOST": 11, "EXT_DEV": 12, "CUDA_MANAGED": 13, "ONE_API": 14, "WEB_GPU": 15, "HEXAGON": 16, "MAIA": 17,
    "TRN": 18, "TPU": 19, "TPU_HOST": 20, "ASCEND": 21,
}  # fmt: skip
UNKNOWN = [0, 5, 6, 22, 99, -1, 2**31 - 1, -(2**31)]


def device_of(kind, number) -> Any:
    """Get the device of a tensor there."""
    recipe = dt.Crafted(bytes(4), shape=[1], device=(kind, number), address=0xDEAD0000)
    return dlferry.from_dlpack(dt.Producer(recipe)).device


def test_device_types_are_those_of_the_header():
    assert {kind.name: kind.value for kind in dlferry.DeviceType} == KINDS
    assert issubclass(dlferry.DeviceType, enum.IntEnum)


@pytest.mark.parametrize("kind", [*KINDS.values(), *UNKNOWN])
@pytest.mark.parametrize("number", [0, 7, -1])
def test_device_of_a_tensor_is_the_pair(kind, number):
    device: Any = device_of(kind, number)
    assert (int(device.type), device.id) == (kind, number)
    assert device == (kind, number) == dlferry.Device(kind, number)
    assert type(device) is dlferry.Device


@pytest.mark.parametrize("name", KINDS)
def test_known_type_is_an_enum_member(name):
    assert dlferry.Device(KINDS[name]).type is dlferry.DeviceType[name]


@pytest.mark.parametrize("kind", UNKNOWN)
def test_unknown_type_is_a_plain_int(kind):
    assert type(dlferry.Device(kind, 1).type) is int
    assert str(dlferry.Device(kind, 1)) == f"device_type({kind}):1"


def test_device_unpacks_as_the_pair():
    kind, number = dlferry.Device(2, 3)
    assert (kind, number) == (2, 3)
    assert isinstance(dlferry.Device(2, 3), tuple)


def test_device_equals_and_hashes_as_the_pair():
    device = dlferry.Device(2, 3)
    assert device == (2, 3)
    assert (2, 3) == device  # noqa: SIM300
    assert device != (2, 4)
    assert {(2, 3): 1}[device] == 1
    assert hash(device) == hash((2, 3))


# What the device is made of, and its text.
TEXTS = [
    ((1,), "cpu"),
    ((1, 0), "cpu"),
    ((1, 2), "cpu:2"),
    ((2,), "cuda:0"),
    ((dlferry.DeviceType.CUDA_MANAGED, 1), "cuda_managed:1"),
    ((14, 0), "one_api:0"),
    ((99, 0), "device_type(99):0"),
]


@pytest.mark.parametrize(("arguments", "text"), TEXTS)
def test_str_is_the_name_and_the_number(arguments, text):
    assert str(dlferry.Device(*arguments)) == text


def test_repr_makes_the_device_again():
    device = dlferry.Device(dlferry.DeviceType.CUDA, 1)
    assert repr(device) == "dlferry.Device(2, 1)"
    assert eval(repr(device), {"dlferry": dlferry}) == device


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_device_survives_pickling(protocol):
    device = dlferry.Device(99, 1)
    again = pickle.loads(pickle.dumps(device, protocol))
    assert again == device
    assert type(again) is dlferry.Device


def test_device_survives_copying():
    for again in (copy.copy(dlferry.Device(2)), copy.deepcopy(dlferry.Device(2))):
        assert type(again) is dlferry.Device
        assert again == (2, 0)


def test_device_holds_plain_integers():
    """An enum member or a NumPy integer does not get into what other libraries are handed."""
    device = dlferry.Device(dlferry.DeviceType.CUDA, cast("int", np.int64(1)))
    assert [type(part) for part in device] == [int, int]


def test_device_is_what_a_producer_can_be_asked_for():
    """By its own tensor too, so that `device=other.device` works."""
    tensor = dlferry.from_dlpack(np.zeros(2), device=dlferry.Device(1, 0))
    assert dlferry.from_dlpack(tensor, device=tensor.device).device == (1, 0)
    assert tensor.__dlpack_device__() == (1, 0)
    assert type(tensor.__dlpack_device__()) is tuple


def test_device_has_no_room_for_other_attributes():
    with pytest.raises(AttributeError):
        setattr(dlferry.Device(1), "name", "x")  # noqa: B010
