"""Who holds the memory of tensors: :func:`exports` and :func:`trace_exports`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from ._device import Device
from ._native import Tensor, _live_exports, _trace_exports, asarray, dtype

if TYPE_CHECKING:
    from .typing import ArrayLike


class Frame(NamedTuple):
    """A line of Python code that ran."""

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        """As tools name a line: ``file:line in function``."""
        return f"{self.file}:{self.line} in {self.function}"


class Export(NamedTuple):
    """What another library was given of a tensor, and has not let go of yet."""

    shape: tuple[int, ...]
    """The extents of the axes."""
    dtype: dtype
    """The type of an element."""
    device: Device
    """Where the memory is."""
    nbytes: int
    """Bytes of all elements; several exports may be of the same bytes."""
    readonly: bool
    """Whether the consumer was told not to write."""
    kind: Literal["capsule", "exchange", "buffer", "numpy"]
    """A capsule by ``__dlpack__``, a managed tensor of the C exchange API, a buffer, or the base of an array."""
    age: float
    """Seconds since it was exported."""
    frames: tuple[Frame, ...]
    """Where it was exported, the innermost line first; empty where no Python code ran."""

    def __str__(self) -> str:
        """One sentence, and the lines where it happened."""
        access = "read-only" if self.readonly else "writable"
        where = "".join(f"\n    {frame}" for frame in self.frames)
        size = f"{self.nbytes} byte{'' if self.nbytes == 1 else 's'}"
        head = f"{self.dtype} {self.shape} on {self.device}, {size}, {access}"
        return f"{head}, as {self.kind}, {self.age:.1f} s ago{where}"


def trace_exports(on: bool = True, /, *, frames: int = 12, report: bool = False) -> None:
    """Records what other libraries are given of tensors from now on, so that :func:`exports` can tell; or no longer.

    Off, it costs nothing that can be measured. On, an export takes some microseconds longer, and the ``base`` of an
    array that ``tensor.numpy()`` makes is a tensor of its own. The environment variable ``DLFERRY_TRACE_EXPORTS=1``
    turns it on with ``import dlferry``, and the report too.

    Recorded is what this package's tensors are exported as; extension modules in Rust have their own record, and memory
    that is lent for the length of a call is in none.

    - ``frames``: how many lines of the stack are kept for each export, from 1.
    - ``report``: True writes those that are left to the standard error output when Python has ended. Modules and what
      they held are gone by then, so what is left has leaked. Once asked for it stays.

    Raises ``ValueError`` for less than one frame.

    >>> import dlferry
    >>> dlferry.trace_exports()
    >>> view = memoryview(dlferry.from_buffer(bytes(4)))
    >>> [(export.kind, export.nbytes) for export in dlferry.exports(view)]
    [('buffer', 4)]
    >>> view.release()
    >>> dlferry.exports()
    []
    >>> dlferry.trace_exports(False)
    """
    if frames < 1:
        raise ValueError(f"{frames} frames: wanted 1 or more")
    _trace_exports(frames if on else 0, report)


def exports(x: ArrayLike | None = None, /) -> list[Export]:
    """The exports of tensors that somebody still holds, oldest first: who holds my memory.

    - ``x``: an array of any library, for the exports of its memory alone: those that have a byte in common with it, as
      far as that can be told.

    Known is what was exported while :func:`trace_exports` was on. Raises ``RuntimeError`` if it never was, and what
    ``asarray(x, copy=False)`` raises.

    >>> import dlferry
    >>> dlferry.trace_exports()
    >>> tensor = dlferry.from_buffer(bytearray(12)).view("float32")
    >>> lent = memoryview(tensor)
    >>> [(export.kind, export.shape, str(export.dtype)) for export in dlferry.exports(tensor)]
    [('buffer', (3,), 'float32')]
    >>> dlferry.trace_exports(False)
    """
    tensor = x if x is None or isinstance(x, Tensor) else asarray(x, copy=False)
    live = _live_exports(tensor)
    if live is None:
        raise RuntimeError("no exports were recorded: call dlferry.trace_exports() before they are made")
    return [
        Export(
            shape,
            dtype,
            Device(*device),
            nbytes,
            readonly,
            kind,
            age,
            tuple(Frame(*frame) for frame in frames),
        )
        for shape, dtype, device, nbytes, readonly, kind, age, frames in live
    ]
