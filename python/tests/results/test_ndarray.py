"""Arguments as arrays of the crate `ndarray`: every stride, no copy."""

import dlferry_results as rust
import numpy as np
import pytest

BASE = np.arange(24.0).reshape(4, 6)

VIEWS = {
    "row-major": BASE,
    "column-major": np.asfortranarray(BASE),
    "transposed": BASE.T,
    "backwards": BASE[::-1],
    "backwards on both axes": BASE[::-1, ::-2],
    "with gaps": BASE[::2, 1::3],
    "of one column": BASE[:, 2:3],
    "broadcast": np.broadcast_to(BASE[0], (4, 6)),
    "without rows": BASE[:0],
    "without columns": BASE[:, :0],
    "of nothing": np.zeros((0, 0)),
    "of three axes": BASE.reshape(2, 2, 6)[::-1, :, ::-1],
    "of eight axes": BASE.reshape(2, 1, 2, 1, 2, 1, 3, 1)[:, :, ::-1],
    "without axes": np.array(7.0),
    "empty on many axes": np.zeros((3, 0, 2, 0)),
}


@pytest.mark.parametrize("view", VIEWS)
def test_array_has_the_elements_of_the_argument(view):
    copy = rust.copied(VIEWS[view])
    assert copy.shape == VIEWS[view].shape
    np.testing.assert_array_equal(copy, VIEWS[view])
    assert copy.flags.writeable
    assert not np.shares_memory(copy, VIEWS[view])


@pytest.mark.parametrize("view", [view for view in VIEWS if view != "broadcast"])
def test_writes_reach_the_argument(view):
    base = BASE.copy()
    target = VIEWS[view]
    if target.base is not None or target is BASE:
        offset = (
            (target.__array_interface__["data"][0] - BASE.__array_interface__["data"][0])
            if target.size
            else 0
        )
        target = np.ndarray(target.shape, target.dtype, base, offset if target.size else 0, target.strides)
    else:
        target = target.copy(order="K")
    expected = target + 1
    rust.increment(target)
    np.testing.assert_array_equal(target, expected)


def test_rows_are_centered_in_place():
    array = BASE.copy()
    rust.center_rows(array[::-1, ::2])
    np.testing.assert_allclose(array[:, ::2].sum(axis=1), 0, atol=1e-12)
    np.testing.assert_array_equal(array[:, 1::2], BASE[:, 1::2])


@pytest.mark.parametrize("a", ["row-major", "backwards", "with gaps", "without rows"])
def test_product_is_that_of_numpy(a):
    b = VIEWS[a].T
    np.testing.assert_allclose(rust.matmul(VIEWS[a], b), VIEWS[a] @ b)


@pytest.mark.torch
def test_product_of_torch_tensors_is_a_torch_tensor():
    torch = pytest.importorskip("torch", exc_type=ImportError)
    a = torch.arange(6, dtype=torch.float64).reshape(2, 3)
    result = rust.matmul(a, a.T)
    assert type(result) is torch.Tensor
    assert torch.equal(result, a @ a.T)


def test_array_without_axes_is_a_number():
    assert rust.number(np.array(2.5)) == 2.5
    with pytest.raises(TypeError, match="0 axes"):
        rust.number(np.zeros(1))


def test_misaligned_elements_are_refused_and_not_read():
    misaligned = np.frombuffer(bytes(33), np.uint8)[1:].view(np.float64)
    assert not misaligned.flags.aligned
    with pytest.raises(BufferError, match="multiple of 8 bytes"):
        rust.copied(misaligned)


def test_byte_that_is_no_bool_is_refused():
    assert rust.trues(np.array([True, False, True])[::-1]) == [0, 2]
    with pytest.raises(ValueError, match="neither 0 nor 1"):
        rust.trues(np.array([0, 2], np.uint8).view(np.bool_))


def test_axes_that_interleave_are_read_and_not_written():
    """`ndarray` takes them for overlapping."""
    memory = np.zeros(16)
    interleaved = np.lib.stride_tricks.as_strided(memory, (2, 3), (24, 16))
    assert rust.copied(interleaved).shape == (2, 3)
    with pytest.raises(BufferError, match="between those of another"):
        rust.increment(interleaved)


def test_result_is_of_the_library_of_any_argument():
    assert rust.zeros_like_any(np.zeros((2, 3), np.int16)).tolist() == [[0, 0, 0], [0, 0, 0]]
    assert type(rust.zeros_like_any(b"abc")) is memoryview
    jax = pytest.importorskip("jax", exc_type=ImportError)
    assert isinstance(rust.zeros_like_any(jax.numpy.zeros(2)), jax.Array)


def test_argument_that_is_handed_on_keeps_its_memory():
    array = np.arange(3.0)
    again = rust.kept(array)
    assert type(again) is np.ndarray
    assert np.shares_memory(array, again)


def test_none_is_a_result():
    assert rust.means(np.zeros((0, 3))) is None
    assert rust.means(BASE).tolist() == BASE.mean(axis=0).tolist()
