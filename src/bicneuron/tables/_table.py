"""How a table may be read, and what reading it gives."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bicneuron._core._arrays import AnyArray
from bicneuron.tables._cells import listed
from bicneuron.tables._encoding import Encoding
from bicneuron.tables._questions import Question

if TYPE_CHECKING:
    import pandas as pd

    from bicneuron.tables._encoder import TableEncoder


@dataclass(frozen=True)
class Settings:
    """How a table is read where it can be read in several ways.

    Parameters
    ----------
    missing : sequence of str, default=()
        Codes for missing values, such as ``-9``; ``age=999`` is one of the column ``age`` only.
    keep : sequence of str, default=()
        Columns that are features also if they look like ids.
    merge : mapping of str to str, default={}
        Classes, and the class that each is taken as: ``{"relaps": "relapse"}``.
    numbers, classes : sequence of str, default=()
        Targets that are taken as numbers, or as classes, where both are possible.
    layer : str, default=None
        Layer of an ``.h5ad`` file to take instead of ``X``.
    transpose : bool, default=None
        Exchange rows and columns. None does if the target or ids of the phenotype name rows only.
    log : bool, default=None
        Take log2(x + 1) of all columns of numbers. None does if the encoder does.
    decimal : {"point", "comma"}, default=None
        Decimal mark of columns that can be read with either, such as ``241,611``.
    """

    missing: Sequence[str] = ()
    keep: Sequence[str] = ()
    merge: Mapping[str, str] = field(default_factory=dict)
    numbers: Sequence[str] = ()
    classes: Sequence[str] = ()
    layer: str | None = None
    transpose: bool | None = None
    log: bool | None = None
    decimal: str | None = None


@dataclass(frozen=True)
class Request:
    """Arguments of `read_table`; without an encoding, the columns show what they hold."""

    target: str | None
    id_column: str | None = None
    drop: tuple[str, ...] = ()
    aside: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    encoding: Encoding | None = None
    another_cohort: bool = False
    takes_numbers: bool = False
    settings: Settings = field(default_factory=Settings)

    @property
    def beside(self) -> dict[str, str]:
        """Columns that are not features, and what each is for."""
        return {name: use for use, names in self.aside.items() for name in names}

    @property
    def sources(self) -> list[str]:
        """Columns of the features of a model; in another cohort, those without a role."""
        known = () if self.encoding is None else self.encoding.sources
        taken = {self.target, *self.beside} if self.another_cohort else set()
        return [name for name in known if name not in taken]


@dataclass(frozen=True)
class Table:
    """Features and labels of a table, with what was guessed.

    Parameters
    ----------
    features : DataFrame of float64
        Numbers, and NaN in cells without a value; the index holds row names, or numbers from 1 on.
    labels : array of shape (n_rows,) or None
        Whole numbers or text; None if no target was named.
    target, id_column : str or None
        Names of the columns that labels and row names come from.
    notes, questions : tuple of str, tuple of Question
        What was guessed; what a person should look at: rule, column and text with the way out.
    reading : DataFrame
        What each column is read as: kind, range, missing cells, and what was changed.
    aside : dict of str to array of shape (n_rows,) or (n_rows, n_columns)
        Columns that were set aside, by what they are for: whole numbers or text.
    covariates, outcome : DataFrame of float64 or None
        Columns of numbers that were set aside: covariates, and a numeric target or a time and an
        event, of which cells may be missing.
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
    outcome: "pd.DataFrame | None" = None
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
        return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in cells)

    @property
    def summary(self) -> str:
        """What was read, in one line."""
        plurals = {"number": "numbers", "category": "categories", "date": "dates"}
        ids = listed(self.reading.index[self.reading["kind"] == "id"], 3)
        kinds = Counter(kind for kind in self.reading["kind"] if kind != "id")
        counted = [f"{n} {plurals.get(kind, kind) if n > 1 else kind}" for kind, n in kinds.items()]
        n_columns, n_guesses = len(self.reading), len(self.notes) + len(self.questions)
        guessed = f"{n_guesses} to check" if n_guesses else "nothing was guessed"
        size = f"{len(self.features)} rows, {n_columns} column{'s' * (n_columns != 1)}"
        return f"{size}: {', '.join(counted) or 'none'}; ids: {ids or 'none'}; {guessed}"
