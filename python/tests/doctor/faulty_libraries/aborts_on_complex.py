"""Takes all but complex elements, which end the process."""

import os

import dlferry


def take(array):
    tensor = dlferry.from_dlpack(array)
    if str(tensor.dtype) == "complex64":
        os.abort()
    return tensor
