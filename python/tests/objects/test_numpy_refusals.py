"""Arrays of classes derived from NumPy's with a method of their own; masks are not lost (decisions 5.9, 5.10)."""

import sys

import dlferry
import numpy as np
import pytest


class Derived(np.ndarray):
    """An array that is asked by its own method, and not read as it is."""

    def __dlpack__(self, **keywords):
        return super().__dlpack__(**keywords)


# What NumPy does not export.
REFUSED = {
    "byte order": lambda: np.arange(3, dtype=np.dtype(np.int32).newbyteorder()),
    "struct": lambda: np.zeros(3, "f4,i4"),
    "field of a struct": lambda: np.zeros(3, [("a", "f4"), ("b", "i1")])["a"],
    "datetime": lambda: np.zeros(3, "datetime64[s]"),
    "timedelta": lambda: np.zeros(3, "timedelta64[s]"),
    "objects": lambda: np.array([None, 1]),
    "text": lambda: np.array(["a", "bc"]),
    "bytes": lambda: np.array([b"a", b"bc"]),
    "void": lambda: np.zeros(3, "V5"),
    "long double": lambda: np.zeros(3, np.longdouble),
}


def derived(case):
    """Make an array of a derived class."""
    return REFUSED[case]().view(Derived)


def raised(call):
    """Get the exception that a call raises."""
    try:
        call()
    except Exception as error:
        return error
    pytest.fail("nothing was raised")


@pytest.mark.parametrize("case", REFUSED)
def test_refusal_of_numpy_passes_unchanged(case):
    array = derived(case)
    if case == "long double" and array.itemsize == 8:
        pytest.skip("a long double is a double here")
    own = raised(array.__dlpack__)
    ours = raised(lambda: dlferry.from_dlpack(array))
    assert isinstance(ours, BufferError)
    assert (type(ours), str(ours)) == (type(own), str(own))


NOTES = sys.version_info >= (3, 11)


def notes(error):
    """Get what stands behind an exception, from Python 3.11 on."""
    return getattr(error, "__notes__", [])


def test_refusal_of_a_method_of_ones_own_has_a_note_of_what_goes_on():
    array = derived("byte order")
    for copy in (None, True, False):
        error = raised(lambda copy=copy: dlferry.from_dlpack(array, copy=copy))
        assert notes(error) == ["dlferry.asarray tries the buffer of the array next"] * NOTES
    assert dlferry.asarray(array).tolist() == [0, 1, 2]


def test_arrays_that_lend_no_buffer_say_so_with_a_note_of_what_helps():
    """The exception is NumPy's own (decision 5.10)."""
    for case, remedy in (("datetime", 'array.view("int64")'), ("timedelta", 'array.view("int64")')):
        for array in (REFUSED[case](), derived(case)):
            own, ours = raised(lambda a=array: memoryview(a)), raised(lambda a=array: dlferry.from_buffer(a))
            assert (type(ours), str(ours)) == (type(own), str(own))
            assert len(notes(ours)) == NOTES
            assert all(remedy in note for note in notes(ours))
    ml_dtypes = pytest.importorskip("ml_dtypes")
    error = raised(lambda: dlferry.from_buffer(np.zeros(3, ml_dtypes.bfloat16)))
    assert notes(error) == ["dlferry.from_dlpack takes an array of bfloat16 as it is"] * NOTES


class Unwilling(np.ndarray):
    """An array that raises an error of its own."""

    def __dlpack__(self, **keywords):
        raise self.error


@pytest.mark.parametrize(
    "error", [RuntimeError("mine says no"), ValueError("no"), TypeError("no"), LookupError()]
)
@pytest.mark.parametrize(
    "take", [dlferry.from_dlpack, dlferry.asarray, lambda x: dlferry.copyto(x, np.ones(3))]
)
def test_error_of_a_method_of_ones_own_is_not_got_round(take, error):
    """Not by `asarray` either, which would take its buffer; a refusal, `BufferError`, lets it."""
    array = np.zeros(3).view(Unwilling)
    array.error = error
    assert raised(lambda: take(array)) is error
    assert array.tolist() == [0, 0, 0]
    array.error = BufferError("not this way")
    assert dlferry.asarray(array).source == "buffer"


def test_none_in_place_of_a_protocol_takes_it_back():
    class Without(np.ndarray):
        __dlpack__ = None

    array = np.arange(3).view(Without)
    for call, kind in ((dlferry.from_dlpack, TypeError), (dlferry.numpy.from_dlpack, TypeError)):
        with pytest.raises(kind, match=r"neither __dlpack__ nor .* use dlferry\.from_buffer"):
            call(array)
    assert dlferry.asarray(array).source == "buffer"
    nothing = type("Nothing", (), dict.fromkeys(("__dlpack__", "__array_interface__", "__array__")))()
    for call in (dlferry.from_dlpack, dlferry.from_buffer, dlferry.asarray):
        with pytest.raises(TypeError, match="nothing here takes it"):
            call(nothing)


