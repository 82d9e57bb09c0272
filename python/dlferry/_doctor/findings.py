"""Sentences about libraries, found by counting cells. No library is known here."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .report import Cell


class Finding(NamedTuple):
    """A sentence about a library: ``fault`` is for wrong values, crashes and hangs, ``warning`` for memory at risk."""

    level: str
    library: str
    words: str


# What is said of a consumer that refuses a kind of array, though it takes plain ones of the same producer.
KINDS = {
    "rows": "two axes",
    "transposed": "column-major arrays",
    "strided": "strides with gaps",
    "reversed": "negative strides",
    "no-axes": "arrays without axes",
    "bool": "bool",
    "int64": "int64",
    "float64": "float64",
    "bfloat16": "bfloat16",
    "complex64": "complex64",
    "misaligned": "misaligned memory",
}
TAKEN = ("shared", "copied", "converted", "taken")
FAULTS = {"crashed": "a crash", "wrong": "wrong values", "timeout": "no end"}


def of_cells(cells: list[Cell]) -> list[Finding]:
    """Finds what stands out, the gravest first."""
    found = [*_faults(cells)]
    for consumer in dict.fromkeys(cell.consumer for cell in cells):
        own = [cell for cell in cells if cell.consumer == consumer]
        found += _of_read_only(consumer, own)
        found += _of_memory(consumer, own)
        found += _of_refusals(consumer, own)
        found += _of_dtypes(consumer, own)
    for producer in dict.fromkeys(cell.producer for cell in cells):
        found += _of_producer(producer, [cell for cell in cells if cell.producer == producer])
    levels = ["fault", "warning", "note"]
    return sorted(found, key=lambda finding: levels.index(finding.level))


def _faults(cells: list[Cell]) -> list[Finding]:
    return [
        Finding("fault", f"{cell.producer} → {cell.consumer}", f"{FAULTS[outcome]}, {_faulty(cell, outcome)}")
        for cell in cells
        for outcome in FAULTS
        if any(result["outcome"] == outcome for result in cell.probes.values())
    ]


def _faulty(cell: Cell, outcome: str) -> str:
    """Names the probes that went so, and says more of the first."""
    faulty = {name: result for name, result in cell.probes.items() if result["outcome"] == outcome}
    return f"{_list([*faulty])}: {next(iter(faulty.values())).get('reason', '')}"


def _of_read_only(consumer: str, cells: list[Cell]) -> list[Finding]:
    found = []
    lost = [cell for cell in cells if cell.read_only == "lost"]
    ways = {cell.producer: cell.probes["read-only"].get("written", "") for cell in lost}
    written = [producer for producer, way in ways.items() if "changed" in way]
    told = [producer for producer, way in ways.items() if "of the result" in way]
    if written:
        found.append(Finding("warning", consumer, f"writes to read-only memory, of {_list(written)}"))
    if told:
        found.append(Finding("warning", consumer, f"hands read-only memory on as writable, of {_list(told)}"))
    refused = [cell.producer for cell in cells if cell.read_only == "refused" and cell.outcome in TAKEN]
    if refused:
        found.append(Finding("note", consumer, f"refuses read-only arrays of {_list(refused)}"))
    return found


def _of_memory(consumer: str, cells: list[Cell]) -> list[Finding]:
    found = []
    outcomes = {cell.outcome for cell in cells} & {*TAKEN}
    if outcomes == {"copied"}:
        found.append(Finding("note", consumer, "copies what it takes"))
    borders = {cell.shared_from for cell in cells if cell.shared_from is not None}
    below = {
        cell.probes["alignment"]["outcome"] for cell in cells if cell.shared_from == max(borders, default=0)
    }
    if len(borders) == 1 and below - {"shared"}:
        verb = "copies" if "copied" in below else "refuses"
        words = f"{verb} memory that is aligned to less than {borders.pop()} bytes"
        found.append(Finding("note", consumer, words))
    return found


def _of_refusals(consumer: str, cells: list[Cell]) -> list[Finding]:
    """Groups the kinds that are refused of the same producers, so that they share a sentence."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for kind, words in KINDS.items():
        results = {
            cell.producer: cell.probes[kind]["outcome"]
            for cell in cells
            if cell.outcome in TAKEN and not cell.probes.get(kind, {"refusal": "not tried"}).get("refusal")
        }
        refused = [producer for producer, outcome in results.items() if outcome == "refused"]
        taken = [producer for producer, outcome in results.items() if outcome in TAKEN]
        if refused:
            groups.setdefault(tuple(refused) if taken else (), []).append(words)
    return [
        Finding(
            "note", consumer, f"refuses {_list(kinds)}" + (f", of {_list([*producers])}" if producers else "")
        )
        for producers, kinds in groups.items()
    ]


def _of_dtypes(consumer: str, cells: list[Cell]) -> list[Finding]:
    changes = {
        result["reason"].replace(" became ", " to ")
        for cell in cells
        for result in cell.probes.values()
        if result["outcome"] == "converted"
    }
    return [Finding("note", consumer, f"converts {_list(sorted(changes))}")] if changes else []


def _of_producer(producer: str, cells: list[Cell]) -> list[Finding]:
    found = []
    if any(cell.capsule == "unversioned" for cell in cells):
        words = "answers with unversioned capsules, which cannot say that memory is read-only"
        found.append(Finding("note", producer, words))
    kinds = {"plain": "its arrays", **KINDS}
    refused = [
        words
        for kind, words in kinds.items()
        if any(cell.probes.get(kind, {}).get("refusal") for cell in cells)
    ]
    if refused:
        words = refused[0] if refused[0] == kinds["plain"] else _list(refused)
        found.append(Finding("note", producer, f"does not export {words} by DLPack"))
    if any("producer's own" in cell.probes.get("read-only", {}).get("written", "") for cell in cells):
        found.append(Finding("warning", producer, "exports its read-only arrays without saying so"))
    return found


def _list(names: list[str]) -> str:
    """Joins names as a sentence does, and counts those beyond the fifth.

    >>> _list(["a", "b", "c"])
    'a, b and c'
    """
    if len(names) > 6:
        names = [*names[:5], f"{len(names) - 5} others"]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
