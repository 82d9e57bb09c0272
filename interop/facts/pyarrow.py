"""Arrow arrays and buffers."""

from tables import Facts, Quirk, table

from facts.names import INTEGERS, NUMPY, VIEWS

FACTS = Facts(
    package="pyarrow",
    module="pyarrow",
    dtypes=f"{INTEGERS} float16 float32 float64",
    layouts="contiguous offset empty one-element",
    into={
        "from_dlpack": table("* | * | shared, read-only, dlpack"),
        "asarray": table("* | * | shared, read-only, dlpack"),
    },
    out_of={
        "py_buffer": table(f"""
            {NUMPY} | transposed broadcast {VIEWS} | refused BufferError
            {NUMPY} | empty                        | taken, writable
            {NUMPY} | read-only                    | shared, read-only
            {NUMPY} | *                            | shared, writable
            *       | *                            | refused BufferError
        """),
    },
    quirks=(
        Quirk("is_always_read_only", "R6.4", "marks every array READ_ONLY", "1"),
        Quirk(
            "is_read_only_unversioned_all_the_same",
            "R9.5",
            "exports without a version, where it cannot say that it is read-only",
            "dltensor",
        ),
        Quirk("empty_data_is_null", "R3.7", "exports NULL for no elements", "0"),
        Quirk("refuses_nulls", "5.10", "does not export arrays with nulls", "refused ArrowTypeError"),
        Quirk("refuses_bits", "R1.10", "does not export its bools, which are bits", "refused ArrowTypeError"),
        Quirk("copy_needs_a_version", "R5.14", "copies for versioned capsules only", "refused BufferError"),
        Quirk("stream_is_refused", "R5.4", "takes no stream", "refused NotImplementedError"),
        Quirk(
            "buffer_is_taken_as_bytes",
            "R6.1",
            "its buffers have no dtype, and are as writable as the memory was",
            "int8, writable",
        ),
    ),
)
