"""Public failures of read-only memory: written, or called read-only when it is not."""

import mmap

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from craft import READ_ONLY, exported, floats, taken
from processes import said


def frozen(array):
    """Take the right to write away."""
    array.flags.writeable = False
    return array


def test_b085_read_only_memory_is_exported_with_its_flag_or_not_at_all():
    """R6.3, R9.5; numpy/numpy#20742."""
    tensor = dlferry.from_dlpack(frozen(np.arange(10)))
    for keywords in ({}, {"max_version": None}, {"max_version": (0, 8)}):
        with pytest.raises(BufferError, match=r"max_version=\(1, 0\)"):
            tensor.__dlpack__(**keywords)
    assert exported(tensor, max_version=(1, 0))["flags"] == READ_ONLY
    assert exported(tensor, copy=True)["flags"] & READ_ONLY == 0


def test_b086_versioned_import_is_writable_when_nothing_says_otherwise():
    """R6.1, R6.2; numpy/numpy#28599."""
    array = np.array([0])
    tensor = dlferry.from_dlpack(array)
    assert not tensor.readonly
    dlferry.copyto(tensor, np.array([7]))
    memoryview(tensor)[0] += 1
    assert array.tolist() == [8]
    assert dlferry.from_dlpack(array.__dlpack__()).readonly
    assert not dlferry.from_dlpack(array.__dlpack__(), writable=True).readonly


@pytest.mark.parametrize("looked_at", [False, True])
def test_b088_memory_of_an_immutable_owner_keeps_its_flag(looked_at):
    """R6.4, R6.6; jax-ml/jax#19123: whether or not somebody looked at it before."""
    source = b"abcd"
    tensor = dlferry.from_buffer(source)
    if looked_at:
        assert "97" in str(tensor)
    for hop in (tensor, dlferry.from_dlpack(tensor), dlferry.from_dlpack(np.from_dlpack(tensor)), tensor[1:]):
        assert exported(hop)["flags"] & READ_ONLY
        with pytest.raises(BufferError):
            hop.__dlpack__()
        with pytest.raises(BufferError):
            dlferry.copyto(hop, hop)
        with pytest.raises(BufferError):
            dlferry.from_dlpack(hop, writable=True)
    assert source == b"abcd"


@pytest.mark.torch
def test_b090_read_only_memory_is_not_handed_to_those_who_would_write_it():
    """5.1, R6.1; pytorch/pytorch#5442: PyTorch has no read-only tensors, so it gets a copy that one asks for."""
    torch = pytest.importorskip("torch", exc_type=ImportError)
    array = frozen(np.zeros(3))
    tensor = dlferry.from_dlpack(array)
    for hand_on in (
        tensor.torch,
        lambda: tensor.to("torch"),
        lambda: tensor.to(torch),
        lambda: tensor.to(torch.ones(1)),
    ):
        with pytest.raises(BufferError, match=r"read-only.*copy\(\)"):
            hand_on()
    theirs = tensor.copy().torch()
    theirs += 1
    assert array.tolist() == [0.0, 0.0, 0.0]
    writable = dlferry.from_dlpack(np.zeros(3))
    assert writable.torch().data_ptr() == writable.data_ptr


def test_b092_read_only_memory_map_is_never_written():
    """R6.1; pytorch/pytorch#49516: each way to write is refused, and the process goes on."""
    assert (
        said("""
import mmap, tempfile
import dlferry, numpy as np
with tempfile.TemporaryFile() as file:
    file.write(bytes(4096)); file.flush()
    mapped = mmap.mmap(file.fileno(), 4096, access=mmap.ACCESS_READ)
    array = np.frombuffer(mapped, np.uint8)
    ways = [dlferry.from_buffer(mapped), dlferry.from_dlpack(array), dlferry.asarray(array)]
    refused = 0
    for tensor in ways:
        writes = [
            lambda: dlferry.copyto(tensor, np.ones(4096, np.uint8)),
            lambda: memoryview(tensor).__setitem__(0, 1),
            lambda: np.asarray(tensor).__setitem__(0, 1),
            lambda: np.from_dlpack(tensor).__setitem__(0, 1),
            lambda: dlferry.from_dlpack(tensor, writable=True),
        ]
        for write in writes:
            try:
                write()
            except (BufferError, TypeError, ValueError):
                refused += 1
print(refused)
""")
        == "15"
    )


def test_b093_reading_takes_read_only_memory_and_writing_does_not():
    """5.1; wjakob/nanobind#42."""
    source, target = frozen(np.arange(3.0)), np.zeros(3)
    dlferry.copyto(target, source)
    assert target.tolist() == [0.0, 1.0, 2.0]
    with pytest.raises(BufferError):
        dlferry.copyto(source, target)
    views = pytest.importorskip("dlferry_views")
    assert views.see_f64(source)[-1] == [0.0, 1.0, 2.0]
    for kind in ("f4", "f8"):
        with pytest.raises((BufferError, TypeError)) as refusal:
            views.fill(frozen(np.zeros(3, kind)), 1.0)
        assert type(refusal.value) is (BufferError if kind == "f4" else TypeError)
    assert dlferry.asarray(source).data_ptr == source.ctypes.data


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float64", "complex64", "complex128"])
def test_b095_read_only_means_the_same_for_each_dtype(dtype):
    """5.1; wjakob/nanobind#342."""
    source = frozen(np.ones(3, dtype))
    for take in (dlferry.from_dlpack, dlferry.from_buffer, dlferry.asarray):
        tensor = take(source)
        assert (tensor.readonly, tensor.tolist()) == (True, source.tolist())
        with pytest.raises(BufferError):
            dlferry.copyto(tensor, source)
        assert memoryview(tensor).readonly
        assert not np.from_dlpack(tensor).flags.writeable
        assert exported(tensor)["flags"] == READ_ONLY


def test_b096_export_is_versioned_when_the_consumer_can_take_it():
    """R4.1; wjakob/nanobind#1122: so that what is writable stays so."""
    tensor = taken(floats())
    assert dt.capsule_name(tensor.__dlpack__(max_version=(1, 0))) == "dltensor_versioned"
    theirs = np.from_dlpack(tensor)
    theirs[0, 0] = 9
    assert tensor[0, 0].item() == 9.0


@pytest.mark.parametrize("mode", ["L", "RGB"])
def test_b098_flag_follows_the_source(mode):
    """5.1; python-pillow/Pillow#6581: an image lends what must not be written; a copy may be."""
    image_module = pytest.importorskip("PIL.Image")
    image = image_module.new(mode, (4, 3), 7 if mode == "L" else (7, 7, 7))
    tensor = dlferry.asarray(image)
    assert tensor.shape[:2] == (3, 4)
    assert set(memoryview(tensor).tobytes()) == {7}
    copy = dlferry.asarray(image, copy=True)
    dlferry.copyto(copy, dlferry.asarray(image_module.new(mode, (4, 3))))
    assert image.getpixel((0, 0)) in (7, (7, 7, 7))
    for source in (bytearray(4), mmap.mmap(-1, 4)):
        assert not dlferry.asarray(source).readonly
    for source in (b"four", memoryview(bytearray(4)).toreadonly()):
        assert dlferry.asarray(source).readonly
