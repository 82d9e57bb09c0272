"""The cause is found by trials: libraries that mind one thing each, of which nothing but that is known."""

import dlferry
import pytest

np = pytest.importorskip("numpy")

LIBRARY = """
import dlferry

def from_dlpack(x):
    t = dlferry.from_dlpack(x)
    moving = [(n, s) for n, s in zip(t.shape, t.strides) if n > 1]
    if {minds}:
        {does}
    return t
"""

REFUSES = "raise BufferError('no')"
COPIES = "return t.copy()"
BACKWARDS = "any(s < 0 for n, s in moving)"
HOLES = "sum((n - 1) * abs(s) for n, s in moving) + 1 > t.size"


def misplaced(array, by=8):
    """The same elements at an address that is a multiple of 8 and of no more."""
    memory = np.zeros(array.nbytes + 128, "u1")
    first = -memory.ctypes.data % 64 + by
    moved = memory[first : first + array.nbytes].view(array.dtype).reshape(array.shape)
    moved[...] = array
    return moved


def read_only(array):
    array.flags.writeable = False
    return array


CASES = {
    "backwards": (BACKWARDS, lambda: np.zeros((2, 3))[:, ::-1], "negative strides", "axis 1 runs backwards"),
    "holes": (HOLES, lambda: np.zeros((4, 6))[:, ::2], "holes between the elements", "holes"),
    "order": (
        "[s for n, s in moving] != sorted((s for n, s in moving), reverse=True)",
        lambda: np.zeros((3, 4)).T,
        "the order of the axes",
        "do not lie in row-major order",
    ),
    "repeated": (
        "any(s == 0 for n, s in moving)",
        lambda: np.broadcast_to(np.zeros(3), (4, 3)),
        "repeated elements",
        "a stride of 0",
    ),
    "read-only": (
        "t.readonly",
        lambda: read_only(np.zeros(3)),
        "read-only memory",
        "the memory is read-only",
    ),
    "dtype": ("str(t.dtype) == 'int16'", lambda: np.zeros(3, "i2"), "the dtype", "elements of int16"),
    "axes": ("t.ndim > 2", lambda: np.zeros((2, 2, 2)), "the number of axes", "3 axes"),
}


@pytest.fixture
def library(tmp_path, monkeypatch):
    """Makes the module ``choosy``, which minds something."""

    def made(minds, does=REFUSES):
        (tmp_path / "choosy.py").write_text(LIBRARY.format(minds=minds, does=does))
        monkeypatch.syspath_prepend(tmp_path)
        return "choosy"

    return made


@pytest.mark.parametrize("case", CASES)
def test_the_one_thing_that_is_minded_is_the_cause(library, case):
    minds, array, cause, words = CASES[case]
    (verdict,) = dlferry.explain(array(), to=library(minds)).verdicts
    assert (verdict.outcome, verdict.detail) == ("refused", "BufferError: no")
    assert verdict.causes == (cause,)
    assert words in verdict.why


def test_of_an_alignment_it_is_found_what_is_enough(library):
    array = misplaced(np.zeros(6))
    (verdict,) = dlferry.explain(array, to=library("t.data_ptr % 32", COPIES)).verdicts
    assert (verdict.outcome, verdict.causes) == ("copied", ("alignment",))
    assert "aligned to 8 bytes only, and it shares from an alignment of 32 bytes on" in verdict.why
    assert "dlferry.asarray(x, copy=True)" in verdict.remedy


def test_two_things_are_both_named(library):
    array = read_only(np.zeros(6)[::-1])
    (verdict,) = dlferry.explain(array, to=library(f"t.readonly or {BACKWARDS}")).verdicts
    assert verdict.causes == ("negative strides", "read-only memory")


def test_things_that_are_minded_only_together_are_not_blamed_alone(library):
    array = read_only(np.zeros(6)[::-1])
    (verdict,) = dlferry.explain(array, to=library(f"t.readonly and {BACKWARDS}")).verdicts
    assert (verdict.outcome, verdict.causes) == ("refused", ())
    assert "which has several" in verdict.why


def test_a_library_that_minds_nothing_of_it_has_no_causes(library):
    (verdict,) = dlferry.explain(np.zeros((2, 3)).T, to=library(BACKWARDS)).verdicts
    assert (verdict.outcome, verdict.causes, verdict.why) == ("shared", (), "")


def test_a_remedy_was_tried(library):
    backwards = np.zeros(6)[::-1]
    (verdict,) = dlferry.explain(backwards, to=library(BACKWARDS)).verdicts
    assert verdict.remedy == (
        "hand on dlferry.asarray(x).copy(), which is in row-major order and writable: tried, and taken"
    )
    (verdict,) = dlferry.explain(backwards, to=library("True")).verdicts
    assert (verdict.why, verdict.remedy) == ("it refuses every array, also a plain one of float32", "")


def test_a_library_that_crashes_of_one_thing_is_understood_too(library):
    crash = "__import__('os').abort()"
    (verdict,) = dlferry.explain(np.zeros((2, 3))[:, ::-1], to=library(BACKWARDS, crash)).verdicts
    assert (verdict.outcome, verdict.causes) == ("crashed", ("negative strides",))
    assert "SIGABRT" in verdict.detail
