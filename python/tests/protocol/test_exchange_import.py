"""The C exchange API of other libraries' types: rules E1 to E11; decisions 5.9, 5.12."""

import ctypes
from typing import Any

import dlferry
import dlferry_testing as dt
import pytest
from craft import CUDA, IS_COPIED, READ_ONLY, deletions, floats, on_device, taken
from tables import Table, answering, type_with

ALLOCATOR = "managed_tensor_allocator"
FROM = "managed_tensor_from_py_object_no_sync"
TO = "managed_tensor_to_py_object_no_sync"
BORROW = "dltensor_from_py_object_no_sync"
STREAM = "current_work_stream"


def asked(cls: type) -> int:
    """Count the exports through a table, none of which was of an unknown version or without the GIL."""
    calls = dt.table_calls(cls)
    assert (calls["forbidden"], calls["detached"]) == (0, 0)
    assert [calls[member] for member in (ALLOCATOR, TO, BORROW, STREAM)] == [0, 0, 0, 0]
    return int(calls[FROM])


def test_table_is_preferred_to_the_method():
    """E6, section 3: the method is not called at all."""
    crafted = floats()
    cls = dt.exchange_type(crafted, style="new")
    owner = cls()
    tensor = dlferry.from_dlpack(owner)
    assert (tensor.source, tensor.data_ptr) == ("exchange", crafted.address)
    assert tensor.owner is owner
    assert (asked(cls), cls.producer.calls, cls.producer.device_calls) == (1, [], 0)
    del tensor
    assert deletions(crafted) == 1
    assert crafted.deleter_calls[0]["original"]


def test_table_suffices():
    """E1: no method is needed."""
    cls = dt.exchange_type(floats())
    assert dlferry.from_dlpack(cls()).tolist()[0] == [0.0, 1.0, 2.0]


def test_subclass_inherits_the_table():
    """E5."""
    cls = dt.exchange_type(floats())
    tensor = dlferry.from_dlpack(type("Sub", (cls,), {})())
    assert (tensor.source, asked(cls)) == ("exchange", 1)


def test_flags_of_the_table_count():
    """E8, 5.1, 5.5."""
    cls = dt.exchange_type(floats(flags=READ_ONLY | IS_COPIED))
    tensor = dlferry.from_dlpack(cls())
    assert (tensor.readonly, tensor.copied) == (True, True)
    with pytest.raises(dlferry.CopyRequiredError):
        dlferry.from_dlpack(cls(), copy=False)
    with pytest.raises(BufferError, match="read-only"):
        dlferry.from_dlpack(cls(), writable=True)
    assert not dlferry.from_dlpack(cls(), copy=True).readonly


@pytest.mark.parametrize("member", [ALLOCATOR, TO, BORROW, STREAM])
def test_null_members_that_are_not_needed_do_no_harm(member):
    """E4: real tables have some."""
    cls = dt.exchange_type(floats(), null=[member])
    assert dlferry.from_dlpack(cls()).source == "exchange"


def test_null_export_is_passed_over():
    """E4, E11: no pointer is called unseen."""
    cls = dt.exchange_type(floats(), null=[FROM], style="new")
    assert dlferry.from_dlpack(cls()).source == "dlpack"
    with pytest.raises(TypeError, match="neither"):
        dlferry.from_dlpack(dt.exchange_type(floats(), null=[FROM])())


@pytest.mark.parametrize("name", ["dlpack_exchange_api_v2", "dlpack", "", "dlpack_exchange_ap"])
def test_table_in_a_capsule_of_another_name_is_none(name):
    """E1: the name says what the pointer is."""
    cls = dt.exchange_type(floats(), capsule_name=name, style="new")
    assert dlferry.from_dlpack(cls()).source == "dlpack"
    assert asked(cls) == 0


@pytest.mark.parametrize("attribute", [None, 3, 0xDEAD0000, "dlpack_exchange_api", object()])
def test_attribute_that_is_no_capsule_is_none(attribute):
    """E1, E2: an address in an int is the past."""
    crafted = floats()
    body = {"__dlpack_c_exchange_api__": attribute, "__dlpack__": lambda self, **keywords: crafted.capsule()}
    assert dlferry.from_dlpack(type("Odd", (), body)()).source == "dlpack"


