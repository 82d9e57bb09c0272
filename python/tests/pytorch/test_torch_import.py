"""PyTorch tensors as tensors: the same memory, described as it is (rules T1 to T3, E5, E9, R3.9 to R3.12)."""

import gc

import dlferry
import numpy as np
import pytest

torch = pytest.importorskip("torch", exc_type=ImportError)
pytestmark = pytest.mark.torch

SOURCE = "exchange" if hasattr(torch.Tensor, "__dlpack_c_exchange_api__") else "dlpack"


def cube():
    """Make a tensor of three axes with different elements."""
    return torch.arange(24).reshape(2, 3, 4)


LAYOUTS = {
    "row-major": cube,
    "transposed": lambda: cube().permute(2, 0, 1),
    "offset": lambda: cube()[1:, 1:, 1:],
    "strided": lambda: cube()[:, ::2, 1::2],
    "expanded": lambda: torch.arange(3.0).expand(4, 3),
    "expanded column": lambda: torch.arange(3.0)[:, None].expand(3, 2),
    "overlapping": lambda: torch.arange(8.0).unfold(0, 3, 1),
    "odd stride of one element": lambda: torch.as_strided(torch.arange(3.0), (1, 3), (77, 1)),
    "channels last": lambda: torch.arange(24.0).reshape(1, 2, 3, 4).to(memory_format=torch.channels_last),
    "one element": lambda: cube()[1:, 2:, 3:],
    "no axes": lambda: torch.tensor(2.5),
    "no axes of a view": lambda: cube()[1, 2, 3],
    "empty": lambda: torch.zeros(0),
    "empty columns": lambda: torch.zeros(3, 0, dtype=torch.int8),
    "empty slice": lambda: cube()[:, 3:],
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_tensor_of_any_layout_shares_its_memory(layout):
    theirs = LAYOUTS[layout]()
    tensor = dlferry.from_dlpack(theirs)
    assert tensor.shape == tuple(theirs.shape)
    assert tensor.tolist() == theirs.tolist()
    assert tensor.owner is theirs
    assert (tensor.copied, tensor.source, tensor.byte_offset) == (False, SOURCE, 0)
    if theirs.numel():
        assert tensor.data_ptr == theirs.data_ptr()
        assert tensor.strides == theirs.stride()
    assert tensor.readonly is (layout.startswith("expanded") or layout == "overlapping")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_memory_lives_as_long_as_the_tensor(layout):
    theirs = LAYOUTS[layout]()
    values = theirs.tolist()
    tensor = dlferry.from_dlpack(theirs)
    del theirs
    gc.collect()
    ballast = [torch.full((24,), 7) for _ in range(50)]
    assert tensor.tolist() == values
    assert ballast[0][0] == 7


# What is made of ones, and its dtype here: the small integers are stored in a byte.
DTYPES = {
    "bool": "bool", "uint8": "uint8", "uint16": "uint16", "uint32": "uint32", "uint64": "uint64", "int8": "int8",
    "int16": "int16", "int32": "int32", "int64": "int64", "float16": "float16", "bfloat16": "bfloat16",
    "float32": "float32", "float64": "float64", "complex32": "complex32", "complex64": "complex64",
    "complex128": "complex128", "float8_e4m3fn": "float8_e4m3fn", "float8_e4m3fnuz": "float8_e4m3fnuz",
    "float8_e5m2": "float8_e5m2", "float8_e5m2fnuz": "float8_e5m2fnuz", "float8_e8m0fnu": "float8_e8m0fnu",
}  # fmt: skip


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.filterwarnings("ignore:ComplexHalf")
def test_dtype_and_values_are_the_same(name):
    if not hasattr(torch, name):
        pytest.skip(f"this release of PyTorch has no {name}")
    theirs = torch.tensor([1.0, 2.0, 4.0, 1.0]).to(getattr(torch, name))
    tensor = dlferry.from_dlpack(theirs)
    assert str(tensor.dtype) == DTYPES[name]
    assert tensor.tolist() == theirs.to(torch.complex128).tolist()
    assert tensor.data_ptr == theirs.data_ptr()


@pytest.mark.parametrize(
    "name", ["float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "bfloat16"]
)
def test_every_pattern_of_a_small_float_is_exact(name):
    if not hasattr(torch, name):
        pytest.skip(f"this release of PyTorch has no {name}")
    dtype = getattr(torch, name)
    raw = torch.arange(1 << 8 * dtype.itemsize, dtype=torch.int32)
    theirs = raw.to(torch.uint8 if dtype.itemsize == 1 else torch.uint16).view(dtype)
    found, wanted = dlferry.from_dlpack(theirs).tolist(), theirs.to(torch.float64).tolist()
    assert np.array_equal(found, wanted, equal_nan=True)
    numbers = ~np.isnan(wanted)
    assert np.array_equal(np.signbit(found)[numbers], np.signbit(wanted)[numbers])


def test_pairs_of_float4_become_single_elements():
    """R9.17: they write two to an element; there are twice as many along the last axis here."""
    if not hasattr(torch, "float4_e2m1fn_x2"):
        pytest.skip("this release of PyTorch has no float4")
    theirs = torch.tensor([[0x10, 0x32], [0x54, 0x76]], dtype=torch.uint8).view(torch.float4_e2m1fn_x2)
    tensor = dlferry.from_dlpack(theirs)
    assert (tensor.shape, tensor.dtype, tensor.nbytes) == ((2, 4), dlferry.float4_e2m1fn, 4)
    assert tensor.tolist() == [[0.0, 0.5, 1.0, 1.5], [2.0, 3.0, 4.0, 6.0]]


def test_writing_to_the_tensor_is_seen():
    theirs = cube()
    tensor = dlferry.from_dlpack(theirs)
    theirs[1, 2, 3] = -1
    assert tensor.tolist()[1][2][3] == -1
    memoryview(tensor)[0, 0, 0] = -2
    assert theirs[0, 0, 0] == -2


@pytest.mark.parametrize(
    "arguments", [{"device": "cpu"}, {"device": (1, 0)}, {"copy": False}, {"writable": True}]
)
def test_keyword_changes_nothing_where_it_asks_for_what_is(arguments):
    theirs = cube()
    tensor = dlferry.from_dlpack(theirs, **arguments)
    assert tensor.data_ptr == theirs.data_ptr()
    assert not tensor.readonly


@pytest.mark.parametrize("layout", LAYOUTS)
def test_copy_is_private_and_compact(layout):
    theirs = LAYOUTS[layout]()
    values = theirs.tolist()
    tensor = dlferry.from_dlpack(theirs, copy=True)
    if not layout.startswith(("expanded", "overlapping")):
        theirs.fill_(9)
    assert tensor.tolist() == values
    assert tensor.c_contiguous
    assert (tensor.copied, tensor.readonly, tensor.owner) == (True, False, None)


def test_subclass_is_taken():
    kind = type("Marked", (torch.Tensor,), {})
    for theirs in (
        torch.arange(3).as_subclass(kind),
        torch.nn.Parameter(torch.arange(3), requires_grad=False),
    ):
        tensor = dlferry.from_dlpack(theirs)
        assert tensor.tolist() == [0, 1, 2]
        assert tensor.data_ptr == theirs.data_ptr()


def test_tensor_made_in_inference_mode_is_taken():
    with torch.inference_mode():
        theirs = torch.ones(2)
    assert dlferry.from_dlpack(theirs).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("extent", [0, 1, 5])
def test_shrinking_the_source_leaves_what_was_described(extent):
    """Their tensor keeps its storage; growing it would free the memory, which no holder can prevent."""
    theirs = torch.arange(8)
    tensor = dlferry.from_dlpack(theirs)
    theirs.resize_(extent)
    assert tensor.shape == (8,)
    assert tensor.tolist() == list(range(8))


def test_reshaping_the_source_in_place_leaves_what_was_described():
    """The shape that their struct points to is read once, when the tensor is taken."""
    theirs = torch.arange(6).reshape(2, 3)
    tensor = dlferry.from_dlpack(theirs)
    theirs.t_()
    theirs.unsqueeze_(0)
    theirs.resize_(6, 1)
    assert (tensor.shape, tensor.strides) == ((2, 3), (3, 1))
    assert tensor.tolist() == [[0, 1, 2], [3, 4, 5]]
