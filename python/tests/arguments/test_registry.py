"""What modules share about borrows, found where another release of dlferry, or somebody else, has put it before."""

import ctypes
import sys

import pytest
from processes import said

pytest.importorskip("dlferry_views")

# The fields: the version, the bytes in all, whether threads run at once, exclusive borrows, the newest block.
KNOWN = (2, 5 * ctypes.sizeof(ctypes.c_size_t))
SCRIPT = """
import ctypes
import dlferry_views as views
import numpy as np

api = ctypes.pythonapi
api.PyInterpreterState_Get.restype = ctypes.c_void_p
api.PyInterpreterState_GetDict.restype = ctypes.c_void_p
api.PyInterpreterState_GetDict.argtypes = [ctypes.c_void_p]
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

key = b"dlferry.borrow.v2"
fields = (ctypes.c_size_t * 16)(*{fields!r})
shared = ctypes.cast(api.PyInterpreterState_GetDict(api.PyInterpreterState_Get()), ctypes.py_object).value
shared[key.decode()] = {what}
x = np.zeros(3, "f4")
try:
    views.reading(x, lambda: print(fields[4] != 0))
except (SystemError, ValueError) as error:
    print(type(error).__name__, error)
"""
CAPSULE = "api.PyCapsule_New(ctypes.addressof(fields), key, None)"


def answer(*fields: int, what: str = CAPSULE) -> str:
    concurrent = int(hasattr(sys, "_is_gil_enabled") and not sys._is_gil_enabled())
    return said(SCRIPT.format(fields=(*fields, concurrent), what=what))


@pytest.mark.parametrize("more", [0, 8])
def test_registry_of_the_same_version_is_shared(more):
    """A later release may append to it."""
    version, size = KNOWN
    assert answer(version, size + more) == "True"


@pytest.mark.parametrize(("newer", "smaller"), [(1, 0), (-1, 0), (0, 8), (1, 8)])
def test_registry_of_another_form_is_not_read(newer, smaller):
    version, size = KNOWN
    refusal = "SystemError the registry of borrowed memory is of a version that is not known here"
    assert answer(version + newer, size - smaller) == refusal


@pytest.mark.parametrize("what", ["5", "None", 'api.PyCapsule_New(ctypes.addressof(fields), b"other", None)'])
def test_what_is_no_registry_is_not_read(what):
    assert answer(*KNOWN, what=what).startswith("ValueError PyCapsule_GetPointer called with")
