"""What is tested: arrays of a library, and the function with which it takes those of others."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from .case import NotApplicableError
from .libraries import CONSTRUCTORS
from .look import native, refused

SHAPE = (2, 3)
NUMBERS = [float(number) for number in range(6)]
NESTED = [NUMBERS[:3], NUMBERS[3:]]


def crafted(values: list[float] | None = None, **fields: Any) -> Any:
    """A crafted tensor, by default of 2 by 3 float32 numbers from 0 to 5."""
    numbers = NUMBERS if values is None else values
    data = fields.pop("data", None)
    if data is None:
        data = struct.pack(f"={len(numbers)}f", *numbers)
    if "shape" not in fields:
        fields = {"shape": list(SHAPE), "strides": [3, 1], **fields}
    return native.Crafted(data, **fields)


def source(values: list[float] | None = None, style: str = "new", **fields: Any) -> Any:
    """An object with the protocol over a crafted tensor; it has the tensor as ``crafted``."""
    more: dict[str, Any] = {
        name: fields.pop(name) for name in ("keep", "error", "announced") if name in fields
    }
    if "announced" in more:
        more["device"] = more.pop("announced")
    return native.Producer(crafted(values, **fields), style=style, **more)


def asks_for_versions(maker: Any) -> bool:
    """Tells whether the last call of a :func:`source` asked for the versioned struct."""
    asked = maker.calls[-1].get("max_version") if maker.calls else None
    return isinstance(asked, (tuple, list)) and bool(asked) and asked[0] >= 1


@dataclass
class Made:
    """An array, and what it is known to hold."""

    array: Any
    shape: tuple[int, ...] | None = None
    values: list[float] | None = None


@dataclass
class Subject:
    """A library, or two functions of somebody's.

    ``factory`` makes an array without being told anything. ``arrays`` is a module whose functions make them.
    ``consume`` takes the array of another. ``named`` says that the consumer is meant to be the standard's
    ``from_dlpack``, with its keywords.
    """

    name: str
    version: str = ""
    factory: Callable[[], Any] | None = None
    arrays: Any = None
    consume: Callable[..., Any] | None = None
    named: bool = False

    @property
    def roles(self) -> list[str]:
        """What it can be tested as."""
        return ["producer"] * (self._plain() is not None) + ["consumer"] * (self.consume is not None)

    # Producer.

    def make(self, kind: str = "plain") -> Made:
        """Makes an array of a kind: plain, transposed, strided, reversed, scalar, empty or read-only."""
        made = self._plain()
        if made is None:
            raise NotApplicableError("it makes no arrays")
        return made if kind == "plain" else _VARIANTS[kind](self, made)

    def of_dtype(self, dtype: tuple[int, int, int], *names: str) -> Any:
        """Makes an array of two elements of a dtype, by the first of some names that the library has for it.

        A library that makes no arrays of its own gets one that has the ``dtype``.
        """
        if self.arrays is not None:
            for name in names:
                kind = getattr(self.arrays, name, None)
                if callable(kind) and not isinstance(kind, type):
                    kind = refused_or(kind)
                if kind is None:
                    continue
                for make in self._constructors():
                    array = refused_or(partial(make, [0, 1], dtype=kind))
                    if hasattr(array, "__dlpack__"):
                        return array
        elif self.factory is None and self.consume is not None:
            code, bits, _ = dtype
            array = refused_or(
                lambda: self.take(source(data=bytes(32), shape=[2], strides=[1], code=code, bits=bits))
            )
            if hasattr(array, "__dlpack__"):
                return array
        raise NotApplicableError(f"it makes no {names[0]}")

    def _constructors(self) -> list[Any]:
        found = [getattr(self.arrays, name, None) for name in CONSTRUCTORS]
        return [make for make in found if callable(make)]

    def _plain(self) -> Made | None:
        if self.factory is not None:
            return Made(self.factory())
        float32 = getattr(self.arrays, "float32", None)
        float32 = float32() if callable(float32) and not isinstance(float32, type) else float32
        for nested, shape in ((NESTED, SHAPE), (NUMBERS, (6,))):
            for make in self._constructors():
                array = refused_or(partial(make, nested, dtype=float32))
                array = array if array is not None else refused_or(partial(make, nested, float32))
                if hasattr(array, "__dlpack__") and not refused(array.__dlpack__):
                    return Made(array, shape, NUMBERS)
        if self.consume is not None:
            array = refused_or(lambda: self.take(source()))
            if hasattr(array, "__dlpack__"):
                return Made(array, SHAPE, NUMBERS)
        return None

    def _crafted(self, values: list[float], **fields: Any) -> Made:
        """Makes an array by taking a crafted one, for a library that has no other way."""
        if self.factory is not None or self.arrays is not None or self.consume is None:
            raise NotApplicableError("it makes none of this kind")
        array = refused_or(lambda: self.take(source(values, **fields)))
        if not hasattr(array, "__dlpack__"):
            raise NotApplicableError("it makes none of this kind")
        return Made(array, tuple(fields["shape"]), values)

    # Consumer.

    def take(self, array: Any, **keywords: Any) -> Any:
        """Hands an array to the library."""
        if self.consume is None:
            raise NotApplicableError("it takes no arrays")
        return self.consume(array, **keywords)


def refused_or(call: Callable[[], Any]) -> Any:
    """The result of a call, or None for whatever it raises."""
    try:
        return call()
    except Exception:
        return None


def _cut(made: Made, *ways: Callable[[Any], Any]) -> Any:
    for way in ways:
        array = refused_or(partial(way, made.array))
        if hasattr(array, "__dlpack__") and array is not made.array:
            return array
    raise NotApplicableError("it makes none of this kind")


def _known(made: Made, shape: tuple[int, ...], values: list[float]) -> dict[str, Any]:
    return {"shape": shape, "values": values} if made.shape == SHAPE else {}


def _transposed(subject: Subject, made: Made) -> Made:
    values = [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]
    if subject.factory is None and subject.arrays is None:
        return subject._crafted(values, data=_packed(NUMBERS), shape=[3, 2], strides=[1, 3])
    array = _cut(made, lambda x: x.T, lambda x: x.mT, lambda x: x.transpose(1, 0), lambda x: x.transpose())
    return Made(array, **_known(made, (3, 2), values))


def _strided(subject: Subject, made: Made) -> Made:
    if made.shape == SHAPE:
        if subject.arrays is None and subject.factory is None:
            return subject._crafted([0.0, 2.0, 3.0, 5.0], data=_packed(NUMBERS), shape=[2, 2], strides=[3, 2])
        return Made(_cut(made, lambda x: x[:, ::2]), (2, 2), [0.0, 2.0, 3.0, 5.0])
    return Made(_cut(made, lambda x: x[::2]))


def _reversed(subject: Subject, made: Made) -> Made:
    return Made(_cut(made, lambda x: x[::-1]), **_known(made, SHAPE, [3.0, 4.0, 5.0, 0.0, 1.0, 2.0]))


def _scalar(subject: Subject, made: Made) -> Made:
    for make in subject._constructors() if subject.arrays is not None else []:
        float32 = getattr(subject.arrays, "float32", None)
        array = refused_or(partial(make, 7.0, dtype=float32))
        if hasattr(array, "__dlpack__"):
            return Made(array, (), [7.0])
    if subject.arrays is None and subject.factory is None:
        return subject._crafted([7.0], shape=[], strides=[])
    raise NotApplicableError("it makes no arrays without axes")


def _empty(subject: Subject, made: Made) -> Made:
    if subject.arrays is None and subject.factory is None:
        return subject._crafted([], data=b"", shape=[0, 3], strides=[3, 1], null_data=True)
    return Made(_cut(made, lambda x: x[:0]))


def _read_only(subject: Subject, made: Made) -> Made:
    """Asks the array itself, and sees by its buffer whether that is what it became."""

    def locked(array: Any) -> Any:
        array.flags.writeable = False
        return array

    def is_locked(array: Any) -> bool:
        return array is not None and refused_or(lambda: memoryview(array).readonly) is True

    if is_locked(made.array):
        return made
    array = refused_or(lambda: locked(made.array))
    if is_locked(array):
        return Made(array, made.shape, made.values)
    if subject.arrays is None and subject.factory is None:
        array = refused_or(lambda: subject.take(source(flags=1)))
        if is_locked(array):
            return Made(array, made.shape, made.values)
    raise NotApplicableError("its arrays cannot be seen to be read-only")


def _packed(values: list[float]) -> bytes:
    return struct.pack(f"={len(values)}f", *values)


_VARIANTS: dict[str, Callable[[Subject, Made], Made]] = {
    "transposed": _transposed,
    "strided": _strided,
    "reversed": _reversed,
    "scalar": _scalar,
    "empty": _empty,
    "read-only": _read_only,
}
