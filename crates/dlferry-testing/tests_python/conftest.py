"""What every test of the crafted producers has to leave behind: nothing."""

import gc
from collections.abc import Iterator

import dlferry_testing as dt
import pytest


@pytest.fixture(autouse=True)
def no_tensor_left() -> Iterator[None]:
    """Every crafted tensor of a test has met its deleter when the test ends."""
    gc.collect()
    before = dt.live()
    yield
    gc.collect()
    assert dt.live() == before


@pytest.fixture
def floats() -> dt.Crafted:
    """Six float32 in two rows."""
    data = b"".join(bytes([0, 0, byte, 0x3F]) for byte in range(6))
    return dt.Crafted(data, shape=[2, 3], strides=[3, 1])
