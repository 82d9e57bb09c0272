"""The cases; importing this registers all of them."""

from . import (
    ask,
    capsules,
    copies,
    dtypes,
    exchange,
    keywords,
    layouts,
    lifetimes,
    read_only,
    refusals,
    structs,
    taken,
    takeover,
    versions,
)

__all__ = [
    "ask",
    "capsules",
    "copies",
    "dtypes",
    "exchange",
    "keywords",
    "layouts",
    "lifetimes",
    "read_only",
    "refusals",
    "structs",
    "taken",
    "takeover",
    "versions",
]
