"""What the doctor shows: it fits, it is the same everywhere, and text of strangers stays text."""

import html.parser
import io
import json
import re
import xml.etree.ElementTree as ET

import pytest
from dlferry._doctor import markdown, page, picture, terminal
from dlferry._doctor.report import OUTCOMES, Report
from dlferry._doctor.runner import Progress
from doctor_reports import HOSTILE, of_pairs, probed, some

ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


@pytest.mark.parametrize("width", [60, 80, 100, 132, 200])
@pytest.mark.parametrize("color", [False, True])
def test_text_is_never_wider_than_the_terminal(width, color):
    text = terminal.text_of(some(), width, terminal.Style(color, unicode=True))
    assert max(len(ESCAPES.sub("", line)) for line in text.splitlines()) <= width


def test_color_adds_nothing_but_color():
    plain = terminal.text_of(some(), 80, terminal.Style(color=False, unicode=True))
    colored = terminal.text_of(some(), 80, terminal.Style(color=True, unicode=True))
    assert "\x1b" not in plain
    assert colored != plain
    assert ESCAPES.sub("", colored) == plain


def test_text_for_an_old_terminal_is_ascii():
    text = terminal.text_of(some(), 80, terminal.Style(color=False, unicode=False))
    assert text.isascii()


def test_control_characters_of_strangers_do_not_reach_the_terminal():
    text = terminal.text_of(some(), 80, terminal.Style(color=False, unicode=True))
    assert all(char.isprintable() or char == "\n" for char in text)


def test_every_outcome_has_a_sign_and_a_color():
    assert set(terminal.SIGNS) == set(picture.CLASSES) == OUTCOMES


def test_all_columns_are_shown_in_blocks_where_they_do_not_fit():
    text = "\n".join(terminal.table(some(), 60, terminal.Style(color=False, unicode=True)))
    assert text.count("from ↓  to →") == 2
    assert "sixth" in text
    assert "sevent" in text


def test_libraries_of_a_sentence_are_counted_where_they_are_many():
    lost = {"read_only": "lost", "written": "an assignment to its element changed the producer's memory"}
    found = of_pairs({(f"p{at}", "consumer"): probed("shared", 1.0, **lost) for at in range(9)})
    assert [finding.words for finding in found.findings] == [
        "writes to read-only memory, of p0, p1, p2, p3, p4 and 4 others"
    ]


def test_report_survives_its_json():
    once = some()
    again = Report.from_dict(json.loads(json.dumps(once.to_dict())))
    assert again == once
    assert terminal.text_of(again, 80, terminal.Style(False, True)) == terminal.text_of(
        once, 80, terminal.Style(False, True)
    )


def test_json_has_the_keys_that_are_documented():
    data = json.loads(json.dumps(some().to_dict()))
    assert set(data) == {
        "dlferry",
        "python",
        "platform",
        "date",
        "libraries",
        "broken",
        "cells",
        "findings",
        "words",
    }
    for cell in data["cells"]:
        assert set(cell) == {
            "producer",
            "consumer",
            "outcome",
            "read_only",
            "ns",
            "detail",
            "capsule",
            "shared_from",
            "probes",
        }
        assert cell["outcome"] in OUTCOMES
        assert set(cell["probes"]) == set(data["words"])
    assert {finding["level"] for finding in data["findings"]} <= {"fault", "warning", "note"}


class Checker(html.parser.HTMLParser):
    """Notes the elements of a page, and that each one that is opened is closed."""

    VOID = frozenset({"meta", "input", "wbr", "br"})

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.ids, self.attributes = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.attributes += attrs
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def checked():
    checker = Checker()
    checker.feed(page.page_of(some()))
    return checker


def test_page_is_well_formed(checked):
    assert checked.open == []
    assert len(checked.ids) == len(set(checked.ids))


def test_text_of_strangers_is_no_part_of_the_page(checked):
    assert checked.seen.count("script") == 1
    assert "\x1b" not in page.page_of(some())
    assert not [name for name, _ in checked.attributes if name.startswith("on") or name == "style"]


def test_page_loads_nothing(checked):
    assert not {"link", "img", "iframe", "object", "base"} & set(checked.seen)
    assert not [value for name, value in checked.attributes if name in ("src", "href")]
    style = (page.HERE / "page.css").read_text()
    assert "url(" not in style
    assert "@import" not in style


def test_every_cell_opens_to_details_that_are_there(checked):
    targets = {value for name, value in checked.attributes if name == "popovertarget"}
    assert targets == {f"pair-{at}" for at in range(len(some().cells))}
    assert targets <= set(checked.ids)


def test_every_button_has_a_name(checked):
    labels = [value for name, value in checked.attributes if name == "aria-label"]
    assert all(value.strip() for value in labels)
    assert "dlferry to memoryview: " in "\n".join(labels)


def test_picture_is_xml_and_has_every_cell():
    root = ET.fromstring(picture.picture_of(some()))
    groups = list(root.iter("{http://www.w3.org/2000/svg}g"))
    assert len(groups) == len(some().cells)
    assert "".join(HOSTILE.split("\x1b")[1][:4]) in "".join(root.itertext())


def test_markdown_is_a_table_whatever_the_names():
    lines = markdown.markdown_of(some()).splitlines()
    table = [line for line in lines if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in table} == {11}
    assert "<script>" not in "\n".join(lines).replace("\\<", "")


@pytest.mark.parametrize("width", [40, 80, 120])
def test_bar_fits_and_tells_the_time_left(width, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")

    class Terminal(io.StringIO):
        encoding = "utf-8"

        def isatty(self):
            return True

    stream = Terminal()
    bar = terminal.Bar(stream, width)
    line = bar.line(Progress(30, 90, "loading a_library_with_a_long_name"), 10.0)
    assert len(line) < width
    assert "30/90  20 s left" in line
    bar(Progress(1, 90, "x"))
    bar.end()
    assert stream.getvalue().endswith("\r\x1b[K")


def test_no_bar_where_there_is_no_terminal():
    stream = io.StringIO()
    bar = terminal.Bar(stream, 80)
    bar(Progress(1, 2, "x"))
    bar.end()
    assert stream.getvalue() == ""
