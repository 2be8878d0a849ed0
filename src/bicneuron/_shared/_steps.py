"""Steps of a long search, told to whoever wants to know how far it is."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# Called with the number of steps that are done and the number of all.
AfterStep = Callable[[int, int], None]
_listener: ContextVar[AfterStep | None] = ContextVar("listener", default=None)


@contextmanager
def listening(after_step: AfterStep) -> Iterator[None]:
    """Call a function after each step of the searches in this thread."""
    token = _listener.set(after_step)
    try:
        yield
    finally:
        _listener.reset(token)


def tell_step(n_done: int, n_steps: int) -> None:
    """Tell how many steps are done."""
    after_step = _listener.get()
    if after_step is not None:
        after_step(n_done, n_steps)
