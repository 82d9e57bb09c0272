"""What holds of the exchange table of `numpy.ndarray`: run as ``python ndarray_table.py NAME``, each by itself.

The table is one for the process, and some consumers keep it for ever.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import dlferry
import dlferry_testing as dt
import ndarrays
import numpy as np

NAME = "__dlpack_c_exchange_api__"
READ_ONLY, PADDED = 1, 4
enable = dlferry.numpy.enable_exchange_api
disable = dlferry.numpy.disable_exchange_api
is_enabled = dlferry.numpy.exchange_api_enabled

CASES: dict[str, Callable[[], None]] = {}


def case(function: Callable[[], None]) -> Callable[[], None]:
    """Add a function to what can be run by name."""
    CASES[function.__name__] = function
    return function


@contextmanager
def raising(kind: type[BaseException], *words: str) -> Iterator[None]:
    """Expect an exception with words in its text."""
    try:
        yield
    except kind as error:
        if not all(word in str(error) for word in words):
            raise AssertionError(f"not {words}: {error}") from error
    else:
        raise AssertionError(f"no {kind.__name__} was raised")


def type_dict() -> dict[str, Any]:
    """Get at the dictionary of NumPy's type itself, as C code can."""
    return next(found for found in gc.get_referents(np.ndarray.__dict__) if type(found) is dict)


def changed() -> None:
    """Tell the interpreter that the type was changed."""
    ctypes.pythonapi.PyType_Modified.argtypes = [ctypes.py_object]
    ctypes.pythonapi.PyType_Modified(np.ndarray)


@case
def off_until_it_is_turned_on() -> None:
    assert not hasattr(np.ndarray, NAME)
    assert not is_enabled()
    disable()
    dlferry.from_dlpack(np.zeros(1))
    assert not hasattr(np.ndarray, NAME)


@case
def turned_on_and_off_any_number_of_times() -> None:
    for _ in range(3):
        enable()
        capsule = np.ndarray.__dict__[NAME]
        enable()
        assert np.ndarray.__dict__[NAME] is capsule
        assert dt.capsule_name(capsule) == "dlpack_exchange_api"
        assert is_enabled()
        disable()
        disable()
        assert not hasattr(np.ndarray, NAME)
        assert not hasattr(np.zeros(1), NAME)
        assert not is_enabled()


@case
def table_is_complete() -> None:
    """E3, E4."""
    enable()
    table = dt.exchange_table(np.ndarray)
    assert (table["version"], table["prev_null"]) == ((1, 3), True)
    assert not any(table["members_null"].values())


@case
def managed_tensor_is_the_arrays_memory() -> None:
    enable()
    for make in [*ndarrays.LAYOUTS.values(), *ndarrays.READ_ONLY.values()]:
        array = make()
        before = sys.getrefcount(array)
        held = dt.exchange_from(array)
        assert sys.getrefcount(array) == before + 1
        fields = held.inspect()
        assert fields["data"] == (array.ctypes.data if array.size else 0)
        assert fields["shape"] == list(array.shape)
        assert fields["flags"] == dlferry.from_dlpack(array).readonly * READ_ONLY
        held.delete()
        assert sys.getrefcount(array) == before


@case
def dtypes_of_others_are_told() -> None:
    enable()
    for name in ndarrays.others():
        kind = dlferry.dtype(name)
        array = ndarrays.other(name)
        held = dt.exchange_from(array)
        fields = held.inspect()
        assert fields["dtype"] == (kind.code, kind.bits, 1)
        assert fields["flags"] == (kind.bits < 8) * PADDED
        held.delete()
        if kind.bits < 8:
            with raising(BufferError, "managed tensor"):
                dt.exchange_borrow(array)
        else:
            assert dt.exchange_borrow(array)["data"] == array.ctypes.data


