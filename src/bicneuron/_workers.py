"""Worker processes that leave Ctrl-C to the one that started them."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker

from joblib import Parallel, delayed, effective_n_jobs
from joblib.externals.loky.backend import resource_tracker as loky_resource_tracker


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
