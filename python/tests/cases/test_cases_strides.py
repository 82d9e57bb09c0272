"""Public failures of strides: followed wrongly, ignored, or refused though they mean nothing."""

import io
import struct

import buffers
import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from craft import exported, floats, taken
from numpy.lib.stride_tricks import as_strided

WAYS = [dlferry.from_dlpack, dlferry.from_buffer, dlferry.asarray]


def agrees(array) -> None:
    """See that every way in gives the array's values, by index too, and that copies of it have them."""
    for way in WAYS:
        tensor = way(array)
        assert tensor.tolist() == array.tolist()
        assert all(tensor[index].item() == array[index] for index in np.ndindex(array.shape))
        assert tensor.copy().tolist() == tensor.copy("F").tolist() == array.tolist()
        assert way(array, copy=True).tolist() == array.tolist()
        assert np.from_dlpack(tensor).tolist() == array.tolist()


VERSIONS = {"1.0": (1, 0), "1.1": (1, 1), "1.3": (1, 3)}


@pytest.mark.parametrize("version", [*VERSIONS, "unversioned"])
def test_b041_null_strides_are_row_major(version):
    """R3.3, R9.2; cupy/cupy#2095."""
    crafted = floats(strides=None, version=VERSIONS.get(version, (1, 0)))
    tensor = dlferry.from_dlpack(crafted.capsule(version != "unversioned"))
    assert (tensor.strides, tensor.c_contiguous) == ((3, 1), True)
    assert tensor.tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]


@pytest.mark.parametrize("versioned", [True, False])
def test_b042_scalar_may_have_neither_shape_nor_strides(versioned):
    """R3.5, R3.6; pytorch/pytorch#18510."""
    tensor = dlferry.from_dlpack(floats(shape=None, strides=None, ndim=0).capsule(versioned))
    assert (tensor.shape, tensor.strides, tensor.item()) == ((), (), 0.0)


def test_b046_single_element_is_contiguous_whatever_its_stride():
    """R3.9; pytorch/pytorch#83069."""
    tensor = dlferry.from_dlpack(np.arange(16)[::3][:1])
    assert (tensor.c_contiguous, tensor.f_contiguous) == (True, True)
    assert memoryview(tensor).c_contiguous
    assert np.from_dlpack(tensor).flags.c_contiguous


def test_b047_leading_axis_of_one_does_not_break_contiguity():
    """R3.9; mpi4py/mpi4py#274."""
    tensor = taken(floats(shape=[1, 2, 2], strides=[1, 2, 1]))
    assert tensor.c_contiguous
    with buffers.requested(tensor, buffers.C_CONTIGUOUS) as view:
        assert view.len == 16


def test_b049_stride_of_an_axis_of_one_is_not_compared():
    """R3.9; tile-ai/tilelang#1968: also where it is given as an argument."""
    memory = np.arange(1024, dtype=np.int16)
    tensor = dlferry.from_address(memory.ctypes.data, (1, 1024), "int16", (1, 1), owner=memory)
    assert (tensor.c_contiguous, tensor.readonly) == (True, True)
    assert tensor.reshape(32, 32)[31, 31].item() == 1023


def test_b050_strides_that_mean_nothing_are_taken():
    """R3.8, R3.9; tensorflow/tensorflow#61184."""
    tensor = taken(
        dt.Crafted(struct.pack("=12f", *range(12)), shape=[1, 3, 1, 4, 1], strides=[0, 4, 0, 1, 0])
    )
    assert (tensor.c_contiguous, tensor.reshape(3, 4).tolist()[2]) == (True, [8.0, 9.0, 10.0, 11.0])
    for strides in ([0, 0], [5, -7], [-(2**62), 1]):
        assert taken(floats(shape=[0, 4], strides=strides)).c_contiguous


def test_b052_axis_of_one_says_nothing_about_the_order():
    """R3.9; jax-ml/jax#25066: two layouts that differ only there are written into each other."""
    array = np.arange(12).reshape(3, 1, 4)
    odd = as_strided(array, (3, 1, 4), (32, 8, 8))
    ours, theirs = dlferry.from_dlpack(array), dlferry.from_dlpack(odd)
    assert ours.c_contiguous
    assert theirs.c_contiguous
    dlferry.copyto(ours, dlferry.from_dlpack(odd + 1))
    assert theirs.tolist() == array.tolist() == (np.arange(12) + 1).reshape(3, 1, 4).tolist()


