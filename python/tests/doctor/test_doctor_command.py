"""The command: its exit status, its files and its refusals."""

import argparse
import json
import subprocess
import sys

import dlferry._doctor as doctor
import pytest
from doctor_reports import of_pairs, probed, some


def run(*arguments):
    parser = argparse.ArgumentParser()
    doctor.add_arguments(parser)
    return doctor.main(parser.parse_args(arguments))


@pytest.fixture
def earlier(tmp_path):
    """The JSON of an earlier run, in a file."""

    def write(found):
        path = tmp_path / "run.json"
        path.write_text(json.dumps(found.to_dict()))
        return str(path)

    return write


def test_status_is_0_where_all_is_well(capsys):
    assert run("--only", "dlferry,memoryview") == 0
    said = capsys.readouterr()
    assert "4 pairs, 4 exchange arrays, 0 with wrong values, a crash or a hang" in said.out
    assert "\x1b" not in said.out
    assert said.err == ""


@pytest.mark.parametrize("outcome", ["wrong", "crashed", "timeout"])
def test_status_is_1_where_something_went_wrong(earlier, outcome, capsys):
    assert run("--input", earlier(of_pairs({("a", "b"): probed(outcome, None)}))) == 1


@pytest.mark.parametrize("outcome", ["shared", "copied", "converted", "taken", "refused", "none"])
def test_status_is_0_of_what_libraries_may_do(earlier, outcome, capsys):
    assert run("--input", earlier(of_pairs({("a", "b"): probed(outcome, None)}))) == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--only", "no_such_library"], "no_such_library is not installed or not known; there are "),
        (["--only", ","], "names no library"),
        (["--with", "no_such_module"], "there is no such module"),
        (["--with", "no_such.module"], "there is no such module"),
        (["--with", "dlferry"], "a library of the table has this name"),
        (["--timeout", "0"], "has to be above 0"),
        (["--timeout", "nan"], "has to be above 0"),
        (["--input", "/no/such/file"], "No such file"),
    ],
)
def test_status_is_2_where_the_arguments_make_no_sense(arguments, words, capsys):
    assert run(*arguments) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"cells": 3}', '{"cells": [{}], "findings": []}'])
def test_json_of_something_else_is_refused(tmp_path, text, capsys):
    path = tmp_path / "other.json"
    path.write_text(text)
    assert run("--input", str(path)) == 2
    assert "not the JSON of a run" in capsys.readouterr().err


def test_files_are_written_and_the_json_is_that_of_the_run(earlier, tmp_path, capsys):
    found = some()
    names = {"html": "<!doctype html>", "svg": "<svg ", "markdown": "|  | dlferry "}
    options = [word for name in names for word in (f"--{name}", str(tmp_path / name))]
    assert run("--input", earlier(found), "--json", *options) == 1
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(found.to_dict()))
    for name, start in names.items():
        assert (tmp_path / name).read_text().startswith(start)


def test_file_that_cannot_be_written_is_told(earlier, tmp_path, capsys):
    assert run("--input", earlier(some()), "--html", str(tmp_path / "no" / "page.html")) == 2
    assert "No such file" in capsys.readouterr().err


def test_help_says_what_the_statuses_mean():
    script = "import argparse, dlferry._doctor as d; p = argparse.ArgumentParser(); d.add_arguments(p); p.print_help()"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "1  some gave wrong values, crashed or did not end" in done.stdout
    assert "libraries {import name:" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
