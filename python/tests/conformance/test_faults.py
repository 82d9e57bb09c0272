"""Faults that are planted by chance are found, and named by the right rule."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import faults
import pytest
from dlferry._conformance import cases  # noqa: F401
from dlferry._conformance.case import chosen
from dlferry._conformance.runner import run

# AddressSanitizer turns signals into reports and keeps freed memory: crashes and leaks look otherwise there.
pytestmark = pytest.mark.skipif("DLFERRY_ASAN" in os.environ, reason="not under AddressSanitizer")

HONEST = Path(__file__).with_name("honest.py")
SEED = int(os.environ.get("DLFERRY_FAULT_SEED", "20261129"))
COUNT, AT_LEAST = 30, 28


def broken(role, fault=""):
    _, outcomes = run(f"{HONEST}:{role}_{fault}", lambda said: chosen([], said.roles), seconds=60)
    return outcomes, [each for each in outcomes if each.verdict in ("deviates", "crashes")]


@pytest.mark.parametrize("role", ["producer", "consumer"])
def test_who_has_no_fault_is_not_accused(role):
    outcomes, accused = broken(role)
    assert [(each.case.id, each.detail) for each in accused] == []
    assert len([each for each in outcomes if each.verdict == "pass"]) >= 60


def test_planted_faults_are_diagnosed_by_the_right_rule():
    """Seeded, so that a failure can be repeated: DLFERRY_FAULT_SEED."""
    planted = faults.planted(COUNT, SEED)
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda fault: broken(*fault[:2])[1], planted))
    missed = [
        f"{role} {fault}: wanted {sorted(right)}, found {sorted({each.case.rule for each in accused})}"
        for (role, fault, right), accused in zip(planted, found, strict=True)
        if not right & {each.case.rule for each in accused}
    ]
    assert COUNT - len(missed) >= AT_LEAST, "\n".join([f"seed {SEED}", *missed])


def test_chance_is_what_the_seed_says():
    assert faults.planted(COUNT, 1) == faults.planted(COUNT, 1)
    assert faults.planted(COUNT, 1) != faults.planted(COUNT, 2)
    assert {role for role, _, _ in faults.planted(COUNT, SEED)} == {"producer", "consumer"}
