"""Results of the kind that the argument was: `Like`."""

import array
import mmap
from typing import Any

import dlferry
import dlferry_results as rust
import numpy as np
import pytest

SHAPED = [[0, 1, 2], [3, 4, 5]]


class Derived(np.ndarray):
    """A class of somebody's own on NumPy's."""


class Duck(np.lib.mixins.NDArrayOperatorsMixin):
    """An array that is none of NumPy's, though NumPy helps it."""

    def __array_ufunc__(self, *arguments, **keywords):
        return NotImplemented


SOURCES: dict[str, tuple[Any, type]] = {
    "ndarray": (np.zeros(3), np.ndarray),
    "ndarray of a class derived": (np.zeros(3).view(Derived), np.ndarray),
    "scalar of NumPy": (np.float32(1), np.ndarray),
    "memoryview": (memoryview(b"abc"), memoryview),
    "bytes": (b"abc", memoryview),
    "bytearray": (bytearray(b"abc"), memoryview),
    "mmap": (mmap.mmap(-1, 8), type(rust.give("vec"))),
    "array.array": (array.array("f", [1.0]), type(rust.give("vec"))),
    "tensor of dlferry": (dlferry.from_buffer(b"abc"), type(rust.give("vec"))),
    "tensor of the extension": (rust.give("vec"), type(rust.give("vec"))),
    "duck": (Duck(), type(rust.give("vec"))),
    "list": ([1.0], type(rust.give("vec"))),
    "object": (object(), type(rust.give("vec"))),
}


@pytest.mark.parametrize("source", SOURCES)
def test_result_is_of_the_kind_of_the_argument(source):
    argument, kind = SOURCES[source]
    result = rust.give("shaped vec", "like", argument)
    assert type(result) is kind
    assert memoryview(result).tolist() == SHAPED


@pytest.mark.torch
def test_torch_in_torch_out():
    torch = pytest.importorskip("torch", exc_type=ImportError)

    class Derived(torch.Tensor):
        pass

    for argument in [torch.zeros(2), torch.nn.Parameter(torch.zeros(2)), torch.zeros(2).as_subclass(Derived)]:
        result = rust.give("shaped vec", "like", argument)
        assert type(result) is torch.Tensor
        assert result.tolist() == SHAPED


def test_jax_in_jax_out():
    jax = pytest.importorskip("jax", exc_type=ImportError)
    result = rust.give("shaped vec", "like", jax.numpy.zeros(2))
    assert isinstance(result, jax.Array)
    assert result.tolist() == SHAPED


def test_mlx_in_mlx_out():
    mx = pytest.importorskip("mlx.core", exc_type=ImportError)
    result = rust.give("shaped vec", "like", mx.zeros(2))
    assert type(result) is mx.array
    assert result.tolist() == SHAPED


def test_dtype_of_the_result_is_that_of_its_data():
    """Not that of the argument."""
    result = rust.zeros_like(np.zeros(3, np.int8), 2)
    assert (result.dtype, result.tolist()) == (np.float32, [[0.0], [0.0]])


def test_read_only_data_stays_read_only_in_the_callers_library():
    assert not rust.give("arc", "like", np.zeros(3)).flags.writeable
    assert rust.give("static", "like", b"").readonly


@pytest.mark.parametrize("name", ["numpy", "jax", "mlx", "tvm_ffi", "array_api_strict"])
def test_a_library_by_its_name(name: str) -> None:
    module = pytest.importorskip({"mlx": "mlx.core"}.get(name, name))
    array = rust.in_library(name)
    assert type(array).__module__.split(".")[0] in (module.__name__.split(".")[0], "jaxlib")
    if name != "tvm_ffi":
        assert array.tolist() == [0.0, 1.0, 2.0] if name != "array_api_strict" else float(array[2]) == 2.0


def test_a_name_that_is_no_library() -> None:
    with pytest.raises(ValueError, match="is no library that is known here: numpy, torch"):
        rust.in_library("pandas")
