"""Public failures of sizes: too large for a product, an index, or a recursion."""

import mmap

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from craft import taken
from processes import said


@pytest.mark.parametrize("shape", [[1, 2**62 + 1], [2**31, 2**31, 4], [2**63 - 1], [2**62, 0]])
def test_b199_broadcast_of_more_bytes_than_exist_is_refused(shape):
    """R3.18; numpy/numpy#7451: though no element of it is far away."""
    uses = ["tolist()", "copy()", "__array__(copy=True)"] if 0 not in shape else ["tolist()"]
    script = f"""
import dlferry, dlferry_testing as dt
try:
    tensor = dlferry.from_dlpack(dt.Crafted(bytes(4), shape={shape}, strides={[0] * len(shape)}).capsule())
except BufferError:
    raise SystemExit
for use in {uses}:
    try:
        eval("tensor." + use)
    except (BufferError, MemoryError, ValueError, OverflowError):
        continue
    raise AssertionError(use)
"""
    assert said(script) == ""


def test_b202_shape_and_strides_are_counted_in_64_bits():
    """Section 3; NVIDIA/warp#1120: whatever integers they come as, and wherever the memory is."""
    memory = np.arange(6, dtype=np.int32)
    shape, strides = (np.int32(2), np.int32(3)), (np.int32(3), np.int32(1))
    tensor = dlferry.from_address(memory.ctypes.data, shape, "int32", strides, owner=memory)
    assert tensor.tolist() == [[0, 1, 2], [3, 4, 5]]
    far = taken(dt.Crafted(bytes(8), shape=[1, 2], strides=[2**40, 1]))
    assert far.strides == (2**40, 1)
    assert far[:, 1:].tolist() == [[0.0]]


def test_b203_last_of_many_elements_is_found():
    """R3.18; numpy/numpy#13918: more than 31 bits of them, of which two pages are touched."""
    try:
        lent = mmap.mmap(-1, 2**31 + 8)
    except (OSError, ValueError):
        pytest.skip("SKIPPED: there is no room for two gigabytes")
    lent[-1] = 77
    tensor = dlferry.from_buffer(lent)
    assert tensor.shape == (2**31 + 8,)
    assert tensor[-1].item() == tensor[2**31 + 7].item() == 77
    assert tensor[::-1][0].item() == 77
    assert dlferry.from_dlpack(tensor)[2**31 :].tolist() == [0] * 7 + [77]
    assert memoryview(tensor)[2**31 + 7] == 77
    assert np.from_dlpack(tensor)[-1] == 77
