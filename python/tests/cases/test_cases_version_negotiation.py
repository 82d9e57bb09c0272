"""Public failures of versions and keywords between a producer and a consumer of different age."""

import dlferry
import dlferry_testing as dt
import numpy as np
import pytest
from craft import deletions, exported, floats, taken


@pytest.mark.parametrize("version", [(1, 0), (1, 1), (1, 2), (1, 3), (1, 99)])
def test_b043_null_strides_are_taken_from_every_minor_version(version):
    """R3.3, R9.2; apache/arrow#51122: and what is malformed is refused."""
    assert taken(floats(strides=None, version=version)).strides == (3, 1)
    for fault in ({"ndim": -1}, {"shape": None, "ndim": 2}, {"shape": [-1, 3]}):
        crafted = floats(version=version, **fault)
        with pytest.raises(BufferError):
            taken(crafted)
        assert deletions(crafted) == 1


class Asked:
    """A producer that writes down how it is asked."""

    def __init__(self) -> None:
        self.calls: list[dict] = []
        self.array = np.arange(3)


class WithoutKeywords(Asked):
    def __dlpack__(self):
        self.calls.append({})
        return self.array.__dlpack__()


class Strict(Asked):
    def __dlpack__(self, *, stream=None):
        self.calls.append({"stream": stream})
        return self.array.__dlpack__()


class NotImplementedYet(Asked):
    def __dlpack__(self, **keywords):
        self.calls.append(keywords)
        raise NotImplementedError("max_version is not supported")


class Broken(Asked):
    def __dlpack__(self, **keywords):
        self.calls.append(keywords)
        raise TypeError("max_version of mine is broken inside")


def test_b154_producer_is_asked_again_only_when_it_refused_the_call():
    """R4.10, 5.10; data-apis/array-api-strict#85: its own errors pass, and it ran once."""
    for kind in (WithoutKeywords, Strict):
        producer = kind()
        assert dlferry.from_dlpack(producer).tolist() == [0, 1, 2]
        assert len(producer.calls) == 1
    for kind, error in ((NotImplementedYet, NotImplementedError), (Broken, TypeError)):
        producer = kind()
        with pytest.raises(error, match="max_version"):
            dlferry.from_dlpack(producer)
        assert len(producer.calls) == 1


def test_b156_struct_is_read_as_the_name_of_its_capsule_says():
    """R2.1; NVIDIA/cutlass#3359: at every way in, whatever was asked for."""
    for versioned in (True, False):
        crafted = floats()
        ways = [
            lambda c=crafted, v=versioned: dlferry.from_dlpack(c.capsule(v)),
            lambda c=crafted, v=versioned: dlferry.asarray(c.capsule(v)),
            lambda c=crafted, v=versioned: taken(c, "always_versioned" if v else "always_unversioned"),
            lambda c=crafted: taken(c, "lies"),
        ]
        for way in ways:
            assert way().tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
        assert deletions(crafted) == len(ways)


@pytest.mark.parametrize(
    ("asked", "versioned"),
    [((1, 0), True), ((1, 1), True), ((1, 3), True), ((2, 0), True), ((0, 8), False), (None, False)],
)
def test_b157_only_the_major_version_decides(asked, versioned):
    """R4.1, R9.10; metatensor/metatensor#1117."""
    fields = exported(taken(floats()), max_version=asked)
    assert fields["version"] == ((1, 3) if versioned else None)


def test_b159_stream_may_be_said_and_unknown_keywords_may_not():
    """R5.1, R5.4; wjakob/nanobind#1373."""
    tensor = taken(floats())
    for stream in (None, -1):
        assert dt.capsule_name(tensor.__dlpack__(stream=stream)) == "dltensor"
    with pytest.raises(ValueError, match="stream"):
        tensor.__dlpack__(stream=1)
    for call in (
        lambda: tensor.__dlpack__(stream=object()),
        lambda: tensor.__dlpack__(unknown=1),
        lambda: tensor.__dlpack__(None),
    ):
        with pytest.raises(TypeError):
            call()


@pytest.mark.parametrize("version", [(2, 0), (0, 9), (7, 1)])
def test_b160_struct_of_another_major_version_is_deleted_unread(version):
    """R4.6, R9.8; dmlc/dlpack#113: nothing behind its flags is looked at."""
    garbage = {
        "ndim": 2**31 - 1,
        "shape": None,
        "strides": None,
        "address": 1,
        "lanes": 0,
        "flags": 2**64 - 1,
    }
    crafted = floats(version=version, **garbage)
    for take in (dlferry.from_dlpack, dlferry.asarray):
        with pytest.raises(BufferError, match=f"{version[0]}.{version[1]}"):
            take(crafted.capsule())
    assert deletions(crafted) == 2
