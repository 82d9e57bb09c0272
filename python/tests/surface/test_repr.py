"""The repr of a Tensor: values, layout and origin, and nothing read that may not be (decision 5.12)."""

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from elements import PADDED, READ_ONLY, crafted


def facts(tensor):
    """Cut the named facts out of a repr."""
    text = repr(tensor)
    start = text.rindex("shape=(")
    assert text.startswith("Tensor(")
    assert text.endswith(")")
    return text[start:-1]


def shown(tensor):
    """Cut the values out of a repr."""
    return repr(tensor).removeprefix("Tensor(").partition("shape=(")[0].rstrip().removesuffix(",")


def test_repr_shows_values_layout_and_origin():
    tensor = crafted(np.arange(6, dtype=np.float32).tobytes(), "float32", [2, 3])
    assert repr(tensor) == (
        "Tensor([[0.0, 1.0, 2.0],\n"
        "        [3.0, 4.0, 5.0]],\n"
        "       shape=(2, 3), dtype=float32, device=cpu, source=dlpack)"
    )


def test_repr_of_one_row_is_one_line():
    tensor = crafted(bytes([1, 2, 3]), "uint8", [3])
    assert repr(tensor) == "Tensor([1, 2, 3], shape=(3,), dtype=uint8, device=cpu, source=dlpack)"


def test_repr_without_axes_is_the_number():
    tensor = crafted(np.float64(2.5).tobytes(), "float64", [])
    assert repr(tensor) == "Tensor(2.5, shape=(), dtype=float64, device=cpu, source=dlpack)"


def test_columns_are_as_wide_as_the_widest_element():
    tensor = crafted(np.array([[1, -20], [300, 4]], np.int16).tobytes(), "int16", [2, 2])
    assert shown(tensor) == "[[  1, -20],\n        [300,   4]]"


@pytest.mark.parametrize("shape", [[0], [2, 0], [0, 3], [0, 1 << 40]])
def test_repr_of_no_elements_is_empty_brackets(shape):
    assert shown(crafted(b"", "float32", shape)) == "[]"


# Dtype, the bytes of one element, its text.
TEXTS = [
    ("bool", bytes([2]), "True"),
    ("bool", bytes([0]), "False"),
    ("int8", bytes([0x80]), "-128"),
    ("uint64", b"\xff" * 8, "18446744073709551615"),
    ("float64", np.float64(0.1).tobytes(), "0.1"),
    ("float32", np.float32(0.1).tobytes(), "0.1"),
    ("float32", np.float32(-0.0).tobytes(), "-0.0"),
    ("float32", np.float32(np.nan).tobytes(), "nan"),
    ("float64", np.float64(np.inf).tobytes(), "inf"),
    ("float16", np.float16(-np.inf).tobytes(), "-inf"),
    ("bfloat16", bytes([0xC0, 0x3F]), "1.5"),
    ("float8_e4m3fn", bytes([0x7F]), "nan"),
    ("float4_e2m1fn", bytes([0x07]), "6.0"),
    ("int4", bytes([0x0F]), "-1"),
    ("complex64", np.complex64(1.5 - 2j).tobytes(), "(1.5-2.0j)"),
    ("complex128", np.complex128(complex(0.1, 0.2)).tobytes(), "(0.1+0.2j)"),
]


@pytest.mark.parametrize(("name", "data", "text"), TEXTS)
def test_element_has_as_many_digits_as_its_dtype(name, data, text):
    assert shown(crafted(data, name, [])) == text


def test_up_to_a_thousand_elements_are_all_shown():
    assert "..." not in shown(crafted(bytes(1000), "uint8", [1000]))


def test_above_a_thousand_elements_only_the_edges_are_shown():
    data = np.arange(1001, dtype=np.int16).tobytes()
    assert shown(crafted(data, "int16", [1001])) == "[   0,    1,    2, ...,  998,  999, 1000]"


def test_every_long_axis_is_shortened():
    text = shown(crafted(bytes(40 * 40), "uint8", [40, 40]))
    rows = text.splitlines()
    assert len(rows) == 7
    assert all(row.count("0") == 6 for row in rows if "0" in row)
    assert rows[3].strip() == "...,"


def test_repr_of_an_absurd_broadcast_is_short():
    """Zero strides: two elements of memory, and more shown ones than any machine could hold."""
    tensor = crafted(bytes(8), "float32", [1 << 20, 1 << 20], strides=[0, 0])
    assert len(repr(tensor)) < 1000


# What goes with the tensor, and the fact that says so.
NOTED = [
    ({"flags": READ_ONLY}, "readonly=True"),
    ({"flags": 2}, "copied=True"),
    ({"strides": [1, 2]}, "strides=(1, 2)"),
    ({"device": (3, 0)}, "device=cuda_host:0"),
]


@pytest.mark.parametrize(("fields", "fact"), NOTED)
def test_what_is_unusual_is_noted(fields, fact):
    usual = crafted(bytes(16), "float32", [2, 2])
    assert fact not in facts(usual)
    assert fact in facts(crafted(bytes(16), "float32", [2, 2], **fields))


def test_copy_is_noted():
    assert "copied=True" in facts(dlferry.from_dlpack(np.zeros(2), copy=True))


def test_copy_that_nobody_can_tell_is_noted():
    class Method:
        def __array__(self, dtype=None, copy=None):
            return np.zeros(2)

    tensor = dlferry.asarray(Method())
    assert tensor.copied is None
    assert "copied=None" in facts(tensor)


def test_unversioned_source_is_noted():
    tensor = dlferry.from_dlpack(dt.Crafted(bytes(8), shape=[2]).capsule(versioned=False))
    assert facts(tensor).endswith("readonly=True, source=dlpack-unversioned")


@pytest.mark.parametrize("device_type", [2, 4, 7, 8, 10, 12, 14, 99])
def test_repr_of_another_device_reads_nothing(device_type):
    """The address leads nowhere: reading it would end the process."""
    recipe = dt.Crafted(bytes(4), shape=[2, 2], device=(device_type, 1), address=0xDEAD0000)
    tensor = dlferry.from_dlpack(dt.Producer(recipe))
    assert shown(tensor) == ""
    assert f"device={tensor.device}" in facts(tensor)


def test_repr_of_opaque_elements_shows_no_values():
    tensor = dlferry.from_dlpack(dt.Producer(dt.Crafted(bytes(8), shape=[2], code=200)))
    assert shown(tensor) == ""
    assert "dtype=dtype(code=200, bits=32, lanes=1)" in facts(tensor)


def test_repr_of_padded_elements_shows_their_values():
    assert shown(crafted(bytes([0xF1, 0x02]), "uint4", [2], flags=PADDED)) == "[1, 2]"
