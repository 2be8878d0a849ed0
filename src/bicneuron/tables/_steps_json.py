"""Steps in words, and as JSON to be stored with a model."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from bicneuron.exceptions import TableError
from bicneuron.tables._sheet import listed, shown
from bicneuron.tables._steps import (
    Categories,
    Classes,
    Cut,
    Dates,
    Flags,
    LeftOut,
    Log,
    MissingCodes,
    Numbers,
    Probes,
    Ranks,
    Step,
    Times,
)

_KINDS: dict[str, type[Step]] = {
    step.kind: step
    for step in (
        *(Numbers, Flags, Categories, Ranks, Dates, Times, LeftOut),
        *(MissingCodes, Classes, Cut, Probes, Log),
    )
}


# Fields of steps that hold several words.
_LISTS = ("levels", "words")


def describe_steps(steps: Iterable[Step]) -> list[str]:
    """Describe steps in words, in one line for all columns with the same step.

    Parameters
    ----------
    steps : iterable of steps
        As ``steps`` of an `Encoding`.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from bicneuron.tables._steps_json import describe_steps, steps_from_json
    >>> describe_steps(steps_from_json([{"kind": "dates", "column": "visit", "day_first": True}]))
    ["'visit': dates taken as years with a fraction, as 2021.5, read with the day first"]
    """
    columns: dict[str, list[str]] = {}
    for step in steps:
        columns.setdefault(step.description, []).append(step.column)
    columns.pop("", None)
    return [
        done if names == [""] else f"{listed(names)}: {done}" for done, names in columns.items()
    ]


def steps_to_json(steps: Iterable[Step]) -> list[dict[str, Any]]:
    r"""Convert steps to values that JSON can hold.

    Parameters
    ----------
    steps : iterable of steps
        As ``steps`` of an `Encoding`.

    Returns
    -------
    list of dict
        To store with a model.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from bicneuron.tables import read_table
    >>> from bicneuron.tables._steps_json import steps_from_json, steps_to_json
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "t.csv")
    ...     _ = path.write_text("size,smoker\n1.5,yes\n2,no\n2,no\n")
    ...     table = read_table(path)
    >>> steps_to_json(table.encoding.steps)
    [{'kind': 'flags', 'column': 'smoker', 'yes': 'yes', 'no': 'no'}]
    >>> steps_from_json(steps_to_json(table.encoding.steps)) == table.encoding.steps
    True
    """
    return [{"kind": step.kind, **asdict(step)} for step in steps]


def steps_from_json(records: Sequence[Mapping[str, Any]]) -> tuple[Step, ...]:
    """Convert the output of `steps_to_json` back to steps.

    Parameters
    ----------
    records : sequence of mappings

    Returns
    -------
    tuple of steps
        For an `Encoding`.

    Raises
    ------
    TableError
        If a record is not a step.

    Examples
    --------
    See `steps_to_json`.

    >>> from bicneuron.tables._steps_json import steps_from_json
    >>> steps_from_json([{"kind": "dates", "column": "visit", "day_first": True}])
    (Dates(column='visit', day_first=True),)
    """
    return tuple(_step(record) for record in records)


def _step(record: Mapping[str, Any]) -> Step:
    values: dict[str, Any] = {
        name: tuple(value) if name in _LISTS and isinstance(value, list) else value
        for name, value in record.items()
        if name != "kind"
    }
    kind = _KINDS.get(record.get("kind", ""))
    is_known = (
        kind is not None
        and isinstance(values.get("column"), str)
        and {*values} <= {field.name for field in fields(kind)}
        and all(map(_is_plain, values.values()))
    )
    if kind is None or not is_known:
        raise TableError(f"the model names a step that is not known: {shown(dict(record))}.")
    return kind(**values)


def _is_plain(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(isinstance(word, str) for word in value)
    return isinstance(value, str | bool | int | None)
