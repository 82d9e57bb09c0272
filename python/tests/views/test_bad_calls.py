"""Arguments that no function takes: the exception class of decision 5.10, the argument's name, never a panic."""

from typing import Any

import dlferry
import numpy as np
import pytest
from twins import tensor_of

T = tensor_of(np.arange(6.0).reshape(2, 3))
WRONG: list[Any] = [
    None,
    1.5,
    "text",
    b"\xff",
    object(),
    [],
    {},
    2**70,
    -1,
    np.zeros(2),
    int,
    Ellipsis,
    [[1]],
    (None,),
]

# Function, arguments, keywords, exception, and what its message has.
CALLS: list[tuple[Any, tuple[Any, ...], dict[str, Any], type[Exception], str]] = [
    (dlferry.from_dlpack, (), {}, TypeError, "x|argument"),
    (dlferry.from_dlpack, (T, T), {}, TypeError, "argument"),
    (dlferry.from_dlpack, (7,), {}, TypeError, "DLPack|dlpack"),
    (dlferry.from_dlpack, (T,), {"copy": 1}, TypeError, "copy"),
    (dlferry.from_dlpack, (T,), {"writable": "yes"}, TypeError, "writable"),
    (dlferry.from_dlpack, (T,), {"device": "gpu"}, ValueError, "device"),
    (dlferry.from_dlpack, (T,), {"device": 1}, TypeError, "device"),
    (dlferry.from_dlpack, (T,), {"device": (1, 0, 0)}, TypeError, "device"),
    (dlferry.from_dlpack, (T,), {"device": (2, 0)}, BufferError, "device|cuda"),
    (dlferry.from_dlpack, (T,), {"stream": 1}, TypeError, "stream"),
    (dlferry.from_buffer, (7,), {}, TypeError, "int"),
    (dlferry.from_buffer, (b"",), {"copy": 0}, TypeError, "copy"),
    (dlferry.from_buffer, (b"",), {"device": "cpu"}, TypeError, "device"),
    (dlferry.asarray, (), {}, TypeError, "argument"),
    (dlferry.asarray, (T,), {"copy": "no"}, TypeError, "copy"),
    (dlferry.asarray, (T,), {"writable": 1}, TypeError, "writable"),
    (dlferry.asarray, (T,), {"dtype": "f4"}, TypeError, "dtype"),
    (dlferry.copyto, (T,), {}, TypeError, "src|argument"),
    (dlferry.copyto, (T, 1), {}, TypeError, "int"),
    (dlferry.copyto, (T, T, T), {}, TypeError, "argument"),
    (dlferry.from_address, (), {}, TypeError, "ptr|argument"),
    (dlferry.Tensor, (), {}, TypeError, "Tensor|constructor"),
    (dlferry.dtype, (), {}, TypeError, "name|argument"),
    (dlferry.dtype, (7,), {}, TypeError, "dtype"),
    (dlferry.dtype, ("",), {}, ValueError, "dtype"),
    (T.tolist, (1,), {}, TypeError, "argument"),
    (T.item, (0,), {}, TypeError, "argument"),
    (T.item, (), {}, ValueError, "one element"),
    (T.reshape, ("2",), {}, TypeError, "shape"),
    (T.reshape, (7,), {}, ValueError, "shape"),
    (T.reshape, (), {"shape": (6,)}, TypeError, "shape|keyword"),
    (T.permute_dims, (), {}, ValueError, "axes"),
    (T.permute_dims, ("10",), {}, TypeError, "axes"),
    (T.permute_dims, (0, "1"), {}, TypeError, "axes"),
    (T.tobytes, ("Q",), {}, ValueError, "order"),
    (T.squeeze, (0,), {}, ValueError, "axis"),
    (T.expand_dims, (9,), {}, ValueError, "axis"),
    (T.broadcast_to, (), {}, TypeError, "shape|argument"),
    (T.view, (), {}, TypeError, "dtype|argument"),
    (T.view, (3,), {}, TypeError, "dtype"),
    (T.copy, ("Q",), {}, ValueError, "order"),
    (T.copy, (), {"order": 3}, TypeError, "order"),
    (T.numpy, (1,), {}, TypeError, "argument"),
    (T.to, (), {}, TypeError, "target|argument"),
    (T.__array__, ("no dtype",), {}, TypeError, "no dtype"),
    (T.__array__, (), {"copy": 1}, TypeError, "copy"),
    (T.__dlpack__, (1,), {}, TypeError, "argument"),
    (T.__dlpack__, (), {"stream": 3}, ValueError, "stream"),
    (T.__dlpack__, (), {"stream": "x"}, TypeError, "stream"),
    (T.__dlpack__, (), {"max_version": 1}, TypeError, "max_version"),
    (T.__dlpack__, (), {"dl_device": "cpu"}, TypeError, "dl_device"),
    (T.__dlpack__, (), {"dl_device": (2, 0)}, BufferError, "dl_device|cuda"),
    (T.__dlpack__, (), {"copy": 1}, TypeError, "copy"),
]


