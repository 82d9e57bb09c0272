"""The arrays that are handed over, and what became of each. This runs in a process that may crash."""

from __future__ import annotations

import ctypes
import gc
import operator
import statistics
import struct
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from . import witness
from .libraries import Call, Library
from .witness import Seen

COUNT = 1024


class Probe(NamedTuple):
    """An array to hand over: its dtype (``""``: what the library has), its shape, and the view of it that is meant."""

    words: str
    dtype: str = ""
    shape: tuple[int, ...] = (COUNT,)
    view: Call | None = None
    # Bytes from a border of 128 to the first element.
    offset: int = 0
    frozen: bool = False


PROBES = {
    "plain": Probe("row-major, 1024 elements"),
    "rows": Probe("two axes, row-major", shape=(32, 32)),
    "transposed": Probe("two axes, column-major", shape=(32, 32), view=lambda array: array.T),
    "strided": Probe("every other element", view=operator.itemgetter(slice(None, None, 2))),
    "reversed": Probe("negative strides", view=operator.itemgetter(slice(None, None, -1))),
    "no-axes": Probe("no axes, one element", shape=()),
    "empty": Probe("no elements", view=operator.itemgetter(slice(0, 0))),
    "bool": Probe("bool", "bool"),
    "int64": Probe("int64", "int64"),
    "float64": Probe("float64", "float64"),
    "bfloat16": Probe("bfloat16", "bfloat16"),
    "complex64": Probe("complex64", "complex64"),
    "misaligned": Probe("one byte beside its alignment", offset=1),
    "read-only": Probe("read-only", frozen=True),
}
# Borders at which memory may begin, the widest first: what is shared down to which tells the alignment that is asked.
ALIGNMENTS = (64, 32, 16, 8, 4)
# Rounds are so short that few of them are interrupted where others work on the machine too.
ROUND_SECONDS = 0.0001
SIZES = {"bool": 1, "bfloat16": 2, "int64": 8, "float64": 8, "complex64": 8, "float32": 4}


def names() -> list[str]:
    """Lists the probes of a pair, in their order."""
    return [*PROBES, "alignment", "time"]


class Pair(NamedTuple):
    """A producer and a consumer, with their modules."""

    producer: Library
    consumer: Library
    modules: tuple[Any, Any]

    def taker(self, array: Any) -> Call | None:
        """Finds the consumer's function for this array: by DLPack where both have it, else by the buffer."""
        take, take_buffer = self.consumer.take, self.consumer.take_buffer
        if take is not None and hasattr(array, "__dlpack__"):
            return take(self.modules[1])
        return take_buffer and take_buffer(self.modules[1])

    def takes(self) -> bool:
        """Whether the consumer takes any arrays."""
        take = self.consumer.take
        return self.consumer.take_buffer is not None or (
            take is not None and take(self.modules[1]) is not None
        )


class Made(NamedTuple):
    """The producer's array, what it holds and where its memory is."""

    array: Any
    seen: Seen
    values: bytes
    memory: bytearray
    # Whether its memory is the one that it was given.
    is_given: bool
    # How its own `__dlpack__` refuses; None where it does not, or there is none.
    refusal: str | None


def run(pair: Pair, name: str) -> dict[str, Any]:
    """Runs a probe. The result has an ``outcome`` and what else is known, as JSON can hold it."""
    if name == "alignment":
        return _alignment(pair)
    if name == "time":
        return _time(pair)
    made = _make(pair, PROBES[name])
    if not isinstance(made, Made):
        return {"outcome": "none", "reason": made}
    result = _exchange(pair, made, frozen=PROBES[name].frozen)
    del made
    gc.collect()  # what crashes when arrays are let go of is to crash now
    return result


def _make(pair: Pair, probe: Probe) -> Made | str:
    """Makes the producer's array, and looks whether it is the one that was meant; a sentence where it is not."""
    dtype = probe.dtype or pair.producer.dtype
    count = 1
    for extent in probe.shape:
        count *= extent
    size = count * SIZES[dtype]
    memory, start = _memory(size, probe.offset)
    memory[start : start + size] = values = _pattern(dtype, count)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory)) + start
    try:
        assert pair.producer.make is not None
        view = memoryview(memory)[start : start + size]
        array = pair.producer.make(pair.modules[0], view, dtype, probe.shape)
        array = probe.view(array) if probe.view else array
        if probe.frozen:
            if pair.producer.freeze is None:
                return "it has no read-only arrays"
            array = pair.producer.freeze(array)
    except Exception as error:
        return f"it makes no such array: {sentence(error)}"
    seen = witness.look(array)
    refusal = _refusal(array, seen)
    if seen is None:
        return f"its arrays of this kind cannot be looked at: {refusal}"
    if wrong := _differs(probe, dtype, seen):
        return wrong
    values = _expected(probe, values, SIZES[dtype], seen)
    return Made(array, seen, values, memory, seen.address == address, refusal)


