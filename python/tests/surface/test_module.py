"""What the package offers, by name, and its exceptions (decision 5.10, rule R9.1)."""

import builtins
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


@pytest.mark.parametrize("wrong", [3, None, [1.0], object(), np.zeros])
def test_object_without_any_protocol_is_sent_to_asarray(wrong):
    with pytest.raises(TypeError, match="asarray"):
        dlferry.from_dlpack(wrong)
