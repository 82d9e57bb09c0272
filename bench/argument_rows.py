"""Functions of extensions that take and return arrays: dlferry-pyo3 against rust-numpy, dlpark and nanobind.

All are in the modules that ``bench/arguments/build`` builds, the Rust ones in one library, with one pyo3. The time is
that of the whole call from Python, of which ``call`` is what a function takes that looks at nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

from rows import NO_SLOWER, Row, library


def arguments(numpy, torch) -> Iterator[Row]:
    """All rows whose modules were built."""
    ours = library("dlferry_bench_arguments")
    if not ours:
        return
    nanobind = library("dlferry_bench_nanobind")
    names = {"rust": ours, "nanobind": nanobind, "x": numpy.zeros((3, 4), numpy.float32)}

    def row(ours: str, theirs: str, promise: float, expected: float) -> Row:
        return Row(ours, theirs, promise, expected, names, f"argument: {ours} / {theirs}")

    # 38 ns of 109 in a first try, of which the call is 36; with the registry of borrows more.
    yield row("rust.view(x)", "rust.view_rust_numpy(x)", 0.55, 0.5)
    yield row("rust.view_mut(x)", "rust.view_mut_rust_numpy(x)", 0.7, 0.5)
    for count in (10, 1000, 100_000):
        yield row(f"rust.new({count})", f"rust.new_rust_numpy({count})", NO_SLOWER, 0.9)
    if nanobind:
        yield row("rust.view(x)", "nanobind.view(x)", 0.4, 0.3)
        yield row("rust.view_mut(x)", "nanobind.view_mut(x)", 0.4, 0.3)
        yield row("rust.new(10)", "nanobind.new(10)", 0.5, 0.35)
    if torch:
        names = {**names, "t": torch.zeros(3, 4)}
        # 118 ns of 377: most of it is PyTorch's own, which lends the tensor.
        yield row("rust.view(t)", "rust.view_dlpark(t)", 0.4, 0.4)
        if nanobind:
            yield row("rust.view(t)", "nanobind.view(t)", 0.1, 0.05)
    yield from _threads(ours, numpy)


def _threads(rust, numpy) -> Iterator[Row]:
    """Twice the views on two threads against those on one; where one thread runs at a time, that is twice the time."""
    import sys

    if getattr(sys, "_is_gil_enabled", lambda: True)():
        return

    def on(count: int, repeat: Callable[[object, int], None]) -> Callable[[], object]:
        arrays = [numpy.zeros((3, 4), numpy.float32) for _ in range(count)]

        def run() -> None:
            threads = [threading.Thread(target=repeat, args=(array, 200_000)) for array in arrays]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        return run

    for name in ("repeat_view", "repeat_view_mut"):
        repeat = getattr(rust, name)
        # 1.8 times as much in the same time.
        yield Row(on(2, repeat), on(1, repeat), 1.11, 1.05, title=f"argument: {name} on two threads / on one")
