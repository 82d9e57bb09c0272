"""Which objects are asked whether their bytes are their values, and when: decision 5.9.

The objects here count the questions. Those of one library cost more than all the rest of an import, so that a question
too many is a fault as well as one too few.
"""

from __future__ import annotations

import dlferry
import dlferry_testing as dt
import pytest
from craft import deletions, floats

FLOAT, COMPLEX, BFLOAT, INT = (
    {"code": 2, "bits": 32},
    {"code": 5, "bits": 64},
    {"code": 4, "bits": 16},
    {"code": 0, "bits": 32},
)


def marked(crafted: dt.Crafted, table: bool, *, grad: bool = False, conj: bool = False, neg: bool = False):
    """Return an object that looks like a tensor with marks, and the names of what it was asked."""
    questions: list[str] = []

    def question(name: str, answer: bool):
        def method(self: object) -> bool:
            questions.append(name)
            return answer

        return method

    body = {
        "requires_grad": property(question("requires_grad", grad)),
        "is_conj": question("is_conj", conj),
        "is_neg": question("is_neg", neg),
    }
    if table:
        return type("Marked", (dt.exchange_type(crafted),), body)(), questions
    return type("Marked", (), {**body, "__dlpack__": lambda self, **keywords: crafted.capsule()})(), questions


# dtype, shape, strides, and whether the negative bit is asked for: of floats with gaps or alone, of complex numbers.
LAYOUTS = {
    "float, contiguous": (FLOAT, [2, 3], [3, 1], False),
    "float, columns": (FLOAT, [3, 2], [1, 3], True),
    "float, every other": (FLOAT, [3], [2], True),
    "float, one element": (FLOAT, [1], [1], True),
    "float, no axes": (FLOAT, [], [], True),
    "bfloat, every other": (BFLOAT, [3], [2], True),
    "bfloat, contiguous": (BFLOAT, [3], [1], False),
    "integer, every other": (INT, [3], [2], False),
    "integer, one element": (INT, [1], [1], False),
    "complex, contiguous": (COMPLEX, [3], [1], True),
    "complex, columns": (COMPLEX, [1, 2], [1, 2], True),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_object_behind_a_table_is_asked_what_can_matter(layout):
    """5.9, E9: a table checks nothing; conjugation of complex ones only, and so on."""
    dtype, shape, strides, may_be_negated = LAYOUTS[layout]
    array, questions = marked(floats(shape=shape, strides=strides, **dtype), table=True)
    assert dlferry.from_dlpack(array).source == "exchange"
    expected = ["requires_grad"] + ["is_conj"] * (dtype is COMPLEX) + ["is_neg"] * may_be_negated
    assert questions == expected


@pytest.mark.parametrize("layout", LAYOUTS)
def test_object_with_a_method_is_asked_for_the_negative_bit_only(layout):
    """5.9, T1: its own `__dlpack__` has refused the rest."""
    dtype, shape, strides, may_be_negated = LAYOUTS[layout]
    array, questions = marked(floats(shape=shape, strides=strides, **dtype), table=False)
    assert dlferry.from_dlpack(array).source == "dlpack"
    assert questions == ["is_neg"] * may_be_negated


@pytest.mark.parametrize(
    ("marks", "dtype", "remedy"),
    [
        ({"grad": True}, FLOAT, r"gradient.*detach\(\)"),
        ({"grad": True}, INT, r"gradient.*detach\(\)"),
        ({"conj": True}, COMPLEX, r"conjugated.*resolve_conj\(\)"),
        ({"neg": True}, FLOAT, r"negated.*resolve_neg\(\)"),
        ({"neg": True}, BFLOAT, r"negated.*resolve_neg\(\)"),
        ({"neg": True}, COMPLEX, r"negated.*resolve_neg\(\)"),
    ],
)
def test_marked_tensor_is_refused_with_the_remedy(marks, dtype, remedy):
    """5.9: and what the table gave is deleted."""
    crafted = floats(shape=[2], strides=[2], **dtype)
    array, _ = marked(crafted, table=True, **marks)
    for keywords in ({}, {"copy": True}, {"writable": False}):
        with pytest.raises(BufferError, match=remedy):
            dlferry.from_dlpack(array, **keywords)
    assert deletions(crafted) == 3


def test_negated_tensor_of_a_method_is_refused_with_the_remedy():
    """5.9, T1: the one mark that `__dlpack__` lets through."""
    crafted = floats(shape=[2], strides=[2])
    array, _ = marked(crafted, table=False, neg=True)
    with pytest.raises(BufferError, match=r"resolve_neg\(\)"):
        dlferry.from_dlpack(array)
    assert deletions(crafted) == 1


def test_refused_mark_is_not_looked_for_another_way():
    """5.9: a refusal by the mark is final, though the object has a method too."""
    array, _ = marked(floats(), table=True, grad=True)
    type(array).__dlpack__ = lambda self, **keywords: pytest.fail("was asked")
    with pytest.raises(BufferError, match="gradient"):
        dlferry.from_dlpack(array)


def test_capsule_is_not_asked():
    """5.9: there is nobody to ask."""
    assert dlferry.from_dlpack(floats(shape=[1], strides=[1]).capsule()).shape == (1,)


def test_error_of_an_answer_passes():
    """5.10: unchanged, and the tensor is deleted."""
    error = ValueError("no answer")

    def failing(self: object) -> bool:
        raise error

    crafted = floats(shape=[1], strides=[1])
    array = type("Failing", (dt.exchange_type(crafted),), {"is_neg": failing})()
    with pytest.raises(ValueError, match="no answer") as caught:
        dlferry.from_dlpack(array)
    assert caught.value is error
    assert deletions(crafted) == 1
