"""Processes that run cases one after the other, so that a crash costs a case and not the hunt."""

import multiprocessing
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory

from hardening._judge import BAD, Outcome

# Runs the case of a number in a folder; a function of a module, so that it can be sent.
Run = Callable[[int, Path], Outcome]
_STARTING = 300.0  # seconds for the first case, with which libraries are loaded


class Child:
    """A process that is started when it is first needed, and again after a crash."""

    def __init__(self, run: Run, seconds: float) -> None:
        self._run = run
        self._seconds = seconds
        self._process: multiprocessing.process.BaseProcess | None = None

    def __call__(self, number: int) -> Outcome:
        """Run the case of a number."""
        allowed = self._seconds if self._process else self._seconds + _STARTING
        if self._process is None:
            self._start()
        self._pipe.send(number)
        try:
            if self._pipe.poll(allowed):
                outcome: Outcome = self._pipe.recv()
                return outcome
        except (EOFError, ConnectionError):
            assert self._process is not None
            self._process.join()
            code = self._process.exitcode or 0
            name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            self.close()
            return Outcome(BAD, f"the process ended: {name}")
        self.close()
        return Outcome(BAD, f"no answer in {allowed:g} seconds")

    def _start(self) -> None:
        spawning = multiprocessing.get_context("spawn")
        self._folder = TemporaryDirectory()
        self._pipe, other = spawning.Pipe()
        self._process = spawning.Process(
            target=_work, args=(self._run, other, Path(self._folder.name)), daemon=False
        )
        self._process.start()
        other.close()  # so that the end of the process is seen

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._pipe.close()
            self._folder.cleanup()
            self._process = None


class Children:
    """One child for each thread that asks."""

    def __init__(self, run: Run, seconds: float) -> None:
        self._run = run
        self._seconds = seconds
        self._of_thread = threading.local()
        self._all: list[Child] = []

    def __call__(self, number: int) -> Outcome:
        """Run the case of a number in the child of this thread."""
        if not hasattr(self._of_thread, "child"):
            self._of_thread.child = Child(self._run, self._seconds)
            self._all.append(self._of_thread.child)
        outcome: Outcome = self._of_thread.child(number)
        return outcome

    def __enter__(self) -> "Children":
        return self

    def __exit__(self, *_: object) -> None:
        for child in self._all:
            child.close()


def _work(run: Run, pipe: Connection, folder: Path) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this one
    while True:
        try:
            number = pipe.recv()
        except EOFError:  # the parent is gone
            return
        pipe.send(run(number, folder))
