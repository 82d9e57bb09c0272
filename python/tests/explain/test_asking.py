"""What is asked of an object and what is not; whatever the object does."""

import dlferry
import dlferry_testing as dt
import pytest
from craft import deletions, floats, on_device


def explained(x):
    """The report without libraries, which has to be printable in every form."""
    report = dlferry.explain(x, to=())
    assert all(len(line) <= 80 for line in str(report).splitlines())
    assert report._repr_html_()
    return report


def test_a_capsule_stays_as_it_is():
    crafted = floats()
    capsule = dt.Producer(crafted).__dlpack__(max_version=(1, 3))
    report = explained(capsule)
    assert report.layout.shape == (2, 3)
    assert report.answers[0].says == "versioned, 1.3; no flags: writable and shared"
    assert deletions(crafted) == 0
    assert dlferry.from_dlpack(capsule).shape == (2, 3)


def test_a_capsule_that_was_taken_is_not_looked_into():
    capsule = dt.Producer(floats()).__dlpack__(max_version=(1, 3))
    del_soon = dlferry.from_dlpack(capsule)
    del del_soon
    report = explained(capsule)
    assert report.layout is None
    assert "taken by a consumer" in report.answers[0].says


def test_a_malformed_capsule_is_described_and_not_followed():
    crafted = floats(ndim=-1)
    report = explained(dt.Producer(crafted))
    asked = next(answer for answer in report.answers if answer.protocol.startswith("__dlpack__("))
    assert "ndim" in asked.refused
    assert report.layout is None


def test_what_is_asked_for_is_given_back():
    crafted = floats()
    explained(dt.Producer(crafted))
    made = len(dt.Producer(crafted).calls)
    assert made == 0
    assert deletions(crafted) > 0


def test_memory_of_a_device_is_not_touched():
    report = explained(dt.Producer(on_device(2, 1)))
    assert report.device == "cuda:1"
    assert report.layout.address is None
    assert report.layout.shape == (2, 3)


@pytest.mark.parametrize("version", ["unversioned", "versioned"])
def test_how_a_producer_would_answer(version):
    style = "always_unversioned" if version == "unversioned" else "new"
    report = explained(dt.Producer(floats(), style=style))
    answers = {answer.protocol: answer.says for answer in report.answers}
    assert answers["__dlpack__(max_version=(1, 3))"].startswith(version)
    assert answers["__dlpack__()"].startswith("unversioned")


class Raises:
    def __init__(self, error):
        self.error = error

    def __dlpack__(self, **keywords):
        raise self.error

    def __dlpack_device__(self):
        raise self.error


class Unspeakable(Exception):
    def __str__(self):
        raise ValueError("no")


# An exception whose text cannot be had is told of on its way through `asarray`, too.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    "error", [ValueError("mine"), Unspeakable(), BufferError("x" * 5000), OSError("\x1b[2J\n")]
)
def test_what_an_object_raises_is_told(error):
    report = explained(Raises(error))
    refusals = [answer.refused for answer in report.answers if answer.refused]
    assert refusals
    assert all(refused.startswith(type(error).__name__) for refused in refusals)
    assert "\x1b" not in str(report)


def test_an_object_without_end():
    class Endless:
        def __dlpack__(self, **keywords):
            return self.__dlpack__(**keywords)

    report = explained(Endless())
    assert any("RecursionError" in (answer.refused or "") for answer in report.answers)


def test_an_object_whose_attributes_all_raise():
    class Hostile:
        def __getattribute__(self, name):
            raise RuntimeError("\x1b[31mnothing here")

    assert "\x1b" not in str(explained(Hostile()))


def test_an_object_that_has_every_attribute():
    class Everything:
        def __getattr__(self, name):
            return self

        def __call__(self, *arguments, **keywords):
            return self

    assert explained(Everything()).layout is None


@pytest.mark.parametrize("x", [None, 3, "text", [1, 2], object(), dict, print, {}, range(3)])
def test_what_is_no_array_is_said_so(x):
    assert "no array" in explained(x).summary


def test_what_others_say_is_escaped_in_html():
    class Tagged:
        def __dlpack__(self, **keywords):
            raise ValueError("<script>alert(1)</script>")

    html = explained(Tagged())._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_large_arrays_are_not_copied():
    np = pytest.importorskip("numpy")
    whole = np.broadcast_to(np.zeros(3), (2**30, 2**10, 3))
    report = explained(whole)
    assert report.layout.size == 3 * 2**40
    assert any("not asked, for it may copy" in answer.says for answer in report.answers)
    swapped = np.broadcast_to(np.zeros(3, np.dtype("f8").newbyteorder()), (2**30, 2**10, 3))
    assert any("tried on a part" in says for _, _, says in explained(swapped).calls)


@pytest.mark.parametrize(
    ("shape", "strides"), [((), ()), ((0, 3), (3, 1)), ((1,) * 65, (1,) * 65), ((2,) * 12, None)]
)
def test_all_numbers_of_axes(shape, strides):
    count = 1
    for extent in shape:
        count *= extent
    tensor = dlferry.from_buffer(bytearray(4 * count)).view("float32").reshape(shape)
    assert explained(tensor).layout.shape == shape
    assert strides is None or explained(tensor).layout.ndim == len(strides)
