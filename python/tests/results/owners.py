"""What Rust gave away and somebody still holds."""

import gc
from collections.abc import Iterator

import dlferry_results as rust
import pytest


@pytest.fixture(autouse=True)
def no_owner_left() -> Iterator[None]:
    """What a test took from Rust is freed when it ends."""
    before = rust.live()
    yield
    gc.collect()
    assert rust.live() == before
