"""Public failures in which memory or metadata went away under somebody who was still looking."""

import array
import ctypes
import gc
import itertools
import struct
import weakref

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from craft import deletions, floats, taken


def churn() -> list[bytearray]:
    """Allocate and fill a lot, so that what was freed is overwritten."""
    return [bytearray(b"\xdd" * size) for size in (16, 24, 32, 48, 64, 96, 128, 256, 1024) for _ in range(50)]


@pytest.mark.parametrize("keywords", [{"max_version": (1, 3)}, {}], ids=["versioned", "unversioned"])
def test_b002_consumer_keeps_the_memory_when_all_else_is_dropped(keywords):
    """R2.2, R2.4; pytorch/pytorch#9260: capsule and source go first, and the deletion is the consumer's."""
    for _ in range(200):
        crafted = floats()
        tensor = taken(crafted)
        capsule = tensor.__dlpack__(**keywords)
        held = dt.consume(capsule)
        del capsule, tensor
        churn()
        assert held.read_bytes(24) == struct.pack("=6f", *range(6))
        assert deletions(crafted) == 0
        held.delete()
        assert deletions(crafted) == 1


def test_b003_result_of_a_function_outlives_its_locals():
    """R2.7; apache/mxnet#13658: shape, strides and values, 100 times."""

    def made() -> dlferry.Tensor:
        local = array.array("q", [0, 5])
        return dlferry.from_dlpack(dlferry.from_buffer(local))

    for _ in range(100):
        tensor = made()
        churn()
        assert (tensor.shape, tensor.strides, tensor.tolist()) == ((2,), (1,), [0, 5])


def test_b006_metadata_needs_nothing_but_the_tensor():
    """R2.7; tensorflow/tensorflow#37986: what the producer wrote it in is overwritten."""
    crafted = floats()
    kind = dt.exchange_type(crafted)
    for source in (kind(), dt.Producer(crafted), crafted.capsule(), crafted.capsule(False)):
        tensor = dlferry.from_dlpack(source)
        del source
        gc.collect()
        churn()
        found = tensor.device, tensor.dtype, tensor.shape, tensor.strides, tensor.ndim, tensor.nbytes
        assert found == ((1, 0), dlferry.float32, (2, 3), (3, 1), 2, 24)
    del tensor


@pytest.mark.parametrize("order", [*itertools.permutations(range(3))])
def test_b007_chain_of_hops_stays_whole_in_any_order_of_deaths(order):
    """R2.2, 5.3; VoVAllen/tf-dlpack#12: NumPy, ours, NumPy, ours; the last one standing still reads."""
    first = np.arange(1e6)
    alive = weakref.ref(first)
    hops = [first]
    for _ in range(2):
        hops.append(dlferry.from_dlpack(hops[-1]))
        hops.append(np.from_dlpack(hops[-1]))
    last = dlferry.from_dlpack(hops[-1])
    del first
    for index in (*order, 3, 4):
        hops[index] = None
    gc.collect()
    assert alive() is not None
    assert last[-1].item() == 999_999.0
    assert last.data_ptr == alive().ctypes.data
    del last
    gc.collect()
    assert alive() is None


def test_b010_view_of_a_field_keeps_its_object():
    """R2.2; thelfer/MFrontGenericInterfaceSupport#290: whichever way the field was described."""

    class Field:
        def __init__(self, owner: object, data: ctypes.Array) -> None:
            self.owner = owner
            self.__array_interface__ = {
                "version": 3,
                "typestr": "<f8",
                "shape": (4,),
                "data": (ctypes.addressof(data), False),
            }

    class Material:
        def __init__(self) -> None:
            self.data = (ctypes.c_double * 4)(0, 1, 2, 3)

        def by_interface(self) -> dlferry.Tensor:
            return dlferry.asarray(Field(self, self.data))

        def by_address(self) -> dlferry.Tensor:
            return dlferry.from_address(ctypes.addressof(self.data), (4,), "float64", owner=self)

    for way in (Material.by_interface, Material.by_address):
        material = Material()
        alive = weakref.ref(material)
        view = way(material)[1:]
        del material
        gc.collect()
        churn()
        assert alive() is not None
        assert view.tolist() == [1.0, 2.0, 3.0]
        del view
        gc.collect()
        assert alive() is None


def test_b012_buffer_is_held_until_the_last_view_dies():
    """Section 3; numpy/numpy#15450: an exporter that resizes at release would pull the memory away."""
    lent = bytearray(struct.pack("=4i", 1, 2, 3, 4))
    tensor = dlferry.from_buffer(memoryview(lent).cast("i"))
    part = tensor[2:]
    capsule = part.__dlpack__(max_version=(1, 3))
    del tensor, part
    with pytest.raises(BufferError):
        lent.append(0)
    last = dlferry.from_dlpack(capsule)
    del capsule
    assert last.tolist() == [3, 4]
    with pytest.raises(BufferError):
        lent.clear()
    del last
    lent.clear()
    assert len(lent) == 0
    exporter = dt.BufferExporter(struct.pack("=4i", 1, 2, 3, 4), format=b"i", itemsize=4, shape=[4])
    tensor = dlferry.from_buffer(exporter)
    views = [tensor[1:], memoryview(tensor), np.asarray(tensor), dlferry.from_dlpack(tensor), tensor.copy()]
    del tensor
    while len(views) > 1:
        assert exporter.held == 1
        views.pop(0)
    assert exporter.held == 0
    assert views[0].tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("order", [*itertools.permutations(range(4))])
