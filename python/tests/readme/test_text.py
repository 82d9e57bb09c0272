"""What the READMEs say about messages, links and versions is so."""

import ctypes
import re
from typing import Any

import dlferry
import pytest
from blocks import GUIDES, MAIN, READMES, ROOT

LINK = re.compile(r"\]\(([^)#\s]+)\)")


def swapped() -> Any:
    return pytest.importorskip("numpy").zeros(2, ">f4")


def read_only() -> Any:
    return dlferry.from_buffer(b"bytes")


def masked() -> Any:
    return pytest.importorskip("numpy").ma.masked_array([1, 2], [False, True])


def bfloat16() -> Any:
    return dlferry.from_dlpack(
        pytest.importorskip("torch").zeros(2, dtype=pytest.importorskip("torch").bfloat16)
    )


def conjugated() -> Any:
    torch = pytest.importorskip("torch")
    return torch.zeros(2, dtype=torch.complex64).conj()


def float32_to_rust() -> Any:
    return pytest.importorskip("first").negative(pytest.importorskip("numpy").zeros(2, "f4"))


class Made:
    """Makes a copy for each answer."""

    @property
    def __array_interface__(self) -> Any:
        return {"shape": (2,), "typestr": "|u1", "data": bytes(2)}


def with_nulls() -> Any:
    return pytest.importorskip("pyarrow", exc_type=ImportError).array([1, None])


def backwards() -> Any:
    return dlferry.from_buffer(bytearray(2))[::-1]


def needs_torch(*row: Any) -> Any:
    return pytest.param(*row, marks=pytest.mark.torch)


MESSAGES: list[Any] = [
    ("has neither __dlpack__ nor a DLPack exchange table", TypeError, lambda: dlferry.from_dlpack(b"bytes")),
    ("has no buffer protocol", TypeError, lambda: dlferry.from_buffer([1])),
    (
        "the tensor is read-only, and writable=True was asked for",
        BufferError,
        lambda: dlferry.from_dlpack(read_only(), writable=True),
    ),
    ("which an unversioned DLPack capsule cannot say", BufferError, lambda: read_only().__dlpack__()),
    (
        "have no gaps, no repetitions and no negative strides",
        BufferError,
        lambda: backwards().jax(),
    ),
    ("and torch has no negative strides", BufferError, lambda: backwards().torch()),
    ("and torch has no read-only arrays", BufferError, lambda: read_only().torch()),
    ("the target is read-only", BufferError, lambda: dlferry.copyto(read_only(), b"other")),
    ("would be lost", dlferry.CopyRequiredError, lambda: dlferry.copyto(Made(), b"ab")),
    (
        "which may be a copy made for this answer",
        dlferry.CopyRequiredError,
        lambda: dlferry.asarray(Made(), copy=False),
    ),
    ("the Arrow array has nulls", BufferError, lambda: dlferry.asarray(with_nulls())),
    ("is the name of no dtype", ValueError, lambda: read_only().view("<f4")),
    ("make an array of it first", TypeError, lambda: dlferry.asarray([1, 2, 3])),
    ("it holds an address", BufferError, lambda: dlferry.from_buffer(ctypes.c_void_p(1))),
    ("the array is masked", BufferError, lambda: dlferry.from_dlpack(masked())),
    ("in the other byte order", BufferError, lambda: dlferry.from_buffer(swapped())),
    ("would begin within a byte", BufferError, lambda: read_only().view("int4")[1:]),
    ("wanted an array of", TypeError, float32_to_rust),
    needs_torch(
        "the tensor requires a gradient",
        BufferError,
        lambda: dlferry.from_dlpack(pytest.importorskip("torch").zeros(2, requires_grad=True)),
    ),
    needs_torch("the tensor is marked as conjugated", BufferError, lambda: dlferry.from_dlpack(conjugated())),
    needs_torch("the buffer protocol has no format for", BufferError, lambda: memoryview(bfloat16())),
]


@pytest.mark.parametrize(("message", "error", "action"), MESSAGES)
def test_messages_in_the_table_are_those_that_are_raised(message, error, action):
    with pytest.raises(error, match=re.escape(message)):
        action()


def test_each_message_in_the_table_is_tested():
    table = re.findall(r"^\| `([^`]+)` \|", (ROOT / MAIN).read_text(), re.MULTILINE)
    rows = [getattr(row, "values", row)[0] for row in MESSAGES]
    assert sorted(table) == sorted(rows)


@pytest.mark.parametrize("readme", [*READMES, *GUIDES])
def test_links_into_the_repository_lead_somewhere(readme):
    targets = [link for link in LINK.findall((ROOT / readme).read_text()) if "://" not in link]
    missing = [link for link in targets if not (ROOT / readme).parent.joinpath(link).exists()]
    assert missing == []


def test_the_oldest_rust_named_is_the_one_that_cargo_asks_for():
    (oldest,) = re.findall(r'^rust-version = "(.+)"', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)
    assert f"Rust {oldest} or newer" in (ROOT / MAIN).read_text()
