"""`reshape`, `permute_dims`, `T`, `mT`, `squeeze`, `expand_dims`, `broadcast_to`, `view`, `copy`."""

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from twins import DTYPES, check_shared, check_twins, cube, refused, tensor_of


@pytest.mark.parametrize(
    "shape", [(24,), (4, 6), (2, 12), (-1,), (2, -1), (1, 24, 1), (2, 3, 2, 2), (6, -1, 2)]
)
def test_reshape_takes_extents_a_tuple_or_a_list(shape):
    array = cube()
    tensor = tensor_of(array)
    for made in (tensor.reshape(*shape), tensor.reshape(shape), tensor.reshape(list(shape))):
        check_shared(made, array.reshape(shape))


def test_reshape_of_one_element_and_of_none():
    assert tensor_of(np.array(7)).reshape(1, 1).tolist() == [[7]]
    assert tensor_of(np.array([7])).reshape(()).item() == 7
    assert tensor_of(np.array([7])).reshape().item() == 7
    assert tensor_of(np.zeros((0, 3))).reshape(5, 0, 2).shape == (5, 0, 2)
    assert tensor_of(np.zeros((0, 3))).reshape(3, -1).shape == (3, 0)


def test_reshape_never_copies():
    array = cube()[:, ::2, :3]
    with refused(dlferry.CopyRequiredError, match=r"copy\(\)\.reshape"):
        tensor_of(array).reshape(-1)
    check_twins(tensor_of(array).copy().reshape(-1), array.reshape(-1))


@pytest.mark.parametrize(
    ("shape", "kind", "why"),
    [
        ((5,), ValueError, "24 elements"), ((-1, -1), ValueError, "one extent may be -1"),
        ((-2, 12), ValueError, "-2"), ((5, -1), ValueError, "24 elements"), ((0, -1), ValueError, "24 elements"),
        ((), ValueError, "24 elements"), ((2**63, 2), ValueError, "out of range"), ((2**62, 2**62), ValueError, "24"),
        (("a",), TypeError, "integers"), ((1.5,), TypeError, "integers"), ((None,), TypeError, "integers"),
        ((2, (3, 4)), TypeError, "integers"), (("ab",), TypeError, "integers"),
        ((2, 2**70), ValueError, "out of range"),
    ],
)  # fmt: skip
def test_shape_that_does_not_fit_is_refused(shape, kind, why):
    with refused(kind, match=why):
        tensor_of(cube()).reshape(*shape)


def test_reshape_of_no_elements_needs_a_known_extent():
    with refused(ValueError, match="0 elements"):
        tensor_of(np.zeros((0, 3))).reshape(0, -1)


@pytest.mark.parametrize("axes", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (-1, 0, 1), [2, 0, 1]])
def test_axes_are_permuted(axes):
    array = cube()
    check_shared(tensor_of(array).permute_dims(axes), array.transpose(axes))
    check_shared(tensor_of(array).permute_dims(*axes), array.transpose(axes))


def test_axes_of_few_are_permuted():
    assert (
        tensor_of(np.arange(3)).permute_dims(0).shape
        == tensor_of(np.arange(3)).permute_dims((0,)).shape
        == (3,)
    )
    assert tensor_of(np.array(1)).permute_dims().shape == tensor_of(np.array(1)).permute_dims(()).shape == ()


def test_transposes():
    array = cube()
    check_shared(tensor_of(array).T, array.T)
    check_shared(tensor_of(array).mT, np.swapaxes(array, 1, 2))
    assert tensor_of(np.array(1)).T.shape == ()
    with refused(ValueError, match="mT needs at least two axes"):
        tensor_of(np.zeros(3)).mT  # noqa: B018


