"""Who may read and write at the same time: in one call, in calls within calls, in threads, in two modules."""

import contextlib
import gc
import importlib.machinery
import importlib.util
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from craft import floats, on_device
from growth import MEGABYTE, grown

views = pytest.importorskip("dlferry_views")


def fresh(*shape: int) -> Any:
    return np.zeros(shape or (4, 6), "f4")


def refused(action: Callable[[], object]) -> None:
    with pytest.raises(BufferError, match="is borrowed") as caught:
        action()
    assert type(caught.value) is BufferError


def test_arguments_of_one_call() -> None:
    x, y = fresh(), fresh()
    assert views.read_read(x, x) == 48
    assert views.read_write(x, y) == 48
    assert views.write_write(x, y) == 48
    refused(lambda: views.read_write(x, x))
    refused(lambda: views.write_write(x, x))


def test_calls_within_calls() -> None:
    x = fresh()
    views.reading(x, lambda: views.see_f32(x))
    views.reading(x, lambda: refused(lambda: views.fill(x, 1)))
    views.writing(x, lambda: refused(lambda: views.see_f32(x)))
    views.writing(x, lambda: refused(lambda: views.fill(x, 1)))
    assert not x.any()


def test_a_borrow_ends_with_the_function() -> None:
    x = fresh()
    for _ in range(3):
        refused(lambda: views.read_write(x, x))
        with pytest.raises(ZeroDivisionError):
            views.writing(x, lambda: 1 / 0)
        with pytest.raises(TypeError):
            views.read_write(x, x.astype("f8"))
        views.fill(x, 1)


PARTS = {
    "upper and lower half": (np.s_[:2], np.s_[2:]),
    "left and right half": (np.s_[:, :3], np.s_[:, 3:]),
    "uneven columns": (np.s_[:, :1], np.s_[:, 4:]),
    "interleaved columns": (np.s_[:, ::2], np.s_[:, 1::2]),
    "interleaved columns, one reversed": (np.s_[:, ::2], np.s_[:, ::-2]),
    "interleaved rows": (np.s_[::2], np.s_[1::2]),
    "a column and an element of another": (np.s_[:, 2], np.s_[1:2, 3:4]),
    "nothing of it": (np.s_[:], np.s_[:0]),
}


@pytest.mark.parametrize("name", PARTS)
def test_parts_without_a_common_element(name: str) -> None:
    x = fresh()
    one, other = PARTS[name]
    for first, second in ((x[one], x[other]), (x[other], x[one])):
        assert not np.shares_memory(first, second)
        views.read_write(first, second)
        views.write_write(first, second)


OVERLAPS = {
    "the same": (np.s_[:], np.s_[:]),
    "one row": (np.s_[:3], np.s_[2:]),
    "one column": (np.s_[:, :4], np.s_[:, 3:]),
    "reversed": (np.s_[:], np.s_[::-1, ::-1]),
    "one element": (np.s_[:, 2], np.s_[1]),
    "every second and every third": (np.s_[:, ::2], np.s_[:, ::3]),
}


@pytest.mark.parametrize("name", OVERLAPS)
def test_parts_with_a_common_element(name: str) -> None:
    x = fresh()
    one, other = OVERLAPS[name]
    for first, second in ((x[one], x[other]), (x[other], x[one])):
        assert np.shares_memory(first, second)
        refused(lambda first=first, second=second: views.read_write(first, second))
        refused(lambda first=first, second=second: views.write_write(first, second))
        views.read_read(first, second)


def test_elements_of_another_size() -> None:
    x = fresh()
    refused(lambda: views.read_write(x.view("u1")[:, 3:4], x))
    refused(lambda: views.read_write(x.reshape(-1).view("f8"), x))
    views.read_write(x.view("u1")[:, 4:8], x[:, 2:])


def test_objects_of_different_libraries() -> None:
    x = fresh()
    for other in (memoryview(x), dlferry.from_dlpack(x), dlferry.from_buffer(x), x.view(np.recarray)):
        refused(lambda other=other: views.read_write(other, x))
        refused(lambda other=other: views.write_write(other, x))
        refused(lambda other=other: views.write_write(x, other))
    crafted = floats()
    refused(lambda: views.write_write(dt.Producer(crafted), dt.exchange_type(crafted)()))
    assert views.write_write(dt.Producer(crafted), dt.Producer(floats())) == 12


