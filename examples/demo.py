"""Carries a photograph from Pillow through dlferry, NumPy, PyTorch and Rust back to Pillow, on one piece of memory.

Run it with ``make demo``. It exits with 1 when memory that has to be shared is not.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import dlferry
import first  # the Rust extension of the README, in examples/first
import numpy
from PIL import Image

OUT = Path(os.environ.get("CARGO_TARGET_DIR", "target")) / "demo"
SIDE = 28  # of a painted square, in pixels
Pixel = tuple[int, ...]


@dataclass
class Hop:
    """One library's hold on the picture: what it says of the memory, and how it reads and writes a pixel."""

    name: str
    address: int | None
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    readonly: bool | None
    read: Callable[[int, int], Pixel]
    write: Callable[[int, int, Pixel], None] | None = None
    colour: Pixel = ()

    def paint(self, top: int, left: int) -> None:
        """Paints a square, pixel by pixel, through this library."""
        if self.write is not None:
            for y in range(top, top + SIDE):
                for x in range(left, left + SIDE):
                    self.write(y, x, self.colour)


def photograph() -> Image.Image:
    """Opens the portrait of Grace Hopper (US Navy, public domain) that a small package ships, as RGBA."""
    spec = find_spec("textual_image")
    if spec is None or spec.origin is None:
        sys.exit("the photograph is missing: python -m pip install --no-deps textual-image")
    return Image.open(Path(spec.origin).with_name("gracehopper.jpg")).convert("RGBA")


def python_hop(buffer: bytearray, shape: tuple[int, int, int]) -> Hop:
    """Holds the memory as plain Python does; the place of a pixel is calculated."""
    view = memoryview(buffer).cast("B", shape)
    address = numpy.frombuffer(buffer, numpy.uint8).ctypes.data

    def read(y: int, x: int) -> Pixel:
        return tuple(buffer[4 * (y * shape[1] + x) :][:4])

    def write(y: int, x: int, pixel: Pixel) -> None:
        start = 4 * (y * shape[1] + x)
        buffer[start : start + 4] = bytes(pixel)

    return Hop("bytearray", address, shape, view.strides, view.readonly, read, write, (220, 40, 40, 255))


def dlferry_hop(tensor: dlferry.Tensor) -> Hop:
    """Writes through a memoryview: a Tensor itself exchanges and does not compute."""
    view = memoryview(tensor)

    def read(y: int, x: int) -> Pixel:
        return tuple(view[y, x, channel] for channel in range(4))

    def write(y: int, x: int, pixel: Pixel) -> None:
        for channel, value in enumerate(pixel):
            view[y, x, channel] = value

    colour = (240, 170, 30, 255)
    return Hop("dlferry", tensor.data_ptr, tensor.shape, tensor.strides, tensor.readonly, read, write, colour)


def numpy_hop(array: numpy.ndarray) -> Hop:
    """Counts strides in bytes, the others in elements; here an element is a byte."""

    def read(y: int, x: int) -> Pixel:
        return tuple(array[y, x].tolist())

    def write(y: int, x: int, pixel: Pixel) -> None:
        array[y, x] = pixel

    readonly = not array.flags.writeable
    colour = (60, 120, 220, 255)
    return Hop("NumPy", array.ctypes.data, array.shape, array.strides, readonly, read, write, colour)


def torch_hop(tensor: Any) -> Hop:
    """Has no word for read-only; dlferry hands it nothing that is."""

    def read(y: int, x: int) -> Pixel:
        return tuple(tensor[y, x].tolist())

    def write(y: int, x: int, pixel: Pixel) -> None:
        tensor[y, x] = tensor.new_tensor(pixel)

    colour = (160, 80, 200, 255)
    return Hop("PyTorch", tensor.data_ptr(), tuple(tensor.shape), tensor.stride(), False, read, write, colour)


def rust_hop(array: Any) -> Hop:
    """Reads only: what it tells of the memory is the address."""

    def read(y: int, x: int) -> Pixel:
        return tuple(first.at(array, [y, x, channel]) for channel in range(4))

    return Hop("Rust", first.address(array), (), (), None, read)


def pillow_hop(image: Image.Image) -> Hop:
    """Tells no address; that it is on the same memory shows in what it reads."""

    def read(y: int, x: int) -> Pixel:
        pixel = image.getpixel((x, y))
        return pixel if isinstance(pixel, tuple) else ()

    return Hop("Pillow", None, (image.height, image.width, 4), (), bool(image.readonly), read)


def back_to_pillow(tensor: Any) -> Image.Image:
    """Makes a Pillow image of a picture's memory; Pillow maps RGBA and does not copy it."""
    height, width, _ = tensor.shape
    return Image.frombuffer("RGBA", (width, height), tensor, "raw", "RGBA", 0, 1)


