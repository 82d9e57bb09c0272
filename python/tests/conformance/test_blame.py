"""Which case is blamed for what: one fault is told once, and by its own rule."""

import argparse
import os

import pytest
from dlferry import _conformance
from dlferry._conformance.case import chosen
from dlferry._conformance.resolve import TargetError, resolve
from dlferry._conformance.runner import run
from kit_runs import verdicts, written

# AddressSanitizer turns signals into reports and keeps freed memory: crashes and leaks look otherwise there.
pytestmark = pytest.mark.skipif("DLFERRY_ASAN" in os.environ, reason="not under AddressSanitizer")


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
    parser = argparse.ArgumentParser()
    _conformance.add_arguments(parser)
    assert _conformance.main(parser.parse_args([f"{written(tmp_path, code)}:thing"])) == 2
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
    assert all(demand.endswith("is refused, for there is no such dtype.") for demand in broken)
    assert sum(each.verdict == "pass" for each in found.values()) == 5
