"""Runs mypy on lines of code."""

import json
import os
import subprocess
import sys
from pathlib import Path

import dlferry


def faults(
    lines: list[str], folder: Path, cache: Path, python: tuple[int, int] = sys.version_info[:2]
) -> dict[int, str]:
    """Type-checks a file of these lines, and returns the codes of what is wrong by the index of the line."""
    file = folder / "lines.py"
    file.write_text("\n".join(lines) + "\n")
    environment = os.environ.copy()
    staged = Path(dlferry.__file__).parents[1]
    if staged.name != "site-packages":  # there it is found as any package
        environment["MYPYPATH"] = str(staged)
    version = f"--python-version={python[0]}.{python[1]}"
    flags = ["--strict", version, f"--cache-dir={cache}", "--output=json", "--config-file="]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *flags, file],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    assert done.stderr == ""
    said = [json.loads(line) for line in done.stdout.splitlines() if line]
    assert {Path(each["file"]).name for each in said} <= {file.name}, done.stdout
    return {each["line"] - 1: each["code"] for each in said if each["severity"] == "error"}
