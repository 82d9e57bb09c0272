"""Copies into a given and touched target, on one thread: ours against those of NumPy and PyTorch.

The layouts are those of ``bench/copy``, which compares with ``memcpy`` and with a crate. The two arrays of a row are
there before the clock starts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rows import Row

# What is no slower: within 5 % nobody can tell.
PROMISE = 1.05


def _layouts(numpy) -> Iterator[tuple[str, Callable[[], object], float]]:
    """Names, sources, and what we expected of the ratio to NumPy's copy."""

    def permuted(kind, shape, axes):
        return lambda: numpy.ones(shape, kind).transpose(axes)

    yield "transpose f32 4096x4096", permuted("f4", (4096, 4096), (1, 0)), 0.1
    yield "transpose f64 3000x3000", permuted("f8", (3000, 3000), (1, 0)), 0.2
    yield "transpose u8 8192x8192", permuted("u1", (8192, 8192), (1, 0)), 0.05
    yield "transpose f16 4096x4096", permuted("f2", (4096, 4096), (1, 0)), 0.1
    yield "transpose c128 2000x2000", permuted("c16", (2000, 2000), (1, 0)), 0.5
    yield "transpose f32 4097x3331", permuted("f4", (4097, 3331), (1, 0)), 0.25
    yield "NHWC to NCHW u8 32x512x512x3", permuted("u1", (32, 512, 512, 3), (0, 3, 1, 2)), 0.3
    yield "NHWC to NCHW f32 16x128x128x64", permuted("f4", (16, 128, 128, 64), (0, 3, 1, 2)), 0.1
    yield "NCHW to NHWC u8 32x3x512x512", permuted("u1", (32, 3, 512, 512), (0, 2, 3, 1)), 0.1
    yield "NCHW to NHWC f32 16x3x512x512", permuted("f4", (16, 3, 512, 512), (0, 2, 3, 1)), 0.4
    yield "axes reversed f32 64^4", permuted("f4", (64,) * 4, (3, 2, 1, 0)), 0.1
    yield "0213 f16 8x512x16x64", permuted("f2", (8, 512, 16, 64), (0, 2, 1, 3)), 0.9
    yield "step 2 of f32 4096x8192", lambda: numpy.ones((4096, 8192), "f4")[:, ::2], 1.0
    yield "rows reversed f32 4096x4096", lambda: numpy.ones((4096, 4096), "f4")[::-1], 1.0
    yield "columns reversed f32 4096x4096", lambda: numpy.ones((4096, 4096), "f4")[:, ::-1], 0.9
    yield "crop f32 4096x4096 of 4096x4200", lambda: numpy.ones((4096, 4200), "f4")[:, :4096], 1.0
    yield "field at stride 5 f32 2^24", lambda: numpy.ones(5 << 24, "f4")[::5], 1.0


def copies(dlferry, numpy, torch) -> Iterator[Row]:
    """One row for each layout and peer; PyTorch has no negative strides."""
    before = dlferry.get_num_threads()
    dlferry.set_num_threads(1)
    if torch:
        torch.set_num_threads(1)
    for title, make, expected in _layouts(numpy):
        source = make()
        target = numpy.zeros(source.shape, source.dtype)
        names = {"source": source, "target": target, "numpy": numpy, "copyto": dlferry.copyto}
        names |= {"to": dlferry.from_dlpack(target), "of": dlferry.from_dlpack(source)}
        title = f"{title}: copyto / "
        yield Row("copyto(to, of)", "numpy.copyto(target, source)", PROMISE, expected, names, title + "numpy")
        if torch and min(source.strides) > 0:
            names |= {"torch_to": torch.from_numpy(target), "torch_of": torch.from_numpy(source)}
            yield Row("copyto(to, of)", "torch_to.copy_(torch_of)", PROMISE, expected, names, title + "torch")
    for kind, size in [(">f4", 4096), (">f8", 3000)]:
        swapped = numpy.ones((size, size), kind)
        swapped = swapped if kind == ">f4" else swapped.T
        names = {"asarray": dlferry.asarray, "array": swapped, "kind": kind.replace(">", "=")}
        theirs = "array.astype(kind, order='C')"
        yield Row("asarray(array)", theirs, PROMISE, 0.8, names, f"asarray of {kind} / astype")
    dlferry.set_num_threads(before)
    yield from _small(dlferry, numpy)


def _small(dlferry, numpy) -> Iterator[Row]:
    for count in (1, 10, 100, 1000):
        source, target = numpy.ones((count, 2), "f4")[:, 0], numpy.zeros(count, "f4")
        names = {"source": source, "target": target, "numpy": numpy, "copyto": dlferry.copyto}
        names |= {"to": dlferry.from_dlpack(target), "of": dlferry.from_dlpack(source)}
        title = f"every second of {2 * count} f32: "
        theirs = "numpy.copyto(target, source)"
        yield Row("copyto(to, of)", theirs, PROMISE, 0.8, names, title + "copyto / numpy's")
        yield Row("of.copy()", "source.copy()", PROMISE, 1.2, names, title + "copy() / numpy's")
