"""Makes read-only arrays whose capsules do not say so."""

import dlferry


def make(memory, dtype, shape):
    return dlferry.from_buffer(memory).view(dtype).reshape(shape)


def freeze(array):
    return array


def take(array):
    return dlferry.from_dlpack(array)
