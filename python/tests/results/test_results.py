"""Results of Rust functions: every kind of data as every kind of array, on the memory that Rust made."""

import os
import sys
from typing import Any

import dlferry
import dlferry_results as rust
import numpy as np
import pytest
from owners import no_owner_left  # noqa: F401

FLAT, SHAPED = [0, 1, 2, 3, 4, 5], [[0, 1, 2], [3, 4, 5]]

# Data, with its values, its strides and whether it may be written.
DATA: dict[str, tuple[Any, tuple[int, ...], bool]] = {
    "vec": (FLAT, (1,), True),
    "box": (FLAT, (1,), True),
    "array": (FLAT, (1,), True),
    "arc": (FLAT, (1,), False),
    "arc vec": (FLAT, (1,), False),
    "static": (FLAT, (1,), False),
    "shaped vec": (SHAPED, (3, 1), True),
    "shaped arc": (SHAPED, (3, 1), False),
    "shaped static": (SHAPED, (3, 1), False),
    "export": (SHAPED, (3, 1), False),
    "managed": (SHAPED, (3, 1), True),
    "class": (SHAPED, (3, 1), True),
    "ndarray": (SHAPED, (3, 1), True),
    "ndarray reversed": (SHAPED, (-3, -1), True),
    "ndarray transposed": (SHAPED, (1, 2), True),
    "ndarray shared": (SHAPED, (3, 1), False),
    "ndarray no axes": (7, (), True),
    "ndarray empty": ([[], []], (0, 0, 0), True),
}

DTYPES = [
    *(f"{kind}{bits}" for kind in ["int", "uint"] for bits in [8, 16, 32, 64]),
    *["bool", "float16", "float32", "float64", "complex64", "complex128"],
]


@pytest.mark.parametrize("data", DATA)
def test_tensor_has_the_values_and_the_layout_of_the_data(data):
    values, strides, writable = DATA[data]
    tensor = rust.give(data)
    assert tensor.tolist() == values
    if tensor.size:
        assert tensor.strides == strides
    assert (tensor.readonly, tensor.copied, tensor.source) == (not writable, False, "rust")
    assert str(tensor.dtype) == "int32"


@pytest.mark.parametrize("data", DATA)
def test_numpy_gets_an_array_that_may_be_written_where_nobody_else_may_hold_it(data):
    values, strides, writable = DATA[data]
    array = rust.give(data, "numpy")
    assert type(array) is np.ndarray
    assert (array.dtype, array.flags.writeable) == (np.int32, writable)
    assert array.tolist() == values
    if array.size:
        assert array.strides == tuple(4 * stride for stride in strides)


@pytest.mark.parametrize("data", DATA)
def test_memoryview_is_one_and_keeps_the_data(data):
    values, _, writable = DATA[data]
    view = rust.give(data, "memoryview")
    assert type(view) is memoryview
    assert (view.readonly, view.itemsize) == (not writable, 4)
    if view.nbytes and view.ndim:
        assert view.tolist() == values


@pytest.mark.parametrize("data", DATA)
def test_jax_gets_an_array(data):
    """Of a layout that it has: it refuses negative strides."""
    jax = pytest.importorskip("jax", exc_type=ImportError)
    array = rust.give(data, "jax")
    assert isinstance(array, jax.Array)
    assert array.tolist() == DATA[data][0]


@pytest.mark.torch
@pytest.mark.parametrize("data", [data for data, (_, _, writable) in DATA.items() if writable])
def test_torch_gets_a_tensor(data):
    """Of a layout that it has: it refuses negative strides."""
    torch = pytest.importorskip("torch", exc_type=ImportError)
    tensor = rust.give(data, "torch")
    assert type(tensor) is torch.Tensor
    assert (tensor.dtype, tensor.tolist()) == (torch.int32, DATA[data][0])


@pytest.mark.torch
@pytest.mark.parametrize("data", [data for data, (_, _, writable) in DATA.items() if not writable])
def test_torch_does_not_get_what_must_not_be_written(data):
    """Decision 5.1: it has no read-only tensors, and would write."""
    pytest.importorskip("torch", exc_type=ImportError)
    with pytest.raises(BufferError, match="torch has no read-only arrays"):
        rust.give(data, "torch")


