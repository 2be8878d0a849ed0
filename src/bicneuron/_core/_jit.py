"""Compilation of the kernels."""

from collections.abc import Callable
from functools import partial
from typing import ParamSpec, TypeVar, cast

import numba

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile ``function`` at its first call, release the GIL in it, and cache the code on disk.

    - ``fastmath`` is off: the same input must give the same bits.
    - Division follows numpy. A test for zero would prevent vectorisation. Kernels never divide by
      zero; the tests verify this in plain Python, where it is an error.
    - If the cache cannot be written (a read-only install without a home directory), numba raises at
      decoration. The function is then compiled in each process.
    - In a kernel `ascending` takes the place of ``np.argsort``. Numba compiles the latter and
      ``np.sort`` under names that differ by a running number only. If a process loads one from disk
      and compiles the other, the numbers can coincide, and the wrong function is called.
    - Loops take the place of ``np.max``, ``np.diff`` and of arrays assigned to slices: numba needs
      seconds to compile these, most of them for the messages of errors that cannot happen.
    """
    return _compiled(function, fastmath=False)


def fused_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """As `kernel`, but a product and the sum it goes into may be one operation, rounded once.

    The bits may then differ between kinds of processors. On one machine they are the same as long
    as each sum adds one product at a time, which leaves one way to fuse them.
    """
    return _compiled(function, fastmath={"contract"})


def _compiled(function: Callable[P, R], fastmath: bool | set[str]) -> Callable[P, R]:
    compiler = partial(
        numba.njit, nogil=True, error_model="numpy", fastmath=fastmath, no_cfunc_wrapper=True
    )
    try:
        compiled = compiler(function, cache=True)
    except RuntimeError:  # pragma: no cover (tested in a process of its own)
        compiled = compiler(function)
    return cast("Callable[P, R]", compiled)
