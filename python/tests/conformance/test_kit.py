"""The kit itself: what it says of what, and that nothing ends it."""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import dlferry
import pytest
from dlferry import _conformance
from dlferry._conformance import cases, libraries
from dlferry._conformance.case import CASES, chosen
from dlferry._conformance.report import SOURCES, Report, listed
from dlferry._conformance.resolve import TargetError, resolve
from dlferry._conformance.runner import Outcome, Target, TargetRefusedError, run
from kit_runs import verdicts, written

assert cases is not None  # importing it registers the cases

# AddressSanitizer turns signals into reports and keeps freed memory: crashes and leaks look otherwise there.
pytestmark = pytest.mark.skipif("DLFERRY_ASAN" in os.environ, reason="not under AddressSanitizer")

HONEST = Path(__file__).with_name("honest.py")
ROOT = Path(__file__).parents[3]


def parsed(*words):
    parser = argparse.ArgumentParser()
    _conformance.add_arguments(parser)
    return parser.parse_args(words)


# Rules.


def rules_of_the_document():
    text = (ROOT / "docs" / "rules.md").read_text()
    rows = re.findall(r"^\| (R\d+\.\d+|E\d+) \| .* \| ([^|]*) \|$", text, re.MULTILINE)
    return dict(rows)


@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.id)
def test_case_names_a_rule_and_its_source(case):
    if not (ROOT / "docs" / "rules.md").exists():
        pytest.skip("SKIPPED: the documents are not here")
    known = rules_of_the_document()
    assert case.rule in known
    assert case.source in SOURCES
    if not case.rule.startswith("R9"):  # that table has questions, and no sources
        assert case.source in known[case.rule], known[case.rule]


@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.id)
def test_demand_is_a_sentence(case):
    assert re.fullmatch(r".{20,140}[.]", case.demand), case.demand
    assert "{}" not in case.demand
    assert case.level in ("must", "should", "usual")
    assert (case.level == "usual") == (case.source in ("here", "observed"))


def test_no_name_of_a_library_decides():
    """Names say how to call a library, in one table, and nothing else."""
    folder = Path(_conformance.__file__).parent
    names = {*libraries.LIBRARIES, "strict", "jaxlib", "tvm", "nanobind"} - {"dlferry"}
    pattern = re.compile(rf"\b({'|'.join(sorted(names))})", re.IGNORECASE)
    for file in [*folder.rglob("*.py"), folder.parent / "testing.py"]:
        if file.name == "libraries.py":
            continue
        code = re.sub(r'"""[\s\S]*?"""|EPILOG = [\s\S]*?"""$', "", file.read_text())
        code = "\n".join(line for line in code.splitlines() if "help=" not in line and "strict" not in line)
        assert not pattern.search(code), (file.name, pattern.search(code))


# Verdicts.

CRASHING = """
import os, signal, time
def from_dlpack(x, /, *, device=None, copy=None):
    capsule = x.__dlpack__(max_version=(1, 3))
    import dlferry_testing as dt
    code, bits, _ = dt.inspect(capsule)["dtype"]
    if code == 200: os.kill(os.getpid(), signal.SIGSEGV)
    if (code, bits) == (6, 1): time.sleep(600)
    if code == 15: os._exit(3)
    return [0.0]
"""


def test_crash_a_hang_and_an_exit_are_verdicts(tmp_path):
    file = written(tmp_path, CRASHING)
    _, outcomes = run(
        f"{file}:from_dlpack", lambda said: chosen(["R1.2", "R1.10", "R1.11"], said.roles), seconds=8
    )
    said = {each.case.name: (each.verdict, each.detail) for each in outcomes}
    assert said["strange_dtype_is_refused_or_kept[an unknown code, 200]"] == ("crashes", "SIGSEGV")
    assert said["missing_dtype_is_refused[a bool of one bit]"] == (
        "crashes",
        "no end after 8 seconds",
    )
    assert said["missing_dtype_is_refused[fp6 of 8 bits]"] == ("crashes", "exit status 3")
    assert said["missing_dtype_is_refused[fp4 of 8 bits]"][0] == "deviates"


LATE = """
import os, signal
broken = []
def from_dlpack(x):
    if broken: os.kill(os.getpid(), signal.SIGABRT)
    import dlferry_testing as dt
    if -2 in (dt.inspect(x.__dlpack__(max_version=(1, 3)))["shape"] or []): broken.append(x)
    raise BufferError("no")
"""


def test_late_crash_is_blamed_on_what_broke_the_process(tmp_path):
    """A case that harms the process, and not itself, is found; the innocent one is run again."""
    said = verdicts(f"{written(tmp_path, LATE)}:from_dlpack", "R3.20", "R3.21")
    crashed = [each.case.name for each in said.values() if each.verdict == "crashes"]
    assert crashed == ["negative_is_refused[a negative extent]"]
    assert all(each.verdict == "pass" for each in said.values() if "overflow" in each.case.name)


ENDING = """
import atexit, os, signal
def make():
    atexit.register(os.kill, os.getpid(), signal.SIGSEGV)
    import dlferry
    return dlferry.from_buffer(bytearray(8))
"""


def test_crash_at_the_end_of_the_process_is_a_verdict(tmp_path):
    said = verdicts(f"{written(tmp_path, ENDING)}:make", "R2.14")
    assert {each.verdict for each in said.values()} == {"crashes"}
    assert all("SIGSEGV" in each.detail for each in said.values())


