"""How a table may be read, and what reading it gives."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from csv import reader
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron.tables._cells import some
from bicneuron.tables._conversion import Conversion
from bicneuron.tables._encoding import Encoding
from bicneuron.tables._questions import Question

if TYPE_CHECKING:
    import pandas as pd

    from bicneuron.tables._encoder import TableEncoder

_MOST_PROBLEMS = 20  # in one message
_YES = {"yes": True, "no": False}
_GONE = {
    "strict": "--show-reading shows what is converted",
    "max_memory": "unpack a large file first",
    "probes": "take the means of probes before",
    "dates": "dates are left out; write ages or durations as numbers",
}


@dataclass(frozen=True)
class Settings:
    """How a table is read where it can be read in several ways.

    Parameters
    ----------
    missing : sequence of str, default=()
        Codes for missing values, such as ``-9`` and ``nicht bestimmt``; ``age=999`` is one of the
        column ``age`` only. Row names keep them.
    keep : sequence of str, default=()
        Columns that are features also if they look like ids.
    merge : mapping of str to str, default={}
        Classes, and the class that each is taken as: ``{"relaps": "relapse"}``.
    cut : mapping of str to sequence of float, default={}
        The target and limits that cut its numbers into classes: ``{"age": [65]}`` makes the classes
        ``<65`` and ``>=65``.
    genes : str, default=None
        Where genes are in rows: column of the file that names them, such as the symbol.
    layer : str, default=None
        Layer of an ``.h5ad`` file to take instead of ``X``.
    transpose : bool, default=None
        Exchange rows and columns, for genes in rows. None does it if the target, or the ids of the
        phenotype, name rows and no columns.
    log : bool, default=None
        Take log2(x + 1) of all columns of numbers. None does if the encoder does.
    decimal : {"point", "comma"}, default=None
        Decimal mark of columns that can be read with either, such as ``241,611``.
    """

    missing: Sequence[str] = ()
    keep: Sequence[str] = ()
    merge: Mapping[str, str] = field(default_factory=dict)
    cut: Mapping[str, Sequence[float]] = field(default_factory=dict)
    genes: str | None = None
    layer: str | None = None
    transpose: bool | None = None
    log: bool | None = None
    decimal: str | None = None

    @classmethod
    def parse(cls, words: Iterable[str]) -> Self:
        """Settings of words such as ``decimal=comma``; a ValueError names what is wrong."""
        given: dict[str, Any] = {"missing": [], "keep": [], "merge": {}}
        for word in words:
            before, sign, value = word.partition("=")
            name, value = before.strip().replace("-", "_"), value.strip()
            if name in _GONE:
                raise ValueError(f"--read {name} was removed: {_GONE[name]}.")
            if name not in cls.__dataclass_fields__ or not sign or not value:
                known = ", ".join(cls.__dataclass_fields__)
                raise ValueError(f"--read {word!r} must be NAME=VALUE, with one of {known}.")
            key, _, rest = (part.strip() for part in value.rpartition("="))
            if name in ("missing", "keep"):
                given[name] += names_in(value)
            elif name == "merge":
                if not (key and rest):
                    way = "needs two names, as in --read merge=relaps=relapse"
                    raise ValueError(f"--read merge={value} {way}.")
                given[name][key] = rest
            elif name == "cut":
                given[name] = {key: _limits(value, rest)}
            elif name in ("transpose", "log") or value not in CHOICES.get(name, [value]):
                choices = CHOICES.get(name, [*_YES])
                if value not in choices:
                    raise ValueError(f"--read {name}={value} must be {' or '.join(choices)}.")
                given[name] = _YES[value]
            else:
                given[name] = value
        return cls(**given)


CHOICES = {"decimal": ["point", "comma"]}


def names_in(text: str) -> list[str]:
    """Names between commas; one with a comma goes between double quotes."""
    return [name.strip() for name in next(reader([text], skipinitialspace=True), []) if name]


def _limits(value: str, text: str) -> list[float]:
    try:
        limits = [float(limit) for limit in text.split(",")]
    except ValueError:
        limits = []
    if not limits or not all(map(math.isfinite, limits)) or value.startswith("="):
        way = "needs a column and numbers, as in --read cut=age=50,65"
        raise ValueError(f"--read cut={value} {way}.")
    return limits


@dataclass(frozen=True)
class Table:
    """Features and labels of a table, with what was guessed.

    Parameters
    ----------
    features : DataFrame of float64
        Numbers, and NaN in cells without a value. The index holds the row names, or numbers from 1
        on if there are none.
    labels : array of shape (n_rows,) or None
        Whole numbers or text; None if no target was named.
    target, id_column : str or None
        Names of the columns that labels and row names come from.
    notes : tuple of str
        What was guessed.
    questions : tuple of Question
        What a person should look at: rule, column and text with the way out.
    reading : DataFrame
        What each column is read as: kind, range, missing cells, and what was changed.
    aside : dict of str to array of shape (n_rows,) or (n_rows, n_columns)
        Columns that were set aside, by what they are for: whole numbers or text.
    covariates : DataFrame of float64 or None
        Columns of numbers that were set aside.
    encoding : Encoding
        What was decided about the columns; `encoder` is the same as a transformer.
    """

    features: "pd.DataFrame"
    labels: AnyArray | None
    target: str | None
    id_column: str | None
    notes: tuple[str, ...]
    questions: tuple[Question, ...]
    reading: "pd.DataFrame"
    aside: Mapping[str, AnyArray] = field(default_factory=dict)
    covariates: "pd.DataFrame | None" = None
    encoding: Encoding = field(default_factory=Encoding)

    @property
    def encoder(self) -> "TableEncoder":
        """The fitted transformer that makes the same features of other tables."""
        from bicneuron.tables._encoder import TableEncoder  # loads scikit-learn

        return TableEncoder.of(self.encoding)

    def shown(self, most: int | None = None) -> str:
        """The table of what was read as text, the columns that were changed first."""
        order = self.reading["changed"].eq("").argsort(kind="stable")
        rows = self.reading.iloc[order[:most]].reset_index()
        cells = [rows.columns.tolist(), *rows.astype(str).to_numpy().tolist()]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in cells]
        return "\n".join(lines)

    @property
    def summary(self) -> str:
        """What was read, in one line."""
        kinds = Counter(self.reading["kind"])
        counted = [
            f"{kinds[kind]} {kind if kinds[kind] == 1 else of}"
            for kind, of in _PLURALS.items()
            if kinds[kind]
        ]
        ids = [repr(name) for name in self.reading.index[self.reading["kind"] == "id"]]
        n_columns = len(self.reading)
        guesses = len(self.notes) + len(self.questions)
        return (
            f"{len(self.features)} rows, {n_columns} column{'s' * (n_columns != 1)}: "
            f"{', '.join(counted) or 'none'}; ids: {some(ids, 3) or 'none'}; "
            f"{f'{guesses} to check' if guesses else 'nothing was guessed'}"
        )


_PLURALS = {
    "number": "numbers",
    "yes/no": "yes/no",
    "category": "categories",
    "left out": "left out",
    "target": "targets",
    "set aside": "set aside",
}


@dataclass(frozen=True)
class Request:
    """Arguments of `read_table`."""

    target: str | None
    id_column: str | None
    drop: tuple[str, ...]
    aside: Mapping[str, tuple[str, ...]]
    encoding: Encoding | None
    another_cohort: bool
    settings: Settings

    @property
    def is_fit(self) -> bool:
        """True if the columns show what is read, and not the encoding of a fit."""
        return self.encoding is None

    @property
    def takes_all(self) -> bool:
        """True if no features are named."""
        return self.encoding is None or self.encoding.features is None

    @property
    def beside(self) -> dict[str, str]:
        """Columns that are not features, and what each is for."""
        return {name: use for use, names in self.aside.items() for name in names}

    @property
    def sources(self) -> list[str]:
        """Columns of the features of a model; in another cohort, those without a role."""
        if self.encoding is None:
            return []
        taken = {self.target, *self.beside} if self.another_cohort else set()
        return [name for name in self.encoding.sources if name not in taken]


def reading_rows(
    names: Sequence[str],
    roles: Mapping[str | None, tuple[str, str]],
    conversions: Mapping[str, Conversion],
    values: Mapping[str, FloatArray],
    missing: Mapping[str, int],
) -> Iterable[tuple[str, str, str, int, str]]:
    """What each column of a file is read as: name, kind, range, missing cells, what was changed."""
    for name in names:
        one, span = conversions.get(name), ""
        kind = "number" if one is None and name in values else one.kind if one else "left out"
        kind, about = roles.get(name, (kind, one.about if one else ""))
        if name in values and name not in roles:
            filled = values[name][np.isfinite(values[name])]
            span = f"{filled.min():g} to {filled.max():g}" if len(filled) else ""
            span = ", ".join(one.words[:4]) if one and one.words else span
        yield name, kind, span, missing.get(name, 0), about


def message_of(path: Path, problems: Sequence[str]) -> str:
    """Message of one problem in one line, or of several in one line each."""
    if len(problems) == 1:
        (problem,) = problems
        return f"{path}{' ' if problem.startswith(('has ', 'lacks ')) else ': '}{problem}"
    more = len(problems) - _MOST_PROBLEMS
    lines = [*problems[:_MOST_PROBLEMS], *([f"and {more} more"] if more > 0 else [])]
    return "\n  ".join([f"{path} has {len(problems)} problems:", *lines])