@pytest.mark.parametrize("copy", [None, False])
@pytest.mark.parametrize("case", ["byte order", "field of a struct"])
@pytest.mark.parametrize("take", [dlferry.from_dlpack, dlferry.from_buffer, dlferry.numpy.from_dlpack])
def test_what_only_a_copy_could_hold_says_whether_one_was_forbidden(take, case, copy):
    array = REFUSED[case]()
    error = raised(lambda: take(array, copy=copy))
    assert type(error) is (BufferError if copy is None else dlferry.CopyRequiredError)
    assert ("copy=False forbids" in str(error)) is (copy is False)
    assert ("from_dlpack and from_buffer with copy=True" in str(error)) is (copy is None)
    assert take(array, copy=True).tolist() == array.tolist()


@pytest.mark.parametrize("case", REFUSED)
def test_refused_array_is_not_kept(case):
    array = derived(case)
    before = sys.getrefcount(array)
    for _ in range(3):
        with pytest.raises(BufferError):
            dlferry.from_dlpack(array)
    assert sys.getrefcount(array) == before


# Arrays with something under a mask: refused.
MASKED = {
    "one element": lambda: np.ma.masked_array([1, 2, 3], mask=[False, True, False]),
    "all": lambda: np.ma.masked_all((2, 2)),
    "a slice": lambda: np.ma.masked_array(np.arange(6.0), mask=np.array([0, 0, 0, 1, 0, 1], bool))[3:],
    "invalid": lambda: np.ma.masked_invalid([1.0, np.nan]),
    "a hard mask": lambda: np.ma.masked_array([1, 2], mask=[False, True], hard_mask=True),
}
# Masked arrays whose memory holds all their values: taken.
UNMASKED = {
    "no mask": lambda: np.ma.masked_array([1, 2, 3]),
    "mask of nothing": lambda: np.ma.masked_array([1, 2, 3], mask=[False, False, False]),
    "data": lambda: np.ma.masked_array([1, 2, 3], mask=[True, False, False]).data,
    "filled": lambda: np.ma.masked_array([1, 2, 3], mask=[True, False, False], fill_value=9).filled(),
    "a slice": lambda: np.ma.masked_array(np.arange(6.0), mask=np.array([0, 0, 0, 1, 0, 1], bool))[:3],
    "empty": lambda: np.ma.masked_array(np.zeros(0), mask=np.zeros(0, bool)),
}


@pytest.mark.parametrize("copy", [None, True, False])
@pytest.mark.parametrize("case", MASKED)
def test_array_with_masked_elements_is_refused_with_the_remedy(case, copy):
    """Decision 5.9: the bytes under the mask are not values."""
    with pytest.raises(BufferError, match=r"masked.*filled\(value\)"):
        dlferry.from_dlpack(MASKED[case](), copy=copy)


def test_masked_constant_is_refused():
    """It is read-only too, which some releases of NumPy refuse first."""
    with pytest.raises(BufferError):
        dlferry.from_dlpack(np.ma.masked)


@pytest.mark.parametrize("case", UNMASKED)
def test_masked_array_without_masked_elements_is_taken(case):
    array = UNMASKED[case]()
    assert dlferry.from_dlpack(array).tolist() == np.asarray(array).tolist()


def test_class_written_in_c_is_not_asked_for_a_mask():
    """The plain array must not pay for it; a field of that name is no mask."""
    array = np.zeros(3, [("mask", "f8")])["mask"].view(np.recarray)
    assert dlferry.from_dlpack(np.ascontiguousarray(array)).tolist() == [0.0, 0.0, 0.0]


class Producer(np.ndarray):
    """An array whose class says something of a mask."""


def test_method_named_mask_is_no_mask():
    kind = type("Masking", (Producer,), {"mask": lambda self, where: self[where]})
    assert dlferry.from_dlpack(np.zeros(2).view(kind)).tolist() == [0.0, 0.0]


def test_mask_of_another_library_is_respected():
    """No library is named: any class with a mask that knows `any` has one."""
    mask = np.array([False, True])
    kind = type("Masking", (Producer,), {"mask": property(lambda self: mask)})
    with pytest.raises(BufferError, match="masked"):
        dlferry.from_dlpack(np.zeros(2).view(kind))
    mask[:] = False
    assert dlferry.from_dlpack(np.zeros(2).view(kind)).tolist() == [0.0, 0.0]


def test_error_of_the_mask_itself_passes_unchanged():
    def broken(self):
        raise LookupError("no mask today")

    kind = type("Masking", (Producer,), {"mask": property(broken)})
    with pytest.raises(LookupError, match="no mask today"):
        dlferry.from_dlpack(np.zeros(2).view(kind))


@pytest.mark.parametrize("mask", [False, True, [(True, False), (False, False)]])
@pytest.mark.parametrize("way", ["from_dlpack", "asarray"])
def test_masked_structures_are_refused_as_structures(way, mask):
    """Their masks have fields too, and NumPy cannot say whether any is set."""
    array = np.ma.masked_array(np.zeros(2, [("a", "f4"), ("b", "i4")]), mask=mask)
    with pytest.raises(BufferError, match="whole structure: pass one field"):
        getattr(dlferry, way)(array)
    with pytest.raises(BufferError, match="struct; take one of its fields"):
        dlferry.from_buffer(array)
