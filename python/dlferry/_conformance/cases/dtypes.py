"""Both: which element is which dtype."""

from __future__ import annotations

import struct
from typing import Any

from ..case import DeviatesError, Level, NotApplicableError, consumer, producer
from ..look import PADDED, Result, brief, exported, native, refused, same
from ..subject import Subject, refused_or

#: Names of a dtype, what it is in DLPack, and the rule which says so.
DTYPES: dict[str, tuple[tuple[str, ...], tuple[int, int, int], str]] = {
    "bool": (("bool", "bool_"), (6, 8, 1), "R1.10"),
    **{f"int{bits}": ((f"int{bits}",), (0, bits, 1), "R1.15") for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": ((f"uint{bits}",), (1, bits, 1), "R1.15") for bits in (8, 16, 32, 64)},
    **{f"float{bits}": ((f"float{bits}",), (2, bits, 1), "R1.15") for bits in (16, 32, 64)},
    "bfloat16": (("bfloat16",), (4, 16, 1), "R1.12"),
    "complex64": (("complex64",), (5, 64, 1), "R1.9"),
    "complex128": (("complex128",), (5, 128, 1), "R1.9"),
    "float8_e4m3fn": (("float8_e4m3fn",), (10, 8, 1), "R1.15"),
    "float8_e5m2": (("float8_e5m2",), (12, 8, 1), "R1.15"),
}


def _exported_dtype(subject: Subject, name: str) -> None:
    names, dtype, _ = DTYPES[name]
    array = subject.of_dtype(dtype, *names)
    # What it is called decides nothing, and some libraries have no name for what they export.
    called = refused_or(lambda: str(array.dtype)) or name
    if name not in called:
        raise NotApplicableError(f"it makes {called} of {name}")
    error = refused(lambda: exported(array))
    if error is not None:
        raise NotApplicableError(f"it does not export it: {brief(error)}")
    _, fields = exported(array)
    if fields["dtype"] != dtype:
        raise DeviatesError(f"the dtype of {name} is {fields['dtype']} in the struct, not {dtype}")


def _consumed_dtype(subject: Subject, name: str) -> None:
    _, dtype, _ = DTYPES[name]
    code, bits, _ = dtype
    data = _bytes_of(code, bits)
    recipe = native.Crafted(data, shape=[2], strides=[1], code=code, bits=bits)
    maker = native.Producer(recipe)
    error = refused(lambda: subject.take(maker))
    if error is not None:
        raise NotApplicableError(f"refused: {brief(error)}")
    result = Result(subject.take(maker))
    if result.values is None:
        raise NotApplicableError("the result cannot be seen")
    expected = _numbers_of(code, bits, data)
    if expected is None:
        return
    if not same(result.values, expected):
        raise DeviatesError(f"elements {expected} of {name} become {result.values} ({_as(result)})")


def _as(result: Result) -> str:
    return f"dtype {result.fields['dtype']}" if result.fields else f"seen by {result.how}"


def _bytes_of(code: int, bits: int) -> bytes:
    forms = {(0, 8): "2b", (1, 8): "2B", (0, 16): "2h", (1, 16): "2H", (0, 32): "2i", (1, 32): "2I"}
    forms |= {(0, 64): "2q", (1, 64): "2Q", (2, 16): "2e", (2, 32): "2f", (2, 64): "2d", (6, 8): "2B"}
    if (code, bits) in forms:
        return struct.pack(f"={forms[code, bits]}", 1, 0 if code == 6 else 2)
    if code == 5:
        return struct.pack("=4f" if bits == 64 else "=4d", 1, 2, 3, 4)
    return bytes(range(bits // 8 * 2))


def _numbers_of(code: int, bits: int, data: bytes) -> list[Any] | None:
    if code == 6:
        return [True, False]
    if code == 5:
        return [1 + 2j, 3 + 4j]
    if code > 2:
        return None
    return [1, 2]


for _rule in sorted({rule for _, _, rule in DTYPES.values()}):
    _names = {name: name for name, (_, _, rule) in DTYPES.items() if rule == _rule}

    def dtype_is_as_the_header_says(subject: Subject, name: str) -> None:
        """An array of {} has the code and the width of the header."""
        _exported_dtype(subject, name)

    def dtype_is_read_as_the_header_says(subject: Subject, name: str) -> None:
        """Elements of {} are read as such, or refused."""
        _consumed_dtype(subject, name)

    _text = "observed" if _rule == "R1.10" else "header"
    _level: Level = "usual" if _rule == "R1.10" else "must"
    producer(_rule, _text, _level, _names)(dtype_is_as_the_header_says)
    consumer(_rule, _text, _level, _names)(dtype_is_read_as_the_header_says)


@producer("R1.13", "header", "must")
def other_byte_order_is_refused(subject: Subject) -> None:
    """Elements of the other byte order are not exported as if they were native: a BufferError."""
    made = subject.make()
    try:
        swapped = made.array.view(made.array.dtype.newbyteorder())
    except Exception:
        raise NotApplicableError("it has no other byte order") from None
    error = refused(lambda: exported(swapped))
    if error is None:
        raise DeviatesError("exports them")
    if not isinstance(refused(swapped.__dlpack__), BufferError):
        raise DeviatesError(f"raises {brief(error)}")


#: Dtypes that are not what they say, or that nobody knows: what they are, and the rule.
STRANGE: dict[str, tuple[str, dict[str, Any], bytes]] = {
    "an unknown code, 200": ("R1.2", {"code": 200, "bits": 32}, bytes(8)),
    "a bool of one bit": ("R1.10", {"code": 6, "bits": 1}, bytes(8)),
    "a bool of 32 bits": ("R1.10", {"code": 6, "bits": 32}, bytes(8)),
    "fp6 of 8 bits": ("R1.11", {"code": 15, "bits": 8}, bytes(8)),
    "fp4 of 8 bits": ("R1.11", {"code": 17, "bits": 8}, bytes(8)),
    "a float of 24 bits": ("R1.12", {"code": 2, "bits": 24}, bytes(8)),
    "two lanes": ("R3.19", {"code": 2, "bits": 32, "lanes": 2}, bytes(16)),
    "no lanes": ("R3.19", {"code": 2, "bits": 32, "lanes": 0}, bytes(8)),
    "an int of 4 bits": ("R3.17", {"code": 0, "bits": 4}, bytes(8)),
    "an int of 4 bits in a byte": ("R3.17", {"code": 0, "bits": 4, "flags": PADDED}, bytes(8)),
}


#: Those of them that no array can have; the others may be kept by who does not look at elements.
MISSING = [name for name in STRANGE if name.startswith(("a bool", "fp", "no lanes"))]


def _strange(subject: Subject, name: str) -> None:
    _, fields, data = STRANGE[name]
    recipe = native.Crafted(data, shape=[2], strides=[1], **fields)
    if refused(lambda: subject.take(native.Producer(recipe))) is not None:
        return
    result = Result(subject.take(native.Producer(recipe)))
    given = (fields["code"], fields["bits"], fields.get("lanes", 1))
    if result.fields is None:
        raise DeviatesError(f"accepts dtype {given}")
    seen = result.fields["dtype"]
    if given[2] == 2 and result.values is not None and len(result.values) == 4:
        return
    if seen != given:
        raise DeviatesError(f"dtype {given} becomes {seen}")
    if fields.get("flags") and not (result.fields["flags"] or 0) & PADDED:
        raise DeviatesError(f"padded elements of dtype {given} become packed ones")
    if name in MISSING:
        raise DeviatesError(f"accepts dtype {given}, which there is not, and exports it again")


for _rule in sorted({rule for rule, _, _ in STRANGE.values()}):
    _of_rule = [name for name, (rule, _, _) in STRANGE.items() if rule == _rule]

    def strange_dtype_is_refused_or_kept(subject: Subject, name: str) -> None:
        """{} is refused, or kept as what it is; it is not read as something else."""
        _strange(subject, name)

    def missing_dtype_is_refused(subject: Subject, name: str) -> None:
        """{} is refused, for there is no such dtype."""
        _strange(subject, name)

    _text, _level = ("observed", "usual") if _rule in ("R1.10", "R3.19") else ("header", "should")
    if _kept := {name: name for name in _of_rule if name not in MISSING}:
        consumer(_rule, _text, _level, _kept)(strange_dtype_is_refused_or_kept)
    if _missing := {name: name for name in _of_rule if name in MISSING}:
        consumer(_rule, _text, _level, _missing)(missing_dtype_is_refused)


@consumer("R9.28", "array API", "should")
def unknown_dtype_is_a_buffer_error(subject: Subject) -> None:
    """A dtype that the library does not have is refused with a BufferError."""
    recipe = native.Crafted(bytes(8), shape=[2], strides=[1], code=200)
    error = refused(lambda: subject.take(native.Producer(recipe)))
    if error is None:
        raise NotApplicableError("it takes such a dtype")
    if not isinstance(error, BufferError):
        raise DeviatesError(f"raises {brief(error)}")
