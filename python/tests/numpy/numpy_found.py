"""How NumPy is found in a process, or not: each case in a process of its own, run as ``python numpy_found.py NAME``.

Nothing here imports NumPy before the case does.
"""

from __future__ import annotations

import sys
import sysconfig
import types
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import dlferry
import dlferry_testing as dt

CASES: dict[str, Callable[[], None]] = {}


def case(function: Callable[[], None]) -> Callable[[], None]:
    """Add a function to what can be run by name."""
    CASES[function.__name__] = function
    return function


def refusal(call: Callable[[], object], *kinds: type[BaseException]) -> str:
    """Get the text of the exception that a call has to raise."""
    try:
        found = call()
    except kinds as error:
        return str(error)
    raise AssertionError(f"nothing was raised, and {found!r} returned")


def cannot_be_enabled(why: str, kind: type[BaseException]) -> None:
    """Expect a refusal of `enable_exchange_api`, for the reason that comes first."""
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        why, kind = "no global lock", RuntimeError
    assert why in refusal(dlferry.numpy.enable_exchange_api, kind)


def hide(name: str) -> None:
    """Make a module fail to import."""
    modules: dict[str, Any] = sys.modules
    modules[name] = None


def module() -> Any:
    """Find NumPy's own extension module; NumPy 1.26 has one of Python code under the newer name."""
    core = "core" if sys.modules["numpy"].__version__.startswith("1.") else "_core"
    return sys.modules[f"numpy.{core}._multiarray_umath"]


def floats() -> Any:
    """Make a tensor that NumPy has no part in."""
    return dlferry.from_dlpack(dt.Producer(dt.Crafted(bytes(24), shape=[2, 3], strides=[3, 1])))


@case
def numpy_is_not_imported_for_an_import() -> None:
    assert "numpy" not in sys.modules
    floats()
    dlferry.asarray(bytearray(3))
    for thing in (object(), [1], "text", memoryview(b"")):
        with suppress(TypeError, BufferError):
            dlferry.from_dlpack(thing)
    assert not dlferry.numpy.exchange_api_enabled()
    assert "numpy" not in sys.modules


@case
def numpy_is_imported_after_dlferry() -> None:
    tensor = floats()
    with suppress(TypeError):
        dlferry.from_dlpack(memoryview(b""))
    import numpy as np

    assert dlferry.from_dlpack(np.zeros(3)).source == "numpy"
    assert dlferry.numpy.from_dlpack(tensor).shape == (2, 3)


@case
def numpy_is_imported_when_an_array_is_wanted() -> None:
    array = dlferry.numpy.from_dlpack(floats())
    assert type(array) is sys.modules["numpy"].ndarray


@case
def numpy_is_not_there() -> None:
    hide("numpy")
    for call in (
        lambda: dlferry.numpy.from_dlpack(floats()),
        lambda: dlferry.numpy.asarray(b"abc"),
        lambda: floats().numpy(),
    ):
        assert "numpy is not installed" in refusal(call, ImportError)
    cannot_be_enabled("numpy is not installed", ImportError)
    # A capsule needs no NumPy.
    assert dlferry.from_dlpack(dlferry.numpy.to_dlpack(bytearray(3))).shape == (3,)
    assert not dlferry.numpy.exchange_api_enabled()
    dlferry.numpy.disable_exchange_api()


def impostor(**attributes: object) -> type:
    """Make a type that calls itself NumPy's."""
    kind = type("ndarray", (), {"__module__": "numpy", "__qualname__": "ndarray", **attributes})
    assert f"{kind.__module__}.{kind.__qualname__}" == "numpy.ndarray"
    return kind


@case
def impostor_without_numpy() -> None:
    refusal(lambda: dlferry.from_dlpack(impostor()()), TypeError)
    method = dt.Producer(dt.Crafted(bytes(4), shape=[1], strides=[1])).__dlpack__
    real = impostor(__dlpack__=lambda self, **keywords: method(**keywords))
    assert dlferry.from_dlpack(real()).source == "dlpack"


@case
def impostor_beside_numpy() -> None:
    import numpy as np

    for before in (False, True):
        if before:
            assert dlferry.from_dlpack(np.zeros(1)).source == "numpy"
        refusal(lambda: dlferry.from_dlpack(impostor()()), TypeError)
        refusal(lambda: dlferry.numpy.to_dlpack(impostor()()), TypeError)
        refusal(lambda: dlferry.from_dlpack(impostor(__slots__=("room",))()), TypeError)


