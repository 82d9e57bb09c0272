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

assert cases is not None  # importing it registers the cases

# AddressSanitizer turns signals into reports and keeps freed memory: crashes and leaks look otherwise there.
pytestmark = pytest.mark.skipif("DLFERRY_ASAN" in os.environ, reason="not under AddressSanitizer")

HONEST = Path(__file__).with_name("honest.py")
ROOT = Path(__file__).parents[3]


def parsed(*words):
    parser = argparse.ArgumentParser()
    _conformance.add_arguments(parser)
    return parser.parse_args(words)


def verdicts(target, *only):
    _, outcomes = run(target, lambda said: chosen(only, said.roles), seconds=60)
    return {each.case.id: each for each in outcomes}


def written(tmp_path, text):
    file = tmp_path / "mine.py"
    file.write_text(text)
    return file


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


# Blame.


def test_a_thread_that_the_target_leaves_is_not_blamed_on_deleters(tmp_path):
    code = (
        "import dlferry, threading, time\n"
        "def zeros():\n"
        "    threading.Thread(target=time.sleep, args=(60,)).start()\n"
        "    return dlferry.from_buffer(bytearray(8))\n"
    )
    target = f"{written(tmp_path, code)}:zeros"
    _, outcomes = run(target, lambda said: chosen(["R2.14"], said.roles), seconds=3)
    late = [each for each in outcomes if each.case.alone]
    assert late
    assert {each.verdict for each in late} == {"not applicable"}
    assert all("no end after 3 seconds" in each.detail for each in late)


def test_an_unknown_keyword_is_the_fault_of_one_rule(tmp_path):
    code = (
        "import dlferry\n"
        "class Old:\n"
        "    def __init__(self): self.tensor = dlferry.from_buffer(bytearray(8))\n"
        "    def __dlpack__(self, *, stream=None): return self.tensor.__dlpack__()\n"
        "    def __dlpack_device__(self): return (1, 0)\n"
    )
    found = verdicts(f"{written(tmp_path, code)}:Old")
    rules = {
        each.case.rule for each in found.values() if each.verdict != "pass" and each.case.level == "must"
    }
    broken = {
        each.case.rule for each in found.values() if each.verdict == "deviates" and each.case.level == "must"
    }
    assert broken == {"R5.1"}
    assert {"R4.2", "R4.14", "R5.11", "R5.14"} <= rules


def test_copies_that_are_not_made_are_the_fault_of_one_case(tmp_path):
    code = (
        "import dlferry\n"
        "class Sharing:\n"
        "    def __init__(self): self.tensor = dlferry.from_buffer(bytearray(8))\n"
        "    def __dlpack__(self, *, copy=None, **keywords):\n"
        "        if copy: raise BufferError('copy not yet supported')\n"
        "        return self.tensor.__dlpack__(**keywords)\n"
        "    def __dlpack_device__(self): return (1, 0)\n"
    )
    found = verdicts(f"{written(tmp_path, code)}:Sharing", "R5.14", "R5.15")
    broken = [name for name, each in found.items() if each.verdict == "deviates"]
    assert [name.split("/")[-1] for name in broken if "R5.14" in name] == ["copy_is_other_memory"]
    assert not any("copy_may_be_written" in name for name in broken)


def test_a_panic_is_told_as_an_error(tmp_path):
    code = (
        "import dlferry\n"
        "class Panic(BaseException): pass\n"
        "class Array:\n"
        "    def __dlpack__(self, **keywords): raise Panic('index out of bounds')\n"
        "    def __dlpack_device__(self): return (1, 0)\n"
    )
    found = verdicts(f"{written(tmp_path, code)}:Array", "R5.1")
    assert "crashes" not in {each.verdict for each in found.values()}
    assert any("Panic: index out of bounds" in each.detail for each in found.values())


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def thing(a, b): pass", "has 2 arguments without a default"),
        ("thing = None", "is of type NoneType"),
        ("def thing(): raise RuntimeError('\\x1b[31mred')", "[31mred"),
    ],
)
def test_what_cannot_be_tested_is_said_for_any_terminal(tmp_path, capsys, code, said):
    args = parsed(f"{written(tmp_path, code)}:thing")
    assert _conformance.main(args) == 2
    out = capsys.readouterr().err
    assert said in out
    assert out.strip().isprintable()


def test_a_target_without_a_name_is_refused():
    with pytest.raises(TargetError, match="nothing is named"):
        resolve(" , ")


def test_a_rule_is_not_taken_for_those_whose_numbers_begin_alike():
    chose = {case.rule for case in chosen(["R5.1"], ["producer", "consumer"])}
    assert chose == {"R5.1"}
    assert {case.rule for case in chosen(["R2.1"], ["producer", "consumer"])} == {"R2.1"}
    assert len({case.rule for case in chosen(["R5"], ["producer"])}) > 3
    assert {case.name.partition("[")[0] for case in chosen(["copy_says_so"], ["producer"])} == {
        "copy_says_so"
    }


def test_an_array_without_a_name_for_its_dtype_is_judged_by_what_it_exports(tmp_path):
    code = (
        "import dlferry\n"
        "class Array:\n"
        "    def __init__(self, tensor): self.tensor = tensor\n"
        "    def __dlpack__(self, **keywords): return self.tensor.__dlpack__(**keywords)\n"
        "    def __dlpack_device__(self): return (1, 0)\n"
        "    @property\n"
        "    def dtype(self): raise ValueError('unknown type_code=5')\n"
        "def from_dlpack(x): return Array(dlferry.from_dlpack(x))\n"
    )
    found = verdicts(f"{written(tmp_path, code)}:from_dlpack", "dtype_is_as_the_header_says")
    assert {each.verdict for each in found.values() if "complex64" in each.case.id} == {"pass"}
    assert "deviates" not in {each.verdict for each in found.values()}


def test_what_is_demanded_is_what_is_judged(tmp_path):
    code = (
        "class Keeps:\n"
        "    def __init__(self, x): self.x = x\n"
        "    def __dlpack__(self, **keywords): return self.x.__dlpack__(**keywords)\n"
        "    def __dlpack_device__(self): return (1, 0)\n"
        "def from_dlpack(x): return Keeps(x)\n"
    )
    found = verdicts(f"{written(tmp_path, code)}:from_dlpack", "dtype_is_refused")
    broken = [each.case.demand for each in found.values() if each.verdict == "deviates"]
    assert len(broken) == 5
    assert all(demand.endswith("is refused: there is no such dtype.") for demand in broken)
    assert sum(each.verdict == "pass" for each in found.values()) == 5
