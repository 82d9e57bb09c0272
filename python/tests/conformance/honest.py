"""A producer and a consumer in Python that keep the rules, with a place for one fault each.

A fault is a name; :mod:`faults` lists them with the rules that they break. The target of a fault is
``honest.py:producer_NAME`` or ``honest.py:consumer_NAME``, and ``producer`` and ``consumer`` have none.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import dlferry_testing as dt

FLOATS = struct.pack("=6f", *range(6))
LEAKED: list[Any] = []


class Producer:
    """An array of 2 by 3 float32 numbers."""

    def __init__(self, fault: str = "", part: dict[str, Any] | None = None) -> None:
        self.fault = fault
        self.layout = part or {"shape": [2, 3], "strides": [3, 1]}
        self.recipe = dt.Crafted(FLOATS, **{**self.layout, **STRUCT_FAULTS.get(fault, {})})
        self.kept: Any = None

    def tolist(self) -> list[list[float]]:
        return [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]

    def __dlpack_device__(self) -> Any:
        if self.fault == "device_is_a_number":
            return 1
        return (2, 0) if self.fault == "announces_another_device" else (1, 0)

    def __dlpack__(self, *args: Any, **keywords: Any) -> Any:
        fault = self.fault
        if args and fault != "takes_positional_arguments":
            raise TypeError("__dlpack__() takes no positional arguments")
        known = {"stream", "max_version", "dl_device", "copy"} - LACKING.get(fault, set())
        for name in keywords:
            if name not in known:
                raise TypeError(f"__dlpack__() got an unexpected keyword argument '{name}'")
        self.check(keywords)
        if fault == "leaks_a_reference":
            LEAKED.append(self)
        return self.answer(keywords)

    def check(self, keywords: dict[str, Any]) -> None:
        asked, device, copy = (keywords.get(name) for name in ("max_version", "dl_device", "copy"))
        fault = self.fault
        if asked is not None and not isinstance(asked, tuple) and fault != "takes_any_max_version":
            raise TypeError("max_version is no tuple")
        if asked is not None and asked[0] == 0 and fault == "major_zero_is_a_value_error":
            raise ValueError("no such version")
        if keywords.get("stream") is not None and fault != "takes_any_stream":
            raise ValueError("host memory has no stream")
        if device is not None and not isinstance(device, tuple):
            raise TypeError("dl_device is no tuple")
        if device not in (None, (1, 0)) and fault != "takes_any_device":
            raise (ValueError if fault == "device_is_a_value_error" else BufferError)("no such device")
        if copy not in (None, True, False) and fault != "takes_any_copy":
            raise TypeError("copy is no bool")
        if copy is True and fault == "refuses_to_copy":
            raise BufferError("no copies")

    def answer(self, keywords: dict[str, Any]) -> Any:
        fault, asked = self.fault, keywords.get("max_version")
        if fault == "gives_one_capsule_twice":
            self.kept = self.kept or self.recipe.capsule(True)
            return self.kept
        if fault == "gives_no_capsule":
            return self.recipe
        newer = isinstance(asked, tuple) and asked[0] >= 1
        newer = {"always_versioned": True, "always_unversioned": False}.get(fault, newer)
        recipe = self.recipe
        copies = keywords.get("copy") is True and fault != "copy_is_the_same_memory"
        if copies or (fault == "copies_though_forbidden" and keywords.get("copy") is False):
            flags = 0 if fault == "copy_does_not_say_so" else 2
            flags |= 1 if fault == "copy_is_read_only" else 0
            data = bytes(24) if fault == "copy_is_of_zeros" else FLOATS
            recipe = dt.Crafted(data, **self.layout, flags=flags)
        name = NAMES.get(fault)
        return recipe.capsule(newer, name) if name else recipe.capsule(newer)


#: Faults of the struct itself.
STRUCT_FAULTS: dict[str, dict[str, Any]] = {
    "strides_are_null": {"strides": None},
    "strides_are_bytes": {"strides": [12, 4]},
    "strides_are_swapped": {"strides": [1, 2]},
    "version_is_two": {"version": (2, 0)},
    "flag_says_copied": {"flags": 2},
    "unknown_flag": {"flags": 1 << 20},
    "padded_whole_bytes": {"flags": 4},
    "device_index_is_three": {"device": (1, 3)},
    "device_type_is_five": {"device": (5, 0)},
    "data_is_null": {"null_data": True},
    "offset_is_used": {"byte_offset": 4, "shape": [2, 2], "strides": [2, 1]},
    "dtype_has_no_lanes": {"lanes": 0},
    "dtype_code_is_unknown": {"code": 99},
    "rank_is_wrong": {"ndim": -1},
    "extent_is_negative": {"shape": [-2, 3]},
    "deleter_is_null": {"null_deleter": True},
    "deleter_frees_nothing": {"leak": True},
}
LACKING = {
    "knows_no_max_version": {"max_version"},
    "knows_no_copy": {"copy"},
    "knows_no_stream": {"stream"},
    "knows_no_dl_device": {"dl_device"},
}
NAMES = {"capsule_has_another_name": "dlpack_tensor", "capsule_is_named_used": "used_dltensor"}


class Array:
    """What a consumer makes of an array: the tensor, given back when it goes."""

    def __init__(self, held: Any, fields: dict[str, Any], fault: str) -> None:
        self.held, self.fields, self.fault = held, fields, fault

    def element(self, index: tuple[int, ...]) -> float:
        strides = self.fields["strides"]
        shape = self.fields["shape"] or []
        if strides is None or self.fault == "ignores_strides":
            strides = [1] * len(shape)
            for axis in reversed(range(len(shape) - 1)):
                strides[axis] = strides[axis + 1] * shape[axis + 1]
        size = 1 if self.fault == "strides_in_bytes" else 4
        at = sum(i * stride for i, stride in zip(index, strides, strict=True)) * size
        if self.fault == "ignores_the_offset":
            at -= self.fields["byte_offset"]
        return float(struct.unpack("=f", self.held.read_bytes(4, at % 2**64))[0])

    def tolist(self, index: tuple[int, ...] = ()) -> Any:
        shape = self.fields["shape"] or []
        if len(index) == len(shape):
            return self.element(index)
        return [self.tolist((*index, i)) for i in range(shape[len(index)])]

    def __setitem__(self, index: int, value: float) -> None:
        if (self.fields["flags"] or 0) & 1 and self.fault != "writes_read_only":
            raise ValueError("read-only")
        self.held.write_bytes(struct.pack("=f", value))

    def __del__(self) -> None:
        if self.held.gone or self.fault == "never_deletes":
            return
        if self.fields["deleter_null"]:
            return
        self.held.delete()


def take(x: Any, fault: str, device: Any = None, copy: Any = None) -> Any:
    if not hasattr(x, "__dlpack__"):
        raise (RuntimeError if fault == "any_object_is_a_runtime_error" else TypeError)("no array")
    capsule = call(x, fault, copy)
    if type(capsule).__name__ != "PyCapsule":
        raise TypeError("no capsule")
    name = dt.capsule_name(capsule)
    if fault == "takes_any_name" and name not in ("dltensor", "dltensor_versioned"):
        return [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    if name not in ("dltensor", "dltensor_versioned"):
        raise BufferError(f"a capsule named {name}")
    if fault == "refuses_unversioned" and name == "dltensor":
        raise BufferError("the old struct")
    fields = dt.inspect(capsule)
    judge(fields, fault, capsule)
    if fault == "takes_without_renaming":
        return Array(peeked(capsule), fields, fault)
    if fault == "gives_back_at_once":
        held = dt.consume(capsule)
        held.delete()
        return [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]] if fields["deleter_null"] else Stale(fields)
    return Array(dt.consume(capsule, name=RENAMES.get(fault)), fields, fault)


RENAMES = {"renames_to_another_name": "mine"}


class Stale:
    """A view of memory that was given back."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self.fields = fields

    def tolist(self) -> list[float]:
        return [-1.0] * 6


