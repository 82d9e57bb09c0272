"""Chains of three libraries with dlferry between them: the same values, and read-only for as long as all can say it."""

import matrix
import pytest

# What a library does to memory that goes through it: whether it may be written afterwards.
READ_ONLY = {
    "numpy": "keeps",
    "torch": "forgets",
    "jax": "sets",
    "mlx": "sets",
    "tvm_ffi": "forgets",
    "array_api_strict": "keeps",
    "onnxruntime": "sets",
}
# MLX copies always. ONNX Runtime asks for no version, so the chain gives it a copy of what is read-only.
COPIES = ("mlx", "onnxruntime")


def expected(layout, hops):
    """Work out what becomes of a tensor hop by hop."""
    readonly, words = layout == "read-only", []
    for hop in hops:
        readonly = {"keeps": readonly, "forgets": False, "sets": True}[READ_ONLY[hop]]
        words.append(("copied" if hop in COPIES else "shared") + " read-only" * readonly)
    return ", ".join(words)


@pytest.mark.parametrize("first", matrix.HOPS)
def test_chain_of_three_keeps_values_and_read_only(first):
    release = matrix.release_of(first)
    if not matrix.can_hop(first):
        pytest.skip(f"{first} {release} takes nothing read-only")
    found = matrix.chains(first)
    wanted = {cell: expected(cell[2], cell[3:]) for cell in found}
    assert {cell: was for cell, was in found.items() if was != wanted[cell]} == {}