def _refusal(array: Any, seen: Seen | None) -> str | None:
    """Tells how an array that has DLPack refuses to be exported."""
    if (seen is not None and seen.way == "capsule") or not hasattr(array, "__dlpack__"):
        return None
    try:
        witness.capsule_of(array)
    except Exception as error:
        return sentence(error)
    return "what it answers is no capsule of DLPack"


def _differs(probe: Probe, dtype: str, seen: Seen) -> str | None:
    """Tells how an array is another one than was meant: a library may have no such layout or dtype."""
    if seen.dtype not in (dtype, None):
        return f"it makes {seen.dtype} of {dtype}"
    if probe is PROBES["reversed"] and not any(step < 0 for step in seen.strides):
        return "it has no negative strides of its own"
    if probe is PROBES["strided"] and seen.strides == (seen.itemsize,):
        return "its views are row-major copies"
    if probe is PROBES["transposed"] and seen.strides[-1:] == (seen.itemsize,):
        return "its views are row-major copies"
    if probe.offset % 2 and seen.address % 2 == 0:
        return "it moves its data to an aligned place"
    return None


def _expected(probe: Probe, values: bytes, size: int, seen: Seen) -> bytes:
    """Gives the bytes that the array has to show, in row-major order of the view."""
    elements = [values[at : at + size] for at in range(0, len(values), size)]
    if probe is PROBES["transposed"]:
        side = probe.shape[0]
        elements = [elements[row * side + column] for column in range(side) for row in range(side)]
    elif probe.view is not None:
        elements = probe.view(elements)
    return b"".join(elements)


def _memory(size: int, offset: int) -> tuple[bytearray, int]:
    """Gives memory and where in it ``size`` bytes begin, ``offset`` behind a border of 128."""
    memory = bytearray(size + offset + 128)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    return memory, -address % 128 + offset


def _pattern(dtype: str, count: int) -> bytes:
    """Makes the bytes of so many elements: ordinary numbers, of which float64 has some that float32 lacks."""
    if dtype == "bool":
        return bytes(at % 3 & 1 for at in range(count))
    if dtype == "bfloat16":
        return b"".join(struct.pack("<f", at % 120 + 1)[2:] for at in range(count))
    if dtype == "int64":
        return struct.pack(f"={count}q", *(at * 0x1_0000_0001 for at in range(count)))
    if dtype == "float64":
        return struct.pack(f"={count}d", *(at + 0.1 for at in range(count)))
    floats = count * SIZES[dtype] // 4
    return struct.pack(f"={floats}f", *(at + 0.5 for at in range(floats)))


def _exchange(pair: Pair, made: Made, *, frozen: bool = False) -> dict[str, Any]:
    """Hands the array over, and tells what became of it; of a frozen one, also whether it stays read-only."""
    known = {"capsule": made.seen.version, "says_read_only": made.seen.read_only, "refusal": made.refusal}
    if frozen:
        known["read_only"] = "refused"
    take = pair.taker(made.array)
    if take is None:
        if not pair.takes():
            return known | {"outcome": "none", "reason": "it takes no arrays"}
        missing = "a buffer" if pair.consumer.take is None else "DLPack"
        return known | {"outcome": "refused", "reason": f"the producer has no {missing}"}
    found = made.seen.values()
    if found is not None and found != made.values:
        return known | {"outcome": "wrong", "reason": _difference("the producer itself shows", made, found)}
    try:
        result = take(made.array)
    except BaseException as error:  # of whatever kind: it is the answer
        return known | {"outcome": "refused", "reason": sentence(error)}
    judged, seen = _judge(made, result)
    if frozen and seen is not None and judged["outcome"] == "shared":
        judged |= _read_only(made, seen, result)
    elif frozen:
        judged["read_only"] = "copied" if judged["outcome"] in ("copied", "converted") else None
    return known | judged


def _judge(made: Made, result: Any) -> tuple[dict[str, Any], Seen | None]:
    """Tells what a consumer made of an array, and what a look at it found."""
    seen = witness.look(result)
    if seen is None:
        return {"outcome": "taken", "reason": "nothing shows what is in its result"}, None
    found = seen.values()
    if seen.dtype is not None and made.seen.dtype not in (seen.dtype, None):
        judged = {"outcome": "converted", "reason": f"{made.seen.dtype} became {seen.dtype}"}
    elif seen.shape != made.seen.shape:
        judged = {"outcome": "wrong", "reason": f"shape {made.seen.shape} became {seen.shape}"}
    elif found is not None and found != made.values:
        judged = {"outcome": "wrong", "reason": _difference("the result shows", made, found)}
    elif 0 in seen.shape:
        judged = {"outcome": "taken", "reason": "no elements, so no memory to share"}
    else:
        judged = {"outcome": "shared" if _shares(made, seen, result) else "copied"}
    return judged, seen


