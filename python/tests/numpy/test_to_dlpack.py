"""`dlferry.numpy.to_dlpack`: a capsule of any array, also where its own `__dlpack__` refuses."""

import gc
import sys
import unittest.mock
import warnings
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from craft import CUDA, IS_COPIED, floats, on_device
from craft import READ_ONLY as FLAG
from ndarrays import AWKWARD, LAYOUTS, READ_ONLY, cube, frozen, other, others, values

VERSIONS = [(None, False), ((0, 8), False), ((1, 0), True), ((1, 3), True), ((1, 99), True), ((2, 0), True)]
to_dlpack = dlferry.numpy.to_dlpack


@pytest.mark.parametrize(("version", "versioned"), VERSIONS)
def test_version_chooses_the_struct(version, versioned):
    """R4.2, R4.3."""
    array = cube()
    capsule = to_dlpack(array, max_version=version)
    assert dt.capsule_name(capsule) == ("dltensor_versioned" if versioned else "dltensor")
    fields = dt.inspect(capsule)
    assert fields["data"] == array.ctypes.data
    assert (fields["shape"], fields["strides"], fields["byte_offset"]) == ([2, 3, 4], [12, 4, 1], 0)
    assert fields.get("flags") in (None, 0)


@pytest.mark.parametrize("version", [[1, 0], (1,), (1, 0, 0), ("1", 0), 1, "1.0", (1.0, 0)])
def test_version_of_another_form_is_a_type_error(version):
    """R4.13."""
    with pytest.raises(TypeError, match="max_version"):
        to_dlpack(cube(), max_version=version)


@pytest.mark.parametrize("version", [None, (1, 0)])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_writable_array_is_shared(layout, version):
    array = LAYOUTS[layout]()
    capsule = to_dlpack(array, max_version=version)
    fields = dt.inspect(capsule)
    assert fields["data"] == (array.ctypes.data if array.size else 0)
    tensor = dlferry.from_dlpack(capsule)
    assert tensor.tolist() == array.tolist()
    assert tensor.copied is (False if version else None)


@pytest.mark.parametrize("layout", READ_ONLY)
def test_read_only_array_is_shared_with_who_can_be_told(layout):
    """R6.4."""
    array = READ_ONLY[layout]()
    fields = dt.inspect(to_dlpack(array, max_version=(1, 0)))
    assert fields["flags"] == FLAG
    assert fields["data"] == (array.ctypes.data if array.size else 0)


@pytest.mark.parametrize("layout", READ_ONLY)
def test_read_only_array_is_copied_for_who_cannot_be_told(layout):
    """R6.3 has a remedy here."""
    array = READ_ONLY[layout]()
    capsule = to_dlpack(array)
    assert dt.capsule_name(capsule) == "dltensor"
    if array.size:
        assert dt.inspect(capsule)["data"] != array.ctypes.data
    tensor = dlferry.from_dlpack(capsule, writable=True)
    assert tensor.tolist() == array.tolist()
    with pytest.raises(dlferry.CopyRequiredError, match="read-only"):
        to_dlpack(array, copy=False)


@pytest.mark.parametrize("case", AWKWARD)
def test_what_only_a_copy_can_describe_is_copied_and_told(case):
    array = AWKWARD[case]()
    capsule = to_dlpack(array, max_version=(1, 0))
    assert dt.inspect(capsule)["flags"] == IS_COPIED
    tensor = dlferry.from_dlpack(capsule)
    assert (tensor.copied, tensor.readonly, tensor.tolist()) == (True, False, array.tolist())
    assert dlferry.from_dlpack(to_dlpack(array)).tolist() == array.tolist()
    for version in (None, (1, 0)):
        with pytest.raises(dlferry.CopyRequiredError):
            to_dlpack(array, max_version=version, copy=False)


