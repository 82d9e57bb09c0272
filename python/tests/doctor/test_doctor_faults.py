"""A library that breaks a rule is found out, by a library that nobody knows the name of."""

import pytest
from dlferry._doctor import choose, libraries, report, runner
from doctor_runs import made_by, run_with, said_of, taken_by


def test_crash_is_an_outcome_with_its_signal_and_last_word():
    cell = taken_by("aborts")
    assert cell.outcome == "crashed"
    assert cell.probes["plain"]["reason"] == "ended by SIGABRT: the last word"
    assert any("a crash" in words and "SIGABRT" in words for words in said_of("aborts"))


def test_process_that_leaves_is_a_crash():
    assert taken_by("leaves").probes["plain"] == {"outcome": "crashed", "reason": "ended with exit status 3"}


def test_process_that_a_library_leaves_behind_holds_nothing_up():
    cell = taken_by("leaves_another", 2.0)
    assert cell.probes["plain"]["outcome"] == "crashed"


def test_after_some_crashes_the_rest_of_a_pair_is_left_out():
    outcomes = [result["outcome"] for result in taken_by("leaves").probes.values()]
    assert outcomes.count("crashed") == runner.CRASHES
    assert set(outcomes[runner.CRASHES :]) == {"none"}


def test_probes_behind_a_crash_are_tried():
    cell = taken_by("aborts_on_complex")
    assert cell.outcome == "crashed"
    assert {name for name, result in cell.probes.items() if result["outcome"] == "crashed"} == {"complex64"}
    assert cell.probes["read-only"]["outcome"] == "shared"
    assert cell.ns is not None


def test_crash_does_not_keep_other_pairs_from_their_turn():
    pair = run_with("aborts").cell("dlferry", "dlferry")
    assert pair is not None
    assert pair.outcome == "shared"


def test_hang_is_an_outcome():
    cell = taken_by("hangs", 0.5)
    assert cell.outcome == "timeout"
    assert cell.probes["plain"]["reason"] == "took longer than 0.5 s"


@pytest.mark.parametrize(
    ("module", "reason"), [("falsifies", "element "), ("reshapes", "shape (32, 32) became (1024,)")]
)
def test_wrong_values_are_found(module, reason):
    cell = taken_by(module)
    assert cell.outcome == "wrong"
    assert reason in cell.detail
    assert any(words.startswith("wrong values") for words in said_of(module))


def test_wrong_values_of_the_producer_are_blamed_on_it():
    cell = made_by("exports_others")
    assert cell.outcome == "wrong"
    assert "the producer itself shows" in cell.detail


def test_claim_to_be_read_only_is_tried():
    cell = taken_by("writes")
    assert (cell.outcome, cell.read_only) == ("shared", "lost")
    assert cell.probes["read-only"]["written"].endswith("though it says that it is read-only")
    assert "writes to read-only memory, of dlferry" in said_of("writes")


def test_read_only_that_the_producer_does_not_say_is_blamed_on_it():
    assert made_by("forgets_read_only").read_only == "lost"
    assert said_of("forgets_read_only") == ["exports its read-only arrays without saying so"]
    assert not [found for found in run_with("forgets_read_only").findings if found.library == "dlferry"]


def test_capsules_without_a_version_are_noted():
    assert made_by("unversioned").capsule == "unversioned"
    assert said_of("unversioned") == [
        "answers with unversioned capsules, which cannot say that memory is read-only"
    ]


def test_alignment_below_which_memory_is_copied_is_found():
    cell = taken_by("asks_for_32")
    assert (cell.outcome, cell.shared_from) == ("shared", 32)
    assert "copies memory that is aligned to less than 32 bytes" in said_of("asks_for_32")


def test_what_a_library_prints_is_no_part_of_the_report():
    cell = taken_by("shouts")
    assert cell.outcome == "refused"
    assert cell.detail.startswith("SystemExit: ")


def test_result_that_cannot_be_looked_into_is_not_called_shared():
    cell = taken_by("keeps_quiet")
    assert (cell.outcome, cell.read_only) == ("taken", None)


@pytest.mark.parametrize(
    ("module", "reason"),
    [("breaks", "ImportError: it lacks a library"), ("dies", "its import ended with exit status 7")],
)
def test_library_that_cannot_be_imported_is_told_and_left_out(module, reason):
    found = run_with(module)
    assert found.broken == {f"faulty_libraries.{module}": reason}
    assert [(cell.producer, cell.consumer) for cell in found.cells] == [("dlferry", "dlferry")]
    assert list(found.libraries) == ["dlferry"]


def test_each_pair_may_have_a_process_of_its_own():
    libraries = choose("dlferry,memoryview", [])
    ran = runner.run(libraries, isolate=True)
    assert {cell.outcome for cell in report.of_run(libraries, ran).cells} == {"shared"}


def test_a_library_that_does_not_come_to_the_end_of_its_import_is_given_up_on(tmp_path, monkeypatch):
    (tmp_path / "hangs_when_loaded.py").write_text("import time; time.sleep(1000)")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(runner, "LEAST_IMPORT_SECONDS", 2.0)
    chosen = choose("dlferry", ["hangs_when_loaded"])
    found = report.of_run(chosen, runner.run(chosen, seconds=0.25))
    assert found.broken == {"hangs_when_loaded": "its import took longer than 2 s"}
    assert found.cell("dlferry", "dlferry").outcome == "shared"


def test_what_is_installed_is_found_without_importing_any_of_it(tmp_path, monkeypatch):
    folder = tmp_path / "ends_the_process"
    folder.mkdir()
    (folder / "__init__.py").write_text("import os; os._exit(9)")
    (folder / "core.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    assert libraries.is_there("ends_the_process.core")
    assert libraries.is_there("ends_the_process")
    assert not libraries.is_there("ends_the_process.other")
    assert not libraries.is_there("no_such_library.core")
