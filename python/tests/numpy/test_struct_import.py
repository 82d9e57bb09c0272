"""NumPy's arrays, read by their own structure: what they are, and whose they are."""

import gc
import subprocess
import sys
import types
import warnings

import dlferry
import numpy as np
import pytest
from ndarrays import HAS_DLPACK, LAYOUTS, LETTERS, MAX_AXES, READ_ONLY, cube, extremes, frozen, name_of

needs_dlpack = pytest.mark.skipif(
    not HAS_DLPACK, reason="this NumPy has no DLPack that a class could override"
)


@pytest.mark.parametrize("letter", LETTERS)
def test_number_of_any_type_and_alias_is_what_it_is(letter):
    """`long` and `long long` have numbers of their own, and are one type in DLPack."""
    array = extremes(letter)
    tensor = dlferry.from_dlpack(array)
    assert tensor.source == "numpy"
    assert str(tensor.dtype) == name_of(array.dtype)
    assert repr(tensor.tolist()) == repr(array.tolist())


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layout_is_taken_as_it_is(layout):
    array = LAYOUTS[layout]()
    tensor = dlferry.from_dlpack(array)
    assert (tensor.source, tensor.shape, tensor.ndim) == ("numpy", array.shape, array.ndim)
    assert (tensor.size, tensor.itemsize, tensor.nbytes) == (array.size, array.itemsize, array.nbytes)
    assert tensor.tolist() == array.tolist()
    assert (tensor.readonly, tensor.copied, tensor.device) == (False, False, (1, 0))
    assert tensor.owner is array
    if array.size:
        assert tensor.data_ptr == array.ctypes.data
        for extent, ours, theirs in zip(tensor.shape, tensor.strides, array.strides, strict=True):
            assert extent == 1 or ours * array.itemsize == theirs


@pytest.mark.parametrize("layout", LAYOUTS)
def test_memory_is_shared_both_ways(layout):
    array = LAYOUTS[layout]()
    if not array.size:
        pytest.skip("there is nothing to write")
    tensor = dlferry.from_dlpack(array)
    array[...] = 3
    assert tensor.tolist() == array.tolist()
    dlferry.copyto(tensor, np.full_like(array, 5))
    assert (array == 5).all()


@pytest.mark.parametrize("layout", READ_ONLY)
def test_array_that_must_not_be_written_is_read_only(layout):
    """Decision 5.1; a warning of NumPy's counts as a refusal."""
    array = READ_ONLY[layout]()
    tensor = dlferry.from_dlpack(array)
    assert (tensor.source, tensor.readonly, tensor.copied) == ("numpy", True, False)
    assert tensor.tolist() == array.tolist()
    with pytest.raises(BufferError, match=r"copy=True"):
        dlferry.from_dlpack(array, writable=True)
    copy = dlferry.from_dlpack(array, copy=True)
    assert (copy.readonly, copy.copied, copy.owner) == (False, True, None)


def test_array_can_be_taken_read_only():
    tensor = dlferry.from_dlpack(cube(), writable=False)
    assert tensor.readonly


def test_device_is_the_host():
    array = cube()
    assert dlferry.from_dlpack(array, device="cpu").data_ptr == array.ctypes.data
    with pytest.raises(BufferError, match="cuda:0"):
        dlferry.from_dlpack(array, device=(2, 0))


def test_most_axes_that_there_can_be():
    """More than tensors hold in place, and each of them other."""
    shape = (2, 3) + (1,) * (MAX_AXES - 4) + (2, 2)
    array = np.arange(24).reshape(shape)[::-1]
    tensor = dlferry.from_dlpack(array)
    assert tensor.shape == shape
    assert tensor.tolist() == array.tolist()


@pytest.mark.parametrize("stride", [0, 1, 5, 8, -8, 800, 2**62, -(2**62)])
@pytest.mark.parametrize("shape", [(1, 3), (0, 3), (1, 1), (0, 1)])
def test_stride_without_a_second_element_means_nothing(shape, stride):
    """R3.8, R3.9: not even when it is no whole number of elements."""
    array = np.lib.stride_tricks.as_strided(np.arange(3.0), shape, (stride, 8))
    tensor = dlferry.from_dlpack(array)
    assert tensor.tolist() == array.tolist()
    assert tensor.c_contiguous
    assert not tensor.readonly


def test_each_tensor_holds_the_array_once():
    array = cube()
    before = sys.getrefcount(array)
    tensors = [dlferry.from_dlpack(array) for _ in range(10)]
    assert sys.getrefcount(array) == before + 10
    views = [tensor[1:].T for tensor in tensors]
    assert sys.getrefcount(array) == before + 10
    assert all(view.owner is array for view in views)
    del tensors
    # Who is shown the array could resize it otherwise, see below.
    assert sys.getrefcount(array) == before + 20
    del views
    assert sys.getrefcount(array) == before


