"""The exchange table of ``dlferry.Tensor``, called as C does: rules E1 to E8, R9.11, R9.12; decisions 5.1 and 5.6."""

import os

import dlferry
import dlferry_testing as dt
import pytest
from craft import CUDA, IS_COPIED, PADDED, READ_ONLY, deletions, floats, on_device, taken

NO_ASAN = pytest.mark.skipif(
    "DLFERRY_ASAN" in os.environ, reason="SKIPPED: AddressSanitizer ends a process that asks for so much"
)

MEMBERS = [
    "managed_tensor_allocator",
    "managed_tensor_from_py_object_no_sync",
    "managed_tensor_to_py_object_no_sync",
    "dltensor_from_py_object_no_sync",
    "current_work_stream",
]


def test_table_is_complete_and_of_our_version():
    """E3, E4: no member is NULL, and there is no older table."""
    assert dt.exchange_table(dlferry.Tensor) == {
        "version": (1, 3),
        "prev_null": True,
        "prev": [],
        "members_null": dict.fromkeys(MEMBERS, False),
    }


def test_table_is_in_a_capsule_on_the_type():
    """E1: of the right name, and the same each time."""
    assert dt.capsule_name(dlferry.Tensor.__dlpack_c_exchange_api__) == "dlpack_exchange_api"
    assert dlferry.Tensor.__dlpack_c_exchange_api__ is dlferry.Tensor.__dlpack_c_exchange_api__


def test_type_has_no_subclasses():
    """E5: so the table never meets a type that it does not know."""
    with pytest.raises(TypeError, match="not an acceptable base type"):
        type("Sub", (dlferry.Tensor,), {})


def test_export_shares_the_memory():
    """E4: a struct of its own, deleted by who asked."""
    crafted = floats()
    tensor = taken(crafted)
    held = dt.exchange_from(tensor)
    fields = held.inspect()
    assert fields["data"] == crafted.address
    assert (fields["version"], fields["flags"]) == ((1, 3), 0)
    assert (fields["shape"], fields["strides"], fields["dtype"]) == ([2, 3], [3, 1], (2, 32, 1))
    assert not fields["deleter_null"]
    del tensor
    assert deletions(crafted) == 0
    held.delete()
    assert deletions(crafted) == 1


@pytest.mark.parametrize(
    ("flags", "expected"), [(READ_ONLY, READ_ONLY), (IS_COPIED, 0), (IS_COPIED | READ_ONLY, READ_ONLY)]
)
def test_export_has_the_flags(flags, expected):
    """E8, 5.1, 5.3."""
    held = dt.exchange_from(taken(floats(flags=flags)))
    assert held.inspect()["flags"] == expected
    held.delete()


def test_export_of_memory_elsewhere_is_not_looked_into():
    """5.12."""
    held = dt.exchange_from(taken(on_device(CUDA, 1)))
    assert held.inspect()["device"] == (CUDA, 1)
    held.delete()


def test_borrowed_tensor_points_into_the_object():
    """E4: nothing to delete."""
    crafted = floats()
    tensor = taken(crafted)
    first, second = dt.exchange_borrow(tensor), dt.exchange_borrow(tensor)
    assert first == second
    assert (first["data"], first["device"], first["ndim"], first["byte_offset"]) == (
        crafted.address,
        (1, 0),
        2,
        0,
    )
    assert (first["shape"], first["strides"], first["dtype"]) == ([2, 3], [3, 1], (2, 32, 1))
    del tensor
    assert deletions(crafted) == 1


@pytest.mark.parametrize("shape", [[], [0], [0, 3]])
def test_borrowed_tensor_of_no_axes_or_elements(shape):
    """R3.5, R3.7, R9.4: pointers to nothing, NULL for no data."""
    crafted = floats(shape=shape, strides=[1] * len(shape))
    lent = dt.exchange_borrow(taken(crafted))
    assert (lent["shape"], lent["ndim"]) == (shape, len(shape))
    assert lent["data"] == (crafted.address if shape == [] else 0)
    assert not lent["shape_null"]
    assert not lent["strides_null"]


@pytest.mark.parametrize(
    ("fields", "style"),
    [
        ({"flags": READ_ONLY}, "new"),
        ({}, "always_unversioned"),
        ({"strides": [0, 1]}, "new"),
        ({"flags": PADDED, "code": 1, "bits": 4}, "new"),
    ],
    ids=["flag", "unversioned", "broadcast", "padded"],
)
def test_what_a_borrowed_tensor_cannot_say_is_not_lent(fields, style):
    """5.1, R6.8: it has no flags, so its borrower would write."""
    tensor = taken(floats(**fields), style)
    with pytest.raises(BufferError, match="read-only or padded"):
        dt.exchange_borrow(tensor)
    dt.exchange_from(tensor).delete()


