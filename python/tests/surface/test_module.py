"""What the package offers, by name, and its exceptions (decision 5.10, rule R9.1)."""

import builtins
import re
import subprocess
import sys

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from elements import CODES

NAMES = {"CopyRequiredError", "Device", "DeviceType", "Tensor", "__version__", "dtype", "from_dlpack"}


def test_all_lists_what_is_meant_for_use():
    assert NAMES | set(CODES) <= set(dlferry.__all__)
    assert len(dlferry.__all__) == len(set(dlferry.__all__))


def test_everything_listed_is_there():
    for name in dlferry.__all__:
        assert getattr(dlferry, name) is not None


def test_dir_shows_everything_listed():
    """The names that are looked up late, too, before they are used for the first time."""
    script = "import dlferry; assert set(dlferry.__all__) <= set(dir(dlferry))"
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_dir_shows_nothing_else_but_what_every_module_has():
    script = (
        "import dlferry, dlferry.typing, types; own = set(dir(types.ModuleType('m')))\n"
        "for module in (dlferry, dlferry.typing):\n"
        "    names = set(dir(module)) - set(module.__all__)\n"
        "    assert all(n.startswith('__') and n.endswith('__') for n in names), names\n"
        "    assert '__doc__' in names and '__file__' in names"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_dtype_bool_is_not_the_builtin():
    assert str(dlferry.bool) == "bool"
    assert dlferry.bool is not builtins.bool


@pytest.mark.parametrize("name", ["from_numpy", "float128", "devicetype", "__wrapped__", "array"])
def test_unknown_name_is_an_attribute_error(name):
    with pytest.raises(AttributeError, match=f"module 'dlferry' has no attribute '{name}'"):
        getattr(dlferry, name)


def test_version_is_a_release_number():
    assert [part.isdigit() for part in dlferry.__version__.split(".")[:2]] == [True, True]


@pytest.mark.parametrize("kind", ["Tensor", "dtype", "Device", "CopyRequiredError"])
def test_class_says_where_it_is_from(kind):
    assert getattr(dlferry, kind).__name__ == kind
    assert getattr(dlferry, kind).__doc__


def test_copy_required_is_both_errors_that_the_standard_names():
    """R9.1."""
    assert dlferry.CopyRequiredError.__mro__[1:3] == (BufferError, ValueError)
    copied = dt.Producer(dt.Crafted(bytes(8), shape=[2], flags=2))
    with pytest.raises(BufferError, match="copy=False") as caught:
        dlferry.from_dlpack(copied, copy=False)
    assert type(caught.value) is dlferry.CopyRequiredError
    assert isinstance(caught.value, ValueError)


# A call, and exactly the exception that it raises.
CALLS = [
    (lambda: dlferry.from_dlpack(), TypeError),
    (lambda: dlferry.from_dlpack(3), TypeError),
    (lambda: dlferry.from_dlpack(None), TypeError),
    (lambda: dlferry.from_dlpack([1.0]), TypeError),
    (lambda: dlferry.from_dlpack(x=np.zeros(1)), TypeError),
    (lambda: dlferry.from_dlpack(np.zeros(1), None), TypeError),
    (lambda: dlferry.from_dlpack(np.zeros(1), copy="no"), TypeError),
    (lambda: dlferry.from_dlpack(np.zeros(1), writable=1), TypeError),
    (lambda: dlferry.from_dlpack(np.zeros(1), device=1), TypeError),
    (lambda: dlferry.from_dlpack(np.zeros(1), device="gpu"), ValueError),
    (lambda: dlferry.from_dlpack(np.zeros(1), like=None), TypeError),
]


@pytest.mark.parametrize(("call", "kind"), CALLS)
def test_wrong_call_raises_the_exact_exception(call, kind):
    with pytest.raises(kind) as caught:
        call()
    assert type(caught.value) is kind


@pytest.mark.parametrize("wrong", [b"abc", bytearray(3), memoryview(b"abc")])
def test_object_with_a_buffer_is_sent_to_from_buffer(wrong):
    with pytest.raises(TypeError, match="from_buffer"):
        dlferry.from_dlpack(wrong)


# What is no array, and what is said of it by whatever function.
NO_ARRAYS = [
    ([1.0], "make an array of it first"),
    ((1, 2), "make an array of it first"),
    (range(3), "make an array of it first"),
    (iter([]), "make an array of it first"),
    ({1}, "make an array of it first"),
    (3, "it is a number"),
    (1.5, "it is a number"),
    (2j, "it is a number"),
    (True, "it is a number"),
    ("text", r"text\.encode\(\)"),
    (None, "something is missing"),
    (np.ndarray, "it is a class"),
    (int, "it is a class"),
    ({}, "nothing here takes it"),
    (object(), "nothing here takes it"),
    (np.zeros, "nothing here takes it"),
]
FUNCTIONS = [dlferry.from_dlpack, dlferry.from_buffer, dlferry.asarray]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
@pytest.mark.parametrize(("wrong", "remedy"), NO_ARRAYS, ids=lambda value: str(value)[:20])
def test_what_is_no_array_is_not_sent_from_one_function_to_another(function, wrong, remedy):
    if wrong is np.ndarray and function is dlferry.from_dlpack:
        return  # its method raises an error of its own
    with pytest.raises(TypeError, match=remedy) as caught:
        function(wrong)
    assert type(caught.value) is TypeError
    assert "dlferry." not in str(caught.value)


class Interface:
    __array_interface__ = np.arange(3).__array_interface__


class Array:
    def __array__(self, dtype=None, copy=None):
        return np.arange(3)


class Broken:
    """Has no attribute that can be looked at."""

    def __getattribute__(self, name):
        raise RuntimeError(name)


def test_object_that_raises_is_refused_as_any():
    with pytest.raises(TypeError, match=r"Broken has no buffer protocol; .*nothing here takes it"):
        dlferry.from_buffer(Broken())


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
@pytest.mark.parametrize("thing", [b"abc", dt.Producer(dt.Crafted(bytes(8), shape=[2])), Interface(), Array(),
                                   dlferry.from_buffer(b"abc"), dt.BufferExporter(bytes(4))],
                         ids=lambda thing: type(thing).__name__)  # fmt: skip
def test_function_that_is_advised_takes_the_object(function, thing):
    try:
        function(thing)
    except TypeError as error:
        (advised,) = re.findall(r"use dlferry\.(\w+)", str(error))
        assert advised != function.__name__
        getattr(dlferry, advised)(thing)