NOISY = """
import dlferry
def make():
    print("{}")
    return dlferry.from_buffer(bytearray(8))
"""


def test_noise_of_the_target_does_not_disturb(tmp_path):
    said = verdicts(f"{written(tmp_path, NOISY)}:make", "R4.2")
    assert said["producer/R4.2/no_argument_is_unversioned"].verdict == "pass"


# Targets.


@pytest.mark.parametrize(
    ("target", "roles"),
    [
        ("dlferry", ["producer", "consumer"]),
        ("dlferry:from_dlpack", ["producer", "consumer"]),
        (f"{HONEST}:producer", ["producer"]),
        (f"{HONEST}:Producer", ["producer"]),
        (f"{HONEST}:producer, dlferry:from_dlpack", ["producer", "consumer"]),
        ("array:array", ["consumer"]),
        ("dlferry:nothing", None),
        ("dlferry:float32", None),
        ("no_such_module_anywhere", None),
        ("nothing.py:make", None),
        ("json", None),
    ],
)
def test_target_is_what_it_can_be_tested_as(target, roles):
    if roles is None:
        with pytest.raises(TargetError):
            resolve(target)
    else:
        assert resolve(target).roles == roles


def test_target_that_ends_the_process_is_refused(tmp_path):
    file = written(tmp_path, "import os\nos._exit(4)\n")
    with pytest.raises(TargetRefusedError, match="exit status 4"):
        verdicts(f"{file}:make")


# Reports.


def outcome(name, verdict, detail=""):
    return Outcome(CASES[name], verdict, detail)


MUST, SHOULD = "producer/R4.2/none_is_unversioned", "producer/R3.7/empty_has_no_data"


def report(*outcomes):
    return Report("mine", Target("mine", "1.0", ["producer"]), list(outcomes))


@pytest.mark.parametrize(
    ("outcomes", "status"),
    [
        ([outcome(MUST, "pass"), outcome(SHOULD, "pass")], 0),
        ([outcome(MUST, "not applicable")], 0),
        ([outcome(SHOULD, "deviates", "x")], 0),
        ([outcome(MUST, "deviates", "x")], 1),
        ([outcome(SHOULD, "crashes", "SIGSEGV")], 1),
    ],
)
def test_status_is_one_when_a_must_is_broken_or_something_crashes(outcomes, status):
    assert report(*outcomes).status == status


def test_report_fits_eighty_columns_without_color(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    everything = [outcome(name, "deviates", "raises " + "a very long message " * 12) for name in CASES]
    text = Report("mine", Target("mine", "1.0", ["producer", "consumer"]), everything).text()
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 80
    assert max(map(len, listed(CASES.values()).splitlines())) <= 110
    assert "\x1b" in report(outcome(MUST, "deviates", "x")).text(color=True)


def test_report_says_what_is_done_and_what_text_it_differs_from():
    text = report(outcome(MUST, "deviates", "raises ValueError: no")).text()
    assert "It raises ValueError: no." in text
    assert "Differs from the Python array API standard, R4.2." in text
    assert "1 case breaks a must, or crashes." in text


def test_json_has_every_case():
    data = json.loads(report(outcome(MUST, "pass"), outcome(SHOULD, "deviates", "x")).json())
    assert data["counts"] == {"pass": 1, "deviates": 1, "crashes": 0, "not applicable": 0}
    assert data["version"] == "1.0"
    assert data["broken"] == []
    (_, second) = data["cases"]
    assert second == {
        "id": SHOULD, "role": "producer", "rule": "R3.7", "level": "should", "source": "header",
        "demand": "The data of an array without elements is NULL.", "verdict": "deviates", "detail": "x",
    }  # fmt: skip


# The command.


def test_command_runs_what_is_asked_for(capsys):
    assert _conformance.main(parsed("dlferry", "--only", "R4.2", "--as", "producer", "--json")) == 0
    data = json.loads(capsys.readouterr().out)
    assert {case["rule"] for case in data["cases"]} == {"R4.2"}
    assert data["target"] == "dlferry"
    assert data["version"] == dlferry.__version__


def test_command_finds_a_broken_must(capsys):
    assert _conformance.main(parsed(f"{HONEST}:producer_always_versioned", "--only", "R4")) == 1
    assert "none_is" not in capsys.readouterr().out


@pytest.mark.parametrize("words", [["no_such_module_anywhere"], ["dlferry", "--only", "R99"], ["json"]])
def test_wrong_arguments_are_status_two(words, capsys):
    assert _conformance.main(parsed(*words)) == 2
    assert capsys.readouterr().err.startswith("conformance: ")


def test_section_does_not_take_in_others():
    assert {case.rule[:3] for case in chosen(["R1"], ["producer"])} == {"R1."}
    assert all(case.rule.startswith("R2.") for case in chosen(["R2"], ["consumer"]))


def test_listing_runs_nothing(capsys):
    assert _conformance.main(parsed("no_such_module_anywhere", "--list", "--only", "R4")) == 0
    assert "producer/R4.2/none_is_unversioned" in capsys.readouterr().out


def test_dlferry_conforms():
    """All of it: also what no text demands."""
    said = verdicts("dlferry")
    assert [each for each in said.values() if each.verdict in ("deviates", "crashes")] == []
    assert len([each for each in said.values() if each.verdict == "pass"]) >= 200


def test_kit_is_not_imported_with_dlferry():
    code = "import sys, dlferry; print([name for name in sys.modules if 'conformance' in name or 'testing' in name])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "[]"
