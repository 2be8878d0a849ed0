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

_ONE_IMPORT = threading.Lock()


def start_workers(n_jobs: int | None) -> None:
    """Start joblib's workers in advance, so that they ignore SIGINT and import what is here."""
    n_workers = effective_n_jobs(n_jobs)
    if n_workers > 1:
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
    # The resource trackers unblock the signal when they start, so they start first. Their warnings
    # about files that an interrupted run has already removed are of no use.
    before_warnings = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = "ignore"
    resource_tracker.ensure_running()
    loky_resource_tracker.ensure_running()
    if before_warnings is None:
        del os.environ["PYTHONWARNINGS"]
    else:
        os.environ["PYTHONWARNINGS"] = before_warnings
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


def one_blas_thread() -> AbstractContextManager[Any]:
    """Let BLAS use one thread: sums over several may differ in their last bits."""
    limit: AbstractContextManager[Any] = _thread_pools().limit(limits=1, user_api="blas")
    return limit


@cache
def _thread_pools() -> ThreadpoolController:
    """Thread pools of this process; finding them takes as long as training two neurons."""
    return ThreadpoolController()


def is_on_cluster() -> bool:
    """True if joblib sends tasks to a Dask cluster."""
    return _client() is not None


def share_data(*data: Any) -> tuple[Any, ...]:
    """Prepare data that many tasks share; each task opens them with `resolve_data`."""
    client = _client()
    if client is None:
        return data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Dask calls such a task a large graph
        return tuple(client.submit(_same, item, pure=False) for item in data)


def fit_on_cluster(estimator: Any, X: Any, y: Any, **known: Any) -> Any:
    """Fit on a worker of the Dask cluster, or here if there is none."""
    client = _client()
    if client is None:
        return estimator.fit(X, y, **known)
    data = share_data(estimator, X, y, known)
    fitted, told = client.submit(_fitted, *data, pure=False).result()
    for message in told:
        warnings.warn(message, stacklevel=2)
    return fitted


def _fitted(estimator: Any, X: Any, y: Any, known: dict[str, Any]) -> tuple[Any, list[Warning]]:
    """The fitted estimator, and the warnings of its fit."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        estimator.fit(X, y, **known)
    return estimator, [one.message for one in told if isinstance(one.message, UserWarning)]


def resolve_data(*data: Any) -> tuple[Any, ...]:
    """Return the data that `share_data` prepared; without a cluster they are as they were."""
    return tuple(item.result() if hasattr(item, "result") else item for item in data)


def _client() -> Any:
    return getattr(get_active_backend()[0], "client", None)


def _same(item: Any) -> Any:
    return item