@pytest.mark.parametrize(
    "held",
    [
        lambda: dlferry.from_dlpack(np.ones(1 << 12)),
        lambda: dlferry.asarray(np.ones(1 << 12)),
        lambda: dlferry.from_dlpack(np.ones(1 << 12))[1:],
        lambda: dlferry.numpy.from_dlpack(np.ones(1 << 12)).base,
    ],
    ids=["from_dlpack", "asarray", "view", "dlferry.numpy"],
)
def test_array_that_nobody_else_holds_is_not_resized(held):
    """P3: NumPy resizes what has two references, for those are the variable's and the call's."""
    tensor = held()
    with pytest.raises(ValueError, match="resize"):
        tensor.owner.resize(8)
    assert tensor.tolist() == [1.0] * tensor.size


class Restless(types.ModuleType):
    """An `ml_dtypes` that does something to an array when it is asked for a type."""

    def __init__(self, module, action):
        super().__init__(module.__name__)
        self.__dict__.update(module=module, action=action)

    def __getattr__(self, name):
        self.action()
        return getattr(self.module, name)


@pytest.mark.parametrize(
    ("action", "wanted"),
    [
        (lambda array: setattr(array, "shape", (1,) * 30 + (6,)), (1,) * 30 + (6,)),
        (lambda array: setattr(array, "dtype", "u1"), None),
    ],
    ids=["shape", "dtype"],
)
def test_array_that_changes_while_its_dtype_is_looked_up(monkeypatch, action, wanted):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    array = np.arange(6).astype(ml_dtypes.bfloat16)
    asked = []
    monkeypatch.setitem(sys.modules, "ml_dtypes", Restless(ml_dtypes, lambda: asked.append(action(array))))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            shape = dlferry.from_dlpack(array).shape
        except BufferError:
            shape = None
    if not asked:
        pytest.skip("NumPy knows the dtype by itself")
    assert shape == wanted


def test_dtype_and_base_are_not_held():
    base = cube()
    array = base[1:]
    kinds = [array.dtype, base, np.ndarray]
    before = [sys.getrefcount(kind) for kind in kinds]
    tensors = [dlferry.from_dlpack(array) for _ in range(10)]
    assert [sys.getrefcount(kind) for kind in kinds] == before
    assert len(tensors) == 10


def test_memory_outlives_the_name_of_the_array():
    tensor = dlferry.from_dlpack(np.arange(10_000))
    gc.collect()
    ballast = [np.full(10_000, 7) for _ in range(20)]
    assert tensor.tolist() == list(range(10_000))
    assert len(ballast) == 20


def test_shape_of_the_tensor_stays_when_the_array_is_given_another():
    """It was copied: what the array said of itself may be freed."""
    array = np.arange(12)
    tensor = dlferry.from_dlpack(array)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        array.shape = (3, 4)
    assert (tensor.shape, tensor.tolist()) == ((12,), list(range(12)))
    assert dlferry.from_dlpack(array).shape == (3, 4)


def test_resize_is_refused_by_numpy_while_a_tensor_holds_the_array():
    """Assumption P3 is NumPy's own, unless its reference check is switched off."""
    array = np.arange(6.0)
    tensor = dlferry.from_dlpack(array)
    with pytest.raises(ValueError, match="resize"):
        array.resize((1000,))
    values = tensor.tolist()
    del tensor
    array.resize((1000,))
    assert values == array[:6].tolist()
    assert dlferry.from_dlpack(array).size == 1000


def test_right_to_write_is_that_of_the_moment():
    array = cube()
    writable = dlferry.from_dlpack(array)
    frozen(array)
    assert not writable.readonly
    assert dlferry.from_dlpack(array).readonly


class Asked(np.ndarray):
    """An array that notes how it is asked."""

    def __dlpack__(self, **keywords):
        self.calls = [*getattr(self, "calls", []), keywords]
        return self.view(np.ndarray).__dlpack__(**keywords)


class Raising(np.ndarray):
    def __dlpack__(self, **_):
        raise LookupError("not today")


@needs_dlpack
def test_subclass_is_asked_once_by_its_own_method():
    """It may have a meaning of its own."""
    array = np.arange(3.0).view(Asked)
    tensor = dlferry.from_dlpack(array)
    assert tensor.tolist() == [0.0, 1.0, 2.0]
    assert tensor.source.startswith("dlpack")
    assert tensor.owner is array
    assert array.calls in (
        [{"stream": None, "max_version": (1, 3)}],
        # NumPy before 2.1 takes no version, and refuses in the words of a wrapper.
        [{"stream": None, "max_version": (1, 3)}, {}],
        [{"stream": None, "max_version": (1, 3)}, {"stream": None}],
    )