@case
def impostor_in_the_place_of_numpys_type() -> None:
    import numpy as np

    changed: Any = np
    changed.ndarray = impostor()
    refusal(lambda: dlferry.from_dlpack(changed.ndarray()), TypeError)
    dlferry.numpy.asarray(b"abc")
    assert dlferry.from_dlpack(np.zeros(3)).source == "numpy"


@case
def impostor_in_the_place_of_numpy() -> None:
    fake: Any = types.ModuleType("numpy")
    fake.ndarray = impostor()
    fake._core = types.ModuleType("numpy._core")
    umath: Any = types.ModuleType("numpy._core._multiarray_umath")
    umath._ARRAY_API = dlferry.Tensor.__dlpack_c_exchange_api__
    sys.modules.update({"numpy": fake, "numpy._core": fake._core, "numpy._core._multiarray_umath": umath})
    refusal(lambda: dlferry.from_dlpack(fake.ndarray()), TypeError)
    refusal(lambda: dlferry.numpy.from_dlpack(floats()), Exception)
    cannot_be_enabled("not known", RuntimeError)


def table_is(other: object) -> None:
    """Check what is there when NumPy's table is something else, and that it is found once it is back."""
    import numpy as np

    # It takes the table too, whatever it is.
    with suppress(ImportError):
        import ml_dtypes

        assert ml_dtypes.__name__
    own = module()._ARRAY_API
    array = np.arange(6.0).reshape(2, 3)[:, ::-1]
    if other is None:
        del module()._ARRAY_API
    else:
        module()._ARRAY_API = other
    without_structure(array)
    module()._ARRAY_API = own
    assert dlferry.from_dlpack(array).source == "numpy"
    assert isinstance(dlferry.numpy.from_dlpack(array).base, dlferry.Tensor)


def without_structure(array: Any) -> None:
    """Check that all goes on through the protocol."""
    import numpy as np

    if hasattr(array, "__dlpack__"):
        tensor = dlferry.from_dlpack(array)
        assert tensor.source.startswith("dlpack")
        assert tensor.tolist() == array.tolist()
        assert (
            dlferry.from_dlpack(dlferry.numpy.to_dlpack(array, max_version=(1, 0))).tolist() == array.tolist()
        )
    result = dlferry.numpy.from_dlpack(floats())
    assert (type(result), result.tolist()) == (np.ndarray, [[0.0] * 3] * 2)
    assert result.flags.writeable
    fixed = dlferry.numpy.asarray(b"abc")
    assert (fixed.tolist(), fixed.flags.writeable) == ([97, 98, 99], False)
    data = bytearray(b"abc")
    dlferry.numpy.asarray(data)[0] = 120
    assert data == b"xbc"
    assert dlferry.asarray(array.astype(">f8")).tolist() == array.tolist()
    cannot_be_enabled("not known", RuntimeError)
    refusal(lambda: dlferry.from_dlpack(np.zeros(2, "datetime64[s]")), BufferError, TypeError)
    cuda = dt.Producer(dt.Crafted(b"", shape=[2], strides=[1], device=(2, 0), address=0xDEAD0000))
    assert "cuda:0" in refusal(lambda: dlferry.numpy.from_dlpack(cuda), BufferError)
    others_without_structure()


def others_without_structure() -> None:
    """Check the types of ml_dtypes, which come through as integers and are viewed."""
    import numpy as np

    with suppress(ImportError):
        import ml_dtypes

        for name in ("bfloat16", "float8_e4m3fn", "int4"):
            kind = dlferry.dtype(name)
            recipe = dt.Crafted(
                bytes([1, 2, 3, 4]), shape=[2], strides=[1], code=kind.code, bits=kind.bits, lanes=1
            )
            tensor = dlferry.from_dlpack(dt.Producer(recipe))
            array = dlferry.numpy.from_dlpack(tensor)
            assert array.dtype == np.dtype(getattr(ml_dtypes, name))
            assert array.astype(float).tolist() == tensor.tolist()


@case
def table_is_missing() -> None:
    table_is(None)


@case
def table_is_no_capsule() -> None:
    table_is("a string")


@case
def table_is_a_capsule_of_another_name() -> None:
    table_is(dlferry.Tensor.__dlpack_c_exchange_api__)


@case
def table_is_another_table() -> None:
    import numpy as np

    assert np.__name__
    table_is(module()._UFUNC_API)