def judge(error: BaseException) -> None:
    """A panic shows itself as an exception of pyo3's runtime."""
    assert type(error).__module__ != "pyo3_runtime", repr(error)


@pytest.mark.parametrize(("function", "args", "keywords", "kind", "why"), CALLS)
def test_call_is_refused_with_its_class_and_the_name(function, args, keywords, kind, why):
    with pytest.raises(kind, match=why) as caught:
        function(*args, **keywords)
    judge(caught.value)
    assert type(caught.value) is kind


FUNCTIONS: list[Any] = [
    dlferry.from_dlpack, dlferry.from_buffer, dlferry.asarray, dlferry.dtype, T.reshape, T.permute_dims, T.squeeze,
    T.expand_dims, T.broadcast_to, T.view, T.copy, T.to, T.__getitem__, T.__array__,
    *(lambda x, key=key: T.__dlpack__(**{key: x}) for key in ("stream", "max_version", "dl_device", "copy")),
    *(lambda x, key=key: dlferry.from_dlpack(T, **{key: x}) for key in ("device", "copy", "writable")),
    *(lambda x, key=key: dlferry.asarray(T, **{key: x}) for key in ("copy", "writable")),
    lambda x: dlferry.from_address(x, (1,), "int8", owner=None, device=(2, 0)),
    lambda x: dlferry.from_address(1, x, "int8", owner=None, device=(2, 0)),
    lambda x: dlferry.from_address(1, (1,), x, owner=None, device=(2, 0)),
    lambda x: dlferry.from_address(1, (1,), "int8", x, owner=None, device=(2, 0)),
    lambda x: dlferry.from_address(1, (1,), "int8", owner=x, device=(2, 0)),
    lambda x: dlferry.from_address(1, (0,), "int8", owner=None, device=x),
    lambda x: dlferry.copyto(np.zeros(2, "i1"), x), lambda x: dlferry.copyto(x, np.zeros(2, "i1")),
    *(lambda x, at=at: dlferry.Tensor._rebuild(*[b"a", "int8", (1,), False, False][:at], x,
                                              *[b"a", "int8", (1,), False, False][at + 1:]) for at in range(5)),
    lambda x: T.__deepcopy__(x), lambda x: setattr(T, "shape", x),
]  # fmt: skip


@pytest.mark.parametrize("place", range(len(FUNCTIONS)))
@pytest.mark.parametrize("value", WRONG, ids=lambda value: "object" if type(value) is object else repr(value))
def test_anything_anywhere_is_taken_or_refused(place, value):
    """Whatever comes of it: no panic, no crash, and no class of exception that is not in decision 5.10."""
    try:
        FUNCTIONS[place](value)
    except (BufferError, TypeError, ValueError, IndexError) as error:
        judge(error)
    except AttributeError as error:
        assert "shape" in str(error) or "_reduce" in str(error)  # noqa: PT017


class _Secretive(type):
    @property
    def __module__(cls):
        raise RuntimeError("which module it is of, it will not tell")


Secretive = _Secretive("Secretive", (), {})


@pytest.mark.parametrize(
    "call",
    [
        dlferry.asarray,
        dlferry.from_dlpack,
        dlferry.from_buffer,
        T.to,
        lambda x: dlferry.from_address(x, (1,), "int8", owner=None),
        lambda x: dlferry.copyto(x, T),
        lambda x: dlferry.copyto(T, x),
    ],
)
def test_type_that_will_not_say_its_module_is_refused_as_others_are(call):
    """R4.13: what Python says of it is no error of the call's."""
    with pytest.raises(TypeError, match=r"Secretive|unknown"):
        call(Secretive())
