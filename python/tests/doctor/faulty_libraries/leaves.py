"""Ends the process as a program does."""

import os


def take(array):
    os._exit(3)
