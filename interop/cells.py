"""Single exchanges, and the names of what came of them. They run in a process that may crash."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

import dlferry
import tensors


def library(name: str) -> ModuleType:
    """Import the code for a library, and with it the library."""
    return importlib.import_module(f"libraries.{name}")


def refused(error: BaseException) -> str:
    """Name a refusal by the kind of its error."""
    return f"refused {type(error).__name__}"


def into(name: str, way: str, dtype: str, layout: str) -> str:
    """Take an array of the library: `shared, writable, dlpack`, as the tensor says and the address proves."""
    theirs = library(name)
    array = theirs.make(dtype, layout)
    if array is None:
        return "absent"
    values, pointer = theirs.values(array), theirs.pointer(array)
    try:
        tensor = getattr(dlferry, way)(array)
    except Exception as error:
        return refused(error)
    del array
    if tensor.tolist() != values:
        return f"wrong: {tensor.tolist()} instead of {values}"
    if str(tensor.dtype) != dtype:
        return f"wrong: dtype {tensor.dtype}"
    said = {True: "copied", False: "shared", None: "untold"}[tensor.copied]
    is_told = tensor.copied is not None and pointer is not None
    if is_told and tensor.size and (tensor.data_ptr == pointer) is tensor.copied:
        return f"wrong: it says {said} of {tensor.data_ptr:#x} and {pointer:#x}"
    return f"{said}, {'read-only' if tensor.readonly else 'writable'}, {tensor.source}"


def out_of(name: str, way: str, dtype: str, layout: str) -> str:
    """Give a tensor to the library: `shared, writable`, as the address proves and its array says."""
    theirs = library(name)
    tensor = tensors.tensor(dtype, layout)
    values, pointer = tensor.tolist(), tensor.data_ptr
    try:
        array = theirs.WAYS[way](tensor)
    except Exception as error:
        return refused(error)
    # From here on, their array alone keeps the memory.
    del tensor
    return outcome(theirs, array, dtype, values, pointer)


def outcome(theirs: ModuleType, array: Any, dtype: str, values: Any, pointer: int) -> str:
    """Name what became of a tensor in their hands."""
    if hasattr(theirs, "narrowed") and theirs.narrowed(array, dtype):
        return "narrowed"
    found = theirs.values(array)
    if found is not ... and found != values:
        return f"wrong: {found} instead of {values}"
    address = theirs.pointer(array)
    is_known = address is not None and values != [[], []]
    words = [("shared" if address == pointer else "copied") if is_known else "taken"]
    writable = theirs.writable(array)
    if writable is not None:
        words.append("writable" if writable else "read-only")
    return ", ".join(words)


def quirk(name: str, probe: str) -> str:
    """Run the probe of a quirk: what it answers, or how it fails."""
    try:
        return str(getattr(library(name), probe)())
    except Exception as error:
        return refused(error)


def chain(*names: str) -> str:
    """Carry a tensor through libraries, back into dlferry after each: what it is after each hop."""
    tensor = tensors.tensor(names[0], names[1])
    values, pointer = tensor.tolist(), tensor.data_ptr
    hops = []
    for name in names[2:]:
        theirs = library(name)
        try:
            array = theirs.WAYS[theirs.CHAIN](tensor)
            tensor = dlferry.from_dlpack(array)
        except Exception as error:
            return ", ".join([*hops, refused(error)])
        del array
        if tensor.tolist() != values or str(tensor.dtype) != names[0]:
            return f"wrong: {name} gave {tensor.tolist()} of {tensor.dtype}"
        # A library that shares aligned memory alone does right to copy the rest.
        may_share = pointer % getattr(theirs, "ALIGNMENT", 1) == 0
        words = "shared" if (tensor.data_ptr == pointer) is may_share else "copied"
        hops.append(words + " read-only" * tensor.readonly)
        pointer = tensor.data_ptr
    return ", ".join(hops)


RUN = {"into": into, "out_of": out_of, "quirk": quirk, "chain": chain}
