"""NumPy is found by what cannot be faked, and what goes wrong leads to the protocol: each case in its own process."""

import numpy_found
import pytest
from processes import run


@pytest.mark.parametrize("case", numpy_found.CASES)
def test_search_for_numpy(case):
    ended = run(numpy_found.__file__, case)
    assert (ended.status, ended.complaints, ended.said) == (0, "", "")
