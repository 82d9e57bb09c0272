"""DLPack for NumPy: what NumPy itself does not have of it. NumPy is imported when one of these is called.

==========================  ==========================================================================
``from_dlpack(x)``          an array of any library as a ``numpy.ndarray``, with more dtypes than
                            ``numpy.from_dlpack`` has
``asarray(x)``              the same of buffers, array interfaces and awkward arrays
``to_dlpack(a)``            a capsule of an array, also where ``a.__dlpack__`` refuses
``enable_exchange_api()``   gives ``numpy.ndarray`` the C exchange API, for the whole process
``disable_exchange_api()``  takes it away again, as far as that can be
``exchange_api_enabled()``  whether it is there
==========================  ==========================================================================
"""

from __future__ import annotations

from ._native import (
    _numpy_asarray as asarray,
)
from ._native import (
    _numpy_disable_exchange_api as disable_exchange_api,
)
from ._native import (
    _numpy_enable_exchange_api as enable_exchange_api,
)
from ._native import (
    _numpy_exchange_api_enabled as exchange_api_enabled,
)
from ._native import (
    _numpy_from_dlpack as from_dlpack,
)
from ._native import (
    _numpy_to_dlpack as to_dlpack,
)

__all__ = [
    "asarray",
    "disable_exchange_api",
    "enable_exchange_api",
    "exchange_api_enabled",
    "from_dlpack",
    "to_dlpack",
]