@pytest.mark.parametrize(
    ("axes", "kind", "why"),
    [
        ((0, 1), ValueError, r"^axes \(0, 1\) are no permutation of 3 axes$"),
        ((0, 0, 1), ValueError, "no permutation"),
        ((0, 1, 3), ValueError, "axis 3"), ((0, 1, -4), ValueError, "axis -4"), ((0, 1, 2**70), ValueError, "range"),
        (1, ValueError, r"^axes \(1,\) are no permutation of 3"),
        (("a", 0, 1), TypeError, "axes"), (None, TypeError, "axes"),
    ],
)  # fmt: skip
def test_axes_that_are_no_permutation_are_refused(axes, kind, why):
    with refused(kind, match=why):
        tensor_of(cube()).permute_dims(axes)


def test_axes_of_extent_one_are_dropped_and_made():
    array = np.zeros((1, 3, 1, 2))
    tensor = tensor_of(array)
    check_shared(tensor.squeeze(), array.squeeze())
    for axis in (0, 2, -2, -4, (0, 2), [-2], ()):
        check_shared(tensor.squeeze(axis), array.squeeze(tuple(axis) if isinstance(axis, list) else axis))
    for axis in (0, 1, -1, 4, -5):
        check_shared(tensor.expand_dims(axis), np.expand_dims(array, axis))
    check_shared(tensor.expand_dims(), np.expand_dims(array, 0))
    check_shared(tensor.expand_dims(axis=2).squeeze(axis=2), array)


@pytest.mark.parametrize(
    ("axis", "kind", "why"),
    [(1, ValueError, "extent 3"), (4, ValueError, "axis 4"), (-5, ValueError, "axis -5"),
     ((0, 1), ValueError, "extent 3"), (2**70, ValueError, "range"),
     ("a", TypeError, "axis"), (1.5, TypeError, "axis"), ((0, "a"), TypeError, "axis")],
)  # fmt: skip
def test_axis_that_cannot_be_squeezed_is_refused(axis, kind, why):
    with refused(kind, match=why):
        tensor_of(np.zeros((1, 3, 1, 2))).squeeze(axis)


@pytest.mark.parametrize(
    ("axis", "kind", "why"),
    [(5, ValueError, "axis 5"), (-6, ValueError, "axis -6"), (2**70, ValueError, "range"), ("a", TypeError, "axis"),
     (None, TypeError, "axis"), ((0,), TypeError, "axis")],
)  # fmt: skip
def test_axis_that_cannot_be_made_is_refused(axis, kind, why):
    with refused(kind, match=why):
        tensor_of(np.zeros((1, 3, 1, 2))).expand_dims(axis)


@pytest.mark.parametrize("shape", [(2, 3, 4), (5, 2, 3, 4), (0, 2, 3, 4), [1, 2, 3, 4]])
def test_elements_are_repeated_read_only(shape):
    array = cube()
    wide = tensor_of(array).broadcast_to(shape)
    check_shared(wide, np.broadcast_to(array, shape))
    assert wide.readonly
    assert dt.inspect(wide.__dlpack__(max_version=(1, 3)))["flags"] & 1
    assert wide.copy().readonly is False


@pytest.mark.parametrize(
    ("shape", "kind", "why"),
    [
        ((2, 3, 5), ValueError, "broadcast"), ((3, 4), ValueError, "broadcast"),
        ((-1, 2, 3, 4), ValueError, "broadcast"),
        ((2**62, 2, 3, 4), ValueError, "broadcast|counted|64 bits"), ((2**70, 2, 3, 4), ValueError, "range"),
        (4, TypeError, "shape"), ("abc", TypeError, "shape"), ((1.5, 3, 4), TypeError, "shape"),
    ],
)  # fmt: skip
def test_shape_that_cannot_be_broadcast_to_is_refused(shape, kind, why):
    with refused(kind, match=why):
        tensor_of(cube()).broadcast_to(shape)


@pytest.mark.parametrize("old", DTYPES)
@pytest.mark.parametrize("new", DTYPES)
def test_bytes_are_read_as_another_type(old, new):
    array = np.frombuffer(bytes(i % 2 for i in range(96)), old).reshape(3, -1)
    tensor = tensor_of(array).view(new)
    check_shared(tensor, array.view(new))
    assert tensor.readonly
    check_shared(tensor.view(old), array)