def test_attribute_of_the_instance_is_not_looked_at():
    """E1: the type has the table."""
    cls = dt.exchange_type(floats())
    other = floats()

    class Bare:
        def __dlpack__(self, **keywords: object) -> object:
            return other.capsule()

    bare: Any = Bare()
    bare.__dlpack_c_exchange_api__ = cls.__dlpack_c_exchange_api__
    assert dlferry.from_dlpack(bare).source == "dlpack"
    assert asked(cls) == 0


def test_name_of_the_past_is_not_looked_at():
    """E2: DLPack 1.2 had an int under another name."""
    crafted = floats()
    body = {"__c_dlpack_exchange_api__": 0xDEAD0000, "__dlpack__": lambda self, **keywords: crafted.capsule()}
    assert dlferry.from_dlpack(type("Old", (), body)()).source == "dlpack"


def test_error_of_looking_the_attribute_up_passes():
    """5.10: anything but its absence."""

    class Meta(type):
        @property
        def __dlpack_c_exchange_api__(cls) -> object:
            raise RuntimeError("broken type")

    with pytest.raises(RuntimeError, match="broken type"):
        dlferry.from_dlpack(Meta("Broken", (), {})())


@pytest.mark.parametrize("version", [(1, 0), (1, 2), (1, 99)])
def test_any_minor_of_the_table_is_used(version):
    """E3."""
    cls = dt.exchange_type(floats(), version=version)
    assert dlferry.from_dlpack(cls()).source == "exchange"


@pytest.mark.parametrize(
    "versions",
    [[(2, 0), (1, 3)], [(3, 0), (2, 5), (1, 0)], [(0, 9), (1, 3)], [(9, 0), (8, 0), (0, 1), (1, 2), (0, 0)]],
)
def test_older_table_of_a_known_major_is_found(versions):
    """E3: nothing behind the header of an unknown one is read."""
    cls = dt.exchange_type(floats(), version=versions[0], prev=versions[1:])
    assert dlferry.from_dlpack(cls()).source == "exchange"
    assert asked(cls) == 1


@pytest.mark.parametrize("versions", [[(2, 0)], [(0, 1)], [(3, 0), (2, 0), (0, 5)]])
def test_tables_of_unknown_majors_are_passed_over(versions):
    """E3: and the method is used."""
    cls = dt.exchange_type(floats(), version=versions[0], prev=versions[1:], style="new")
    assert dlferry.from_dlpack(cls()).source == "dlpack"
    assert asked(cls) == 0


def test_list_of_tables_that_ends_in_itself_is_left():
    """E3: a list without an end is no reason to hang."""
    crafted = floats()
    table = answering(lambda: 0, major=2)
    table.prev_api = ctypes.addressof(table)
    cls = type_with(table, __dlpack__=lambda self, **keywords: crafted.capsule())
    assert dlferry.from_dlpack(cls()).source == "dlpack"


def test_null_table_is_none():
    """E3: a table of nothing but NULL has major 0."""
    crafted = floats()
    cls = type_with(Table(), __dlpack__=lambda self, **keywords: crafted.capsule())
    assert dlferry.from_dlpack(cls()).source == "dlpack"


def test_buffer_error_of_the_table_leads_to_the_method():
    """E11."""
    crafted = floats()
    cls = dt.exchange_type(crafted, fails={FROM: BufferError("not this way")}, style="new")
    tensor = dlferry.from_dlpack(cls())
    assert (tensor.source, asked(cls), len(cls.producer.calls)) == ("dlpack", 1, 1)


def test_runtime_error_of_the_table_leads_to_the_method():
    """E9, E11: the class that some tables refuse with, in words of the depths."""
    cls = dt.exchange_type(floats(), fails={FROM: RuntimeError("r")}, style="new")
    assert dlferry.from_dlpack(cls()).source == "dlpack"
    assert len(cls.producer.calls) == 1


