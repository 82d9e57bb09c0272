"""Producers of older standards, and errors that must not be taken for them: rules R4.10 to R4.12; decision 5.10."""

import functools
from typing import Any

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from craft import deletions, floats


def calling(method, **attributes: object):
    """Return an object with this `__dlpack__` and a list of the keywords of its calls."""
    calls: list[dict[str, object]] = []

    @functools.wraps(method)
    def recording(self, *args: object, **keywords: object) -> object:
        calls.append(keywords)
        return method(self, *args, **keywords)

    return type("Calling", (), {"__dlpack__": recording, "calls": calls, **attributes})()


@pytest.mark.parametrize("style", ["stream_only", "no_keywords"])
def test_native_producer_of_an_old_standard_is_asked_again(style):
    """R4.10: each time with fewer of the keywords, and it answers unversioned."""
    crafted = floats()
    producer = dt.Producer(crafted, style=style)
    tensor = dlferry.from_dlpack(producer)
    assert tensor.source == "dlpack-unversioned"
    assert set(producer.calls[0]) == {"stream", "max_version"}
    assert producer.calls[-1] == ({"stream": None} if style == "stream_only" else {})
    assert len(producer.calls) <= 3
    del tensor
    assert deletions(crafted) == 1


def stream_only(self, stream=None):
    return floats().capsule(versioned=False)


def no_keywords(self):
    return floats().capsule(versioned=False)


def version_only(self, *, stream=None, max_version=None):
    return floats().capsule(versioned=max_version is not None)


def positional(self, stream=None, /):
    return floats().capsule(versioned=False)


@pytest.mark.parametrize("method", [stream_only, no_keywords, version_only, positional])
@pytest.mark.parametrize(
    "keywords", [{}, {"device": "cpu"}, {"copy": False}, {"device": (1, 0), "copy": False}]
)
def test_python_producer_of_an_old_standard_is_asked_again(method, keywords):
    """R4.10: with any of our keywords; what the producer knows of them is kept."""
    tensor = dlferry.from_dlpack(type("Old", (), {"__dlpack__": method})(), **keywords)
    assert tensor.tolist()[0] == [0.0, 1.0, 2.0]
    assert tensor.source == ("dlpack" if method is version_only else "dlpack-unversioned")


@pytest.mark.parametrize("method", [stream_only, no_keywords, version_only])
def test_wrapper_around_an_old_producer_is_asked_again(method):
    """5.10: a wrapper that forwards what it was given has a frame, and the text names a keyword."""
    if method is no_keywords:
        producer = calling(lambda self, **keywords: no_keywords(self, **keywords))
    else:
        producer = calling(method)
    assert dlferry.from_dlpack(producer).shape == (2, 3)
    assert set(producer.calls[0]) == {"stream", "max_version"}


def test_wrapper_around_a_native_old_producer_is_asked_again():
    """5.10: two frames deep, refused by native code."""
    old = dt.Producer(floats(), style="stream_only")
    producer = calling(lambda self, **keywords: old.__dlpack__(**keywords))
    assert dlferry.from_dlpack(producer).source == "dlpack-unversioned"


def test_producer_of_the_new_standard_is_called_once():
    """R4.10."""
    for style in ("new", "always_versioned", "always_unversioned", "lies"):
        producer = dt.Producer(floats(), style=style)
        dlferry.from_dlpack(producer)
        assert len(producer.calls) == 1


def fails_inside(self, **keywords):
    raise TypeError("cannot hold this")


def fails_inside_naming_a_keyword(self, **keywords):
    raise TypeError("elements of this kind have no max_version, and no copy is made")


def fails_in_a_nested_call(self, **keywords):
    return len(self)


def fails_in_a_nested_call_with_arguments(self, **keywords):
    make: Any = sorted
    return make([], bogus=1)


def fails_in_a_nested_call_of_python(self, **keywords):
    make: Any = calling
    return make()


def fails_on_a_keyword_of_its_own(self, **keywords):
    return floats(order="C")


def fails_in_a_nested_call_that_refuses_a_keyword(self, **keywords):
    return floats().capsule(copy=True)


class Unspeakable(TypeError):
    def __str__(self) -> str:
        raise RuntimeError("has no text")


def fails_without_a_text(self, **keywords):
    raise Unspeakable


OWN_TYPE_ERRORS = [
    fails_inside,
    fails_inside_naming_a_keyword,
    fails_in_a_nested_call,
    fails_in_a_nested_call_with_arguments,
    fails_in_a_nested_call_of_python,
    fails_on_a_keyword_of_its_own,
    fails_in_a_nested_call_that_refuses_a_keyword,
    fails_without_a_text,
]


