"""``explain`` names the true cause: each test is of what the sentence says."""

from importlib.util import find_spec

import dlferry
import pytest
from dlferry._explain.judge import Verdict

np = pytest.importorskip("numpy")

TORCH = pytest.param("torch", marks=pytest.mark.torch)


def verdict(x, library) -> Verdict:
    """Explain ``x`` to one library, which has to be installed."""
    if find_spec(library) is None:
        pytest.skip(f"SKIPPED: {library} is not installed")
    (found,) = dlferry.explain(x, to=library).verdicts
    return found


@pytest.mark.parametrize("library", ["numpy", TORCH])
def test_the_byte_order(library):
    found = verdict(np.arange(3, dtype=np.dtype("i4").newbyteorder()), library)
    assert found.outcome == "refused"
    assert "native byte order" in found.detail
    assert found.why == "the elements are in the other byte order, which DLPack cannot say"
    assert found.remedy == "hand on dlferry.asarray(x), a copy in its place"


def test_a_field_of_a_structure():
    found = verdict(np.zeros(5, [("a", "u1"), ("b", "f4")])["b"], "numpy")
    assert found.outcome == "refused"
    assert found.why == "a stride of 5 bytes is no whole number of elements of 4 bytes, as DLPack counts"
    assert "dlferry.asarray(x)" in found.remedy


def test_a_mask_that_would_be_lost():
    found = verdict(np.ma.masked_array([1.0, 2.0], [False, True]), "numpy")
    assert found.outcome == "wrong"
    assert (found.says, found.detail) == (
        "makes something else of it",
        "what it made has other values than the array",
    )
    assert found.why == "the array is masked, and its mask would be lost"
    assert "array.filled(value)" in found.remedy


@pytest.mark.parametrize(
    ("make", "said", "wanted"),
    [
        (lambda: np.zeros(3, "M8[s]"), "datetime64[s]", "as from_dlpack(x) does"),
        (lambda: np.zeros(3, ">m8[ns]"), "timedelta64[ns] in big-endian order", "as from_dlpack(x) does"),
        (lambda: np.zeros(3, "U1"), "text of 1 character", "as from_dlpack(x) does"),
        (lambda: np.zeros(3, "S5"), "text of 5 bytes", "as from_dlpack(x) does"),
        (lambda: np.ma.masked_array([1.0, 2.0], [False, True]), "float64", "likewise"),
        (lambda: np.zeros(3, ">i4"), "int32 in big-endian order", None),
        (lambda: np.zeros(3, [("a", "u1"), ("b", "f4")])["b"], "float32", None),
    ],
)  # fmt: skip
def test_elements_are_said_in_words_and_a_refusal_once(make, said, wanted):
    """Each further line points to the one that it repeats, past others."""
    report = dlferry.explain(make(), to=())
    assert report.layout.dtype == said
    assert f", {said}, " in report.summary
    (call, outcome, says) = report.calls[-1]
    assert (call, outcome) == ("asarray(x)", "copied" if wanted is None else "refused")
    assert wanted is None or says == wanted
    if wanted == "as from_dlpack(x) does":
        assert report.calls[1][2].startswith(
            ("ValueError: cannot include", "BufferError: the buffer's format")
        )


def test_a_dtype_that_a_library_lacks(tmp_path):
    """Who has no library of its own is not sent to it; what is said works."""
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = dlferry.from_buffer(bytearray(range(6))).view("int4").reshape(3, 4)
    found = verdict(x, "numpy")
    assert found.causes == ("the dtype",)
    for way in ("dlferry.numpy.from_dlpack(x)", "x.numpy().astype(...)", 'dlferry.asarray(x).view("uint8")'):
        assert way in found.remedy
    assert "own library" not in found.remedy
    assert dlferry.numpy.from_dlpack(x).dtype == np.dtype(ml_dtypes.int4)
    assert np.from_dlpack(dlferry.asarray(x).view("uint8")).shape == (3, 2)
    assert x.numpy().astype("int8").tolist() == x.tolist()
    odd = verdict(dlferry.from_buffer(bytearray(range(3))).view("int4").reshape(2, 3), "numpy")
    assert 'view("uint8")' not in odd.remedy
    np.zeros(4, ml_dtypes.bfloat16).tofile(tmp_path / "numbers")
    found = verdict(np.memmap(tmp_path / "numbers", ml_dtypes.bfloat16), "numpy")
    assert "dlferry.numpy.from_dlpack(x) makes an array of bfloat16" in found.remedy
    assert "convert the elements with the array's own library" in found.remedy


def test_the_byte_order_of_a_file(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(3, dtype=">f4"))
    found = verdict(np.load(tmp_path / "a.npy", mmap_mode="r"), "numpy")  # of a class derived from numpy's
    assert "the other byte order" in found.why
    assert "dlferry.asarray(x), a copy" in found.remedy


def test_times_and_texts_say_what_helps():
    for array, help_ in ((np.zeros(3, "M8[s]"), 'view("int64")'), (np.array(["ab"]), 'view("uint32")')):
        report = dlferry.explain(array, to="numpy")
        assert help_ in report.verdicts[0].remedy
        assert report.verdicts[0].why.startswith("DLPack has no type for NumPy's")
        assert report.layout.item_bits == 64
        assert all("no array interface" not in (answer.refused or "") for answer in report.answers)


