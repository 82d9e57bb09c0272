"""The class of its own: every library takes it, and it is painted once."""

import numpy as np
import pictures
import pytest

TILES = [[0, 0, 255, 255], [0, 0, 255, 255], [255, 255, 0, 0]]


def test_it_is_painted_when_it_is_taken():
    board = pictures.Checkerboard(3, 4, tile=2)
    assert not board.painted
    assert np.from_dlpack(board).tolist() == TILES
    assert board.painted


def test_all_takers_share_its_memory():
    board = pictures.Checkerboard(3, 4, tile=2)
    array, view = np.from_dlpack(board), memoryview(board)
    array[0, 0] = 9
    assert view[0, 0] == 9
    del board
    assert view.tolist()[1:] == TILES[1:]


def test_torch_takes_it():
    torch = pytest.importorskip("torch")
    assert torch.from_dlpack(pictures.Checkerboard(3, 4, tile=2)).tolist() == TILES


def test_jax_takes_it():
    jax = pytest.importorskip("jax")
    assert jax.numpy.from_dlpack(pictures.Checkerboard(3, 4, tile=2)).tolist() == TILES


def test_tiles_have_pixels():
    with pytest.raises(ValueError, match="at least one pixel"):
        pictures.Checkerboard(1, 1, tile=0)
