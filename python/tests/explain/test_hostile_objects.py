"""Objects that lie, raise and do not end: the report is there, soon, and can be shown anywhere."""

import json
import sys
import time
from itertools import repeat

import dlferry
import dlferry._explain.page
import pytest
from dlferry.__main__ import main

np = pytest.importorskip("numpy")


def explained(x):
    """The report, which can be shown in every form and holds nothing that a terminal or a browser obeys."""
    report = dlferry.explain(x, to=())
    text = str(report)
    assert all(len(line) <= 80 and line.isprintable() for line in text.splitlines())
    for shown in (report._repr_html_(), dlferry._explain.page.page(report)):
        assert "<script" not in shown
        assert shown.encode("utf-8")
        assert shown.replace("\n", "").isprintable()
    json.dumps(report.to_dict()).encode("utf-8")
    return report


class Array:
    """One that is as it should be, to derive worse ones from."""

    def __dlpack__(self, **keywords):
        return np.zeros(3).__dlpack__(**keywords)

    def __dlpack_device__(self):
        return (1, 0)


class Panic(BaseException):
    """As extensions in Rust raise it."""


@pytest.mark.parametrize("error", [SystemExit(3), Panic("no\x1b[31m <script> \udc80"), GeneratorExit()])
def test_what_ends_processes_is_told_like_other_errors(error):
    class Ends(Array):
        def __dlpack__(self, **_):
            raise error

    report = explained(Ends())
    refused = [answer.refused for answer in report.answers if answer.protocol.startswith("__dlpack__(")]
    assert all(type(error).__name__ in said for said in refused)


def test_who_interrupts_is_obeyed():
    class Interrupted:
        def __getattr__(self, _):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        dlferry.explain(Interrupted(), to=())


def test_an_object_that_explains_itself_when_it_is_asked_comes_to_an_end():
    class Curious(Array):
        def __dlpack__(self, **keywords):
            dlferry.explain(type(self)(), to=())
            return super().__dlpack__(**keywords)

    began = time.monotonic()
    assert explained(Curious()).layout.shape == (3,)
    assert time.monotonic() - began < 10


def test_an_object_may_explain_another_when_it_is_asked():
    seen = []

    class Curious(Array):
        def __dlpack__(self, **keywords):
            seen.append(dlferry.explain(np.zeros(5), to=()).layout.shape)
            return super().__dlpack__(**keywords)

    assert explained(Curious()).layout.shape == (3,)
    assert set(seen) == {(5,)}


class Raises(dict):
    def __getitem__(self, key):
        raise RuntimeError(key)

    def get(self, key, default=None):
        raise RuntimeError(key)


INTERFACES = {
    "raises": Raises(shape=(2,)),
    "endless": {"shape": repeat(1), "typestr": "<f4", "version": 3},
    "huge": {"shape": (2**62, 2**62), "typestr": "<f8", "data": (0, False), "version": 3},
    "larger than any": {"shape": (2**200,), "typestr": "<f8", "strides": (-(2**190),), "version": 3},
    "hostile": {"shape": (2,), "typestr": "<script>\x1b[31m\udc80", "version": 3},
    "no bytes": {"shape": (4,), "typestr": "<V0", "data": (0, False), "version": 3},
}


@pytest.mark.parametrize("interface", INTERFACES.values(), ids=list(INTERFACES))
def test_an_array_interface_may_say_anything(interface):
    class Says:
        __array_interface__ = interface

    explained(Says())


def test_a_shape_without_end_is_not_read_to_its_end():
    class Endless:
        shape = repeat(1)

        def __array__(self):
            return self

    class Holds(Array):
        base = Endless()

    explained(Endless())
    assert explained(Holds()).owners


def test_a_type_that_does_not_tell_its_name():
    class Silent(type):
        def __getattribute__(cls, name):
            if name in ("__mro__", "__module__", "__qualname__", "__dict__", "__name__"):
                raise RuntimeError(name)
            return super().__getattribute__(name)

    class Nameless(Array, metaclass=Silent):
        base = None

    Nameless.base = Nameless()
    assert explained(Nameless()).layout.shape == (3,)
    assert "Nameless" in explained(Nameless()).kind


def test_names_and_modules_may_be_anything():
    kind = type("A<script>\x1b[31m\n", (Array,), {"__module__": "evil\x1b[2J<script>\udc80"})
    assert explained(kind()).layout.shape == (3,)


@pytest.mark.parametrize(
    "array",
    [
        np.lib.stride_tricks.as_strided(np.zeros(1, "u1"), (2**62,), (0,)),
        np.lib.stride_tricks.as_strided(np.zeros(1, "u1"), (2**31, 2**30), (0, 0)),
        np.zeros((0, 2**40, 0)),
        np.zeros((1,) * 60 + (2,) * 4),
    ],
    ids=["one axis", "two axes", "empty", "64 axes"],
)
def test_extents_of_any_length_fit_the_columns(array):
    explained(array)


def test_an_axis_of_no_elements_is_not_called_repeated():
    assert "repeated" not in str(dlferry.explain(np.zeros((0, 3)), to=()))


def test_the_text_is_for_terminals_of_any_encoding():
    windows = np.lib.stride_tricks.sliding_window_view(np.arange(6.0), 3)
    assert str(dlferry.explain(windows, to=())).isascii()


@pytest.mark.skipif(sys.platform == "win32", reason="files have other names there")
def test_a_name_that_cannot_be_encoded_does_not_end_the_command(capfd, monkeypatch):
    with open(1, "w", encoding="ascii", closefd=False) as narrow:
        monkeypatch.setattr(sys, "stdout", narrow)
        assert main(["explain", "type('\\xe9', (bytes,), {})(b'abc')", "--to", "none"]) == 0
    assert "of shape (3,)" in capfd.readouterr().out