def test_bytes_are_read_as_types_that_numpy_lacks():
    array = np.array([0x3F80, 0x4000], np.uint16)
    assert tensor_of(array).view("bfloat16").tolist() == [1.0, 2.0]
    assert tensor_of(array).view(dlferry.bfloat16).data_ptr == array.ctypes.data
    assert tensor_of(np.array([0x38], np.uint8)).view("float8_e4m3fn").tolist() == [1.0]
    packed = tensor_of(np.array([0x21, 0x43], np.uint8)).view("uint4")
    assert (packed.shape, packed.tolist(), packed.nbytes) == ((4,), [1, 2, 3, 4], 2)
    assert packed.view("uint8").tolist() == [0x21, 0x43]
    assert packed[:2].view("int4").tolist() == [1, 2]


def test_padded_elements_stay_padded_in_types_below_a_byte():
    spread = dlferry.from_dlpack(
        dt.Producer(dt.Crafted(bytes([1, 2, 15]), shape=[3], code=1, bits=4, flags=4))
    )
    assert spread.view("int4").tolist() == [1, 2, -1]
    assert spread.view("uint8").tolist() == [1, 2, 15]
    assert dt.inspect(spread.view("int4").__dlpack__(max_version=(1, 3)))["flags"] & 4


@pytest.mark.parametrize(
    ("make", "dtype", "kind", "why"),
    [
        (lambda: np.zeros(3, "i1"), "int16", ValueError, "16 bits"),
        (lambda: np.array(1, "i4"), "int16", ValueError, "without an axis"),
        (lambda: np.zeros(8, "i1")[::2], "int16", dlferry.CopyRequiredError, "stride 2"),
        (lambda: np.zeros((4, 4), "i1").T, "int16", dlferry.CopyRequiredError, "stride 4"),
        (lambda: np.zeros((2, 3), "i1")[:, :2], "int16", ValueError, "a stride of"),
        (lambda: np.zeros(3), "real32", ValueError, "real32"),
        (lambda: np.zeros(3), float, TypeError, "dtype"),
        (lambda: np.zeros(3), None, TypeError, "dtype"),
    ],
)
def test_bytes_that_do_not_divide_are_refused(make, dtype, kind, why):
    with refused(kind, match=why):
        tensor_of(make()).view(dtype)


@pytest.mark.parametrize("order", ["C", "F", "K"])
@pytest.mark.parametrize(
    "make",
    [cube, lambda: cube().T, lambda: cube()[:, ::-1], lambda: cube().transpose(1, 0, 2), lambda: np.zeros((0, 3), "i2"),
     lambda: np.array(5), lambda: np.broadcast_to(np.int8(3), (2, 3))],
)  # fmt: skip
def test_copy_is_in_the_order_asked_for(order, make):
    array = make()
    copy = tensor_of(array).copy(order=order)
    check_twins(copy, array.copy(order) if order != "K" else np.asarray(copy))
    assert np.array_equal(np.asarray(copy), array)
    assert (copy.readonly, copy.copied, copy.owner) == (False, True, None)
    if order == "K" and not (array.size == 0 or 0 in array.strides):
        ranks = np.argsort([-abs(stride) for stride in array.strides], kind="stable")
        assert [copy.strides[axis] for axis in ranks] == sorted(copy.strides, reverse=True)
    if array.size:
        assert copy.data_ptr % 64 == 0
        assert not np.shares_memory(np.asarray(copy), array)


@pytest.mark.parametrize(("order", "kind"), [("A", ValueError), ("c", ValueError), ("", ValueError), (None, TypeError),
                                             (1, TypeError)])  # fmt: skip
def test_unknown_order_is_refused(order, kind):
    with refused(kind, match="order"):
        tensor_of(cube()).copy(order)


def test_packed_elements_are_copied():
    packed = tensor_of(np.array([0x21, 0x43, 0x65], np.uint8)).view("uint4").reshape(2, 3)
    for order in "CFK":
        assert packed.copy(order).tolist() == [[1, 2, 3], [4, 5, 6]]
    assert packed.T.copy().tolist() == [[1, 4], [2, 5], [3, 6]]
