"""The array API to the letter."""

from tables import Facts, Quirk, table

from facts.names import INTEGERS

OWN = f"bool {INTEGERS} float32 float64 complex64 complex128"
SHARES = table(f"""
    {OWN}   | broadcast read-only | shared, read-only
    {OWN}   | empty               | taken, writable
    {OWN}   | *                   | shared, writable
    float16 | *                   | refused TypeError
    *       | *                   | refused RuntimeError | <2.5
    *       | *                   | refused BufferError
""")

FACTS = Facts(
    package="array-api-strict",
    decides="numpy",
    module="array_api_strict",
    dtypes=OWN,
    layouts="contiguous transposed step reversed broadcast offset empty no-axes one-element",
    into={
        "from_dlpack": table("""
            * | broadcast | shared, read-only, dlpack
            * | *         | shared, writable, dlpack
        """),
        "asarray": table("""
            * | broadcast | shared, read-only, dlpack
            * | *         | shared, writable, dlpack
        """),
    },
    out_of={
        "from_dlpack": SHARES,
        "from_dlpack copy=False": SHARES,
        "from_dlpack copy=True": table(f"""
            {OWN}   | empty | taken, writable
            {OWN}   | *     | copied, writable
            float16 | *     | refused TypeError
            *       | *     | refused RuntimeError | <2.5
            *       | *     | refused BufferError
        """),
        "asarray": table(f"""
            {OWN}   | broadcast read-only | shared, read-only
            {OWN}   | empty               | taken, writable
            {OWN}   | *                   | shared, writable
            *       | *                   | refused TypeError
        """),
    },
    quirks=(
        Quirk("device_is_an_object", "R5.20", 'has device objects of its own, and "cpu" works', "cpu"),
        Quirk(
            "asks_with_all_keywords",
            "R5.18",
            "lets NumPy ask, with the keywords of the standard",
            "copy dl_device max_version",
        ),
        Quirk(
            "dtypes_outside_the_standard_are_refused",
            "R9.28",
            "takes no float16, which the standard lacks",
            "refused TypeError",
        ),
    ),
)
