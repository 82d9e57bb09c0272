"""What a run found, as data. The text, the page, the picture and the JSON are made of it.

The JSON is an object:

``dlferry``, ``python``, ``platform``, ``date``
    With what it ran, and when (ISO 8601, UTC).
``libraries``
    ``{import name: version}`` of the libraries tried.
``broken``
    ``{import name: reason}`` of those that are installed and cannot be imported.
``cells``
    A list of ``{producer, consumer, outcome, read_only, ns, detail, capsule, shared_from, probes}``:

    - ``outcome``: ``shared`` (the same memory), ``copied``, ``converted`` (copied to another dtype), ``taken`` (nobody
      can tell whether it is shared), ``refused``, ``wrong`` (other values), ``crashed``, ``timeout``, ``none`` (the
      producer makes nothing that could be tried). It is that of a row-major array, or the worst of all probes where
      one was wrong, crashed or took too long.
    - ``read_only``: of a read-only array: ``kept``, ``lost`` (the consumer's result may be written), ``copied``,
      ``refused``; null where the producer has no such arrays.
    - ``ns``: nanoseconds of an exchange, the median of several rounds; null where there was none.
    - ``detail``: a sentence: why, and which probes had another outcome.
    - ``capsule``: the version of the producer's capsules, ``unversioned``, or null where it gives none.
    - ``shared_from``: down to which alignment memory is shared, in bytes; null where that could not be tried.
    - ``probes``: ``{name: {outcome, reason, ...}}``; the names are the keys of ``words``.
``findings``
    A list of ``{level, library, words}``; ``level`` is ``fault``, ``warning`` or ``note``.
``words``
    ``{probe: what it hands over}``.
"""

from __future__ import annotations

import dataclasses
import datetime
import platform
from typing import Any

from . import findings
from .libraries import Library, version_of
from .probes import PROBES
from .runner import Probed, Ran, pairs_of

FAULTS = ("crashed", "wrong", "timeout")
OUTCOMES = {"shared", "copied", "converted", "taken", "refused", "none", *FAULTS}
WORDS = {name: probe.words for name, probe in PROBES.items()} | {
    "alignment": "at borders of 64, 32, 16, 8 and 4 bytes",
    "time": "the time of an exchange",
}


@dataclasses.dataclass(frozen=True)
class Cell:
    """A producer and a consumer, and what came of their exchanges; the fields are those of the JSON."""

    producer: str
    consumer: str
    outcome: str
    read_only: str | None
    ns: float | None
    detail: str
    capsule: str | None
    shared_from: int | None
    probes: Probed

    def is_fault(self) -> bool:
        """Whether somebody's memory or process is at risk: wrong values, a crash or a hang."""
        return self.outcome in FAULTS


@dataclasses.dataclass(frozen=True)
class Report:
    """All cells of a run, and with what it ran; the fields are those of the JSON."""

    dlferry: str
    python: str
    platform: str
    date: str
    libraries: dict[str, str]
    broken: dict[str, str]
    cells: list[Cell]
    findings: list[findings.Finding]
    words: dict[str, str] = dataclasses.field(default_factory=lambda: dict(WORDS))

    def to_dict(self) -> dict[str, Any]:
        """Gives the report as JSON has it."""
        return dataclasses.asdict(self) | {"findings": [finding._asdict() for finding in self.findings]}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Report:
        """Makes a report of its JSON; KeyError, TypeError or ValueError where it is none."""
        cells = [Cell(**cell) for cell in data["cells"]]
        found = [findings.Finding(**finding) for finding in data["findings"]]
        if unknown := {cell.outcome for cell in cells} - OUTCOMES:
            raise ValueError(f"no outcome is called {', '.join(map(str, unknown))}")
        return cls(**{**data, "cells": cells, "findings": found})

    def producers(self) -> list[str]:
        """Lists the libraries that make arrays, in the order of the table."""
        return list(
            dict.fromkeys(name for name in self.libraries for cell in self.cells if cell.producer == name)
        )

    def consumers(self) -> list[str]:
        """Lists the libraries that take arrays, in the order of the table."""
        return list(
            dict.fromkeys(name for name in self.libraries for cell in self.cells if cell.consumer == name)
        )

    def cell(self, producer: str, consumer: str) -> Cell | None:
        """Finds a cell; None where the pair was not tried."""
        found = (cell for cell in self.cells if (cell.producer, cell.consumer) == (producer, consumer))
        return next(found, None)

    def faults(self) -> list[Cell]:
        """Lists the cells for which the exit status is 1."""
        return [cell for cell in self.cells if cell.is_fault()]


