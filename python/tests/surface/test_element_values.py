"""What `tolist` and `item` give: Python numbers, exact for every dtype (decision 5.8; rules R1.9, R1.10)."""

from typing import Any

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from elements import CODES, NUMPY, crafted, same

SHAPES = [(), (1,), (5,), (2, 3), (2, 1, 3), (0,), (2, 0), (0, 2)]


def samples(name, shape):
    """Numbers of the dtype, the extreme ones first."""
    dtype = np.dtype(name)
    count = int(np.prod(shape, dtype=int))
    few: list[Any]
    if dtype.kind == "b":
        few = [True, False]
    elif dtype.kind in "iu":
        few = [np.iinfo(dtype).max, np.iinfo(dtype).min, 1]
    else:
        limits = np.finfo(dtype)
        few = [limits.max, -0.0, np.inf, np.nan, limits.smallest_subnormal, -limits.max]
        if dtype.kind == "c":
            few = [complex(value, -value) for value in few]
    return np.resize(np.array(few, dtype), count).reshape(shape)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", NUMPY)
def test_tolist_is_that_of_numpy(name, shape):
    array = samples(name, shape)
    found = dlferry.from_dlpack(array).tolist()
    # The text too: it tells True from 1, -0.0 from 0.0, and one NaN is as good as another.
    assert repr(found) == repr(array.tolist())


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[::-1],
        lambda a: a.T,
        lambda a: a[:, ::2],
        lambda a: a[1:, 1:],
        lambda a: np.broadcast_to(a[:1], (3, 4)),
        lambda a: np.lib.stride_tricks.as_strided(a, (3, 3), (a.itemsize, a.itemsize)),
    ],
)
def test_tolist_follows_the_strides(view):
    array = view(np.arange(12, dtype=np.int32).reshape(3, 4))
    recipe = dt.Crafted(
        bytes(4), shape=list(array.shape), strides=[stride // 4 for stride in array.strides], code=0,
        address=array.ctypes.data,
    )  # fmt: skip
    assert dlferry.from_dlpack(dt.Producer(recipe)).tolist() == array.tolist()


@pytest.mark.parametrize("misalign", [1, 2, 3])
def test_misaligned_elements_are_read(misalign):
    values = [1.5, -2.25, 3.0]
    tensor = crafted(np.array(values).tobytes(), "float64", [3], misalign=misalign)
    assert tensor.data_ptr % 8 == misalign
    assert tensor.tolist() == values


def test_bool_byte_other_than_zero_is_true():
    tensor = crafted(bytes([0, 1, 2, 128, 255]), "bool", [5])
    assert tensor.tolist() == [False, True, True, True, True]
    assert crafted(bytes([2]), "bool", []).item() is True


def test_largest_uint64_is_not_negative():
    assert crafted(b"\xff" * 8, "uint64", []).item() == 2**64 - 1


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_every_pattern_of_a_16_bit_float_is_exact(name):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    patterns = np.arange(1 << 16, dtype=np.uint16)
    dtype = ml_dtypes.bfloat16 if name == "bfloat16" else np.float16
    found = crafted(patterns.tobytes(), name, [1 << 16]).tolist()
    with np.errstate(invalid="ignore"):
        assert same(found, patterns.view(dtype).astype(np.float64))


@pytest.mark.parametrize("name", [name for name in CODES if name.startswith("float8")])
def test_every_pattern_of_an_8_bit_float_is_exact(name):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    dtype = getattr(ml_dtypes, name, None)
    if dtype is None:
        pytest.skip(f"this release of ml_dtypes has no {name}")
    patterns = np.arange(256, dtype=np.uint8)
    found = crafted(patterns.tobytes(), name, [256]).tolist()
    with np.errstate(invalid="ignore"):
        assert same(found, patterns.view(dtype).astype(np.float64))


def test_complex32_has_two_halves_of_16_bits():
    """R1.9: the bits of a complex dtype count both halves."""
    parts = np.array([1.5, -2.0, np.inf, -0.0], np.float16)
    found = crafted(parts.tobytes(), "complex32", [2]).tolist()
    assert same(found, [complex(1.5, -2.0), complex(np.inf, -0.0)])


def test_bcomplex32_has_two_halves_of_bfloat16():
    parts = np.array([1.5, -2.0], np.float32).view(np.uint16)[1::2]
    assert crafted(parts.tobytes(), "bcomplex32", []).item() == complex(1.5, -2.0)


def test_item_is_the_one_element_whatever_the_axes():
    for shape in ((), (1,), (1, 1, 1)):
        item = dlferry.from_dlpack(np.full(shape, 7, np.int8)).item()
        assert item == 7
        assert type(item) is int


@pytest.mark.parametrize("shape", [(2,), (0,), (1, 2), (3, 0)])
def test_item_of_another_number_of_elements_is_a_value_error(shape):
    tensor = dlferry.from_dlpack(np.zeros(shape))
    with pytest.raises(ValueError, match=f"one element.* has {np.prod(shape)}$") as caught:
        tensor.item()
    assert type(caught.value) is ValueError


# Elements that have no value here: unknown code, handle, 128-bit float, several lanes.
OPAQUE = [
    {"code": 200, "bits": 32},
    {"code": 3, "bits": 64},
    {"code": 2, "bits": 128},
    {"code": 2, "bits": 32, "lanes": 2},
]


@pytest.mark.parametrize("fields", OPAQUE)
@pytest.mark.parametrize("method", ["tolist", "item"])
def test_opaque_elements_have_no_value(method, fields):
    tensor = dlferry.from_dlpack(dt.Producer(dt.Crafted(bytes(32), shape=[1], **fields)))
    with pytest.raises(BufferError, match="no values"):
        getattr(tensor, method)()


@pytest.mark.parametrize("device_type", [2, 4, 7, 8, 10, 12, 14, 99])
@pytest.mark.parametrize("method", ["tolist", "item"])
def test_memory_of_a_device_is_not_read(method, device_type):
    """Decision 5.12. The address leads nowhere: reading it would end the process."""
    recipe = dt.Crafted(bytes(4), shape=[1], device=(device_type, 0), address=0xDEAD0000)
    tensor = dlferry.from_dlpack(dt.Producer(recipe))
    with pytest.raises(BufferError, match="host cannot read"):
        getattr(tensor, method)()


@pytest.mark.parametrize("device_type", [1, 3, 11, 13, 20])
def test_memory_that_the_host_can_read_is_read(device_type):
    """Decision 5.12."""
    assert crafted(np.float32(1.5).tobytes(), "float32", [1], device=(device_type, 0)).tolist() == [1.5]


def test_every_named_dtype_has_values():
    for name in CODES:
        assert len(crafted(bytes(16), name, [1]).tolist()) == 1
