"""The fenced blocks of the READMEs."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
MAIN, CORE, PYO3, PYTHON = READMES = [
    "README.md",
    "crates/dlferry/README.md",
    "crates/dlferry-pyo3/README.md",
    "python/README.md",
]
EXTENSION, NUMPY = GUIDES = ["examples/extension/README.md", "docs/coming-from-rust-numpy.md"]

FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(readme: str, language: str) -> list[str]:
    """Finds the blocks of a language, in their order."""
    return [text for found, text in FENCE.findall((ROOT / readme).read_text()) if found == language]
