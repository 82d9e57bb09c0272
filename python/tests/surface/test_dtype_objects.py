"""The dtype objects: one for each dtype, known by the standard's name (rules R1.9 to R1.12)."""

import copy
import ctypes
import importlib
import operator
import pickle
import re
import subprocess
import sys
from typing import Any

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from elements import CODES, NUMPY

LITTLE = sys.byteorder == "little"


def dtype_of(code, bits, lanes=1):
    """Get the dtype of a tensor with these numbers."""
    return dlferry.from_dlpack(
        dt.Producer(dt.Crafted(bytes(64), shape=[1], code=code, bits=bits, lanes=lanes))
    ).dtype


UNNAMED = [(200, 32, 1), (255, 255, 65535), (19, 8, 1), (200, 0, 3)]


@pytest.mark.parametrize("name", CODES)
def test_package_has_a_dtype_by_each_name(name):
    dtype = getattr(dlferry, name)
    assert isinstance(dtype, dlferry.dtype)
    assert (dtype.name, dtype.code, dtype.bits, dtype.lanes) == (name, *CODES[name], 1)
    assert name in dlferry.__all__


def test_package_has_each_dtype_that_a_name_without_lanes_can_say():
    """But opaque handles, which have no values and any width."""
    names = {name for name in dlferry.__all__ if isinstance(getattr(dlferry, name), dlferry.dtype)}
    assert names == set(CODES)
    for stem in ("int", "uint", "float", "complex"):
        for bits in range(256):
            try:
                dtype = dlferry.dtype(f"{stem}{bits}")
            except ValueError:
                assert f"{stem}{bits}" not in names
            else:
                assert dtype == getattr(dlferry, f"{stem}{bits}")


@pytest.mark.parametrize("name", CODES)
def test_dtype_of_a_name_is_that_of_a_tensor(name):
    code, bits = CODES[name]
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


WIDE = [(0, 33, 1), (1, 3, 1), (2, 23, 1), (2, 128, 1), (5, 65, 1), (0, 33, 4)]


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


# What somebody may say, and what is said back.
MEANT = [
    ("f4", "float32"), ("<f4" if LITTLE else ">f4", "float32"), ("=f8", "float64"), ("|u1", "uint8"), ("u1", "uint8"),
    ("c8", "complex64"), ("c16", "complex128"), ("b1", "bool"), ("i4", "int32"), ("f2", "float16"),
    ("f", "float32"), ("d", "float64"), ("e", "float16"), ("B", "uint8"), ("?", "bool"), ("q", "int64"),
    ("half", "float16"), ("double", "float64"), ("single", "float32"), ("bf16", "bfloat16"), ("f32", "float32"),
    ("u16", "uint16"), ("cfloat", "complex64"), ("fp16", "float16"), ("Float32", "float32"), (" float32 ", "float32"),
    ("torch.float32", "float32"), ("np.float32", "float32"), ("jnp.bfloat16", "bfloat16"), ("torch.double", "float64"),
    ("int8_t", "int8"), ("uint64_t", "uint64"), ("bool_", "bool"), ("c_float", "float32"), ("c_int32", "int32"),
    ("e4m3", "float8_e4m3fn"), ("FLOAT8_E5M2", "float8_e5m2"), ("fp4", "float4_e2m1fn"),
    # Where libraries differ, all that it may be.
    ("float", '"float64" or "float32"'), ("int", '"int64" or "int32"'), ("i8", '"int64" or "int8"'),
    ("u8", '"uint64" or "uint8"'), ("char", '"int8" or "uint8"'), ("fp8", '"float8_e4m3fn" or "float8_e5m2"'),
]  # fmt: skip


@pytest.mark.parametrize(("said", "meant"), MEANT)
def test_name_of_others_is_answered_with_the_one_that_is_meant(said, meant):
    meant = meant if '"' in meant else f'"{meant}"'
    with pytest.raises(ValueError, match=f"did you mean {re.escape(meant)}\\?$") as caught:
        dlferry.dtype(said)
    assert type(caught.value) is ValueError
    for name in re.findall('"(\\w+)"', meant):
        assert dlferry.dtype(name).name == name


