"""The filter: the values are right, and the result is of the caller's library."""

import array

import numpy as np
import pictures
import pytest


def slow_blur(image, radius):
    """Says what the filter does in the plainest way."""
    pad = [(radius, radius), (radius, radius)] + [(0, 0)] * (image.ndim - 2)
    wide = np.pad(image.astype(np.float64), pad, mode="edge")
    side = 2 * radius + 1
    windows = [
        wide[row : row + image.shape[0], column : column + image.shape[1]]
        for row in range(side)
        for column in range(side)
    ]
    return np.mean(windows, axis=0)


def picture(shape, dtype):
    numbers = np.random.default_rng(7).integers(0, 256, shape)
    return numbers.astype(dtype)


@pytest.mark.parametrize("radius", [0, 1, 2, 5, 40])
@pytest.mark.parametrize("shape", [(5, 7), (5, 7, 3), (1, 9), (9, 1, 4), (1, 1)])
def test_each_pixel_is_the_mean_of_its_square(shape, radius):
    image = picture(shape, np.float32)
    np.testing.assert_allclose(pictures.blur(image, radius), slow_blur(image, radius), rtol=1e-5)


@pytest.mark.parametrize("shape", [(5, 7), (5, 7, 3)])
def test_bytes_are_rounded(shape):
    image = picture(shape, np.uint8)
    result = pictures.blur(image)
    assert result.dtype == np.uint8
    assert np.abs(result - slow_blur(image, 1)).max() <= 0.5


VIEWS = {
    "upside down": lambda image: image[::-1],
    "mirrored": lambda image: image[:, ::-1],
    "transposed": lambda image: image.transpose(1, 0, 2),
    "every second pixel": lambda image: image[::2, 1::2],
    "one channel": lambda image: image[:, :, 1],
    "no rows": lambda image: image[:0],
    "repeated": lambda image: np.broadcast_to(image[0], image.shape),
}


@pytest.mark.parametrize("view", VIEWS)
def test_views_are_read_as_they_lie(view):
    image = VIEWS[view](picture((6, 8, 3), np.float32))
    result = pictures.blur(image, 2)
    assert result.shape == image.shape
    if image.size:
        np.testing.assert_allclose(result, slow_blur(image, 2), rtol=1e-5)


def test_numpy_in_numpy_out():
    result = pictures.blur(picture((4, 4), np.uint8))
    assert type(result) is np.ndarray
    assert result.flags.writeable


def test_torch_in_torch_out():
    torch = pytest.importorskip("torch")
    image = picture((4, 6, 3), np.float32)
    result = pictures.blur(torch.from_numpy(image))
    assert type(result) is torch.Tensor
    np.testing.assert_allclose(result.numpy(), slow_blur(image, 1), rtol=1e-5)


def test_jax_in_jax_out():
    jax = pytest.importorskip("jax")
    image = picture((4, 6, 3), np.float32)
    result = pictures.blur(jax.numpy.asarray(image))
    assert isinstance(result, jax.Array)
    np.testing.assert_allclose(result, slow_blur(image, 1), rtol=1e-5)


def test_memoryview_in_memoryview_out():
    image = memoryview(bytes(range(12))).cast("B", (3, 4))
    result = pictures.blur(image)
    assert type(result) is memoryview
    assert np.abs(np.asarray(result) - slow_blur(np.asarray(image), 1)).max() <= 0.5


def test_class_of_our_own_gives_a_tensor():
    result = pictures.blur(pictures.Checkerboard(4, 4, tile=2))
    assert type(result).__name__ == "Tensor"
    assert memoryview(result).shape == (4, 4)


@pytest.mark.parametrize(
    ("image", "error", "text"),
    [
        (np.zeros((2, 2)), TypeError, "uint8 or float32, found float64"),
        (np.zeros(3, np.uint8), ValueError, "2 or 3 axes, found 1"),
        (array.array("B", [1]), ValueError, "2 or 3 axes, found 1"),
        ([[1, 2]], TypeError, "list"),
        (None, TypeError, "NoneType"),
    ],
)
def test_what_is_no_picture_is_refused(image, error, text):
    with pytest.raises(error, match=text):
        pictures.blur(image)


def test_infinities_stay_where_they_are():
    image = np.ones((1, 9), np.float32)
    image[0, 4] = np.inf
    result = pictures.blur(image, 1)
    assert np.isinf(result[0, 3:6]).all()
    np.testing.assert_allclose(result[0, [0, 1, 2, 6, 7, 8]], 1)


def test_radius_beyond_all_borders_is_no_more_work():
    image = picture((3, 4), np.float32)
    np.testing.assert_allclose(
        pictures.blur(image, 10**12), np.full((3, 4), image[[0, 0, -1, -1], [0, -1, 0, -1]].mean()), rtol=1e-4
    )
