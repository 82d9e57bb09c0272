"""`numpy()`, `torch()`, `jax()`, `to(...)`, and other libraries that take a tensor by themselves."""

import sys
import time

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from twins import DTYPES, begin, cube, imported, refused, tensor_of


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("take", [lambda t: t.numpy(), np.asarray, np.from_dlpack, lambda t: t.to("numpy"),
                                  lambda t: t.to(np), lambda t: t.to(np.zeros(1)), lambda t: np.asarray(t, copy=False),
                                  lambda t: np.asarray(t, t.dtype.name, copy=False)])  # fmt: skip
def test_numpy_shares_the_memory(dtype, take):
    array = cube(dtype)[:, ::2, ::-1]
    again = take(tensor_of(array))
    assert (type(again), again.dtype, again.tolist()) == (np.ndarray, array.dtype, array.tolist())
    assert (begin(again), again.strides) == (begin(array), array.strides)


def test_numpy_array_is_as_writable_as_the_tensor():
    assert tensor_of(np.zeros(3)).numpy().flags.writeable
    assert not dlferry.from_buffer(b"abc").numpy().flags.writeable
    assert not np.asarray(dlferry.from_buffer(b"abc")).flags.writeable


@pytest.mark.parametrize("name", ["bfloat16", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn",
                                  "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"])  # fmt: skip
def test_types_of_ml_dtypes_share_the_memory(name):
    ml_dtypes = imported("ml_dtypes")
    memory = np.arange(12, dtype=np.uint8).reshape(2, 6)
    tensor = tensor_of(memory).view(name)
    for array in (tensor.numpy(), np.asarray(tensor), tensor.to("numpy")):
        assert array.dtype == np.dtype(getattr(ml_dtypes, name))
        assert begin(array) == begin(memory)
        assert np.array_equal(array.astype(float), tensor.tolist(), equal_nan=True)


@pytest.mark.parametrize(
    "name", ["int4", "uint4", "int2", "uint2", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn"]
)
def test_packed_elements_are_spread_into_a_told_copy(name):
    ml_dtypes = imported("ml_dtypes")
    memory = np.array([0x21, 0x43, 0x65], np.uint8)
    tensor = tensor_of(memory).view(name)
    array = tensor.numpy()
    assert array.dtype == np.dtype(getattr(ml_dtypes, name))
    assert array.astype(float).tolist() == [float(value) for value in tensor.tolist()]
    assert not np.shares_memory(array, memory)
    with refused(dlferry.CopyRequiredError, match="copy=False forbids"):
        np.asarray(tensor, copy=False)
    assert np.asarray(tensor).tolist() == array.tolist()


def test_padded_elements_are_shared():
    imported("ml_dtypes")
    recipe = dt.Crafted(bytes([1, 2, 15]), shape=[3], code=0, bits=4, flags=4)
    array = dlferry.from_dlpack(dt.Producer(recipe)).numpy()
    assert (begin(array), array.astype(int).tolist()) == (recipe.address, [1, 2, -1])


@pytest.mark.parametrize(("code", "bits", "lanes"), [(200, 8, 1), (2, 32, 4), (3, 64, 1)])
def test_type_that_numpy_lacks_is_refused(code, bits, lanes):
    recipe = dt.Crafted(bytes(64), shape=[2], code=code, bits=bits, lanes=lanes)
    tensor = dlferry.from_dlpack(dt.Producer(recipe))
    with refused(BufferError, match="NumPy has no type"):
        tensor.numpy()


@pytest.mark.parametrize("make", [lambda t: np.array(t), lambda t: np.array(t, copy=True),
                                  lambda t: t.__array__(copy=True),
                                  lambda t: t.__array__("float64", copy=True)])  # fmt: skip
def test_array_of_numpy_is_a_copy_when_asked(make):
    memory = np.arange(3, dtype=np.float32)
    array = make(tensor_of(memory))
    assert array.tolist() == [0.0, 1.0, 2.0]
    assert not np.shares_memory(array, memory)


def test_other_dtype_is_a_copy_and_refused_without():
    tensor = tensor_of(np.arange(3, dtype=np.float32))
    assert np.asarray(tensor, "int16").tolist() == [0, 1, 2]
    assert tensor.__array__("float32", copy=False).ctypes.data == tensor.data_ptr
    with refused(dlferry.CopyRequiredError, match="copy=False"):
        tensor.__array__("float64", copy=False)


@pytest.mark.parametrize("library", ["torch", "jax", "cupy", "mlx", "tensorflow", "tvm_ffi", "paddle"])
def test_missing_library_is_named(library, monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == library]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, library, None)
    with refused(ImportError, match=library):
        tensor_of(np.zeros(3)).to(library)
    if library in ("torch", "jax"):
        with refused(ImportError, match=library):
            getattr(tensor_of(np.zeros(3)), library)()


