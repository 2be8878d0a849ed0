"""Compilation of the kernels.

Division follows numpy: kernels never divide by zero, which the tests verify in plain Python. In a
kernel `ascending` takes the place of ``np.argsort``: numba names its own by running numbers, which
can coincide between a compiled and a cached one, and then calls the wrong function. Loops take the
place of ``np.max``, ``np.diff`` and of arrays assigned to slices, which take seconds to compile.
"""

import logging
from collections.abc import Callable
from functools import partial
from multiprocessing import parent_process
from typing import Any, ParamSpec, TypeVar, cast

import numba
from numba.core.event import Event, Listener, register
from numba.extending import intrinsic, overload

P = ParamSpec("P")
R = TypeVar("R")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile ``function`` at its first call, release the GIL in it, and cache the code on disk."""
    compiler = partial(numba.njit, nogil=True, error_model="numpy", no_cfunc_wrapper=True)
    try:
        compiled = compiler(function, cache=True)
    except RuntimeError:  # pragma: no cover (tested in a process of its own)
        compiled = compiler(function)
    return cast("Callable[P, R]", compiled)


class _FirstUse(Listener):
    """Tells once that kernels are compiled, which takes long; numba did not find their code."""

    is_told = parent_process() is not None  # workers, of which there are many, say nothing

    def on_start(self, event: Event) -> None:  # pragma: no cover (in processes of their own)
        """Tell it before the first one."""
        function = event.data["dispatcher"]
        if not self.is_told and str(function.py_func.__module__).startswith("bicneuron."):
            self.is_told = True
            is_kept = function.stats.cache_path is not None
            how_often = "once on this machine" if is_kept else "again in each process"
            log = logging.getLogger("bicneuron")
            log.warning("compiling kernels of bicneuron, %s (up to half a minute)", how_often)

    def on_end(self, event: Event) -> None:
        """Say nothing."""


register("numba:compile", _FirstUse())  # type: ignore[no-untyped-call]  # numba has no types


def fused(a: Any, b: Any, c: Any) -> Any:
    """``a * b + c``, in a kernel rounded once: as fast, and the same bits on every processor."""
    return a * b + c


def _rounded_once(_: Any, a: Any, b: Any, c: Any) -> Any:  # pragma: no cover (runs in numba)
    return a(a, b, c), lambda _, builder, __, arguments: builder.fma(*arguments)


_in_kernels: Any = intrinsic(_rounded_once)
overload(fused)(lambda a, b, c: lambda a, b, c: _in_kernels(a, b, c))
