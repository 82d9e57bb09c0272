"""Tensors of PyTorch as arguments of Rust functions."""

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
views = pytest.importorskip("dlferry_views")

pytestmark = pytest.mark.torch


def test_layouts() -> None:
    x = torch.arange(24, dtype=torch.float32).reshape(4, 6)
    for part in (x, x.T, x[::2, 1:], x[:, 3:4], x[:0], x.expand(4, 6)):
        shape, strides, address, values = views.see_2d(part)
        assert (shape, values) == (list(part.shape), part.flatten().tolist())
        if part.numel():
            assert (strides, address) == (list(part.stride()), part.data_ptr())


def test_writing() -> None:
    x = torch.zeros(4, 6)
    views.fill(x[:, ::2], 3)
    assert (x[:, ::2] == 3).all()
    assert (x[:, 1::2] == 0).all()
    views.fill(torch.nn.Parameter(x, requires_grad=False), 1)
    assert (x == 1).all()


def test_a_gradient_forbids_writing_and_not_reading() -> None:
    x = torch.zeros(3, requires_grad=True)
    assert views.see_f32(x)[3] == [0, 0, 0]
    with pytest.raises(BufferError, match="requires a gradient"):
        views.fill(x, 1)
    with pytest.raises(BufferError, match="requires a gradient"):
        views.fill(x * 2, 1)
    assert views.own(x).readonly
    views.fill(x.detach(), 1)
    assert x.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    "marked",
    [
        lambda: torch.ones(3, dtype=torch.complex64).conj(),
        lambda: torch.ones(3, dtype=torch.complex64).conj().imag,
        lambda: torch.ones(1, dtype=torch.complex64).conj().imag,
        lambda: torch.ones((), dtype=torch.complex64).conj().imag,
        lambda: torch.view_as_complex(
            torch.ones(3, dtype=torch.complex64).conj().imag.as_strided((1, 2), (2, 1), 0)
        ),
    ],
)
def test_marked_tensors_are_refused(marked: Any) -> None:
    x = marked()
    for function in (views.see_any, views.see_f32, lambda x: views.fill(x, 1), views.see_converted):
        if x.is_complex() and function is not views.see_any:
            continue
        with pytest.raises(BufferError, match=r"resolve_(conj|neg)"):
            function(x)
    assert views.see_any(x.resolve_conj().resolve_neg())[1] == list(x.shape)


def test_read_only_wrapper_is_not_writable() -> None:
    wrapper = pytest.importorskip("torch.utils.dlpack")
    kind = getattr(wrapper, "ReadOnlyTensorWrapper", None) or getattr(torch._C, "ReadOnlyTensorWrapper", None)
    if kind is None:
        from torch.utils import _dlpack_wrappers  # type: ignore[import-not-found, attr-defined]

        kind = _dlpack_wrappers.ReadOnlyTensorWrapper
    x = torch.zeros(3)
    for function in (
        lambda x: views.fill(x, 1),
        views.double,
        views.double_any,
        views.own_mut,
        views.own_any_mut,
    ):
        with pytest.raises(BufferError, match="read-only"):
            function(kind(x))
    assert x.tolist() == [0, 0, 0]
    assert views.see_f32(kind(x))[3] == [0, 0, 0]
    assert views.own(kind(x)).readonly


def test_one_memory_in_two_libraries() -> None:
    x = torch.zeros(4, 6)
    with pytest.raises(BufferError, match="is borrowed"):
        views.read_write(x, x.numpy())
    with pytest.raises(BufferError, match="is borrowed"):
        views.write_write(x.numpy()[1:], x[:2])
    views.write_write(x.numpy()[2:], x[:2])


def test_a_tensor_that_changes_its_shape_when_it_is_asked() -> None:
    class Hostile(torch.Tensor):  # type: ignore[name-defined]
        asked = 0

        def is_neg(self) -> bool:
            Hostile.asked += 1
            self.resize_(2, 2)
            return False

    x = torch.zeros(300, 300).as_subclass(Hostile).T
    shape, _, _, values = views.see_2d(x[:, ::2])
    assert Hostile.asked
    assert len(values) == shape[0] * shape[1]


def test_a_tensor_that_changes_its_shape_when_it_is_asked_for_its_gradient() -> None:
    class Hostile(torch.Tensor):  # type: ignore[name-defined]
        asked = 0

        @property
        def requires_grad(self) -> bool:
            Hostile.asked += 1
            self.resize_(1, 2)
            return False

        def __dlpack__(self, **keywords: Any) -> Any:
            Hostile.asked += 1
            self.resize_(1, 2)
            return super().__dlpack__(**keywords)

    for function in (views.double, views.double_any, lambda x: views.fill(x, 1), views.see_2d):
        x = torch.ones(300, 300).as_subclass(Hostile)
        function(x)
        assert tuple(x.shape) in ((1, 2), (300, 300))
    assert Hostile.asked


def test_a_tensor_that_changes_its_shape_while_it_is_held() -> None:
    x = torch.arange(6, dtype=torch.float32).reshape(2, 3)

    def shrink() -> list[int]:
        x.resize_(1, 2)
        return list(x.shape)

    # What is held was written down; the storage is as large as it was.
    assert views.reading(x, shrink) == [1, 2]
    assert views.see_2d(x)[0] == [1, 2]


def test_results_go_back() -> None:
    x = torch.arange(3, dtype=torch.float32)
    assert torch.from_dlpack(views.own(x)).data_ptr() == x.data_ptr()


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16, torch.complex64, torch.uint8])
def test_any_dtype(kind: Any) -> None:
    assert views.see_any(torch.ones(2).to(kind))[0] == str(kind).removeprefix("torch.")
    if kind.is_complex:
        assert views.see_converted_c128(torch.ones(2).to(kind))[1] == [(1, 0)] * 2
    else:
        assert np.array_equal(views.see_converted(torch.ones(2).to(kind))[3], [1, 1])


def test_halves_in_place() -> None:
    x = torch.arange(6).reshape(2, 3)
    assert views.see_bf16(x.to(torch.bfloat16).T) == [0, 3, 1, 4, 2, 5]
    assert views.see_f16(x.to(torch.float16)) == [0, 1, 2, 3, 4, 5]
    assert views.see_c64(x.to(torch.complex64))[1] == (1, 0)


def test_any_dtype_in_order_is_copied_only_where_it_must_be() -> None:
    x = torch.arange(6, dtype=torch.bfloat16).reshape(2, 3)
    assert views.see_in_order(x)[:2] == (False, x.data_ptr())
    is_copy, address, tensor = views.see_in_order(x.T)
    assert (is_copy, address == x.data_ptr()) == (True, False)
    assert tensor.tolist() == x.T.tolist()