@pytest.mark.parametrize("error", [BufferError("not this way"), RuntimeError("nor this")])
def test_refusal_of_the_table_is_told_where_there_is_no_method(error):
    """E11, 5.10: the very exception."""
    cls = dt.exchange_type(floats(), fails={FROM: error})
    with pytest.raises(type(error)) as caught:
        dlferry.from_dlpack(cls())
    assert caught.value is error


@pytest.mark.parametrize(
    "error", [TypeError("t"), ValueError("v"), AttributeError("a"), KeyError("k"), ArithmeticError("r")]
)
def test_other_error_of_the_table_passes(error):
    """E9, E11, 5.10: unchanged, and the method is not asked instead."""
    cls = dt.exchange_type(floats(), fails={FROM: error}, style="new")
    with pytest.raises(type(error)) as caught:
        dlferry.from_dlpack(cls())
    assert caught.value is error
    assert cls.producer.calls == []


def test_refused_tensor_of_the_table_leads_to_the_method():
    """E11: after its deleter was called."""
    refused, crafted = floats(ndim=-1), floats()
    cls = dt.exchange_type(refused)
    cls.__dlpack__ = lambda self, **keywords: crafted.capsule()
    assert dlferry.from_dlpack(cls()).source == "dlpack"
    assert deletions(refused) == 1


def test_memory_elsewhere_goes_through_the_method():
    """5.12, R9.23: which is told a stream; what the table gave is deleted."""
    crafted = on_device(CUDA)
    cls = dt.exchange_type(crafted, style="new")
    tensor = dlferry.from_dlpack(cls())
    assert (tensor.source, tensor.device) == ("dlpack", (CUDA, 0))
    assert "stream" in cls.producer.calls[0]
    assert deletions(crafted) == asked(cls) <= 1
    owner = tensor.owner
    assert type(owner) is cls


def test_memory_elsewhere_without_a_method_is_refused():
    """5.12: BufferError that names the device."""
    crafted = on_device(CUDA, 1)
    with pytest.raises(BufferError, match="cuda:1"):
        dlferry.from_dlpack(dt.exchange_type(crafted)())
    assert deletions(crafted) == 1


def test_device_elsewhere_is_asked_of_the_method():
    """R5.11, E8: a table cannot be told."""
    cls = dt.exchange_type(floats(), style="new")
    with pytest.raises(BufferError, match="device=cuda:0"):
        dlferry.from_dlpack(cls(), device=(CUDA, 0))
    assert (asked(cls), cls.producer.calls[0]["dl_device"]) == (0, (CUDA, 0))
    assert dlferry.from_dlpack(cls(), device="cpu").source == "exchange"


@pytest.mark.parametrize("with_method", [True, False])
def test_success_without_a_tensor_is_a_fault_of_the_producer(with_method):
    """E4: NULL is not followed."""
    crafted = floats()
    methods: dict[str, Any] = (
        {"__dlpack__": lambda self, **keywords: crafted.capsule()} if with_method else {}
    )
    cls = type_with(answering(lambda: 0), **methods)
    if with_method:
        assert dlferry.from_dlpack(cls()).source == "dlpack"
    else:
        with pytest.raises(BufferError, match="reported success and gave no tensor"):
            dlferry.from_dlpack(cls())


def test_failure_without_an_exception_is_a_fault_of_the_producer():
    """E4."""
    cls = type_with(answering(lambda: -1))
    with pytest.raises(BufferError, match="reported a failure and no exception"):
        dlferry.from_dlpack(cls())


def test_object_of_another_type_is_refused_by_the_table_itself():
    """E5: a table that was borrowed by a type that it does not know."""
    cls = dt.exchange_type(floats())
    stolen = type("Stolen", (), {"__dlpack_c_exchange_api__": cls.__dlpack_c_exchange_api__})
    with pytest.raises(TypeError, match="not of the table's type: Stolen"):
        dlferry.from_dlpack(stolen())


def test_our_own_tensor_comes_in_through_its_table():
    """E1: and shares the memory of the first."""
    crafted = floats()
    first = taken(crafted)
    second = dlferry.from_dlpack(first)
    assert (second.source, second.data_ptr) == ("exchange", crafted.address)
    del first
    assert deletions(crafted) == 0
    assert second.tolist()[0] == [0.0, 1.0, 2.0]
    del second
    assert deletions(crafted) == 1
