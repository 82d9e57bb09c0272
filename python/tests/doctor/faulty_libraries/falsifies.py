"""Gives a copy in which one element is another."""

import dlferry


def take(array):
    tensor = dlferry.from_dlpack(array, copy=True)
    if tensor.size:
        memoryview(tensor.reshape(-1).view("uint8"))[tensor.nbytes - 1] ^= 1
    return tensor
