"""Compilation of the kernels.

Division follows numpy: kernels never divide by zero, which the tests verify in plain Python. In a
kernel `ascending` takes the place of ``np.argsort``: numba names its own by running numbers, which
can coincide between a compiled and a cached one, and then calls the wrong function. Loops take the
place of ``np.max``, ``np.diff`` and of arrays assigned to slices, which take seconds to compile.
"""

from collections.abc import Callable
from functools import partial
from typing import ParamSpec, TypeVar, cast

import numba

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R], fastmath: bool | set[str] = False) -> Callable[P, R]:
    """Compile ``function`` at its first call, release the GIL in it, and cache the code on disk."""
    compiler = partial(
        numba.njit, nogil=True, error_model="numpy", fastmath=fastmath, no_cfunc_wrapper=True
    )
    try:
        compiled = compiler(function, cache=True)
    except RuntimeError:  # pragma: no cover (tested in a process of its own)
        compiled = compiler(function)
    return cast("Callable[P, R]", compiled)


def fused_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """As `kernel`, but a product and the sum it goes into may be one operation, rounded once."""
    return kernel(function, fastmath={"contract"})