@pytest.mark.parametrize("method", OWN_TYPE_ERRORS)
def test_type_error_of_the_producers_own_passes(method):
    """R4.11, 5.10: unchanged, after one call."""
    producer = calling(method)
    with pytest.raises(TypeError) as caught:
        dlferry.from_dlpack(producer)
    assert len(producer.calls) == 1
    assert method.__name__ in [entry.name for entry in caught.traceback]


def test_type_error_of_native_code_passes():
    """R4.11: without a frame it is the text that tells, and this one does not speak of a call."""
    producer = dt.Producer(floats(), style="type_error_inside")
    with pytest.raises(TypeError, match=r"^cannot hold this$"):
        dlferry.from_dlpack(producer)
    assert len(producer.calls) == 1


def test_type_error_of_native_code_that_names_a_keyword_passes_in_the_end():
    """R4.11."""
    with pytest.raises(TypeError, match="max_version, copy and stream are fine"):
        dlferry.from_dlpack(dt.Producer(floats(), style="type_error_inside_mentions"))


def test_type_error_of_a_nested_call_that_names_a_keyword_of_ours_passes_in_the_end():
    """5.10: it looks like a wrapper's, so fewer keywords are tried, and the last error passes."""

    def nested(self, **keywords):
        return floats().capsule(max_version=(1, 0))

    producer = calling(nested)
    with pytest.raises(TypeError, match="'max_version'"):
        dlferry.from_dlpack(producer)
    assert len(producer.calls) <= 3


def test_refusal_of_the_last_call_passes():
    """R4.10: what wants arguments that nobody gives is not asked for ever."""

    def wants_more(self, extent, **keywords):
        raise AssertionError

    with pytest.raises(TypeError, match="extent"):
        dlferry.from_dlpack(type("Odd", (), {"__dlpack__": wants_more})())


class Mine(Exception):
    pass


@pytest.mark.parametrize(
    "error",
    [
        BufferError("b"),
        ValueError("v"),
        NotImplementedError("n"),
        AttributeError("a"),
        KeyError("k"),
        Mine("m"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_other_errors_of_the_producer_pass_unchanged(error):
    """R4.12, 5.10: the very exception, after one call; native and Python."""
    native = dt.Producer(floats(), style="raises", error=error)

    def raising(self, **keywords):
        raise error

    for producer in (native, calling(raising)):
        with pytest.raises(type(error)) as caught:
            dlferry.from_dlpack(producer)
        assert caught.value is error
        assert len(producer.calls) == 1
    caught.value.__traceback__ = None


def test_method_may_be_a_property():
    """R4.10: what the attribute gives is called."""

    class WithProperty:
        @property
        def __dlpack__(self):
            return lambda **keywords: floats().capsule()

    assert dlferry.from_dlpack(WithProperty()).shape == (2, 3)


def test_method_may_be_an_attribute_of_the_instance():
    """N12: normal attribute lookup."""
    bare: Any = type("Bare", (), {})()
    bare.__dlpack__ = dt.Producer(floats()).__dlpack__
    assert dlferry.from_dlpack(bare).shape == (2, 3)


def test_method_may_come_from_getattr():
    """N12: a proxy forwards whatever it is asked for."""

    class Proxy:
        def __init__(self, target: object) -> None:
            self.target = target

        def __getattr__(self, name: str) -> object:
            return getattr(self.target, name)

    array = np.arange(3)
    assert dlferry.from_dlpack(Proxy(array)).data_ptr == array.ctypes.data


@pytest.mark.parametrize("value", [object(), 3, None, [1, 2], "text", {"shape": 1}])
def test_object_without_the_protocol_is_a_type_error(value):
    """R5.3, section 3; what the text names is in `test_module.py`."""
    with pytest.raises(TypeError, match=r"neither __dlpack__ nor a DLPack exchange table; ") as caught:
        dlferry.from_dlpack(value)
    assert type(value).__name__ in str(caught.value)


@pytest.mark.parametrize("value", [b"bytes", bytearray(3), memoryview(b"view")])
def test_buffer_is_told_where_to_go(value):
    """Section 3."""
    with pytest.raises(TypeError, match=r"dlferry\.from_buffer"):
        dlferry.from_dlpack(value)


def test_missing_method_behind_a_property_is_missing():
    """R5.3: a property that says AttributeError says that there is no such method."""

    class Without:
        @property
        def __dlpack__(self):
            raise AttributeError("not for this dtype")

    with pytest.raises(TypeError, match="neither __dlpack__"):
        dlferry.from_dlpack(Without())
