"""Arrays of the libraries that are installed as arguments of Rust functions: read, written or refused."""

import array
import gc
import mmap
from typing import Any

import dlferry
import numpy as np
import pytest

views = pytest.importorskip("dlferry_views")

ROWS = [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
X = np.array(ROWS, "f4")


def frozen(values: Any) -> Any:
    """Return an array of NumPy's that must not be written."""
    copy = np.array(values, "f4")
    copy.flags.writeable = False
    return copy


def refused(function: Any, x: Any, match: str) -> None:
    with pytest.raises(BufferError, match=match) as caught:
        function(x)
    assert type(caught.value) is BufferError


BUFFERS: dict[str, Any] = {
    "bytes": bytes,
    "bytearray": bytearray,
    "memoryview of bytes": lambda data: memoryview(data),
    "memoryview of bytearray": lambda data: memoryview(bytearray(data)),
    "read-only view of bytearray": lambda data: memoryview(bytearray(data)).toreadonly(),
    "array": lambda data: array.array("B", data),
    "every second byte": lambda data: memoryview(bytes(b for x in data for b in (x, 9)))[::2],
    "reversed": lambda data: memoryview(data[::-1])[::-1],
}
WRITABLE = ("bytearray", "memoryview of bytearray", "array")


class TestBytes:
    """What has a buffer and nothing else."""

    @pytest.mark.parametrize("name", BUFFERS)
    def test_read(self, name: str) -> None:
        x = BUFFERS[name](b"\1\2\3")
        assert list(views.see_u8(x)[3]) == [1, 2, 3]
        assert views.see_any(x)[:3] == ("uint8", [3], "cpu")
        assert views.own_any(x).tolist() == [1, 2, 3]
        assert not views.see_in_order(x)[0] or name in ("every second byte", "reversed")

    @pytest.mark.parametrize("name", BUFFERS)
    def test_written_where_the_buffer_says_so(self, name: str) -> None:
        x = BUFFERS[name](b"\1\2\3")
        if name in WRITABLE:
            views.fill_u8(x, 7)
            assert bytes(x) == b"\7\7\7"
        else:
            refused(lambda x: views.fill_u8(x, 7), x, "found a read-only one of uint8")
            assert bytes(x) == b"\1\2\3"

    def test_floats_in_a_memoryview(self) -> None:
        rows = memoryview(bytearray(X.tobytes())).cast("f", (2, 3))
        assert views.see_2d(rows)[3] == X.ravel().tolist()
        views.fill(rows, 2)
        assert rows.tolist() == [[2.0] * 3] * 2

    def test_characters_and_structures_are_no_elements(self) -> None:
        for x in (np.array(["a"]), np.zeros(2, "i4,f4"), memoryview(b"ab").cast("c")):
            with pytest.raises((BufferError, TypeError), match="wanted an array"):
                views.see_f32(x)

    def test_read_only_map(self, tmp_path: Any) -> None:
        path = tmp_path / "numbers"
        path.write_bytes(X.tobytes())
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as memory:
            assert views.see_u8(memory)[0] == [24]
            refused(lambda x: views.fill_u8(x, 0), memory, "read-only")

    def test_released_memory_is_refused(self) -> None:
        x = memoryview(bytearray(4))
        x.release()
        with pytest.raises(ValueError, match="released"):
            views.see_u8(x)


class TestJax:
    """Arrays that never change."""

    @pytest.fixture
    def x(self) -> Any:
        return pytest.importorskip("jax.numpy").array(ROWS, "float32")

    def test_read_in_place(self, x: Any) -> None:
        shape, strides, address, values = views.see_2d(x)
        assert (shape, strides, values) == ([2, 3], [3, 1], X.ravel().tolist())
        assert address == x.unsafe_buffer_pointer()
        assert views.own(x).readonly

    def test_never_written(self, x: Any) -> None:
        for function in (lambda x: views.fill(x, 1), views.double_any, views.double):
            refused(function, x, "read-only|cannot be exchanged")
        assert x.tolist() == ROWS

    def test_dtypes(self, x: Any) -> None:
        assert views.see_bf16(x.astype("bfloat16")) == X.ravel().tolist()
        assert views.see_f16(x.astype("float16")) == X.ravel().tolist()
        assert views.see_c64(x.astype("complex64"))[1] == (1.0, 0.0)
        assert list(views.see_bool(x > 1)[3]) == [False, False, True, True, True, True]
        with pytest.raises(TypeError, match="found one of float32"):
            views.see_i32(x)
        assert views.see_converted(x)[3] == X.ravel().tolist()

    def test_a_tracer_has_no_memory(self) -> None:
        jax = pytest.importorskip("jax")
        seen = []

        def look(x: Any) -> Any:
            for function in (views.see_any, lambda x: views.fill(x, 1)):
                with pytest.raises(Exception, match=r"(?i)trace|no array|exchanged"):
                    function(x)
            seen.append(True)
            return x

        jax.jit(look)(X)
        assert seen

    def test_a_deleted_array_is_refused(self, x: Any) -> None:
        x.delete()
        with pytest.raises(Exception, match="deleted"):
            views.see_any(x)


class TestMlx:
    """An array that knows unversioned capsules alone, and has a buffer that says whether it may be written."""

    @pytest.fixture
    def x(self) -> Any:
        mx = pytest.importorskip("mlx.core")
        x = mx.array(X)
        mx.eval(x)
        return x

    def test_read_in_place(self, x: Any) -> None:
        shape, _, address, values = views.see_2d(x)
        assert (shape, values) == ([2, 3], X.ravel().tolist())
        assert address == np.asarray(memoryview(x)).__array_interface__["data"][0]

    def test_written_by_the_buffer_when_that_is_writable(self, x: Any) -> None:
        # Its capsule cannot say that it may be written; its buffer does, and MLX documents that writes are seen.
        assert not memoryview(x).readonly
        views.fill(x, 7)
        assert x.tolist() == [[7.0] * 3] * 2
        views.double_any(x)
        assert x.tolist() == [[14.0] * 3] * 2

    def test_borrowed_by_whichever_way(self, x: Any) -> None:
        other = np.asarray(memoryview(x))
        refused(lambda x: views.read_write(x, other), x, "is borrowed")
        refused(lambda x: views.read_write(other, x), x, "is borrowed")
        refused(lambda x: views.write_write(x, x), x, "is borrowed")

    def test_what_has_no_buffer_format_is_read_and_not_written(self, x: Any) -> None:
        mx = pytest.importorskip("mlx.core")
        y = x.astype(mx.bfloat16)
        mx.eval(y)
        assert views.see_bf16(y) == X.ravel().tolist()
        with pytest.raises((BufferError, TypeError)):
            views.double_any(y)
        assert y.tolist() == ROWS


class TestPyarrow:
    """Arrays that never change, and buffers that say whether they do."""

    @pytest.fixture
    def pa(self) -> Any:
        return pytest.importorskip("pyarrow")

    def test_read_in_place(self, pa: Any) -> None:
        x = pa.array(X.ravel())
        shape, _, address, values = views.see_f32(x)
        assert (shape, values) == ([6], X.ravel().tolist())
        assert address == x.buffers()[1].address
        assert views.own(x).readonly
        assert views.see_f32(x[2:])[3] == [2, 3, 4, 5]

    def test_never_written(self, pa: Any) -> None:
        x = pa.array(X.ravel())
        refused(lambda x: views.fill(x, 1), x, "read-only")
        assert x.to_pylist() == X.ravel().tolist()

    def test_absent_elements_are_refused(self, pa: Any) -> None:
        x = pa.array([1.0, None], pa.float32())
        for function in (views.see_f32, views.see_any, views.see_converted):
            with pytest.raises(Exception, match=r"null"):
                function(x)

    def test_buffers(self, pa: Any) -> None:
        x = pa.py_buffer(b"\1\2")
        assert views.see_i8(x)[3] == [1, 2]  # its format is that of signed bytes
        refused(lambda x: views.writing_any(x, list), x, "found a read-only one of int8")

    def test_a_tensor_of_arrows(self, pa: Any) -> None:
        x = pa.Tensor.from_numpy(X.copy())
        assert views.see_2d(x)[3] == X.ravel().tolist()


class TestNumpy:
    """Arrays that say no."""

    def test_frozen(self) -> None:
        x = frozen(ROWS)
        assert views.see_2d(x)[3] == X.ravel().tolist()
        for function in (lambda x: views.fill(x, 1), views.double_any, lambda x: views.writing_any(x, list)):
            refused(function, x, "found a read-only one of float32")
        assert x.tolist() == ROWS

    def test_scalars_are_arrays_without_axes(self) -> None:
        assert views.see_0d(np.float32(2.5)) == 2.5
        with pytest.raises(BufferError, match="read-only"):
            views.fill(np.float32(2.5), 1)


class TestAnyMut:
    """Any dtype, for writing."""

    def test_the_function_decides_by_the_dtype(self) -> None:
        floats, integers = np.array([1.5, 2], "f4"), np.array([[1, 2], [3, 4]])
        assert views.double_any(floats[::-1]) == floats[-1:].__array_interface__["data"][0]
        views.double_any(integers.T)
        assert (floats.tolist(), integers.tolist()) == ([3, 4], [[2, 4], [6, 8]])
        with pytest.raises(TypeError, match="wanted elements of float32, found float64"):
            views.double_any(np.zeros(2))

    def test_narrowed(self) -> None:
        x = np.zeros((2, 2), "f4")
        views.fill_narrowed(x, 3)
        assert x.tolist() == [[3, 3], [3, 3]]
        for wrong in (x[0], np.zeros((2, 2))):
            with pytest.raises(TypeError, match="wanted a writable array of float32 with 2 axes"):
                views.fill_narrowed(wrong, 1)
        # A refusal ends the borrow.
        views.fill(x, 4)

    def test_borrowed_alone(self) -> None:
        x = np.zeros(3)
        for other in (lambda: views.see_any(x), lambda: views.see_any(memoryview(x)[1:])):
            with pytest.raises(BufferError, match="is borrowed"):
                views.writing_any(x, other)
        views.writing_any(x[:1], lambda: views.see_any(x[1:]))

    def test_owned(self) -> None:
        x = np.zeros(3, "i2")
        tensor = views.own_any_mut(x)
        assert not tensor.readonly
        assert tensor.data_ptr == x.__array_interface__["data"][0]
        del x
        gc.collect()
        assert tensor.tolist() == [0, 0, 0]

    def test_debug(self) -> None:
        assert views.debug_any_mut(np.zeros(3, "i2")).startswith("AnyViewMut { dtype: int16, shape: [3]")


class TestAnyInOrder:
    """Any dtype, in an order, as a copy if it must be."""

    @pytest.mark.parametrize("kind", ["?", "i2", "f2", "f4", "c16", ">i4"])
    def test_a_copy_only_where_it_must_be(self, kind: str) -> None:
        for part in (np.s_[:, :], np.s_[:, ::2], np.s_[::-1]):
            x = np.arange(12).reshape(3, 4).astype(kind)[part]
            is_copy, address, tensor = views.see_in_order(x)
            assert tensor.tolist() == x.tolist()
            assert tensor.c_contiguous
            assert is_copy == (not x.flags.c_contiguous or kind == ">i4")
            assert is_copy == tensor.copied
            assert is_copy == (address != x.__array_interface__["data"][0])

    def test_it_is_told_of_views_of_one_dtype_too(self) -> None:
        assert not views.see_is_copy(np.zeros((2, 3)).T)
        assert views.see_is_copy(np.zeros(2, "f4"))

    def test_the_copy_is_nobody_elses(self) -> None:
        x = np.zeros((2, 3)).T
        tensor = views.see_in_order(x)[2]
        x[:] = 1
        assert tensor.tolist() == [[0, 0]] * 3
        assert not tensor.readonly

    def test_what_cannot_be_read_is_refused(self) -> None:
        with pytest.raises(TypeError, match="no array"):
            views.see_in_order([1, 2])


class TestConversions:
    """Numbers of 16 bits and complex ones, made of others."""

    def test_halves(self) -> None:
        for see, kind in ((views.see_converted_f16, "f2"), (views.see_converted_f16, "i8"),
                          (views.see_converted_bf16, "f8"), (views.see_converted_bf16, "?")):  # fmt: skip
            assert see(np.array([0, 1, 1], kind))[1] == [0, 1, 1]
        assert views.see_converted_f16(np.array([1e9, -1e-9, np.inf]))[1] == [np.inf, 0, np.inf]
        assert views.see_converted_f16(np.array([1 + 2**-11 + 2**-40]))[1] == [1 + 2**-10]
        with pytest.raises(TypeError, match="whose values it does not hold"):
            views.see_converted_f16(np.array([1j]))

    def test_every_half_is_the_one_that_numpy_makes(self) -> None:
        random = np.random.default_rng(3)
        x = np.concatenate(
            [
                random.standard_normal(5000) * 10.0 ** random.integers(-9, 6, 5000),
                np.arange(2**16, dtype="u2").view("f2").astype("f8"),
            ]
        )
        x = x[~np.isnan(x)]
        with np.errstate(over="ignore"):
            wanted = x.astype("f2").astype("f8")
        assert views.see_converted_f16(x)[1] == wanted.tolist()

    def test_complex(self) -> None:
        for kind in ("?", "i4", "u8", "f2", "f8"):
            x = np.array([0, 1], kind)
            for see in (views.see_converted_c32, views.see_converted_c64, views.see_converted_c128):
                assert see(x)[1] == [(0, 0), (1, 0)]
        x = np.array([1 + 2j, -0.5j])
        pairs = [(value.real, value.imag) for value in x.tolist()]
        for see in (views.see_converted_c32, views.see_converted_c64, views.see_converted_c128):
            assert see(x)[1] == pairs
            assert see(x.astype("c8")[::-1])[1] == pairs[::-1]

    def test_nothing_is_copied_that_fits(self) -> None:
        for see, kind in ((views.see_converted_f16, "f2"), (views.see_converted_c64, "c8"),
                          (views.see_converted_c128, "c16")):  # fmt: skip
            x = np.ones(3, kind)
            assert see(x)[0] == x.__array_interface__["data"][0]

    def test_a_tensor_of_dlferrys_own(self) -> None:
        x = dlferry.from_dlpack(np.array([1, 2], "i4"))
        assert views.see_converted_bf16(x)[1] == [1, 2]
