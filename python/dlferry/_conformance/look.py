"""Looking at what a library exports and at what it made of an array: without trusting any of it."""

from __future__ import annotations

import gc
import itertools
import re
import struct
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .._native import _testing
from .case import DeviatesError, NotApplicableError

#: The crafted producers and the careful consumer, made natively.
native: Any = _testing()

READ_ONLY, COPIED, PADDED = 1, 2, 4
VERSIONED = "dltensor_versioned"
UNVERSIONED = "dltensor"
#: An extent and a number of elements that no crafted array has, and a library may invent.
MOST = 1 << 16

FORMATS = {
    (0, 8): "b", (0, 16): "h", (0, 32): "i", (0, 64): "q",
    (1, 8): "B", (1, 16): "H", (1, 32): "I", (1, 64): "Q",
    (2, 16): "e", (2, 32): "f", (2, 64): "d", (6, 8): "?",
    (5, 64): "2f", (5, 128): "2d",
}  # fmt: skip


def brief(error: BaseException) -> str:
    """An exception in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:160]}{'...' if len(text) > 160 else ''}"


def refused(call: Callable[[], Any]) -> Exception | None:
    """The exception of a call, without its traceback, which would keep what the call had; None if there was none."""
    try:
        call()
    except Exception as error:
        return error.with_traceback(None)
    return None


UNKNOWN_KEYWORD = re.compile(r"unexpected keyword|no keyword arguments|invalid keyword")
"""What Python says of a keyword that a function does not have. nanobind says no more of it than of a wrong value."""


def keyword_is_known(error: Exception | None) -> None:
    """Demands that a call was not refused for a keyword that is not there at all, which is a case of its own (R5.1)."""
    if isinstance(error, TypeError) and UNKNOWN_KEYWORD.search(str(error)):
        raise NotApplicableError(f"it does not take the keyword: {brief(error)}")


def expect_error(call: Callable[[], Any], *kinds: type[Exception], when: str) -> None:
    """Demands one of some exceptions of a call."""
    error = refused(call)
    keyword_is_known(error)
    if error is None:
        raise DeviatesError(f"accepts {when}")
    if not isinstance(error, kinds):
        raise DeviatesError(f"raises {brief(error)} for {when}")


def ask(array: Any, **keywords: Any) -> Any:
    """Calls ``__dlpack__``.

    That keywords are known at all is a case of its own (R5.1), and so is that a capsule comes (R2.1): where it is not
    so, other cases have nothing to look at.
    """
    said = ", ".join(f"{name}={value!r}" for name, value in keywords.items())
    try:
        capsule = array.__dlpack__(**keywords)
    except Exception as error:
        if isinstance(error, TypeError) and "keyword" in str(error):
            raise NotApplicableError(f"it knows no {' and no '.join(keywords)}") from None
        raise DeviatesError(f"__dlpack__({said}) raises {brief(error)}") from None
    if type(capsule).__name__ != "PyCapsule":
        raise NotApplicableError(f"__dlpack__({said}) gives a {type(capsule).__name__}, not a capsule")
    return capsule


def inspected(capsule: Any) -> dict[str, Any]:
    """Every field of the struct in a capsule, which stays unused; its name is a case of its own (R2.1)."""
    name = native.capsule_name(capsule)
    if name not in (VERSIONED, UNVERSIONED):
        raise NotApplicableError(f"the capsule is named {name!r}")
    fields: dict[str, Any] = native.inspect(capsule)
    if fields["versioned"] and fields["version"][0] != 1:
        raise NotApplicableError(f"a struct of version {fields['version']}, which is read by nobody")
    return fields


def exported(array: Any) -> tuple[Any, dict[str, Any]]:
    """A capsule of an array and its fields: the versioned struct where the library can, the other where not."""
    error = refused(lambda: array.__dlpack__(max_version=(1, 3)))
    capsule = ask(array, max_version=(1, 3)) if error is None else ask(array)
    return capsule, inspected(capsule)


def versioned(array: Any) -> tuple[Any, dict[str, Any]]:
    """A capsule with the versioned struct, or the case is not applicable."""
    error = refused(lambda: array.__dlpack__(max_version=(1, 3)))
    if error is not None:
        raise NotApplicableError(f"no versioned struct: {brief(error)}")
    capsule = ask(array, max_version=(1, 3))
    fields = inspected(capsule)
    if not fields["versioned"]:
        raise NotApplicableError("no versioned struct: max_version=(1, 3) gets the unversioned one")
    return capsule, fields


def strides_of(fields: dict[str, Any]) -> list[int]:
    """The strides of a struct, those of C order where they are NULL."""
    if fields["strides"] is not None:
        return list(fields["strides"])
    strides, step = [], 1
    for extent in reversed(fields["shape"] or []):
        strides.append(step)
        step *= max(extent, 1)
    return strides[::-1]


def is_sane(fields: dict[str, Any]) -> None:
    """Demands a shape that may be followed, as everything else relies on it."""
    shape = fields["shape"] or []
    size = 1
    for extent in shape:
        size *= extent
    if fields["ndim"] != len(shape) or any(extent < 0 for extent in shape) or size > MOST:
        raise DeviatesError(f"the struct has ndim {fields['ndim']} and shape {tuple(shape)}")
    if size and not fields["data"]:
        raise DeviatesError("the data pointer is NULL")


def first_byte(fields: dict[str, Any]) -> int:
    """The address of the first element."""
    return int(fields["data"] + fields["byte_offset"])


def element_bytes(fields: dict[str, Any]) -> int:
    """The bytes of an element that has whole bytes."""
    _, bits, lanes = fields["dtype"]
    return int(bits * lanes + 7) // 8


def elements(fields: dict[str, Any], read: Callable[[int, int], bytes]) -> list[Any]:
    """The elements in C order; ``read`` gives some bytes at a distance from the first element."""
    try:
        is_sane(fields)
    except DeviatesError as error:
        raise NotApplicableError(f"{error}, and nothing can be read") from None
    code, bits, lanes = fields["dtype"]
    size = element_bytes(fields)
    form = FORMATS.get((code, bits)) if lanes == 1 else None
    strides = strides_of(fields)
    found: list[Any] = []
    for index in itertools.product(*map(range, fields["shape"] or [])):
        at = sum(i * stride for i, stride in zip(index, strides, strict=True)) * size
        raw = read(size, at % 2**64)
        numbers = struct.unpack(f"={form}", raw) if form else (raw,)
        found.append(complex(*numbers) if code == 5 else numbers[0])
    return found


class Taken:
    """A tensor that was consumed here, and is given back once."""

    def __init__(self, capsule: Any, **how: Any) -> None:
        self.fields = inspected(capsule)
        self.held = native.consume(capsule, **how)

    def values(self) -> list[Any]:
        """The elements in C order."""
        if self.fields["device"][0] != 1:
            raise NotApplicableError(f"memory of device {self.fields['device']}")
        return elements(self.fields, lambda size, at: self.held.read_bytes(size, at))

    def close(self) -> None:
        """Calls the deleter, unless that was done."""
        if not self.held.gone:
            self.held.delete()

    def __enter__(self) -> Taken:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Result:
    """What a consumer made of an array, as far as it can be seen: by DLPack, by a buffer, or as numbers."""

    def __init__(self, array: Any) -> None:
        self.fields: dict[str, Any] | None = None
        self.values: list[Any] | None = None
        self.shape: tuple[int, ...] | None = None
        self.address: int | None = None
        self.how = "nothing"
        if not (self._by_dlpack(array) or self._by_buffer(array)):
            self._by_numbers(array)

    def _by_dlpack(self, array: Any) -> bool:
        if not hasattr(array, "__dlpack__"):
            return False
        if refused(lambda: exported(array)) is not None:
            return False
        capsule, fields = exported(array)
        is_sane(fields)
        self.fields, self.how = fields, "its export"
        self.shape, self.address = tuple(fields["shape"] or ()), first_byte(fields)
        if fields["device"][0] == 1:
            with Taken(capsule) as taken:
                self.values = taken.values()
        return True

    def _by_buffer(self, array: Any) -> bool:
        try:
            view = memoryview(array)
        except Exception:
            return False
        with view:
            self.how, self.shape = "its buffer", view.shape
            try:
                self.values = list(flat(view.tolist()))
            except (ValueError, NotImplementedError):
                self.values = None
        return True

    def _by_numbers(self, array: Any) -> None:
        listed = array
        if hasattr(array, "tolist"):
            try:
                listed = array.tolist()
            except Exception:
                return
        # A number by itself may be anything that the function computes.
        if isinstance(listed, (list, tuple)) or listed is not array:
            self.values, self.how = list(flat(listed)), "its elements"


def flat(nested: Any) -> Iterator[Any]:
    """The items of lists in lists."""
    if isinstance(nested, (list, tuple)):
        for item in nested:
            yield from flat(item)
    else:
        yield nested


def same(left: Sequence[Any] | None, right: Sequence[Any]) -> bool:
    """Tells whether numbers are equal, those of narrower floats too."""
    if left is None or len(left) != len(right):
        return False
    return all(a == b for a, b in zip(left, right, strict=True))


def settle(until: Callable[[], bool], seconds: float = 2.0) -> bool:
    """Collects what can be collected, and waits for other threads, until a condition holds."""
    deadline = time.monotonic() + seconds
    gc.collect()
    while not until():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
        gc.collect()
    return True
