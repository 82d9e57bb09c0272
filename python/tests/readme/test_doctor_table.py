"""The table of the README is one that the doctor writes, and its picture is of the same run."""

import re

from blocks import MAIN, ROOT
from dlferry._doctor import markdown
from dlferry._doctor.report import OUTCOMES

TEXT = (ROOT / MAIN).read_text()
BLOCK = TEXT.split("<!-- doctor: written by tools/doctor-table -->\n")[1].split("<!-- /doctor -->\n")[0]
ROWS = [re.split(r"(?<!\\)\|", line)[1:-1] for line in BLOCK.splitlines() if line.startswith("|")]
CELL = re.compile(rf"-|\*{{0,2}}({'|'.join(OUTCOMES)})\*{{0,2}}( \d+(\.\d)?\u00a0(ns|µs|ms|s))?( \*\*!\*\*)?")
LAST = BLOCK.rstrip().splitlines()[-1]


def test_every_cell_is_one_that_is_written():
    head, rule, *rows = ROWS
    assert rule == [" --- "] * len(head)
    assert len(rows) >= 5
    for _, *cells in rows:
        assert len(cells) == len(head) - 1
        assert not [cell for cell in cells if not CELL.fullmatch(cell.strip())]


def test_note_is_that_of_the_generator():
    assert markdown.NOTE in BLOCK


def test_every_library_has_its_version_and_the_table_its_date():
    named = {row[0].strip(" *").replace("\\", "") for row in ROWS[2:]} | {
        cell.strip().replace("\\", "") for cell in ROWS[0][1:]
    }
    versions = dict(pair.rsplit(" ", 1) for pair in LAST.replace("\\", "").split(";")[0].split(", "))
    assert named <= set(versions)
    assert all(re.match(r"\d+\.\d", version) for version in versions.values())
    assert re.search(r"; Python 3\.\d+\.\d+, \w+ \w+, \d{4}-\d\d-\d\d\.$", LAST)


def test_picture_is_of_the_same_run():
    drawn = (ROOT / "docs/doctor.svg").read_text()
    where = LAST.split("; ")[1].rstrip(".")
    assert where in drawn
    assert drawn.count("<rect x=") == sum(1 for row in ROWS[2:] for cell in row[1:] if cell.strip())
    assert drawn.count('class="mark" dx') == BLOCK.count("**!** |")
