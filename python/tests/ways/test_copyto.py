"""`copyto`: the elements of one array into the memory of another."""

from typing import Any

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from arrays import Interface, Method, OldMethod, imported
from exporters import SWAPPED, mapped, refused
from hypothesis import given
from hypothesis import strategies as st

DTYPES = [
    "bool",
    "int8",
    "uint16",
    "int32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "target",
    [lambda a: a, lambda a: a[::-1], lambda a: a[:, ::-1].T[:4, :3].T, lambda a: a[:, :, None][..., 0]],
    ids=["plain", "reversed", "transposed", "extra axis"],
)
@pytest.mark.parametrize("shape", [(), (1,), (4,), (3, 1), (1, 4), (3, 4)])
def test_elements_are_broadcast_as_numpy_does(dtype, target, shape):
    ours, theirs = np.zeros((3, 4), dtype), np.zeros((3, 4), dtype)
    source = (np.arange(np.prod(shape, dtype=int)).reshape(shape) + 1).astype(dtype)
    assert dlferry.copyto(target(ours), source) is None
    np.copyto(target(theirs), source)
    assert ours.tobytes() == theirs.tobytes()


@given(st.data())
def test_overlap_is_as_if_through_a_temporary(data):
    memory = np.arange(24, dtype=np.int16)
    other = memory.copy()
    axis = st.builds(slice, st.integers(0, 5), st.integers(0, 6), st.sampled_from([1, 2, -1, -2]))

    def view(of: Any, key: Any, flip: bool) -> Any:
        part = of.reshape(4, 6)[key]
        return part.T if flip else part

    key = data.draw(st.tuples(axis, axis))
    target = view(memory, key, False)
    offered = [
        (where, flip)
        for where in (data.draw(st.tuples(axis, axis)), key, (slice(None, None, -1), slice(None)))
        for flip in (False, True)
    ]
    where, flip = data.draw(st.sampled_from(offered))
    source = view(memory, where, flip)
    try:
        np.copyto(view(other, key, False), view(other, where, flip).copy())
    except ValueError:
        with refused(ValueError, match="shape"):
            dlferry.copyto(target, source)
        return
    dlferry.copyto(target, source)
    assert memory.tolist() == other.tolist()


@pytest.mark.parametrize(
    ("target", "source", "kind", "why"),
    [
        (lambda: np.zeros(3, "f4"), lambda: np.zeros(3, "f8"), TypeError, "float32.*float64|float64.*float32"),
        (lambda: np.zeros(3, "i4"), lambda: np.zeros(3, "u4"), TypeError, "int32"),
        (lambda: np.zeros(3, "i1"), lambda: b"abc", TypeError, "int8"),
        (lambda: np.zeros(3), lambda: np.zeros(4), ValueError, "shape"),
        (lambda: np.zeros(3), lambda: np.zeros((1, 3)), ValueError, "shape"),
        (lambda: np.zeros(()), lambda: np.zeros(1), ValueError, "shape"),
        (lambda: b"abc", lambda: b"abc", BufferError, "read-only"),
        (lambda: np.broadcast_to(np.zeros(3), (2, 3)), lambda: np.zeros(3), BufferError, "read-only"),
        (lambda: dlferry.from_buffer(bytearray(3), writable=False), lambda: b"abc", BufferError, "read-only"),
        (lambda: [1, 2], lambda: b"ab", TypeError, "list"),
        (lambda: np.zeros(3), lambda: [1, 2, 3], TypeError, "list"),
        (lambda: None, lambda: None, TypeError, "NoneType"),
        (lambda: np.zeros(3, SWAPPED + "f4"), lambda: np.zeros(3, "f4"), dlferry.CopyRequiredError, "byte order"),
        (lambda: np.zeros(3, [("x", "f4"), ("y", "i1")])["x"], lambda: np.zeros(3, "f4"), dlferry.CopyRequiredError,
         "stride"),
        (lambda: OldMethod(np.zeros(3)), lambda: np.zeros(3), BufferError, "copy"),
        (lambda: np.ma.array([1, 2], mask=[0, 1]), lambda: np.zeros(2, int), BufferError, "masked"),
        (lambda: np.zeros(2, int), lambda: np.ma.array([1, 2], mask=[0, 1]), BufferError, "masked"),
    ],
)  # fmt: skip
def test_copy_that_cannot_be_is_refused_and_writes_nothing(target, source, kind, why):
    made = target()
    before = bytes(memoryview(made)) if isinstance(made, bytes | np.ndarray) else None
    with refused(kind, match=why):
        dlferry.copyto(made, source())
    if before is not None:
        assert bytes(memoryview(made)) == before


