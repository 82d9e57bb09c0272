"""Chains of three libraries with dlferry between them: the same values, and read-only for as long as all can say it."""

import matrix
import pytest
from facts import facts_of

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
# Those that give the memory on; MLX copies always, and our chain copies for ONNX Runtime, which is asked for no version.
COPIES = ("mlx", "onnxruntime")
# Those that take the row-major layout alone and refuse others in their words.
REFUSED = {("torch", "reversed")}


def expected(layout, hops):
    """Work out what becomes of a tensor hop by hop."""
    readonly, words = layout == "read-only", []
    for hop in hops:
        readonly = {"keeps": readonly, "forgets": False, "sets": True}[READ_ONLY[hop]]
        words.append(("copied" if hop in COPIES else "shared") + " read-only" * readonly)
    return ", ".join(words)


@pytest.mark.parametrize("first", matrix.HOPS)
def test_chain_of_three_keeps_values_and_read_only(first):
    matrix.release_of(first)
    found = matrix.chains(first)
    assert found or len([hop for hop in matrix.HOPS if facts_of(hop).release()]) < 3
    wanted = {cell: expected(cell[2], cell[3:]) for cell in found}
    assert {cell: found[cell] for cell in found if found[cell] != wanted[cell]} == {
        cell: wanted[cell] for cell in found if found[cell] != wanted[cell]
    }
