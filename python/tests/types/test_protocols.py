"""``dlferry.typing`` when the program runs."""

import subprocess
import sys
import typing

import dlferry
import dlferry.typing
import pytest
from dlferry.typing import (
    CapsuleType,
    FromDLPack,
    SupportsArray,
    SupportsArrayInterface,
    SupportsBuffer,
    SupportsCudaArrayInterface,
    SupportsDLPack,
    SupportsExchange,
)

TENSOR = dlferry.from_buffer(b"abc")

PROTOCOLS = [SupportsDLPack, SupportsExchange, SupportsArrayInterface, SupportsArray]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_tensor_has_each_protocol(protocol):
    assert isinstance(TENSOR, protocol)


@pytest.mark.parametrize("protocol", [*PROTOCOLS, SupportsCudaArrayInterface])
@pytest.mark.parametrize("other", [b"", [1], 1, None, dlferry.float32])
def test_what_is_no_array_has_none(protocol, other):
    assert not isinstance(other, protocol)


@pytest.mark.parametrize("protocol", [SupportsDLPack, SupportsArrayInterface, SupportsArray])
def test_array_of_numpy_has_its_protocols(protocol):
    assert isinstance(pytest.importorskip("numpy").zeros(2), protocol)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python shows it from 3.12 on")
def test_buffers_are_recognized():
    # Older Pythons cannot be asked, which a type checker that runs on one objects to.
    protocol: typing.Any = SupportsBuffer
    assert isinstance(b"", protocol)
    assert isinstance(TENSOR, protocol)
    assert not isinstance([1], protocol)


def test_capsule_type_is_that_of_capsules():
    assert type(TENSOR.__dlpack__(max_version=(1, 0))) is CapsuleType
    assert not isinstance(TENSOR, CapsuleType)


def test_annotations_can_be_evaluated():
    def take(x: FromDLPack, index: dlferry.typing.Index, dtype: dlferry.typing.DTypeLike) -> None: ...

    hints = typing.get_type_hints(take)
    assert SupportsDLPack in typing.get_args(hints["x"])
    assert str in typing.get_args(hints["dtype"])


def test_everything_listed_is_there():
    for name in dlferry.typing.__all__:
        assert getattr(dlferry.typing, name) is not None


@pytest.mark.parametrize(
    ("script", "absent"),
    [
        ("import dlferry", {"typing", "dlferry.typing", "numpy"}),
        ("import dlferry.typing", {"numpy", "typing_extensions"}),
    ],
)
def test_import_brings_nothing_that_is_not_needed(script, absent):
    script = f"import sys; before = set(sys.modules); {script}; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, timeout=60, capture_output=True, text=True
    )
    assert not absent & set(done.stdout.split())
