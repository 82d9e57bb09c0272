"""TVM FFI."""

from tables import Facts, Quirk, table

FACTS = Facts(
    package="apache-tvm-ffi",
    module="tvm_ffi",
    dtypes="*",
    layouts="*",
    into={
        # A read-only tensor is writable when it comes back, for it knows no flags.
        "from_dlpack": table("""
            * | broadcast | shared, read-only, dlpack
            * | *         | shared, writable, dlpack
        """),
        "asarray": table("""
            *                                      | broadcast  | shared, read-only, dlpack
            bool int2 int4 int8 uint[1248] float[468]_* | * | shared, writable, dlpack
            *                                      | misaligned | copied, writable, dlpack
            *                                      | *          | shared, writable, dlpack
        """),
    },
    out_of={
        "from_dlpack": table("""
            * | empty | taken
            * | *     | shared
        """),
        "echo": table("""
            * | empty     | taken, writable
            * | broadcast | shared, read-only
            * | *         | shared, writable
        """),
    },
    quirks=(
        Quirk("forgets_read_only", "R6.6", "exports read-only memory without its flag", "0"),
        Quirk("major_zero_is_an_error", "R4.14", "fails on `max_version=(0, 8)`", "refused AttributeError"),
        Quirk("negative_extent_passes", "R3.20", "takes negative extents", "(-2, 3)"),
        Quirk(
            "negative_extent_is_refused_by_us", "R3.20", "gives them on, and we refuse", "refused BufferError"
        ),
        Quirk("major_is_not_checked", "R4.5", "reads structs of majors that it does not know", "(1,)"),
        Quirk(
            "refuses_padded",
            "R6.7",
            "gets no padded elements, of which it knows nothing",
            "refused BufferError",
        ),
        Quirk("asks_for_no_version", "R4.8", "calls `__dlpack__` without arguments", "nothing"),
        Quirk(
            "cannot_take_read_only_numpy",
            "R6.3",
            "takes no read-only array of NumPy's",
            "refused BufferError",
        ),
        Quirk("takes_read_only_numpy_from_us", "E8", "takes it from us, through the table", "(2,)"),
        Quirk(
            "copy_is_ignored_without_a_version", "R5.18", "shares when asked to copy, unversioned", "shared"
        ),
        Quirk("tensor_has_no_exchange_table", "E10", "has no exchange table of its own", "False"),
    ),
)
