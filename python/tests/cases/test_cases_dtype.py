"""Public failures of dtypes: lost, confused, or taken for another."""

import contextlib
import struct

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from craft import PADDED, exported, floats, taken


def test_b104_bool_is_exported_as_bool():
    """R1.4; pytorch/pytorch#67081: code 6, 8 bits; never as unsigned bytes."""
    for source in (
        dlferry.from_dlpack(np.array([False, True])),
        dlferry.from_buffer(memoryview(b"\0\1").cast("?")),
    ):
        for keywords in ({}, {"copy": True}):
            assert exported(source, **keywords)["dtype"] == (6, 8, 1)


def test_b105_bool_is_imported():
    """R1.4; jax-ml/jax#19352: of every producer."""
    crafted = dt.Crafted(b"\1", shape=[1], strides=[1], code=6, bits=8)
    for style in ("new", "always_unversioned", "no_keywords"):
        tensor = taken(crafted, style)
        assert (tensor.dtype, tensor.tolist()) == (dlferry.bool, [True])
    assert dlferry.from_dlpack(dt.exchange_type(crafted)()).tolist() == [True]


def test_b107_bool_goes_round():
    """R1.4; triton-inference-server/server#5820: ours to ours, and ours to NumPy to ours."""
    first = dlferry.from_buffer(memoryview(bytearray(b"\1\0\1")).cast("?"))
    second = dlferry.from_dlpack(np.from_dlpack(dlferry.from_dlpack(first)))
    assert (second.dtype, second.tolist()) == (dlferry.bool, [True, False, True])


def test_b108_bool_and_bytes_stay_apart():
    """R1.4; microsoft/onnxruntime#7069: by every way out and in."""
    sources = {
        dlferry.uint8: np.array([0, 1, 255], np.uint8),
        dlferry.bool: np.array([True, False, True]),
    }
    ways = [
        dlferry.from_dlpack,
        lambda tensor: dlferry.from_dlpack(tensor.__dlpack__()),
        lambda tensor: dlferry.from_buffer(tensor),
        lambda tensor: dlferry.asarray(
            type("Old", (), {"__array_interface__": tensor.__array_interface__})()
        ),
        lambda tensor: dlferry.asarray(tensor.numpy(), copy=True),
    ]
    for dtype, source in sources.items():
        for way in ways:
            tensor = way(dlferry.from_dlpack(source))
            assert (tensor.dtype, tensor.tolist()) == (dtype, source.tolist())


def test_b112_bfloat16_is_exported_under_its_code():
    """R1.4, N11; cupy/cupy#9480: code 4 and 16 bits, by every way out, and taken from every way in."""
    ml_dtypes = pytest.importorskip("ml_dtypes")
    array = np.array([1.0, -2.5], ml_dtypes.bfloat16)
    capsules = [
        dlferry.from_dlpack(array).__dlpack__(max_version=(1, 3)),
        dlferry.from_dlpack(array).__dlpack__(),
        dlferry.asarray(array, copy=True).__dlpack__(max_version=(1, 3)),
        dlferry.numpy.to_dlpack(array, max_version=(1, 3)),
    ]
    for capsule in capsules:
        assert dt.inspect(capsule)["dtype"] == (4, 16, 1)
        tensor = dlferry.from_dlpack(capsule)
        assert (tensor.dtype, tensor.tolist()) == (dlferry.bfloat16, [1.0, -2.5])
    with table_of_arrays():
        held = dt.exchange_from(array)
        assert held.inspect()["dtype"] == (4, 16, 1)
        held.delete()


@contextlib.contextmanager
def table_of_arrays():
    """Give NumPy's arrays an exchange table for a while."""
    dlferry.numpy.enable_exchange_api()
    try:
        yield
    finally:
        dlferry.numpy.disable_exchange_api()


