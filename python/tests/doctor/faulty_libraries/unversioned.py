"""Knows no versions: neither those that it is asked for nor those that it gives."""

import dlferry


class Array:
    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack__(self, **keywords):
        return self.tensor.__dlpack__()

    def __dlpack_device__(self):
        return (1, 0)


def make(memory, dtype, shape):
    return Array(dlferry.from_buffer(memory).view(dtype).reshape(shape))
