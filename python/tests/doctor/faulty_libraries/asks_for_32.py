"""Shares what is aligned to 32 bytes, and copies the rest."""

import dlferry


def take(array):
    tensor = dlferry.from_dlpack(array)
    return tensor.copy() if tensor.data_ptr % 32 else tensor
