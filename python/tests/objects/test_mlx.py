"""MLX both ways: it answers every question with an unversioned capsule (rules R4.4, R6.2, J3)."""

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest

mx = pytest.importorskip("mlx.core", exc_type=ImportError)


@pytest.fixture(autouse=True, scope="module")
def on_the_cpu():
    """Keep the arrays where the host can read them."""
    before = mx.default_device()
    mx.set_default_device(mx.cpu)
    yield
    mx.set_default_device(before)


def test_unversioned_array_is_read_only_and_cannot_say_if_copied():
    """Decision 5.2."""
    array = mx.arange(6).reshape(2, 3)
    tensor = dlferry.from_dlpack(array)
    assert tensor.tolist() == array.tolist()
    assert (tensor.readonly, tensor.copied, tensor.source) == (True, None, "dlpack-unversioned")
    assert tensor.owner is array


@pytest.mark.parametrize(
    "arguments", [{"copy": False}, {"copy": None}, {"device": "cpu"}, {"device": (1, 0)}]
)
def test_keywords_that_it_ignores_do_no_harm(arguments):
    tensor = dlferry.from_dlpack(mx.arange(3), **arguments)
    assert tensor.tolist() == [0, 1, 2]
    assert tensor.readonly


def test_caller_may_say_that_it_can_be_written():
    tensor = dlferry.from_dlpack(mx.arange(3), writable=True)
    assert not tensor.readonly
    memoryview(tensor)[0] = 7
    assert tensor.tolist() == [7, 1, 2]


def test_copy_is_writable():
    tensor = dlferry.from_dlpack(mx.arange(3), copy=True)
    assert (tensor.readonly, tensor.copied) == (False, True)


LAYOUTS = {
    "transposed": lambda: mx.arange(6).reshape(2, 3).T,
    "strided": lambda: mx.arange(10)[2:8:2],
    "broadcast": lambda: mx.broadcast_to(mx.array([1.5]), (3,)),
    "empty": lambda: mx.zeros((0, 3)),
    "no axes": lambda: mx.array(2.5),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_array_of_any_layout_is_read(layout):
    array = LAYOUTS[layout]()
    assert dlferry.from_dlpack(array).tolist() == array.tolist()


@pytest.mark.parametrize("name", ["bool", "uint8", "int64", "float16", "bfloat16", "float32", "complex64"])
def test_dtype_is_the_same(name):
    array = mx.ones(2).astype(getattr(mx, "bool_" if name == "bool" else name))
    tensor = dlferry.from_dlpack(array)
    assert str(tensor.dtype) == name
    assert tensor.tolist() == [1, 1]


def test_exported_again_it_is_versioned_and_read_only():
    """Decision 5.1: what the unversioned struct could not say is said from here on."""
    tensor = dlferry.from_dlpack(mx.arange(3))
    seen = dt.inspect(tensor.__dlpack__(max_version=(1, 0)))
    assert (seen["versioned"], seen["flags"]) == (True, 1)
    with pytest.raises(BufferError, match="read-only"):
        tensor.__dlpack__()


def test_tensor_becomes_an_array():
    for source in (np.arange(6, dtype=np.float32).reshape(2, 3), np.arange(4, dtype=np.int32)[::2]):
        tensor = dlferry.from_dlpack(source, copy=True)
        assert mx.array(tensor).tolist() == source.tolist()


def test_read_only_tensor_is_not_read_by_a_library_that_asks_for_no_version_alone():
    """R6.3, R9.5: it is refused by `__dlpack__`; the buffer is what such a library may take in its place."""
    tensor = dlferry.from_dlpack(np.arange(3, dtype=np.float32), copy=True, writable=False)
    assert mx.array(memoryview(tensor)).tolist() == [0.0, 1.0, 2.0]
