"""The one way a kernel is compiled."""

from collections.abc import Callable
from functools import partial
from typing import ParamSpec, TypeVar, cast

import numba

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile ``function`` on its first call, without the GIL, and keep the machine code on disk.

    Never with fastmath: the same input has to give the same bits. Division follows numpy, without
    a test for zero that would keep loops from being vectorised; kernels divide by no zero, which
    their tests see in plain Python. Where no cache can be written (a read-only install without a
    home directory) numba refuses at decoration, and the function is compiled anew in each process
    instead.

    In a kernel, ``np.argsort`` has ``kind="mergesort"``: numba compiles its default and ``np.sort``
    under names that only a running number tells apart. When a process loads one from disk and
    compiles the other, the numbers can agree, and the one runs in place of the other.
    """
    compile_it = partial(numba.njit, nogil=True, error_model="numpy")
    try:
        compiled = compile_it(function, cache=True)
    except RuntimeError:
        compiled = compile_it(function)
    return cast("Callable[P, R]", compiled)
