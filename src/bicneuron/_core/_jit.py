"""The one way a kernel is compiled."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile ``function`` on its first call, without the GIL, and keep the machine code on disk.

    Never with fastmath: the same input has to give the same bits. Where no cache can be written
    (a read-only install without a home directory) numba refuses at decoration, and the function
    is compiled anew in each process instead.
    """
    try:
        compiled = numba.njit(function, cache=True, nogil=True)
    except RuntimeError:
        compiled = numba.njit(function, nogil=True)
    return cast("Callable[P, R]", compiled)
