"""The crafted exchange tables and the caller of anybody's table, against each other and against peers."""

import dlferry_testing as dt
import pytest

ALLOCATOR = "managed_tensor_allocator"
FROM = "managed_tensor_from_py_object_no_sync"
TO = "managed_tensor_to_py_object_no_sync"
BORROW = "dltensor_from_py_object_no_sync"
STREAM = "current_work_stream"
MEMBERS = [ALLOCATOR, FROM, TO, BORROW, STREAM]


def calls(cls, **expected):
    """Check the counts of a table; those not named are zero."""
    keys = [*MEMBERS, "forbidden", "detached"]
    assert dt.table_calls(cls) == {key: expected.get(key, 0) for key in keys}


def test_each_type_has_a_table_of_its_own(floats):
    one, two = dt.exchange_type(floats), dt.exchange_type(floats, name="Two")
    assert one is not two
    assert (one.__name__, two.__name__) == ("Exchanged", "Two")
    dt.exchange_from(one()).delete()
    calls(one, **{FROM: 1})
    calls(two)
    assert not hasattr(one, "__dlpack__")


def test_table_shows_version_links_and_null_members(floats):
    cls = dt.exchange_type(floats, version=(1, 9), prev=[(1, 2), (0, 5)], null=[ALLOCATOR], dltensor=False)
    assert dt.exchange_table(cls) == {
        "version": (1, 9),
        "prev_null": False,
        "prev": [(1, 2), (0, 5)],
        "members_null": {ALLOCATOR: True, FROM: False, TO: False, BORROW: True, STREAM: False},
    }
    with pytest.raises(ValueError, match="is NULL"):
        dt.exchange_borrow(cls())
    with pytest.raises(ValueError, match="no member 'alloc'"):
        dt.exchange_type(floats, null=["alloc"])


def test_table_of_another_major_is_passed_over(floats):
    cls = dt.exchange_type(floats, version=(2, 0), prev=[(3, 0), (1, 3)])
    assert dt.exchange_table(cls)["members_null"] is None
    dt.exchange_from(cls()).delete()
    calls(cls, **{FROM: 1})
    with pytest.raises(ValueError, match="no table of major version 1"):
        dt.exchange_from(dt.exchange_type(floats, version=(2, 0))())


def test_call_of_another_major_is_counted_and_fails(floats):
    cls = dt.exchange_type(floats, version=(2, 0), prev=[(1, 3)])
    with pytest.raises(SystemError, match="of another major"):
        dt.exchange_from(cls(), check_version=False)
    calls(cls, forbidden=1)
    dt.exchange_from(dt.exchange_type(floats)(), check_version=False).delete()


def test_wrong_capsule_name_is_no_table(floats):
    cls = dt.exchange_type(floats, capsule_name="dlpack_exchange_api_v2")
    assert dt.capsule_name(cls.__dlpack_c_exchange_api__) == "dlpack_exchange_api_v2"
    with pytest.raises(ValueError, match="incorrect name"):
        dt.exchange_table(cls)


def test_members_export_and_lend_the_recipe(floats):
    cls = dt.exchange_type(floats)
    held = dt.exchange_from(cls())
    assert held.inspect()["data"] == floats.address
    held.delete()
    lent = dt.exchange_borrow(cls())
    assert (lent["data"], lent["shape"], lent["strides"]) == (floats.address, [2, 3], [3, 1])
    assert len(floats.deleter_calls) == 1
    calls(cls, **{FROM: 1, BORROW: 1})


def test_members_take_subclasses_and_refuse_others(floats):
    cls, other = dt.exchange_type(floats), dt.exchange_type(floats)

    class Sub(cls):
        pass

    dt.exchange_from(Sub()).delete()
    stolen = type("Stolen", (), {"__dlpack_c_exchange_api__": other.__dlpack_c_exchange_api__})
    with pytest.raises(TypeError, match="not of the table's type: Stolen"):
        dt.exchange_from(stolen())


