"""NumPy's own registry of dtypes wins over the table that is known here, both ways: each case in its own process."""

import dlpack_registry
import numpy as np
import pytest
from processes import run

pytest.importorskip("ml_dtypes")


@pytest.mark.skipif(
    not hasattr(getattr(np, "dtypes", None), "register_dlpack_dtype"),
    reason="this NumPy has no registry for DLPack",
)
@pytest.mark.parametrize("case", dlpack_registry.CASES)
def test_registry(case):
    ended = run(dlpack_registry.__file__, case)
    assert (ended.status, ended.complaints, ended.said) == (0, "", "")
