"""Takes nothing and ends the process, with a last word."""

import os


def take(array):
    os.write(2, b"the last word\n")
    os.abort()
