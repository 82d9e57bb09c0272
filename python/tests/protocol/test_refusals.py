"""What an import refuses: decision 5.7; rules R1.10, R1.11, R3.19 to R3.21, R9.18.

Every row is refused as ``BufferError`` whose text says what was found, with the data at an address that leads nowhere;
and the tensor is deleted once: by the capsule's own destructor, or by the importer when it came through an exchange
table.
"""

from typing import Any

import dlferry
import dlferry_testing as dt
import pytest
from craft import CUDA, NOWHERE, PADDED, deletions, floats, taken

BIG = 2**62
I64 = 2**63 - 1

REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "major 0": ({"version": (0, 9)}, r"DLPack 0\.9"),
    "major 2": ({"version": (2, 0)}, r"DLPack 2\.0"),
    "negative ndim": ({"ndim": -1}, "ndim is -1"),
    "most negative ndim": ({"ndim": -(2**31)}, "ndim is -2147483648"),
    "negative extent": ({"shape": [2, -3]}, "axis 1 has extent -3"),
    "negative extent beside an empty axis": ({"shape": [0, -3]}, "axis 1 has extent -3"),
    "most negative extent": ({"shape": [-I64 - 1, 0]}, "axis 0 has extent -9223372036854775808"),
    "NULL shape": ({"shape": None, "ndim": 2}, "shape is NULL although ndim is 2"),
    "NULL data": ({"null_data": True, "address": None}, "data is NULL although the tensor has 6 elements"),
    "NULL data of a scalar": (
        {"null_data": True, "address": None, "shape": [], "strides": []},
        "data is NULL although the tensor has 1 element",
    ),
    "too many elements": ({"shape": [BIG, 4]}, "more elements than can be counted"),
    "too many elements, negative when multiplied": ({"shape": [2**33, 2**30]}, "than can be counted|further"),
    "too many elements, none when multiplied": (
        {"shape": [2**32, 2**32]},
        "more elements than can be counted",
    ),
    "too many bytes": ({"shape": [2**31, 2**31], "strides": None}, "further than an address can"),
    "strides reach too far": ({"strides": [I64, I64]}, "further than|address"),
    "negative strides reach too far": ({"strides": [-I64, -I64]}, "further than|address"),
    "most negative stride": ({"strides": [-I64 - 1, 1]}, "further than|address"),
    "bytes reach too far": ({"strides": [BIG, 1]}, "further than an address can"),
    "address ends too high": ({"address": 2**64 - 16}, "beyond the address space"),
    "address begins too low": ({"address": 8, "strides": [-3, 1]}, "beyond the address space"),
    "offset beyond the address space": (
        {"byte_offset": 2**64 - 1},
        "beyond the address space .*18446744073709551615",
    ),
    "offset that ends too high": ({"byte_offset": I64, "address": I64}, "beyond the address space"),
    "no lanes": ({"lanes": 0}, "0 lanes"),
    "no bits": ({"bits": 0}, "0 bits"),
    "bool of 1 bit": ({"code": 6, "bits": 1}, "1 bits, but bool has 8"),
    "bool of 32 bits": ({"code": 6, "bits": 32}, "32 bits, but bool has 8"),
    "bcomplex of 64 bits": ({"code": 18, "bits": 64}, "64 bits, but .* has 32"),
    "float8 of 16 bits": ({"code": 10, "bits": 16}, "16 bits, but float8_e4m3fn has 8"),
    "float6_e2m3fn of 8 bits": ({"code": 15, "bits": 8}, "8 bits, but float6_e2m3fn has 6"),
    "float6_e3m2fn of 8 bits": ({"code": 16, "bits": 8}, "8 bits, but float6_e3m2fn has 6"),
    "float4_e2m1fn of 8 bits": ({"code": 17, "bits": 8}, "8 bits, but float4_e2m1fn has 4"),
    "padding beyond a byte": (
        {"code": 0, "bits": 4, "lanes": 3, "flags": PADDED},
        "padded flag .*below 8 bits",
    ),
}
ROWS = [pytest.param(fields, text, id=name) for name, (fields, text) in REFUSED.items()]
# Those that do not speak of what only the versioned struct has.
UNVERSIONED = [
    pytest.param(fields, text, id=name)
    for name, (fields, text) in REFUSED.items()
    if not {"version", "flags"} & fields.keys()
]


def crafted_at(fields: dict[str, Any], **more: object) -> dt.Crafted:
    return floats(**{"address": NOWHERE, **fields, **more})


@pytest.mark.parametrize(("fields", "text"), ROWS)
def test_refused_capsule_says_what_was_found(fields, text):
    """5.7, R2.6: the capsule was not taken, so its own destructor deletes."""
    crafted = crafted_at(fields)
    with pytest.raises(BufferError, match=text) as caught:
        taken(crafted)
    assert type(caught.value) is BufferError
    assert deletions(crafted) == 1
    assert crafted.deleter_calls[0]["original"]


@pytest.mark.parametrize(("fields", "text"), ROWS)
def test_refused_capsule_stays_as_it_was(fields, text):
    """R2.6: not renamed, and deleted when it goes, not before."""
    crafted = crafted_at(fields)
    capsule = crafted.capsule()
    with pytest.raises(BufferError, match=text):
        dlferry.from_dlpack(capsule)
    assert dt.capsule_name(capsule) == "dltensor_versioned"
    assert deletions(crafted) == 0
    del capsule
    assert deletions(crafted) == 1


@pytest.mark.parametrize(("fields", "text"), UNVERSIONED)
def test_refused_unversioned_capsule_says_what_was_found(fields, text):
    """5.7: the same checks for the struct without a version."""
    crafted = crafted_at(fields)
    with pytest.raises(BufferError, match=text):
        taken(crafted, "always_unversioned")
    assert deletions(crafted) == 1


@pytest.mark.parametrize(("fields", "text"), ROWS)
def test_refused_tensor_of_an_exchange_table_is_deleted(fields, text):
    """5.7, R2.7, E4: what a table gives is the caller's, refused or not."""
    crafted = crafted_at(fields)
    cls = dt.exchange_type(crafted)
    with pytest.raises(BufferError, match=text):
        dlferry.from_dlpack(cls())
    assert deletions(crafted) == 1


@pytest.mark.parametrize(("fields", "text"), ROWS)
def test_device_excuses_nothing(fields, text):
    """5.7: the description is checked wherever the memory is."""
    crafted = crafted_at(fields, device=(CUDA, 0))
    with pytest.raises(BufferError, match=text):
        taken(crafted)
    assert deletions(crafted) == 1


@pytest.mark.parametrize("keywords", [{"copy": True}, {"copy": False}, {"writable": True}, {"device": "cpu"}])
def test_keywords_excuse_nothing(keywords):
    """5.7: asked for a copy, a malformed tensor is refused before it is read."""
    for fields, text in REFUSED.values():
        crafted = crafted_at(fields)
        with pytest.raises(BufferError, match=text):
            taken(crafted, **keywords)
        assert deletions(crafted) == 1


def test_ndim_beyond_any_array_is_not_followed():
    """R3.20: there is no limit, so the extents that follow are read and refused on their own."""
    crafted = crafted_at({"shape": [-1], "ndim": 4096, "strides": None})
    with pytest.raises(BufferError, match="axis 0 has extent -1"):
        taken(crafted)
    assert deletions(crafted) == 1