WRITTEN = np.arange(3, dtype=np.uint8) + 7


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (lambda memory: Method(memory), BufferError),
        (lambda memory: Interface(None, shape=(3,), typestr="|u1", data=memory), dlferry.CopyRequiredError),
        (lambda memory: Interface(memory.astype(SWAPPED + "i4")), dlferry.CopyRequiredError),
    ],
    ids=["__array__", "data of another object", "byte order"],
)  # fmt: skip
def test_target_that_may_be_a_copy_is_refused_for_its_elements_would_be_lost(make, kind):
    memory = np.zeros(3, np.uint8)
    target = make(memory)
    with refused(kind, match="would be lost"):
        dlferry.copyto(target, WRITTEN)
    assert memory.tolist() == [0, 0, 0]
    # A tensor is looked at through itself.
    tensor = dlferry.asarray(target)
    if kind is BufferError:
        dlferry.copyto(tensor, WRITTEN)
        assert tensor.tolist() == WRITTEN.tolist()


def test_cause_of_a_refused_target_is_what_forced_the_copy():
    target = Interface(np.zeros(3, SWAPPED + "i4"))
    with pytest.raises(dlferry.CopyRequiredError) as caught:
        dlferry.copyto(target, WRITTEN)
    cause, depth = caught.value.__cause__, 0
    while cause is not None:
        assert "would be lost" not in str(cause)
        cause, depth = cause.__cause__, depth + 1
    assert depth <= 1


def test_image_of_pillow_is_a_source_and_no_target():
    image_module = imported("PIL.Image")
    image = image_module.new("L", (3, 1))
    with refused(dlferry.CopyRequiredError, match="would be lost"):
        dlferry.copyto(image, WRITTEN.reshape(1, 3))
    target = np.ones((1, 3), np.uint8)
    dlferry.copyto(target, image)
    assert target.tolist() == [[0, 0, 0]]


def test_refused_target_is_not_told_of_an_argument_that_nobody_passed():
    swapped = np.zeros(3, SWAPPED + "i4")
    field = np.zeros(3, [("a", "u1"), ("b", "i4")])["b"]
    targets = [swapped, field, Interface(swapped), Interface(None, shape=(3,), typestr="|u1", data=WRITTEN)]
    for target in targets:
        with pytest.raises(dlferry.CopyRequiredError) as caught:
            dlferry.copyto(target, WRITTEN)
        assert "copy=False" not in str(caught.value), target
        assert ("numpy.copyto" in str(caught.value)) is isinstance(target, np.ndarray)
    np.copyto(swapped, WRITTEN)
    assert swapped.tolist() == WRITTEN.tolist()


def test_masked_target_is_written_as_the_refusal_says():
    target = np.ma.masked_array(np.zeros(3, np.uint8), mask=[True, False, False])
    with refused(BufferError, match="or array.data, which is no copy"):
        dlferry.copyto(target, WRITTEN)
    dlferry.copyto(target.data, WRITTEN)
    assert target.data.tolist() == WRITTEN.tolist()


# A target that is not written, and why.
REASONS = [
    (lambda: b"abc", "its buffer is read-only$"),
    (lambda: dlferry.from_buffer(b"abc"), "buffer is read-only, or it was taken with writable=False"),
    (lambda: dlferry.from_buffer(bytearray(3), writable=False), "or it was taken with writable=False"),
    (lambda: np.broadcast_to(np.uint8(1), (3,)), "its elements share memory$"),
    (lambda: dlferry.from_address(np.zeros(3).ctypes.data, (3,), "uint8", owner=None), "unless readonly=False"),
    (lambda: Interface(np.frombuffer(b"abc", np.uint8)), "its array interface says so"),
    (lambda: dt.Producer(dt.Crafted(bytes(3), shape=[3], code=1, bits=8, flags=1)), "its producer marks it so$"),
    (lambda: dt.Crafted(bytes(3), shape=[3], code=1, bits=8).capsule(versioned=False),
     r"capsule cannot say.*from_dlpack\(x, writable=True\) takes your word"),
    (lambda: imported("jax.numpy").zeros(3, "uint8"), "arrays of JAX are never written"),
    pytest.param(lambda: imported("torch").zeros(3, requires_grad=True), r"gradient.*pass tensor\.detach\(\)$",
                 marks=pytest.mark.torch),
]  # fmt: skip


