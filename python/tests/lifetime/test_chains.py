"""Each deleter runs once behind four hops, in every order of drops, on this thread and on others: rules R2.2, R2.3."""

import chains
import pytest
from processes import run

OURS = ["dlferry", "numpy", "memoryview", "view"]


@pytest.mark.parametrize(
    ("hops", "among"),
    [
        (OURS, []),
        (["dlferry", "numpy", "held", "own numpy"], ["held", "own numpy"]),
        (["dlferry", "numpy", "tvm_ffi", "memoryview"], ["tvm_ffi"]),
        pytest.param(["dlferry", "numpy", "torch", "tvm_ffi"], ["torch"], marks=pytest.mark.torch),
    ],
    ids=["ours and NumPy", "taken and handed on", "tvm-ffi", "PyTorch"],
)
def test_deleter_runs_once_behind_four_hops_in_every_order(hops, among):
    """24 orders on one thread, two of them with a thread of its own for the drops; at the end nothing is left."""
    for library in {"tvm_ffi", "torch"} & {*hops}:
        pytest.importorskip(library, exc_type=ImportError)
    ended = run(
        "-W", "error", chains.__file__, "+".join(hops), *(["among", "+".join(among)] if among else [])
    )
    assert (ended.status, ended.complaints) == (0, "")
    assert int(ended.said) == len(list(chains.chains(hops, among)))
