"""Worker processes: they leave Ctrl-C to the one that started them, and get their data once."""

import os
import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any

from joblib import Parallel, delayed, effective_n_jobs
from joblib.externals.loky.backend import resource_tracker as loky_resource_tracker
from joblib.parallel import get_active_backend


def start_workers(n_jobs: int | None) -> None:
    """Start joblib's processes, for whoever will use so many, so that they do not hear Ctrl-C."""
    n_workers = effective_n_jobs(n_jobs)
    if n_workers > 1:
        with interrupts_held():
            Parallel(n_jobs=n_jobs)(delayed(int)() for _ in range(n_workers))


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Start processes that do not hear Ctrl-C; one that comes meanwhile takes effect afterwards.

    A terminal sends it to all processes, and each would show a traceback of its own. A signal that
    is blocked while a process is started stays blocked in it.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # These unblock the signal when they are started, and joblib would start them in between. Of
    # files that a stopped run has removed before them they need not warn.
    before_warnings = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = "ignore"
    resource_tracker.ensure_running()
    loky_resource_tracker.ensure_running()
    if before_warnings is None:
        del os.environ["PYTHONWARNINGS"]
    else:
        os.environ["PYTHONWARNINGS"] = before_warnings
    heard = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append(True))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, before)
    if heard:
        signal.raise_signal(signal.SIGINT)


def is_on_cluster() -> bool:
    """Whether joblib hands tasks to a Dask cluster."""
    return _client() is not None


def shipped(*data: Any) -> tuple[Any, ...]:
    """Give data that many tasks share in the form in which each task is given them.

    On a Dask cluster each becomes a task of its own: it travels once, and is made again when the
    worker that holds it dies; what joblib scatters by itself would be lost. Elsewhere data stay as
    they are. A task opens what it is given by `received`.
    """
    client = _client()
    if client is None:
        return data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Dask calls such a task a large graph
        return tuple(client.submit(_same, part, pure=False) for part in data)


def received(*data: Any) -> tuple[Any, ...]:
    """Open what was `shipped`; joblib runs tasks for a cluster of a single core where it is."""
    return tuple(part.result() if hasattr(part, "result") else part for part in data)


def _client() -> Any:
    return getattr(get_active_backend()[0], "client", None)


def _same(part: Any) -> Any:
    return part
