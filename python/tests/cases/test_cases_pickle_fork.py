"""Public failures of tensors on their way to another process."""

import multiprocessing
import pickle

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from craft import floats, taken


def test_b099_read_only_buffers_of_a_pickle_are_not_written():
    """Section 3, 5.1; numpy/numpy#25220: what is loaded is read-only, or has memory of its own."""
    array = np.arange(4.0)
    for writable in (None, False):
        buffers: list[pickle.PickleBuffer] = []
        tensor = dlferry.from_dlpack(array, writable=writable)
        stream = pickle.dumps(tensor, protocol=5, buffer_callback=buffers.append)
        fixed = [bytes(buffer.raw()) for buffer in buffers]
        loaded = pickle.loads(stream, buffers=fixed)
        addresses = [np.frombuffer(buffer, np.uint8).ctypes.data for buffer in fixed]
        assert loaded.readonly or loaded.data_ptr not in addresses
        assert loaded.readonly or not tensor.readonly
        if not loaded.readonly:
            dlferry.copyto(loaded, np.zeros(4))
        assert np.frombuffer(fixed[0]).tolist() == array.tolist()
        opened = pickle.loads(stream, buffers=[bytearray(fixed[0])])
        assert (opened.readonly, opened.tolist()) == (tensor.readonly, array.tolist())


def twice(tensor: dlferry.Tensor) -> dlferry.Tensor:
    """Double a tensor, in another process."""
    return dlferry.from_dlpack(tensor.numpy() * 2)


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:This process")
def test_b214_tensor_goes_to_another_process_and_a_capsule_does_not(method):
    """Section 3; dmlc/dlpack#135."""
    tensor = dlferry.from_dlpack(np.arange(6.0).reshape(2, 3))
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError):
            pickle.dumps(tensor.__dlpack__(max_version=(1, 3)), protocol)
        assert pickle.loads(pickle.dumps(tensor, protocol)).tolist() == tensor.tolist()
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"SKIPPED: processes cannot be made by {method} here")
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.apply_async(twice, [tensor]).get(timeout=60).tolist() == [
            [0.0, 2.0, 4.0],
            [6.0, 8.0, 10.0],
        ]


SOURCES = {
    "bool": lambda: np.array([True, False]),
    "complex": lambda: np.array([1 + 2j, 3]),
    "no axes": lambda: np.array(2.5),
    "empty": lambda: np.zeros((0, 3), np.int16),
    "column-major": lambda: np.asfortranarray(np.arange(6).reshape(2, 3)),
    "reversed": lambda: np.arange(5)[::-1],
}


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("source", [*SOURCES, "bfloat16", "packed"])
def test_b216_every_dtype_and_layout_is_pickled(source, protocol):
    """Section 3; numpy/numpy#12748: also those without a buffer."""
    if source == "bfloat16":
        tensor = taken(dt.Crafted(b"\x80\x3f\0\x40", shape=[2], strides=[1], code=4, bits=16))
    elif source == "packed":
        tensor = taken(dt.Crafted(b"\x21\x03", shape=[3], strides=[1], code=0, bits=4))
    else:
        tensor = dlferry.from_dlpack(SOURCES[source]())
    loaded = pickle.loads(pickle.dumps(tensor, protocol))
    assert (loaded.shape, loaded.dtype, loaded.tolist()) == (tensor.shape, tensor.dtype, tensor.tolist())
    assert loaded.readonly == tensor.readonly
    assert pickle.loads(pickle.dumps(taken(floats(flags=1)), protocol)).readonly
