"""What ``help()`` shows: every public name is explained, and the examples are true."""

import doctest
import inspect
import pydoc
import re
import types
from typing import Any

import dlferry
import dlferry.typing
import pytest

SPECIAL = ["__array__", "__array_interface__", "__cuda_array_interface__", "__dlpack__", "__dlpack_device__"]
MEMBERS = (
    types.MethodDescriptorType,
    types.GetSetDescriptorType,
    types.FunctionType,
    property,
    staticmethod,
    classmethod,
)


def documented() -> dict[str, Any]:
    """Finds the public functions, the classes, and the methods and attributes of these."""
    found: dict[str, Any] = {"dlferry": dlferry, "dlferry.typing": dlferry.typing}
    for name in dlferry.__all__:
        value = getattr(dlferry, name)
        if not isinstance(value, str | dlferry.dtype):
            found[name] = value
    for name in dlferry.typing.__all__:
        value = getattr(dlferry.typing, name)
        if isinstance(value, type) and value.__module__ == "dlferry.typing":
            found[f"typing.{name}"] = value
    for owner in [dlferry.Tensor, dlferry.dtype, dlferry.Device]:
        for name, member in sorted(vars(owner).items()):
            if isinstance(member, MEMBERS) and (name in SPECIAL or not name.startswith("_")):
                found[f"{owner.__name__}.{name}"] = member
    return found


DOCUMENTED = documented()
EXAMPLES = {
    *["from_dlpack", "from_buffer", "asarray", "from_address", "copyto"],
    *["set_num_threads", "get_num_threads", "explain", "exports", "trace_exports"],
    *["Tensor", "dtype", "Device"],
    *[
        "Tensor." + name
        for name in ["tolist", "tobytes", "copy", "reshape", "permute_dims", "squeeze", "expand_dims"]
    ],
    *["Tensor." + name for name in ["broadcast_to", "view", "numpy", "to"]],
}

SIGNATURES = {
    "from_dlpack": "(x, /, *, device=None, copy=None, writable=None)",
    "from_buffer": "(x, /, *, copy=None, writable=None)",
    "asarray": "(x, /, *, copy=None, writable=None)",
    "from_address": "(ptr, shape, dtype, strides=None, *, owner, readonly=True, device='cpu')",
    "copyto": "(dst, src, /)",
    "set_num_threads": "(count, /)",
    "get_num_threads": "()",
    "dtype": "(name, /)",
    "Tensor.copy": "(self, /, order='C')",
    "Tensor.tobytes": "(self, /, order='C')",
    "Tensor.reshape": "(self, /, *shape)",
    "Tensor.permute_dims": "(self, /, *axes)",
    "Tensor.squeeze": "(self, /, axis=None)",
    "Tensor.expand_dims": "(self, /, axis=0)",
    "Tensor.view": "(self, dtype, /)",
    "Tensor.__dlpack__": "(self, /, *, stream=None, max_version=None, dl_device=None, copy=None)",
}


def examples(name: str) -> doctest.DocTest:
    """Reads the examples in a docstring, in which a fence ends what is expected."""
    text = re.sub(r"(?m)^ *```.*$", "", inspect.getdoc(DOCUMENTED[name]) or "")
    return doctest.DocTestParser().get_doctest(text, {"dlferry": dlferry}, name, None, None)


def test_what_is_looked_for_is_found():
    assert {"Tensor.tolist", "Tensor.shape", "Device.id", "dtype.bits", "Tensor.__dlpack__"} <= set(
        DOCUMENTED
    )
    assert len(DOCUMENTED) > 50


@pytest.mark.parametrize("name", DOCUMENTED)
def test_every_public_name_is_explained(name):
    """By a first paragraph that is a sentence."""
    first = (inspect.getdoc(DOCUMENTED[name]) or "").split("\n\n")[0]
    assert first, f"{name} has no docstring"
    assert first[0].isupper() or first.startswith(("`", '"')), first
    assert first.endswith((".", "::")), first


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_examples_show_what_happens(name):
    text = inspect.getdoc(DOCUMENTED[name]) or ""
    for library, mark in (("numpy", "numpy"), ("ml_dtypes", "import ml_dtypes")):
        if mark in text:
            pytest.importorskip(library)
    test = examples(name)
    assert test.examples, f"{name} has no example"
    said: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.FAIL_FAST).run(test, out=said.append)
    assert result.failed == 0, "".join(said)


def test_all_examples_are_run():
    assert {name for name in DOCUMENTED if examples(name).examples} == EXAMPLES


@pytest.mark.parametrize(
    "name", ["from_dlpack", "from_buffer", "asarray", "from_address", "copyto", "set_num_threads"]
)
def test_function_says_what_it_raises(name):
    assert re.search(r"\n\nRaises `\w+Error`", inspect.getdoc(DOCUMENTED[name]) or "")


@pytest.mark.parametrize("name", SIGNATURES)
def test_signature_is_shown(name):
    """The default of `device` as it is meant: it stands for a value that Rust fills in."""
    assert str(inspect.signature(DOCUMENTED[name])) == SIGNATURES[name]


@pytest.mark.parametrize("name", ["from_dlpack", "from_buffer", "asarray", "from_address", "copyto"])
def test_help_on_a_function_is_narrow(name):
    text = pydoc.plain(pydoc.render_doc(DOCUMENTED[name]))
    assert f"\n{name}(" in text
    assert max(len(line) for line in text.splitlines()) <= 88
