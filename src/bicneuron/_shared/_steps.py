"""How far long work is, told to whoever shows it, such as a command."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any, TypeVar

AfterStep = Callable[[int, int], None]
Showing = Callable[[str, str], AbstractContextManager[Any]]
Result = TypeVar("Result")
_listener: ContextVar[AfterStep | None] = ContextVar("listener", default=None)
_showing: ContextVar[Showing | None] = ContextVar("showing", default=None)


def listening(after_step: AfterStep | None) -> AbstractContextManager[None]:
    """Call a function with the numbers of steps done and of all after each in this thread."""
    return _holding(_listener, after_step)


def showing_work(showing: Showing) -> AbstractContextManager[None]:
    """Show each part of the work that names itself by `working`."""
    return _holding(_showing, showing)


@contextmanager
def _holding(variable: ContextVar[Any], value: Any) -> Iterator[None]:
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def working(on: str, unit: str = "") -> AbstractContextManager[Any]:
    """Name a part of the work, and what its steps are."""
    showing = _showing.get()
    return nullcontext() if showing is None else showing(on, unit)


def tell_step(n_done: int, n_steps: int) -> None:
    """Tell how many steps are done."""
    after_step = _listener.get()
    if after_step is not None:
        after_step(n_done, n_steps)


def step_by_step(results: Iterable[Result], n_steps: int) -> list[Result]:
    """Compute results and tell of each; what is told inside of a step is not passed on."""
    after_step, found = _listener.get(), []
    with listening(None):
        for n_done, result in enumerate(results, start=1):
            found.append(result)
            if after_step is not None:
                after_step(n_done, n_steps)
    return found
