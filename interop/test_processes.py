"""The tests of the tests: tables that are read right, and crashes that get a name and do no harm."""

import processes
import pytest
import tables

TABLE = tables.table("""
    float* int8 | empty | first | >=2
    float32     | *     | second
    *           | *     | third
""")


@pytest.mark.parametrize(
    ("dtype", "layout", "release", "outcome"),
    [
        ("float64", "empty", "2.1", "first"),
        ("float64", "empty", "1.9", "third"),
        ("float32", "empty", "1.9", "second"),
        ("int8", "empty", "3.0rc1", "first"),
        ("int8", "step", "3.0", "third"),
        ("int16", "empty", "3.0", "third"),
    ],
)
def test_first_row_that_fits_counts(dtype, layout, release, outcome):
    assert TABLE.outcome(dtype, layout, release) == outcome


def test_table_without_a_fitting_row_is_an_error():
    with pytest.raises(LookupError, match="int8"):
        tables.table("float32 | * | x").outcome("int8", "empty", "1")


def test_crash_is_the_outcome_of_its_cell_alone():
    cells = [
        ("quirk", "crashes", name) for name in ("answers", "aborts", "leaves", "raises", "answers_again")
    ]
    found = processes.run(cells)
    assert list(found.values()) == ["yes", "crash SIGABRT", "exit 3", "refused OSError", "yes"]


def test_hang_is_the_outcome_of_its_cell_alone(monkeypatch):
    monkeypatch.setattr(processes, "SECONDS", 3)
    cells = [("quirk", "crashes", name) for name in ("answers", "hangs", "answers_again")]
    assert list(processes.run(cells).values()) == ["yes", "hangs", "yes"]


def test_fault_of_a_cell_is_no_outcome_that_a_table_expects():
    found = processes.run([("into", "crashes", "from_dlpack", "int8", "contiguous")])
    assert next(iter(found.values())).startswith("fault of the cell")
