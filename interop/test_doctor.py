"""What is known of libraries, found by the doctor, which knows none of them."""

from __future__ import annotations

import importlib.util
from functools import cache

import pytest
from dlferry._doctor import libraries, report, runner
from dlferry._doctor.report import Cell, Report

LIBRARIES = ("dlferry", "memoryview", "numpy", "pyarrow", "mlx", "jax", "torch", "tvm_ffi")


@cache
def found() -> Report:
    """The report of a run, made once."""
    chosen = [library for library in libraries.installed() if library.name in LIBRARIES]
    return report.of_run(chosen, runner.run(chosen))


def cell_of(producer: str, consumer: str) -> Cell:
    """A cell of the run; skips where one of the libraries is missing."""
    for name in (producer, consumer):
        if name != "memoryview" and importlib.util.find_spec(name) is None:
            pytest.skip(f"SKIPPED: {name} is not installed")
    cell = found().cell(producer, consumer)
    assert cell is not None, found().broken
    return cell


def said_of(library: str) -> str:
    """The findings about a library, one below the other."""
    return "\n".join(finding.words for finding in found().findings if finding.library == library)


@pytest.mark.parametrize("producer", ["numpy", "dlferry", "pyarrow"])
def test_torch_writes_through_read_only_memory(producer):
    cell = cell_of(producer, "torch")
    assert (cell.outcome, cell.read_only) == ("shared", "lost")
    assert "changed the producer's memory" in cell.detail
    assert "writes to read-only memory" in said_of("torch")


def test_mlx_answers_unversioned():
    assert cell_of("mlx", "dlferry").capsule == "unversioned"
    assert "unversioned capsules" in said_of("mlx")


@pytest.mark.parametrize("producer", ["numpy", "dlferry"])
def test_jax_copies_below_an_alignment_of_64_bytes(producer):
    cell = cell_of(producer, "jax")
    assert (cell.outcome, cell.shared_from) == ("shared", 64)
    assert cell.probes["alignment"]["outcome"] == "copied"
    assert "copies memory that is aligned to less than 64 bytes" in said_of("jax")


def test_tvm_ffi_refuses_read_only_arrays_of_numpy():
    cell = cell_of("numpy", "tvm_ffi")
    assert (cell.outcome, cell.read_only) == ("shared", "refused")
    assert "refuses read-only arrays of numpy" in said_of("tvm_ffi")


@pytest.mark.parametrize("producer", ["numpy", "dlferry"])
def test_torch_refuses_negative_strides(producer):
    cell = cell_of(producer, "torch")
    assert cell.probes["reversed"]["outcome"] == "refused"
    assert "refuses negative strides" in said_of("torch")


def test_read_only_survives_where_it_can():
    assert cell_of("numpy", "dlferry").read_only == "kept"
    assert cell_of("dlferry", "numpy").read_only == "kept"
    assert cell_of("numpy", "numpy").read_only == "kept"


def test_dlferry_is_at_fault_nowhere():
    cell_of("dlferry", "dlferry")
    assert [cell for cell in found().faults() if cell.consumer == "dlferry"] == []
    assert [cell for cell in found().faults() if cell.producer == "dlferry"] == []
