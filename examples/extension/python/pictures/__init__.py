"""Picture filters for arrays of any library."""

from pictures._pictures import Checkerboard, Tensor, blur, normalize

__all__ = ["Checkerboard", "Tensor", "blur", "normalize"]
