"""Makes arrays that export other elements than they were made of."""

import dlferry


def make(memory, dtype, shape):
    return dlferry.from_buffer(bytes(byte ^ 1 for byte in memory), copy=True).view(dtype).reshape(shape)