@pytest.mark.parametrize("member", [dt.exchange_from, dt.exchange_borrow])
def test_object_of_another_type_is_refused(member):
    """E5: an error, and no guess about its memory."""
    stolen = type("Stolen", (), {"__dlpack_c_exchange_api__": dlferry.Tensor.__dlpack_c_exchange_api__})
    with pytest.raises(TypeError, match="Stolen"):
        member(stolen())


def test_object_is_made_of_a_managed_tensor():
    """E4: the tensor is taken over."""
    crafted = floats(flags=READ_ONLY)
    made = dt.exchange_to(dlferry.Tensor, crafted.capsule())
    assert type(made) is dlferry.Tensor
    assert (made.data_ptr, made.readonly, made.source, made.owner) == (
        crafted.address,
        True,
        "exchange",
        None,
    )
    assert made.tolist()[1] == [3.0, 4.0, 5.0]
    del made
    assert deletions(crafted) == 1


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"version": (2, 0)}, "major version 1"),
        ({"ndim": -1}, "ndim is -1"),
        ({"shape": [-2]}, "extent -2"),
        ({"null_data": True}, "data is NULL"),
        ({"lanes": 0}, "0 lanes"),
        ({"strides": [2**62, 1], "address": 0xDEAD0000}, "further than"),
    ],
)
def test_malformed_tensor_stays_the_callers(fields, text):
    """R9.11: on failure the deleter is not run; the caller still owns what it passed."""
    crafted = floats(**fields)
    capsule = crafted.capsule()
    with pytest.raises(BufferError, match=text):
        dt.exchange_to(dlferry.Tensor, capsule)
    assert deletions(crafted) == 0
    dt.rename_capsule(capsule, "dltensor_versioned")
    del capsule
    assert deletions(crafted) == 1


@pytest.mark.parametrize("detached", [True, False])
def test_allocator_makes_host_memory(detached):
    """E4: row-major zeros, writable, nobody else's; without the GIL as with it."""
    held = dt.exchange_allocate(dlferry.Tensor, [2, 3], (2, 32, 1), detached=detached)
    fields = held.inspect()
    assert (fields["shape"], fields["strides"], fields["dtype"]) == ([2, 3], [3, 1], (2, 32, 1))
    assert (fields["device"], fields["byte_offset"]) == ((1, 0), 0)
    assert fields["flags"] & READ_ONLY == 0
    assert fields["data"] % 64 == 0
    assert held.read_bytes(24) == bytes(24)
    held.write_bytes(b"\1" * 24)
    assert held.delete_on_thread()


@pytest.mark.parametrize(
    ("shape", "dtype"), [([], (2, 64, 1)), ([0, 7], (0, 8, 1)), ([5], (17, 4, 1)), ([3], (2, 32, 4))]
)
def test_allocator_takes_any_shape_and_dtype(shape, dtype):
    """E4: no axes, no elements, packed ones, vectors."""
    held = dt.exchange_allocate(dlferry.Tensor, shape, dtype)
    fields = held.inspect()
    assert (fields["shape"], fields["dtype"]) == (shape, dtype)
    assert (fields["data"] == 0) is (0 in shape)
    held.delete()


@pytest.mark.parametrize("detached", [True, False])
@pytest.mark.parametrize(
    ("shape", "dtype", "device", "kind", "text"),
    [
        pytest.param([1 << 45], (2, 64, 1), (1, 0), "MemoryError", "could not be allocated", marks=NO_ASAN),
        ([1 << 62, 8], (2, 32, 1), (1, 0), "BufferError", "than can be counted"),
        ([-1], (2, 32, 1), (1, 0), "BufferError", "extent -1"),
        ([2], (2, 32, 0), (1, 0), "BufferError", "0 lanes"),
        ([2], (6, 1, 1), (1, 0), "BufferError", "bool has 8"),
        ([2], (2, 32, 1), (CUDA, 0), "BufferError", "cuda:0"),
    ],
)
def test_allocator_says_once_why_not(shape, dtype, device, kind, text, detached):
    """E4: through SetError, with a Python exception's name, and -1; no exception is set."""
    with pytest.raises(RuntimeError) as caught:
        dt.exchange_allocate(dlferry.Tensor, shape, dtype, device, detached=detached)
    assert caught.value.args[0] == kind
    assert text in caught.value.args[1]


@pytest.mark.parametrize("device", [(1, 0), (1, 3), (CUDA, 0), (99, 0)])
def test_stream_is_none(device):
    """E4: NULL for devices without streams, and we work on no other."""
    assert dt.exchange_stream(dlferry.Tensor, *device) is None


def test_export_and_import_make_a_round():
    """E4: the object that comes back shares the memory."""
    crafted = floats()
    capsule = taken(crafted).__dlpack__(max_version=(1, 0))
    made = dt.exchange_to(dlferry.Tensor, capsule)
    assert made.data_ptr == crafted.address
    assert deletions(crafted) == 0
    del made
    assert deletions(crafted) == 1
