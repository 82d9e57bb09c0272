"""The processes of ``make trust``: what is run, beside one another, and what each of them said."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "python" / "tests"
LIFETIME = TESTS / "lifetime"
SECONDS = 1200
BATCHES = 16
# What `growth` and `pages` do is run and counted apart; the others are about time.
APART = ("growth", "read_only_pages", "import_cost", "large_copies")
RUST_CASES = ("cases_layout", "cases_ownership", "cases_slices")


@dataclass
class Job:
    """A process: how it is started, and how it ended."""

    kind: str
    command: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    report: Path | None = None
    counts_tensors: bool = False
    pid: int = 0
    status: int | None = None
    said: str = ""
    complaints: str = ""


def pytest_job(folder: Path, name: str, tests: Iterable[Path], **environment: str) -> Job:
    """Some tests, which write down what became of each."""
    report = folder / f"{name}.xml"
    settings = ["-m", "pytest", "-c", str(ROOT / "python" / "pyproject.toml"), "-q", "-p", "no:cacheprovider"]
    command = [sys.executable, *settings, f"--junitxml={report}", *map(str, tests)]
    return Job("tests", command, environment, report, counts_tensors=True)


def all_jobs(folder: Path) -> list[Job]:
    """Everything, what takes longest first."""
    told = {
        "DLFERRY_TESTING_LEDGER": str(folder / "ledger"),
        "DLFERRY_TESTS_TELL": str(folder / "children"),
        # What is freed is overwritten, so that whoever still looks at it sees nonsense.
        "MALLOC_PERTURB_": "165",
    }
    kept = {**told, "DLFERRY_TESTING_KEEP": "1"}
    lifetime = [path for path in sorted(LIFETIME.glob("test_*.py")) if not path.stem.endswith(APART)]
    sys.path[:0] = [str(LIFETIME), str(TESTS / "protocol")]
    growth, pages = importlib.import_module("growth"), importlib.import_module("pages")
    jobs = [
        Job("rust", rust_command()),
        pytest_job(folder, "cases", [TESTS / "cases"], **kept),
        pytest_job(folder, "lifetime", lifetime, **kept),
    ]
    path = {"PYTHONPATH": os.pathsep.join([*sys.path[:2], os.environ.get("PYTHONPATH", "")])}
    for names in growth.batches(BATCHES):
        jobs.append(Job("growth", [sys.executable, str(LIFETIME / "growth.py"), *names], path))
    for way in pages.WAYS:
        jobs.append(Job("pages", [sys.executable, str(LIFETIME / "pages.py"), way], path | told))
    return jobs


def rust_command() -> list[str]:
    """Those public failures that are Rust's; the same features as in ``make test``, so that nothing is built twice."""
    tests = [word for name in RUST_CASES for word in ("--test", name)]
    return [
        "cargo",
        "test",
        "-p",
        "dlferry",
        "-p",
        "dlferry-testing",
        "--features",
        "dlferry/half,dlferry/ndarray,dlferry/num-complex,dlferry/threads",
        *tests,
    ]


def run(job: Job) -> Job:
    """Runs a process to its end, or ends it when it hangs."""
    process = subprocess.Popen(
        job.command,
        cwd=ROOT,
        env={**os.environ, "PYTHONFAULTHANDLER": "1", **job.environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    job.pid = process.pid
    try:
        job.said, job.complaints = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        job.said, job.complaints = process.communicate()
        job.complaints += f"\nstill there after {SECONDS} seconds"
    job.status = process.returncode
    return job


def ended(jobs: list[Job]) -> Iterator[Job]:
    """Runs as many at once as there are processors; gives each when it has ended."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for future in as_completed([pool.submit(run, job) for job in jobs]):
            yield future.result()
