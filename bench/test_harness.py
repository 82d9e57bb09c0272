"""The logic of the harness, with a clock that is told what the time is."""

import gc
import importlib.util
import itertools
import json
from pathlib import Path
from types import ModuleType

import harness
import pytest
from harness import Ratio, compare
from rows import Row


def command():
    """The module that ``python bench`` runs."""
    spec = importlib.util.spec_from_file_location("bench_command", Path(__file__).with_name("__main__.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class FakeClock:
    """A clock that moves only when it is told to."""

    def __init__(self):
        self.now = 0
        self.calls = []

    def __call__(self):
        return self.now

    def side(self, name, *nanoseconds):
        """A side that takes these times, over and over."""
        times = itertools.cycle(nanoseconds)

        def run():
            self.calls.append(name)
            self.now += next(times)

        return run


@pytest.fixture
def clock(monkeypatch):
    clock = FakeClock()
    loop, empty = harness._loop, clock.side("none", 1000)
    monkeypatch.setattr(harness, "_loop", lambda side, *rest: loop(empty if side == "None" else side, *rest))
    return clock


def test_the_ratio_is_ours_by_theirs(clock):
    found = compare(clock.side("ours", 10_000), clock.side("theirs", 40_000), clock=clock, seconds=1e-4)
    assert (found.ratio, found.ours, found.theirs, found.empty) == (0.25, 10_000, 40_000, 1000)


def test_a_slow_side_is_called_once_a_round(clock):
    compare(clock.side("ours", 10**9), clock.side("theirs", 10**9), clock=clock, seconds=1e-4)
    assert clock.calls.count("ours") == harness.ROUNDS + 1  # one to find out


def test_the_sides_take_turns_in_going_first(clock):
    compare(clock.side("ours", 10**9), clock.side("theirs", 10**9), clock=clock, seconds=1e-4)
    order = [name for name in clock.calls if name != "none"]
    assert order[2:10] == ["ours", "theirs", "theirs", "ours"] * 2


def test_a_machine_that_slows_down_slows_both_sides_of_a_round(clock):
    """The times grow tenfold from round to round and shrink again, and the ratio stays."""
    slow = [10**9, 10**10, 10**9, 10**8, 10**9]
    found = compare(
        clock.side("ours", *slow), clock.side("theirs", *[2 * one for one in slow]), clock=clock, seconds=1e-4
    )
    assert (found.low, found.ratio, found.high) == (pytest.approx(0.5),) * 3


def test_an_outlier_does_not_move_the_median(clock):
    found = compare(
        clock.side("ours", *[10**9] * 30, 10**12), clock.side("theirs", 10**9), clock=clock, seconds=1e-4
    )
    assert found.ratio == pytest.approx(1.0)


def test_too_few_rounds_are_refused(clock):
    with pytest.raises(ValueError, match="at least 31"):
        compare("None", "None", clock=clock, rounds=30)


def test_an_expression_sees_the_names_it_is_given():
    seen = []
    compare("seen.append(1)", "seen.append(2)", {"seen": seen}, seconds=1e-6, rounds=31)
    assert {1, 2} == set(seen)


def test_a_side_is_prepared_before_each_of_its_rounds():
    state = []
    before = (lambda: state.append("ours"), lambda: state.append("theirs"))
    seen = {"ours": set(), "theirs": set()}
    sides = [lambda side=side: seen[side].add(state[-1]) for side in seen]
    compare(*sides, before=before, seconds=1e-6, rounds=31)
    assert seen == {"ours": {"ours"}, "theirs": {"theirs"}}
    assert min(map(state.count, ("ours", "theirs"))) >= 31


@pytest.mark.parametrize("statement", ["x = 1", "import os", "1\n  break", ""])
def test_a_side_is_one_expression(statement):
    with pytest.raises(SyntaxError):
        compare(statement, "None", seconds=1e-6)


def test_the_cycle_collector_rests_and_comes_back():
    states = []
    compare(lambda: states.append(gc.isenabled()), "None", seconds=1e-6)
    assert set(states) == {False}
    assert gc.isenabled()


FOUND = Ratio(ours=110.0, theirs=100.0, ratio=1.1, low=1.0, high=1.2, empty=10.0, rounds=41)


@pytest.mark.parametrize(("promise", "status"), [(1.1, 0), (1.05, 1)])
def test_the_exit_status_says_whether_a_promise_is_missed(promise, status, monkeypatch, tmp_path, capsys):
    run = command()
    monkeypatch.setattr(run, "rows", lambda: [Row("a", "b", promise, 1.0), Row("c", "d", 2.0, 1.0)])
    monkeypatch.setattr(run, "compare", lambda *_, **__: FOUND)
    file = tmp_path / "found.json"
    assert run.main(["--json", str(file)]) == status
    table = capsys.readouterr().out
    assert table.count("MISSED") == status
    written = json.loads(file.read_text())
    assert [row["missed"] for row in written["rows"]] == [bool(status), False]
    assert written["rows"][0]["ratio"] == 1.1


def test_what_is_taken_of_a_module_is_looked_up_before():
    module = ModuleType("module")
    module.inner = ModuleType("inner")
    calls: list[int] = []
    module.inner.count = calls
    names = {"module": module, "value": 3, "other": [1]}
    timed = harness._loop("module.inner.count.append(other.index(1) + value)", names, int)
    del module.inner, names["value"]
    names["value"] = 4
    timed(range(2), lambda: 0)
    assert calls == [4, 4]