@case
def module_is_of_python_code() -> None:
    """Its capsule is the real one, and is not asked all the same."""
    import numpy as np

    with suppress(ImportError):
        import ml_dtypes

        assert ml_dtypes.__name__
    real = module()
    before = dict(sys.modules)
    fake: Any = types.ModuleType(real.__name__)
    fake._ARRAY_API = real._ARRAY_API
    for name in ("numpy._core._multiarray_umath", "numpy.core._multiarray_umath"):
        if name in sys.modules:
            sys.modules[name] = fake
    without_structure(np.arange(3.0))
    sys.modules.update(before)
    assert dlferry.from_dlpack(np.arange(3.0)).source == "numpy"


@case
def stand_in_under_the_newer_name_is_passed_over() -> None:
    """NumPy 1.26 has a module of Python code there, which others may import before us."""
    import numpy as np

    real = module()
    stand_in = types.ModuleType("numpy._core._multiarray_umath")
    stand_in.__dict__.update({name: value for name, value in vars(real).items() if not name.startswith("__")})
    sys.modules["numpy._core._multiarray_umath"] = stand_in
    sys.modules["numpy.core._multiarray_umath"] = real
    assert dlferry.from_dlpack(np.zeros(3)).source == "numpy"


@case
def table_is_replaced_once_it_was_found() -> None:
    import numpy as np

    assert dlferry.from_dlpack(np.zeros(3)).source == "numpy"
    module()._ARRAY_API = module()._UFUNC_API
    assert dlferry.from_dlpack(np.zeros(3)).source == "numpy"
    assert isinstance(dlferry.numpy.from_dlpack(floats()).base, dlferry.Tensor)


@case
def numpy_is_reloaded() -> None:
    """As far as NumPy lets itself be: newer ones refuse."""
    import warnings

    import numpy as np

    array = np.arange(3.0)
    assert dlferry.from_dlpack(array).source == "numpy"
    for name in [name for name in sys.modules if name == "numpy" or name.startswith("numpy.")]:
        del sys.modules[name]
    assert dlferry.from_dlpack(array).tolist() == [0.0, 1.0, 2.0]
    assert dlferry.numpy.from_dlpack(array).tolist() == [0.0, 1.0, 2.0]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import numpy as again
    except ImportError:
        assert dlferry.from_dlpack(array).tolist() == [0.0, 1.0, 2.0]
        return
    assert dlferry.from_dlpack(again.arange(3.0)).tolist() == [0.0, 1.0, 2.0]
    assert isinstance(dlferry.numpy.from_dlpack(floats()), again.ndarray)


@case
def numpy_is_away_before_it_is_found() -> None:
    """Its arrays live on without its modules."""
    import numpy as np

    array = np.arange(3.0)
    kept = {name: sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] == "numpy"}
    if hasattr(array, "__dlpack__"):
        assert dlferry.from_dlpack(array).source.startswith("dlpack")
    sys.modules.update(kept)
    assert dlferry.from_dlpack(array).source == "numpy"


@case
def many_threads_find_it_at_once() -> None:
    from concurrent.futures import ThreadPoolExecutor
    from threading import Barrier

    import numpy as np

    start, array = Barrier(8), np.arange(6.0)

    def find(_: int) -> str:
        start.wait()
        assert dlferry.numpy.from_dlpack(array).tolist() == array.tolist()
        return dlferry.from_dlpack(array).source

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(find, range(8))) == {"numpy"}


@case
def ml_dtypes_is_not_there() -> None:
    hide("ml_dtypes")
    recipe = dt.Crafted(bytes(4), shape=[2], strides=[1], code=4, bits=16, lanes=1)
    text = refusal(lambda: dlferry.numpy.from_dlpack(dt.Producer(recipe)), ImportError)
    assert "bfloat16" in text
    assert "pip install ml_dtypes" in text


@case
def ml_dtypes_is_too_old() -> None:
    fake: Any = types.ModuleType("ml_dtypes")
    sys.modules["ml_dtypes"] = fake
    recipe = dt.Crafted(bytes(4), shape=[2], strides=[1], code=4, bits=16, lanes=1)
    text = refusal(lambda: dlferry.numpy.from_dlpack(dt.Producer(recipe)), ImportError)
    assert "has no bfloat16" in text


@case
def ml_dtypes_is_somebody_else() -> None:
    """Its types need not be as long as their names say."""
    fake: Any = types.ModuleType("ml_dtypes")
    fake.bfloat16 = "f8"
    fake.float8_e5m2 = object()
    sys.modules["ml_dtypes"] = fake
    for code, bits in ((4, 16), (12, 8)):
        recipe = dt.Crafted(bytes(24), shape=[3], strides=[1], code=code, bits=bits, lanes=1)
        refusal(partial(dlferry.numpy.from_dlpack, dt.Producer(recipe)), Exception)


if __name__ == "__main__":
    CASES[sys.argv[1]]()
