"""How each library is called. Nothing here says what a library does: that is found by asking it."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from types import ModuleType

TAKES = {
    "numpy": ("numpy", "from_dlpack"),
    "torch": ("torch", "from_dlpack"),
    "jax": ("jax.numpy", "from_dlpack"),
    "cupy": ("cupy", "from_dlpack"),
    "mlx": ("mlx.core", "array"),
    "tensorflow": ("tensorflow.experimental.dlpack", "from_dlpack"),
    "tvm_ffi": ("tvm_ffi", "from_dlpack"),
    "array_api_strict": ("array_api_strict", "from_dlpack"),
    "paddle": ("paddle.utils.dlpack", "from_dlpack"),
}
"""By the name that one imports: the module with the function that takes an array, and the function."""

PACKAGES = {"jaxlib": "jax", "ml_dtypes": "numpy"}
"""Where a library's types live in a package of another name."""


def installed() -> list[str]:
    """The libraries of the table that are installed; none is imported to find that out."""
    return [name for name in TAKES if is_installed(name)]


def is_installed(name: str) -> bool:
    """Whether a module can be found, without importing it."""
    if name in sys.modules:
        return sys.modules[name] is not None
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def named(to: object) -> str:
    """The name of the library that is meant: its name, or the module.

    Raises ``TypeError`` for what is neither, ``ValueError`` for a name that is not installed.
    """
    if isinstance(to, ModuleType):
        name = to.__name__
        name = next((known for known, (module, _) in TAKES.items() if module == name), name)
    elif isinstance(to, str):
        name = to
    else:
        raise TypeError(
            f"to must be the name of a library or a module, found an object of type {type(to).__name__}"
        )
    root = name.partition(".")[0]
    if not root.isidentifier() or not is_installed(root):
        raise ValueError(f"{name!r} is not installed here")
    return name


def takes(name: str) -> tuple[str, str]:
    """The module and the function of a library, which is the array-API standard's where it is not in the table."""
    return TAKES.get(name, (name, "from_dlpack"))


def library_of(x: object) -> str | None:
    """The library of the table that an object's own type is of."""
    module = getattr(type(x), "__module__", None)
    if not isinstance(module, str):
        return None
    root = module.partition(".")[0]
    root = PACKAGES.get(root, root)
    return root if root in TAKES else None
