"""Public failures of Rust around arrays: flags that were toggled, and constructors that gave nothing."""

import itertools
import os

import dlferry
import dlferry_results as results
import dlferry_testing as dt
import dlferry_views as views
import numpy as np
import pytest
from processes import said


def test_b100_views_for_reading_leave_the_arrays_flags_alone():
    """Section 6; PyO3/rust-numpy#258: on the array and on an overlapping part of it, in whichever order they end."""
    array = np.zeros(8, np.float32)
    part = array[2:6]
    flags = array.flags.writeable, part.flags.writeable
    for order in itertools.permutations(range(3)):
        guards = [dlferry.from_dlpack(x, writable=False) for x in (array, array, part)]
        for index in order:
            assert guards[index].readonly
            guards[index] = None
            assert (array.flags.writeable, part.flags.writeable) == flags == (True, True)

    def within() -> None:
        assert (array.flags.writeable, part.flags.writeable) == flags
        # Whoever writes through the flag that is still set is stopped by the borrow, which is kept elsewhere.
        with pytest.raises(BufferError):
            views.fill(part, 1.0)

    views.reading(array, lambda: views.reading(array, lambda: views.reading(part, within)))
    views.read_many(array, 5)
    views.fill(part, 1.0)
    assert array.tolist() == [0, 0, 1, 1, 1, 1, 0, 0]
    fixed = array[:2]
    fixed.flags.writeable = False
    views.reading(array, lambda: views.reading(fixed, lambda: None))
    assert not fixed.flags.writeable


def test_b102_array_that_numpy_does_not_make_is_an_error():
    """N4, R3.20; PyO3/rust-numpy#557: of 65 axes."""
    array = results.numpy_zeros(1, [1] * 32)
    assert (type(array), array.ndim) == (np.ndarray, 32)
    for ndim in (65, 66, 200):
        with pytest.raises((BufferError, ValueError), match=r"axes|dim"):
            results.numpy_zeros(1, [1] * ndim)
        tensor = dlferry.from_dlpack(dt.Crafted(bytes(4), shape=[1] * ndim, strides=[1] * ndim).capsule())
        assert tensor.ndim == ndim
        for make in (tensor.numpy, lambda t=tensor: dlferry.numpy.from_dlpack(t)):
            with pytest.raises(BufferError, match=r"axes|dim"):
                make()


@pytest.mark.skipif(
    "DLFERRY_ASAN" in os.environ, reason="SKIPPED: AddressSanitizer reports what cannot be allocated"
)
def test_b102_copy_of_more_memory_than_there_is_is_an_error():
    """N4; PyO3/rust-numpy#557."""
    assert (
        said("""
import dlferry, dlferry_results as results
byte = dlferry.from_buffer(bytearray(1)).broadcast_to((1 << 46,))
for make in (byte.copy, lambda: dlferry.numpy.from_dlpack(byte, copy=True), lambda: byte.__array__(copy=True)):
    try:
        make()
    except MemoryError:
        continue
    raise AssertionError(make)
""")
        == ""
    )