@case
def what_cannot_be_described_is_refused() -> None:
    enable()
    for make in [*ndarrays.AWKWARD.values(), *(make for make, _ in ndarrays.TYPELESS.values())]:
        array = make()
        for call in (dt.exchange_from, dt.exchange_borrow):
            before = sys.getrefcount(array)
            with raising(BufferError):
                call(array)
            assert sys.getrefcount(array) == before


@case
def borrowed_tensor_is_the_arrays_memory() -> None:
    """5.1: it has no flags, so none is lent of what must not be written."""
    enable()
    for make in ndarrays.LAYOUTS.values():
        array = make()
        lent, tensor = dt.exchange_borrow(array), dlferry.from_dlpack(array)
        assert lent["data"] == (array.ctypes.data if array.size else 0)
        assert (tuple(lent["shape"]), tuple(lent["strides"])) == (tensor.shape, tensor.strides)
        assert (lent["device"], lent["ndim"], lent["byte_offset"]) == ((1, 0), array.ndim, 0)
        assert not lent["shape_null"]
        assert not lent["strides_null"]
    for name, make in ndarrays.READ_ONLY.items():
        with raising(BufferError, "managed tensor", "describe" if "overlap" in name else "read-only"):
            dt.exchange_borrow(make())


class Borrowed(ctypes.Structure):
    """``DLTensor``."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("dtype", ctypes.c_uint32),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


def borrow(array: Any) -> Borrowed:
    """Borrow as C does."""
    from tables import Table

    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    table = Table.from_address(get(getattr(type(array), NAME), b"dlpack_exchange_api"))
    call = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(Borrowed))(table.borrow)
    lent = Borrowed()
    assert call(array, ctypes.byref(lent)) == 0
    return lent


@case
def numbers_that_are_lent_stay_where_they_are() -> None:
    """Nobody is told when the borrower is done with them."""
    enable()
    array = np.zeros((4, 6), np.float32)[::2, ::3]
    first, second = borrow(array), borrow(array)
    assert ctypes.addressof(first.shape.contents) == ctypes.addressof(second.shape.contents)
    del array
    for extent in range(2000):
        borrow(np.zeros((1, extent, 3)))
    gc.collect()
    assert (first.shape[:2], first.strides[:2]) == ([2, 2], [12, 3])


@case
def numbers_that_are_lent_have_a_limit() -> None:
    enable()
    room = np.zeros(1 << 17, np.int8)
    lent = 0
    with raising(BufferError, "managed tensor"):
        for extent in range(1, 1 << 17):
            dt.exchange_borrow(room[:extent])
            lent += 1
    assert lent > 60_000
    # What was lent before is lent again, and the other way is open.
    assert dt.exchange_borrow(room[:1000])["shape"] == [1000]
    dt.exchange_from(room).delete()


@case
def object_is_made_as_an_array() -> None:
    enable()
    crafted = dt.Crafted(b"\1\0\2\0\3\0", shape=[3], strides=[1], code=0, bits=16, lanes=1, flags=READ_ONLY)
    made = dt.exchange_to(np.ndarray, crafted.capsule())
    assert (type(made), made.dtype, made.tolist()) == (np.ndarray, np.int16, [1, 2, 3])
    assert (made.ctypes.data, made.flags.writeable) == (crafted.address, False)
    assert len(crafted.deleter_calls) == 0
    del made
    assert len(crafted.deleter_calls) == 1


@case
def what_numpy_cannot_have_stays_the_callers() -> None:
    """R9.11: also what is refused late, once it was described."""
    enable()
    for fields in (
        {"shape": [1] * 65, "strides": [1] * 65},
        {"device": (2, 0), "address": 0xDEAD0000},
        {"ndim": -1},
        {"code": 200},
        {"version": (2, 0)},
    ):
        crafted = dt.Crafted(bytes(8), **{"shape": [2], "strides": [1], **fields})
        capsule = crafted.capsule()
        with raising(BufferError):
            dt.exchange_to(np.ndarray, capsule)
        gc.collect()
        assert len(crafted.deleter_calls) == 0, fields
        dt.rename_capsule(capsule, "dltensor_versioned")
        del capsule
        assert len(crafted.deleter_calls) == 1, fields


class Asked(np.ndarray):
    """An array that notes how it is asked."""

    calls = 0

    def __dlpack__(self, **keywords: Any) -> Any:
        type(self).calls += 1
        return self.view(np.ndarray).__dlpack__(**(keywords if ndarrays.HAS_VERSIONS else {}))


class Raising(np.ndarray):
    def __dlpack__(self, **_: Any) -> Any:
        raise LookupError("not today")


@case
def object_of_a_derived_class_is_asked_itself() -> None:
    """E5: it inherits the table, and may have an opinion of its own."""
    enable()
    array = np.arange(3.0).view(Asked)
    held = dt.exchange_from(array)
    assert (Asked.calls, held.inspect()["data"]) == (1, array.ctypes.data)
    held.delete()
    with raising(BufferError, "managed tensor"):
        dt.exchange_borrow(array)
    assert Asked.calls == 1
    with raising(LookupError, "not today"):
        dt.exchange_from(np.arange(3.0).view(Raising))


@case
def masked_elements_are_refused() -> None:
    """5.9."""
    enable()
    array = np.ma.masked_array([1, 2, 3], mask=[False, True, False])
    for call in (dt.exchange_from, dlferry.from_dlpack):
        with raising(BufferError, "masked", "filled(value)"):
            call(array)
    with raising(BufferError):
        dt.exchange_borrow(array)
    array.mask = False
    held = dt.exchange_from(array)
    assert held.inspect()["data"] == array.ctypes.data
    held.delete()


@case
def own_import_does_not_go_through_it() -> None:
    """It asks no more than what is asked without it."""
    enable()
    assert dlferry.from_dlpack(np.zeros(3)).source == "numpy"
    array = np.arange(3.0).view(Asked)
    assert dlferry.from_dlpack(array).source.startswith("dlpack")
    assert Asked.calls == 1
    assert dlferry.asarray(array).source.startswith("dlpack")
    with raising(LookupError, "not today"):
        dlferry.from_dlpack(np.arange(3.0).view(Raising))


@case
def object_that_is_no_array_is_refused() -> None:
    """E5: no guess about its memory."""
    enable()
    stolen = type("Stolen", (), {NAME: np.ndarray.__dict__[NAME]})
    for call in (dt.exchange_from, dt.exchange_borrow):
        with raising(TypeError, "Stolen", "numpy.ndarray"):
            call(stolen())


@case
def allocator_makes_host_memory() -> None:
    enable()
    held = dt.exchange_allocate(np.ndarray, [2, 3], (2, 32, 1), detached=True)
    assert held.read_bytes(24) == bytes(24)
    held.delete()
    assert dt.exchange_stream(np.ndarray, 1, 0) is None


@case
def table_of_somebody_else_is_left_alone() -> None:
    for theirs in (object(), dlferry.Tensor.__dlpack_c_exchange_api__, None):
        type_dict()[NAME] = theirs
        changed()
        with raising(RuntimeError, "has one already"):
            enable()
        assert not is_enabled()
        disable()
        assert np.ndarray.__dict__[NAME] is theirs
    del type_dict()[NAME]
    changed()
    enable()
    assert is_enabled()


@case
def array_with_a_table_of_somebody_else_is_still_read_as_it_is() -> None:
    type_dict()[NAME] = object()
    changed()
    assert dlferry.from_dlpack(np.zeros(3)).source == "numpy"


@case
def table_lives_on_when_it_is_taken_away() -> None:
    """Consumers may have kept it."""
    enable()
    stolen = type("Kept", (np.ndarray,), {NAME: np.ndarray.__dict__[NAME]})
    disable()
    gc.collect()
    held = dt.exchange_from(np.arange(3.0).view(stolen))
    assert held.inspect()["shape"] == [3]
    held.delete()


@case
def other_interpreters_cannot_have_dlferry() -> None:
    """So the refusal outside the main one is never met."""
    if sys.version_info >= (3, 13):
        interpreters: Any = importlib.import_module("_interpreters")
        other = interpreters.create()
        failure = interpreters.exec(other, "import dlferry")
        assert failure is not None
        assert "subinterpreters" in failure.msg, failure
        interpreters.destroy(other)


@case
def many_threads_use_it() -> None:
    from concurrent.futures import ThreadPoolExecutor

    enable()
    array = np.arange(6.0).reshape(2, 3)
    before = sys.getrefcount(array)

    def use(turn: int) -> bool:
        for _ in range(300):
            held = dt.exchange_from(array)
            ok = held.inspect()["data"] == dt.exchange_borrow(array[turn % 2 :])["data"] - turn % 2 * 24
            held.delete()
            assert ok
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(use, range(8)))
    assert sys.getrefcount(array) == before


def consumer() -> Any:
    """Import tvm-ffi, which looks for tables; what does without one ends the process well."""
    try:
        import tvm_ffi
    except ImportError:
        print("without tvm_ffi")
        sys.exit()
    return tvm_ffi


def refused_and_frozen() -> Any:
    """Make an array that nobody may write."""
    return ndarrays.frozen(np.arange(3.0))


@case
def tvm_without_the_table() -> None:
    """What it does else, for comparison."""
    tvm_ffi = consumer()
    echo = tvm_ffi.convert(lambda tensor: tensor)
    assert type(echo(np.zeros(3))) is tvm_ffi.Tensor
    with raising(BufferError, "readonly"):
        tvm_ffi.from_dlpack(refused_and_frozen())


@case
def tvm_takes_arrays_through_the_table() -> None:
    tvm_ffi = consumer()
    enable()
    for array in (ndarrays.cube(), refused_and_frozen(), ndarrays.cube()[::-1].T):
        tensor = tvm_ffi.from_dlpack(array)
        assert type(tensor) is tvm_ffi.Tensor
        assert tensor.data_ptr() == array.ctypes.data
        assert tuple(tensor.shape) == array.shape
        assert tuple(tensor.strides) == dlferry.from_dlpack(array).strides


@case
def tvm_calls_functions_with_arrays() -> None:
    """What changes for its users: tensors that come back are arrays, and nobody tells them what must not be written."""
    tvm_ffi = consumer()
    enable()
    seen = []

    def note(tensor: Any) -> Any:
        seen.append(type(tensor))
        return tensor

    echo = tvm_ffi.convert(note)
    array = ndarrays.cube()
    result = echo(array)
    assert seen == [tvm_ffi.Tensor]
    assert (type(result), result.dtype, result.ctypes.data) == (np.ndarray, array.dtype, array.ctypes.data)
    assert result.tolist() == array.tolist()
    fixed = refused_and_frozen()
    result = echo(fixed)
    assert result.ctypes.data == fixed.ctypes.data
    # tvm-ffi's tensors have no flag for it.
    assert result.flags.writeable
    before = sys.getrefcount(array)
    for _ in range(100):
        echo(array)
    gc.collect()
    assert sys.getrefcount(array) <= before + 1


@case
def tvm_keeps_the_table_that_it_has_seen() -> None:
    tvm_ffi = consumer()
    enable()
    echo = tvm_ffi.convert(lambda tensor: tensor)
    assert type(echo(np.zeros(3))) is np.ndarray
    disable()
    # Its functions keep what they found of a type; what looks anew finds none.
    fixed = refused_and_frozen()
    assert echo(fixed).ctypes.data == fixed.ctypes.data
    with raising(Exception):
        tvm_ffi.from_dlpack(fixed)


if __name__ == "__main__":
    CASES[sys.argv[1]]()
