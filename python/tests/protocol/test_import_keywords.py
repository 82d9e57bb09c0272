"""The keywords of ``from_dlpack``: rules R5.17, R5.18, R5.20, R9.1, R9.7; decisions 5.2, 5.4, 5.5 and section 3."""

from typing import Any

import dlferry
import dlferry_testing as dt
import pytest
from craft import CUDA, IS_COPIED, READ_ONLY, deletions, floats, on_device, taken


@pytest.mark.parametrize("device", [None, "cpu", (1, 0), dlferry.Device(1, 0), dlferry.Device(1)])
def test_host_may_be_named_in_each_way(device):
    """R5.17."""
    crafted = floats()
    assert taken(crafted, device=device).data_ptr == crafted.address


@pytest.mark.parametrize("device", ["gpu", "cuda", "CPU", "", "cpu:0"])
def test_another_name_is_a_value_error(device):
    """R5.20: the producer is not even called."""
    producer = dt.Producer(floats())
    with pytest.raises(ValueError, match=r"wanted None, \"cpu\" or a pair") as caught:
        dlferry.from_dlpack(producer, device=device)
    assert type(caught.value) is ValueError
    assert producer.calls == []


@pytest.mark.parametrize("device", [3, [1, 0], (1,), (1, 0, 0), (1, None), ("cpu", 0), 1.0, b"cpu"])
def test_device_of_another_form_is_a_type_error(device):
    """5.10."""
    producer = dt.Producer(floats())
    with pytest.raises(TypeError, match="device must be None or a tuple of two integers, found"):
        dlferry.from_dlpack(producer, device=device)
    assert producer.calls == []


def test_other_device_is_asked_of_the_producer_and_checked():
    """R5.18: the copy to another device is the producer's job; one that ignores the request is found out."""
    crafted = floats()
    producer = dt.Producer(crafted)
    with pytest.raises(BufferError, match=r"is on cpu, and device=cuda:1 was asked for"):
        dlferry.from_dlpack(producer, device=(CUDA, 1))
    assert producer.calls[0]["dl_device"] == (CUDA, 1)
    assert deletions(crafted) == 1
    crafted = on_device(CUDA, 1)
    assert taken(crafted, device=(CUDA, 1)).device == (CUDA, 1)


def test_host_is_asked_of_the_producer_and_checked():
    """R5.20."""
    crafted = on_device(CUDA)
    producer = dt.Producer(crafted)
    with pytest.raises(BufferError, match=r"is on cuda:0, and device=cpu was asked for"):
        dlferry.from_dlpack(producer, device="cpu")
    assert producer.calls[0]["dl_device"] == (1, 0)
    assert deletions(crafted) == 1


@pytest.mark.parametrize("kind", [3, 11, 13, 20])
def test_memory_that_the_host_reads_satisfies_a_request_for_the_host(kind):
    """R9.16."""
    assert taken(floats(device=(kind, 0)), device="cpu").tolist()[0] == [0.0, 1.0, 2.0]


def test_producers_refusal_of_a_device_passes():
    """R5.17: unchanged."""
    error = BufferError("no such device here")
    with pytest.raises(BufferError) as caught:
        dlferry.from_dlpack(dt.Producer(floats(), style="raises", error=error), device=(CUDA, 0))
    assert caught.value is error


def test_copy_is_made_here_and_once():
    """5.4: the producer is asked for what it has, and what it has is copied."""
    crafted = floats(shape=[3, 2], strides=[1, 3])
    producer = dt.Producer(crafted)
    tensor = dlferry.from_dlpack(producer, copy=True)
    assert producer.calls[0].get("copy") is None
    assert len(producer.calls) == 1
    assert deletions(crafted) == 1
    assert tensor.data_ptr != crafted.address
    assert tensor.data_ptr % 64 == 0
    assert (tensor.copied, tensor.readonly, tensor.strides, tensor.owner) == (True, False, (2, 1), None)
    assert tensor.tolist() == [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]


def test_copy_that_the_producer_made_is_not_copied_again():
    """5.4, R6.5: a private and writable one."""
    crafted = floats(flags=IS_COPIED)
    tensor = taken(crafted, copy=True)
    assert (tensor.data_ptr, tensor.copied, tensor.readonly) == (crafted.address, True, False)
    assert tensor.owner is None


