"""Pillow's images, which have an array interface and no DLPack."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dlferry
import numpy as np
from PIL import Image
from tensors import pattern

# The mode of an image whose pixels are single elements of the dtype.
MODES = {"uint8": "L", "int32": "I", "float32": "F", "uint16": "I;16"}
WAYS: dict[str, Callable[[Any], Any]] = {"fromarray": Image.fromarray}


def make(dtype: str, layout: str) -> Any:
    """Make an image of four rows."""
    return Image.frombytes(MODES[dtype], (6, 4), pattern(dtype))


def values(image: Any) -> Any:
    """List the pixels."""
    return np.asarray(image).tolist()


def pointer(image: Any) -> None:
    """Tell nothing: an image makes new bytes whenever it is asked."""
    return


def writable(image: Any) -> None:
    """Tell nothing: `fromarray` copies."""
    return


# Probes of quirks.


def has_no_dlpack() -> str:
    return str(dlferry.from_dlpack(make("uint8", "contiguous")))


def has_no_buffer() -> str:
    return str(dlferry.from_buffer(make("uint8", "contiguous")))


def interface_makes_new_bytes() -> str:
    image = make("uint8", "contiguous")
    tensor = dlferry.asarray(image)
    image.putpixel((0, 0), 9)
    return str(tensor[0, 0].item() == 9)


def bits_are_taken_as_bools() -> str:
    tensor = dlferry.asarray(Image.new("1", (3, 1), 1))
    return f"{tensor.dtype}, {tensor.tolist()}"


def image_of_ours_shares_its_memory() -> str:
    memory = dlferry.from_buffer(bytearray(6)).reshape(2, 3)
    image = Image.fromarray(memory)
    memoryview(memory)[0, 0] = 9
    return str(image.getpixel((0, 0)))
