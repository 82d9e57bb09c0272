"""What is known of each library, as data: a module for each, with `FACTS`."""

from __future__ import annotations

import importlib
from functools import cache

from tables import Facts

LIBRARIES = [
    "numpy",
    "ml_dtypes",
    "torch",
    "jax",
    "mlx",
    "pyarrow",
    "tvm_ffi",
    "array_api_strict",
    "onnxruntime",
    "pillow",
]


@cache
def facts_of(library: str) -> Facts:
    """Look up what is known of a library."""
    facts = importlib.import_module(f"facts.{library}").FACTS
    assert isinstance(facts, Facts)
    return facts
