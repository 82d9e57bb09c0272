"""Arrays that DLPack cannot describe: refused with a remedy, or copied where a copy can be described."""

import re
import sys

import dlferry
import numpy as np
import pytest
from ndarrays import AWKWARD, OTHER_ORDER, TYPELESS


@pytest.mark.parametrize("call", [dlferry.from_dlpack, dlferry.numpy.from_dlpack], ids=["dlferry", "numpy"])
@pytest.mark.parametrize("case", AWKWARD)
def test_what_only_a_copy_can_describe_is_refused_with_the_remedy(case, call):
    """R1.13, R3.2."""
    with pytest.raises(BufferError, match=r"dlferry\.asarray copies them"):
        call(AWKWARD[case]())


def derived(array):
    """Make it one of a derived class."""
    return array.view(type("Derived", (np.ndarray,), {}))


COPIES = {
    "asarray": dlferry.asarray,
    "from_dlpack": lambda array: dlferry.from_dlpack(array, copy=True),
    "asarray of a derived class": lambda array: dlferry.asarray(derived(array)),
    "from_dlpack of a derived class": lambda array: dlferry.from_dlpack(derived(array), copy=True),
    "from_buffer": lambda array: dlferry.from_buffer(array, copy=True),
    "numpy.from_dlpack": lambda array: dlferry.asarray(
        dlferry.numpy.from_dlpack(array, copy=True), copy=True
    ),
}


@pytest.mark.parametrize("call", COPIES)
@pytest.mark.parametrize("case", AWKWARD)
def test_copy_is_made_of_what_only_a_copy_can_describe(case, call):
    """By `asarray`, and by any call that is told to copy."""
    array = AWKWARD[case]()
    tensor = COPIES[call](array)
    assert (tensor.copied, tensor.readonly, tensor.owner) == (True, False, None)
    assert tensor.c_contiguous
    assert tensor.tolist() == array.tolist()


@pytest.mark.parametrize("case", AWKWARD)
def test_forbidden_copy_is_an_error_of_its_own(case):
    with pytest.raises(dlferry.CopyRequiredError, match="copy"):
        dlferry.asarray(AWKWARD[case](), copy=False)


@pytest.mark.parametrize("case", TYPELESS)
def test_what_has_no_type_is_refused_with_its_name_and_the_remedy(case):
    make, remedy = TYPELESS[case]
    array = make()
    name = (
        r"dlferry|NumPy's" if "StringDType" in str(array.dtype) else f"NumPy's {re.escape(str(array.dtype))}"
    )
    for call in (dlferry.from_dlpack, dlferry.numpy.from_dlpack, dlferry.numpy.to_dlpack):
        with pytest.raises(BufferError, match=rf"(?s){name}.*{re.escape(remedy)}"):
            call(array)


# What the remedies make of each.
REMEDIES = {
    "long double": lambda array: array.astype("float64"),
    "complex of long doubles": lambda array: array.astype("complex128"),
    "datetime": lambda array: array.view("int64"),
    "timedelta": lambda array: array.view("int64"),
    "bytes": lambda array: array.view("uint8"),
    "text": lambda array: array.view("uint32"),
    "void": lambda array: array.view("uint8"),
    "structure": lambda array: array["f1"],
    "structure of one field": lambda array: array["x"],
    "empty": lambda array: array.view("int64"),
    "swapped": lambda array: array.view(f"{OTHER_ORDER}i8"),
    "swapped text": lambda array: array.view(f"{OTHER_ORDER}u4"),
}


@pytest.mark.parametrize("case", [case for case in REMEDIES if case in TYPELESS])
def test_remedy_works(case):
    array = REMEDIES[case](TYPELESS[case][0]())
    take = dlferry.asarray if case.startswith("swapped") else dlferry.from_dlpack
    assert take(array).tolist() == array.tolist()


@pytest.mark.parametrize("case", [*AWKWARD, *TYPELESS])
def test_refused_array_is_not_kept(case):
    make = AWKWARD.get(case) or TYPELESS[case][0]
    array = make()
    before = sys.getrefcount(array), sys.getrefcount(array.dtype)
    for _ in range(5):
        with pytest.raises(BufferError):
            dlferry.from_dlpack(array)
    assert (sys.getrefcount(array), sys.getrefcount(array.dtype)) == before


def test_type_that_takes_the_name_of_another_is_not_believed():
    """Scalars are known by their type, never by a name that anybody can take."""
    structure = np.dtype([("bfloat16", "u2")])
    with pytest.raises(BufferError, match="whole structure"):
        dlferry.from_dlpack(np.zeros(2, structure))
    record = np.dtype((type("bfloat16", (np.void,), {"__module__": "ml_dtypes"}), 2))
    with pytest.raises(BufferError):
        dlferry.from_dlpack(np.zeros(2, record))


def test_field_of_whole_elements_shares_its_memory():
    whole = np.zeros(3, [("a", "f4"), ("b", "f4")])
    tensor = dlferry.from_dlpack(whole["b"])
    whole["b"] = [1, 2, 3]
    assert (tensor.strides, tensor.tolist()) == ((2,), [1.0, 2.0, 3.0])


def test_number_with_named_parts_is_the_number():
    """The number is what counts, as for NumPy itself."""
    parted = np.dtype((np.int32, {"low": (np.int16, 0), "high": (np.int16, 2)}))
    array = np.array([1, 2, 3], np.int32).view(parted)
    assert dlferry.from_dlpack(array).tolist() == [1, 2, 3]
