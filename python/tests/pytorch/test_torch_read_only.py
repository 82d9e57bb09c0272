"""Read-only memory and PyTorch, which has no read-only tensors (decision 5.1; rules E8, R6.1, R6.2)."""

from typing import Any

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest

torch = pytest.importorskip("torch", exc_type=ImportError)
pytestmark = pytest.mark.torch

Wrapper: Any = getattr(torch.utils.dlpack, "ReadOnlyTensorWrapper", None)
wrapping = pytest.mark.skipif(Wrapper is None, reason="this release of PyTorch has no ReadOnlyTensorWrapper")


@wrapping
@pytest.mark.parametrize("shape", [(6,), (2, 3)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.bfloat16, torch.bool])
def test_wrapped_tensor_is_read_only(dtype, shape):
    """It answers no question about itself but the protocol's."""
    theirs = torch.arange(6).to(dtype).reshape(shape)
    tensor = dlferry.from_dlpack(Wrapper(theirs))
    assert (tensor.readonly, tensor.copied) == (True, False)
    assert tensor.data_ptr == theirs.data_ptr()
    assert tensor.tolist() == theirs.tolist()
    with pytest.raises(BufferError, match="copy=True"):
        dlferry.from_dlpack(Wrapper(theirs), writable=True)


@wrapping
def test_wrapped_tensor_stays_read_only_on_every_hop():
    tensor = dlferry.from_dlpack(Wrapper(torch.arange(6)))
    for hop in (tensor, dlferry.from_dlpack(tensor), dlferry.from_dlpack(np.from_dlpack(tensor))):
        assert hop.readonly
        assert dt.inspect(hop.__dlpack__(max_version=(1, 3)))["flags"] & 1
        assert memoryview(hop).readonly
    assert not dlferry.from_dlpack(Wrapper(torch.arange(6)), copy=True).readonly


@wrapping
def test_wrapper_hides_nothing_that_is_refused():
    numbers = torch.tensor([1 + 2j, 3 + 4j])
    for theirs in (
        torch.zeros(2, requires_grad=True),
        numbers.conj(),
        numbers.conj().imag,
    ):
        with pytest.raises((BufferError, RuntimeError)):
            dlferry.from_dlpack(Wrapper(theirs))


@wrapping
def test_wrapper_of_any_strides_is_taken():
    """It answers no question itself, and is asked whether it is negated nevertheless."""
    numbers = torch.arange(6.0).reshape(2, 3)
    for theirs in (
        numbers,
        numbers.T,
        numbers[:, ::2],
        torch.view_as_complex(torch.arange(6.0).reshape(3, 2)),
    ):
        tensor = dlferry.from_dlpack(Wrapper(theirs))
        assert tensor.readonly
        assert tensor.tolist() == theirs.tolist()


def read_only():
    """Make memory that must not be written."""
    array = np.arange(4.0)
    array.flags.writeable = False
    return array


def test_read_only_tensor_says_so_to_pytorch():
    """PyTorch takes no notice and writes; what can be done is to say it, and not to forget it."""
    tensor = dlferry.from_dlpack(read_only())
    assert dt.inspect(tensor.__dlpack__(max_version=(1, 0)))["flags"] & 1
    theirs = torch.from_dlpack(tensor)
    assert theirs.data_ptr() == tensor.data_ptr
    assert tensor.readonly


def test_copy_for_pytorch_leaves_the_read_only_memory_alone():
    array = read_only()
    theirs = torch.from_dlpack(dlferry.from_dlpack(array, copy=True))
    theirs.fill_(9)
    assert array.tolist() == [0.0, 1.0, 2.0, 3.0]


@pytest.mark.parametrize("view", [lambda t: t.expand(3, 4), lambda t: t.unfold(0, 2, 1)])
def test_elements_that_share_memory_are_read_only(view):
    """Decision 5.7: PyTorch exports them as writable."""
    theirs = view(torch.arange(4.0))
    assert dlferry.from_dlpack(theirs).readonly
    with pytest.raises(BufferError, match="share memory"):
        dlferry.from_dlpack(theirs, writable=True)