def test_read_only_copy_of_the_producer_is_copied_again():
    """5.4: the caller of copy=True may write."""
    crafted = floats(flags=IS_COPIED | READ_ONLY)
    tensor = taken(crafted, copy=True)
    assert tensor.data_ptr != crafted.address
    assert (tensor.copied, tensor.readonly) == (True, False)
    assert deletions(crafted) == 1


def test_copy_of_memory_elsewhere_is_a_buffer_error():
    """5.12."""
    crafted = on_device(CUDA)
    with pytest.raises(BufferError, match=r"cuda:0.*cannot copy"):
        taken(crafted, copy=True)
    assert deletions(crafted) == 1


@pytest.mark.parametrize("style", ["new", "always_unversioned", "no_keywords"])
def test_no_copy_passes_what_is_not_known_to_be_one(style):
    """5.5, R5.16: the absence of the flag proves nothing."""
    crafted = floats()
    assert taken(crafted, style, copy=False).data_ptr == crafted.address


def test_no_copy_is_asked_of_the_producer():
    """R5.18."""
    producer = dt.Producer(floats())
    dlferry.from_dlpack(producer, copy=False)
    assert producer.calls[0]["copy"] is False


def test_copy_of_the_producer_is_refused_where_none_may_be():
    """5.5, R9.1: the error is both that the standard names."""
    crafted = floats(flags=IS_COPIED)
    with pytest.raises(dlferry.CopyRequiredError, match="copy=False") as caught:
        taken(crafted, copy=False)
    assert isinstance(caught.value, BufferError)
    assert isinstance(caught.value, ValueError)
    assert deletions(crafted) == 1


@pytest.mark.parametrize("keyword", ["copy", "writable"])
@pytest.mark.parametrize("value", [1, 0, "x", 1.0, []])
def test_keyword_that_is_no_bool_is_a_type_error(keyword, value):
    """5.10."""
    producer = dt.Producer(floats())
    with pytest.raises(TypeError, match=keyword):
        dlferry.from_dlpack(producer, **{keyword: value})
    assert producer.calls == []


# What a tensor is without the keyword, and what `writable=True` makes of it; an exception's text stands for a refusal.
WRITABLE: dict[str, tuple[dict[str, Any], str, bool, str | None]] = {
    "versioned": ({}, "new", False, None),
    "versioned and read-only": ({"flags": READ_ONLY}, "new", True, "read-only"),
    "unversioned": ({}, "always_unversioned", True, None),
    "versioned and overlapping": ({"strides": [1, 1]}, "new", True, "share memory"),
    "unversioned and overlapping": ({"strides": [1, 1]}, "always_unversioned", True, "share memory"),
    "broadcast": ({"strides": [0, 1]}, "new", True, "share memory"),
    "read-only and overlapping": (
        {"strides": [0, 1], "flags": READ_ONLY},
        "new",
        True,
        "read-only|share memory",
    ),
}


@pytest.mark.parametrize("case", WRITABLE)
def test_writable_unless_said_otherwise(case):
    """5.2, 5.7, R9.7: None is as the producer says, False always read-only."""
    fields, style, readonly, _ = WRITABLE[case]
    assert taken(floats(**fields), style).readonly is readonly
    assert taken(floats(**fields), style, writable=False).readonly is True


@pytest.mark.parametrize("case", WRITABLE)
def test_writable_is_asserted_for_what_cannot_say(case):
    """5.2, R9.7: True overrides no flag and no overlap."""
    fields, style, _, refusal = WRITABLE[case]
    crafted = floats(**fields)
    if refusal is None:
        assert taken(crafted, style, writable=True).readonly is False
    else:
        with pytest.raises(BufferError, match=rf"({refusal}).*copy=True"):
            taken(crafted, style, writable=True)
    assert deletions(crafted) == 1


@pytest.mark.parametrize("case", WRITABLE)
def test_copy_is_writable_unless_that_is_forbidden(case):
    """R6.5, 5.1: only copy=True ends READ_ONLY."""
    fields, style, _, _ = WRITABLE[case]
    for writable in (None, True, False):
        tensor = taken(floats(**fields), style, copy=True, writable=writable)
        assert tensor.readonly is (writable is False)


def test_keywords_are_keywords_only_and_the_array_is_positional():
    """R5.17."""
    with pytest.raises(TypeError):
        dlferry.from_dlpack(dt.Producer(floats()), None)
    with pytest.raises(TypeError):
        dlferry.from_dlpack(x=dt.Producer(floats()))
    with pytest.raises(TypeError):
        dlferry.from_dlpack()
