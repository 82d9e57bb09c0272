"""PyTorch tensors whose bytes are not their values, or must not be handed out (decision 5.9; rules T1, E9)."""

import dlferry
import pytest

torch = pytest.importorskip("torch", exc_type=ImportError)
pytestmark = pytest.mark.torch


def complexes():
    """Make complex numbers, none of which is its own conjugate."""
    return torch.tensor([[1 + 2j, 3 - 4j], [5 + 6j, 7 - 8j]])


# Marked as conjugated: the memory holds the other sign.
CONJUGATED = {
    "matrix": lambda: complexes().conj(),
    "transposed": lambda: complexes().mH,
    "one element": lambda: complexes()[:1, :1].conj(),
    "no axes": lambda: complexes()[0, 0].conj(),
    "slice": lambda: complexes().conj()[:, ::2],
    "double": lambda: complexes().to(torch.complex128).conj(),
}


# Marked as negated: how the imaginary part of a conjugated tensor looks.
NEGATED = {
    "matrix": lambda: complexes().conj().imag,
    "row": lambda: complexes().conj().imag[0],
    "one element": lambda: complexes()[0, :1].conj().imag,
    "no axes": lambda: complexes()[0, 0].conj().imag,
    "no axes of a view": lambda: complexes().conj().imag[1, 1],
    "double": lambda: complexes().to(torch.complex128).conj().imag,
    "expanded": lambda: complexes()[0, :1].conj().imag.expand(4),
    "half": lambda: torch.zeros(3, dtype=torch.complex32).conj().imag,
    "complex anew": lambda: torch.view_as_complex(complexes().conj().imag.as_strided((4, 2), (2, 1), 0)),
}


@pytest.mark.parametrize("way", ["from_dlpack", "asarray"])
def test_tensor_whose_memory_was_given_back_is_refused(way):
    """PyTorch makes an array of NumPy's of it all the same, of memory that is not its own."""
    theirs = torch.ones(4)
    theirs.untyped_storage().resize_(0)
    with pytest.raises(BufferError, match="data is NULL"):
        getattr(dlferry, way)(theirs)


# The same values in memory as they are, and near relatives of the above.
TRUE = {
    "resolved": lambda: complexes().conj().resolve_conj(),
    "resolved negation": lambda: complexes().conj().imag.resolve_neg(),
    "twice": lambda: complexes().conj().conj(),
    "physical": lambda: torch.conj_physical(complexes()),
    "real part": lambda: complexes().conj().real,
    "imaginary part": lambda: complexes().imag,
    "clone": lambda: complexes().conj().imag.clone(),
    "real and conjugated": lambda: torch.arange(3.0).conj(),
}


@pytest.mark.parametrize("copy", [None, True, False])
@pytest.mark.parametrize("case", CONJUGATED)
def test_conjugated_tensor_is_refused_with_the_remedy(case, copy):
    theirs = CONJUGATED[case]()
    assert theirs.is_conj()
    with pytest.raises(BufferError, match="conj"):
        dlferry.from_dlpack(theirs, copy=copy)


@pytest.mark.parametrize("copy", [None, True, False])
@pytest.mark.parametrize("case", NEGATED)
def test_negated_tensor_is_refused_with_the_remedy(case, copy):
    theirs = NEGATED[case]()
    assert theirs.is_neg()
    with pytest.raises(BufferError, match="resolve_neg"):
        dlferry.from_dlpack(theirs, copy=copy)


@pytest.mark.parametrize("case", TRUE)
def test_tensor_whose_bytes_are_its_values_is_taken(case):
    theirs = TRUE[case]()
    assert dlferry.from_dlpack(theirs).tolist() == theirs.tolist()


# Tensors that record what is done to them.
RECORDING = {
    "leaf": lambda: torch.zeros(2, requires_grad=True),
    "result": lambda: torch.zeros(2, requires_grad=True) * 2,
    "parameter": lambda: torch.nn.Parameter(torch.zeros(2)),
    "no axes": lambda: torch.tensor(1.0, requires_grad=True),
    "empty": lambda: torch.zeros(0, requires_grad=True),
    "complex": lambda: torch.zeros(2, dtype=torch.complex64, requires_grad=True),
}


@pytest.mark.parametrize("arguments", [{}, {"copy": True}, {"copy": False}, {"writable": False}])
@pytest.mark.parametrize("case", RECORDING)
def test_tensor_that_requires_grad_is_refused_with_the_remedy(case, arguments):
    theirs = RECORDING[case]()
    with pytest.raises(BufferError, match="detach"):
        dlferry.from_dlpack(theirs, **arguments)
    assert dlferry.from_dlpack(theirs.detach(), **arguments).tolist() == theirs.tolist()


def test_no_grad_mode_does_not_make_it_safe():
    with torch.no_grad(), pytest.raises(BufferError, match="detach"):
        dlferry.from_dlpack(torch.zeros(2, requires_grad=True))


# What has no memory as a tensor has: refused, by whatever exception.
WITHOUT_MEMORY = {
    "meta": lambda: torch.zeros(2, device="meta"),
    "sparse": lambda: torch.zeros(2, 2).to_sparse(),
}


@pytest.mark.parametrize("case", WITHOUT_MEMORY)
def test_tensor_without_memory_is_refused(case):
    with pytest.raises((BufferError, RuntimeError)):
        dlferry.from_dlpack(WITHOUT_MEMORY[case]())


def test_row_of_a_mapped_function_is_refused():
    """Inside `vmap` a tensor stands for many."""

    def take(row):
        with pytest.raises((BufferError, RuntimeError)):
            dlferry.from_dlpack(row)
        return row

    torch.vmap(take)(torch.zeros(2, 3))
