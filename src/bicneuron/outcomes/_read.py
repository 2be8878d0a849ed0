"""What ``y`` is: classes, numbers or survival."""

from typing import Any

import numpy as np

from bicneuron._core._arrays import AnyArray
from bicneuron.outcomes._kind import are_numbers
from bicneuron.outcomes._outcome import Numbers, Outcome, Survival

TIMES, EVENTS = ("time", "duration"), ("event", "status")


def as_outcome(y: Any) -> Outcome | None:
    """Numbers or survival; None for classes, or for nothing.

    Survival is a `Survival`, a structured array of an event and a time, as scikit-survival has it,
    or a frame with both columns. Numbers are `Numbers`, or what `are_numbers` says.
    """
    if y is None or isinstance(y, Outcome):
        return y
    if isinstance(y, tuple):
        raise TypeError("y is a tuple; give Survival(time, event) of bicneuron.outcomes.")
    if hasattr(y, "columns") and np.ndim(y) == 2 and np.shape(y)[1] == 2:
        return _of_two({str(name): y[name] for name in y.columns})
    values = np.asarray(y)
    if values.dtype.names is not None:
        return _of_two({name: values[name] for name in values.dtype.names})
    if values.ndim != 1:
        return None
    numbers = _as_numbers(values)
    name = getattr(y, "name", None)
    if numbers is None or not are_numbers(numbers):
        return None
    return Numbers(numbers, name="y" if name is None else str(name))


def _as_numbers(values: AnyArray) -> AnyArray | None:
    """Floats, or None of words and of truth values."""
    if values.dtype.kind in "iuf":
        return values.astype(np.float64)
    if values.dtype.kind != "O":
        return None
    known = [one for one in values.tolist() if one is not None and one == one]
    if not known or any(isinstance(one, bool | str | bytes) for one in known):
        return None
    try:
        return values.astype(np.float64)
    except (TypeError, ValueError):
        return None


def _of_two(columns: dict[str, Any]) -> Survival:
    """Survival of two columns, of which one is an event."""
    names = [*columns]
    if len(names) != 2:
        raise ValueError(f"y has the columns {names}; survival has two, a time and an event.")
    is_event = [np.asarray(columns[name]).dtype.kind == "b" for name in names]
    if sum(is_event) != 1:
        lower = [name.lower() for name in names]
        is_event = [one in EVENTS for one in lower]
        if sum(is_event) != 1:
            is_event = [one not in TIMES for one in lower]
    if sum(is_event) != 1:
        raise ValueError(
            f"which of the columns {names} of y is the event is not clear; call them time and "
            "event, or give Survival(time, event) of bicneuron.outcomes."
        )
    event, time = names[is_event.index(True)], names[is_event.index(False)]
    return Survival(columns[time], columns[event], name=time, event_name=event)
