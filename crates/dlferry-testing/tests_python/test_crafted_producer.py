"""The styles of the crafted protocol object."""

import dlferry_testing as dt
import numpy as np
import pytest


class MineError(Exception):
    """Nobody else's exception."""


@pytest.mark.parametrize(
    ("style", "asked", "name"),
    [
        ("new", None, "dltensor"),
        ("new", (0, 8), "dltensor"),
        ("new", (1, 0), "dltensor_versioned"),
        ("new", (2, 0), "dltensor_versioned"),
        ("always_versioned", None, "dltensor_versioned"),
        ("always_unversioned", (1, 0), "dltensor"),
        ("lies", None, "dltensor_versioned"),
        ("lies", (1, 0), "dltensor"),
        ("wrong_name", (1, 0), "dltensor_wrong"),
        ("used_name", (1, 0), "used_dltensor_versioned"),
        ("used_name", None, "used_dltensor"),
        ("null_name", (1, 0), None),
    ],
)
def test_style_decides_the_capsule(floats, style, asked, name):
    producer = dt.Producer(floats, style=style)
    assert dt.capsule_name(producer.__dlpack__(max_version=asked)) == name
    assert producer.calls == [{"max_version": asked}]


def test_not_a_capsule_is_none(floats):
    assert dt.Producer(floats, style="not_a_capsule").__dlpack__() is None


@pytest.mark.parametrize(
    ("style", "keyword", "message"),
    [
        ("new", "bogus", "unexpected keyword argument 'bogus'"),
        ("stream_only", "max_version", "unexpected keyword argument 'max_version'"),
        ("no_keywords", "stream", "takes no keyword arguments"),
        ("type_error_inside", "copy", "^cannot hold this$"),
        ("type_error_inside_mentions", "copy", "max_version"),
    ],
)
def test_type_errors_have_no_frame_of_the_callee(floats, style, keyword, message):
    producer = dt.Producer(floats, style=style)
    with pytest.raises(TypeError, match=message) as caught:
        producer.__dlpack__(**{keyword: None})
    assert caught.tb.tb_next is None
    assert producer.calls == [{keyword: None}]


def test_old_signatures_export_unversioned(floats):
    assert dt.capsule_name(dt.Producer(floats, style="stream_only").__dlpack__(stream=None)) == "dltensor"
    assert dt.capsule_name(dt.Producer(floats, style="no_keywords").__dlpack__()) == "dltensor"
    with pytest.raises(TypeError, match="positional"):
        dt.Producer(floats).__dlpack__(None)


def test_numpy_asks_again_without_keywords(floats):
    producer = dt.Producer(floats, style="no_keywords")
    assert np.from_dlpack(producer).shape == (2, 3)
    assert producer.calls == [{"dl_device": None, "copy": None, "max_version": (1, 0)}, {}]
    assert producer.device_calls == 0


def test_given_exception_is_raised_itself(floats):
    error = MineError("this one")
    with pytest.raises(MineError) as caught:
        dt.Producer(floats, style="raises", error=error).__dlpack__()
    assert caught.value is error
    with pytest.raises(ValueError, match="wants error"):
        dt.Producer(floats, style="raises")
    with pytest.raises(ValueError, match="no style 'nwe'; there are new, always_versioned"):
        dt.Producer(floats, style="nwe")


def test_announced_device_is_free_of_the_tensor(floats):
    assert dt.Producer(floats).__dlpack_device__() == (1, 0)
    pinned = dt.Producer(floats, device=(3, 7))
    assert pinned.__dlpack_device__() == (3, 7)
    assert pinned.device_calls == 1
    assert dt.inspect(pinned.__dlpack__())["device"] == (1, 0)
    elsewhere = dt.Crafted(b"", shape=[0], device=(2, 1))
    assert dt.Producer(elsewhere).__dlpack_device__() == (2, 1)
    with pytest.raises(BufferError, match="never exports"):
        dt.Producer(floats, style="dl_device_error").__dlpack_device__()
    error = MineError("device")
    with pytest.raises(MineError) as caught:
        dt.Producer(floats, style="dl_device_error", error=error).__dlpack_device__()
    assert caught.value is error


def test_kept_capsule_is_the_same_on_every_call(floats):
    producer = dt.Producer(floats, keep=True)
    assert producer.__dlpack__() is producer.__dlpack__()
    np.from_dlpack(producer)
    with pytest.raises(ValueError, match="PyCapsule"):
        np.from_dlpack(producer)
    assert len(floats.deleter_calls) == 1
