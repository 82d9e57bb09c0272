"""The report as a dict, as text and as a page, and the command."""

import io
import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import dlferry
import dlferry._explain
import pytest
from dlferry.__main__ import main

np = pytest.importorskip("numpy")

REPORT = dlferry.explain(np.arange(6, dtype="f4").reshape(2, 3)[:, ::-1], to="numpy")


def test_the_dict_is_json_and_as_it_is_documented():
    found = REPORT.to_dict()
    assert json.loads(json.dumps(found)) == found
    documented = dlferry._explain.Report.to_dict.__doc__
    for name in [
        *found,
        *found["layout"],
        *found["protocols"][0],
        *found["dlferry"][0],
        *found["libraries"][0],
    ]:
        assert f"``{name}``" in documented, name


def test_the_text_fits_eighty_columns_and_has_no_color():
    text = str(REPORT)
    assert max(map(len, text.splitlines())) <= 80
    assert "\x1b" not in text
    for head in (
        "Layout",
        "Protocols",
        "What dlferry does",
        "What the libraries would do",
        "What keeps the memory",
    ):
        assert f"\n{head}\n" in text


def test_the_text_draws_the_memory():
    assert "[0,2] [0,1] >[0,0] [1,2] [1,1] [1,0]" in str(REPORT)


def test_libraries_that_do_the_same_are_told_each():
    """In a row of its own, with words behind each name."""
    (verdict,) = REPORT.verdicts
    others = [
        replace(verdict, library="another", version="1.0"),
        replace(verdict, library="a third", version=""),
    ]
    different = replace(verdict, library="a fourth", version="", outcome="copied")
    text = str(replace(REPORT, verdicts=(verdict, others[0], different, others[1])))
    told = text[text.index("What the libraries would do") :].splitlines()[1:]
    rows = dict(re.split(" {2,}", line.strip()) for line in told[:4])
    assert rows == {
        verdict.name: "shares the memory",
        "another 1.0": "the same",
        "a third": "the same",
        "a fourth": "copies",
    }


def test_owners_read_as_a_sentence():
    tensor = dlferry.from_buffer(memoryview(b"abcd"))
    report = dlferry.explain(tensor, to=())
    assert report.owners == (
        "this dlferry.Tensor of shape (4,) holds a memoryview of shape (4,), which holds a bytes of 4 bytes"
    )


@pytest.mark.parametrize("to", ["no_such_library", ["numpy"], 3])
def test_libraries_that_are_none(to):
    with pytest.raises((ValueError, TypeError), match=r"to must be|not installed"):
        dlferry.explain(b"", to=to)


def test_a_library_may_be_given_as_a_module():
    assert [verdict.library for verdict in dlferry.explain(bytes(4), to=np).verdicts] == ["numpy"]


def test_a_library_that_crashes_is_told(tmp_path, monkeypatch):
    (tmp_path / "crashing.py").write_text("import os\ndef from_dlpack(x): os.abort()\n")
    monkeypatch.syspath_prepend(tmp_path)
    (verdict,) = dlferry.explain(np.zeros(3), to="crashing").verdicts
    assert verdict.outcome == "crashed"
    assert "SIGABRT" in verdict.detail


def test_a_library_that_gives_other_values_is_told(tmp_path, monkeypatch):
    (tmp_path / "lying.py").write_text(
        "import dlferry\ndef from_dlpack(x): return dlferry.from_buffer(bytes(12)).view('float32')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    (verdict,) = dlferry.explain(np.zeros(3, "f4"), to="lying").verdicts
    assert verdict.outcome == "wrong"


def test_a_library_that_cannot_be_imported_is_told(tmp_path, monkeypatch):
    (tmp_path / "broken.py").write_text("raise ImportError('for a reason')\n")
    monkeypatch.syspath_prepend(tmp_path)
    (verdict,) = dlferry.explain(np.zeros(3), to="broken").verdicts
    assert (verdict.outcome, verdict.detail) == ("untried", "ImportError: for a reason")


def test_no_name_of_a_library_decides_what_it_does():
    """Names stand in the table that says how libraries are called, and nowhere else in the code."""
    folder = Path(dlferry._explain.__file__).parent
    names = re.compile(r"['\"](torch|jax|jaxlib|mlx|tvm_ffi|cupy|tensorflow|paddle|array_api_strict)['\".]")
    for file in folder.glob("*.py"):
        if file.name not in ("libraries.py", "command.py"):
            assert not names.search(file.read_text()), file.name
    assert "if " not in "".join(
        line for line in (folder / "libraries.py").read_text().splitlines() if names.search(line)
    )


def test_the_libraries_that_explain_knows_are_those_that_to_knows():
    from dlferry._explain.libraries import TAKES

    with pytest.raises(ValueError, match="no library that is known") as caught:
        dlferry.from_buffer(b"").to("nothing")
    for name in TAKES:
        assert name in str(caught.value)


def run(capsys, *arguments):
    status = main(["explain", *arguments])
    return status, *capsys.readouterr()


def test_the_command_explains_an_expression(capsys):
    status, text, complaints = run(capsys, "np.zeros((2, 3))[::-1]", "--to", "none")
    assert (status, complaints) == (0, "")
    assert "axis 0 runs backwards" in text


def test_classes_that_an_expression_makes_are_as_others(capsys):
    pointer = "ctypes.pointer((ctypes.c_float * 3)())"
    status, out, _ = run(capsys, pointer, "--to", "none")
    assert status == 0
    assert "AttributeError" not in out
    assert "it holds an address" in out.replace("\n" + " " * 28, " ")


def test_the_command_explains_a_file(capsys, tmp_path):
    file = tmp_path / "numbers.npy"
    np.save(file, np.zeros((2, 3)))
    status, text, _ = run(capsys, str(file), "--to", "none", "--json")
    assert status == 0
    assert json.loads(text)["layout"]["shape"] == [2, 3]


def test_the_command_writes_a_page(capsys, tmp_path):
    page = tmp_path / "page.html"
    assert run(capsys, "bytes(3)", "--to", "none", "--html", str(page))[:2] == (0, "")
    assert page.read_text().startswith("<!doctype html>")


def test_the_command_says_what_is_refused_by_its_status(capsys):
    assert run(capsys, "np.zeros(3)", "--to", "numpy")[0] == 0
    assert run(capsys, "np.zeros(3, '>i4')", "--to", "numpy")[0] == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["no/such.npy"], "there is no such file"),
        (["nosuch.npz"], "there is no such file"),
        (["no_such_module.zeros(3)"], "no module 'no_such_module' is installed here"),
        (["b'abc'", "--to", "nolib"], "--to: 'nolib' is not installed"),
        (["b'abc'", "--to", "none", "--html", "/no/such/folder/x.html"], "--html: "),
    ],
)
def test_the_command_says_which_argument_it_means(capsys, arguments, said):
    status, _, out = run(capsys, *arguments)
    assert status == 2
    assert said in out