def test_b013_views_of_a_tensor_die_in_any_order(order):
    """PEP 3118; rapidsai/ucx-py#87: shape and strides live until the last release."""
    crafted = floats()
    tensor = taken(crafted)
    views = [memoryview(tensor), memoryview(tensor), memoryview(tensor), np.asarray(tensor)]
    del tensor
    for index in order:
        churn()
        view = memoryview(views[index])
        assert (view.shape, view.strides, view.tolist()[1]) == ((2, 3), (12, 4), [3.0, 4.0, 5.0])
        view.release()
        assert deletions(crafted) == 0
        views[index] = None
    assert deletions(crafted) == 1


@pytest.mark.parametrize("first", [0, 1])
def test_b015_reading_and_writing_views_do_not_disturb_each_other(first):
    """PEP 3118; pybind/pybind11#45: released in both orders."""
    source = bytearray(4)
    fixed, open_ = dlferry.from_buffer(source, writable=False), dlferry.from_buffer(source)
    views = [memoryview(fixed), memoryview(open_)]
    assert [view.readonly for view in views] == [True, False]
    views.pop(first).release()
    (left,) = views
    assert left.readonly is (first == 1)
    if not left.readonly:
        left[0] = 7
    assert left.tolist() == list(source)


def test_b016_view_of_a_view_is_released_once():
    """PEP 3118; pybind/pybind11#973: in every order."""
    for order in itertools.permutations(range(3)):
        crafted = dt.Crafted(bytes(range(8)), shape=[8], strides=[1], code=1, bits=8)
        tensor = taken(crafted)
        outer = memoryview(tensor)
        inner = memoryview(outer)[2:3]
        assert struct.unpack_from("B", inner) == (2,)
        views = [tensor, outer, inner]
        del tensor, outer, inner
        for index in order:
            assert deletions(crafted) == 0
            views[index] = None
        assert deletions(crafted) == 1


class Ending:
    """An index that does something to the tensor's owner when it is asked for its value."""

    def __init__(self, act) -> None:
        self.act = act

    def __index__(self) -> int:
        self.act()
        return 1


def test_b182_index_that_ends_the_owner_finds_the_memory_held():
    """Section 3; python/cpython#142665: the tensor is alive while it is indexed, and so is what it was made of."""
    crafted = floats()
    box = [taken(crafted)]

    def drop() -> None:
        box.clear()
        gc.collect()
        churn()

    assert box[0][Ending(drop)].tolist() == [3.0, 4.0, 5.0]
    assert deletions(crafted) == 1
    lent = bytearray(range(8))
    tensor = dlferry.from_buffer(lent)
    with pytest.raises(BufferError):
        tensor[Ending(lent.clear)]
    with pytest.raises(BufferError):
        tensor[Ending(lent.clear) :]
    with pytest.raises(BufferError):
        tensor.reshape(2, Ending(lent.clear))
    assert tensor[Ending(lambda: None) :].tolist() == list(range(1, 8))


def test_b183_elements_are_not_assigned_by_index():
    """Section 3; python/cpython#92888: so nothing of a value's making can come between; `copyto` writes."""
    tensor = dlferry.from_buffer(bytearray(3))

    class Evil:
        def __float__(self) -> float:
            pytest.fail("was asked")

        __index__ = __float__

    with pytest.raises(TypeError):
        tensor[0] = Evil()
    with pytest.raises(TypeError):
        tensor[Ending(gc.collect)] = Evil()
    with pytest.raises(TypeError):
        tensor[:] = Evil()
    dlferry.copyto(tensor[:1], b"\7")
    assert tensor.tolist() == [7, 0, 0]


def test_b185_owner_that_is_resized_from_within_a_call_refuses():
    """PEP 3118; msgpack/msgpack-python#739: a producer's own code runs while its memory is lent."""
    lent = bytearray(4)
    held = dlferry.from_buffer(lent)

    class Producer:
        def __dlpack__(self, **keywords: object) -> object:
            with pytest.raises(BufferError):
                lent.extend(bytes(4096))
            return held.__dlpack__(**keywords)

    tensor = dlferry.from_dlpack(Producer())
    assert (len(lent), tensor.shape) == (4, (4,))


def test_b217_struct_is_not_looked_at_after_its_deletion():
    """R2.2; apache/arrow#47296: a deleter that overwrites everything changes no copy and no later answer."""
    for keywords in ({"copy": True}, {}):
        crafted = floats(poison=True)
        tensor = taken(crafted, **keywords)
        if keywords:
            assert deletions(crafted) == 1
        assert (tensor.shape, tensor.strides, tensor.tolist()[1]) == ((2, 3), (3, 1), [3.0, 4.0, 5.0])
        del tensor
        assert deletions(crafted) == 1
    for fault in ({"ndim": -1}, {"lanes": 0}, {"version": (2, 0)}):
        with pytest.raises(BufferError):
            taken(floats(poison=True, **fault))
