"""Groups of dtypes that tables speak of."""

FLOATS8 = "float8_*"
INTEGERS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64"
BYTES = "bool int8 uint8"
# What NumPy has by itself.
NUMPY = f"bool {INTEGERS} float16 float32 float64 complex64 complex128"
# What it has with ml_dtypes, that dlferry makes NumPy arrays of.
VIEWED = f"bfloat16 {FLOATS8}"
SPREAD = "int2 int4 uint2 uint4 float4_* float6_*"
# What nothing but DLPack knows, or few.
RARE = "complex32 bcomplex32 uint1"
VIEWS = "step reversed offset"