def _difference(who: str, made: Made, found: bytes) -> str:
    """Names the first bytes that differ."""
    if len(found) != len(made.values):
        return f"{who} {len(found)} bytes, not {len(made.values)}"
    at = next(at for at, (ours, theirs) in enumerate(zip(made.values, found, strict=True)) if ours != theirs)
    at -= at % made.seen.itemsize
    end = at + made.seen.itemsize
    return f"element {at // made.seen.itemsize}: {who} {found[at:end].hex()}, not {made.values[at:end].hex()}"


def _shares(made: Made, seen: Seen, result: Any) -> bool:
    """Whether the result lies in the producer's memory: by its address, or because it shows a write to that memory."""
    if seen.address == made.seen.address:
        return True
    if not (made.seen.on_host and seen.on_host):
        return False
    before = ctypes.string_at(made.seen.address, 1)
    ctypes.memmove(made.seen.address, bytes([before[0] ^ 1]), 1)
    try:
        again = witness.look(result)
        return again is not None and again.values() != made.values
    finally:
        ctypes.memmove(made.seen.address, before, 1)


def _read_only(made: Made, seen: Seen, result: Any) -> dict[str, Any]:
    """Tells whether memory that is read-only stays so in the consumer's hands: by writing, else by asking."""
    if made.seen.read_only is not True and made.seen.way == "capsule":
        return {
            "read_only": "lost",
            "written": "the producer's own capsule does not say that it is read-only",
        }
    before = made.seen.values()
    for words, write in _WRITES.items():
        try:
            write(result)
        except Exception:  # it refuses, or has no such way
            continue
        if made.seen.values() != before:
            claim = ", though it says that it is read-only" if seen.read_only else ""
            return {"read_only": "lost", "written": f"{words} changed the producer's memory{claim}"}
    if seen.read_only is False or (seen.read_only is None and not _says_read_only(result)):
        said = "say that it may be written" if seen.read_only is False else "cannot say that it is read-only"
        return {"read_only": "lost", "written": f"the capsules of the result {said}"}
    return {"read_only": "kept"}


def _set_item(result: Any) -> None:
    first = (0,) * len(getattr(result, "shape", ()) or ())
    result[first or ...] = result[first or ...] * 0 + 2


def _set_byte(result: Any) -> None:
    view = memoryview(result).cast("B")
    view[0] ^= 1


_WRITES: dict[str, Callable[[Any], None]] = {
    "an assignment to its element": _set_item,
    "a write to its buffer": _set_byte,
}


def _says_read_only(result: Any) -> bool:
    """Whether anything that the result says of itself is that it may not be written."""
    try:
        if memoryview(result).readonly:
            return True
    except Exception:
        pass
    return getattr(result, "readonly", None) is True or (
        getattr(getattr(result, "flags", None), "writeable", None) is False
    )


def _alignment(pair: Pair) -> dict[str, Any]:
    """Tells down to which alignment memory is shared: ``shared_from`` is in bytes, None where no border is needed."""
    last = None
    for border in ALIGNMENTS:
        made = _make(pair, Probe(f"aligned to {border}", offset=border))
        if not isinstance(made, Made) or not made.is_given:
            return {"outcome": "none", "reason": "it makes no arrays of given memory"}
        result = _exchange(pair, made)
        if result["outcome"] == "shared":
            last = border
            continue
        if last is None:
            return {"outcome": "none", "reason": "nothing is shared"}
        return {
            "outcome": result["outcome"],
            "shared_from": last,
            "reason": f"memory aligned to {last} bytes is shared, to {border} {result['outcome']}",
        }
    return {"outcome": "shared", "shared_from": last}


def _time(pair: Pair) -> dict[str, Any]:
    """Measures an exchange: the median over rounds of the nanoseconds of one."""
    made = _make(pair, PROBES["plain"])
    take = pair.taker(made.array) if isinstance(made, Made) else None
    if take is None or not isinstance(made, Made):
        return {"outcome": "none"}
    array = made.array
    try:
        count = 1
        while (took := _seconds(take, array, count)) < ROUND_SECONDS and count < 1 << 12:
            count *= 2
        rounds = [_seconds(take, array, count) / count for _ in range(5 if took > 0.01 else 41)]
    except BaseException:  # the refusal is told by the probe
        return {"outcome": "none"}
    return {"outcome": "timed", "ns": round(statistics.median(rounds) * 1e9, 1)}


def _seconds(take: Call, array: Any, count: int) -> float:
    start = time.perf_counter()
    for _ in range(count):
        take(array)
    return time.perf_counter() - start


def sentence(error: BaseException) -> str:
    """Gives an error as one line: its kind and what it says, shortened."""
    try:
        text = " ".join(str(error).split())
    except Exception:
        text = ""
    text = text if len(text) <= 300 else f"{text[:299]}…"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
