"""Tables of what libraries do, as text that people read and tests compare with."""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from importlib import metadata
from typing import NamedTuple

from packaging.specifiers import SpecifierSet


class Row(NamedTuple):
    """One line of a table: which dtypes and layouts it speaks of, what happens to them, and in which releases."""

    dtypes: str
    layouts: str
    outcome: str
    releases: str


class Table(tuple[Row, ...]):
    """Rows, of which the first that fits counts."""

    __slots__ = ()

    def outcome(self, dtype: str, layout: str, release: str) -> str:
        """Look up what the table says of an array of this dtype and layout."""
        for row in self:
            if fits(row.dtypes, dtype) and fits(row.layouts, layout) and in_range(row.releases, release):
                return row.outcome
        raise LookupError(f"no row speaks of {dtype}, {layout} in release {release}")


def table(text: str) -> Table:
    """Read a table: `dtypes | layouts | outcome` or, for some releases only, `... | >=2.5`, a line each."""
    lines = [[part.strip() for part in line.split("|")] for line in text.strip().splitlines()]
    return Table(Row(*line, *[""] * (4 - len(line))) for line in lines)


def fits(patterns: str, name: str) -> bool:
    """Tell if one of the patterns, which stand between blanks, fits the name."""
    return any(fnmatchcase(name, pattern) for pattern in patterns.split())


def in_range(releases: str, release: str) -> bool:
    """Tell if a release is one of those that a specifier such as `>=2.5` names; the empty one names all."""
    return SpecifierSet(releases).contains(release, prereleases=True)


class Quirk(NamedTuple):
    """Something that a library does and others do not.

    The probe of the same id, in `libraries`, shows it. A library that has left its quirk behind fails the test, so
    that we learn of it.
    """

    id: str
    rule: str
    what: str
    outcome: str
    releases: str = ""


@dataclass(frozen=True)
class Facts:
    """What is known of one library."""

    package: str
    """Its distribution."""
    module: str
    """What is imported."""
    decides: str = ""
    """The distribution whose release decides which rows count, where another does the work."""
    dtypes: str = ""
    """The dtypes that it makes arrays of, by their names in DLPack."""
    layouts: str = ""
    """The layouts that it makes, of those in `tensors`."""
    into: dict[str, Table] = field(default_factory=dict)
    """By function of dlferry: what comes of its arrays."""
    out_of: dict[str, Table] = field(default_factory=dict)
    """By function of its own: what comes of our tensors."""
    quirks: tuple[Quirk, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    """Variables that it reads when it is imported."""

    def release(self) -> str | None:
        """Look up which release it is that decides, if the library is installed."""
        own = _release(self.package)
        return own and _release(self.decides or self.package)


@cache
def _release(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
