"""The rules of DLPack as tests of pytest's, each a test of its own.

Three lines in a test file are enough:

.. code-block:: python

    from dlferry.testing import conformance
    import mylib
    test_dlpack = conformance(producer=mylib.zeros, consumer=mylib.from_dlpack)

A case that is broken fails where it is a *must* and is a warning elsewhere; ``strict=True`` makes those fail, too. What
the library does not offer is skipped. ``python -m dlferry conformance`` runs the same without pytest.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

if TYPE_CHECKING:
    from ._conformance.runner import Outcome

__all__ = ["DeviationWarning", "conformance"]


class DeviationWarning(UserWarning):
    """A library does something else than a rule of DLPack recommends."""


def conformance(
    library: str | None = None,
    *,
    producer: str | Callable[[], Any] | None = None,
    consumer: str | Callable[[Any], Any] | None = None,
    only: Iterable[str] = (),
    known: Iterable[str] = (),
    strict: bool = False,
    seconds: float = 30.0,
) -> Callable[..., None]:
    """Makes a test of each rule, to be given a name that begins with ``test``.

    - ``library``: the name of a library that has ``from_dlpack`` and functions that make arrays.
    - ``producer``: a function without arguments, or a class, that makes an array with ``__dlpack__``.
    - ``consumer``: a function that takes such an array of another library.
    - ``only``: rules (``"R4.2"``), sections (``"R4"``) or words of the names of cases; all without.
    - ``known``: rules or words of cases that are known to be broken. These are expected to fail, and fail the test when
      they pass.
    - ``strict``: whether a rule that is recommended, or usual, fails its test like one that is demanded.
    - ``seconds``: how long a case may take.

    The functions are imported by a process of their own, in which the cases run, so they are to be importable:
    functions of a module or of the test file, not local ones. Strings name them as ``"module:name"``. Raises
    ``ValueError`` for functions that are not, if nothing is given, and for an ``only`` that fits no case.

    ```python
    >>> from dlferry.testing import conformance
    >>> test_dlpack = conformance("numpy", only=["R4"])
    ```
    """
    from ._conformance import cases as _cases  # noqa: F401  (fills the list of cases)
    from ._conformance.case import Role, chosen, fits

    parts = [library, *(_spelled(each) for each in (producer, consumer) if each is not None)]
    target = ",".join(part for part in parts if part)
    if not target:
        raise ValueError("nothing to test: give a library, a producer or a consumer")
    roles: list[Role] = ["producer", "consumer"]
    if library is None:
        roles = [role for role, each in (("producer", producer), ("consumer", consumer)) if each is not None]  # type: ignore[misc]
    selected = chosen(tuple(only), roles)
    parts_known = tuple(known)
    expected = {case.id for case in selected if any(fits(case, part) for part in parts_known)}
    broken = pytest.mark.xfail(
        strict=True, reason="known= has it; where it passes, name there what is broken alone"
    )
    marks = [
        pytest.param(name, id=name, marks=[broken] if name in expected else [])
        for name in (case.id for case in selected)
    ]

    @cache
    def outcomes(asked: tuple[str, ...]) -> dict[str, Outcome] | str:
        return _run(target, asked, seconds)

    @pytest.mark.parametrize("rule", marks)
    def test(rule: str, request: pytest.FixtureRequest) -> None:
        # What was chosen on pytest's command line, and no more, runs; all of it at once, when the first is asked for.
        mine = [
            item.callspec.params["rule"]
            for item in request.session.items
            if getattr(item, "function", None) is request.function and hasattr(item, "callspec")
        ]
        found = outcomes(tuple(mine or [rule]))
        if isinstance(found, str):
            pytest.fail(found, pytrace=False)
        _judge(found, rule, strict or rule in expected)

    return test


def _spelled(thing: str | Callable[..., Any]) -> str:
    """The name by which another process finds a function."""
    if isinstance(thing, str):
        return thing
    name, module = getattr(thing, "__qualname__", ""), getattr(thing, "__module__", "")
    if not name or not module or "<" in name:
        raise ValueError(f"{thing!r} has no name that another process could import it by")
    file = getattr(sys.modules.get(module), "__file__", None)
    if file and Path(file).name.startswith(("test_", "conftest")):
        return f"{file}:{name}"
    return f"{module}:{name}"


def _run(target: str, asked: tuple[str, ...], seconds: float) -> dict[str, Outcome] | str:
    """The outcomes by the ids of the cases, or why the target cannot be tested."""
    from ._conformance.case import CASES, Case
    from ._conformance.runner import Target, TargetRefusedError, run

    def select(said: Target) -> list[Case]:
        cases = [CASES[name] for name in asked]
        cases = [case for case in cases if case.role in said.roles]
        return sorted(cases, key=lambda case: (case.role != "producer", case.hostile, case.alone))

    try:
        _, found = run(target, select, seconds=seconds)
    except TargetRefusedError as error:
        return f"{target} cannot be tested: {error}"
    return {each.case.id: each for each in found}


def _judge(outcomes: dict[str, Outcome], rule: str, strict: bool) -> None:
    outcome = outcomes.get(rule)
    if outcome is None:
        pytest.skip("not applicable: it is not offered in this role")
    verdict: Literal["pass", "deviates", "crashes", "not applicable"] = outcome.verdict
    case = outcome.case
    said = f"{case.rule} ({case.level}, {case.source}): {case.demand} Found: {outcome.detail}."
    if verdict == "not applicable":
        pytest.skip(f"not applicable: {outcome.detail}")
    if verdict == "crashes" or (verdict == "deviates" and (strict or case.level == "must")):
        pytest.fail(f"{verdict}: {said}", pytrace=False)
    if verdict == "deviates":
        warnings.warn(said, DeviationWarning, stacklevel=2)
