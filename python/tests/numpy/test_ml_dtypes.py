"""Arrays of the dtypes of ml_dtypes, both ways."""

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from ndarrays import OTHERS, frozen, other, others, values

ml_dtypes = pytest.importorskip("ml_dtypes")
NAMES = list(others())
SMALL = [name for name in NAMES if dlferry.dtype(name).bits < 8]
PADDED = 4


def test_all_types_of_ml_dtypes_are_known():
    import ml_dtypes

    kinds = {
        name
        for name, kind in vars(ml_dtypes).items()
        if isinstance(kind, type) and issubclass(kind, np.generic)
    }
    assert kinds == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_array_is_the_same_memory_with_the_same_values(name):
    array = other(name)
    tensor = dlferry.from_dlpack(array)
    assert str(tensor.dtype) == name
    assert (tensor.data_ptr, tensor.shape, tensor.readonly) == (array.ctypes.data, (2, 2), False)
    assert tensor.tolist() == values(array) == np.array(OTHERS[name]).reshape(2, 2).tolist()
    array[0, 0] = array[1, 1]
    assert tensor.tolist() == values(array)


@pytest.mark.parametrize("name", NAMES)
def test_tensor_is_an_array_of_the_same_memory(name):
    array = other(name)[:, ::-1]
    back = dlferry.numpy.from_dlpack(dlferry.from_dlpack(array))
    assert type(back) is np.ndarray
    assert (back.dtype, back.strides) == (array.dtype, array.strides)
    assert back.ctypes.data == array.ctypes.data
    assert values(back) == values(array)
    assert dlferry.from_dlpack(array).numpy().dtype == array.dtype


@pytest.mark.parametrize("name", NAMES)
def test_read_only_stays_read_only(name):
    array = frozen(other(name))
    tensor = dlferry.from_dlpack(array)
    assert tensor.readonly
    assert not dlferry.numpy.from_dlpack(tensor).flags.writeable


@pytest.mark.parametrize("name", NAMES)
def test_capsule_says_what_the_elements_are(name):
    """R3.17: elements below a byte have one each."""
    kind = dlferry.dtype(name)
    capsule = dlferry.numpy.to_dlpack(other(name), max_version=(1, 0))
    fields = dt.inspect(capsule)
    assert fields["dtype"] == (kind.code, kind.bits, 1)
    assert bool(fields["flags"] & PADDED) is (kind.bits < 8)
    assert dlferry.from_dlpack(capsule).tolist() == values(other(name))


@pytest.mark.parametrize("name", NAMES)
def test_unversioned_capsule_cannot_say_that_elements_are_padded(name):
    """R6.8."""
    if name in SMALL:
        with pytest.raises(BufferError, match="padded"):
            dlferry.numpy.to_dlpack(other(name))
    else:
        assert dlferry.from_dlpack(dlferry.numpy.to_dlpack(other(name))).tolist() == values(other(name))


@pytest.mark.parametrize("name", SMALL)
def test_packed_elements_are_spread_into_a_copy(name):
    """NumPy has one in each byte only."""
    bits = dlferry.dtype(name).bits
    packed = dlferry.from_dlpack(dt.Producer(crafted(name)))
    array = dlferry.numpy.from_dlpack(packed)
    assert array.dtype == np.dtype(others()[name])
    assert values(array) == packed.tolist()
    assert array.nbytes == 8
    assert packed.nbytes == bits
    for take in (dlferry.numpy.from_dlpack, dlferry.numpy.asarray):
        assert values(take(packed, copy=True)) == packed.tolist()
        with pytest.raises(dlferry.CopyRequiredError, match="these are packed, and copy=False"):
            take(packed, copy=False)


@pytest.mark.parametrize("name", SMALL)
def test_packed_elements_are_copied_from_and_to_an_array(name):
    """Which has a byte for each; `astype` reads what is in the whole of it."""
    packed = dlferry.from_dlpack(dt.Producer(crafted(name)))
    array = np.zeros((2, 8), others()[name])[::-1, ::-1]
    dlferry.copyto(array, packed)
    assert values(array) == [packed.tolist()] * 2
    assert array.tobytes() == np.stack([packed.numpy()] * 2).tobytes()
    memory = bytearray(b"\xff" * (packed.nbytes + 1))
    target = dlferry.from_buffer(memory)[: packed.nbytes].view(name)
    dlferry.copyto(target, array[0])
    assert target.tolist() == packed.tolist()
    assert memory[-1] == 0xFF
    assert bytes(memory[:-1]) == packed.tobytes()
    dlferry.copyto(target, array[0, 3:4])
    assert target.tolist() == packed.tolist()[3:4] * 8


def crafted(name):
    """Make a recipe of eight packed elements, of as many bytes as an element has bits."""
    kind = dlferry.dtype(name)
    data = bytes(37 * (place + 1) % 256 for place in range(kind.bits))
    return dt.Crafted(data, shape=[8], strides=[1], code=kind.code, bits=kind.bits, lanes=1)


def test_swapped_elements_are_copied_by_asarray_only():
    array = other("bfloat16")
    swapped = array.view("u2").byteswap().view(array.dtype.newbyteorder())
    if swapped.dtype.byteorder not in "<>":
        pytest.skip("this ml_dtypes has no other byte order")
    with pytest.raises(BufferError):
        dlferry.from_dlpack(swapped)
    assert dlferry.asarray(swapped).tolist() == values(array)


def test_type_of_another_module_with_the_same_name_is_not_believed(monkeypatch):
    """The type itself counts."""
    import ml_dtypes

    array = other("bfloat16")
    monkeypatch.setattr(ml_dtypes, "bfloat16", ml_dtypes.float8_e5m2)
    with pytest.raises(BufferError, match="NumPy's bfloat16"):
        dlferry.from_dlpack(array)


@pytest.mark.parametrize("name", ["int4", "uint4", "float8_e4m3fn", "float8_e5m2"])
def test_one_byte_has_no_order(name):
    array = np.ones(3, np.dtype(getattr(ml_dtypes, name)).newbyteorder(">"))
    for tensor in [dlferry.from_dlpack(array), dlferry.asarray(array)]:
        assert str(tensor.dtype) == name
        assert tensor.tolist() == [1, 1, 1]
        assert tensor.copied is not True
