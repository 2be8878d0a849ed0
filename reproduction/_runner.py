"""Run folds in processes, here or on a cluster; finished folds are stored and not run again."""

import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from functools import cache
from pathlib import Path
from typing import Any, Protocol, TypeVar

from joblib import Parallel, delayed, effective_n_jobs
from joblib.externals.loky.process_executor import TerminatedWorkerError

from bicneuron._shared._workers import dask_client, interrupts_held, resolve_data, share_data
from reproduction._records import AnyRecord, Record, write_record
from reproduction.exceptions import (
    DamagedRecordError,
    DamagedRecordWarning,
    ExperimentError,
    FailedFoldError,
)

GivenRecord = TypeVar("GivenRecord", bound=Record, covariant=True)

# A cluster worker may have several threads, but warning filters and the thread limits of libraries
# apply to the whole process.
ONE_FOLD = threading.Lock()


class Task(Protocol[GivenRecord]):
    """Anything that can be run and recorded, such as a fold."""

    @property
    def title(self) -> str:
        """Name in error messages."""

    @property
    def data(self) -> Any:
        """Data that tasks share, hashable; they are sent to a worker once."""

    @property
    def size(self) -> int:
        """Number of values in the data; large tasks are run first."""

    def read(self, out: Path) -> GivenRecord:
        """Read its record from the output folder."""

    def job(self) -> Callable[[Any], GivenRecord]:
        """Return a function that computes the record from the data."""


def read_finished(
    folds: Iterable[Task[AnyRecord]], out: Path, *, force: bool = False
) -> tuple[list[AnyRecord], list[Task[AnyRecord]]]:
    """Separate finished folds from those that are still to be run."""
    records, missing = [], []
    for fold in folds:
        try:
            records.append(fold.read(out))
        except FileNotFoundError:
            missing.append(fold)
        except DamagedRecordError as error:
            warnings.warn(f"{error} The fold is run again.", DamagedRecordWarning, stacklevel=2)
            missing.append(fold)
        except ExperimentError:
            if not force:
                raise
            missing.append(fold)
    return records, missing


def run_folds(
    folds: Sequence[Task[AnyRecord]], out: Path, *, n_jobs: int = 1
) -> Iterator[AnyRecord]:
    """Run folds, the largest data sets first, and write each record as soon as it is finished.

    Only this process writes, atomically per fold: if a process is killed at any time, a fold is
    either stored completely or still to be run.
    """
    ordered = sorted(folds, key=lambda fold: fold.size, reverse=True)
    parallel = Parallel(
        n_jobs=n_jobs,
        return_as="generator_unordered",
        batch_size=1,
        max_nbytes=1000,  # pass data by file: tasks that fill a pipe would block an early stop
    )
    with ExitStack() as stack:
        stack.enter_context(_lost_tasks_ignored())
        distinct = list(dict.fromkeys(fold.data for fold in ordered))
        shared = dict(zip(distinct, share_data(*distinct), strict=True))
        parent = os.getpid() if dask_client() is None else None
        with interrupts_held() if effective_n_jobs(n_jobs) > 1 else nullcontext():
            results = parallel(
                delayed(_run)(shared[fold.data], fold.job(), fold.title, parent) for fold in ordered
            )
            stack.callback(_stop, results)
        try:
            for record in results:
                write_record(out, record)
                yield record
        except TerminatedWorkerError as error:
            raise FailedFoldError(
                f"a worker process died, perhaps for lack of memory; use fewer --jobs than "
                f"{effective_n_jobs(n_jobs)}. The finished folds are kept."
            ) from error


def _stop(results: Generator[Any, None, None]) -> None:
    with warnings.catch_warnings():
        # joblib warns of the unfinished folds of a run that is stopped early.
        warnings.simplefilter("ignore")
        results.close()


@contextmanager
def _lost_tasks_ignored() -> Iterator[None]:
    """Hide the KeyError of joblib's thread for a task that was cancelled when a run was stopped."""
    show = threading.excepthook

    def show_others(args: threading.ExceptHookArgs) -> None:
        if args.exc_type is not KeyError:
            show(args)

    threading.excepthook = show_others
    try:
        yield
    finally:
        threading.excepthook = show


def _run(data: Any, job: Callable[[Any], AnyRecord], title: str, parent: int | None) -> AnyRecord:
    if parent is not None and os.getpid() != parent:
        _follow(parent)
    (data,) = resolve_data(data)
    try:
        with ONE_FOLD:
            return job(data)
    except Exception as error:  # whatever a model raises, the message names the fold
        reason = " ".join(str(error).split())
        raise FailedFoldError(f"{title} failed: {type(error).__name__}: {reason}") from error


@cache
def _follow(parent: int) -> None:
    """Ignore SIGINT and exit with the parent: joblib's workers would live on for minutes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)  # there is no portable notification of the death of the parent
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