def test_received_tensor_is_exported_again_and_deleted_with_its_last_user(floats):
    cls = dt.exchange_type(dt.Crafted(b"", shape=[0]))
    capsule = floats.capsule()
    made = dt.exchange_to(cls, capsule)
    assert type(made) is cls
    assert dt.capsule_name(capsule) == "used_dltensor_versioned"
    assert made.inspect()["data"] == floats.address
    assert cls().inspect() is None
    assert dt.exchange_borrow(made)["data"] == floats.address
    held = dt.exchange_from(made)
    del made, capsule
    assert held.read_bytes(24) == floats.read()
    assert floats.deleter_calls == []
    held.delete()
    assert len(floats.deleter_calls) == 1
    with pytest.raises(ValueError, match="versioned"):
        dt.exchange_to(cls, floats.capsule(False))


@pytest.mark.parametrize("detached", [False, True])
def test_allocator_makes_zeros(floats, detached):
    cls = dt.exchange_type(floats)
    held = dt.exchange_allocate(cls, [2, 3], (2, 32, 1), (1, 0), detached=detached)
    seen = held.inspect()
    assert (seen["shape"], seen["strides"], seen["dtype"]) == ([2, 3], [3, 1], (2, 32, 1))
    assert held.read_bytes(24) == bytes(24)
    held.delete()
    with pytest.raises(RuntimeError) as caught:
        dt.exchange_allocate(cls, [1 << 40], (2, 32, 1), detached=detached)
    assert caught.value.args == ("MemoryError", "the prototype's size is out of reach")
    calls(cls, **{ALLOCATOR: 2})


def test_members_fail_as_told(floats):
    errors = {member: KeyError(member) for member in MEMBERS}
    cls = dt.exchange_type(floats, fails=errors)
    attempts = {
        FROM: lambda: dt.exchange_from(cls()),
        BORROW: lambda: dt.exchange_borrow(cls()),
        STREAM: lambda: dt.exchange_stream(cls, 1, 0),
        TO: lambda: dt.exchange_to(cls, kept.capsule()),
    }
    kept = dt.Crafted(bytes(4), shape=[1], null_deleter=True)
    for member, attempt in attempts.items():
        with pytest.raises(KeyError) as caught:
            attempt()
        assert caught.value is errors[member]
    with pytest.raises(RuntimeError) as caught:
        dt.exchange_allocate(cls, [1], (2, 32, 1))
    assert caught.value.args == ("KeyError", f"'{ALLOCATOR}'")
    calls(cls, **dict.fromkeys(MEMBERS, 1))


def test_stream_is_null_unless_set(floats):
    assert dt.exchange_stream(dt.exchange_type(floats), 1, 0) is None
    assert dt.exchange_stream(dt.exchange_type(floats, stream=0x70), 2, 0) == 0x70


def test_style_adds_the_protocol(floats):
    cls = dt.exchange_type(floats, style="stream_only", device=(3, 0))
    assert dt.capsule_name(cls().__dlpack__(stream=None)) == "dltensor"
    assert cls().__dlpack_device__() == (3, 0)
    assert cls.producer.calls == [{"stream": None}]


def test_tvm_ffi_consumes_the_table(floats):
    tvm_ffi = pytest.importorskip("tvm_ffi")
    cls = dt.exchange_type(floats)
    tensor = tvm_ffi.from_dlpack(cls())
    assert tuple(tensor.shape) == (2, 3)
    assert tensor.data_ptr() == floats.address
    del tensor
    assert len(floats.deleter_calls) == 1
    calls(cls, **{FROM: 1})


@pytest.mark.torch
def test_torch_table_answers():
    torch = pytest.importorskip("torch")
    table = dt.exchange_table(torch.Tensor)
    assert table["version"][0] == 1
    tensor = torch.arange(6, dtype=torch.int16).reshape(2, 3)
    assert dt.exchange_borrow(tensor)["data"] == tensor.data_ptr()
    held = dt.exchange_from(tensor)
    assert held.read_bytes(4) == b"\0\0\1\0"
    held.delete_on_thread()
    assert dt.exchange_stream(torch.Tensor, 1, 0) is None
    held = dt.exchange_allocate(torch.Tensor, [2, 2], (2, 32, 1), detached=True)
    assert held.inspect()["shape"] == [2, 2]
    held.delete()
    crafted = dt.Crafted(b"\1\2", shape=[2], strides=[1], code=1, bits=8)
    made = dt.exchange_to(torch.Tensor, crafted.capsule())
    assert made.tolist() == [1, 2]
    del made
    assert [call["attached"] for call in crafted.deleter_calls] == [False]
