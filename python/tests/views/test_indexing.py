"""`tensor[...]`: integers, slices, `...` and None, always as a view."""

import dlferry
import numpy as np
import pytest
from twins import begin, check_shared, cube, refused, tensor_of

KEYS = {
    "integer": np.s_[1], "negative": np.s_[-1], "two integers": np.s_[1, 2], "all integers": np.s_[1, 2, 3],
    "no index": np.s_[()], "ellipsis": np.s_[...], "slice": np.s_[1:], "empty slice": np.s_[:, 3:],
    "reversed": np.s_[::-1, ::-1, ::-1], "step": np.s_[:, ::2, 1::2], "negative step": np.s_[:, ::-2],
    "start beyond": np.s_[:, 9:], "huge step": np.s_[:, :: 2**62], "huge bounds": np.s_[-(2**70) : 2**70],
    "new axis": np.s_[None], "new axes": np.s_[None, 1, None, ..., None], "ellipsis in the middle": np.s_[1, ..., 2],
    "ellipsis of no axes": np.s_[1, ..., 2, 3], "numpy integer": (np.int64(1), np.uint8(2)),
}  # fmt: skip


@pytest.mark.parametrize("key", KEYS)
def test_index_selects_what_numpy_selects(key):
    array = cube()
    tensor = tensor_of(array)[KEYS[key]]
    wide = KEYS[key] if isinstance(KEYS[key], tuple) else (KEYS[key],)
    wide = wide if any(part is Ellipsis for part in wide) else (*wide, ...)
    check_shared(tensor, array[wide])
    assert type(tensor) is dlferry.Tensor


def test_full_index_is_a_tensor_without_axes_and_still_a_view():
    array = cube()
    element = tensor_of(array)[1, 2, 3]
    assert (element.shape, element.item(), element.data_ptr) == ((), 23, begin(array) + 46)
    array[1, 2, 3] = 9
    assert element.item() == 9
    assert element[()].item() == element[...].item() == element[None].item() == 9


def test_view_is_as_writable_as_its_tensor():
    array = cube()
    assert not tensor_of(array)[1].readonly
    assert dlferry.from_buffer(array, writable=False)[1].readonly
    array.flags.writeable = False
    assert tensor_of(array)[..., 1].T.readonly


@pytest.mark.parametrize(
    ("key", "kind", "why"),
    [
        (np.s_[2], IndexError, "index 2 .*axis 0 of extent 2"),
        (np.s_[-3], IndexError, "index -3 .*axis 0"),
        (np.s_[:, 3], IndexError, "index 3 .*axis 1"),
        (np.s_[..., 4], IndexError, "index 4 .*axis 2"),
        (np.s_[2**70], IndexError, "out of range"),
        (np.s_[-(2**70)], IndexError, "out of range"),
        (np.s_[0, 0, 0, 0], IndexError, "^4 indices for a tensor of 3 axes$"),
        (np.s_[..., ...], IndexError, "one ellipsis"),
        (np.s_[1.0], TypeError, "float"),
        (np.s_["x"], TypeError, "str"),
        (np.s_[True], TypeError, "bool"),
        (np.s_[[0, 1]], TypeError, "list"),
        (np.array([0, 1]), TypeError, "ndarray|integer scalar"),
        (np.s_[::0], ValueError, "zero"),
        (np.s_[1.5:], TypeError, "slice|integer"),
        (np.s_["a":], TypeError, "slice|integer"),
    ],
)
def test_index_that_selects_nothing_is_refused(key, kind, why):
    with refused(kind, match=why):
        tensor_of(cube())[key]


def test_tensor_is_not_assigned_to():
    tensor = tensor_of(cube())
    with refused(TypeError, match="item assignment"):
        tensor[0] = 1
    with refused(TypeError, match="item deletion|item assignment"):
        del tensor[0]


def test_packed_elements_are_selected_at_byte_borders_only():
    memory = bytearray([0x10, 0x32, 0x54])
    address = np.frombuffer(memory, np.uint8).ctypes.data
    tensor = dlferry.from_address(address, (6,), "uint4", owner=memory)
    assert tensor[2:].tolist() == [2, 3, 4, 5]
    assert tensor[::2].tolist() == [0, 2, 4]
    assert tensor[4].item() == 4
    for key in (np.s_[1:], np.s_[3], np.s_[::-1]):
        with refused(BufferError, match=r"within a byte.*: tensor\.tolist\(\) or tensor\.numpy\(\)"):
            tensor[key]
    assert tensor.reshape(2, 3).tolist() == [[0, 1, 2], [3, 4, 5]]


def test_memory_of_a_device_is_indexed_without_being_read():
    tensor = dlferry.from_address(0xDEAD0000, (4, 4), "float32", owner=None, device=(2, 0))
    assert tensor[1, 2:].data_ptr + tensor[1, 2:].byte_offset == 0xDEAD0000 + 24
    assert tensor.T[1].strides == (4,)
