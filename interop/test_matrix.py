"""Each library both ways: every dtype and layout that it makes, and every one that dlferry has."""

import matrix
import pytest
import tensors
from facts import LIBRARIES, facts_of

INTO = [
    (library, way, dtype)
    for library in LIBRARIES
    for way in facts_of(library).into
    for dtype in matrix.dtypes_of(library)
]
OUT_OF = [
    (library, way, dtype)
    for library in LIBRARIES
    for way in facts_of(library).out_of
    for dtype in tensors.DTYPES
]


@pytest.mark.parametrize(("library", "way", "dtype"), INTO)
def test_array_comes_in_as_the_table_says(library, way, dtype):
    release = matrix.release_of(library)
    table, found = facts_of(library).into[way], matrix.outcomes(library)
    layouts = matrix.layouts_of(library, dtype)
    came = {layout: found["into", library, way, dtype, layout] for layout in layouts}
    if set(came.values()) == {"absent"}:
        pytest.skip(f"{library} {release} has no {dtype}")
    assert came == {layout: table.outcome(dtype, layout, release) for layout in layouts}


@pytest.mark.parametrize(("library", "way", "dtype"), OUT_OF)
def test_tensor_goes_out_as_the_table_says(library, way, dtype):
    release = matrix.release_of(library)
    table, found = facts_of(library).out_of[way], matrix.outcomes(library)
    layouts = tensors.layouts_of(dtype)
    went = {layout: found["out_of", library, way, dtype, layout] for layout in layouts}
    assert went == {layout: table.outcome(dtype, layout, release) for layout in layouts}
