"""Runs of the kit on what a test writes."""

from __future__ import annotations

from pathlib import Path

from dlferry._conformance import cases
from dlferry._conformance.case import chosen
from dlferry._conformance.runner import Outcome, run

assert cases is not None  # importing it registers the cases


def verdicts(target: str, *only: str) -> dict[str, Outcome]:
    """What became of the cases that are chosen, by their ids."""
    _, outcomes = run(target, lambda said: chosen(only, said.roles), seconds=60)  # type: ignore[arg-type]
    return {each.case.id: each for each in outcomes}


def written(tmp_path: Path, text: str) -> Path:
    """A module with a text."""
    file = tmp_path / "mine.py"
    file.write_text(text)
    return file
