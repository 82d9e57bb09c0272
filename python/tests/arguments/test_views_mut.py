"""What may be written, and what is written."""

import struct
import sys
from typing import Any

import dlferry_testing as dt
import numpy as np
import pytest
from craft import IS_COPIED, READ_ONLY, deletions, floats

views = pytest.importorskip("dlferry_views")


def fresh() -> Any:
    return np.arange(24, dtype="f4").reshape(4, 6)


PARTS = {
    "all": np.s_[:, :],
    "columns": np.s_[:, ::2],
    "reversed": np.s_[::-1, ::-1],
    "a row": np.s_[1],
    "one element": np.s_[2, 3],
    "nothing": np.s_[:, :0],
}


@pytest.mark.parametrize("part", PARTS)
def test_the_part_is_written_and_nothing_else(part: str) -> None:
    for write in (lambda x: views.fill(x, -1), lambda x: views.copy_from(x, [-1.0] * x.size)):
        x, wanted = fresh(), fresh()
        view = x[PARTS[part]] if part != "one element" else x[2:3, 3:4].reshape(())
        wanted[PARTS[part]] = -1
        write(view)
        assert np.array_equal(x, wanted)


def test_values_are_written_in_c_order() -> None:
    for turn in (lambda x: x, lambda x: x.T, lambda x: x[::-1, ::2]):
        x = turn(fresh())
        values = [float(value) for value in range(x.size)]
        assert views.copy_from(x, values) == values
        assert x.ravel().tolist() == values


def test_another_number_of_values_is_refused_and_nothing_is_written() -> None:
    x = fresh()
    for count in (0, 1, 23, 25):
        found = "1 value does" if count == 1 else f"{count} values do"
        with pytest.raises(ValueError, match=f"{found} not fill an array of 24 elements"):
            views.copy_from(x, [0.0] * count)
    assert np.array_equal(x, fresh())


def test_an_index_out_of_range_writes_nothing() -> None:
    x = fresh()
    assert views.set(x[:, ::2], [3, 2], 99)
    assert x[3, 4] == 99
    x[3, 4] = 22
    for index in ([4, 0], [0, 3], [0], []):
        assert not views.set(x[:, ::2], index, 1)
    assert np.array_equal(x, fresh())


def test_apply_and_slice() -> None:
    x = fresh()
    assert views.double(x[:, 1::2]) == x.__array_interface__["data"][0] + 4
    assert np.array_equal(x[:, ::2], fresh()[:, ::2])
    assert np.array_equal(x[:, 1::2], 2 * fresh()[:, 1::2])
    views.set_slice(x, 3)
    assert (x == 3).all()
    with pytest.raises(TypeError, match="in C order on cpu, found a writable one"):
        views.set_slice(x.T, 3)


def test_booleans_and_misaligned_elements() -> None:
    x = np.array([0, 2, 1], "u1").view(bool)
    views.fill_bool(x, True)
    assert x.view("u1").tolist() == [1, 1, 1]
    data = bytearray(13)
    views.fill(np.frombuffer(data, "f4", 3, 1), 2)
    assert data == b"\0" + struct.pack("=3f", 2, 2, 2)


@pytest.mark.parametrize(
    "make", [bytearray, lambda d: memoryview(bytearray(d)), lambda d: np.frombuffer(bytearray(d), "u1")]
)
def test_buffers(make: Any) -> None:
    x = make(b"\1\2\3")
    views.fill_u8(x, 7)
    assert bytes(x) == b"\7\7\7"


class TestRefused:
    """What must not be written, or might not."""

    def refused(self, x: Any, match: str) -> None:
        with pytest.raises(BufferError, match=match) as caught:
            views.fill(x, -1)
        assert type(caught.value) is BufferError

    def test_read_only_array(self) -> None:
        x = fresh()
        x.flags.writeable = False
        self.refused(
            x, "wanted a writable array of float32 .* found a read-only one .*: pass a writable numpy.ndarray"
        )
        assert np.array_equal(x, fresh())

    def test_array_that_warns(self) -> None:
        x, _ = np.broadcast_arrays(np.zeros((3, 1), "f4"), np.zeros((1, 3), "f4"))
        self.refused(x, "found a read-only one")

    def test_elements_that_share_memory(self) -> None:
        x = np.lib.stride_tricks.as_strided(fresh(), (4, 4), (4, 4))
        self.refused(x, "of which elements share memory")
        assert views.see_f32(x)[0] == [4, 4]

    def test_what_only_a_copy_could_read_is_not_advised_to_copy(self) -> None:
        x = np.zeros(3, ">f4" if sys.byteorder == "little" else "<f4")
        self.refused(x, "byte order.*: a copy would take what is written")

    def test_bytes(self) -> None:
        with pytest.raises(BufferError, match="found a read-only one of uint8"):
            views.fill_u8(b"\1\2\3", 7)
        with pytest.raises(BufferError, match="found a read-only one of uint8"):
            views.fill_u8(memoryview(b"abc"), 7)

    def test_read_only_tensor(self) -> None:
        for make in (dt.Producer, lambda crafted: dt.exchange_type(crafted)()):
            crafted = floats(flags=READ_ONLY)
            self.refused(make(crafted), "found a read-only one")
            assert deletions(crafted) == 1
            assert crafted.read() == struct.pack("=6f", *range(6))

    def test_unversioned_capsule(self) -> None:
        crafted = floats()
        self.refused(dt.Producer(crafted, style="always_unversioned"), "only unversioned capsules")
        assert deletions(crafted) == 1

    def test_copy_of_the_producers(self) -> None:
        crafted = floats(flags=IS_COPIED)
        self.refused(dt.Producer(crafted), "made a copy, and what is written to that is lost")
        assert views.see_2d(dt.Producer(crafted))[3] == [0, 1, 2, 3, 4, 5]

    def test_kind_comes_before_writability(self) -> None:
        x = np.zeros(3)
        x.flags.writeable = False
        with pytest.raises(TypeError, match="found a read-only one of float64"):
            views.fill(x, 1)