def test_missing_ml_dtypes_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with refused(ImportError, match="pip install ml_dtypes"):
        tensor_of(np.zeros(4, np.uint8)).view("bfloat16").numpy()


def test_tensor_is_handed_to_a_tensor_and_to_anything_with_from_dlpack():
    tensor = tensor_of(np.zeros(3))
    assert tensor.to(tensor) is tensor
    assert tensor.to(dlferry).data_ptr == tensor.data_ptr

    class Namespace:
        @staticmethod
        def from_dlpack(x):
            return ("taken", x)

    class Array:
        def __array_namespace__(self):
            return Namespace

    assert tensor.to(Namespace) == ("taken", tensor)
    assert tensor.to(Array()) == ("taken", tensor)


@pytest.mark.parametrize(("target", "kind"), [("nolib", ValueError), ("", ValueError), (7, TypeError),
                                              (None, TypeError),
                                              (object(), TypeError), ([1], TypeError)])  # fmt: skip
def test_unknown_library_is_refused(target, kind):
    with refused(kind, match="library"):
        tensor_of(np.zeros(3)).to(target)


# Arrays, and whether they are without gaps and repetitions in whatever order of the axes.
STRIDES = {
    "row-major": (lambda a: a, True),
    "column-major": (np.asfortranarray, True),
    "permuted": (lambda a: a.transpose(1, 2, 0), True),
    "one row": (lambda a: a[1], True),
    "one element of each": (lambda a: a[:1, :1, ::4], True),
    "reversed axis of one": (lambda a: a[:1][::-1], True),
    "no elements": (lambda a: a[:, :0, ::-2], True),
    "no axes": (lambda a: a[0, 0, 0, ...], True),
    "reversed": (lambda a: a[::-1], False),
    "all reversed": (lambda a: a[::-1, ::-1, ::-1], False),
    "with gaps": (lambda a: a[:, :, ::2], False),
    "without some rows": (lambda a: a[:, :2], False),
    "repeated": (lambda a: np.broadcast_to(a[:1], (5, 3, 4)), False),
    "overlapping": (lambda a: np.lib.stride_tricks.sliding_window_view(a[0, 0], 2), False),
}


@pytest.mark.parametrize("layout", STRIDES)
def test_jax_takes_what_has_no_gaps_and_the_rest_is_refused_with_the_remedy(layout):
    jnp = imported("jax.numpy")
    make, is_compact = STRIDES[layout]
    array = make(cube("float32"))
    tensor = tensor_of(array)
    ways = (tensor.jax, lambda: tensor.to("jax"), lambda: tensor.to(jnp), lambda: tensor.to(jnp.zeros(1)))
    for way in ways:
        if is_compact:
            assert way().tolist() == array.tolist()
        else:
            with refused(BufferError, match=r"gaps.*tensor\.copy\(\)"):
                way()
    assert tensor.copy().jax().tolist() == array.tolist()


def test_packed_elements_are_not_advised_to_be_copied_for_a_library_that_has_none():
    """A copy is packed, too; what `numpy` makes of them is taken."""
    jnp = imported("jax.numpy")
    imported("ml_dtypes")
    tensor = tensor_of(np.arange(12, dtype=np.uint8).reshape(3, 4)).view("int4")[::2]
    with refused(BufferError, match=r"no gaps.*: tensor\.numpy\(\) has a byte for each element$"):
        tensor.jax()
    with pytest.raises(Exception, match=r"4 bits|int4"):
        tensor.copy().jax()
    assert jnp.asarray(tensor.numpy()).astype("int8").tolist() == tensor.tolist()