@pytest.mark.parametrize(("name", "code"), [("bfloat16", 4), ("float8_e4m3fn", 10), ("float8_e5m2", 12)])
def test_b113_dtypes_of_others_are_known_by_their_object(name, code):
    """N11; jax-ml/ml_dtypes#80: their buffers are refused and their type strings say nothing; never as void."""
    ml_dtypes = pytest.importorskip("ml_dtypes")
    array = np.array([1.0, -2.0, 0.5], getattr(ml_dtypes, name))
    assert array.__array_interface__["typestr"].lstrip("<|=")[0] in "Vf"
    with pytest.raises((TypeError, ValueError)):
        memoryview(array).tolist()
    for take in (dlferry.from_dlpack, dlferry.asarray, dlferry.numpy.from_dlpack):
        tensor = dlferry.from_dlpack(take(array))
        assert (tensor.dtype.code, tensor.dtype.name, tensor.tolist()) == (code, name, [1.0, -2.0, 0.5])
        assert tensor.data_ptr == array.ctypes.data
    with pytest.raises((BufferError, TypeError, ValueError)):
        dlferry.from_buffer(array)
    nameless = type("Interface", (), {"__array_interface__": array.__array_interface__})()
    with pytest.raises((BufferError, TypeError, ValueError)):
        dlferry.asarray(nameless)


@pytest.mark.parametrize(
    ("code", "bits", "lanes", "flags", "count", "nbytes"),
    [
        (0, 4, 1, 0, 5, 3),
        (1, 4, 1, 0, 4, 2),
        (1, 4, 1, PADDED, 5, 5),
        (0, 2, 1, 0, 5, 2),
        (17, 4, 1, 0, 3, 2),
        (17, 4, 2, 0, 3, 3),
        (0, 4, 2, 0, 3, 3),
    ],
)
def test_b117_size_of_packed_elements_is_rounded_up(code, bits, lanes, flags, count, nbytes):
    """R3.17, R9.17, R9.18; dmlc/dlpack#158."""
    memory = dt.Crafted(bytes(8), shape=[count], strides=[1], code=code, bits=bits, lanes=lanes, flags=flags)
    assert taken(memory).nbytes == nbytes
    for odd in ({"code": 15, "bits": 4}, {"code": 17, "bits": 8}, {"code": 6, "bits": 1}):
        with pytest.raises(BufferError):
            taken(floats(**odd))


def test_b118_pairs_of_floats_are_no_complex_numbers():
    """R1.4, R3.19, R9.21; pytorch/pytorch#55365: they pass through as what they say they are."""
    data = struct.pack("=4f", 1, 2, 3, 4)
    pairs = taken(dt.Crafted(data, shape=[2], strides=[1], code=2, bits=32, lanes=2))
    numbers = taken(dt.Crafted(data, shape=[2], strides=[1], code=5, bits=64))
    assert numbers.tolist() == [1 + 2j, 3 + 4j]
    assert pairs.dtype != numbers.dtype
    assert exported(pairs)["dtype"] == (2, 32, 2)
    for read in (pairs.tolist, pairs.numpy, lambda: memoryview(pairs)):
        with pytest.raises(BufferError):
            read()


def test_b122_dtype_without_any_description_is_refused_by_name():
    """5.10; numpy/numpy#23500: strings of any length."""
    strings = getattr(np.dtypes, "StringDType", None)
    if strings is None:
        pytest.skip("SKIPPED: this NumPy has no StringDType")
    array = np.array(["a", "bc"], strings())
    with pytest.raises(BufferError):
        dlferry.from_dlpack(array)
    for take in (dlferry.from_buffer, dlferry.asarray):
        with pytest.raises((BufferError, ValueError), match="StringDType"):
            take(array)


def test_b128_dates_are_refused_and_not_taken_for_numbers():
    """5.10; zarr-developers/numcodecs#39: the unit would be lost; whoever wants the numbers says so."""
    dates = np.array(["2020-01-01", "2021-01-01"], "M8[ns]")
    for take in (dlferry.from_dlpack, dlferry.from_buffer, dlferry.asarray):
        with pytest.raises((BufferError, TypeError, ValueError)):
            take(dates)
    with pytest.raises(BufferError, match=r"view\(\"int64\"\)"):
        dlferry.asarray(dates)
    numbers = dlferry.asarray(dates.view("int64"))
    assert (numbers.dtype, numbers.data_ptr) == (dlferry.int64, dates.ctypes.data)