def peeked(capsule: Any) -> Any:
    """A tensor that is read although its capsule still owns it."""
    name = dt.capsule_name(capsule)
    held = dt.consume(capsule)
    dt.rename_capsule(capsule, name)
    LEAKED.append(capsule)
    return held


def call(x: Any, fault: str, copy: Any) -> Any:
    keywords: dict[str, Any] = {"max_version": (1, 3), **ASKED.get(fault, {})}
    if fault == "asks_for_no_version":
        del keywords["max_version"]
    if copy is not None:
        keywords["copy"] = copy
    try:
        return x.__dlpack__(**keywords)
    except TypeError as error:
        if "keyword" not in str(error) or fault == "does_not_ask_old_producers_again":
            raise
        return x.__dlpack__()
    except BufferError as error:
        if fault == "swallows_the_error":
            raise RuntimeError("cannot be imported") from error
        if fault == "asks_again_after_any_error":
            return x.__dlpack__()
        raise


ASKED: dict[str, dict[str, Any]] = {
    "max_version_is_a_list": {"max_version": [1, 3]},
    "max_version_is_one_number": {"max_version": 1},
    "passes_a_stream_for_the_host": {"stream": 1},
    "dl_device_is_a_name": {"dl_device": "cpu"},
    "copy_is_a_number": {"copy": 0},
}


