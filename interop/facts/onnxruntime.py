"""ONNX Runtime's values."""

from tables import Facts, Quirk, table

from facts.names import INTEGERS, VIEWS

OWN = f"bool {INTEGERS} float16 float32 float64"
# What it takes and NumPy cannot have.
TAKEN = (
    f"{OWN} bfloat16 float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu "
    "int2 int4 uint2 uint4 float4_e2m1fn"
)

FACTS = Facts(
    package="onnxruntime",
    module="onnxruntime",
    dtypes=OWN,
    layouts="contiguous empty no-axes read-only",
    into={
        "from_dlpack": table("* | * | untold, read-only, dlpack-unversioned"),
        "asarray": table("* | * | untold, read-only, dlpack-unversioned"),
    },
    out_of={
        "from_dlpack": table(f"""
            *       | broadcast read-only | refused BufferError
            *       | transposed {VIEWS}  | refused RuntimeError
            {TAKEN} | empty               | taken
            {TAKEN} | *                   | shared
            *       | *                   | refused RuntimeError
        """),
        "from_dlpack of a copy": table(f"""
            {TAKEN} | empty | taken
            {TAKEN} | *     | copied
            *       | *     | refused RuntimeError
        """),
        "ortvalue_from_numpy": table(f"""
            {OWN}  | transposed broadcast {VIEWS}  | copied
            {OWN}  | empty                         | taken
            {OWN}  | *                             | shared
            *      | *                             | refused RuntimeError
        """),
    },
    quirks=(
        Quirk("refuses_max_version", "R4.10", "takes no keyword but the stream", "refused TypeError"),
        Quirk("is_always_unversioned", "R4.4", "sends the unversioned struct", "dltensor"),
        Quirk(
            "leaves_dlferry_versioned",
            "5.1",
            "leaves dlferry with a version and marked read-only",
            "(1, 3), flags 1",
        ),
        Quirk("takes_no_versioned_capsule", "R4.4", "takes no versioned capsule", "refused TypeError"),
        Quirk("exports_bool_as_bool", "R1.10", "exports bools as bools", "bool"),
        Quirk(
            "cpp_value_does_not_keep_the_numpy_array",
            "R2.3",
            "borrows NumPy's memory without keeping it alive on its C++ side",
            "True, 0",
        ),
        Quirk("refuses_gaps", "R3.11", "takes row-major memory only", "refused RuntimeError"),
    ),
)
