"""Picture filters for arrays of any library."""

from ._pictures import Checkerboard, blur, normalize

__all__ = ["Checkerboard", "blur", "normalize"]