@pytest.mark.parametrize(("make", "reason"), REASONS)
def test_target_that_is_not_written_says_why(make, reason):
    with refused(BufferError, match=f"^the target is read-only: .*{reason}"):
        dlferry.copyto(make(), WRITTEN)


@pytest.mark.torch
def test_remedy_for_a_gradient_works():
    torch = imported("torch")
    target = torch.zeros(3, requires_grad=True)
    dlferry.copyto(target.detach(), np.arange(3, dtype=np.float32))
    assert target.tolist() == [0.0, 1.0, 2.0]


def test_unequal_dtypes_are_named_with_the_one_to_convert_to():
    with refused(TypeError, match=r"holds float32 and the source float64; .* pass a source of float32"):
        dlferry.copyto(np.zeros(3, "f4"), np.zeros(3))


@pytest.mark.parametrize("device", [(2, 0), (99, 0)])
def test_memory_of_a_device_is_not_copied(device):
    far = dlferry.from_address(0xDEAD0000, (3,), "float64", owner=None, device=device, readonly=False)
    for target, source in ((far, np.zeros(3)), (np.zeros(3), far)):
        with refused(BufferError, match="host|device|on "):
            dlferry.copyto(target, source)


def test_source_may_be_what_only_a_copy_can_take():
    target = np.zeros(3, "f4")
    dlferry.copyto(target, np.arange(3, dtype=SWAPPED + "f4"))
    assert target.tolist() == [0.0, 1.0, 2.0]
    records = np.zeros(3, [("x", "f4"), ("y", "i1")])
    records["x"] = [5, 6, 7]
    dlferry.copyto(target, records["x"])
    assert target.tolist() == [5.0, 6.0, 7.0]
    dlferry.copyto(target, OldMethod(np.array([1, 2, 3], "f4")))
    assert target.tolist() == [1.0, 2.0, 3.0]


@given(st.data())
def test_source_of_the_other_byte_order_is_copied_as_numpy_copies_it(data):
    """Also onto the memory that it lies in, as if through a temporary, and broadcast."""
    kind = data.draw(st.sampled_from(["i2", "f4", "f8", "c8", "c16"]))
    memory = np.arange(48).astype(kind)
    other = memory.copy()
    axis = st.builds(slice, st.integers(0, 3), st.integers(1, 6), st.sampled_from([1, 2, -1]))
    to, of = data.draw(st.tuples(axis, axis)), data.draw(st.tuples(axis, axis))
    apart = np.arange(100, 148).astype(kind) if data.draw(st.booleans()) else None

    def sides(target: Any, source: Any) -> tuple[Any, Any]:
        return target.reshape(6, 8)[to], source.view(SWAPPED + kind).reshape(6, 8)[of]

    ours = sides(memory, memory if apart is None else apart)
    theirs = sides(other, other if apart is None else apart)
    try:
        np.broadcast_to(theirs[1], theirs[0].shape)
    except ValueError:
        with pytest.raises(ValueError, match="cannot be broadcast"):
            dlferry.copyto(*ours)
        assert memory.tobytes() == other.tobytes()
        return
    dlferry.copyto(*ours)
    np.copyto(*theirs)
    assert memory.tobytes() == other.tobytes()


def test_source_of_the_other_byte_order_is_refused_as_any_other():
    source = np.arange(3, dtype=SWAPPED + "f4")
    with pytest.raises(TypeError, match="pass a source of float64"):
        dlferry.copyto(np.zeros(3), source)
    target = np.zeros(3, "f4")
    target.flags.writeable = False
    with pytest.raises(BufferError, match="the target is read-only"):
        dlferry.copyto(target, source)
    assert target.tolist() == [0.0, 0.0, 0.0]


def test_target_may_be_any_writable_buffer():
    target = bytearray(4)
    dlferry.copyto(target, b"abcd")
    assert target == b"abcd"
    dlferry.copyto(memoryview(target)[::-2], b"xy")
    assert target == b"aycx"
    with mapped() as memory:
        dlferry.copyto(memoryview(memory)[:3], b"123")
        assert memory[:3] == b"123"
    described = Interface(np.zeros(2, "i4"))
    dlferry.copyto(described, np.array([1, 2], "i4"))
    assert described.array.tolist() == [1, 2]
    misaligned = np.frombuffer(bytearray(17), np.uint8)[1:].view(np.float64)
    dlferry.copyto(misaligned, np.array([1.0, 2.0]))
    assert misaligned.tolist() == [1.0, 2.0]


