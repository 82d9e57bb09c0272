"""JAX on the CPU, with its 64-bit dtypes switched on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dlferry
import dlferry_testing as dt
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

from libraries import numpy as plain

CHAIN = "from_dlpack"
ALIGNMENT = 64
WAYS: dict[str, Callable[[Any], Any]] = {
    "from_dlpack": jax.dlpack.from_dlpack,
    "from_dlpack copy=False": lambda tensor: jax.dlpack.from_dlpack(tensor, copy=False),
    "asarray": jnp.asarray,
}


def make(dtype: str, layout: str) -> Any:
    """Make an array of what NumPy has; None where this release lacks the dtype."""
    if not hasattr(jnp, "bool_" if dtype == "bool" else dtype):
        return None
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    try:
        array = jnp.array(plain.base_of(kind, dtype, layout))
    except jax.errors.JaxRuntimeError:
        return None
    # In its hands, all layouts are row-major.
    return plain.LAYOUTS[layout](array)


def values(array: Any) -> Any:
    """List the elements."""
    return plain.values(np.asarray(array))


def pointer(array: Any) -> int:
    """Tell where the first element is."""
    return int(array.unsafe_buffer_pointer())


def writable(array: Any) -> None:
    """Tell nothing: its arrays are never written in place."""
    return


# Probes of quirks.


def aborts_on_a_null_deleter() -> str:
    array = jax.dlpack.from_dlpack(dt.Producer(dt.Crafted(bytes(64), shape=[16], null_deleter=True)))
    del array
    return "survives"


def null_deleter_is_not_passed_on() -> str:
    tensor = dlferry.from_dlpack(dt.Producer(dt.Crafted(bytes(64), shape=[16], null_deleter=True)))
    array = jax.dlpack.from_dlpack(tensor)
    del array
    return "survives"


def copy_true_is_a_view() -> str:
    memory = dlferry.from_buffer(bytes(64), copy=True)
    array = jax.dlpack.from_dlpack(memory, copy=True)
    return "shared" if array.unsafe_buffer_pointer() == memory.data_ptr else "copied"


def needs_64_byte_alignment() -> str:
    memory = dlferry.from_buffer(bytes(128), copy=True)
    shares = []
    for start in (0, 16, 32, 64):
        part = memory[start : start + 32]
        shares.append(jax.dlpack.from_dlpack(part).unsafe_buffer_pointer() == part.data_ptr)
    return str(shares)


def refuses_gaps() -> str:
    return str(jax.dlpack.from_dlpack(dlferry.from_buffer(bytes(8))[::2]))


def is_always_read_only() -> str:
    return str(dt.inspect(jnp.zeros(2).__dlpack__(max_version=(1, 0)))["flags"])


def is_read_only_unversioned_all_the_same() -> str:
    return dt.capsule_name(jnp.zeros(2).__dlpack__())


def copy_is_read_only() -> str:
    return str(dt.inspect(jnp.zeros(2).__dlpack__(max_version=(1, 0), copy=True))["flags"])


def has_no_int4() -> str:
    return str(jnp.zeros(2, "int4").__dlpack__(max_version=(1, 0)))


def wide_types_are_narrowed() -> str:
    jax.config.update("jax_enable_x64", False)
    return str(jax.dlpack.from_dlpack(dlferry.from_buffer(bytes(64), copy=True).view("float64")).dtype)


def takes_no_capsule() -> str:
    return str(jax.dlpack.from_dlpack(dlferry.from_buffer(b"ab").__dlpack__(max_version=(1, 0))))


def refuses_a_pinned_device_by_its_announcement() -> str:
    return str(jax.dlpack.from_dlpack(dt.Producer(dt.Crafted(bytes(4), shape=[1], device=(13, 0)))))


def calls_deleters_detached() -> str:
    recipe = dt.Crafted(bytes(64), shape=[16], poison=True)
    array = jax.dlpack.from_dlpack(dlferry.from_dlpack(dt.Producer(recipe)))
    jax.block_until_ready(array)
    del array
    return str([call["attached"] for call in recipe.deleter_calls])
