"""Every way by which an array comes to a function that reads it."""

import array
import ctypes
import gc
import mmap
import struct
import sys
from typing import Any

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from craft import HOST_READABLE, OTHER_DEVICES, PADDED, READ_ONLY, deletions, floats, on_device

views = pytest.importorskip("dlferry_views")

X = np.arange(24, dtype="f4").reshape(2, 3, 4)

LAYOUTS = {
    "C": X[0],
    "F": X[0].T,
    "reversed": X[1, ::-1, ::-1],
    "every second": X[0, :, ::2],
    "middle axis": X[:, 1, :],
    "broadcast": np.broadcast_to(np.float32(2), (2, 3)),
    "one column": X[0, :, :1],
    "no rows": X[0, :0],
    "no columns": X[0, :, :0],
}


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("function", [views.see_2d, views.see_f32])
def test_array_is_seen_as_it_lies(name: str, function: Any) -> None:
    x = LAYOUTS[name]
    shape, strides, address, values = function(x)
    assert shape == list(x.shape)
    assert values == x.ravel().tolist()
    if x.size:
        assert address == x.__array_interface__["data"][0]
        meant = [(s // 4, own) for n, s, own in zip(x.shape, x.strides, strides, strict=True) if n > 1]
        assert all(wanted == found for wanted, found in meant)


@pytest.mark.parametrize("rank", [0, 1, 7, 8, 9, 32, 64])
def test_any_rank(rank: int) -> None:
    x = np.arange(2, dtype="f4").reshape((1,) * (rank - 1) + (2,)) if rank else np.array(1, "f4")
    assert views.see_f32(x)[0] == list(x.shape)
    assert views.see_f32(x)[3] == x.ravel().tolist()
    views.fill(x, 5)
    assert x.ravel().tolist() == [5.0] * x.size


@pytest.mark.parametrize(("data", "flags"), [(b"\x01\x0e\x03\x04", PADDED), (b"\xe1\x43", 0)])
def test_elements_below_a_byte_are_not_taken_on_loan(data: bytes, flags: int) -> None:
    """E12: what is lent does not say whether they are packed or padded."""
    crafted = dt.Crafted(data, shape=[4], code=0, bits=4, flags=flags)
    for lender in (dt.exchange_type(crafted)(), dt.Producer(crafted)):
        for _known in range(2):
            assert views.see_converted(lender)[3] == [1, -2, 3, 4]


def test_array_without_axes() -> None:
    assert views.see_0d(np.array(2.5, "f4")) == 2.5
    with pytest.raises(TypeError, match="wanted an array of float32 with 0 axes"):
        views.see_0d(X[0, 0])


TYPES = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "bool"]


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("found", TYPES)
def test_elements_are_of_the_type_that_is_wanted(name: str, found: str) -> None:
    kind = found if found == "bool" else f"{found[0]}{int(found[1:]) // 8}"
    x = np.array([0, 1, 3], "u1").astype(kind)
    see = getattr(views, f"see_{name}")
    if name == found:
        assert list(see(x)[3]) == x.tolist()
    else:
        with pytest.raises(
            TypeError, match=r"wanted an array of .* with any number of axes on cpu, found one of "
        ):
            see(x)


def test_c_integers_of_one_width_are_one_type() -> None:
    for kind in ("l", "q", "p"):
        assert views.see_i64(np.array([-1], kind))[3] == [-1]


def test_eight_bit_floats() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert views.see_float8(np.array([1.5, -448], ml_dtypes.float8_e4m3fn)) == [1.5, -448.0]
    with pytest.raises(TypeError, match=r"wanted an array of float8_e4m3fn .* found one of float8_e5m2 "):
        views.see_float8(np.array([1.5], ml_dtypes.float8_e5m2))


def test_type_of_ones_own() -> None:
    assert views.see_own(X[0, 0]) == [0, 1, 2, 3]


BUFFERS = {
    "bytes": b"\x01\x02",
    "bytearray": bytearray(b"\x01\x02"),
    "memoryview": memoryview(b"\x00\x01\x02")[1:],
    "array": array.array("B", [1, 2]),
    "ctypes": (ctypes.c_ubyte * 2)(1, 2),
    "numpy": np.array([1, 2], "u1"),
    "reversed memoryview": memoryview(b"\x02\x01")[::-1],
}


@pytest.mark.parametrize("name", BUFFERS)
def test_buffer(name: str) -> None:
    shape, _, _, values = views.see_u8(BUFFERS[name])
    assert (shape, list(values)) == ([2], [1, 2])


def test_memory_map() -> None:
    with mmap.mmap(-1, 4096) as memory:
        memory[:2] = b"\x07\x08"
        assert views.see_u8(memory)[0] == [4096]
        views.fill_u8(memory, 3)
        assert memory[:2] == b"\x03\x03"
        # Nothing holds the memory any more: the map can be closed.


def test_buffer_is_released_when_the_function_returns() -> None:
    data = bytearray(8)
    views.see_u8(data)
    with pytest.raises(BufferError):
        views.reading(data, lambda: data.append(1))
    data.append(1)


@pytest.mark.parametrize("versioned", [True, False])
def test_crafted_producer(versioned: bool) -> None:
    crafted = floats()
    producer = dt.Producer(crafted, style="always_versioned" if versioned else "always_unversioned")
    shape, strides, address, values = views.see_2d(producer)
    assert (shape, strides, address) == ([2, 3], [3, 1], crafted.address)
    assert values == [0, 1, 2, 3, 4, 5]
    assert deletions(crafted) == 1


def test_producer_of_an_old_standard() -> None:
    for style in ("stream_only", "no_keywords"):
        assert views.see_2d(dt.Producer(floats(), style=style))[3] == [0, 1, 2, 3, 4, 5]


def test_capsule() -> None:
    crafted = floats()
    capsule = crafted.capsule()
    assert views.see_2d(capsule)[3] == [0, 1, 2, 3, 4, 5]
    with pytest.raises(BufferError, match="consumed before"):
        views.see_2d(capsule)
    assert deletions(crafted) == 1


def test_the_memory_is_kept_while_the_function_runs() -> None:
    crafted = floats()
    producer = dt.Producer(crafted)
    assert views.reading(producer, lambda: deletions(crafted)) == 0
    assert deletions(crafted) == 1


def test_the_object_is_held_and_let_go_of() -> None:
    x = np.arange(3, dtype="f4")
    before = sys.getrefcount(x)
    assert views.reading(x, lambda: sys.getrefcount(x)) > before
    for function in (views.see_f32, views.double, views.see_any):
        function(x)
    for wrong in (views.see_i8, views.see_2d, views.see_cuda):
        with pytest.raises(TypeError):
            wrong(x)
    gc.collect()
    assert sys.getrefcount(x) == before


class TestExchange:
    """Types that have a C exchange table."""

    def test_a_loan_will_do_for_reading(self) -> None:
        kind = dt.exchange_type(floats())
        assert views.see_2d(kind())[3] == [0, 1, 2, 3, 4, 5]
        calls = dt.table_calls(kind)
        assert calls["dltensor_from_py_object_no_sync"] == 1
        assert calls["managed_tensor_from_py_object_no_sync"] == 0
        assert calls["detached"] == 0

    def test_writing_needs_a_managed_tensor(self) -> None:
        crafted = floats()
        kind = dt.exchange_type(crafted)
        views.fill(kind(), 9)
        calls = dt.table_calls(kind)
        assert calls["dltensor_from_py_object_no_sync"] == 0
        assert calls["managed_tensor_from_py_object_no_sync"] == 1
        assert crafted.read() == struct.pack("=6f", *[9.0] * 6)

    def test_what_is_not_lent_is_taken(self) -> None:
        for keywords in (
            {"dltensor": False},
            {"fails": {"dltensor_from_py_object_no_sync": BufferError("no loans")}},
            {"fails": {"dltensor_from_py_object_no_sync": RuntimeError("no loans")}},
        ):
            kind = dt.exchange_type(floats(), **keywords)
            assert views.see_2d(kind())[3] == [0, 1, 2, 3, 4, 5]
            assert dt.table_calls(kind)["managed_tensor_from_py_object_no_sync"] == 1

    def test_an_error_of_the_producers_own_passes(self) -> None:
        kind = dt.exchange_type(floats(), fails={"dltensor_from_py_object_no_sync": KeyError("mine")})
        with pytest.raises(KeyError, match="mine"):
            views.see_2d(kind())

    @pytest.mark.parametrize(
        "fields",
        [
            {"ndim": -1},
            {"shape": [-2, 3]},
            {"shape": None, "ndim": 2},
            {"null_data": True},
            {"bits": 7, "code": 6},
        ],
    )
    def test_malformed_loan_is_refused(self, fields: dict[str, Any]) -> None:
        with pytest.raises(BufferError, match="cannot be exchanged"):
            views.see_any(dt.exchange_type(floats(**fields))())

    def test_other_devices_are_asked_through_the_method(self) -> None:
        kind = dt.exchange_type(on_device(2), style="new")
        assert views.see_cuda(kind())[2] == "cuda:0"
        assert [call["stream"] for call in kind.producer.calls] == [None]


def test_dlferry_tensor() -> None:
    tensor = dlferry.from_dlpack(X[0])
    assert views.see_2d(tensor)[3] == X[0].ravel().tolist()
    views.fill(tensor[:1, :1], 50)
    assert X[0, 0, 0] == 50
    X[0, 0, 0] = 0
    assert views.see_2d(dlferry.from_dlpack(X[0], writable=False))[3] == X[0].ravel().tolist()


class TestDevices:
    @pytest.mark.parametrize("kind", HOST_READABLE)
    def test_the_host_can_read(self, kind: int) -> None:
        crafted = floats(device=(kind, 0))
        assert views.see_2d(dt.Producer(crafted))[3] == [0, 1, 2, 3, 4, 5]

    @pytest.mark.parametrize("kind", OTHER_DEVICES)
    def test_memory_of_other_devices_is_not_read(self, kind: int) -> None:
        with pytest.raises(
            TypeError, match=r"wanted an array of float32 with 2 axes on cpu, found one .* on "
        ):
            views.see_2d(dt.Producer(on_device(kind)))
        with pytest.raises(TypeError, match="on cpu, found one of float32"):
            views.see_any(dt.Producer(on_device(kind)))

    def test_pointers(self) -> None:
        shape, address, device = views.see_cuda(dt.Producer(on_device(2, 1)))
        assert (shape, address, device) == ([2, 3], 0xDEAD0000, "cuda:1")
        assert views.see_anywhere(dt.Producer(on_device(8)))[2] == "metal:0"
        assert views.see_anywhere(X[0])[2] == "cpu"
        assert views.address_on_cuda(dt.Producer(on_device(2))) == 0xDEAD0000

    def test_a_kind_of_device_is_wanted(self) -> None:
        with pytest.raises(TypeError, match=r"with 2 axes on cuda, found one of float32 .* on rocm:0"):
            views.see_cuda(dt.Producer(on_device(10)))


class TestRequirements:
    def test_order(self) -> None:
        assert views.see_c(X[0]) == X[0].ravel().tolist()
        assert views.see_f(X[0].T)[3] == X[0].T.ravel().tolist()
        for function, wrong in ((views.see_c, X[0].T), (views.see_f, X[0]), (views.see_c, X[0, :, ::2])):
            with pytest.raises(
                TypeError, match=r"in (C|F) order on cpu, found one .* in (C|F|neither) order"
            ):
                function(wrong)

    def test_the_order_of_one_row_or_nothing_is_any(self) -> None:
        for x in (X[0, :1], X[0, :, :1], X[0, :0]):
            y = np.asfortranarray(x)
            assert views.see_c(y) == y.ravel().tolist()

    def test_extents(self) -> None:
        for shape in ((2, 4, 3), (0, 0, 3), (7, 1, 3)):
            assert views.see_pixels(np.zeros(shape, "u1"))[0] == list(shape)
        for shape in ((2, 4, 4), (3, 3, 1), (0, 0, 0)):
            with pytest.raises(
                TypeError, match=r"of extents \(any, any, 3\) on cpu, found one of uint8 with 3"
            ):
                views.see_pixels(np.zeros(shape, "u1"))
        with pytest.raises(TypeError, match=r"with 3 axes of extents .* found one of uint8 with 2 axes"):
            views.see_pixels(np.zeros((2, 3), "u1"))

    def test_extents_of_any_rank(self) -> None:
        assert views.see_pairs(X)[0] == [2, 3, 4]
        with pytest.raises(TypeError, match=r"any number of axes of extents \(2, \.\.\.\) in C order"):
            views.see_pairs(X[0])
        with pytest.raises(TypeError, match="without axes"):
            views.see_pairs(np.array(1, "f4"))


def test_none() -> None:
    assert views.see_option(None) is None
    assert views.see_option(X[0, 0]) == [0, 1, 2, 3]
    with pytest.raises(TypeError, match="found one of float64"):
        views.see_option(np.zeros(3))
    assert not views.fill_option(None, 1)


class TestElements:
    def test_get(self) -> None:
        x = X[1, ::-1, ::2]
        for i in range(3):
            for j in range(2):
                assert views.see_at(x, [i, j]) == x[i, j]
        for index in ([3, 0], [0, 2], [0], [0, 0, 0], [2**63, 0]):
            assert views.see_at(x, index) is None

    def test_copy(self) -> None:
        for x in (X[0], X[0].T, X[1, ::-1, ::2]):
            assert views.see_copied(x, x.size) == x.ravel().tolist()
            for room in (x.size - 1, x.size + 1):
                with pytest.raises(ValueError, match="do not fill a slice"):
                    views.see_copied(x, room)

    def test_slice(self) -> None:
        assert views.see_slice(X) == X.ravel().tolist()
        assert views.see_slice(X[:0]) == []
        with pytest.raises(TypeError, match="do not lie one after another"):
            views.see_slice(X[:, ::2])

    def test_misaligned_elements_are_read_and_are_no_slice(self) -> None:
        x = np.frombuffer(b"\0" + struct.pack("=3f", 1, 2, 3), "f4", 3, 1)
        assert views.see_f32(x)[3] == [1, 2, 3]
        with pytest.raises(BufferError, match="multiple of 4 bytes"):
            views.see_slice(x)

    def test_bytes_that_are_no_booleans(self) -> None:
        x = np.array([0, 1, 2], "u1").view(bool)
        assert views.see_bool(x)[3] == [False, True, True]
        with pytest.raises(ValueError, match="element 2 holds a byte that is neither 0 nor 1"):
            views.see_bool_slice(x)
        assert views.see_bool_slice(x[:2]) == [False, True]


class TestAny:
    def test_what_it_is(self) -> None:
        assert views.see_any(X)[:3] == ("float32", [2, 3, 4], "cpu")
        assert views.see_any(np.array([3], "c16"))[4] == "Complex(3.0, 0.0)"
        assert views.see_any(b"\x07")[4] == "UInt(7)"
        assert (
            views.see_any(dt.Producer(floats(bits=4, code=17, shape=[4], strides=[1])))[0] == "float4_e2m1fn"
        )

    def test_narrowed(self) -> None:
        assert views.see_narrowed(X[0])[3] == X[0].ravel().tolist()
        for wrong in (X, X[0].astype("f8")):
            with pytest.raises(
                TypeError, match="wanted an array of float32 with 2 axes on cpu, found one of"
            ):
                views.see_narrowed(wrong)


class TestConversion:
    def test_a_kind_of_number_goes_to_one_that_holds_it(self) -> None:
        for kind in ("?", "i1", "u8", "f2", "f4", "f8"):
            x = np.array([[0, 1], [1, 0]], kind)
            assert views.see_converted(x)[3] == [0, 1, 1, 0]

    def test_nothing_is_copied_that_fits(self) -> None:
        x = np.arange(6.0).reshape(2, 3).T
        assert views.see_converted(x)[1:3] == ([1, 3], x.__array_interface__["data"][0])
        assert views.see_converted_c(X[0])[0] == X[0].__array_interface__["data"][0]

    def test_order(self) -> None:
        address, values = views.see_converted_c(X[0].T)
        assert (address != X.__array_interface__["data"][0], values) == (True, X[0].T.ravel().tolist())
        shape, strides, _, values = views.see_converted_f(X[0].astype("i2"))
        assert (shape, strides, values) == ([3, 4], [1, 3], X[0].ravel().tolist())

    def test_other_byte_order_and_misaligned(self) -> None:
        assert views.see_converted(np.arange(3, dtype=">f8"))[3] == [0, 1, 2]
        x = np.frombuffer(b"\0" + struct.pack("=2d", 1, 2), "f8", 2, 1)
        assert views.see_converted(x)[2] % 8 == 0

    def test_what_does_not_fit_is_refused(self) -> None:
        assert list(views.see_converted_i8(np.array([-128, 127]))[3]) == [-128, 127]
        for wrong in (np.array([1, 128]), np.array([-129]), np.array([2**63], "u8")):
            with pytest.raises(ValueError, match="does not fit int8"):
                views.see_converted_i8(wrong)
        for function, wrong in (
            (views.see_converted_i8, np.array([1.0])),
            (views.see_converted_bool, np.array([1])),
            (views.see_converted, np.array([1j])),
        ):
            with pytest.raises(TypeError, match="whose values it does not hold"):
                function(wrong)
        with pytest.raises(TypeError, match="with 2 axes"):
            views.see_converted_c(X)
        with pytest.raises(TypeError, match="no array"):
            views.see_converted([1.0])

    def test_a_copy_is_made_of_what_nobody_writes(self) -> None:
        x = np.arange(3, dtype="f4")
        with pytest.raises(BufferError, match="is borrowed"):
            views.writing(x, lambda: views.see_converted(x))


class TestOwned:
    def test_memory_is_shared_and_outlives_the_call(self) -> None:
        x = np.arange(3, dtype="f4")
        tensor = views.own(x)
        assert tensor.data_ptr == x.__array_interface__["data"][0]
        x[0] = 7
        del x
        gc.collect()
        assert tensor.tolist() == [7, 1, 2]

    def test_nothing_stays_borrowed(self) -> None:
        x = np.arange(3, dtype="f4")
        kept = [views.own(x), views.own_mut(x)]
        views.fill(x, 1)
        assert [tensor.tolist() for tensor in kept] == [[1, 1, 1]] * 2

    @pytest.mark.parametrize("make", [lambda c: dt.Producer(c), lambda c: dt.exchange_type(c)()])
    def test_producers(self, make: Any) -> None:
        crafted = floats()
        tensor = views.own(make(crafted))
        assert (tensor.tolist(), deletions(crafted)) == ([[0, 1, 2], [3, 4, 5]], 0)
        del tensor
        assert deletions(crafted) == 1

    def test_read_only_stays_so(self) -> None:
        assert views.own(dt.exchange_type(floats(flags=READ_ONLY))()).readonly
        assert views.own_any(b"abc").readonly


def test_debug() -> None:
    assert views.debug(X[0]).startswith(
        "View { dtype: float32, shape: [3, 4], strides: [4, 1], device: cpu, data: 0x"
    )


@pytest.mark.parametrize("axis", [2**45, 2**59])
def test_copy_of_more_than_there_is_memory_for_is_an_error(axis: int) -> None:
    with pytest.raises(MemoryError):
        views.see_f32(dlferry.from_dlpack(np.ones(1, np.float32)).broadcast_to((axis,)))
