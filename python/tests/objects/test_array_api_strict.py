"""A library that follows the array-API standard to the letter, both ways (rules R5.1 to R5.20)."""

import dlferry
import numpy as np
import pytest
from layouts import VERSIONED

xp = pytest.importorskip("array_api_strict", exc_type=ImportError)
if not VERSIONED:
    pytest.skip("it passes keywords on to a NumPy that lacks them", allow_module_level=True)


def test_array_is_a_tensor_on_the_same_memory():
    array = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
    tensor = dlferry.from_dlpack(array)
    assert tensor.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert tensor.owner is array
    again = xp.from_dlpack(tensor)
    again[0, 0] = -1.0
    assert tensor.tolist()[0] == [-1.0, 2.0]
    assert float(array[0, 0]) == -1.0


@pytest.mark.parametrize(
    "arguments", [{"copy": False}, {"copy": True}, {"device": "cpu"}, {"device": (1, 0)}]
)
def test_keywords_of_the_standard_are_understood(arguments):
    assert dlferry.from_dlpack(xp.asarray([1, 2]), **arguments).tolist() == [1, 2]


@pytest.mark.parametrize("copy", [None, True, False])
def test_tensor_understands_the_keywords_of_the_standard(copy):
    tensor = dlferry.from_dlpack(np.arange(3), copy=True)
    array = xp.from_dlpack(tensor, copy=copy)
    memoryview(tensor)[0] = 9
    assert int(array[0]) == (0 if copy else 9)