def test_a_file_that_is_none_of_numpys_is_not_called_pickled(capsys, tmp_path):
    (tmp_path / "bad.npy").write_bytes(b"something else")
    status, _, out = run(capsys, str(tmp_path / "bad.npy"))
    assert status == 2
    assert "does not begin as files of NumPy's do" in out


def test_a_library_that_cannot_be_tried_is_no_success(capsys):
    assert run(capsys, "b'abc'", "--to", "json")[0] == 1
    assert run(capsys, "[1, 2]", "--to", "numpy")[0] == 1


@pytest.mark.parametrize("command", ["", "explain", "doctor", "conformance"])
def test_the_help_fits_eighty_columns(capsys, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main([*filter(None, [command]), "--help"])
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


def test_libraries_of_which_the_same_is_to_be_said_are_told_of_once(tmp_path, monkeypatch):
    code = "def from_dlpack(x): raise TypeError('no')\n"
    for name in ("one", "other"):
        (tmp_path / f"{name}_library.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    report = dlferry.explain(np.zeros(2), to=("one_library", "other_library"))
    assert str(report).count("refuses: TypeError: no") == 1
    assert "  other_library             the same\n" in str(report)
    assert "one_library<br>other_library" in report._repr_html_()
    assert len(report.to_dict()["libraries"]) == 2


@pytest.mark.parametrize("what", ["1 +", "no_such_name", "np.no_such_thing", "1 / 0"])
def test_the_command_says_what_makes_no_sense(capsys, what):
    status, text, complaints = run(capsys, what)
    assert (status, text) == (2, "")
    assert complaints.startswith(f"python -m dlferry explain: {what}: ")


@pytest.mark.parametrize(
    ("arguments", "colored"), [(["--color"], True), (["--no-color"], False), ([], False)]
)
def test_colors(capsys, arguments, colored):
    assert ("\x1b[" in run(capsys, "bytes(3)", "--to", "none", *arguments)[1]) == colored


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of its own")
@pytest.mark.parametrize(("variable", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_no_colors_on_a_terminal_that_wants_none(capsys, monkeypatch, variable, value):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv(variable, value)
    assert "\x1b[" not in run(capsys, "bytes(3)", "--to", "none")[1]


def test_without_a_command_the_help_is_shown(capsys):
    assert main([]) == 2
    assert "explain" in capsys.readouterr().out


def test_the_version(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"dlferry {dlferry.__version__}\n"


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("kind", "shown"), [("dumb", False), ("xterm", True)])
def test_what_is_wiped_away_again_is_for_terminals_that_can(monkeypatch, kind, shown):
    from dlferry._conformance.terminal import Progress as Cases
    from dlferry._doctor.runner import Progress as Pairs
    from dlferry._doctor.terminal import Bar
    from dlferry._explain.command import waiting

    monkeypatch.setenv("TERM", kind)
    streams = [Terminal() for _ in range(3)]
    bar, progress = Bar(streams[0], 80), Cases(streams[1])
    bar(Pairs(1, 2, "one to other"))
    bar.end()
    progress.show("library", 1, 2)
    progress.clear()
    monkeypatch.setattr(sys, "stderr", streams[2])
    with waiting("trying all ..."):
        pass
    assert [bool(stream.getvalue()) for stream in streams] == [shown] * 3