@pytest.mark.parametrize("make", [cube, lambda: frozen(cube()), READ_ONLY["broadcast"]], ids="wrb")
def test_copy_is_private_and_says_so(make):
    """R5.14, R5.15: writable, also of read-only memory."""
    array = make()
    capsule = to_dlpack(array, max_version=(1, 0), copy=True)
    fields = dt.inspect(capsule)
    assert fields["flags"] == IS_COPIED
    assert fields["data"] != array.ctypes.data
    assert dlferry.from_dlpack(capsule).tolist() == array.tolist()
    assert dt.inspect(to_dlpack(array, copy=True))["data"] != array.ctypes.data


def test_memory_is_not_copied_where_that_is_forbidden():
    array = frozen(cube())
    fields = dt.inspect(to_dlpack(array, max_version=(1, 0), copy=False))
    assert (fields["data"], fields["flags"]) == (array.ctypes.data, FLAG)


@pytest.mark.parametrize("copy", [1, "yes", 0])
def test_copy_is_none_or_a_bool(copy):
    with pytest.raises(TypeError):
        to_dlpack(cube(), copy=copy)


class Own(np.ndarray):
    """An array whose own method is this function."""

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        return to_dlpack(self, max_version=max_version, copy=copy)

    def __dlpack_device__(self):
        return (1, 0)


def test_method_of_a_class_may_call_it():
    """So it is read as it is, and its method is not called."""
    array = cube().view(Own)
    tensor = dlferry.from_dlpack(array)
    assert (tensor.tolist(), tensor.data_ptr) == (array.tolist(), array.ctypes.data)
    assert tensor.source == "dlpack"
    assert tensor.owner is array
    if hasattr(np, "from_dlpack"):
        assert np.shares_memory(np.from_dlpack(array), array)


@pytest.mark.parametrize("case", AWKWARD)
def test_class_with_such_a_method_exports_what_numpy_refuses(case):
    array = AWKWARD[case]().view(Own)
    assert dlferry.from_dlpack(array).tolist() == array.tolist()
    if hasattr(np, "from_dlpack"):
        assert np.from_dlpack(array).tolist() == array.tolist()


@pytest.mark.parametrize("name", others())
def test_class_with_such_a_method_exports_types_of_others(name):
    array = other(name).view(Own)
    capsule = to_dlpack(array, max_version=(1, 0))
    assert dt.inspect(capsule)["data"] == array.ctypes.data
    assert dlferry.from_dlpack(array).tolist() == values(np.asarray(array))


@pytest.mark.parametrize("kind", [np.matrix, np.recarray, np.ma.MaskedArray])
def test_class_of_numpys_own_is_read_as_it_is(kind):
    array = np.arange(4.0).reshape(2, 2).view(kind)
    assert dt.inspect(to_dlpack(array, max_version=(1, 0)))["data"] == array.ctypes.data


def test_memory_map_is_shared(tmp_path):
    path = tmp_path / "numbers"
    np.arange(4, dtype=np.int16).tofile(path)
    array = np.memmap(path, np.int16, mode="r+")
    tensor = dlferry.from_dlpack(to_dlpack(array, max_version=(1, 0)))
    array[0] = 9
    assert tensor.tolist() == [9, 1, 2, 3]


@pytest.mark.parametrize("copy", [None, True, False])
def test_masked_elements_are_refused_with_the_remedy(copy):
    """Decision 5.9."""
    array = np.ma.masked_array([1, 2, 3], mask=[False, True, False])
    with pytest.raises(BufferError, match=r"masked.*filled\(value\)"):
        to_dlpack(array, copy=copy)
    assert dlferry.from_dlpack(to_dlpack(array.filled(0))).tolist() == [1, 0, 3]


def test_masked_elements_of_another_byte_order_are_refused_too():
    array = np.ma.masked_array(AWKWARD["swapped"](), mask=[0, 1, 0, 0, 0])
    with pytest.raises(BufferError, match="masked"):
        to_dlpack(array)


