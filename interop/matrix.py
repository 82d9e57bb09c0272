"""What every test of a library needs: whether it is there, and the outcomes of its cells, each run once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import processes
import pytest
import tensors
from facts import facts_of
from processes import Cell
from tables import fits, in_range

# Libraries that take an array by DLPack and give it out again.
HOPS = ["numpy", "torch", "jax", "mlx", "tvm_ffi", "array_api_strict", "onnxruntime"]
# Those of which some releases take nothing read-only, and so have no place in chains.
RELEASES = {"jax": ">=0.12"}


def release_of(library: str) -> str:
    """Tell the release that is installed; skip the test of a library that is not there."""
    release = facts_of(library).release()
    if release is None:
        pytest.skip(f"{library} is not installed")
    return release


def dtypes_of(library: str) -> list[str]:
    """List the dtypes that the library makes arrays of."""
    return [dtype for dtype in tensors.DTYPES if fits(facts_of(library).dtypes, dtype)]


def layouts_of(library: str, dtype: str) -> list[str]:
    """List the layouts of a dtype that the library makes."""
    named = facts_of(library).layouts
    return tensors.layouts_of(dtype) if named == "*" else named.split()


def into_cells(library: str) -> Iterator[Cell]:
    """List what dlferry is to take from the library."""
    for way in facts_of(library).into:
        for dtype in dtypes_of(library):
            for layout in layouts_of(library, dtype):
                yield ("into", library, way, dtype, layout)


def out_cells(library: str) -> Iterator[Cell]:
    """List what the library is to take from dlferry."""
    for way in facts_of(library).out_of:
        for dtype in tensors.DTYPES:
            for layout in tensors.layouts_of(dtype):
                yield ("out_of", library, way, dtype, layout)


@cache
def outcomes(library: str) -> dict[Cell, str]:
    """Run all cells of the library, in one process for as long as none crashes."""
    quirks = [("quirk", library, quirk.id) for quirk in facts_of(library).quirks]
    cells = [*into_cells(library), *out_cells(library), *quirks]
    return processes.run(cells, facts_of(library).environment)


def can_hop(library: str) -> bool:
    """Tell if a chain can lead through the library that is installed."""
    release = facts_of(library).release()
    return release is not None and in_range(RELEASES.get(library, ""), release)


@cache
def chains(first: str) -> dict[Cell, str]:
    """Run the chains that begin with a library."""
    there = [library for library in HOPS if can_hop(library)]
    cells: list[Cell] = [
        ("chain", dtype, layout, first, second, third)
        for second in there
        for third in there
        for dtype, layout in (("float32", "contiguous"), ("int32", "read-only"), ("uint8", "transposed"))
        if len({first, second, third}) == 3
    ]
    return processes.run(
        cells, {name: value for hop in HOPS for name, value in facts_of(hop).environment.items()}
    )