def packed(
    data: bytes, name: str, shape: tuple[int, ...], strides: tuple[int, ...] | None = None
) -> tuple[Any, Any]:
    """Return a writable tensor of packed elements, and its memory."""
    memory = bytearray(data)
    address = np.frombuffer(memory, np.uint8).ctypes.data
    return dlferry.from_address(address, shape, name, strides, owner=memory, readonly=False), memory


@pytest.mark.parametrize("name", ["int4", "uint4", "float4_e2m1fn"])
def test_packed_elements_are_copied_one_by_one(name):
    target, memory = packed(bytes([0xFF, 0xFF, 0xFF]), name, (5,))
    source, _ = packed(bytes([0x21, 0x43, 0x05]), name, (5,))
    dlferry.copyto(target, source)
    assert target.tolist() == source.tolist()
    assert memory == bytes([0x21, 0x43, 0xF5])  # the half byte behind the end is another's
    dlferry.copyto(target, source[0])
    assert target.tolist() == [source[0].item()] * 5
    reverse, _ = packed(bytes(3), name, (2,), (2,))
    dlferry.copyto(reverse, source[0:4:2])
    assert reverse.tolist() == source[0:4:2].tolist()


def test_packed_elements_are_copied_from_such_as_have_a_byte_each():
    """Whatever is above them there."""
    target, memory = packed(bytes([0xFF, 0xFF]), "int4", (3,))
    recipe = dt.Crafted(bytes([0x21, 0xF3, 0x07]), shape=[3], code=0, bits=4, flags=4)
    dlferry.copyto(target, dlferry.from_dlpack(dt.Producer(recipe)))
    assert memory == bytes([0x31, 0xF7])
    target, _ = packed(bytes(2), "uint4", (3,))
    with refused(TypeError, match="holds uint4 and the source int4"):
        dlferry.copyto(target, dlferry.from_dlpack(dt.Producer(recipe)))


def test_nothing_is_copied_where_there_is_nothing():
    dlferry.copyto(np.zeros((0, 3)), np.zeros((1, 3)))
    dlferry.copyto(np.zeros((0,)), np.zeros(()))
    dlferry.copyto(bytearray(), b"")


def test_jax_is_a_source_and_no_target():
    jnp = imported("jax.numpy")
    target = np.zeros(3, np.float32)
    dlferry.copyto(target, jnp.arange(3, dtype=jnp.float32))
    assert target.tolist() == [0.0, 1.0, 2.0]
    with refused(BufferError, match="read-only"):
        dlferry.copyto(jnp.zeros(3), target)


@pytest.mark.torch
def test_torch_is_both_and_its_bfloat16_too():
    torch = imported("torch")
    target = torch.zeros(2, 3, dtype=torch.bfloat16)
    source = torch.arange(3, dtype=torch.bfloat16)
    dlferry.copyto(target, source)
    assert target.tolist() == [[0.0, 1.0, 2.0]] * 2
    ml_dtypes = imported("ml_dtypes")
    array = np.array([7, 8, 9], ml_dtypes.bfloat16)
    dlferry.copyto(target[1], dlferry.from_buffer(array.view(np.uint16)).view("bfloat16"))
    assert target.tolist() == [[0.0, 1.0, 2.0], [7.0, 8.0, 9.0]]
    with refused(BufferError, match=r"read-only|gradient"):
        dlferry.copyto(torch.zeros(3, dtype=torch.bfloat16, requires_grad=True), source)
    assert torch.equal(source, torch.arange(3, dtype=torch.bfloat16))


def test_pyarrow_is_a_source():
    pa = imported("pyarrow")
    target = np.zeros(3, np.int32)
    dlferry.copyto(target, pa.array([4, 5, 6], pa.int32()))
    assert target.tolist() == [4, 5, 6]


@pytest.mark.parametrize(
    ("source", "said"), [((4,), "(4,)"), ((2, 2), "(2, 2)"), ((1, 3, 2, 1), "(1, 3, 2, 1)")]
)
def test_shapes_are_said_as_python_writes_them(source, said):
    with pytest.raises(ValueError, match="broadcast") as caught:
        dlferry.copyto(np.zeros((3, 2)), np.zeros(source))
    assert (
        str(caught.value) == f"the source has shape {said}, which cannot be broadcast to the target's (3, 2)"
    )
