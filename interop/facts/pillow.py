"""Pillow's images."""

from tables import Facts, Quirk, table

from facts.names import NUMPY

FACTS = Facts(
    package="pillow",
    module="PIL",
    dtypes="uint8 int32 float32 uint16",
    layouts="contiguous",
    into={"asarray": table("* | * | untold, read-only, array-interface")},
    # An image has two axes, or a third for the colors; `tensors` makes those of four, which bytes alone can be.
    out_of={
        "fromarray": table(f"""
            uint8                                      | contiguous empty misaligned read-only transposed | taken
            uint8                                      | step reversed broadcast offset | taken
            int64 uint64 float16 complex64 complex128  | no-axes | refused TypeError
            {NUMPY}                                    | no-axes | refused IndexError
            {NUMPY}                                    | *       | refused TypeError
            *                                          | *       | refused AttributeError
        """),
    },
    quirks=(
        Quirk("has_no_dlpack", "R5.3", "has no DLPack", "refused TypeError"),
        Quirk("has_no_buffer", "R5.3", "has no buffer", "refused TypeError"),
        Quirk("interface_makes_new_bytes", "5.1", "makes new bytes when it is asked for them", "False"),
        Quirk("bits_are_taken_as_bools", "5.8", "spreads its bits to bytes", "bool, [[True, True, True]]"),
        Quirk("image_of_ours_shares_its_memory", "R6.1", "shares memory of bytes that it was given", "9"),
    ),
)
