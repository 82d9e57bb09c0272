"""What the annotations let through and what they stop, as mypy sees it.

Each line stands for itself; a line that is to be stopped names mypy's code for it.
"""

import importlib.util
import os
from typing import Any

import pytest

pytest.importorskip("mypy")
pytest.importorskip("numpy")

from checker import faults

pytestmark = pytest.mark.skipif(
    "DLFERRY_ASAN" in os.environ, reason="SKIPPED: mypy's own memory is not what is looked at"
)

PRELUDE = """
import array, ctypes, mmap
from typing import assert_type
import numpy
import dlferry
import dlferry.typing
array_of_numpy = numpy.zeros((2, 3), numpy.float32)
tensor = dlferry.from_dlpack(array_of_numpy)
""".splitlines()

# Python 3.10 has no assert_type of its own.
OLD_PRELUDE = [line.replace("from typing import", "from typing_extensions import") for line in PRELUDE]

ACCEPTED = [
    "dlferry.from_dlpack(numpy.zeros(3, numpy.bool_))",
    "dlferry.from_dlpack(tensor)",
    "dlferry.from_dlpack(tensor.__dlpack__())",
    "dlferry.from_dlpack(tensor, device='cpu', copy=None, writable=True)",
    "dlferry.from_dlpack(tensor, device=(2, 0), copy=False)",
    "dlferry.from_dlpack(tensor, device=dlferry.Device(2, 0))",
    "dlferry.from_dlpack(tensor, device=tensor.device)",
    "dlferry.from_buffer(b'')",
    "dlferry.from_buffer(bytearray(1), writable=False)",
    "dlferry.from_buffer(memoryview(b''))",
    "dlferry.from_buffer(array.array('f', [1.0]))",
    "dlferry.from_buffer((ctypes.c_int * 3)())",
    "dlferry.from_buffer(mmap.mmap(-1, 10))",
    "dlferry.from_buffer(tensor)",
    "dlferry.asarray(b'')",
    "dlferry.asarray(array_of_numpy, copy=True)",
    "dlferry.asarray(tensor)",
    "dlferry.asarray(numpy.zeros(3, [('x', 'f4')])['x'])",
    "dlferry.from_address(0, (0,), 'int8', owner=None)",
    "dlferry.from_address(0, [0, 2], dlferry.int8, (2, 1), owner=b'', readonly=False, device='cpu')",
    "dlferry.copyto(array_of_numpy, tensor)",
    "dlferry.copyto(bytearray(3), b'abc')",
    "tensor.reshape(3, 2).reshape((3, 2)).reshape([-1]).reshape(array_of_numpy.shape)",
    "tensor.view('int8').view(dlferry.bool)",
    "tensor.view(numpy.float32).view(numpy.dtype('int8')).view(array_of_numpy.dtype)",
    "dlferry.dtype(numpy.float32), dlferry.from_address(0, (0,), numpy.int8, owner=None)",
    "assert_type(tensor.tobytes(), bytes), tensor.tobytes('F')",
    "tensor.permute_dims(1, 0).permute_dims((1, 0)).permute_dims([0, 1])",
    "tensor.squeeze().squeeze(0).squeeze((0, 1)).expand_dims(-1).broadcast_to((2, 3)).permute_dims((1, 0))",
    "tensor[0], tensor[1:], tensor[...], tensor[None], tensor[0, ..., None, ::2]",
    "float(tensor), int(tensor), bool(tensor), len(tensor), [0][tensor]",
    "memoryview(tensor)",
    "numpy.from_dlpack(tensor)",
    "numpy.asarray(tensor)",
    "tensor.__dlpack__(stream=None, max_version=(1, 3), dl_device=(1, 0), copy=True)",
    "assert_type(tensor[0], dlferry.Tensor)",
    "assert_type(list(tensor), list[dlferry.Tensor])",
    "assert_type(tensor.T, dlferry.Tensor)",
    "assert_type(tensor.shape, tuple[int, ...])",
    "assert_type(tensor.dtype, dlferry.dtype)",
    "assert_type(dlferry.float8_e4m3fn, dlferry.dtype)",
    "assert_type(dlferry.dtype('int4').bits, int)",
    "assert_type(tensor.copied, bool | None)",
    "assert_type(tensor.to(tensor), dlferry.Tensor)",
    "isinstance(tensor.device, dlferry.Device)",
    "isinstance(dlferry.DeviceType.CUDA.value, int)",
    "tensor.numpy().astype(numpy.int8), tensor.to('numpy').sum()",
    "def taken(x: dlferry.typing.FromDLPack) -> dlferry.Tensor: return dlferry.from_dlpack(x)",
    "def lent(x: dlferry.typing.SupportsBuffer) -> dlferry.Tensor: return dlferry.from_buffer(x)",
    "def found(x: dlferry.typing.ArrayLike) -> dlferry.Tensor: return dlferry.asarray(x)",
    "try: dlferry.from_dlpack(tensor, copy=False)\nexcept dlferry.CopyRequiredError: pass",
]

