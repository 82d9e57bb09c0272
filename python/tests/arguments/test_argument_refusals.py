"""Refusals: which exception, which words, and nothing left behind."""

import sys
from pathlib import Path
from typing import Any

import dlferry_testing as dt
import numpy as np
import pytest
from craft import deletions, floats

views = pytest.importorskip("dlferry_views")


def refusal(function: Any, *args: Any) -> BaseException:
    with pytest.raises(BaseException) as caught:  # noqa: PT011 - which one is told by the test
        function(*args)
    return caught.value


X = np.zeros((2, 3), "f4")

SENTENCES = [
    (
        views.see_2d, (np.zeros((2, 3)),), TypeError,
        "wanted an array of float32 with 2 axes on cpu, found one of float64 with 2 axes of extents (2, 3) in C "
        "order on "
        "cpu",
    ),
    (
        views.see_2d, (X[0],), TypeError,
        "wanted an array of float32 with 2 axes on cpu, found one of float32 with 1 axis of extent 3 in C and F "
        "order on "
        "cpu",
    ),
    (
        views.see_c, (X[:, ::2],), TypeError,
        "wanted an array of float32 with 2 axes in C order on cpu, found one of float32 with 2 axes of extents (2, 2) "
        "in neither order, with strides (3, 2) on cpu",
    ),
    (
        views.see_2d, (None,), TypeError,
        "wanted an array of float32 with 2 axes on cpu, found an object of type NoneType, which is no array",
    ),
    (
        views.see_any, ([1, 2],), TypeError,
        "wanted an array with any number of axes on cpu, found an object of type list, which is no array: "
        "make one of it first, with numpy.asarray or its like",
    ),
    (
        views.read_write, (X, X), BufferError,
        "wanted a writable array of float32 with any number of axes on cpu, found a writable one of float32 "
        "with 2 axes "
        "of extents (2, 3) in C order on cpu whose memory is borrowed: another argument, or a function that "
        "still runs, "
        "reads it; pass a copy of the other, or an array of its own here",
    ),
    (
        views.see_f32, (np.array(["2020"], "M8[D]"),), BufferError,
        "wanted an array of float32 with any number of axes on cpu, found an object of type numpy.ndarray that cannot "
        "be exchanged: DLPack has no type for NumPy's datetime64[D]; for the numbers as they are, pass "
        "array.view(\"int64\")",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("function", "args", "kind", "text"), SENTENCES)
def test_one_sentence_says_what_was_wanted_and_found(
    function: Any, args: tuple[Any, ...], kind: type, text: str
) -> None:
    error = refusal(function, *args)
    assert type(error) is kind
    # PyO3 adds the argument's name, in front or as a note.
    assert str(error).removeprefix(f"argument '{'out' if len(args) > 1 else 'x'}': ") == text


@pytest.mark.skipif(sys.version_info < (3, 11), reason="notes came with Python 3.11")
def test_the_argument_is_named() -> None:
    error = refusal(views.read_write, X, np.zeros(3))
    assert "'out'" in " ".join([str(error), *getattr(error, "__notes__", [])])


NO_ARRAYS = [None, 1, 1.5, "text", [1.0], (1.0,), {}, object(), int, np.float32, lambda: 0, X.flags]


@pytest.mark.parametrize("wrong", NO_ARRAYS, ids=lambda wrong: type(wrong).__name__)
@pytest.mark.parametrize(
    "function", [views.see_2d, views.see_any, lambda x: views.fill(x, 1), views.see_converted]
)
def test_what_is_no_array_is_a_type_error(function: Any, wrong: Any) -> None:
    error = refusal(function, wrong)
    assert type(error) is TypeError
    assert "is no array" in str(error)


class TestProducers:
    """What a producer itself raises, or gives that is none."""

    def test_its_own_exception_passes(self) -> None:
        for own in (ValueError("mine"), RuntimeError("mine"), KeyboardInterrupt("mine"), MemoryError("mine")):
            producer = dt.Producer(floats(), style="raises", error=own)
            assert refusal(views.see_2d, producer) is own
            assert len(producer.calls) == 1
        producer = dt.Producer(floats(), style="type_error_inside")
        assert "cannot hold this" in str(refusal(views.see_2d, producer))
        assert len(producer.calls) == 1

    def test_its_refusal_is_told_with_what_was_wanted(self) -> None:
        own = BufferError("not today")
        error = refusal(views.see_2d, dt.Producer(floats(), style="raises", error=own))
        assert type(error) is BufferError
        assert error.__cause__ is own
        assert str(error).endswith(
            "found an object of type dlferry_testing.Producer that cannot be exchanged: not today"
        )

    @pytest.mark.parametrize("style", ["not_a_capsule", "wrong_name", "used_name", "null_name"])
    def test_no_tensor(self, style: str) -> None:
        error = refusal(views.see_2d, dt.Producer(floats(), style=style))
        assert type(error) is BufferError

    @pytest.mark.parametrize(
        "fields",
        [
            {"version": (2, 0)}, {"ndim": -1}, {"shape": None, "ndim": 2}, {"shape": [2, -3]}, {"null_data": True},
            {"lanes": 0}, {"byte_offset": 2**63}, {"shape": [2**62, 4]}, {"strides": [2**62, 2**62]},
            {"code": 6, "bits": 1},
        ],
    )  # fmt: skip
    @pytest.mark.parametrize("function", [views.see_2d, lambda x: views.fill(x, 1), views.see_any])
    def test_malformed_tensor(self, function: Any, fields: dict[str, Any]) -> None:
        crafted = floats(**fields)
        error = refusal(function, dt.Producer(crafted))
        assert type(error) is BufferError
        # Refused before it changed hands: the capsule has deleted it.
        assert deletions(crafted) == 1

    def test_a_refused_tensor_is_let_go_of(self) -> None:
        for function in (views.see_i8, views.see_cuda, views.see_0d):
            crafted = floats()
            assert type(refusal(function, dt.Producer(crafted))) is TypeError
            assert deletions(crafted) == 1


class TestWays:
    """A way that refuses is followed by the next."""

    def test_buffer_after_method(self) -> None:
        class Both(np.ndarray):
            def __dlpack__(self, **_: Any) -> None:
                raise BufferError("not by this way")

        x = X.view(Both)
        assert views.see_2d(x)[0] == [2, 3]
        views.fill(x, 4)
        assert (X == 4).all()
        X[:] = 0

    def test_masked_arrays_are_not_taken_another_way(self) -> None:
        x = np.ma.array(X, mask=False)
        x[0, 0] = np.ma.masked
        for function in (views.see_2d, lambda x: views.fill(x, 1)):
            error = refusal(function, x)
            assert type(error) is BufferError
            assert "masked" in str(error)

    def test_derived_classes_are_asked_themselves(self) -> None:
        class Derived(np.ndarray):
            calls = 0

            def __dlpack__(self, **keywords: Any) -> Any:
                Derived.calls += 1
                return super().__dlpack__(**keywords)

        assert views.see_2d(X.view(Derived))[0] == [2, 3]
        assert Derived.calls == 1

    def test_maps_of_files_are_arrays_of_any_dtype(self, tmp_path: Path) -> None:
        """They are of a class derived from NumPy's, whose method NumPy lets refuse many dtypes."""
        ml_dtypes = pytest.importorskip("ml_dtypes")
        for dtype in (ml_dtypes.float8_e4m3fn, np.float32):
            np.array([1, 2, 4, 8], dtype).tofile(tmp_path / "numbers")
            x = np.memmap(tmp_path / "numbers", dtype, mode="r+")
            if dtype is np.float32:
                views.fill(x, 3)
                assert x.tolist() == [3] * 4
                assert views.own(x).source == "numpy"
            else:
                assert views.see_float8(x) == [1, 2, 4, 8]
            x = np.memmap(tmp_path / "numbers", dtype, mode="r")
            error = refusal(views.fill, x, 1) if dtype is np.float32 else refusal(views.double_any, x)
            assert "read-only" in str(error)
        x = np.memmap(tmp_path / "numbers", np.dtype("f4").newbyteorder(), mode="r+")
        assert "dlferry.asarray copies" in str(refusal(views.see_slice, x))
        assert "copy the result back" in str(refusal(views.fill, x, 1))
