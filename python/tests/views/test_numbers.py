"""A tensor as a number, as a sequence, and what it is not."""

import operator

import dlferry
import numpy as np
import pytest
from twins import DTYPES, cube, refused, tensor_of

ONE = [(), (1,), (1, 1, 1)]


@pytest.mark.parametrize("shape", ONE)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("value", [0, 1, 100])
def test_one_element_is_a_number(shape, dtype, value):
    array = np.full(shape, value).astype(dtype)
    tensor, scalar = tensor_of(array), array.reshape(()).item()
    assert bool(tensor) is bool(scalar)
    if array.dtype.kind == "c":
        for convert in (int, float):
            with refused(TypeError, match="complex"):
                convert(tensor)
    else:
        assert (int(tensor), type(int(tensor))) == (int(scalar), int)
        assert (float(tensor), type(float(tensor))) == (float(scalar), float)
    if array.dtype.kind in "iu":
        assert operator.index(tensor) == value
        assert list(range(200))[tensor] == value
    else:
        with refused(TypeError, match="integer"):
            operator.index(tensor)


@pytest.mark.parametrize("make", [lambda: np.zeros(2), lambda: np.zeros(0), lambda: np.zeros((1, 0)), cube])
@pytest.mark.parametrize("convert", [bool, int, float, operator.index])
def test_other_numbers_of_elements_are_no_number(make, convert):
    with refused(TypeError, match=f"one element, and this one has {make().size}"):
        convert(tensor_of(make()))
    with refused(ValueError, match="one element"):
        tensor_of(make()).item()


@pytest.mark.parametrize(("value", "error"), [(np.nan, ValueError), (np.inf, OverflowError)])
def test_float_without_an_integer_raises_what_python_raises(value, error):
    with pytest.raises(error):
        int(tensor_of(np.array(value)))


def test_values_that_numpy_lacks_are_numbers_too():
    assert float(tensor_of(np.array([0x3FC0], np.uint16)).view("bfloat16")) == 1.5
    assert operator.index(tensor_of(np.array([0x0F], np.uint8)).view("int4")[:1]) == -1
    assert bool(tensor_of(np.array([0x80], np.uint8)).view("float8_e4m3fn")) is False


def test_largest_integers_keep_their_value():
    assert int(tensor_of(np.array(2**64 - 1, np.uint64))) == 2**64 - 1
    assert int(tensor_of(np.array(-(2**63), np.int64))) == -(2**63)


@pytest.mark.parametrize("convert", [bool, int, float, operator.index])
def test_memory_of_a_device_is_no_number(convert):
    with refused(BufferError, match="cuda"):
        convert(dlferry.from_address(0xDEAD0000, (), "int32", owner=None, device=(2, 0)))


@pytest.mark.parametrize("shape", [(3,), (0,), (2, 3), (0, 3), (3, 0), (1, 2, 3)])
def test_tensor_is_a_sequence_of_its_first_axis(shape):
    array = np.arange(np.prod(shape)).reshape(shape)
    tensor = tensor_of(array)
    assert len(tensor) == shape[0]
    parts = list(tensor)
    assert [part.tolist() for part in parts] == array.tolist()
    assert all(type(part) is dlferry.Tensor for part in parts)


def test_unpacking_gives_views():
    array = np.array([1, 2, 3])
    first, *rest = tensor_of(array)
    array[:] = [7, 8, 9]
    assert (first.item(), [part.item() for part in rest]) == (7, [8, 9])


def test_tensor_without_axes_has_no_length():
    tensor = tensor_of(np.array(1))
    for use in (len, iter, list):
        with refused(TypeError, match="without axes"):
            use(tensor)


def test_tensor_of_large_extent_has_a_length():
    assert len(tensor_of(np.broadcast_to(np.int8(1), (2**40,)))) == 2**40


def test_equality_and_hash_are_of_the_object():
    array = np.zeros(2)
    one, other = tensor_of(array), tensor_of(array)
    assert one == one
    assert one != other
    assert len({one, other, one}) == 2


@pytest.mark.parametrize(
    "use", [operator.add, operator.mul, operator.lt, operator.matmul, operator.and_, operator.truediv, divmod]
)
def test_tensor_does_not_compute(use):
    tensor = tensor_of(np.array([1, 2]))
    with refused(TypeError, match="unsupported|not supported"):
        use(tensor, tensor)
    assert not hasattr(tensor, "__array_namespace__")


@pytest.mark.parametrize("value", [0, 1.0, None, "x", np.zeros(2)])
def test_values_are_not_looked_for(value):
    """Comparing identities would deny every number, silently."""
    with refused(TypeError, match="compares no values"):
        operator.contains(tensor_of(np.arange(3)), value)
