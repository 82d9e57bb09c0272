"""Forgets axes."""

import dlferry


def take(array):
    return dlferry.from_dlpack(array).reshape(-1)
