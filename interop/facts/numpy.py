"""NumPy."""

from tables import Facts, Quirk, table

from facts.names import BYTES, NUMPY

FACTS = Facts(
    package="numpy",
    module="numpy",
    dtypes=NUMPY,
    layouts="contiguous transposed step reversed broadcast offset empty no-axes one-element misaligned read-only "
    "field swapped overlapping",
    into={
        "from_dlpack": table(f"""
            *       | broadcast read-only overlapping | shared, read-only, numpy
            {BYTES} | *                               | shared, writable, numpy
            *       | field swapped                   | refused BufferError
            *       | *                               | shared, writable, numpy
        """),
        "asarray": table(f"""
            *       | broadcast read-only overlapping | shared, read-only, numpy
            {BYTES} | *                               | shared, writable, numpy
            *       | misaligned field swapped        | copied, writable, numpy
            *       | *                               | shared, writable, numpy
        """),
        "from_buffer": table(f"""
            *       | broadcast read-only overlapping | shared, read-only, buffer
            {BYTES} | *                               | shared, writable, buffer
            *       | field swapped                   | refused BufferError
            *       | *                               | shared, writable, buffer
        """),
    },
    out_of={
        "from_dlpack": table(f"""
            {NUMPY} | broadcast read-only | shared, read-only
            {NUMPY} | empty               | taken, writable
            {NUMPY} | *                   | shared, writable
            *       | *                   | refused RuntimeError | <2.5
            *       | *                   | refused BufferError
        """),
    },
    quirks=(
        Quirk(
            "never_asks_for_the_device",
            "R5.17",
            "calls `__dlpack__` with three keywords, not the stream, and never `__dlpack_device__`",
            "__dlpack__ dl_device copy max_version",
        ),
        Quirk(
            "unversioned_is_read_only", "R6.2", "takes every unversioned capsule as read-only", "read-only"
        ),
        Quirk(
            "exports_masked_arrays_without_the_mask",
            "5.9",
            "exports the values under a mask; we refuse them",
            "[1, 2, 3], ours BufferError",
        ),
        Quirk("exports_misaligned_data", "R3.14", "exports data beside its alignment", "False, 1"),
        Quirk(
            "keeps_the_device_of_pinned_memory_in_a_copy",
            "R9.16",
            "gives a copy of pinned memory out as pinned, which it is not",
            "(3, 0)",
        ),
        Quirk("stamps_its_own_version", "R9.10", "stamps 1.0 whatever is asked for", "(1, 0)"),
        Quirk("sets_the_copied_flag", "R9.25", "sets IS_COPIED on the copies that it makes", "2"),
        Quirk("refuses_padded_floats", "R1.12", "does not export long doubles", "refused BufferError"),
        Quirk("has_no_exchange_table", "E10", "has no C exchange API", "False"),
        Quirk("takes_no_capsule", "R2.21", "takes no bare capsule", "refused AttributeError"),
        Quirk("takes_major_zero", "R9.8", "takes versioned capsules of major 0", "[0.0]"),
    ),
)
