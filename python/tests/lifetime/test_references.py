"""Reference counts are exact: every reference that an exchange takes is given back."""

import contextlib
import gc
import sys
import weakref
from collections.abc import Callable
from typing import Any

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest


class Producer:
    """An array's protocol in Python, so that the object itself is counted apart from the array."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack__(self, **keywords: Any) -> object:
        return self.array.__dlpack__(**keywords)


class Old:
    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack__(self) -> object:
        return self.array.__dlpack__()


def test_import_holds_the_array_until_the_tensor_goes():
    """R2.2: once, for what holds the memory is the owner that can be asked again; twice from when it is shown."""
    array = np.arange(3)
    before = sys.getrefcount(array)
    tensor = dlferry.from_dlpack(array)
    assert sys.getrefcount(array) == before + 1
    assert tensor.owner is array
    second = dlferry.from_dlpack(tensor)
    assert sys.getrefcount(array) == before + 2
    del tensor
    assert sys.getrefcount(array) == before + 2
    del second
    assert sys.getrefcount(array) == before


def forms(array: np.ndarray) -> dict[str, Callable[[], object]]:
    return {
        "versioned": lambda: dlferry.from_dlpack(Producer(array)),
        "unversioned": lambda: dlferry.from_dlpack(Old(array)),
        "capsule": lambda: dlferry.from_dlpack(array.__dlpack__()),
        "copied": lambda: dlferry.from_dlpack(array, copy=True),
        "read-only": lambda: dlferry.from_dlpack(array, writable=False),
        "wrong device": lambda: dlferry.from_dlpack(Producer(array), device=(2, 0)),
        "wrong keyword": lambda: dlferry.from_dlpack(array, copy=3),
        "no capsule": lambda: dlferry.from_dlpack(type("Odd", (), {"__dlpack__": lambda self, **k: array})()),
        "no protocol": lambda: dlferry.from_dlpack([array]),
        "error inside": lambda: dlferry.from_dlpack(
            type("Odd", (), {"__dlpack__": lambda self, **k: array[9]})()
        ),
        "not to be written": lambda: dlferry.from_dlpack(np.broadcast_to(array, (2, 3)), writable=True),
    }


@pytest.mark.parametrize("form", forms(np.arange(3)))
def test_import_gives_every_reference_back(form):
    """R2.5 to R2.7: when it succeeds and when it is refused."""
    array = np.arange(3)
    action = forms(array)[form]
    before = sys.getrefcount(array)
    for _ in range(10):
        with contextlib.suppress(BufferError, TypeError, IndexError):
            action()
    gc.collect()
    assert sys.getrefcount(array) == before


def uses(tensor: dlferry.Tensor) -> dict[str, Callable[[], object]]:
    return {
        "capsule": lambda: tensor.__dlpack__(),
        "versioned capsule": lambda: tensor.__dlpack__(max_version=(1, 0)),
        "copy": lambda: tensor.__dlpack__(max_version=(1, 0), copy=True),
        "refused device": lambda: tensor.__dlpack__(dl_device=(2, 0)),
        "refused keyword": lambda: tensor.__dlpack__(max_version=[1, 0]),
        "buffer": lambda: memoryview(tensor),
        "refused buffer": lambda: hash(memoryview(tensor)),
        "exchange": lambda: dt.exchange_from(tensor).delete(),
        "borrow": lambda: dt.exchange_borrow(tensor),
        "import": lambda: dlferry.from_dlpack(tensor),
        "NumPy": lambda: np.from_dlpack(tensor),
        "attributes": lambda: (
            tensor.shape,
            tensor.device,
            tensor.dtype,
            tensor.owner,
            repr(tensor),
            tensor.tolist(),
        ),
    }


@pytest.mark.parametrize("use", uses(dlferry.from_dlpack(np.arange(3))))
def test_tensor_is_not_held_by_what_was_made_of_it(use):
    """R2.2: exports share the memory and not the Python object."""
    array = np.arange(3)
    tensor = dlferry.from_dlpack(array)
    assert tensor.owner is array  # from here on it is held twice
    action = uses(tensor)[use]
    before = sys.getrefcount(tensor), sys.getrefcount(array)
    for _ in range(10):
        with contextlib.suppress(BufferError, TypeError, ValueError):
            action()
    assert (sys.getrefcount(tensor), sys.getrefcount(array)) == before


def test_buffer_view_holds_the_tensor():
    """PEP 3118: once for each view."""
    tensor = dlferry.from_dlpack(np.arange(3))
    before = sys.getrefcount(tensor)
    views = [memoryview(tensor) for _ in range(3)]
    assert sys.getrefcount(tensor) == before + 3
    views[0].release()
    del views
    assert sys.getrefcount(tensor) == before


def test_types_and_constants_are_not_used_up():
    """What is looked up and kept once is not taken again each time."""
    array = np.arange(3)
    tensor = dlferry.from_dlpack(array)
    shared = [dlferry.Tensor, dlferry.Device, dlferry.dtype, dlferry.CopyRequiredError, np.ndarray]
    names = ["__dlpack__", "max_version", "stream", "__dlpack_c_exchange_api__"]
    counted = [*shared, *map(sys.intern, names), dlferry.Tensor.__dlpack_c_exchange_api__]

    def work() -> None:
        other = dlferry.from_dlpack(array)
        dlferry.from_dlpack(other)
        tensor.__dlpack__(max_version=(1, 0))
        tensor.device, tensor.dtype, tensor.__dlpack_device__()
        memoryview(tensor).release()

    work()
    before = [sys.getrefcount(one) for one in counted]
    for _ in range(100):
        work()
    after = [sys.getrefcount(one) for one in counted]
    assert [new - old for old, new in zip(before, after, strict=True)] == [0] * len(counted)


def test_tensor_can_be_watched():
    """A weak reference ends with the tensor."""
    tensor = dlferry.from_dlpack(np.arange(3))
    watch = weakref.ref(tensor)
    assert watch() is tensor
    del tensor
    assert watch() is None


def test_owner_that_holds_its_own_tensor_is_collected():
    """A cycle through the owner is seen by the collector."""
    crafted = dt.Crafted(bytes(12), shape=[3], strides=[1])

    class Owner:
        def __dlpack__(self, **keywords: object) -> object:
            return crafted.capsule()

    owner: Any = Owner()
    owner.tensor = dlferry.from_dlpack(owner)
    assert owner in gc.get_referents(owner.tensor)
    assert gc.is_tracked(owner.tensor)
    watch = weakref.ref(owner)
    del owner
    assert watch() is not None
    gc.collect()
    assert watch() is None
    assert len(crafted.deleter_calls) == 1


def test_longer_cycle_is_collected():
    """Through two owners and a list."""
    crafted = dt.Crafted(bytes(12), shape=[3], strides=[1])

    class Owner:
        def __dlpack__(self, **keywords: object) -> object:
            return crafted.capsule()

    one: Any = Owner()
    two: Any = Owner()
    one.other, two.other = [dlferry.from_dlpack(two)], [dlferry.from_dlpack(one)]
    del one, two
    gc.collect()
    assert len(crafted.deleter_calls) == 2


def test_tensors_in_the_room_of_freed_ones_are_new():
    """Nothing is left of the one before: no owner, no weak reference; and the collector sees each."""
    array = np.arange(3)
    owner = Producer(array)
    for _ in range(3):
        many = [dlferry.from_dlpack(owner) for _ in range(40)]
        watches = [weakref.ref(tensor) for tensor in many]
        assert all(map(gc.is_tracked, many))
        assert all(tensor.owner is owner for tensor in many)
        many.clear()
        assert all(watch() is None for watch in watches)
        many = [dlferry.from_dlpack(array) for _ in range(40)]
        assert len(set(map(id, many))) == 40
        assert all(map(gc.is_tracked, many))
        assert all(tensor.owner is array and weakref.getweakrefcount(tensor) == 0 for tensor in many)
        assert owner not in [other for tensor in many for other in gc.get_referents(tensor)]
        many.clear()
    assert sys.getrefcount(owner) == 2  # this name, and the argument


def test_cycle_through_a_tensor_in_the_room_of_a_freed_one_is_collected():
    crafted = dt.Crafted(bytes(12), shape=[3], strides=[1])

    class Owner:
        def __dlpack__(self, **keywords: object) -> object:
            return crafted.capsule()

    for count in range(1, 40):
        del [dlferry.from_dlpack(np.arange(3))][0]
        owner: Any = Owner()
        owner.tensor = dlferry.from_dlpack(owner)
        del owner
        gc.collect()
        assert len(crafted.deleter_calls) == count
