"""The look at an array without any library agrees with what is known of it."""

import ctypes

import dlferry
import pytest
from dlferry._doctor import witness


def shaped(data=bytes(range(48)), dtype="uint16", shape=(4, 6)):
    return dlferry.from_buffer(bytearray(data)).view(dtype).reshape(shape)


VIEWS = {
    "row-major": lambda x: x,
    "column-major": lambda x: x.T,
    "step": lambda x: x[::2, 1::2],
    "reversed": lambda x: x[::-1, ::-1],
    "broadcast": lambda x: x[:1].broadcast_to((4, 6)),
    "no axes": lambda x: x[1, 2],
    "empty": lambda x: x[:0],
}


class Without:
    """Has one of the ways in alone."""

    def __init__(self, tensor, way):
        self.tensor, self.way = tensor, way

    def __getattr__(self, name):
        if name != self.way:
            raise AttributeError(name)
        return getattr(self.tensor, name)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("way", ["capsule", "array interface", "buffer"])
def test_look_sees_what_is_there(view, way):
    tensor = VIEWS[view](shaped())
    looked = {
        "capsule": lambda: Without(tensor, "__dlpack__"),
        "array interface": lambda: Without(tensor, "__array_interface__"),
        "buffer": lambda: memoryview(tensor),
    }[way]()
    seen = witness.look(looked)
    assert seen is not None
    assert (seen.way, seen.dtype, seen.shape) == (way, "uint16", tensor.shape)
    assert seen.values() == tensor.tobytes()
    assert not tensor.size or seen.address == tensor.data_ptr
    assert seen.read_only is tensor.readonly


def test_unversioned_capsule_cannot_tell_that_it_is_read_only():
    class Old:
        def __dlpack__(self):
            return tensor.__dlpack__()

    tensor = shaped()
    seen = witness.look(Old())
    assert seen is not None
    assert (seen.version, seen.read_only) == ("unversioned", None)


@pytest.mark.parametrize("thing", [object(), 3, None, "text", [1.0]])
def test_what_is_no_array_cannot_be_looked_at(thing):
    assert witness.look(thing) is None


def test_what_raises_or_lies_is_no_array():
    class Broken:
        def __dlpack__(self, **_):
            return "no capsule"

        @property
        def __array_interface__(self):
            raise RuntimeError

    assert witness.look(Broken()) is None


def test_looking_leaves_the_array_as_it_is():
    tensor = shaped()
    capsule = tensor.__dlpack__(max_version=(1, 3))

    class Same:
        def __dlpack__(self, **_):
            return capsule

    assert witness.look(Same()) == witness.look(Same())
    assert ctypes.pythonapi.PyCapsule_IsValid(ctypes.py_object(capsule), b"dltensor_versioned")
    assert dlferry.from_dlpack(capsule).tolist() == tensor.tolist()