@pytest.mark.parametrize("target", ["tensor", "numpy", "memoryview"])
def test_memory_is_not_copied_and_freed_by_its_last_user(target):
    held = rust.give("counted", target)
    assert rust.live() == 1
    array = np.asarray(held)
    array[0, 0] = 9
    assert memoryview(held).tolist() == [[9, 2], [3, 4]]
    del held
    assert rust.live() == 1
    del array
    assert rust.live() == 0


def test_data_that_is_refused_is_freed(monkeypatch):
    """An element type of no format, and a library that is not there."""
    with pytest.raises(BufferError, match="no format for bfloat16"):
        rust.elements("bfloat16", "memoryview")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r"torch is not installed"):
        rust.give("counted", "torch")
    assert rust.live() == 0


@pytest.mark.parametrize(("target", "module"), [("jax", "jax.numpy"), ("torch", "torch")])
def test_library_that_is_missing_is_an_import_error_that_names_it(target, module, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=rf"^{target} is not installed, or cannot be imported: "):
        rust.give("vec", target)
    assert rust.give("vec").tolist() == FLAT


@pytest.mark.parametrize("dtype", DTYPES)
def test_element_type_is_numpys_of_that_name(dtype):
    tensor = rust.elements(dtype)
    assert str(tensor.dtype) == dtype
    array = rust.elements(dtype, "numpy")
    assert array.dtype == np.dtype(dtype)
    assert array.tolist() == [0, 1]
    assert array.flags.writeable


def test_bfloat16_is_that_of_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    array = rust.elements("bfloat16", "numpy")
    assert array.dtype == ml_dtypes.bfloat16
    assert array.tolist() == [0, 1]
    assert rust.elements("bfloat16").tolist() == [0.0, 1.0]


BAD_SHAPES = [
    (6, [2, 2], "a tensor of shape (2, 2) has 4 elements, and the data has 6"),
    (6, [7], "a tensor of shape (7,) has 7 elements, and the data has 6"),
    (6, [], "a tensor of shape () has 1 element, and the data has 6"),
    (0, [], "a tensor of shape () has 1 element, and the data has 0"),
    (6, [0], "has 0 elements"),
    (6, [-1, -6], "-1"),
    (6, [2**62, 2**62], "elements"),
]


@pytest.mark.parametrize(("count", "shape", "text"), BAD_SHAPES)
def test_shape_that_does_not_fit_is_a_value_error(count, shape, text):
    with pytest.raises(ValueError, match=r".") as raised:
        rust.shaped(count, shape)
    assert text in str(raised.value)
    if min(shape, default=0) >= 0:
        with pytest.raises(ValueError, match=r"."):
            rust.shaped_unsigned(count, shape)


@pytest.mark.parametrize("shape", [[0], [3, 0], [0, 2**62], [2**61, 0, 4]])
def test_empty_data_has_any_shape_without_elements(shape):
    assert rust.shaped(0, shape).shape == tuple(shape)
    assert rust.shaped_unsigned(0, shape).shape == tuple(shape)


def test_extent_beyond_what_dlpack_counts_is_a_value_error():
    with pytest.raises(ValueError, match="elements"):
        rust.shaped_unsigned(1, [2**63])


def test_return_type_alone_makes_the_array():
    array = rust.first_numbers(4)
    assert (type(array), array.dtype, array.tolist()) == (np.ndarray, np.uint32, [0, 1, 2, 3])
    assert rust.first_numbers(0).tolist() == []


@pytest.mark.skipif("DLFERRY_ASAN" in os.environ, reason="SKIPPED: AddressSanitizer keeps freed memory")
@pytest.mark.parametrize("make", [rust.first_numbers, lambda count: rust.shaped(count, [count])])
def test_vectors_are_freed(make):
    """Also those that go to NumPy without a tensor in between."""
    resource = pytest.importorskip("resource")
    for _ in range(3):
        assert np.asarray(make(4 << 20))[-1] >= 0
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(50):
        assert np.asarray(make(4 << 20))[-1] >= 0
    assert (
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 << 10
    )  # KiB; 50 of the smaller are 200 MiB


def test_tensor_of_an_extension_is_taken_as_that_of_any_library():
    """Each extension has a class of its own."""
    theirs = rust.give("shaped vec")
    assert type(theirs) is not dlferry.Tensor
    ours = dlferry.from_dlpack(theirs)
    assert (ours.source, ours.data_ptr, ours.tolist()) == ("exchange", theirs.data_ptr, SHAPED)
