"""What every test of the protocol has to leave behind: no tensor that awaits its deleter."""

import gc
from collections.abc import Iterator

import dlferry_testing as dt
import pytest


@pytest.fixture(autouse=True)
def no_tensor_left() -> Iterator[None]:
    """Every crafted tensor of a test has met its deleter when the test ends."""
    before = dt.live()
    yield
    if dt.live() > before:
        gc.collect()
    assert dt.live() <= before


def pytest_collection_finish() -> None:
    """Put what collecting left behind out of the collector's sight, for the whole run.

    Many tests collect garbage, and thousands of collected tests are a large heap to walk each time.
    """
    gc.collect()
    gc.freeze()