def test_memory_of_devices() -> None:
    on_cuda, managed = on_device(2), on_device(13)
    with pytest.raises(TypeError):
        views.read_write(dt.Producer(on_cuda), fresh())
    refused(lambda: views.read_write_anywhere(dt.Producer(on_cuda), dt.Producer(managed)))
    # A handle is no address: two buffers of a device that has none.
    views.read_write_anywhere(dt.Producer(on_cuda), dt.Producer(on_device(8)))
    refused(lambda: views.read_write_anywhere(dt.Producer(on_device(8)), dt.Producer(on_device(8))))
    views.read_write_anywhere(dt.Producer(on_device(8)), dt.Producer(on_device(8, byte_offset=24)))


def test_many_at_once() -> None:
    x = fresh()
    for times in (1, 15, 16, 17, 100, 1000):
        views.read_many(x, times)
        views.fill(x, times)
    views.read_rolling(x, 1000)
    views.fill(x, 0)


def test_deep_recursion() -> None:
    x = fresh()

    def deeper(depth: int) -> None:
        if depth:
            views.reading(x, lambda: deeper(depth - 1))
        else:
            refused(lambda: views.fill(x, 1))

    deeper(150)
    views.fill(x, 1)


def test_what_keeps_the_memory_may_borrow_when_it_goes() -> None:
    x = fresh()
    seen = []

    class Last(np.ndarray):
        def __del__(self) -> None:
            seen.append(views.see_2d(x)[0])
            views.fill(x, 2)

    views.see_2d(fresh().view(Last))
    gc.collect()
    assert seen == [[4, 6]]


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Load the module once more, from another file."""
    # A build against another release of PyO3 may be named in the environment.
    built = Path(os.environ.get("DLFERRY_OTHER_VIEWS", views.__file__))
    path = tmp_path_factory.mktemp("other") / built.name
    shutil.copy(built, path)
    loader = importlib.machinery.ExtensionFileLoader("dlferry_views", str(path))
    spec = importlib.util.spec_from_file_location("dlferry_views", path, loader=loader)
    assert spec is not None
    kept = sys.modules["dlferry_views"]
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    sys.modules["dlferry_views"] = kept
    assert module.see_2d is not views.see_2d
    return module


class TestModules:
    """Another extension module: the same library once more, loaded from another file."""

    def test_borrows_of_the_other_are_seen(self, other: Any) -> None:
        x = fresh()
        for one, two in ((views, other), (other, views)):
            one.reading(x, lambda two=two: two.see_f32(x))
            one.reading(x, lambda two=two: refused(lambda: two.fill(x, 1)))
            one.writing(x, lambda two=two: refused(lambda: two.see_f32(x)))
            one.writing(x, lambda two=two: refused(lambda: two.fill(x, 1)))
            one.writing(x[:2], lambda two=two: two.fill(x[2:], 1))
            two.fill(x, 0)

    def test_many_of_both(self, other: Any) -> None:
        x = fresh()

        def deeper(depth: int) -> None:
            module = (views, other)[depth % 2]
            if depth:
                module.reading(x, lambda: deeper(depth - 1))
            else:
                refused(lambda: module.fill(x, 1))

        deeper(100)
        views.fill(x, 1)
        other.fill(x, 2)


class TestThreads:
    def in_threads(self, count: int, action: Callable[[int], None]) -> None:
        errors: list[BaseException] = []
        start = threading.Barrier(count)

        def run(nth: int) -> None:
            try:
                start.wait()
                action(nth)
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=run, args=(nth,)) for nth in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not errors, errors

    def test_no_addition_is_lost(self) -> None:
        x = fresh(16)
        done = []
        self.in_threads(4, lambda _: done.append(views.increment(x, 300)))
        assert (x == sum(count for count, _ in done)).all()
        assert sum(count + no for count, no in done) == 1200

    def test_threads_with_memory_of_their_own_do_not_meet(self) -> None:
        x = fresh(4, 8)
        done = []
        self.in_threads(4, lambda nth: done.append(views.increment(x[:, 2 * nth : 2 * nth + 2], 100)))
        assert done == [(100, 0)] * 4
        assert (x == 100).all()

    def test_threads_that_end_give_their_records_back(self) -> None:
        x = fresh()
        for _ in range(30):
            self.in_threads(3, lambda _: views.read_many(x, 20))
        views.fill(x, 1)

    @pytest.mark.skipif(
        not sys.platform.startswith("linux"), reason="SKIPPED: /proc/self/statm shows the growth"
    )
    @pytest.mark.skipif("DLFERRY_ASAN" in os.environ, reason="SKIPPED: AddressSanitizer keeps what is freed")
    def test_records_of_threads_that_ended_are_used_again(self) -> None:
        x = fresh()
        assert grown(lambda: self.in_threads(1, lambda _: views.see_f32(x)), 1000) < MEGABYTE


class TestCopyto:
    """`dlferry.copyto` writes and reads as the arguments of functions do."""

    def test_target_that_is_read(self) -> None:
        x, y = fresh(), fresh() + 1
        with pytest.raises(BufferError, match="the target is borrowed: a function that still runs reads"):
            views.reading(x, lambda: dlferry.copyto(x, y))
        assert not x.any()
        dlferry.copyto(x, y)
        assert x.all()

    def test_target_that_is_written(self) -> None:
        x, y = fresh(), fresh() + 1
        with pytest.raises(BufferError, match="the target is borrowed: a function that still runs writes"):
            views.writing(x, lambda: dlferry.copyto(x, y))
        assert not x.any()

    def test_source_that_is_written(self) -> None:
        x, y = fresh(), fresh() + 1
        with pytest.raises(BufferError, match="the source is borrowed: a function that still runs writes"):
            views.writing(y, lambda: dlferry.copyto(x, y))
        assert not x.any()
        views.reading(y, lambda: dlferry.copyto(x, y))
        assert x.all()

    def test_parts_of_one_array(self) -> None:
        x = np.arange(24, dtype="f4")
        dlferry.copyto(x[1:], x[:-1])
        assert x.tolist() == [0, *range(23)]
        views.reading(x[12:], lambda: dlferry.copyto(x[:12], x[12:]))
        assert x[:12].tolist() == x[12:].tolist()
        views.write_write(x[:12], x[12:])

    @pytest.mark.parametrize("take", [lambda x: x, dlferry.from_dlpack])
    def test_source_that_meets_the_target_is_looked_at_too(self, take: Callable[[Any], Any]) -> None:
        x = np.arange(24, dtype="f4")
        to, of = take(x[:12]), take(x[6:18])
        with pytest.raises(BufferError, match="the source is borrowed: a function that still runs writes"):
            views.writing(x[14:], lambda: dlferry.copyto(to, of))
        assert x.tolist() == [*range(24)]
        views.writing(x[18:], lambda: dlferry.copyto(to, of))
        assert x[:12].tolist() == [*range(6, 18)]

    def test_all_of_a_source_is_kept_that_meets_the_target(self) -> None:
        """Also the part that is not written, while a large copy lets others run."""
        n = 8 << 20
        x = np.zeros(3 * n, "f4")
        was_refused, ended = threading.Event(), threading.Event()

        def write() -> None:
            while not ended.is_set():
                try:
                    views.fill(x[-20:], 1)
                except BufferError:
                    was_refused.set()

        thread = threading.Thread(target=write)
        thread.start()
        try:
            # By the clock and not by turns: while the other is first and has to wait for a processor, turns are short.
            deadline = time.monotonic() + 30
            while not was_refused.is_set() and time.monotonic() < deadline:
                with contextlib.suppress(BufferError):  # the other was first
                    dlferry.copyto(x[: 2 * n], x[n:])
        finally:
            ended.set()
            thread.join()
        assert was_refused.is_set()

    @pytest.mark.parametrize(
        "take", [lambda x: x.view(x.dtype.newbyteorder()), lambda x: np.ndarray(4, "f4", x, 2, (6,))]
    )
    def test_source_that_only_a_copy_can_describe(self, take: Callable[[Any], Any]) -> None:
        x = fresh()
        source = take(x)
        y = np.zeros(source.shape, "f4")
        for read in (lambda: dlferry.copyto(y, source), lambda: dlferry.asarray(source),
                     lambda: views.see_converted(source), lambda: dlferry.asarray(memoryview(source))):  # fmt: skip
            with pytest.raises(BufferError, match="is borrowed: a function that still runs writes"):
                views.writing(x, read)
            views.reading(x, read)
            read()

    def test_misaligned_tensor_is_a_source(self) -> None:
        x = np.frombuffer(bytes(1) + np.arange(6, dtype="f4").tobytes(), "f4", 6, 1)
        target = np.zeros(6, "f4")
        dlferry.copyto(dlferry.from_dlpack(target), dlferry.from_dlpack(x))
        assert target.tolist() == [*range(6)]


@pytest.mark.parametrize("owned", [False, True])
def test_tensor_that_is_looked_at_is_not_written(owned: bool) -> None:
    refused(lambda: views.write_beside_a_look(fresh(), owned))


def test_array_that_a_function_reads_is_not_resized() -> None:
    """NumPy resizes what has two references, for those are the variable's and the call's."""
    with pytest.raises(ValueError, match="resize"):
        views.resizing(np.ones(1 << 12), 8)
