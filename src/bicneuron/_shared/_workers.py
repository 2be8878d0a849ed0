"""Worker processes: they ignore SIGINT, get shared data once and use one BLAS thread each."""

import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from importlib import import_module
from multiprocessing import resource_tracker
from typing import Any

from joblib import Parallel, delayed, effective_n_jobs
from joblib.externals.loky.backend import resource_tracker as loky_resource_tracker
from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController

from bicneuron._core._sorting import above

_ONE_IMPORT = threading.Lock()


def start_workers(n_jobs: int | None) -> None:
    """Start joblib's workers in advance, so that they ignore SIGINT and import what is here."""
    n_workers = effective_n_jobs(n_jobs)
    if n_workers > 1:
        above(1.0)  # where kernels are not compiled yet this says so, and workers do not
        modules = [name for name in sys.modules if name.startswith("bicneuron.")]
        with interrupts_held():
            Parallel(n_jobs=n_jobs)(delayed(_import_all)(modules) for _ in range(n_workers))


def _import_all(modules: list[str]) -> None:
    with _ONE_IMPORT:  # two threads of a worker would see modules that are half made
        for name in modules:
            import_module(name)


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold SIGINT back while processes are started, and block it in them."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    _start_trackers()
    received_signals = []
    before = signal.signal(signal.SIGINT, lambda *_: received_signals.append(True))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, before)
    if received_signals:
        signal.raise_signal(signal.SIGINT)


def _start_trackers() -> None:
    """Start the resource trackers, which unblock the signal; their warnings are of no use."""
    before = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = "ignore"
    resource_tracker.ensure_running()
    loky_resource_tracker.ensure_running()
    del os.environ["PYTHONWARNINGS"]
    if before is not None:
        os.environ["PYTHONWARNINGS"] = before


def one_blas_thread() -> AbstractContextManager[Any]:
    """Let BLAS use one thread: sums over several may differ in their last bits."""
    limit: AbstractContextManager[Any] = _thread_pools().limit(limits=1, user_api="blas")
    return limit


_thread_pools = cache(ThreadpoolController)  # finding them takes as long as training two neurons


def dask_client() -> Any:
    """The client of the Dask cluster that joblib sends tasks to, or None."""
    return getattr(get_active_backend()[0], "client", None)


def share_data(*data: Any) -> tuple[Any, ...]:
    """Prepare data that many tasks share; each task opens them with `resolve_data`."""
    client = dask_client()
    if client is None:
        return data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Dask calls such a task a large graph
        return tuple(client.submit(_same, item, pure=False) for item in data)


def _same(item: Any) -> Any:
    return item


def resolve_data(*data: Any) -> tuple[Any, ...]:
    """Return the data that `share_data` prepared; without a cluster they are as they were."""
    return tuple(item.result() if hasattr(item, "result") else item for item in data)
