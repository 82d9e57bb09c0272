"""Colors, and a bar for those who wait."""

from __future__ import annotations

import os
import shutil
import time
from typing import TextIO

COLORS = {"pass": "32", "deviates": "33", "crashes": "31;1", "not applicable": "2", "must": "31", "bold": "1"}


def painted(text: str, kind: str, color: bool) -> str:
    """Text in the color of a kind, if there are colors."""
    return f"\x1b[{COLORS[kind]}m{text}\x1b[0m" if color and kind in COLORS else text


def plain(text: str) -> str:
    """Text of anybody's, without what a terminal would obey."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def width() -> int:
    """How many columns a line may have: those of the terminal, from 60 to 100."""
    return max(60, min(100, shutil.get_terminal_size((80, 24)).columns))


class Progress:
    """A bar on a terminal, and nothing elsewhere."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._shown = stream.isatty() and os.environ.get("TERM") != "dumb"
        self._last = 0.0

    def show(self, what: str, done: int, total: int) -> None:
        """Draws how far it is, at most ten times a second."""
        now = time.monotonic()
        if not self._shown or (now - self._last < 0.1 and done < total):
            return
        self._last = now
        room = max(10, width() - len(what) - 16)
        full = room * done // max(total, 1)
        bar = "#" * full + "." * (room - full)
        self._stream.write(f"\r{what} [{bar}] {done}/{total}\x1b[K")
        self._stream.flush()

    def clear(self) -> None:
        """Takes the bar away."""
        if self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