@needs_dlpack
@pytest.mark.parametrize(
    "call",
    [dlferry.from_dlpack, dlferry.numpy.from_dlpack, lambda array: dlferry.from_dlpack(array, copy=True)],
)
def test_error_of_a_subclass_passes_unchanged(call):
    with pytest.raises(LookupError, match="not today"):
        call(np.arange(3.0).view(Raising))


class Inheriting(np.ndarray):
    """Says nothing of DLPack."""


@pytest.mark.parametrize("kind", [np.matrix, np.recarray, np.memmap, Inheriting])
@pytest.mark.parametrize("read_only", [False, True])
def test_subclass_without_a_method_of_its_own_is_read_by_its_structure(kind, read_only):
    """Whatever its NumPy knows of DLPack; it is held once, as a plain array is."""
    array = np.arange(6).reshape(2, 3)[:, ::-1].view(kind)
    array.setflags(write=not read_only)
    before = sys.getrefcount(array)
    tensor = dlferry.from_dlpack(array)
    assert sys.getrefcount(array) == before + 1
    assert (tensor.tolist(), tensor.strides) == (array.tolist(), (3, -1))
    assert (tensor.source, tensor.readonly, tensor.copied) == ("numpy", read_only, False)
    assert tensor.owner is array
    assert dlferry.asarray(array).source == "numpy"
    result = dlferry.numpy.from_dlpack(array)
    assert type(result) is np.ndarray
    assert np.shares_memory(result, array)


@needs_dlpack
def test_method_of_the_object_alone_is_asked():
    array = np.arange(3.0).view(Inheriting)
    array.__dlpack__ = np.zeros(2).__dlpack__
    tensor = dlferry.from_dlpack(array)
    assert (tensor.tolist(), tensor.source.startswith("dlpack")) == ([0.0, 0.0], True)


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "int4", "float32"])
def test_map_of_a_file_holds_any_dtype(name, tmp_path):
    """A map is of a derived class, whose method NumPy lets refuse these."""
    ml_dtypes = pytest.importorskip("ml_dtypes")
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    np.array([0, 1, 2, 3], dtype).tofile(tmp_path / "numbers")
    array = np.memmap(tmp_path / "numbers", dtype, mode="r+")
    for call in (dlferry.from_dlpack, dlferry.asarray):
        tensor = call(array)
        assert (tensor.dtype.name, tensor.readonly, tensor.copied) == (name, False, False)
        assert tensor.data_ptr == array.ctypes.data
        assert tensor.tolist() == [0, 1, 2, 3]
    result = dlferry.numpy.from_dlpack(array)
    assert result.dtype == dtype
    assert np.shares_memory(result, array)
    del array, tensor, result
    readonly = dlferry.from_dlpack(np.memmap(tmp_path / "numbers", dtype, mode="r"))
    assert readonly.readonly


def test_map_in_the_other_byte_order_is_told_what_to_do(tmp_path):
    dtype = np.dtype("i4").newbyteorder()
    np.arange(3, dtype=dtype).tofile(tmp_path / "numbers")
    array = np.memmap(tmp_path / "numbers", dtype, mode="r")
    for call in (dlferry.from_dlpack, dlferry.numpy.from_dlpack):
        with pytest.raises(BufferError, match=r"other byte order.*dlferry\.asarray copies"):
            call(array)
    for tensor in (dlferry.asarray(array), dlferry.from_dlpack(array, copy=True)):
        assert (tensor.tolist(), tensor.copied, tensor.readonly) == ([0, 1, 2], True, False)
    target = np.zeros(3, "i4")
    dlferry.copyto(target, array)
    assert target.tolist() == [0, 1, 2]


def test_numpy_is_not_imported_to_say_that_an_object_is_none_of_its_arrays():
    script = (
        "import ctypes, dlferry, sys\n"
        "for thing in ((ctypes.c_int * 2)(), bytearray(2)):\n"
        "    try: dlferry.from_dlpack(thing)\n"
        "    except TypeError: pass\n"
        "    dlferry.asarray(thing)\n"
        "assert 'numpy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_map_is_known_before_any_plain_array():
    script = (
        "import numpy, dlferry\n"
        "array = numpy.zeros(3).view(numpy.matrix)\n"
        "assert dlferry.from_dlpack(array).source == 'numpy'"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_scalars_of_numpy_are_no_arrays():
    """They have a structure of their own, which is not read."""
    for scalar in (np.float32(1.5), np.int64(3), np.bool_(True), np.str_("x")):
        try:
            tensor = dlferry.from_dlpack(scalar)
        except (TypeError, BufferError):
            continue
        assert tensor.source != "numpy"


def test_type_itself_is_no_array():
    with pytest.raises((TypeError, BufferError)):
        dlferry.from_dlpack(np.ndarray)


def test_asarray_goes_the_same_way():
    array = cube()[::-1]
    tensor = dlferry.asarray(array)
    assert (tensor.source, tensor.owner is array, tensor.copied) == ("numpy", True, False)
    assert dlferry.asarray(frozen(cube())).readonly
