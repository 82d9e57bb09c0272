"""The arithmetic of layouts, against what NumPy says and against counting."""

import math
import random

import dlferry
import pytest
from dlferry._explain.drawing import draw
from dlferry._explain.facts import Layout
from dlferry._explain.picture import picture
from dlferry._explain.trials import twins_of
from dlferry._explain.twins import Twin, cut

np = pytest.importorskip("numpy")


def layouts(count=200):
    """Arrays with all kinds of strides."""
    chance = random.Random(7)
    for _ in range(count):
        array = np.zeros(
            [chance.randint(1, 5) for _ in range(chance.randint(1, 4))], chance.choice(["u1", "f4", "c16"])
        )
        array = array.transpose(chance.sample(range(array.ndim), array.ndim))
        array = array[tuple(slice(None, None, chance.choice([1, 1, 2, -1, -2])) for _ in array.shape)]
        if chance.random() < 0.2:
            array = np.broadcast_to(array, (3, *array.shape))
        yield array


def anyhow(count=60):
    """Arrays whose strides have nothing to do with their elements, so that these may overlap by some bytes."""
    chance = random.Random(8)
    memory = np.zeros(4096, "u1")
    for _ in range(count):
        shape = [chance.randint(1, 4) for _ in range(chance.randint(1, 3))]
        strides = [chance.randint(0, 24) for _ in shape]
        yield np.lib.stride_tricks.as_strided(
            memory[1024:].view(chance.choice(["u1", "f4", "f8"])), shape, strides
        )


def of(array):
    return Layout.of_interface(array.__array_interface__, "the test")


def bytes_of(array):
    """The addresses of all bytes, one by one."""
    item = np.arange(array.itemsize)
    index = np.indices(array.shape).reshape(array.ndim, -1)
    return (np.dot(array.strides, index)[:, None] + item).ravel()


@pytest.mark.parametrize("array", [*layouts(), *anyhow()], ids=lambda array: f"{array.shape}{array.strides}")
def test_order_holes_and_overlap(array):
    layout = of(array)
    places = bytes_of(array)
    assert layout.c_contiguous == array.flags.c_contiguous
    assert layout.f_contiguous == array.flags.f_contiguous
    assert layout.span == places.max() - places.min() + 1
    assert layout.overlaps == (len(np.unique(places)) < len(places))
    assert layout.holes == (None if layout.overlaps else layout.span - array.nbytes)
    if layout.strides is not None:
        counted = zip(layout.strides, array.strides, array.shape, strict=True)
        assert all(own * array.itemsize == step for own, step, extent in counted if extent > 1)


@pytest.mark.parametrize("array", list(layouts(60)), ids=lambda array: f"{array.shape}{array.strides}")
def test_the_drawing_has_all_elements_and_no_more_holes_than_there_are(array):
    drawing = draw(of(array))
    assert drawing is not None
    if drawing.is_part:
        return
    assert sum(len(cell.indices) for cell in drawing.cells) == array.size
    if not of(array).overlaps:
        assert sum(cell.bits for cell in drawing.cells if not cell.indices) == 8 * of(array).holes


@pytest.mark.parametrize("array", list(layouts(60)), ids=lambda array: f"{array.shape}{array.strides}")
def test_a_picture_is_well_formed(array):
    from xml.etree import ElementTree

    assert ElementTree.fromstring(picture(of(array))).tag.endswith("svg")


@pytest.mark.parametrize("array", list(layouts(60)), ids=lambda array: f"{array.shape}{array.strides}")
def test_twins_lie_as_they_say_within_their_memory(array):
    tensor = dlferry.from_dlpack(array)
    shape, strides, smaller = cut(Layout.of_tensor(tensor, "the test"))
    assert not smaller
    twin = Twin(shape, strides, str(tensor.dtype), 4, False, True, True)
    for name, other in twins_of(twin).items():
        made = other.make()
        assert made.shape == other.shape, name
        moving = [
            (step, own)
            for step, own, n in zip(made.strides, other.strides, other.shape, strict=True)
            if n > 1
        ]
        assert all(step == own for step, own in moving)
        assert made.data_ptr % 64 == other.misplaced
        low = (
            made.data_ptr
            + sum(min(0, (n - 1) * s) for n, s in zip(made.shape, made.strides, strict=True)) * made.itemsize
        )
        high = (
            made.data_ptr
            + (sum(max(0, (n - 1) * s) for n, s in zip(made.shape, made.strides, strict=True)) + 1)
            * made.itemsize
        )
        owner = dlferry.from_buffer(made.owner)
        assert owner.data_ptr <= low
        assert high <= owner.data_ptr + owner.nbytes


@pytest.mark.parametrize(
    ("array", "overlaps"),
    [
        (np.broadcast_to(np.zeros(3), (2**20, 2**20, 3)), True),
        (np.zeros((100, 100, 3)).transpose(2, 0, 1)[:, ::-1, ::2], False),
        (np.zeros((1000, 1000), order="F"), False),
        (np.lib.stride_tricks.sliding_window_view(np.zeros(10000), 100), True),
    ],
    ids=["repeated", "backwards with holes", "column-major", "overlapping"],
)
def test_a_cut_keeps_the_kind_of_the_layout(array, overlaps):
    whole = of(array)
    shape, strides, smaller = cut(whole)
    small = Layout(shape, tuple(step * 64 for step in strides), 64, None, "float64", False, "the test")
    assert smaller
    assert math.prod(shape) <= 4096
    assert small.overlaps == (len({*small.places()}) < small.size) == overlaps
    assert [step > 0 for step in strides] == [step > 0 for step in array.strides]
    assert small.f_contiguous == whole.f_contiguous
    assert bool(small.holes) == bool(whole.holes)


def test_packed_elements_have_strides_in_bits():
    packed = dlferry.from_buffer(bytearray(8)).view("int4")
    layout = Layout.of_tensor(packed, "the test")
    assert (layout.size, layout.item_bits, layout.nbytes, layout.span) == (16, 4, 8, 8)
    assert "[1]" in str(dlferry.explain(packed, to=()))
