"""NumPy arrays of the dtypes that ml_dtypes adds."""

from tables import Facts, Quirk, table

from facts.names import RARE, SPREAD, VIEWED

AS_NUMPY = table(f"""
    {RARE}               | *                   | refused ImportError | <0.6
    *                    | empty               | taken, writable
    {SPREAD} uint1       | *                   | copied, writable
    *                    | broadcast read-only | shared, read-only
    *                    | *                   | shared, writable
""")

FACTS = Facts(
    package="ml_dtypes",
    module="ml_dtypes",
    dtypes=f"{VIEWED} int2 int4 uint2 uint4 float4_e2m1fn float6_e2m3fn float6_e3m2fn",
    layouts="contiguous transposed step reversed broadcast offset empty no-axes one-element misaligned read-only",
    into={
        "from_dlpack": table("""
            * | broadcast read-only | shared, read-only, numpy
            * | *                   | shared, writable, numpy
        """),
        "asarray": table("""
            *        | broadcast read-only | shared, read-only, numpy
            bfloat16 | misaligned          | copied, writable, numpy
            *        | *                   | shared, writable, numpy
        """),
        "from_buffer": table("* | * | refused ValueError"),
    },
    out_of={"asarray": AS_NUMPY, "method": AS_NUMPY},
    quirks=(
        Quirk(
            "takes_a_byte_for_an_element_below_one",
            "R3.17",
            "stores elements below a byte one in each",
            "1, 1",
        ),
        Quirk("has_no_buffer_format", "R1.12", "NumPy has no buffer of its dtypes", "refused ValueError"),
        Quirk("has_no_dlpack_of_its_own", "R1.12", "NumPy does not export its dtypes", "refused BufferError"),
        Quirk(
            "has_a_typestr_of_raw_bytes",
            "R1.12",
            "their typestr says two bytes and not what they mean",
            "<V2",
        ),
    ),
)