def test_b053_stride_that_is_no_multiple_of_the_item_may_be_that_of_an_axis_of_one():
    """R3.9; numpy/numpy#20336."""
    array = as_strided(np.arange(50.0), (10, 5, 1), (8, 80, 4))
    for way in (dlferry.from_buffer, dlferry.asarray):
        tensor = way(as_strided(np.arange(50.0), (5, 10, 1), (80, 8, 4)))
        assert tensor.tolist() == np.arange(50.0).reshape(5, 10, 1).tolist()
        assert not tensor.copied
    assert dlferry.asarray(array).tolist() == array.tolist()


def test_b055_slice_of_columns_keeps_its_strides():
    """R3.2; jax-ml/jax#4196."""
    agrees(np.arange(6).reshape(2, 3)[:, 0:2])


def test_b056_transposed_array_is_the_same_by_index():
    """R3.2; jax-ml/jax#7657."""
    agrees(np.arange(6).reshape(2, 3).T)


def test_b058_row_major_and_column_major_give_the_same_values():
    """R3.2; NVIDIA/cudf#1804."""
    for order in ("C", "F"):
        agrees(np.arange(9.0).reshape(3, 3).copy(order))


def test_b059_every_stride_is_honoured():
    """R3.11; NVIDIA/cudf#10849: also 0."""
    agrees(np.arange(10)[::2])
    agrees(np.broadcast_to(np.float32(2.5), (10,)))
    agrees(np.asfortranarray(np.arange(12).reshape(3, 4))[::2, :])


def test_b061_outer_stride_stays_when_the_inner_axis_is_read_as_another_type():
    """Section 3; NVIDIA/warp#763."""
    array = np.arange(50, dtype=np.float32).reshape(5, 10)[:, 4:]
    view = dlferry.from_dlpack(array).view("complex64")
    assert (view.shape, view.strides) == ((5, 3), (5, 1))
    assert view.tolist() == np.ascontiguousarray(array).view(np.complex64).tolist()
    assert np.asarray(view[1]).ctypes.data == array[1:].ctypes.data


def test_b062_extent_of_memory_counts_every_axis():
    """R3.18; NVIDIA/warp#1703: 60 bytes, and not one less."""
    item = {"typestr": "<i4", "shape": (3, 3), "strides": (16, 12), "version": 3}
    memory = np.arange(15, dtype="<i4")

    class Lent:
        def __init__(self, size: int) -> None:
            self.__array_interface__ = {**item, "data": memoryview(bytearray(memory.tobytes()[:size]))}

    assert dlferry.asarray(Lent(60)).tolist() == as_strided(memory, (3, 3), (16, 12)).tolist()
    with pytest.raises(BufferError, match="beyond"):
        dlferry.asarray(Lent(59))


def test_b064_copy_of_a_strided_import_has_every_element():
    """R3.2; PaddlePaddle/Paddle#68559."""
    agrees(np.arange(24).reshape(4, 6)[:, ::2])
    agrees(np.array(1.5))
    agrees(np.zeros((0, 3)))


@pytest.mark.parametrize("ndim", range(9))
def test_b065_export_is_right_for_any_number_of_axes(ndim):
    """R3.2; PaddlePaddle/Paddle#35817."""
    shape = (4, 5, 6)[:ndim] if ndim <= 3 else (2,) * ndim
    agrees(np.arange(np.prod(shape, dtype=int)).reshape(shape))


def test_b068_permuted_axes_are_followed():
    """R3.2; NVIDIA/TensorRT-Incubator#229."""
    agrees(np.arange(24).reshape(2, 3, 4).transpose(2, 0, 1))
    tensor = dlferry.from_dlpack(np.arange(24).reshape(2, 3, 4))
    assert (
        tensor.permute_dims((2, 0, 1)).tolist() == np.arange(24).reshape(2, 3, 4).transpose(2, 0, 1).tolist()
    )


