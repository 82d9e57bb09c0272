"""JAX both ways: its arrays are read-only, and ours are aligned as it wants them (rules R3.14, R3.15, J1, J2)."""

import gc

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest

jax = pytest.importorskip("jax", exc_type=ImportError)
jnp = jax.numpy

FLOATS = np.arange(16, dtype=np.float32)
SHAPES = [(), (1,), (5,), (2, 3), (0,), (3, 0), (2, 1, 4)]


@pytest.mark.parametrize("shape", SHAPES)
def test_array_is_a_read_only_tensor_on_the_same_memory(shape):
    """R6.4."""
    array = jnp.arange(int(np.prod(shape)), dtype=jnp.float32).reshape(shape)
    tensor = dlferry.from_dlpack(array)
    assert tensor.shape == shape
    assert tensor.tolist() == array.tolist()
    assert (tensor.readonly, tensor.copied, tensor.source) == (True, False, "dlpack")
    assert tensor.owner is array
    if array.size:
        assert tensor.data_ptr == array.unsafe_buffer_pointer()


# Those that JAX exports without its wide types.
DTYPES = [
    *(
        "bool",
        "int8",
        "int16",
        "int32",
        "uint8",
        "uint16",
        "uint32",
        "float16",
        "bfloat16",
        "float32",
        "complex64",
    ),
    *("float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2"),
    *("float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn"),
]


@pytest.mark.parametrize("dtype", DTYPES)
def test_value_of_any_dtype_is_the_same(dtype):
    if not hasattr(jnp, dtype):
        pytest.skip(f"this release of JAX has no {dtype}")
    array = jnp.array([1, 2, 4, 1]).astype(dtype)
    tensor = dlferry.from_dlpack(array)
    assert str(tensor.dtype) == dtype
    assert tensor.tolist() == np.asarray(array.astype(jnp.complex64)).tolist()


def test_copy_of_an_array_is_writable():
    array = jnp.arange(3)
    tensor = dlferry.from_dlpack(array, copy=True)
    memoryview(tensor)[0] = 9
    assert (tensor.readonly, tensor.copied) == (False, True)
    assert array.tolist() == [0, 1, 2]


def test_array_is_not_writable_by_assertion():
    with pytest.raises(BufferError, match="copy=True"):
        dlferry.from_dlpack(jnp.arange(3), writable=True)


def test_int4_is_refused_in_their_words():
    array = jnp.arange(3).astype("int4")
    with pytest.raises(Exception, match=r"S4|int4") as caught:
        dlferry.from_dlpack(array)
    with pytest.raises(type(caught.value)):
        array.__dlpack__()


@pytest.mark.parametrize("writable", [True, False])
@pytest.mark.parametrize("ask", [jax.dlpack.from_dlpack, jnp.from_dlpack])
def test_aligned_tensor_becomes_an_array_on_the_same_memory(ask, writable):
    """What dlferry allocates is aligned to 64 bytes."""
    tensor = dlferry.from_dlpack(FLOATS, copy=True, writable=writable)
    array = ask(tensor, copy=False)
    assert array.unsafe_buffer_pointer() == tensor.data_ptr
    assert np.array_equal(array, FLOATS)


def test_misaligned_tensor_is_copied_by_them():
    recipe = dt.Crafted(FLOATS.tobytes(), shape=[16], misalign=4)
    tensor = dlferry.from_dlpack(dt.Producer(recipe))
    assert np.array_equal(jax.dlpack.from_dlpack(tensor), FLOATS)
    with pytest.raises(ValueError, match="copy"):
        jax.dlpack.from_dlpack(tensor, copy=False)


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_dtype_without_numpy_goes_there_and_back(name):
    dtype = dlferry.dtype(name)
    recipe = dt.Crafted(bytes(range(64)), shape=[16], code=dtype.code, bits=dtype.bits)
    tensor = dlferry.from_dlpack(dt.Producer(recipe))
    array = jax.dlpack.from_dlpack(tensor)
    assert array.dtype.name == name
    assert dlferry.from_dlpack(array).tolist() == tensor.tolist()


def test_gaps_are_refused_in_their_words():
    """R3.11."""
    tensor = dlferry.from_dlpack(np.broadcast_to(FLOATS[:1], (4,)))
    with pytest.raises(Exception, match="strid"):
        jax.dlpack.from_dlpack(tensor)


def test_memory_is_freed_when_their_array_goes():
    """R2.12: from whatever thread, and without the GIL."""
    recipe = dt.Crafted(FLOATS.tobytes(), shape=[16], poison=True)
    array = jax.dlpack.from_dlpack(dlferry.from_dlpack(dt.Producer(recipe)))
    gc.collect()
    assert np.array_equal(array, FLOATS)
    assert recipe.deleter_calls == []
    del array
    gc.collect()
    assert len(recipe.deleter_calls) == 1


def test_array_lives_as_long_as_the_tensor():
    array = jnp.arange(5)
    tensor = dlferry.from_dlpack(array)
    del array
    gc.collect()
    assert np.asarray(tensor).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("dtype", ["int64", "uint64", "float64", "complex128"])
@pytest.mark.parametrize(
    "way", [lambda tensor: tensor.jax(), lambda tensor: tensor.to(jnp)], ids=["jax", "to"]
)
def test_elements_that_jax_would_cut_are_refused(dtype, way):
    """JAX, unless told otherwise, makes 32 bits of 64 and values of others."""
    tensor = dlferry.from_dlpack(np.ones(16, dtype))
    if jax.config.jax_enable_x64:
        assert way(tensor).dtype == dtype
        return
    with pytest.raises(BufferError, match="cuts the values: set jax_enable_x64"):
        way(tensor)
    assert way(dlferry.from_dlpack(np.ones(16, np.float32))).dtype == np.float32