def carry(buffer: bytearray, shape: tuple[int, int, int]) -> tuple[list[Hop], Any, Image.Image]:
    """Takes the picture from library to library; each gets it from the one before. The last two are returned."""
    tensor = dlferry.from_buffer(buffer).reshape(shape)
    check(tensor.copied is False, "dlferry says that from_buffer copied")
    array = numpy.from_dlpack(tensor)
    hops = [python_hop(buffer, shape), dlferry_hop(tensor), numpy_hop(array)]
    last: Any = array
    if find_spec("torch") is not None:
        import torch

        last = torch.from_dlpack(dlferry.from_dlpack(array))
        hops.append(torch_hop(last))
    hops.append(rust_hop(last))
    image = back_to_pillow(dlferry.from_dlpack(last))
    hops.append(pillow_hop(image))
    return hops, last, image


def paint_and_look(hops: list[Hop]) -> dict[str, list[bool]]:
    """Paints a square through each hop that may write, and asks every hop whether it sees it."""
    writers = [hop for hop in hops if hop.write is not None]
    seen = {}
    for place, writer in enumerate(writers):
        top, left = 8 + (SIDE + 6) * place, 8
        middle = (top + SIDE // 2, left + SIDE // 2)
        check(writer.read(*middle) != writer.colour, f"the picture has the colour of {writer.name} already")
        writer.paint(top, left)
        seen[writer.name] = [hop.read(*middle) == writer.colour for hop in hops]
    return seen


def report(hops: list[Hop], seen: dict[str, list[bool]]) -> None:
    """Prints both tables, and fails when a hop is on other memory."""
    faults: list[str] = []
    print(f"{'hop':<10}{'address':<17}{'shape':<15}{'strides':<14}{'read-only':<11}same memory")
    for at, hop in enumerate(hops):
        sees_each_other = seen[hops[0].name][at] and seen.get(hop.name, [True])[0]
        same = sees_each_other and hop.address in (None, hops[0].address)
        address = "not told" if hop.address is None else f"{hop.address:#x}"
        shape, strides = (str(numbers) if numbers else "-" for numbers in (hop.shape, hop.strides))
        readonly = {None: "-", True: "yes", False: "no"}[hop.readonly]
        verdict = "yes" if same else "NO"
        print(f"{hop.name:<10}{address:<17}{shape:<15}{strides:<14}{readonly:<11}{verdict}")
        faults += [] if same else [hop.name]
    print("\nA square painted by the one on the left is seen by the one above:\n")
    print(" " * 10 + "".join(f"{hop.name:<11}" for hop in hops).rstrip())
    for name, row in seen.items():
        print(f"{name:<10}" + "".join(f"{'yes' if sees else 'NO':<11}" for sees in row).rstrip())
    check(not faults, f"not on the memory of the first hop: {', '.join(faults)}")
    check(all(all(row) for row in seen.values()), "somebody does not see what another painted")


def read_only_stays(data: bytes) -> None:
    """Shows that nobody on the way makes memory writable that was not."""
    tensor = dlferry.from_buffer(data)
    array = numpy.from_dlpack(tensor)
    again = dlferry.from_dlpack(array)
    check(
        tensor.readonly and not array.flags.writeable and again.readonly, "read-only memory became writable"
    )
    check(tensor.data_ptr == again.data_ptr, "read-only memory was copied")
    print("\nThe same through `bytes`, which nobody may write: dlferry read-only, NumPy not")
    print("writeable, back in dlferry read-only, and at one address.")


def check(holds: bool, otherwise: str) -> None:
    """Ends the demo with exit status 1 when what it shows is not so."""
    if not holds:
        sys.exit(f"the demo failed: {otherwise}")


def main() -> None:
    """Carries the picture, shows what happened, and saves what came out."""
    photo = photograph()
    data = photo.tobytes()
    buffer = bytearray(data)
    print(
        f"A photograph of {photo.width} x {photo.height} RGBA pixels, {len(data):,} bytes. Two copies before"
    )
    print("the first hop: Pillow's tobytes(), which is how Pillow hands pixels out, and")
    print("Python's bytearray(), for bytes may not be written.\n")
    hops, array, image = carry(buffer, (photo.height, photo.width, 4))
    report(hops, paint_and_look(hops))
    print("\nNo hop copied. Rust was given the array of the hop before it, and only reads.")
    print("Pillow maps the memory read-only: before it writes, it would copy.")
    if find_spec("torch") is None:
        print("PyTorch is not installed here, so it is not among them.")
    read_only_stays(data)
    negative = first.negative(array)
    check(numpy.from_dlpack(negative).ctypes.data == negative.data_ptr, "NumPy copied what Rust made")
    OUT.mkdir(parents=True, exist_ok=True)
    image.save(OUT / "shared.png")
    back_to_pillow(negative).save(OUT / "negative.png")
    print(f"\nRust made a negative, in memory of its own at {negative.data_ptr:#x}; NumPy and")
    print("Pillow hold it there, without a copy.\n")
    print(f"Saved, with the squares of all:  {OUT / 'shared.png'}")
    print(f"Saved, the negative:             {OUT / 'negative.png'}")


if __name__ == "__main__":
    main()