def test_b072_column_major_is_taken_as_it_is():
    """R3.2; tensorflow/tensorflow#42660."""
    tensor = dlferry.from_dlpack(np.asfortranarray(np.ones((5, 2))))
    assert (tensor.strides, tensor.f_contiguous, tensor.copied) == ((1, 5), True, False)


def test_b073_negative_strides_are_divided_with_their_sign():
    """R3.10; cupy/cupy#10172."""
    flipped = np.flip(np.arange(12, dtype=np.uint32).reshape(3, 4), 1).T
    for way in WAYS:
        tensor = way(flipped)
        assert tensor.strides == (-1, 4)
        assert exported(tensor)["strides"] == [-1, 4]
        assert tensor.tolist() == flipped.tolist()


def test_b078_absurd_stride_of_an_axis_of_one_is_ignored():
    """R3.9; opencv/opencv#4117."""
    array = as_strided(np.arange(20, dtype=np.int32), (10, 1, 2), (8, 2147483647, 4))
    for way in (dlferry.from_buffer, dlferry.asarray):
        assert way(array).tolist() == np.arange(20).reshape(10, 1, 2).tolist()
    assert taken(floats(shape=[1, 6], strides=[2**63 - 1, 1])).c_contiguous


def test_b079_bytes_of_a_view_are_its_own():
    """PEP 3118; ml-explore/mlx#4445: never those of the memory around it."""
    array = np.arange(10, dtype=np.int32)
    views = {
        "strided": (lambda a: a[::2]),
        "transposed": (lambda a: a.reshape(2, 5).T),
        "repeated": (
            lambda a: (
                np.broadcast_to(a[:2], (3, 2)) if isinstance(a, np.ndarray) else a[:2].broadcast_to((3, 2))
            )
        ),
    }
    for view in views.values():
        tensor, theirs = view(dlferry.from_dlpack(array)), view(array)
        assert bytes(memoryview(tensor)) == theirs.tobytes()
        with pytest.raises(BufferError), buffers.requested(tensor, buffers.SIMPLE):
            pass


REQUESTS = ["SIMPLE", "CONTIG_RO", "C_CONTIGUOUS", "F_CONTIGUOUS", "ANY_CONTIGUOUS", "STRIDED_RO", "STRIDED"]


@pytest.mark.parametrize("request_", REQUESTS)
def test_b180_request_that_the_layout_does_not_fit_is_refused(request_):
    """PEP 3118; pypy/pypy#3871."""
    array = np.arange(24, dtype=np.int16).reshape(4, 6)
    for theirs in (array, array.T, array[:, ::2], array[::2]):
        ours, flags = dlferry.from_dlpack(theirs), getattr(buffers, request_)
        fits = {
            "SIMPLE": theirs.flags.c_contiguous,
            "CONTIG_RO": theirs.flags.c_contiguous,
            "C_CONTIGUOUS": theirs.flags.c_contiguous,
            "F_CONTIGUOUS": theirs.flags.f_contiguous,
            "ANY_CONTIGUOUS": theirs.flags.forc,
        }.get(request_, True)
        if fits:
            with buffers.requested(ours, flags) as view:
                assert view.len == theirs.nbytes
        else:
            with pytest.raises(BufferError), buffers.requested(ours, flags):
                pass
    assert dlferry.from_buffer(memoryview(b"1234")[::2]).tolist() == [49, 51]


def test_b181_gaps_are_not_lent_to_those_who_cannot_see_them():
    """PEP 3118; pybind/pybind11#5407."""
    tensor = dlferry.from_dlpack(np.arange(15.0).reshape(3, 5)[::2, ::2])
    for use in (
        lambda: struct.unpack_from("d", tensor),
        lambda: io.BytesIO().write(tensor),
        lambda: io.BytesIO(bytes(99)).readinto(tensor),
        lambda: b"".join([tensor]),
    ):
        with pytest.raises((BufferError, TypeError)):
            use()
    assert struct.unpack("6d", bytes(memoryview(tensor))) == (0, 2, 4, 10, 12, 14)
