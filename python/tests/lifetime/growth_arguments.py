"""What is done very often with Rust functions: arrays as arguments, results, and classes that produce."""

from __future__ import annotations

from collections.abc import Callable

import cstructs
import dlferry
import dlferry_testing as dt
import numpy as np
from growth_tools import New, Old, refused

try:
    import dlferry_results as results
    import dlferry_views as views
except ImportError:  # not built here
    ACTIONS: dict[str, Callable[[], object]] = {}
else:
    ARRAY = np.arange(12, dtype=np.float32).reshape(3, 4)
    FIXED = np.broadcast_to(ARRAY, (2, 3, 4))
    TENSOR = dlferry.from_dlpack(ARRAY)
    METHOD = New(ARRAY)
    TABLED = cstructs.type_with_table(cstructs.born)()
    FRAMED = cstructs.type_with_table(lambda: cstructs.born(ndim=-1))()
    UNVERSIONED = Old(ARRAY)
    BYTES = bytearray(48)
    DOUBLES = np.arange(6.0).reshape(2, 3)
    SQUARES = results.Squares(5)
    SLOT, EMPTY = results.Slot(ARRAY), results.Slot()

    class Failing:
        def __dlpack__(self, **keywords: object) -> object:
            raise OSError("the disk is full")

    FAILING = Failing()

    def nested() -> None:
        views.reading(ARRAY, lambda: views.reading(TENSOR, lambda: None))

    def collided() -> None:
        views.reading(ARRAY, lambda: refused(lambda: views.fill(TENSOR, 1.0), BufferError)())

    ACTIONS = {
        "argument: more than a block": lambda: views.read_many(ARRAY, 17),
        "argument: array": lambda: views.see_f32(ARRAY),
        "argument: tensor": lambda: views.see_2d(TENSOR),
        "argument: method": lambda: views.see_2d(METHOD),
        "argument: table": lambda: views.see_f32(TABLED),
        "argument: unversioned": lambda: views.see_2d(UNVERSIONED),
        "argument: buffer": lambda: views.see_u8(BYTES),
        "argument: any": lambda: views.see_any(ARRAY),
        "argument: any, narrowed": lambda: views.see_narrowed(ARRAY),
        "argument: none": lambda: views.see_option(None),
        "argument: converted": lambda: views.see_converted(ARRAY.T),
        "argument: owned": lambda: views.own(ARRAY),
        "argument: owned, of a method": lambda: views.own_any(METHOD),
        "argument: duplicated": lambda: views.duplicate(ARRAY),
        "argument: writable": lambda: views.fill(ARRAY, 1.0),
        "argument: writable tensor": lambda: views.fill_2d(TENSOR, 1.0),
        "argument: writable method": lambda: views.fill(METHOD, 1.0),
        "argument: writable, owned": lambda: views.own_mut(ARRAY),
        "argument: two at once": lambda: views.read_read(ARRAY, TENSOR),
        "argument: nested": nested,
        "argument: many at once": lambda: views.read_many(ARRAY, 3),
        "argument refused: kind": refused(lambda: views.see_f32([1.0]), TypeError),
        "argument refused: dtype": refused(lambda: views.see_f64(ARRAY), TypeError),
        "argument refused: rank": refused(lambda: views.see_2d(FIXED), TypeError),
        "argument refused: order": refused(lambda: views.see_c(ARRAY.T), TypeError),
        "argument refused: extents": refused(lambda: views.see_pairs(ARRAY), TypeError),
        "argument refused: device": refused(lambda: views.see_cuda(ARRAY), TypeError),
        "argument refused: read-only": refused(lambda: views.fill(FIXED, 1.0), BufferError),
        "argument refused: unversioned": refused(lambda: views.fill(UNVERSIONED, 1.0), BufferError),
        "argument refused: malformed": refused(lambda: views.see_f32(FRAMED), BufferError),
        "argument refused: its own error": refused(lambda: views.see_f32(FAILING), OSError),
        "argument refused: borrowed": collided,
        "argument refused: same array twice": refused(lambda: views.read_write(ARRAY, TENSOR), BufferError),
        **{
            f"result: {data} to {target}": lambda data=data, target=target: results.give(data, target)
            for target in ("tensor", "numpy", "memoryview")
            for data in ("vec", "arc", "static", "shaped vec", "export", "managed", "ndarray", "counted")
        },
        "result: like an array": lambda: results.give("vec", "like", ARRAY),
        "result: like a tensor": lambda: results.give("shaped arc", "like", TENSOR),
        "result: like a memoryview": lambda: results.give("vec", "like", memoryview(b"")),
        "result: of an argument": lambda: results.kept(DOUBLES),
        "result: of arguments": lambda: results.matmul(DOUBLES, DOUBLES.T),
        "result: written in place": lambda: results.increment(DOUBLES),
        "result: waits for a lock": lambda: results.waiting("lock"),
        "result: dropped detached": lambda: results.drop_detached(METHOD),
        "result refused: shape": refused(lambda: results.shaped(3, [2, 2]), ValueError),
        "result refused: owner": refused(lambda: results.waiting("lock", 7), ValueError),
        "result refused: axes": refused(lambda: results.numpy_zeros(1, [1] * 65), BufferError, ValueError),
        "producer": lambda: dlferry.from_dlpack(SQUARES),
        "producer: buffer": lambda: memoryview(SQUARES),
        "producer: table": lambda: dt.exchange_from(SQUARES).delete(),
        "producer: refused keyword": refused(lambda: SQUARES.__dlpack__(stream=3), ValueError),
        "producer: another array": lambda: SLOT.put(ARRAY),
        "producer: counted": lambda: (SLOT.count(), memoryview(SLOT)),
        "producer refused: its own error": refused(lambda: dlferry.from_dlpack(EMPTY), ValueError),
        "producer refused: buffer": refused(lambda: memoryview(EMPTY), ValueError, BufferError),
    }
