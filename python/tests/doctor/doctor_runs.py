"""Runs of the doctor on one crafted library and on dlferry, each made once."""

from __future__ import annotations

from functools import cache

from dlferry._doctor import choose, report, runner
from dlferry._doctor.report import Cell, Report


@cache
def run_with(module: str, seconds: float = 20.0) -> Report:
    """Runs the pairs of dlferry and a module of ``faulty_libraries``."""
    libraries = choose("dlferry", [f"faulty_libraries.{module}"])
    return report.of_run(libraries, runner.run(libraries, seconds=seconds))


def taken_by(module: str, seconds: float = 20.0) -> Cell:
    """What came of arrays of dlferry's in the hands of a crafted consumer."""
    cell = run_with(module, seconds).cell("dlferry", f"faulty_libraries.{module}")
    assert cell is not None
    return cell


def made_by(module: str) -> Cell:
    """What came of arrays of a crafted producer in the hands of dlferry."""
    cell = run_with(module).cell(f"faulty_libraries.{module}", "dlferry")
    assert cell is not None
    return cell


def said_of(module: str) -> list[str]:
    """The findings about a crafted library."""
    return [
        found.words for found in run_with(module).findings if f"faulty_libraries.{module}" in found.library
    ]
