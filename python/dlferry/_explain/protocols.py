"""Which protocols an object offers, and how it answers when it is asked by each."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from .._native import Tensor, _look_at, from_dlpack
from .facts import MOST_AXES, Layout

if TYPE_CHECKING:
    from collections.abc import Callable

CAPSULE = type(Tensor.__dlpack_c_exchange_api__)
SMALL = 1 << 16
"""Bytes up to which an array may be copied to find something out."""


@dataclass(frozen=True)
class Answer:
    """How one protocol is answered."""

    protocol: str
    offered: bool
    refused: str | None = None
    """The exception, as ``TypeName: message``; None where there was none."""
    says: str = ""
    """What was answered, in words."""
    facts: dict[str, Any] = field(default_factory=dict)
    """What was answered, for programs."""

    @property
    def words(self) -> str:
        """The answer, or the refusal, for people."""
        if self.refused is None:
            return self.says
        return f"{self.says}; malformed: {self.refused}" if self.says else f"refuses: {self.refused}"


def words(error: BaseException) -> str:
    """An exception as one line, whatever its own ``str`` does."""
    try:
        text = " ".join(str(error).split())
    except KeyboardInterrupt:
        raise
    except BaseException:
        text = "(its text cannot be had)"
    if len(text) > 300:
        text = text[:297] + "..."
    name = type.__dict__["__name__"].__get__(type(error))
    return f"{name}: {text}" if text else name


def attempt(action: Callable[[], Any]) -> tuple[Any, str | None]:
    """What an action gives, and its exception in words. An object that is asked may do anything."""
    try:
        return action(), None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # anybody's code ran; a panic of Rust's is no Exception
        return None, words(error)


def has(x: object, name: str) -> tuple[bool, str | None]:
    """Whether an object has an attribute, and the exception that stood in the way."""
    found, refused = attempt(lambda: getattr(x, name, None))
    return refused is not None or found is not None, refused


def is_a(x: object, kind: type | tuple[type, ...]) -> bool:
    """Whether an object is of a type, without asking the object, as ``isinstance`` may."""
    return issubclass(type(x), kind)


class Asked:
    """A producer that hands a call on with other keywords, and has no exchange API."""

    def __init__(self, x: Any, keywords: dict[str, Any]) -> None:
        self._x = x
        self._keywords = keywords
        self.capsule: dict[str, Any] = {}

    def __dlpack__(self, **_: Any) -> Any:
        """Asks, and looks at the answer before anybody takes it."""
        capsule = self._x.__dlpack__(**self._keywords)
        if is_a(capsule, CAPSULE):
            self.capsule = _look_at(capsule)
        return capsule


def ask_dlpack(x: object, keywords: dict[str, Any]) -> Answer:
    """Asks ``__dlpack__`` with some keywords; what it answers is looked at and let go."""
    called = ", ".join(f"{key}={value!r}" for key, value in keywords.items())
    name = f"__dlpack__({called})"
    offered, refused = has(x, "__dlpack__")
    if not offered or refused:
        return Answer(name, offered, refused)
    asked = Asked(x, keywords)
    capsule, refused = attempt(asked.__dlpack__)
    if refused:
        return Answer(name, True, refused)
    if not asked.capsule:
        return Answer(name, True, f"no capsule, but an object of type {type(capsule).__name__}")
    del capsule  # untaken, so it frees what it holds
    return Answer(name, True, asked.capsule.get("refusal"), say_capsule(asked.capsule), asked.capsule)


def say_capsule(seen: dict[str, Any]) -> str:
    """What a capsule says, in words."""
    name = seen.get("name")
    if "deleter" not in seen:
        return f"a capsule named {name!r}"
    version = seen.get("version")
    parts = [f"versioned, {version[0]}.{version[1]}" if version else "unversioned"]
    if "refusal" in seen:
        return parts[0]
    if version:
        flags = seen["flags"]
        known = ((1, "read-only"), (2, "copied"), (4, "padded"))
        set_ = [word for bit, word in known if flags & bit]
        if flags & ~7:
            set_.append(f"unknown flags {flags & ~7:#x}")
        parts.append(", ".join(set_) if set_ else "no flags: writable and shared")
    else:
        parts.append("which cannot say whether it may be written")
    if not seen["deleter"]:
        parts.append("without a deleter")
    if seen.get("byte_offset"):
        parts.append(f"byte_offset {seen['byte_offset']}")
    return "; ".join(parts)


def ask_exchange(x: object) -> Answer:
    """Looks for the table of the C exchange API, which is on the type, and asks by it."""
    name = "C exchange API"
    table, refused = attempt(lambda: getattr(type(x), "__dlpack_c_exchange_api__", None))
    if refused or table is None:
        return Answer(name, refused is not None, refused)
    if not is_a(table, CAPSULE):
        return Answer(name, True, f"no capsule, but an object of type {type(table).__name__}")
    tensor, refused = attempt(lambda: from_dlpack(x))  # type: ignore[arg-type]
    if refused:
        return Answer(name, True, refused)
    if tensor.source != "exchange" and not is_a(x, Tensor):
        return Answer(name, True, None, f"its table is there; dlferry goes another way ({tensor.source})")
    access = "read-only" if tensor.readonly else "writable"
    return Answer(name, True, None, f"a managed tensor; {access}", {"readonly": tensor.readonly})


def ask_device(x: object) -> Answer:
    """Asks ``__dlpack_device__``."""
    name = "__dlpack_device__"
    offered, refused = has(x, name)
    if not offered or refused:
        return Answer(name, offered, refused)
    pair, refused = attempt(lambda: x.__dlpack_device__())  # type: ignore[attr-defined]
    if refused:
        return Answer(name, True, refused)
    found, refused = attempt(lambda: tuple(int(part) for part in islice(pair, 3)))
    if refused or len(found) != 2:
        return Answer(name, True, f"no pair of integers, but an object of type {kind_of(pair)}")
    kind, number = found
    return Answer(name, True, None, f"({kind}, {number})", {"device": (kind, number)})


def ask_buffer(x: object) -> tuple[Answer, Layout | None]:
    """Asks for a buffer, looks at it and gives it back."""
    name = "buffer protocol"
    view, refused = attempt(lambda: memoryview(x))  # type: ignore[arg-type]
    if refused:
        missing = refused.startswith("TypeError") and "a bytes-like object is required" in refused
        return Answer(name, not missing, None if missing else refused), None
    with view:
        access = "read-only" if view.readonly else "writable"
        facts = {
            "format": view.format,
            "readonly": view.readonly,
            "shape": view.shape,
            "strides": view.strides,
        }
        layout, _ = attempt(lambda: Layout.of_buffer(view, "the buffer"))
        return Answer(name, True, None, f"format {view.format!r}; {access}", facts), layout


def ask_interface(x: object, name: str) -> tuple[Answer, Layout | None]:
    """Asks for ``__array_interface__`` or ``__cuda_array_interface__``."""
    interface, refused = attempt(lambda: getattr(x, name, None))
    if refused or interface is None:
        return Answer(name, refused is not None, refused), None
    if not is_a(interface, dict):
        return Answer(name, True, f"no dict, but an object of type {type(interface).__name__}"), None
    layout, refused = attempt(lambda: Layout.of_interface(interface, name))
    if layout is None:
        return Answer(name, True, "a dict that is no array interface"), None
    access = {None: "", True: "; read-only", False: "; writable"}[layout.readonly]
    typestr = str(interface["typestr"])
    facts = {"typestr": typestr, "readonly": layout.readonly}
    return Answer(name, True, None, f"typestr {typestr!r}{access}", facts), layout


def ask_array(x: object, nbytes: int | None) -> Answer:
    """Asks ``__array__``, unless that may copy much."""
    name = "__array__"
    offered, refused = has(x, name)
    if not offered or refused or is_a(x, type):
        return Answer(name, offered and not is_a(x, type), refused)
    if nbytes is None or nbytes > SMALL:
        return Answer(name, True, None, "not asked, for it may copy all elements")
    array, refused = attempt(lambda: x.__array__())  # type: ignore[attr-defined]
    if refused:
        return Answer(name, True, refused)
    return Answer(name, True, None, f"an object of type {kind_of(array)}")


def kind_of(x: object) -> str:
    """The full name of an object's type."""
    kind = type(x)
    # Asked past the type of the type, which may be anybody's code as well.
    module, _ = attempt(lambda: type.__getattribute__(kind, "__module__"))
    name = type.__dict__["__qualname__"].__get__(kind)
    return f"{module}.{name}" if is_a(module, str) and module != "builtins" else name


def extents(x: object) -> tuple[int, ...] | None:
    """The shape that an object says it has; None where it says none, or one without end."""
    shape, refused = attempt(lambda: tuple(int(extent) for extent in islice(x.shape, MOST_AXES + 1)))  # type: ignore[attr-defined]
    return None if refused or len(shape) > MOST_AXES else shape


def signature(x: object) -> str:
    """What tells whether an array that was pickled arrived as it was."""
    interface, _ = attempt(lambda: getattr(x, "__array_interface__", None))
    if not is_a(interface, dict):
        return kind_of(x)
    told, _ = attempt(lambda: f"{interface.get('typestr')} {interface.get('strides')}")
    return f"{kind_of(x)} {told}"
