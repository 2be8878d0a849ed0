"""Run folds in processes, here or on a cluster; finished folds are stored and not run again."""

import os
import signal
import threading
import time
import warnings
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from functools import cache
from pathlib import Path

from joblib import Parallel, delayed, effective_n_jobs
from joblib.externals.loky.process_executor import TerminatedWorkerError

from bicneuron._workers import interrupts_held, is_on_cluster, received, shipped
from bicneuron.experiments._folds import Fold, run_fold
from bicneuron.experiments._models import Model
from bicneuron.experiments._problems import Problem
from bicneuron.experiments._protocols import Protocol
from bicneuron.experiments._records import (
    ExperimentError,
    FailedFoldError,
    FoldRecord,
    read_record,
    write_record,
)

# A cluster worker may have several threads, but warning filters and the thread limits of libraries
# apply to the whole process.
ONE_FOLD = threading.Lock()


def read_finished(
    folds: Iterable[Fold], out: Path, *, force: bool = False
) -> tuple[list[FoldRecord], list[Fold]]:
    """Separate finished folds from those that are still to be run.

    Parameters
    ----------
    folds : iterable of Fold
    out : Path
        Output folder.
    force : bool, default=False
        Treat folds whose record is incomplete, or was made with other settings or versions, as
        not finished. Otherwise such a record raises an `ExperimentError`.

    Returns
    -------
    records : list of FoldRecord
    missing : list of Fold
    """
    records, missing = [], []
    for fold in folds:
        try:
            records.append(read_record(out / fold.path, fold.settings))
        except FileNotFoundError:
            missing.append(fold)
        except ExperimentError:
            if not force:
                raise
            missing.append(fold)
    return records, missing


def run_folds(folds: Sequence[Fold], out: Path, *, n_jobs: int = 1) -> Iterator[FoldRecord]:
    """Run folds, the largest data sets first, and write each record as soon as it is finished.

    Only this process writes, atomically per fold: if a process is killed at any time, a fold is
    either stored completely or still to be run.

    Parameters
    ----------
    folds : sequence of Fold
    out : Path
        Output folder.
    n_jobs : int, default=1
        Processes; under ``joblib.parallel_config(backend="dask")`` the workers of the cluster.

    Yields
    ------
    FoldRecord
        After it was written, in the order in which folds finish.
    """
    ordered = sorted(folds, key=lambda fold: fold.problem.X.size, reverse=True)
    parallel = Parallel(
        n_jobs=n_jobs,
        return_as="generator_unordered",
        batch_size=1,
        max_nbytes=1000,  # pass data by file: tasks that fill a pipe would block an early stop
    )
    with ExitStack() as stack:
        stack.enter_context(_lost_tasks_ignored())
        distinct = list(dict.fromkeys(fold.problem for fold in ordered))
        problems = dict(zip(distinct, shipped(*distinct), strict=True))
        parent = None if is_on_cluster() else os.getpid()
        with interrupts_held() if effective_n_jobs(n_jobs) > 1 else nullcontext():
            results = parallel(
                delayed(_run)(
                    problems[fold.problem], fold.protocol, fold.model, fold.index, fold.seed, parent
                )
                for fold in ordered
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


def _stop(results: Generator[FoldRecord, None, None]) -> None:
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


def _run(
    problem: Problem, protocol: Protocol, model: Model, index: int, seed: int, parent: int | None
) -> FoldRecord:
    if parent is not None and os.getpid() != parent:
        _follow(parent)
    (problem,) = received(problem)
    fold = Fold(protocol, problem, model, index, seed)
    try:
        with ONE_FOLD:
            return run_fold(fold)
    except Exception as error:  # whatever a model raises, the message names the fold
        reason = " ".join(str(error).split())
        raise FailedFoldError(
            f"fold {fold.index} of {fold.model.name} on {fold.problem.name} "
            f"({fold.protocol.name} protocol) failed: {type(error).__name__}: {reason}"
        ) from error


@cache
def _follow(parent: int) -> None:
    """Ignore SIGINT and exit with the parent: joblib's workers would live on for minutes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)  # there is no portable notification of the death of the parent
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