class Reshaping(np.ndarray):
    """An array that takes another shape when it is looked at."""

    @property
    def mask(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            self.shape = (1,) * 10 + (3, 4, 2)
        self.ballast = [np.zeros((1,) * ndim) for ndim in range(1, 20) for _ in range(50)]
        return np.False_


def test_array_is_read_after_its_own_code_has_run():
    """The numbers of its shape lie elsewhere by then."""
    array = np.arange(24.0).reshape(2, 3, 4).view(Reshaping)
    tensor = dlferry.from_dlpack(to_dlpack(array, max_version=(1, 0)))
    assert tensor.shape == (1,) * 10 + (3, 4, 2)
    swapped = AWKWARD["swapped"]()[:4].repeat(6).reshape(4, 6).view(Reshaping)
    assert dlferry.from_dlpack(to_dlpack(swapped)).shape == (1,) * 10 + (3, 4, 2)


@pytest.mark.parametrize("thing", [[1, 2], (1, 2), 3, "text", None, {}, object()])
def test_what_is_no_array_is_a_type_error(thing):
    with pytest.raises(TypeError, match="no array"):
        to_dlpack(thing)


def test_whatever_asarray_takes_is_taken():
    data = bytearray(b"abc")
    assert dlferry.from_dlpack(to_dlpack(data)).tolist() == [97, 98, 99]
    crafted = floats()
    tensor = dlferry.from_dlpack(dt.Producer(crafted))
    assert dt.inspect(to_dlpack(tensor, max_version=(1, 0)))["data"] == crafted.address
    assert (
        dt.inspect(to_dlpack(dt.Producer(floats(flags=IS_COPIED)), max_version=(1, 0)))["flags"] == IS_COPIED
    )
    assert dt.inspect(to_dlpack(tensor, max_version=(1, 0), copy=True))["flags"] == IS_COPIED
    assert dt.inspect(to_dlpack(tensor, max_version=(1, 0)))["flags"] == 0


def test_memory_of_a_device_is_passed_on():
    """5.12: and not followed."""
    tensor = dlferry.from_dlpack(dt.Producer(on_device(CUDA, 1)))
    assert dt.inspect(to_dlpack(tensor, max_version=(1, 0)))["device"] == (CUDA, 1)


def test_array_is_held_until_the_capsule_is_gone():
    array = cube()
    before = sys.getrefcount(array)
    capsule = to_dlpack(array)
    gc.collect()
    assert sys.getrefcount(array) == before + 1
    del capsule
    assert sys.getrefcount(array) == before
    tensor = dlferry.from_dlpack(to_dlpack(array, max_version=(1, 0)))
    assert sys.getrefcount(array) == before + 1
    del tensor
    assert sys.getrefcount(array) == before


def test_capsule_of_a_copy_holds_nothing():
    array = AWKWARD["swapped"]()
    before = sys.getrefcount(array)
    capsule = to_dlpack(array)
    assert sys.getrefcount(array) == before
    del capsule


def test_many_threads_export_one_array():
    array = cube()
    before = sys.getrefcount(array)
    start = Barrier(8)

    def export(_):
        start.wait()
        for turn in range(300):
            tensor = dlferry.from_dlpack(to_dlpack(array, max_version=(1, 0) if turn % 2 else None))
            assert tensor.data_ptr == array.ctypes.data
            assert dlferry.from_dlpack(array).shape == (2, 3, 4)
            assert dlferry.numpy.from_dlpack(array).shape == (2, 3, 4)
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(export, range(8)))
    assert sys.getrefcount(array) == before


@pytest.mark.parametrize("kind", [lambda: unittest.mock.Mock(spec=np.ndarray), lambda: Pretender()])
def test_object_that_says_it_is_an_array_is_none(kind):
    """`__class__` is an attribute like any other."""
    with pytest.raises((TypeError, BufferError)):
        dlferry.numpy.to_dlpack(kind())


class Pretender:
    """Has the class of an array, and nothing else of one."""

    @property
    def __class__(self):
        return np.ndarray
