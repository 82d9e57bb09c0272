"""`writable=True` of memory that is not: the refusal says why, as far as anybody can tell, and what helps."""

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from arrays import Interface, imported
from exporters import refused

COPY = "copy=True gives a writable copy$"


def frozen():
    array = np.zeros(3)
    array.flags.writeable = False
    return array


def producer(**fields):
    return dt.Producer(dt.Crafted(bytes(8), shape=[2], **fields))


def owned_by_jax():
    return imported("jax.numpy").zeros(3)


# How it is taken, from what, and what is said.
FRESH = [
    (dlferry.from_buffer, lambda: b"abc", "its buffer is read-only; " + COPY),
    (dlferry.from_dlpack, lambda: producer(flags=1), "its producer marks it so; " + COPY),
    (dlferry.from_dlpack, lambda: producer(strides=[0]), "its elements share memory; " + COPY),
    (dlferry.from_buffer, lambda: np.broadcast_to(np.zeros(1), (3,)), "its elements share memory; " + COPY),
    (dlferry.from_dlpack, owned_by_jax, "arrays of JAX are never written.*; " + COPY),
]


@pytest.mark.parametrize(("take", "make", "said"), FRESH)
def test_refusal_says_why(take, make, said):
    with refused(BufferError, match=f"the tensor is read-only, and writable=True was asked for: {said}"):
        take(make(), writable=True)
    assert take(make()).readonly


def test_refusal_among_others_says_why():
    with refused(
        BufferError, match=r"\(the tensor is read-only, .*: its array interface says so; copy=True gives"
    ):
        dlferry.asarray(Interface(frozen()), copy=False, writable=True)


def test_refusal_of_numpys_array_says_why():
    tensor = dlferry.from_dlpack(frozen())
    with refused(BufferError, match="the array's flags say so; |its producer marks it so; "):
        dlferry.from_dlpack(frozen(), writable=True)
    assert tensor.readonly


# A tensor that was there before: where it came from is remembered, what was asked for is not.
BEFORE = [
    (lambda: dlferry.from_buffer(b"abc"), "its buffer is read-only, or it was taken with writable=False; " + COPY),
    (lambda: dlferry.from_buffer(bytearray(3), writable=False), "or it was taken with writable=False; " + COPY),
    (lambda: dlferry.from_buffer(bytearray(3)).broadcast_to((2, 3)), "its elements share memory; " + COPY),
    (lambda: dlferry.from_address(0, (0,), "int8", owner=None), "unless readonly=False is said"),
    (lambda: dlferry.from_dlpack(dt.Crafted(bytes(8), shape=[2]).capsule(versioned=False)),
     r"an unversioned DLPack capsule cannot say .*; from_dlpack\(x, writable=True\) takes your word that it may$"),
    (lambda: dlferry.from_dlpack(owned_by_jax()), "arrays of JAX are never written"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "said"), BEFORE)
def test_refusal_of_a_tensor_says_why(make, said):
    tensor = make()
    assert tensor.readonly
    with refused(BufferError, match=f"the tensor is read-only, and writable=True was asked for: .*{said}"):
        dlferry.asarray(tensor, copy=False, writable=True)


def test_unversioned_memory_is_writable_when_somebody_says_so():
    """The remedy that the refusal names."""
    assert not dlferry.from_dlpack(
        dt.Crafted(bytes(8), shape=[2]).capsule(versioned=False), writable=True
    ).readonly


@pytest.mark.torch
def test_gradient_is_the_reason_and_detaching_the_remedy():
    torch = imported("torch")
    source = torch.zeros(3, requires_grad=True)
    for take in (lambda x: dlferry.asarray(x, copy=False, writable=True),
                 lambda x: dlferry.asarray(dlferry.asarray(x), copy=False, writable=True)):  # fmt: skip
        with refused(BufferError, match=r"it requires a gradient.*; pass tensor\.detach\(\)"):
            take(source)
        assert not take(source.detach()).readonly
    with refused(
        BufferError, match=r"pass tensor\.detach\(\), or use dlferry\.asarray, which makes it read-only"
    ):
        dlferry.from_dlpack(source)


def test_owner_that_fails_to_answer_is_no_reason():
    class Lent:
        @property
        def requires_grad(self):
            raise RuntimeError("not today")

        def __dlpack__(self, **keywords):
            return dt.Crafted(bytes(8), shape=[2], flags=1).capsule()

    with refused(BufferError, match="its producer marks it so"):
        dlferry.from_dlpack(Lent(), writable=True)
