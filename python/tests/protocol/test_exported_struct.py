"""Each field of what a tensor exports: rules R2.10, R3.4 to R3.7, R3.12; decision 5.6."""

import dlferry
import dlferry_testing as dt
import pytest
from craft import exported, floats, taken

LAYOUTS = {
    "rows": ([2, 3], [3, 1]),
    "columns": ([3, 2], [1, 3]),
    "every other": ([3], [2]),
    "one element": ([1, 1, 1], [7, -9, 0]),
    "broadcast": ([4, 6], [0, 1]),
    "no strides": ([2, 3], None),
    "no axes": ([], []),
    "no elements": ([0, 3], [3, 1]),
    "nine axes": ([1] * 8 + [6], [1] * 9),
}


@pytest.mark.parametrize(
    ("layout", "max_version"),
    # What is broadcast is read-only, and has no unversioned capsule.
    [
        (name, version)
        for name in LAYOUTS
        for version in (None, (1, 3))
        if (name, version) != ("broadcast", None)
    ],
)
def test_pointers_are_there_and_what_they_say_is_right(layout, max_version):
    """R3.4, R3.5, 5.6: no NULL in shape, strides and deleter, at no number of axes."""
    shape, strides = LAYOUTS[layout]
    crafted = floats(shape=shape, strides=strides)
    tensor = taken(crafted)
    fields = exported(tensor, max_version=max_version)
    assert not fields["shape_null"]
    assert not fields["strides_null"]
    assert not fields["deleter_null"]
    assert fields["shape"] == shape == list(tensor.shape)
    assert fields["strides"] == list(tensor.strides)
    assert fields["ndim"] == len(shape)
    assert fields["byte_offset"] == 0
    assert fields["data"] == (0 if 0 in shape else crafted.address)
    assert fields["dtype"] == (2, 32, 1)
    assert fields["device"] == (1, 0)
    assert fields["version"] == (None if max_version is None else (1, 3))


def test_strides_of_more_than_one_element_are_the_producers():
    """R3.10, R3.11: nothing is normalised."""
    for shape, strides in ([2, 3], [-3, -1]), ([2, 2], [1, 2]), ([2, 3], [0, 1]):
        assert exported(taken(floats(shape=shape, strides=strides, byte_offset=20)))["strides"] == strides


def test_each_export_is_a_struct_of_its_own():
    """R2.2, R2.20: with a deleter that is owed once for each."""
    crafted = floats()
    tensor = taken(crafted)
    held = [dt.consume(tensor.__dlpack__(max_version=(1, 0))) for _ in range(3)]
    assert len({one.inspect()["struct_address"] for one in held}) == 3
    del tensor
    for one in held:
        assert crafted.deleter_calls == []
        assert one.read_bytes(24) == crafted.read()
        one.delete()
    assert len(crafted.deleter_calls) == 1


def test_copy_is_aligned_whatever_its_size():
    """R3.14, R9.3: 64 bytes, so that no consumer has to copy again."""
    for extent in range(1, 7):
        copy = dlferry.from_dlpack(taken(floats(shape=[extent], strides=[1], misalign=3)), copy=True)
        assert copy.data_ptr % 64 == 0
        assert copy.tolist() == [float(value) for value in range(extent)]
    empty = dlferry.from_dlpack(taken(floats(shape=[0], strides=[1])), copy=True)
    assert exported(empty)["data"] == 0