@pytest.mark.parametrize(
    "said", ["real32", "str", "object", "M8[s]", "<U4", "S3", "V8", "float23\0", "f3", "i16x", "\u00e9"]
)
def test_nobody_guesses_what_may_be_anything(said):
    with pytest.raises(ValueError, match="is the name of no dtype") as caught:
        dlferry.dtype(said)
    assert "did you mean" not in str(caught.value)


# What is no number, by name or as NumPy has it, and what is said of it.
NO_NUMBERS = [
    *(
        (name, 'no dates and durations.*"int64"')
        for name in ("datetime64[s]", "timedelta64", "<M8[ns]", "m8")
    ),
    *(
        (name, 'no text.*"uint8"')
        for name in ("str", "U4", "S3", "|S3", "bytes", str, np.str_, np.dtype("U2"))
    ),
    *((name, "no structures.*field") for name in ("V8", "void", "struct", np.dtype([("x", "f4")]), np.void)),
    *((name, "no Python objects.*numbers") for name in ("object", "O", object, np.object_, np.dtype(object))),
    *((name, 'no form of it; "float64"') for name in ("longdouble", "g", "clongdouble", np.longdouble)),
    (np.dtype("M8[s]"), 'no dates and durations.*"int64"'),
    (np.timedelta64, 'no dates and durations.*"int64"'),
]


@pytest.mark.parametrize(("said", "remedy"), NO_NUMBERS, ids=[str(said) for said, _ in NO_NUMBERS])
def test_what_is_no_number_is_answered_with_what_to_do(said, remedy):
    if said is np.longdouble and np.longdouble().itemsize == 8:
        pytest.skip("a long double is a double here")
    kind = ValueError if isinstance(said, str) else TypeError
    with pytest.raises(kind, match=remedy) as caught:
        dlferry.dtype(said)
    assert "did you mean" not in str(caught.value)
    for name in re.findall('"(\\w+64|uint8)"', remedy):
        assert dlferry.dtype(name).name == name


@pytest.mark.parametrize("name", ["strategy", "Stream", "objective", "Void", "M", "structure"])
def test_names_that_begin_alike_are_no_such_thing(name):
    with pytest.raises(ValueError, match="name of no dtype") as caught:
        dlferry.dtype(name)
    assert ("DLPack has no" in str(caught.value)) == (name == "M")


@pytest.mark.parametrize("name", ["f4", "i2", "c16", "u8"])
@pytest.mark.parametrize("make", [str, np.dtype], ids=["text", "NumPy's"])
def test_other_byte_order_is_named(name, make):
    with pytest.raises(ValueError, match=f"{'big' if LITTLE else 'little'}-endian.*asarray") as caught:
        dlferry.dtype(make((">" if LITTLE else "<") + name))
    assert np.dtype(name).name in str(caught.value)
    assert dlferry.dtype(np.dtype(("<" if LITTLE else ">") + name)).name == np.dtype(name).name


@pytest.mark.parametrize("numbers", WIDE)
def test_width_that_no_library_has_is_a_slip_and_passes_in_a_tensor(numbers):
    dtype = dtype_of(*numbers)
    with pytest.raises(ValueError, match=r"name of no dtype that libraries exchange.*64") as caught:
        dlferry.dtype(dtype.name)
    written = f"dtype(code={numbers[0]}, bits={numbers[1]}, lanes={numbers[2]})"
    assert written in str(caught.value)
    assert dlferry.dtype(written) == dtype
    for call in (dlferry.from_buffer(bytes(8)).view,
                 lambda name: dlferry.from_address(0, (0,), name, owner=None)):  # fmt: skip
        with pytest.raises(ValueError, match="name of no dtype"):
            call(dtype.name)