def of_run(libraries: list[Library], ran: Ran) -> Report:
    """Makes the report of a run."""
    order = [(producer.name, consumer.name) for producer, consumer in pairs_of(libraries)]
    cells = [cell_of(*pair, ran.pairs[pair]) for pair in order if pair in ran.pairs]
    makers = {cell.producer for cell in cells if cell.outcome != "none"}
    takers = {cell.consumer for cell in cells if cell.outcome != "none"}
    broken = ran.broken | {
        cell.producer: f"makes no arrays: {cell.probes['plain'].get('reason', '')}"
        for cell in cells
        if cell.producer not in makers | takers
    }
    cells = [cell for cell in cells if cell.producer in makers and cell.consumer in takers]
    position = {library.name: at for at, library in enumerate(libraries)}
    cells.sort(key=lambda cell: (position[cell.producer], position[cell.consumer]))
    import dlferry

    return Report(
        dlferry=dlferry.__version__,
        python=platform.python_version(),
        platform=f"{platform.system()} {platform.machine()}",
        date=datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        libraries={library.name: version_of(library) for library in libraries if library.name not in broken},
        broken=broken,
        cells=cells,
        findings=findings.of_cells(cells),
    )


def cell_of(producer: str, consumer: str, probed: Probed) -> Cell:
    """Sums up the probes of a pair."""
    exchanges = {name: probed[name] for name in PROBES if name in probed}
    tried = {name: result for name, result in exchanges.items() if result["outcome"] != "none"}
    faults = [result["outcome"] for result in probed.values() if result["outcome"] in FAULTS]
    first = next(iter(tried.values()), {"outcome": "none"})
    outcome = min(faults, key=FAULTS.index) if faults else first["outcome"]
    capsule = next((result["capsule"] for result in tried.values() if result.get("capsule")), None)
    return Cell(
        producer=producer,
        consumer=consumer,
        outcome=outcome,
        read_only=tried.get("read-only", {}).get("read_only"),
        ns=probed.get("time", {}).get("ns"),
        detail=_detail(outcome, first, tried, probed),
        capsule=capsule,
        shared_from=probed.get("alignment", {}).get("shared_from"),
        probes=probed,
    )


def _detail(outcome: str, first: dict[str, Any], tried: Probed, probed: Probed) -> str:
    """Says why, and which probes had another outcome than the cell shows."""
    parts = []
    if outcome in FAULTS:
        parts += [
            f"{name}: {result['outcome']}, {result.get('reason', '')}"
            for name, result in probed.items()
            if result["outcome"] in FAULTS
        ]
    elif first.get("reason"):
        parts.append(first["reason"])
    others: dict[str, list[str]] = {}
    for name, result in tried.items():
        if result["outcome"] not in (first["outcome"], "taken", *FAULTS):
            others.setdefault(result["outcome"], []).append(name)
    parts += [f"{word}: {', '.join(names)}" for word, names in others.items()]
    if "written" in tried.get("read-only", {}):
        parts.append(f"read-only: {tried['read-only']['written']}")
    alignment = probed.get("alignment", {})
    if alignment.get("shared_from") and alignment["outcome"] != "shared":
        parts.append(alignment["reason"])
    return "; ".join(parts)