class Column:
    """An array by ``__array__`` alone, as a column of a table is."""

    def __init__(self, values=(1.0, 2.0)):
        self.values = np.array(values)
        self.shape = self.values.shape

    def __array__(self, dtype=None, copy=None):
        return self.values


def test_what_only_makes_arrays_of_itself():
    report = dlferry.explain(Column(), to="numpy")
    assert report.layout.shape == (2,)
    assert report.calls[-1][:2] == ("asarray(x)", "taken")
    assert report.verdicts[0].outcome == "refused"
    assert report.verdicts[0].why == "it has no DLPack"
    assert "Column" in report.verdicts[0].detail
    assert "dlferry.asarray(x)" in report.verdicts[0].remedy


def test_what_an_array_says_itself_is_not_taken_for_a_remedy():
    class Unfinished:
        def __dlpack__(self, **_):
            raise RuntimeError("internal error: no sizes. Please file an issue")

        def __dlpack_device__(self):
            return (1, 0)

    report = dlferry.explain(Unfinished(), to="numpy")
    assert report.verdicts[0].outcome == "refused"
    assert report.verdicts[0].detail.endswith("Please file an issue")
    assert (report.verdicts[0].why, report.verdicts[0].remedy) == ("", "")


def test_nulls_that_a_tensor_cannot_have():
    pyarrow = pytest.importorskip("pyarrow")
    found = verdict(pyarrow.array([1, None, 3]), "numpy")
    assert "has nulls" in found.why
    assert "fill_null" in found.remedy


@pytest.mark.parametrize(
    ("x", "help_"), [([1, 2], "make an array of it"), ("text", "encode()"), (None, "something is missing")]
)
def test_what_is_no_array_is_told_what_helps(x, help_):
    report = dlferry.explain(x, to="numpy")
    assert help_ in str(report).replace("\n" + " " * 28, " ")
    assert report.verdicts[0].outcome == "untried"
    assert report.verdicts[0].why == "it is no array"


def test_a_capsule_is_given_to_nobody():
    capsule = np.zeros(3).__dlpack__()
    (found,) = dlferry.explain(capsule, to="numpy").verdicts
    assert "taken once" in found.why
    assert dlferry.from_dlpack(capsule).shape == (3,)


def test_nothing_is_made_up_where_nothing_is_wrong():
    found = verdict(np.zeros((2, 3)), "numpy")
    assert (found.outcome, found.detail, found.causes, found.why, found.remedy) == ("shared", "", (), "", "")


def test_read_only_memory_that_stays_so():
    assert verdict(np.frombuffer(b"abcd"[:4], "u1"), "numpy").read_only == "kept"


def test_a_dtype():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    found = verdict(dlferry.from_dlpack(np.zeros(4, ml_dtypes.float8_e4m3fn)), "numpy")
    assert (found.outcome, found.causes) == ("refused", ("the dtype",))
    assert "float8_e4m3fn" in found.why


def test_a_buffer_where_dlpack_is_wanted():
    found = verdict(bytearray(8), "numpy")
    assert (found.outcome, found.causes) == ("refused", ("the producer",))
    assert "a buffer and no DLPack" in found.why
    assert "dlferry.asarray(x)" in found.remedy


def test_read_only_memory_for_who_asks_without_a_version():
    found = verdict(np.frombuffer(b"12345678", "f4"), "tvm_ffi")
    assert (found.outcome, found.causes) == ("refused", ("read-only memory",))
    assert "the memory is read-only, and it asks without max_version" in found.why
    assert "an unversioned capsule, which cannot say that memory is read-only" in found.why
    assert "copy()" in found.remedy


def test_alignment():
    aligned = np.frombuffer(bytearray(256), "u1")
    first = -aligned.ctypes.data % 64
    found = verdict(aligned[first + 4 : first + 20].view("f4"), "jax")
    assert (found.outcome, found.causes) == ("copied", ("alignment",))
    assert "the first element is aligned to 4 bytes only" in found.why
    assert "from an alignment of 64 bytes on" in found.why
    assert "dlferry.asarray(x, copy=True)" in found.remedy


@pytest.mark.torch
class TestTorch:
    def test_negative_strides(self):
        found = verdict(np.arange(6, dtype="f4").reshape(2, 3)[:, ::-1], "torch")
        assert (found.outcome, found.causes) == ("refused", ("negative strides",))
        assert found.why == "axis 1 runs backwards, which is a negative stride"
        assert "dlferry.asarray(x).copy()" in found.remedy

    def test_read_only_memory_that_may_be_written_all_the_same(self):
        found = verdict(np.frombuffer(b"12345678", "f4"), "torch")
        assert (found.outcome, found.read_only) == ("shared", "lost")
        assert "can be written all the same" in found.why

    def test_a_conjugated_view(self):
        torch = pytest.importorskip("torch")
        found = verdict(torch.ones(3, dtype=torch.complex64).conj(), "numpy")
        assert found.outcome == "refused"
        assert found.why == "the tensor is marked as conjugated and its memory holds other values"
        assert found.remedy == "pass tensor.resolve_conj()"

    def test_a_gradient(self):
        torch = pytest.importorskip("torch")
        found = verdict(torch.ones(3, requires_grad=True), "numpy")
        assert found.outcome == "refused"
        assert "requires a gradient" in found.why
        assert "tensor.detach()" in found.remedy
