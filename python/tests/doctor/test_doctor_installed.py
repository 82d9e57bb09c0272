"""A run over the libraries that this interpreter has."""

import pytest
from dlferry._doctor import libraries, report, runner

# PyTorch takes long to load and has a test with the others (`make interop`).
CHEAP = {"dlferry", "memoryview", "numpy", "ml_dtypes", "array_api_strict", "pyarrow", "mlx"}


@pytest.fixture(scope="module")
def found():
    pytest.importorskip("numpy")
    chosen = [library for library in libraries.installed() if library.name in CHEAP]
    return report.of_run(chosen, runner.run(chosen))


def test_every_pair_has_a_cell_and_none_is_at_fault(found):
    assert found.broken == {}
    numpys = [cell for cell in found.cells if cell.producer in ("numpy", "dlferry", "memoryview")]
    assert {cell.outcome for cell in numpys} <= {"shared", "copied", "refused"}
    assert {cell.outcome for cell in found.cells if "numpy" == cell.producer == cell.consumer} == {"shared"}


def test_dlferry_keeps_read_only_of_all(found):
    assert {cell.read_only for cell in found.cells if cell.consumer == "dlferry"} <= {"kept", None}


def test_dlferry_shares_what_all_make(found):
    for cell in found.cells:
        if cell.consumer == "dlferry":
            outcomes = {result["outcome"] for result in cell.probes.values()}
            assert outcomes <= {"shared", "taken", "none", "timed"}, cell


def test_exchanges_are_timed(found):
    timed = [cell for cell in found.cells if cell.outcome in ("shared", "copied")]
    assert timed
    assert all(cell.ns is not None and 10 < cell.ns < 1e9 for cell in timed)


def test_versions_are_those_of_the_libraries(found):
    import numpy

    assert found.libraries["numpy"] == numpy.__version__
