"""Groups of dtypes that tables speak of."""

FLOATS8 = (
    "float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu"
)
INTEGERS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64"
BYTES = "bool int8 uint8"
# What NumPy has by itself.
NUMPY = f"bool {INTEGERS} float16 float32 float64 complex64 complex128"
# What it has with ml_dtypes, that dlferry makes NumPy arrays of.
VIEWED = f"bfloat16 {FLOATS8}"
SPREAD = "int2 int4 uint2 uint4 float4* float6*"
# What nothing but DLPack knows, or few.
RARE = "complex32 bcomplex32 uint1"
VIEWS = "step reversed offset"
