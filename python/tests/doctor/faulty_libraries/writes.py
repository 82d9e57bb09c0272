"""Says that its arrays are read-only, and lets them be written."""

import ctypes

import dlferry


class Array:
    def __init__(self, tensor):
        self.tensor = tensor
        self.shape = tensor.shape

    readonly = True

    def __dlpack__(self, **keywords):
        return self.tensor.__dlpack__(**keywords)

    def __getitem__(self, index):
        return self.tensor[index].item()

    def __setitem__(self, index, value):
        ctypes.c_float.from_address(self.tensor.data_ptr).value = value


def take(array):
    return Array(dlferry.from_dlpack(array, writable=False))
