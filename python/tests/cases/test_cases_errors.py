"""Public failures of errors: the wrong kind, at the wrong time, or the end of the process."""

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from craft import deletions, floats, taken
from processes import said


def test_b069_negative_strides_are_read_and_do_not_end_the_process():
    """R3.10; pytorch/pytorch#188023."""
    assert (
        said("""
import dlferry, numpy as np
array = np.arange(12.0).reshape(3, 4)[:, ::-1]
for way in (dlferry.from_dlpack, dlferry.from_buffer, dlferry.asarray):
    assert way(array).tolist() == array.tolist()
    assert way(array).strides == (4, -1)
print("read")
""")
        == "read"
    )


@pytest.mark.torch
def test_b070_handing_on_negative_strides_is_an_error_that_can_be_caught():
    """R3.10, T7; scikit-learn/scikit-learn#34307: and a copy then goes through."""
    pytest.importorskip("torch", exc_type=ImportError)
    assert (
        said("""
import dlferry, numpy as np
tensor = dlferry.from_dlpack(np.arange(12.0).reshape(3, 4))[:, ::-1]
assert tensor.numpy().tolist() == tensor.tolist()
try:
    tensor.torch()
except (BufferError, RuntimeError, ValueError):
    print("refused")
assert tensor.copy().torch().tolist() == tensor.tolist()
""")
        == "refused"
    )


@pytest.mark.parametrize(
    "dtype", [{"code": 3, "bits": 64}, {"code": 2, "bits": 24}, {"lanes": 0}, {"ndim": -1}]
)
def test_b146_refusal_survives_the_deletion_of_what_was_refused(dtype):
    """R2.15; numpy/numpy#32697: the error that is set stays what it was, and the deleter runs once."""
    crafted = floats(**dtype)
    producer = dt.Producer(crafted)
    if "lanes" in dtype or "ndim" in dtype:
        with pytest.raises(BufferError, match=r"lanes|ndim"):
            dlferry.from_dlpack(producer)
    else:
        tensor = dlferry.from_dlpack(producer)
        with pytest.raises((BufferError, RuntimeError)):  # the latter from NumPy before 2.5
            np.from_dlpack(tensor)
        assert dt.drop_with_exception_pending(lambda: tensor.__dlpack__(max_version=(1, 3)))
        del tensor
    assert deletions(crafted) == 1
    assert dt.drop_with_exception_pending(floats().capsule)


@pytest.mark.parametrize("device", [(2, 0), (1, 1), (13, 0), (99, 0), (-1, 0)])
def test_b147_export_to_a_device_that_is_not_offered_is_a_buffer_error(device):
    """R5.11, R5.12; numpy/numpy#30351."""
    tensor = taken(floats())
    with pytest.raises(BufferError) as caught:
        tensor.__dlpack__(dl_device=device)
    assert not isinstance(caught.value, ValueError)


def test_b149_forbidden_copy_is_a_buffer_error():
    """R9.1; pytorch/pytorch#194267: which also is the ValueError that others raise."""
    forced = {
        "byte order": lambda: dlferry.asarray(np.arange(3, dtype=">i4"), copy=False),
        "layout": lambda: dlferry.from_dlpack(np.arange(12).reshape(3, 4)).T.reshape(12),
        "the producer's": lambda: taken(floats(flags=2), copy=False),
        "packed": lambda: np.array(taken(dt.Crafted(b"\x21", shape=[2], code=0, bits=4)), copy=False),
    }
    for name, action in forced.items():
        with pytest.raises(dlferry.CopyRequiredError) as caught:
            action()
        assert isinstance(caught.value, BufferError), name
        assert isinstance(caught.value, ValueError), name
    with pytest.raises(BufferError):
        taken(floats(), device=(2, 0), copy=False)


@pytest.mark.parametrize("value", [[1, 2, 3], None, 3, "text", object(), {}, 2.5, int])
def test_b150_what_is_no_array_is_a_type_error_that_names_it(value):
    """R2.1, R5.3; scikit-learn/scikit-learn#34046: nothing is taken for a capsule that is none."""
    for take in (dlferry.from_dlpack, dlferry.from_buffer, dlferry.asarray):
        with pytest.raises(TypeError, match=type(value).__name__):
            take(value)
    with pytest.raises(TypeError, match="wanted a DLPack capsule"):
        dlferry.from_dlpack(floats().capsule(name="tensor"))


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore:Sparse")
def test_b218_sparse_array_is_refused_in_clear_words():
    """5.10; apache/tvm#18474: nothing in it is one run of elements."""
    torch = pytest.importorskip("torch", exc_type=ImportError)
    for sparse in (torch.eye(3).to_sparse(), torch.eye(3).to_sparse_csr()):
        for take in (dlferry.from_dlpack, dlferry.asarray):
            with pytest.raises((BufferError, TypeError, RuntimeError), match=r"(?i)sparse|layout"):
                take(sparse)


@pytest.mark.torch
def test_b219_tensor_with_a_gradient_is_refused_with_the_remedy():
    """5.9; ROCm/FlyDSL#1099: who detaches is up to the user; `asarray` reads."""
    torch = pytest.importorskip("torch", exc_type=ImportError)
    parameter = torch.nn.Parameter(torch.ones(2))
    with pytest.raises(BufferError, match="detach"):
        dlferry.from_dlpack(parameter)
    assert dlferry.asarray(parameter).readonly
    assert not dlferry.from_dlpack(parameter.detach()).readonly
