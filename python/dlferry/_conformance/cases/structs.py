"""Producers: each field of the struct."""

from __future__ import annotations

from typing import Any

from ..case import DeviatesError, NotApplicableError, producer
from ..look import Taken, ask, exported, first_byte, flat, inspected, is_sane, refused, same, versioned
from ..subject import Made, Subject


def _shown(made: Made) -> list[Any] | None:
    """The elements as the array itself lists them."""
    if made.values is not None:
        return list(made.values)
    try:
        with memoryview(made.array) as view:
            listed = view.tolist()
    except Exception:
        try:
            listed = made.array.tolist()
        except Exception:
            return None
    return list(flat(listed))


def _values_are_right(made: Made) -> None:
    capsule, fields = exported(made.array)
    is_sane(fields)
    shape = tuple(fields["shape"] or ())
    if made.shape is not None and shape != made.shape:
        raise DeviatesError(f"an array of shape {made.shape} has shape {shape} in the struct")
    expected = _shown(made)
    if expected is None:
        raise NotApplicableError("the array does not list its elements")
    with Taken(capsule) as taken:
        values = taken.values()
    if not same(values, expected):
        raise DeviatesError(f"the elements of the struct are {values}, those of the array {expected}")


@producer("R3.1", "header", "must")
def elements_are_those_of_the_array(subject: Subject) -> None:
    """The struct describes the elements of the array."""
    _values_are_right(subject.make())


@producer(
    "R3.2", "header", "must", {"transposed": "transposed", "every second": "strided", "reversed": "reversed"}
)
def strides_count_elements(subject: Subject, kind: str) -> None:
    """Strides count elements, so that a view ({}) has the right ones."""
    made = subject.make(kind)
    error = refused(lambda: exported(made.array))
    if error is not None:
        raise NotApplicableError(f"it exports none of this kind: {error}")
    _values_are_right(made)


@producer("R3.3", "header", "must")
def strides_are_there(subject: Subject) -> None:
    """The versioned struct has strides when it has axes: since 1.2 they may not be NULL."""
    _, fields = versioned(subject.make().array)
    if fields["ndim"] and fields["strides_null"]:
        if fields["version"] < (1, 2):
            raise NotApplicableError(f"a struct of version {fields['version']} may have NULL strides")
        raise DeviatesError(f"the strides of a struct of version {fields['version']} are NULL")


@producer("R3.4", "observed", "usual")
def unversioned_strides_are_there(subject: Subject) -> None:
    """The unversioned struct has strides, too, when it has axes."""
    array = subject.make().array
    if isinstance(refused(array.__dlpack__), BufferError):
        raise NotApplicableError("no unversioned struct")
    fields = inspected(ask(array))
    if fields["ndim"] and fields["strides_null"]:
        raise DeviatesError("the strides are NULL")


@producer("R3.6", "header", "must")
def scalar_has_data(subject: Subject) -> None:
    """An array without axes has one element, and data."""
    made = subject.make("scalar")
    _, fields = exported(made.array)
    if fields["ndim"] != 0:
        raise DeviatesError(f"the struct has ndim {fields['ndim']}")
    _values_are_right(made)


@producer("R3.7", "header", "should")
def empty_has_no_data(subject: Subject) -> None:
    """The data of an array without elements is NULL."""
    _, fields = exported(subject.make("empty").array)
    if 0 not in (fields["shape"] or ()):
        raise DeviatesError(f"an array without elements has shape {fields['shape']} in the struct")
    if fields["data"]:
        raise DeviatesError("the data pointer is not NULL")


@producer("R3.12", "observed", "usual")
def offset_is_in_the_pointer(subject: Subject) -> None:
    """byte_offset is 0 for host memory, for some consumers ignore it."""
    for kind in ("plain", "strided"):
        try:
            made = subject.make(kind)
        except NotApplicableError:
            continue
        _, fields = exported(made.array)
        if fields["device"][0] == 1 and fields["byte_offset"]:
            raise DeviatesError(f"byte_offset is {fields['byte_offset']}")


@producer("R1.8", "header", "should")
def host_is_device_zero(subject: Subject) -> None:
    """The device_id of host memory is 0."""
    _, fields = exported(subject.make().array)
    if fields["device"][0] != 1:
        raise NotApplicableError(f"its arrays are on device {fields['device']}")
    if fields["device"][1]:
        raise DeviatesError(f"the device is {fields['device']}")


@producer("R1.7", "header", "must")
def device_type_is_a_known_one(subject: Subject) -> None:
    """The device type is one that the header has."""
    _, fields = exported(subject.make().array)
    if fields["device"][0] not in {*range(1, 5), *range(7, 22)}:
        raise DeviatesError(f"the device is {fields['device']}")


@producer("R1.15", "header", "must")
def dtype_is_meaningful(subject: Subject) -> None:
    """The dtype has a known code, a width and lanes."""
    _, fields = exported(subject.make().array)
    code, bits, lanes = fields["dtype"]
    if code > 18 or not bits or not lanes:
        raise DeviatesError(f"the dtype is {fields['dtype']}")


@producer("R1.14", "here", "usual")
def unknown_flags_are_not_set(subject: Subject) -> None:
    """No flag is set that DLPack 1.3 does not have."""
    _, fields = versioned(subject.make().array)
    if fields["flags"] & ~7:
        raise DeviatesError(f"the flags are {fields['flags']:#x}")


@producer("R6.7", "observed", "usual")
def padded_is_about_less_than_a_byte(subject: Subject) -> None:
    """The flag for padded elements is not set on elements of whole bytes."""
    _, fields = versioned(subject.make().array)
    if fields["flags"] & 4 and fields["dtype"][1] % 8 == 0:
        raise DeviatesError(f"the flags are {fields['flags']} and the dtype {fields['dtype']}")


@producer("R1.3", "header", "must")
def both_structs_say_the_same(subject: Subject) -> None:
    """The versioned and the unversioned struct describe the same array."""
    array = subject.make().array
    if isinstance(refused(array.__dlpack__), BufferError):
        raise NotApplicableError("no unversioned struct")
    _, newer = versioned(array)
    older = inspected(ask(array))
    for name in ("shape", "dtype", "device", "ndim"):
        if newer[name] != older[name]:
            raise DeviatesError(
                f"{name} is {newer[name]} in the versioned struct and {older[name]} in the other"
            )
    if first_byte(newer) != first_byte(older) and not newer["flags"] & 2:
        raise DeviatesError("the two have other memory, and no flag says that there was a copy")


@producer("R2.10", "observed", "usual")
def deleter_is_there(subject: Subject) -> None:
    """The deleter is not NULL, for some consumers call it unseen."""
    _, fields = exported(subject.make().array)
    if fields["deleter_null"]:
        raise DeviatesError("the deleter is NULL")
