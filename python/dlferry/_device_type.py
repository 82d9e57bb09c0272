from __future__ import annotations

from enum import IntEnum


class DeviceType(IntEnum):
    """The kinds of devices that DLPack names."""

    CPU = 1
    CUDA = 2
    CUDA_HOST = 3
    OPENCL = 4
    VULKAN = 7
    METAL = 8
    VPI = 9
    ROCM = 10
    ROCM_HOST = 11
    EXT_DEV = 12
    CUDA_MANAGED = 13
    ONE_API = 14
    WEB_GPU = 15
    HEXAGON = 16
    MAIA = 17
    TRN = 18
    TPU = 19
    TPU_HOST = 20
    ASCEND = 21
