"""Streams of CUDA and ROCm, with tensors at addresses that lead nowhere: rules R5.5 to R5.9, R9.22; decision 5.12."""

import dlferry
import dlferry_testing as dt
import pytest
from craft import CUDA, CUDA_HOST, MANAGED, READ_ONLY, ROCM, deletions, exported, on_device, taken

READY: dict[int, list[int | None]] = {
    CUDA: [None, -1, 1],
    ROCM: [None, -1, 0],
    MANAGED: [None, -1, 1, 2, 77],
    CUDA_HOST: [None, -1, 1, 2, 77],
}
REFUSED: dict[int, list[int | None]] = {
    CUDA: [0, -2],
    ROCM: [1, 2, -2],
    MANAGED: [0, -2],
    CUDA_HOST: [0, -2],
    8: [0, 1, 2],
    14: [1],
    99: [7],
}
OTHER: dict[int, list[int | None]] = {CUDA: [2, 3, 0x7F00_0000_1000], ROCM: [3, 0x7F00_0000_1000]}


def pairs(table: dict[int, list[int | None]]) -> list[tuple[int, int | None]]:
    return [(kind, stream) for kind, streams in table.items() for stream in streams]


@pytest.mark.parametrize("kind", [CUDA, ROCM, MANAGED, 8, 99])
def test_stream_is_told_to_the_producer(kind):
    """R5.5, R9.23: None stands for the default stream, and is said rather than left out."""
    producer = dt.Producer(on_device(kind))
    dlferry.from_dlpack(producer)
    assert producer.calls == [{"stream": None, "max_version": (1, 3)}]


@pytest.mark.parametrize(("kind", "stream"), pairs(READY))
def test_stream_on_which_the_data_is_ready_needs_no_asking(kind, stream):
    """R5.5, R5.6, R9.22: the default stream, which the import asked for, or none to wait on."""
    producer = dt.Producer(on_device(kind))
    tensor = dlferry.from_dlpack(producer)
    fields = exported(tensor, stream=stream)
    assert fields["device"] == (kind, 0)
    assert len(producer.calls) == 1


@pytest.mark.parametrize(("kind", "stream"), pairs(REFUSED))
def test_stream_that_the_device_has_not_is_a_value_error(kind, stream):
    """R5.5, R5.6: 0 is ambiguous on CUDA, 1 and 2 are not ROCm's, and some devices have none."""
    producer = dt.Producer(on_device(kind))
    tensor = dlferry.from_dlpack(producer)
    with pytest.raises(ValueError, match=rf"stream={stream} .*wanted None"):
        tensor.__dlpack__(stream=stream)
    assert len(producer.calls) == 1


@pytest.mark.parametrize(("kind", "stream"), pairs(OTHER))
def test_other_stream_is_asked_of_the_kept_source(kind, stream):
    """R5.7, 5.12: only the producer can make its data ready there."""
    crafted = on_device(kind)
    producer = dt.Producer(crafted)
    tensor = dlferry.from_dlpack(producer)
    fields = exported(tensor, stream=stream)
    assert (fields["device"], fields["data"]) == ((kind, 0), crafted.address)
    assert producer.calls[1:] == [{"stream": stream, "max_version": (1, 3)}]
    del tensor
    assert deletions(crafted) == 2


@pytest.mark.parametrize("kind", [CUDA, ROCM])
def test_other_stream_is_refused_where_the_source_is_gone(kind):
    """5.12: a bare capsule, or a copy of the description, has nobody to ask."""
    tensor = dlferry.from_dlpack(on_device(kind).capsule())
    with pytest.raises(BufferError, match=r"stream=3.*not there to be asked"):
        tensor.__dlpack__(stream=3)
    assert exported(tensor)["device"] == (kind, 0)


def test_other_stream_is_refused_where_the_source_now_has_another_tensor():
    """5.12: what was imported is what is exported, or nothing is."""
    crafted = [on_device(CUDA), on_device(CUDA, shape=[3, 2], strides=[2, 1])]

    class Changing:
        def __dlpack__(self, **keywords: object) -> object:
            return crafted[1 if keywords["stream"] else 0].capsule()

    tensor = dlferry.from_dlpack(Changing())
    with pytest.raises(BufferError, match="another tensor"):
        tensor.__dlpack__(stream=3)
    assert deletions(crafted[1]) == 1


def test_read_only_stays_so_on_another_stream():
    """5.1: a read-only view of writable memory is asked for again, and stays read-only."""
    tensor = taken(on_device(CUDA), writable=False)
    assert exported(tensor, stream=3)["flags"] == READ_ONLY


def test_producers_error_on_another_stream_passes():
    """5.10: unchanged."""
    error = RuntimeError("no such stream")

    class Failing:
        def __dlpack__(self, *, stream: object = None, **keywords: object) -> object:
            if stream == 3:
                raise error
            return on_device(CUDA).capsule()

    with pytest.raises(RuntimeError) as caught:
        dlferry.from_dlpack(Failing()).__dlpack__(stream=3)
    assert caught.value is error
