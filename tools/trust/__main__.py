"""tools/trust: whether others may trust dlferry with their pointers, counted: ``make trust``.

Run by a Python that has dlferry, its testing modules, NumPy and pytest. Runs the tests of the public failures and of
lifetimes, does each exchange 100,000 times, and tries to write read-only memory in every way. Each thing that is
counted is counted by something that would see one (``python/tests/lifetime/test_seers.py``): the signals of processes,
deleters that count, the growth of a process, pages that cannot be written. The exit status is 1 when anything is not 0.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from counts import Counts, cases, crafted
from jobs import all_jobs, ended


def main() -> int:
    """Runs everything and prints what was counted; the exit status."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        jobs = all_jobs(Path(folder))
        counts = Counts()
        for done, job in enumerate(ended(jobs), 1):
            counts.add(job)
            if sys.stderr.isatty():
                print(f"\r{done} of {len(jobs)} runs", end="\n" if done == len(jobs) else "", file=sys.stderr)
        counts.add_children(Path(folder) / "children")
        counts.tensors = crafted(Path(folder) / "ledger", {job.pid for job in jobs if job.counts_tensors})
    text, missing = cases(counts.tests)
    print(text)
    print(counts.text())
    for line in counts.failures + missing:
        print(f"FAILED: {line}")
    print(f"{time.monotonic() - start:.0f} seconds")
    return 1 if counts.failures or missing or any(counts.bad()) else 0


if __name__ == "__main__":
    sys.exit(main())
