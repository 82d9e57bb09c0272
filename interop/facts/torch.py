"""PyTorch on the CPU."""

from tables import Facts, Quirk, table

from facts.names import BYTES, FLOATS8, INTEGERS

OWN = (
    f"bool {INTEGERS} float16 bfloat16 float32 float64 complex32 complex64 complex128 "
    "float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu"
)

FACTS = Facts(
    package="torch",
    module="torch",
    dtypes=OWN,
    layouts="contiguous transposed step broadcast offset empty no-axes one-element overlapping parameter misaligned",
    into={
        "from_dlpack": table("""
            * | broadcast overlapping | shared, read-only, exchange
            * | *                     | shared, writable, exchange
        """),
        "asarray": table(f"""
            *                 | broadcast overlapping | shared, read-only, exchange
            {BYTES} {FLOATS8} | *                     | shared, writable, exchange
            *                 | misaligned            | copied, writable, exchange
            *                 | *                     | shared, writable, exchange
        """),
    },
    out_of={
        "from_dlpack": table(f"""
            {OWN} | reversed | refused RuntimeError
            {OWN} | empty    | taken
            {OWN} | *        | shared
            *     | *        | refused BufferError
        """),
    },
    quirks=(
        Quirk("writes_to_read_only_memory", "R6.1", "writes to memory marked READ_ONLY", "[9, 0, 0, 0]"),
        Quirk("never_sets_the_copied_flag", "R5.16", "copies and does not set IS_COPIED", "0"),
        Quirk(
            "exports_negated_memory",
            "5.9",
            "exports the memory of a negated view as it is; we refuse it",
            "[-2.0, -4.0] as [2.0, 4.0], ours BufferError",
        ),
        Quirk("exports_int4_as_bytes", "R9.19", "exports its int4 as 8 bits", "(0, 8, 1)"),
        Quirk("table_lets_gradients_through", "E9", "its table exports what requires grad", "0"),
        Quirk("refuses_gradients_in_its_method", "E9", "its method does not", "refused BufferError"),
        Quirk("refuses_negative_strides", "R3.10", "takes no negative strides", "refused RuntimeError"),
        Quirk("needs_pairs_of_float4", "R3.19", "takes float4 in pairs only", "refused BufferError"),
        Quirk("keeps_the_stride_of_one_element", "R3.9", "exports strides that mean nothing", "[77, 1]"),
        Quirk("refuses_pinned_memory", "R9.16", "takes no pinned memory of others", "refused BufferError"),
        Quirk(
            "offset_with_null_strides_is_refused",
            "R3.12",
            "takes no byte offset together with NULL strides",
            "refused ValueError",
        ),
        Quirk("takes_a_capsule", "R2.21", "takes a bare capsule", "[97, 98]"),
        Quirk(
            "asarray_takes_the_buffer_as_one_axis",
            "R5.17",
            "`torch.asarray` asks for the buffer before DLPack, and forgets the shape",
            "(6,)",
        ),
        Quirk("calls_deleters_detached", "R2.12", "calls deleters without the interpreter", "[False]"),
        Quirk("copy_is_not_checked", "R5.18", "shares what a producer that ignores `copy` gave", "shared"),
    ),
)
