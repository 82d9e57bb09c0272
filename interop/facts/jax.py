"""JAX on the CPU, with its 64-bit dtypes switched on."""

from tables import Facts, Quirk, table

from facts.names import NUMPY, SPREAD, VIEWED

OWN = f"{NUMPY} {VIEWED}"

FACTS = Facts(
    package="jax",
    module="jax",
    dtypes=f"{OWN} int2 int4 uint2 uint4 float4_e2m1fn float6_e2m3fn float6_e3m2fn",
    layouts="contiguous transposed step reversed offset empty no-axes one-element",
    into={
        # Before 0.12 it knew no versions. Elements of six bits bring the process down when there are none.
        "from_dlpack": table(f"""
            {OWN} float4_*   | *     | untold, read-only, dlpack-unversioned | <0.12
            {OWN} float4_*   | *     | shared, read-only, dlpack
            float6_*         | empty | crash SIGABRT
            *               | *     | refused JaxRuntimeError
        """),
        "asarray": table(f"""
            {OWN} float4_*   | *     | untold, read-only, dlpack-unversioned | <0.12
            {OWN} float4_*      | *     | shared, read-only, dlpack
            # By `__array__`, of which nobody can tell whether it copies.
            int2 int4 uint2 uint4 | *     | untold, read-only, numpy
            float6_*            | empty | crash SIGABRT
            float6_*            | *     | untold, read-only, numpy
            *                   | *     | refused BufferError
        """),
    },
    out_of={
        "from_dlpack": table(f"""
            *     | broadcast read-only             | refused BufferError | <0.12
            {OWN} | contiguous transposed read-only | shared
            {OWN} | empty                           | taken
            {OWN} | no-axes one-element misaligned  | copied
            *     | *                               | refused JaxRuntimeError
        """),
        "from_dlpack copy=False": table(f"""
            *     | broadcast read-only             | refused BufferError | <0.12
            {OWN} | contiguous transposed read-only | shared
            {OWN} | empty                           | taken
            {OWN} | no-axes one-element misaligned  | refused ValueError
            *     | *                               | refused JaxRuntimeError
        """),
        "asarray": table(f"""
            complex32 bcomplex32 | * | refused TypeError
            uint1          | empty | taken
            uint1          | *     | refused JaxRuntimeError
            float6_*        | *     | refused JaxRuntimeError | <0.12
            {OWN} {SPREAD} | empty | taken
            {OWN} {SPREAD} | *     | copied
        """),
    },
    quirks=(
        Quirk("aborts_on_a_null_deleter", "R2.10", "calls a deleter that is NULL", "crash SIGABRT"),
        Quirk(
            "null_deleter_is_not_passed_on", "R9.13", "does no harm behind us, who never emit one", "survives"
        ),
        Quirk("copy_true_is_a_view", "R5.19", "`copy=True` shares all the same", "shared"),
        Quirk(
            "needs_64_byte_alignment",
            "R9.3",
            "copies what does not begin at a multiple of 64",
            "[True, False, False, True]",
        ),
        Quirk("refuses_gaps", "R3.11", "takes compact memory only", "refused JaxRuntimeError", ">=0.12"),
        Quirk("is_always_read_only", "R6.4", "marks every array READ_ONLY", "1", ">=0.12"),
        Quirk(
            "is_read_only_unversioned_all_the_same",
            "R9.5",
            "exports without a version, where it cannot say that it is read-only",
            "dltensor",
        ),
        Quirk("copy_is_read_only", "R6.5", "marks even a private copy READ_ONLY", "3", ">=0.12"),
        Quirk("has_no_int4", "R9.19", "does not export int4", "refused JaxRuntimeError"),
        Quirk(
            "wide_types_are_narrowed", "R5.18", "makes float32 of float64 unless told otherwise", "float32"
        ),
        Quirk("takes_no_capsule", "R2.21", "takes no bare capsule", "refused TypeError"),
        Quirk(
            "refuses_a_pinned_device_by_its_announcement",
            "R9.15",
            "does not know the device type of managed memory",
            "refused TypeError",
        ),
        Quirk("calls_deleters_detached", "R2.12", "calls deleters without the interpreter", "[False]"),
    ),
    environment={"JAX_ENABLE_X64": "1", "JAX_PLATFORMS": "cpu"},
)
