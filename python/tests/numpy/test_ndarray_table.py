"""The exchange table that `dlferry.numpy.enable_exchange_api` gives `numpy.ndarray`: each case in its own process."""

import sysconfig

import dlferry
import ndarray_table
import numpy as np
import pytest
from ndarrays import HAS_DLPACK
from processes import run

NEEDS_DLPACK = {
    "object_of_a_derived_class_is_asked_itself",
    "masked_elements_are_refused",
    "own_import_does_not_go_through_it",
    "table_lives_on_when_it_is_taken_away",
    "tvm_without_the_table",
}
HAS_LOCK = not sysconfig.get_config_var("Py_GIL_DISABLED")


@pytest.mark.skipif(not HAS_LOCK, reason="without a global lock the type of NumPy is left as it is")
@pytest.mark.parametrize("case", ndarray_table.CASES)
def test_table_of_arrays(case):
    if case in NEEDS_DLPACK and not HAS_DLPACK:
        pytest.skip("this NumPy has no DLPack")
    ended = run(ndarray_table.__file__, case)
    if "without tvm_ffi" in ended.said:
        pytest.skip("SKIPPED: tvm_ffi is not installed")
    assert (ended.status, ended.complaints, ended.said) == (0, "", "")


@pytest.mark.skipif(HAS_LOCK, reason="this Python has a global lock")
def test_python_without_a_global_lock_is_refused():
    with pytest.raises(RuntimeError, match="no global lock"):
        dlferry.numpy.enable_exchange_api()


def test_process_of_the_tests_has_no_table():
    assert not dlferry.numpy.exchange_api_enabled()
    assert not hasattr(np.ndarray, "__dlpack_c_exchange_api__")
