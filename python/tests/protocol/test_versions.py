"""Which struct a capsule holds, and of which version: rules R4.1 to R4.9, R9.8; decisions 5.2 and 5.7."""

import dlferry
import dlferry_testing as dt
import pytest
from craft import deletions, floats, taken


@pytest.mark.parametrize("version", [(1, 0), (1, 1), (1, 3), (1, 99), (1, 2**32 - 1)])
def test_any_minor_of_major_one_is_taken(version):
    """R4.7: the minor is no condition."""
    crafted = floats(version=version)
    tensor = taken(crafted)
    assert tensor.tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    assert tensor.source == "dlpack"
    del tensor
    assert deletions(crafted) == 1


@pytest.mark.parametrize("version", [(0, 0), (0, 8), (0, 9), (2, 0), (2, 3), (99, 1), (2**32 - 1, 0)])
def test_other_majors_are_refused_unread(version):
    """R4.5, R4.6, R9.8, 5.7: nothing behind the version is looked at, and the capsule's destructor deletes."""
    crafted = floats(version=version, ndim=-7, address=0xDEAD0000, code=6, bits=3)
    with pytest.raises(BufferError, match=rf"DLPack {version[0]}\.{version[1]}\b.*only major version 1"):
        taken(crafted)
    assert deletions(crafted) == 1


def test_version_that_is_asked_for_is_the_newest_known():
    """R4.1, R4.8: a tuple of two integers."""
    producer = dt.Producer(floats())
    dlferry.from_dlpack(producer)
    assert producer.calls == [{"stream": None, "max_version": (1, 3)}]
    assert type(producer.calls[0]["max_version"]) is tuple


@pytest.mark.parametrize("style", ["always_unversioned", "lies"])
def test_unversioned_capsule_is_taken_though_a_versioned_one_was_asked_for(style):
    """R4.4: one library answers so whatever is asked."""
    crafted = floats()
    producer = dt.Producer(crafted, style=style)
    tensor = dlferry.from_dlpack(producer)
    assert tensor.source == "dlpack-unversioned"
    assert tensor.readonly
    assert tensor.copied is None
    assert tensor.tolist()[1] == [3.0, 4.0, 5.0]
    assert len(producer.calls) == 1
    del tensor
    assert deletions(crafted) == 1


def test_versioned_capsule_is_taken_though_nothing_was_asked_for():
    """R4.4: the name of the capsule decides, also after a call without keywords."""

    class OldButVersioned:
        def __dlpack__(self) -> object:
            return floats().capsule(versioned=True)

    tensor = dlferry.from_dlpack(OldButVersioned())
    assert (tensor.source, tensor.readonly) == ("dlpack", False)


def test_struct_is_read_as_the_name_says():
    """R1.3: the two structs have their tensor in different places."""
    for versioned, source in [(True, "dlpack"), (False, "dlpack-unversioned")]:
        tensor = dlferry.from_dlpack(floats(shape=[3], strides=[2]).capsule(versioned))
        assert (tensor.source, tensor.shape, tensor.strides) == (source, (3,), (2,))
        assert tensor.tolist() == [0.0, 2.0, 4.0]
