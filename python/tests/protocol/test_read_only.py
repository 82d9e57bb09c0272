"""READ_ONLY and IS_COPIED on their way through: rules R6.1 to R6.7, R9.5 to R9.7, R9.25; decisions 5.1 to 5.3."""

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from craft import IS_COPIED, READ_ONLY, exported, floats, taken

HOPS = 4


@pytest.mark.parametrize(
    ("fields", "style"),
    [({"flags": READ_ONLY}, "new"), ({}, "always_unversioned"), ({"strides": [0, 1]}, "new")],
    ids=["flag", "unversioned", "broadcast"],
)
def test_read_only_survives_every_hop(fields, style):
    """5.1, 5.2: through dlferry, through NumPy, through the exchange table."""
    tensor = taken(floats(**fields), style)
    for _ in range(HOPS):
        assert tensor.readonly
        assert exported(tensor)["flags"] & READ_ONLY
        assert memoryview(tensor).readonly
        array = np.from_dlpack(tensor)
        assert not array.flags.writeable
        held = dt.exchange_from(tensor)
        assert held.inspect()["flags"] & READ_ONLY
        held.delete()
        tensor = dlferry.from_dlpack(array)
    with pytest.raises(ValueError, match="read-only"):
        np.from_dlpack(tensor)[0, 0] = 1.0


def test_only_a_copy_ends_it():
    """5.1."""
    crafted = floats(flags=READ_ONLY)
    tensor = dlferry.from_dlpack(taken(crafted), copy=True)
    assert not tensor.readonly
    np.from_dlpack(tensor)[0, 0] = 7.0
    assert tensor.tolist()[0][0] == 7.0
    assert crafted.read()[:4] == bytes(4)


def test_writing_reaches_the_producer():
    """R6.5: what is shared is the same memory in both directions."""
    crafted = floats()
    tensor = taken(crafted)
    np.from_dlpack(tensor)[1, 2] = 9.0
    assert crafted.read()[20:] == np.float32(9.0).tobytes()
    memoryview(tensor).cast("B").cast("f")[0] = 4.0
    assert crafted.read()[:4] == np.float32(4.0).tobytes()


@pytest.mark.parametrize(
    ("flags", "style", "copied"),
    [
        (0, "new", False),
        (IS_COPIED, "new", True),
        (IS_COPIED | READ_ONLY, "new", True),
        (IS_COPIED, "always_unversioned", None),
    ],
)
def test_copied_is_what_the_producer_says(flags, style, copied):
    """R5.16: None where the struct cannot say."""
    assert taken(floats(flags=flags), style).copied is copied


@pytest.mark.parametrize("flags", [IS_COPIED, IS_COPIED | READ_ONLY])
def test_shared_memory_is_not_exported_as_copied(flags):
    """5.3, R6.5: what was a private copy is shared by two when it is exported again."""
    tensor = taken(floats(flags=flags))
    assert exported(tensor)["flags"] == flags & ~IS_COPIED
    held = dt.exchange_from(tensor)
    assert held.inspect()["flags"] == flags & ~IS_COPIED
    held.delete()
    assert dlferry.from_dlpack(dlferry.from_dlpack(tensor)).copied is False


def test_read_only_view_leaves_the_tensor_itself_writable():
    """5.1: writable=False is a wish for the result."""
    tensor = taken(floats())
    view = dlferry.from_dlpack(tensor, writable=False)
    assert (view.readonly, tensor.readonly) == (True, False)
    assert view.data_ptr == tensor.data_ptr


def test_asserted_writable_is_exported_writable():
    """5.2: the caller's word counts from then on."""
    tensor = taken(floats(), "always_unversioned", writable=True)
    assert exported(tensor)["flags"] == 0
    assert dt.capsule_name(tensor.__dlpack__()) == "dltensor"
    np.from_dlpack(tensor)[0, 0] = 2.0
    assert tensor.tolist()[0][0] == 2.0


def test_numpy_reads_what_it_wrote_read_only():
    """R6.4, N7: a read-only array, and results of broadcasting."""
    array = np.arange(3.0)
    array.flags.writeable = False
    for source in (array, np.broadcast_to(np.arange(3.0), (2, 3))):
        assert dlferry.from_dlpack(source).readonly
    assert not dlferry.from_dlpack(np.arange(3.0)).readonly
