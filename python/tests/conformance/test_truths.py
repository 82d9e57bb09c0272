"""What is known of today's libraries is found without their names."""

import os

import pytest
from dlferry._conformance import cases  # noqa: F401
from dlferry._conformance.case import CASES, chosen
from dlferry._conformance.runner import run

# AddressSanitizer turns signals into reports and keeps freed memory: crashes and leaks look otherwise there.
pytestmark = pytest.mark.skipif("DLFERRY_ASAN" in os.environ, reason="not under AddressSanitizer")

#: Module, case, verdict, and a part of the detail.
TRUTHS = {
    "mlx": [
        ("producer/R4.2/major_one_is_versioned[(1, 3)]", "deviates", "'dltensor'"),
        ("consumer/R4.5/newer_major_is_refused[2.0]", "deviates", "accepts"),
        ("consumer/R3.20/negative_is_refused[a negative extent]", "crashes", "SIG"),
    ],
    "jax": [
        ("consumer/R2.10/null_deleter_is_not_called[versioned]", "crashes", "SIGABRT"),
        ("consumer/R5.17/copy_is_other_memory", "deviates", "the memory is the producer's"),
    ],
    "tvm_ffi": [
        ("producer/R6.6/read_only_survives", "deviates", "flags 0"),
        ("producer/R4.14/major_zero_is_unversioned[(0, 8)]", "deviates", "AttributeError"),
        ("consumer/R3.20/negative_is_refused[a negative extent]", "deviates", "accepts"),
    ],
    "pyarrow": [("producer/R6.3/read_only_array_is_not_unversioned", "deviates", "exports it")],
    "numpy": [("consumer/R4.6/major_zero_is_refused", "deviates", "accepts")],
    "array_api_strict": [("producer/R5.14/copy_says_so", "pass", "")],
    "onnxruntime": [("producer/R5.1/keyword_may_be_none[max_version]", "deviates", "TypeError")],
    "torch": [
        ("consumer/R6.1/read_only_is_not_written", "deviates", "changes the producer's memory"),
        ("producer/R6.6/read_only_survives", "deviates", "flags 0"),
        ("producer/R5.14/copy_says_so", "deviates", "flags of the copy are 0"),
    ],
}


@pytest.mark.parametrize(
    "library", [pytest.param(name, marks=pytest.mark.torch if name == "torch" else []) for name in TRUTHS]
)
def test_known_truth_is_found(library):
    """Of the versions that were looked at; a library that has changed since is another truth, told here."""
    pytest.importorskip(library)
    wanted = {name: (verdict, part) for name, verdict, part in TRUTHS[library]}
    assert set(wanted) <= set(CASES)
    _, outcomes = run(
        library, lambda said: [case for case in chosen([], said.roles) if case.id in wanted], seconds=120
    )
    for outcome in outcomes:
        verdict, part = wanted[outcome.case.id]
        assert (outcome.verdict, part in outcome.detail) == (verdict, True), (outcome.case.id, outcome.detail)
    assert len(outcomes) == len(wanted)
