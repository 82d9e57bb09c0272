"""The dtype objects: one for each dtype, known by the standard's name (rules R1.9 to R1.12)."""

import copy
import pickle

import dlferry
import dlferry_testing as dt
import pytest
from elements import CODES, RARE


def dtype_of(code, bits, lanes=1):
    """Get the dtype of a tensor with these numbers."""
    return dlferry.from_dlpack(
        dt.Producer(dt.Crafted(bytes(64), shape=[1], code=code, bits=bits, lanes=lanes))
    ).dtype


NAMED = {**CODES, **RARE}
UNNAMED = [(200, 32, 1), (255, 255, 65535), (19, 8, 1), (200, 0, 3)]


@pytest.mark.parametrize("name", CODES)
def test_package_has_a_dtype_by_each_name(name):
    dtype = getattr(dlferry, name)
    assert isinstance(dtype, dlferry.dtype)
    assert (dtype.name, dtype.code, dtype.bits, dtype.lanes) == (name, *CODES[name], 1)
    assert name in dlferry.__all__


@pytest.mark.parametrize("name", NAMED)
def test_dtype_of_a_name_is_that_of_a_tensor(name):
    code, bits = NAMED[name]
    dtype = dlferry.dtype(name)
    assert dtype == dtype_of(code, bits)
    assert hash(dtype) == hash(dtype_of(code, bits))
    assert str(dtype) == name
    assert dtype.itemsize == -(-bits // 8)


@pytest.mark.parametrize("lanes", [2, 4, 16])
def test_lanes_are_part_of_the_name(lanes):
    dtype = dlferry.dtype(f"float32x{lanes}")
    assert (dtype.name, dtype.bits, dtype.lanes, dtype.itemsize) == (f"float32x{lanes}", 32, lanes, 4 * lanes)
    assert dtype == dtype_of(2, 32, lanes)
    assert dtype != dlferry.float32


# What is no name of a dtype, or not the one name that it has.
NO_NAMES = [
    *(
        "",
        "float",
        "double",
        "Float32",
        "float32 ",
        " float32",
        "float032",
        "float+32",
        "float32x",
        "float32x1",
    ),
    *(
        "float32x0",
        "float32x04",
        "float32x65536",
        "bool8",
        "bool16",
        "int0",
        "int256",
        "int-8",
        "float8_e9m9",
    ),
    *("f4", "<f4", "long", "float4_e2m1fn8", "float32\0", "dtype", "dtype()", "dtype(code=200)"),
    # The numbers of a dtype that has a name, of one that contradicts itself, and what is not written so.
    *(
        "dtype(code=2, bits=32, lanes=1)",
        "dtype(code=6, bits=16, lanes=1)",
        "dtype(code=200, bits=8, lanes=0)",
    ),
    *(
        "dtype(code=200,bits=8,lanes=1)",
        "dtype(code=+200, bits=8, lanes=1)",
        "dtype(code=256, bits=8, lanes=1)",
    ),
]


@pytest.mark.parametrize("name", NO_NAMES)
def test_other_string_is_a_value_error(name):
    with pytest.raises(ValueError, match="name of no dtype") as caught:
        dlferry.dtype(name)
    assert type(caught.value) is ValueError


@pytest.mark.parametrize("wrong", [None, 32, 1.5, b"float32", ("float32",), float, dlferry.dtype])
def test_other_type_is_a_type_error(wrong):
    with pytest.raises(TypeError, match="needs a name"):
        dlferry.dtype(wrong)


def test_dtype_needs_one_argument():
    with pytest.raises(TypeError):
        dlferry.dtype()
    with pytest.raises(TypeError):
        dlferry.dtype(name="float32")


def test_dtype_of_a_dtype_is_that_dtype():
    assert dlferry.dtype(dlferry.int4) == dlferry.int4


def test_dtypes_differ_in_every_field():
    different = {dtype_of(*numbers) for numbers in [(0, 8), (1, 8), (0, 16), (0, 8, 2), (200, 8)]}
    assert len(different) == 5


def test_dtype_is_not_its_name():
    """No value of another type equals a dtype, so that a wrong comparison shows."""
    assert dlferry.float32 != "float32"
    assert not dlferry.float32 == "float32"  # noqa: SIM201
    assert dlferry.float32 is not None


@pytest.mark.parametrize("operator", ["__lt__", "__gt__"])
def test_dtypes_have_no_order(operator):
    assert getattr(dlferry.int8, operator)(dlferry.int16) is NotImplemented


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("numbers", [*UNNAMED, (2, 32, 1), (2, 32, 4), (5, 32, 1), (17, 4, 1)])
def test_dtype_survives_pickling(numbers, protocol):
    dtype = dtype_of(*numbers)
    again = pickle.loads(pickle.dumps(dtype, protocol))
    assert again == dtype
    assert (again.code, again.bits, again.lanes) == numbers


def test_dtype_survives_copying():
    assert copy.copy(dlferry.int8) == dlferry.int8
    assert copy.deepcopy([dlferry.int8]) == [dlferry.int8]


@pytest.mark.parametrize("numbers", [*UNNAMED, (2, 32, 1), (2, 32, 4), (6, 8, 1)])
def test_repr_makes_the_dtype_again(numbers):
    dtype = dtype_of(*numbers)
    assert eval(repr(dtype), {"dlferry": dlferry}) == dtype


def test_repr_and_str():
    assert repr(dlferry.bfloat16) == 'dlferry.dtype("bfloat16")'
    assert str(dlferry.bfloat16) == f"{dlferry.bfloat16}" == "bfloat16"


@pytest.mark.parametrize("numbers", UNNAMED)
def test_unknown_dtype_is_named_by_its_numbers(numbers):
    code, bits, lanes = numbers
    assert dtype_of(*numbers).name == f"dtype(code={code}, bits={bits}, lanes={lanes})"


def test_dtype_cannot_be_changed():
    with pytest.raises(AttributeError):
        setattr(dlferry.dtype("float32"), "bits", 16)  # noqa: B010
