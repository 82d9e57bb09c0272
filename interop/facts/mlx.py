"""MLX on the CPU."""

from tables import Facts, Quirk, table

from facts.names import INTEGERS

# Its arrays of float64 are made on purpose; what comes in is narrowed.
TAKEN = f"bool {INTEGERS} float16 bfloat16 float32 complex64"

COPIES = """
    {taken}            | reversed | {reversed}
    {taken}            | empty    | taken
    {taken}            | *        | copied
    float64 complex128 | reversed | {narrow}
    float64 complex128 | *        | narrowed
    *                  | *        | {others}
"""
AS_DLPACK = table(
    COPIES.format(
        taken=TAKEN, reversed="refused ValueError", narrow="refused ValueError", others="refused ValueError"
    )
)

FACTS = Facts(
    package="mlx",
    module="mlx.core",
    dtypes=f"{TAKEN} float64",
    layouts="contiguous transposed step reversed broadcast offset empty no-axes one-element",
    into={
        "from_dlpack": table("* | * | untold, read-only, dlpack-unversioned"),
        "asarray": table("* | * | untold, read-only, dlpack-unversioned"),
        "from_buffer": table("""
            bfloat16 | *         | refused BufferError
            *        | broadcast | shared, read-only, buffer
            *        | *         | shared, writable, buffer
        """),
    },
    out_of={
        "array": AS_DLPACK,
        "from_dlpack": AS_DLPACK,
        "array of a copy": table(
            COPIES.format(taken=TAKEN, reversed="copied", narrow="narrowed", others="refused ValueError")
        ),
        "array of a memoryview": table(
            COPIES.format(
                taken=TAKEN.replace(" bfloat16", ""),
                reversed="refused ValueError",
                narrow="refused ValueError",
                others="refused BufferError",
            )
        ),
    },
    quirks=(
        Quirk(
            "is_always_unversioned",
            "R4.4",
            "sends the unversioned struct whatever is asked for",
            "dltensor dltensor dltensor",
        ),
        Quirk(
            "leaves_dlferry_versioned",
            "5.1",
            "leaves dlferry with a version and marked read-only",
            "(1, 3), flags 1",
        ),
        Quirk("negative_extent_breaks_it", "R3.20", "crashes on a negative extent", "crash SIGSEGV"),
        Quirk(
            "negative_extent_does_not_pass",
            "R3.20",
            "is not reached by one through us",
            "refused BufferError",
        ),
        Quirk("narrows_complex128", "R5.18", "makes complex64 of complex128", "mlx.core.complex64"),
        Quirk("copies_what_it_takes", "R5.18", "copies what it takes on the CPU", "0"),
        Quirk("unknown_dtype_is_a_value_error", "R9.28", "refuses with ValueError", "refused ValueError"),
        Quirk("asks_for_no_version", "R4.8", "calls `__dlpack__` without arguments", "nothing"),
        Quirk("major_is_not_checked", "R4.5", "reads structs of majors that it does not know", "[0.0]"),
    ),
)
