"""The report: what was found, for people and for programs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .facts import Layout
from .owners import sentence
from .protocols import Answer, extents, is_a

if TYPE_CHECKING:
    from .judge import Verdict
    from .subject import Subject


@dataclass(frozen=True)
class Report:
    """What an object is, what it offers, and what becomes of it.

    ``str(report)`` is for people, 80 columns wide; in a notebook it shows itself, with a picture of the memory;
    :meth:`to_dict` is for programs.
    """

    kind: str
    """The full name of the object's type."""
    summary: str
    """The report in one sentence."""
    layout: Layout | None
    """Where the elements are; None where nobody can tell."""
    device: str | None
    answers: tuple[Answer, ...]
    """What each protocol answers."""
    calls: tuple[tuple[str, str, str], ...]
    """What the functions of dlferry do: the call, the outcome, and more about it."""
    owners: str
    """What keeps the memory, as a sentence; empty where nothing offers any."""
    verdicts: tuple[Verdict, ...] = ()
    """What the libraries would do."""
    tried: str = ""
    """How the libraries were tried, where it was on less than the array."""
    notes: tuple[str, ...] = field(default=())
    """What else should be known, with its remedy."""

    def to_dict(self) -> dict[str, Any]:
        """The report for programs: of dicts, lists, strings, numbers, booleans and None, as JSON has them.

        - ``kind``, ``summary``, ``device``, ``owners``, ``tried``: strings, ``device`` and ``tried`` may be None
        - ``layout``: None, or ``shape``, ``strides`` (in elements; None where one is no whole number), ``byte_strides``
          (None for packed elements below a byte), ``dtype``, ``itemsize`` (bytes, rounded up), ``size``, ``nbytes``,
          ``span`` (bytes from the first to behind the last), ``holes`` (bytes; None where elements overlap),
          ``overlaps`` (None where that is not known), ``order``, ``c_contiguous``, ``f_contiguous``, ``address``,
          ``alignment`` (bytes), ``readonly``, ``said_by``
        - ``protocols``: a list of ``protocol``, ``offered``, ``refused`` (None, or the exception), ``says``
        - ``dlferry``: a list of ``call``, ``outcome``, ``says``
        - ``libraries``: a list of ``library``, ``version``, ``call``, ``outcome`` (``shared``, ``copied``,
          ``converted``, ``refused``, ``crashed``, ``wrong``, ``taken`` or ``untried``), ``detail``, ``causes``,
          ``why``, ``remedy``, ``read_only`` (None, ``kept``, ``lost`` or ``unknown``)
        - ``notes``: a list of strings
        """
        return {
            "kind": self.kind,
            "summary": self.summary,
            "device": self.device,
            "layout": layout_dict(self.layout) if self.layout else None,
            "protocols": [
                {
                    "protocol": answer.protocol,
                    "offered": answer.offered,
                    "refused": answer.refused,
                    "says": answer.says,
                }
                for answer in self.answers
            ],
            "dlferry": [
                {"call": call, "outcome": outcome, "says": says} for call, outcome, says in self.calls
            ],
            "owners": self.owners,
            "libraries": [verdict.to_dict() for verdict in self.verdicts],
            "tried": self.tried or None,
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        from .text import text

        return text(self, color=False, width=80)

    def __repr__(self) -> str:
        return f"<dlferry report: {self.summary}>"

    def _repr_html_(self) -> str:
        from .page import fragment

        return fragment(self)


def layout_dict(layout: Layout) -> dict[str, Any]:
    """A layout for programs."""
    whole = layout.item_bits % 8 == 0
    return {
        "shape": list(layout.shape),
        "strides": list(layout.strides) if layout.strides is not None else None,
        "byte_strides": [step // 8 for step in layout.bit_strides] if whole else None,
        "dtype": layout.dtype,
        "itemsize": (layout.item_bits + 7) // 8,
        "size": layout.size,
        "nbytes": layout.nbytes,
        "span": layout.span,
        "holes": layout.holes,
        "overlaps": layout.overlaps,
        "order": layout.order,
        "c_contiguous": layout.c_contiguous,
        "f_contiguous": layout.f_contiguous,
        "address": layout.address,
        "alignment": layout.alignment,
        "readonly": layout.readonly,
        "said_by": layout.said_by,
    }


def report(subject: Subject, found: list[Verdict], tried: str) -> Report:
    """The report on a subject."""
    from .._device import Device

    device = str(Device(*subject.device)) if subject.device else None
    if device is None and subject.tensor is not None:
        device = str(subject.tensor.device)
    return Report(
        kind=subject.kind,
        summary=summarize(subject),
        layout=subject.layout,
        device=device,
        answers=tuple(subject.answers),
        calls=tuple(subject.calls),
        owners=sentence(subject.owners) if subject.owners else "",
        verdicts=tuple(found),
        tried=tried,
        notes=tuple(notes(subject)),
    )


def summarize(subject: Subject) -> str:
    """One sentence."""
    kind = subject.kind
    if is_a(subject.x, type):
        name = type.__dict__["__qualname__"].__get__(subject.x)
        return f"the class {name}, which is no array; its instances may be arrays"
    if not subject.offers:
        return f"{kind}: no array, for it offers none of the protocols"
    layout = subject.layout
    if layout is None:
        return f"{kind}{shape_of(subject.x)}, of which no protocol says more"
    shape = f"shape {short(layout.shape)}"
    access = {True: ", read-only", False: ", writable", None: ""}[layout.readonly]
    return f"{kind} of {shape}, {layout.dtype}, {of_bytes(layout.nbytes)}{access}"


def shape_of(x: object) -> str:
    """The shape that an object says it has, in words; nothing where it says none."""
    shape = extents(x)
    return "" if shape is None else f" of shape {short(shape)}"


def short(shape: tuple[int, ...]) -> str:
    """A shape that fits on a line."""
    text = str(tuple(shape))
    if len(text) <= 40:
        return text
    return f"({', '.join(map(str, shape[:6]))}, ... {len(shape)} axes)"


def count(number: int) -> str:
    """A number that can be read."""
    return f"{number:,}".replace(",", " ")


def of_bytes(number: int) -> str:
    """A number of bytes."""
    return f"{count(number)} byte{'' if number == 1 else 's'}"


def notes(subject: Subject) -> list[str]:
    """What should be known before anything is exchanged."""
    found: list[str] = []
    layout = subject.layout
    if layout is None:
        return found
    if layout.alignment is not None and layout.size and layout.alignment < layout.item_alignment:
        found.append(
            f"the first element is aligned to {of_bytes(layout.alignment)}, less than the {layout.item_alignment} that "
            "C asks of an element of its size; dlferry.from_dlpack(x, copy=True) is aligned to 64"
        )
    if layout.strides is None:
        found.append(
            "the strides are no whole numbers of elements, as those of a field of a structure are; DLPack cannot say "
            "that, and dlferry.asarray(x) copies"
        )
    if subject.tensor is not None and subject.tensor.source == "dlpack-unversioned" and not layout.overlaps:
        found.append(
            "an unversioned capsule cannot say whether the memory may be written, so dlferry takes it read-only; "
            "who knows better passes dlferry.from_dlpack(x, writable=True)"
        )
    if layout.overlaps:
        found.append("elements share memory, so a write to one changes others; dlferry takes it read-only")
    return found