@pytest.mark.parametrize("name", NUMPY)
def test_dtype_of_numpy_is_known_by_its_name(name):
    for value in (np.dtype(name), np.dtype(name).type, np.zeros(1, name).dtype):
        assert dlferry.dtype(value) == getattr(dlferry, name)
    assert dlferry.from_buffer(bytes(64)).view(np.dtype(name)).dtype.name == name


def test_dtype_of_other_libraries_is_known_by_its_name():
    for module in ("ml_dtypes", "jax.numpy", "torch", "mlx.core", "tensorflow"):
        try:
            library = importlib.import_module(module)
        except ImportError:
            continue
        for name in ("bfloat16", "float32", "float8_e4m3fn", "int4", "int8"):
            if hasattr(library, name) and name not in PLACEHOLDERS.get(module, ()):
                assert dlferry.dtype(getattr(library, name)).name == name, module


# What has the name and is no dtype yet.
PLACEHOLDERS = {"torch": ("int4",)}


def test_other_objects_named_so_are_read_without_an_import():
    script = (
        "import dlferry, sys\n"
        "class float32: pass\n"
        "assert dlferry.dtype(float32) == dlferry.float32\n"
        "assert not {'numpy', 'torch', 'jax', 'ml_dtypes'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


class Odd:
    """Has attributes that raise or say something else."""

    def __init__(self, **fields):
        self.fields = fields

    def __getattr__(self, name):
        value = self.fields.get(name, AttributeError(name))
        if isinstance(value, BaseException):
            raise value
        return value

    def __str__(self):
        return str(self.fields.get("text", "odd"))


def test_objects_that_are_odd_are_no_dtypes():
    assert dlferry.dtype(Odd(name="int16")).name == "int16"
    assert dlferry.dtype(Odd(text="lib.core.int16")).name == "int16"
    for odd in (Odd(name=7), Odd(name="int17"), Odd(name=RuntimeError()), Odd(name="int16", itemsize=4),
                Odd(text="x y.int16"), Odd(text="int16"), Odd(text="lib.int17")):  # fmt: skip
        with pytest.raises(TypeError, match="needs a name"):
            dlferry.dtype(odd)
    assert dlferry.dtype(Odd(name="int16", itemsize=2, byteorder=RuntimeError())).name == "int16"
    with pytest.raises(KeyboardInterrupt):
        dlferry.dtype(Odd(name=KeyboardInterrupt()))


@pytest.mark.parametrize(
    "wrong", [None, 32, 1.5, b"float32", ("float32",), float, int, complex, dlferry.dtype, np.longlong, np.float32(1),
              np.zeros(2), np.dtype("M8[s]"), np.dtype([("x", "f4")]), np.dtype(("f4", (2,))), ctypes.c_float]
)  # fmt: skip
def test_other_type_is_a_type_error(wrong):
    with pytest.raises(TypeError, match="needs a name") as caught:
        dlferry.dtype(wrong)
    assert ("did you mean" in str(caught.value)) == isinstance(wrong, type) * (wrong is not dlferry.dtype)


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


@pytest.mark.parametrize("numbers", [*UNNAMED, *WIDE, (2, 32, 1), (2, 32, 4)])
def test_dtype_equals_its_name_and_hashes_like_it(numbers):
    dtype = dtype_of(*numbers)
    assert dtype == dtype.name
    assert dtype.name == dtype
    assert not dtype != dtype.name  # noqa: SIM202
    assert hash(dtype) == hash(dtype.name)
    assert {dtype: 1}[dtype.name] == {dtype.name: 1}[dtype] == 1


@pytest.mark.parametrize(
    "other",
    [None, 3, b"float32", "float64", "float3", "object", "f8", "datetime64[s]", "float", "",
     ">f4" if LITTLE else "<f4", np.float64, np.dtype("f8"), np.dtype("M8[s]"), float, int, bool, object(),
     type("dtype", (), {"name": property(lambda self: 1 / 0)})()],
)  # fmt: skip
def test_nothing_else_equals_a_dtype(other):
    """What is another dtype anyhow is not warned of."""
    assert dlferry.float32 != other
    assert not dlferry.float32 == other  # noqa: SIM201
    assert dlferry.float32.__eq__(other) is (NotImplemented if not isinstance(other, str) else False)


SAME: list[Any] = [np.float32, np.dtype("f4"), type("float32", (), {})]


@pytest.mark.parametrize("other", SAME, ids=["NumPy's type", "NumPy's dtype", "type of that name"])
def test_same_dtype_of_another_library_is_not_equal_which_is_warned_of(other):
    """What is equal hashes alike, and theirs hash as they please: a set would say otherwise than a list."""
    assert hash(other) != hash(dlferry.float32)
    wanted = r'dlferry\.dtype\(\.\.\.\) of the other one, or with its name, "float32"'
    for compare, answer in ((operator.eq, False), (operator.ne, True)):
        for pair in ((dlferry.float32, other), (other, dlferry.float32)):
            with pytest.warns(UserWarning, match=wanted) as warned:
                assert compare(*pair) is answer
            assert [warning.filename for warning in warned] == [__file__] * len(warned)
    assert dlferry.float32 == dlferry.dtype(other)
    assert not {dlferry.float32} & {other}


@pytest.mark.parametrize(
    ("dtype", "other"),
    [("float32", "f4"), ("float32", "Float32"), ("float32", "torch.float32"), ("uint8", "|u1"), ("float64", "double"),
     ("float64", "float"), ("int64", "int"), ("float64", float), ("int64", int), ("complex128", complex)],
)  # fmt: skip
def test_another_name_is_not_equal_which_is_warned_of(dtype, other):
    """Of the names that libraries use for different dtypes NumPy's use counts."""
    dtype = dlferry.dtype(dtype)
    for compare, answer in ((operator.eq, False), (operator.ne, True)):
        for pair in ((dtype, other), (other, dtype)):
            with pytest.warns(UserWarning, match=f'its own name and no other: compare it with "{dtype}"'):
                assert compare(*pair) is answer


def test_a_look_up_finds_no_other_name_and_warns_of_none():
    """Their hashes are others, so nobody compares."""
    assert {np.float32: 1, "f4": 2}.get(dlferry.float32) is None
    assert dlferry.float64 not in {float, "f8", np.float64}


@pytest.mark.parametrize("name", ["float32", "bool", "complex64", "uint64"])
def test_the_name_leads_to_the_dtype_of_another_library(name):
    assert np.dtype(getattr(dlferry, name).name) == np.dtype(name)


@pytest.mark.parametrize("module", ["torch", "jax.numpy", "mlx.core", "ml_dtypes"])
def test_same_dtype_of_other_libraries_is_warned_of(module):
    library = pytest.importorskip(module)
    with pytest.warns(UserWarning, match="bfloat16"):
        assert dlferry.bfloat16 != library.bfloat16


@pytest.mark.parametrize("order", ["__lt__", "__gt__"])
def test_dtypes_have_no_order(order):
    assert getattr(dlferry.int8, order)(dlferry.int16) is NotImplemented


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("numbers", [*UNNAMED, *WIDE, (2, 32, 1), (2, 32, 4), (5, 32, 1), (17, 4, 1)])
def test_dtype_survives_pickling(numbers, protocol):
    dtype = dtype_of(*numbers)
    again = pickle.loads(pickle.dumps(dtype, protocol))
    assert again == dtype
    assert (again.code, again.bits, again.lanes) == numbers


def test_dtype_survives_copying():
    assert copy.copy(dlferry.int8) == dlferry.int8
    assert copy.deepcopy([dlferry.int8]) == [dlferry.int8]


@pytest.mark.parametrize("numbers", [*UNNAMED, *WIDE, (2, 32, 1), (2, 32, 4), (6, 8, 1)])
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
