"""Gives a result that nobody can look into."""


def take(array):
    return object()