REFUSED = [
    ("dlferry.from_dlpack([1])", "arg-type"),
    ("dlferry.from_dlpack(1)", "arg-type"),
    ("dlferry.from_dlpack(None)", "arg-type"),
    ("dlferry.from_dlpack(b'ab')", "arg-type"),
    ("dlferry.from_dlpack(numpy)", "arg-type"),
    ("dlferry.from_dlpack(tensor, device='gpu')", "arg-type"),
    ("dlferry.from_dlpack(tensor, device=1)", "arg-type"),
    ("dlferry.from_dlpack(tensor, copy='no')", "arg-type"),
    ("dlferry.from_dlpack(tensor, writable=1)", "arg-type"),
    ("dlferry.from_dlpack(tensor, None)", "call-arg"),
    ("dlferry.from_dlpack(x=tensor)", "call-arg"),
    ("dlferry.from_buffer([1])", "arg-type"),
    ("dlferry.from_buffer('text')", "arg-type"),
    ("dlferry.asarray([1])", "arg-type"),
    ("dlferry.asarray(1.0)", "arg-type"),
    ("dlferry.asarray(tensor, device='cpu')", "call-arg"),
    ("dlferry.from_address(0, (0,), 'int8')", "call-arg"),
    ("dlferry.from_address(0, (0,), 8, owner=None)", "arg-type"),
    ("dlferry.from_address(0, 0, 'int8', owner=None)", "arg-type"),
    ("dlferry.from_address(b'', (0,), 'int8', owner=None)", "arg-type"),
    ("dlferry.copyto(array_of_numpy, 3)", "arg-type"),
    ("dlferry.Tensor()", "call-arg"),
    ("class Mine(dlferry.Tensor): ...", "misc"),
    ("dlferry.nothing", "attr-defined"),
    ("tensor.nothing", "attr-defined"),
    ("tensor.numpy().nothing", "attr-defined"),
    ("tensor.to('numpy').nothing", "attr-defined"),
    ("tensor.copy('Z')", "arg-type"),
    ("tensor['a']", "index"),
    ("tensor[1.0]", "index"),
    ("tensor[0] = tensor", "index"),
    ("tensor.shape = (1,)", "misc"),
    ("tensor + tensor", "operator"),
    ("tensor < tensor", "operator"),
    ("tensor.view(8)", "arg-type"),
    ("tensor.view(b'int8')", "arg-type"),
    ("tensor.permute_dims('01')", "arg-type"),
    ("tensor.__dlpack__(max_version=1)", "arg-type"),
]

TORCH = [
    "dlferry.from_dlpack(torch.zeros(2))",
    "dlferry.asarray(torch.zeros(2))",
    "dlferry.copyto(torch.zeros(2), tensor)",
    "tensor.view(torch.float32), dlferry.dtype(torch.bfloat16)",
]
JAX = [
    "dlferry.from_dlpack(jax.numpy.zeros(2))",
    "dlferry.asarray(jax.numpy.zeros(2))",
    "jax.numpy.from_dlpack(tensor)",
    "tensor.view(jax.numpy.zeros(2).dtype)",
]
PILLOW = ["dlferry.asarray(PIL.Image.new('L', (2, 2)))"]


def check(
    prelude: list[str], cases: list[tuple[str, str | None]], **options: Any
) -> list[tuple[str, str | None]]:
    """Checks the cases in one file, and says of each what mypy says."""
    lines = list(prelude)
    places = []
    for case, _ in cases:
        places.append(range(len(lines), len(lines) + len(case.splitlines())))
        lines += case.splitlines()
    found = faults(lines, **options)
    assert all(any(line in place for place in places) for line in found), found
    verdicts = [next((found[line] for line in place if line in found), None) for place in places]
    return [(case, verdict) for (case, _), verdict in zip(cases, verdicts, strict=True)]


@pytest.mark.parametrize("python", [(3, 10), (3, 13)])
def test_each_line_is_let_through_or_stopped_as_it_should_be(python, tmp_path, cache):
    prelude = OLD_PRELUDE if python < (3, 11) else PRELUDE
    cases: list[tuple[str, str | None]] = [*((case, None) for case in ACCEPTED), *REFUSED]
    options = {"folder": tmp_path, "cache": cache.mkdir("mypy"), "python": python}
    assert check(prelude, cases, **options) == cases


@pytest.mark.parametrize(
    ("module", "lines"),
    [
        pytest.param("torch", TORCH, marks=pytest.mark.torch),
        ("jax.numpy", JAX),
        ("PIL.Image", PILLOW),
    ],
    ids=["torch", "jax", "pillow"],
)
def test_arrays_of_other_libraries_fit(module, lines, tmp_path, cache):
    """As their own annotations describe them."""
    package = module.partition(".")[0]
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"SKIPPED: {package} is not installed")
    cases: list[tuple[str, str | None]] = [(line, None) for line in lines]
    prelude = [f"import {module}", *PRELUDE]
    assert check(prelude, cases, folder=tmp_path, cache=cache.mkdir("mypy")) == cases
