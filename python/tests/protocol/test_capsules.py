"""Capsules by name: rules R2.1 to R2.9, R2.15, R2.21; decisions 5.11 and 5.13."""

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from craft import deletions, floats, taken

USED = {True: "used_dltensor_versioned", False: "used_dltensor"}


@pytest.mark.parametrize("versioned", [True, False])
def test_capsule_itself_is_taken(versioned):
    """R2.5, R2.21: renamed, and from then on the tensor is the importer's."""
    crafted = floats()
    capsule = crafted.capsule(versioned)
    tensor = dlferry.from_dlpack(capsule)
    assert dt.capsule_name(capsule) == USED[versioned]
    del capsule
    assert deletions(crafted) == 0
    assert tensor.tolist()[1] == [3.0, 4.0, 5.0]
    assert tensor.owner is None
    del tensor
    assert deletions(crafted) == 1


@pytest.mark.parametrize("versioned", [True, False])
def test_capsule_is_taken_once(versioned):
    """R2.9: the text says what to do."""
    crafted = floats()
    capsule = crafted.capsule(versioned)
    tensor = dlferry.from_dlpack(capsule)
    for _ in range(2):
        with pytest.raises(BufferError, match=r"consumed before.*ask the producer for another"):
            dlferry.from_dlpack(capsule)
    assert dt.capsule_name(capsule) == USED[versioned]
    assert tensor.tolist()[0] == [0.0, 1.0, 2.0]
    del tensor, capsule
    assert deletions(crafted) == 1


def test_capsule_that_another_library_took_is_refused():
    """R2.9."""
    capsule = np.arange(3).__dlpack__(max_version=(1, 0))
    dt.consume(capsule).delete()
    with pytest.raises(BufferError, match="consumed before"):
        dlferry.from_dlpack(capsule)


@pytest.mark.parametrize(
    "name",
    ["dltensor_wrong", "dltensor2", "Dltensor", "dltensor_versioned ", "", "dlpack_exchange_api", "used"],
)
def test_capsule_of_another_name_is_a_type_error(name):
    """R2.1: the wrong kind of argument; the text has the name."""
    crafted = floats()
    capsule = crafted.capsule(name=name)
    with pytest.raises(TypeError, match="wanted a DLPack capsule") as caught:
        dlferry.from_dlpack(capsule)
    assert f'"{name}"' in str(caught.value)
    assert dt.capsule_name(capsule) == name
    del capsule, caught
    assert deletions(crafted) == 1


def test_capsule_without_a_name_is_a_type_error():
    """R2.1."""
    crafted = floats()
    with pytest.raises(TypeError, match="without a name"):
        dlferry.from_dlpack(crafted.capsule(null_name=True))
    assert deletions(crafted) == 1


def test_renaming_a_capsule_back_is_not_guarded_against():
    """R2.5: the name is the state; this only says that the name is what is looked at."""
    crafted = floats()
    capsule = crafted.capsule(name="dltensor_wrong")
    dt.rename_capsule(capsule, "dltensor_versioned")
    assert dlferry.from_dlpack(capsule).shape == (2, 3)
    assert deletions(crafted) == 1


@pytest.mark.parametrize(
    ("style", "text"),
    [
        ("not_a_capsule", "NoneType"),
        ("wrong_name", "dltensor_wrong"),
        ("null_name", "without a name"),
        ("used_name", "consumed before"),
    ],
)
def test_producer_that_answers_with_no_usable_capsule_is_at_fault(style, text):
    """R2.1, 5.10: BufferError, for the argument was of the right kind."""
    crafted = floats(leak=True)
    producer = dt.Producer(crafted, style=style)
    with pytest.raises(BufferError, match=text) as caught:
        dlferry.from_dlpack(producer)
    assert type(caught.value) is BufferError
    assert len(producer.calls) == 1


@pytest.mark.parametrize("answer", [3, "capsule", object(), NotImplemented, np.zeros(2), b""])
def test_answer_that_is_no_capsule_names_both_types(answer):
    """5.10."""
    producer = type("Odd", (), {"__dlpack__": lambda self, **keywords: answer})()
    with pytest.raises(BufferError, match=r"Odd.*answered") as caught:
        dlferry.from_dlpack(producer)
    assert type(answer).__name__ in str(caught.value)


def test_same_capsule_on_every_call_is_taken_once():
    """R2.9: a producer that keeps its capsule is found out at the second import."""
    producer = dt.Producer(floats(), keep=True)
    tensor = dlferry.from_dlpack(producer)
    with pytest.raises(BufferError, match="consumed before"):
        dlferry.from_dlpack(producer)
    assert tensor.shape == (2, 3)


@pytest.mark.parametrize("versioned", [True, False])
@pytest.mark.parametrize("clear", [True, False])
@pytest.mark.parametrize(
    "name", [None, "another_library_took_this", "used_dltensor", "used_dltensor_versioned"]
)
def test_our_capsule_may_be_taken_in_any_manner(versioned, clear, name):
    """R2.4, R2.8, R9.14: under any used name, the destructor left or cleared; and deleted by who took it."""
    crafted = floats()
    tensor = taken(crafted)
    capsule = tensor.__dlpack__(max_version=(1, 0) if versioned else None)
    held = dt.consume(capsule, name=name, clear_destructor=clear)
    del tensor, capsule
    assert deletions(crafted) == 0
    assert held.read_bytes(24) == crafted.read()
    assert held.delete()
    assert deletions(crafted) == 1


@pytest.mark.parametrize("keywords", [{}, {"max_version": (1, 0)}, {"max_version": (1, 0), "copy": True}])
def test_our_capsule_that_nobody_took_deletes_its_tensor(keywords):
    """R2.4."""
    crafted = floats()
    tensor = taken(crafted)
    capsule = tensor.__dlpack__(**keywords)
    del tensor
    assert deletions(crafted) == (1 if "copy" in keywords else 0)
    del capsule
    assert deletions(crafted) == 1


@pytest.mark.parametrize("max_version", [None, (1, 0)])
def test_pending_exception_survives_our_capsules_destructor(max_version):
    """R2.15: and the deleter of the tensor behind it runs with that exception put aside."""
    crafted = floats()
    tensors = [taken(crafted)]
    assert dt.drop_with_exception_pending(lambda: tensors.pop().__dlpack__(max_version=max_version))
    (call,) = crafted.deleter_calls
    assert not call["pending"]


def test_pending_exception_survives_a_refusal_by_numpy():
    """R2.15, list 9: NumPy drops the capsule that it refused with its BufferError set."""
    crafted = floats(code=200)
    tensor = taken(crafted)
    # RuntimeError before NumPy 2.5.
    with pytest.raises((BufferError, RuntimeError), match="dtype"):
        np.from_dlpack(tensor)
    assert deletions(crafted) == 0
    del tensor
    assert deletions(crafted) == 1


def test_pending_exception_survives_our_deleter():
    """R2.16."""
    crafted = floats()
    held = dt.consume(taken(crafted).__dlpack__(max_version=(1, 0)))
    assert held.delete_with_exception_pending()
    assert deletions(crafted) == 1


def test_exception_of_the_refusal_is_what_the_caller_sees():
    """R2.6, R2.15: the refused capsule is dropped, and its destructor does not replace the error."""
    crafted = floats(ndim=-3)

    class Producer:
        def __dlpack__(self, **keywords: object) -> object:
            return crafted.capsule()

    with pytest.raises(BufferError, match="ndim is -3"):
        dlferry.from_dlpack(Producer())
    assert deletions(crafted) == 1