def judge(fields: dict[str, Any], fault: str, capsule: Any) -> None:
    """Refuses what is not to be taken, unless the fault is not to."""
    shape = fields["shape"]
    size = 1
    for extent in shape or []:
        size *= extent
    version = fields["version"] or (1, 0)
    reach = sum(abs(s) * 4 for s in fields["strides"] or [])
    reasons: dict[str, Callable[[], bool]] = {
        "takes_any_major": lambda: version[0] > 1,
        "takes_major_zero": lambda: version[0] < 1,
        "takes_any_dtype": lambda: fields["dtype"] not in ((2, 32, 1), (2, 32, 2)),
        "takes_any_lanes": lambda: fields["dtype"][2] != 1,
        "takes_any_device": lambda: fields["device"][0] != 1,
        "takes_negative_extents": lambda: any(extent < 0 for extent in shape or []),
        "takes_negative_rank": lambda: fields["ndim"] < 0,
        "takes_overflow": lambda: size >= 1 << 60 or reach >= 1 << 60,
        "takes_null_shape": lambda: fields["ndim"] > 0 and fields["shape_null"],
        "takes_null_data": lambda: size != 0 and not fields["data"],
        "refuses_null_strides": lambda: False,
    }
    for name, holds in reasons.items():
        if name != fault and holds():
            if fault == "deletes_what_it_refuses":
                dt.rename_capsule(capsule, dt.capsule_name(capsule))
                held = peeked(capsule)
                held.delete()
            raise (ValueError if fault == "refuses_with_a_value_error" else BufferError)(name)
    refusing(fields, fault, version)
    if fault in reasons and reasons[fault]():
        fields["shape"], fields["strides"] = [0], [1]  # nothing of it can be read


def refusing(fields: dict[str, Any], fault: str, version: tuple[int, int]) -> None:
    """Refuses what is to be taken, if that is the fault."""
    flags = fields["flags"] or 0
    wrong = {
        "refuses_null_strides": fields["strides_null"] and fields["ndim"] > 0,
        "refuses_newer_minors": version[1] > 3,
        "refuses_read_only": bool(flags & 1),
        "refuses_unknown_flags": bool(flags >> 3),
        "refuses_empty": 0 in (fields["shape"] or []),
        "refuses_scalars": fields["ndim"] == 0,
        "refuses_null_deleters": fields["deleter_null"],
    }
    if wrong.get(fault, False):
        raise BufferError(fault)


def __getattr__(name: str) -> Any:
    role, _, fault = name.partition("_")
    if role == "producer":
        return lambda: Producer(fault)
    if role == "consumer":

        def from_dlpack(x: Any, /, *, device: Any = None, copy: Any = None) -> Any:
            return take(x, fault, device, copy)

        return from_dlpack
    raise AttributeError(name)