@pytest.mark.torch
@pytest.mark.parametrize("layout", STRIDES)
def test_torch_takes_what_does_not_run_backwards_and_the_rest_is_refused_with_the_remedy(layout):
    torch = imported("torch")
    array = STRIDES[layout][0](cube("float32"))
    tensor = dlferry.from_address(begin(array), array.shape, "float32", [s // 4 for s in array.strides],
                                  owner=array, readonly=False)  # fmt: skip
    if "reversed" in layout and layout != "reversed axis of one":
        for way in (tensor.torch, lambda: tensor.to("torch"), lambda: tensor.to(torch)):
            with refused(BufferError, match=r"no negative strides.*tensor\.copy\(\)"):
                way()
    elif not tensor.readonly:
        assert tensor.torch().tolist() == array.tolist()
    assert tensor.copy().torch().tolist() == array.tolist()


@pytest.mark.torch
@pytest.mark.parametrize(
    ("make", "reason"),
    [(lambda: dlferry.from_buffer(b"abcd"), "its buffer is read-only"),
     (lambda: tensor_of(np.zeros(1)).broadcast_to((3,)), "its elements share memory")],
)  # fmt: skip
def test_torch_is_refused_read_only_memory_with_the_reason(make, reason):
    torch = imported("torch")
    for way in (
        lambda tensor: tensor.torch(),
        lambda tensor: tensor.to("torch"),
        lambda tensor: tensor.to(torch),
    ):
        with refused(BufferError, match=rf"read-only.*tensor\.copy\(\).*{reason}"):
            way(make())


@pytest.mark.torch
def test_torch_shares_the_memory():
    torch = imported("torch")
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    tensor = tensor_of(array)
    for made in (tensor.torch(), tensor.to("torch"), tensor.to(torch), tensor.to(torch.zeros(1)),
                 torch.from_dlpack(tensor)):  # fmt: skip
        assert (type(made), made.data_ptr(), made.tolist()) == (torch.Tensor, tensor.data_ptr, array.tolist())


def test_jax_shares_aligned_memory():
    jax = imported("jax")
    tensor = tensor_of(np.arange(6, dtype=np.float32)).copy()
    for made in (
        tensor.jax(),
        tensor.to("jax"),
        tensor.to(jax.numpy.zeros(1)),
        jax.numpy.from_dlpack(tensor),
    ):
        assert isinstance(made, jax.Array)
        assert made.unsafe_buffer_pointer() == tensor.data_ptr
        assert made.tolist() == tensor.tolist()


def test_tvm_ffi_shares_the_memory():
    tvm_ffi = imported("tvm_ffi")
    tensor = tensor_of(np.arange(6, dtype=np.float32)).copy()
    for made in (tensor.to("tvm_ffi"), tvm_ffi.from_dlpack(tensor)):
        assert dlferry.from_dlpack(made).data_ptr == tensor.data_ptr


def test_pillow_makes_an_image():
    image_module = imported("PIL.Image")
    array = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    image = image_module.fromarray(tensor_of(array))
    assert (image.size, image.mode, image.tobytes()) == ((4, 2), "RGB", array.tobytes())
    mirrored = array[:, ::-1]  # Pillow asks for the bytes of what has strides
    assert image_module.fromarray(tensor_of(mirrored)).tobytes() == mirrored.tobytes()


def test_pyarrow_takes_the_buffer():
    pa = imported("pyarrow")
    tensor = tensor_of(np.arange(4, dtype=np.int32))
    assert pa.py_buffer(tensor).address == tensor.data_ptr
    assert dlferry.from_dlpack(pa.array([1, 2, 3], pa.int32())).tolist() == [1, 2, 3]


BIG = np.zeros((1000, 1000), np.float32)
FAST = {
    "from_buffer": lambda: dlferry.from_buffer(BIG),
    "asarray": lambda: dlferry.asarray(BIG),
    "copy": lambda: dlferry.from_buffer(BIG).copy(),
    "copy of a transpose": lambda: dlferry.from_buffer(BIG).T.copy(),
    "other byte order": lambda: dlferry.asarray(BIG.view(BIG.dtype.newbyteorder())),
    "numpy": lambda: dlferry.from_buffer(BIG).numpy(),
    "numpy.asarray": lambda: np.asarray(dlferry.from_buffer(BIG)),
    "numpy.array": lambda: np.array(dlferry.from_buffer(BIG)),
    "copyto": lambda: dlferry.copyto(BIG.copy(), BIG),
    "bytes": lambda: bytes(dlferry.from_buffer(BIG)),
    "repr": lambda: repr(dlferry.from_buffer(BIG)),
}


@pytest.mark.parametrize("what", FAST)
def test_million_elements_take_no_time(what):
    """The best of some runs, in time of processors, for the machine may be busy."""
    best = 1.0
    for _ in range(10):
        start = time.process_time()
        FAST[what]()
        best = min(best, time.process_time() - start)
    assert best < 0.05
