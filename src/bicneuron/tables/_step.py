"""What all conversions of a column have in common, and their description in words and in JSON."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, NamedTuple, TypeVar

from bicneuron._core._arrays import FloatArray
from bicneuron.exceptions import TableError
from bicneuron.tables._numbers import COMMA, POINT, Reading
from bicneuron.tables._sheet import Column, listed, shown

DECIMALS = {"point": POINT, "comma": COMMA}
ORDERS = {"day-first": True, "month-first": False}
Meaning = TypeVar("Meaning")
_KINDS: dict[str, type["Step"]] = {}  # those of `_steps`


class NumberFormat(NamedTuple):
    """Notation of numbers and dates in a table; None where it is neither stated nor shown."""

    decimal: str | None = None
    day_first: bool | None = None

    @classmethod
    def of(cls, decimal: str | None, dates: str | None) -> "NumberFormat":
        """Return the notation of arguments such as "comma" and "day-first"."""
        return cls(one_of("decimal", decimal, DECIMALS), one_of("dates", dates, ORDERS))


def one_of(parameter: str, word: str | None, meanings: Mapping[str, Meaning]) -> Meaning | None:
    """Return the meaning of a word, None of None; refuse other words."""
    if word is not None and word not in meanings:
        raise ValueError(f"{parameter}={word!r} must be one of {', '.join(meanings)}.")
    return None if word is None else meanings[word]


class ColumnResult(NamedTuple):
    """Result of a step for one column."""

    values: list[FloatArray]  # one array for each feature; NaN where there is no value
    missing: list[int]  # rows without a value
    wrong: dict[int, str]  # rows that cannot be read, and why, to follow "which"
    refused: str = ""  # problem of the whole column, to follow its name
    notes: tuple[str, ...] = ()  # on this table, besides the step itself


def refused(why: str) -> ColumnResult:
    return ColumnResult([], [], {}, why)


@dataclass(frozen=True)
class Step:
    """Conversion of one column; its kind is its name in a model file."""

    kind: ClassVar[str]
    ending: ClassVar[str] = ""  # what is added to the name of the column
    column: str

    def __init_subclass__(cls, kind: str = "") -> None:
        cls.kind = kind
        _KINDS.update({kind: cls} if kind else {})

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features that it makes."""
        return (self.column + self.ending,)

    @property
    def description(self) -> str:
        """Description to follow the name of the column; empty for plain numbers."""
        raise NotImplementedError

    def apply(self, column: Column, reading: Reading, number_format: NumberFormat) -> ColumnResult:
        """Convert a column that was also read as numbers."""
        raise NotImplementedError


def describe_steps(steps: Iterable[Step]) -> list[str]:
    """Describe steps in words, in one line for all columns with the same step."""
    columns: dict[str, list[str]] = {}
    for step in steps:
        columns.setdefault(step.description, []).append(step.column)
    columns.pop("", None)
    return [
        done if names == [""] else f"{listed(names)}: {done}" for done, names in columns.items()
    ]


def steps_to_json(steps: Iterable[Step]) -> list[dict[str, Any]]:
    """Convert steps to values that JSON can hold, to be stored with a model."""
    return [{"kind": step.kind, **asdict(step)} for step in steps]


def steps_from_json(records: Iterable[Mapping[str, Any]]) -> tuple[Step, ...]:
    """Convert the output of `steps_to_json` back to steps; refuse what is none."""
    return tuple(map(_step, records))


def _step(record: Mapping[str, Any]) -> Step:
    kind = _KINDS.get(record.get("kind", ""))
    values: dict[str, Any] = {
        name: tuple(value) if name in ("levels", "words") and isinstance(value, list) else value
        for name, value in record.items()
        if name != "kind"
    }
    if (
        kind is None
        or not isinstance(values.get("column"), str)
        or not {*values} <= {field.name for field in fields(kind)}
        or not all(map(_is_plain, values.values()))
    ):
        raise TableError(f"the model names a step that is not known: {shown(dict(record))}.")
    return kind(**values)


def _is_plain(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(isinstance(word, str) for word in value)
    return isinstance(value, str | bool | int | None)
