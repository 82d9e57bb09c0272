"""The change in place: it reaches the caller's memory, or is refused."""

import numpy as np
import pictures
import pytest


def picture(shape=(4, 5, 3)):
    return np.random.default_rng(7).normal(3, 2, shape).astype(np.float32)


def check(before, after):
    axes = (0, 1)
    expected = (before - before.mean(axis=axes)) / before.std(axis=axes)
    np.testing.assert_allclose(after, expected, atol=1e-5)


@pytest.mark.parametrize("shape", [(4, 5), (4, 5, 3), (1, 8, 1)])
def test_each_channel_is_normalized_in_place(shape):
    image = picture(shape)
    before = image.copy()
    assert pictures.normalize(image) is None
    check(before, image)


def test_only_what_was_passed_is_written():
    image = picture((6, 8, 3))
    before = image.copy()
    pictures.normalize(image[::-2, 1:4])
    check(before[::-2, 1:4], image[::-2, 1:4])
    image[::-2, 1:4] = before[::-2, 1:4]
    np.testing.assert_array_equal(image, before)


def test_torch_tensor_is_written_where_it_is():
    torch = pytest.importorskip("torch")
    before = picture()
    image = torch.from_numpy(before.copy())
    pictures.normalize(image)
    check(before, image.numpy())


def test_memoryview_is_written_where_it_is():
    before = picture((4, 5))
    memory = bytearray(before.tobytes())
    pictures.normalize(memoryview(memory).cast("f", (4, 5)))
    check(before, np.frombuffer(memory, np.float32).reshape(4, 5))


def test_picture_of_one_colour_becomes_zero():
    image = np.full((3, 3), 7, np.float32)
    pictures.normalize(image)
    assert not image.any()


def test_empty_picture_is_left_alone():
    pictures.normalize(np.zeros((0, 3), np.float32))


def test_jax_arrays_are_never_written():
    jax = pytest.importorskip("jax")
    with pytest.raises(BufferError, match="read-only"):
        pictures.normalize(jax.numpy.zeros((2, 2)))


@pytest.mark.parametrize(
    ("image", "error", "text"),
    [
        (np.broadcast_to(np.float32(1), (2, 2)), BufferError, "read-only"),
        (memoryview(bytes(16)).cast("f", (2, 2)), BufferError, "read-only"),
        (np.zeros((2, 2)), TypeError, "wanted .*float32.* found .*float64"),
        (np.zeros(2, np.float32), ValueError, "2 or 3 axes, found 1"),
        ([[1.0]], TypeError, "list"),
    ],
)
def test_what_cannot_be_written_is_refused(image, error, text):
    with pytest.raises(error, match=text):
        pictures.normalize(image)
