"""The columns and rows of patterns as plain lists, for other tools."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron._shared._formats import class_name, escape_formula
from bicneuron._shared._names import feature_names, row_names
from bicneuron.patterns import (
    Pattern,
    check_patterns,
    column_importance,
    direction_words,
    pattern_differences,
)
from bicneuron.report._records import Found, class_labels, found_patterns, mean_of, table_values
from bicneuron.significance import ColumnEvidence

Record = dict[str, Any]
# What a test says of a column, and what of it the ranking has.
TESTED = ("effect", "low", "high", "p", "p_corrected", "proven")
IN_RANKING = ("effect", "p", "p_corrected", "proven")
NOT_TESTED: Record = {**dict.fromkeys(TESTED), "proven": False}
NO_DIRECTION = ("equal", "not clear")


@dataclass(frozen=True)
class PatternLists:
    """Lists of the columns and rows of patterns, which are numbered from 1.

    Means are in the units of the table, over the cells that are not missing.

    Parameters
    ----------
    columns : list of dict
        One for each column of each pattern: ``column``, ``pattern``, its ``rank`` in the pattern,
        the classes of its ``group`` and ``contrast``, the ``direction`` and ``difference`` of their
        means, and the mean of each class. With evidence of columns, the clearest come first,
        followed by those that are proven though the pattern does not have them (``in_pattern``);
        the difference is that of rows that did not choose the column, and ``effect``, ``low``,
        ``high``, ``p``, ``p_corrected`` and ``proven`` are those of `ColumnEvidence`.
    ranking : list of dict
        One for each column of ``columns``, most important first: ``rank``, ``column``,
        ``importance`` (shares of the patterns, divided among their columns; they add up to 1; a
        pattern with a negative strength has none), the ``patterns`` that have it and the mean of
        each class. With evidence of columns, those of the pattern in which a column is clearest.
    rows : list of dict
        One for each row of each pattern: ``pattern``, ``row``, its ``class``, its ``side`` (group
        or contrast) and its ``score``, which speaks for the group if it is above 0.
    gene_sets : list of (str, str, list of str)
        Name, description and columns in which the group of a pattern is higher, or lower; with
        evidence of columns, those of its own that are proven.
    background : list of str
        All columns of the table: what enrichment is to be compared with.
    effects : dict of int to list of float
        For each pattern with evidence, standardised differences of all columns of ``background``.
    """

    columns: list[Record]
    ranking: list[Record]
    rows: list[Record]
    gene_sets: list[tuple[str, str, list[str]]]
    background: list[str]
    effects: dict[int, list[float]]

    @property
    def gmt(self) -> str:
        """The gene sets as a GMT file, which enrichment tools read."""
        return "".join(
            "\t".join(map(_field, (name, description, *columns))) + "\n"
            for name, description, columns in self.gene_sets
        )

    @property
    def rnk(self) -> dict[int, str]:
        """For each pattern with evidence, all columns, the largest effect first (RNK)."""
        ranked = {}
        for number, effects in self.effects.items():
            lines = sorted(zip(self.background, effects, strict=True), key=lambda one: -one[1])
            ranked[number] = "".join(f"{_field(name)}\t{effect!r}\n" for name, effect in lines)
        return ranked

    @property
    def files(self) -> dict[str, str]:
        """The lists as files, by name, as pages and ``bicneuron find`` write them."""
        lists = {"genes.csv": self.columns, "ranking.csv": self.ranking, "rows.csv": self.rows}
        tables = {name: csv_text(records) for name, records in lists.items()}
        background = "".join(f"{_field(name)}\n" for name in self.background)
        ranked = {f"pattern-{number}.rnk": text for number, text in self.rnk.items()}
        return {**tables, "patterns.gmt": self.gmt, "background.txt": background, **ranked}


def pattern_lists(
    model: Any, X: Any, y: Any = None, *, evidence: Sequence[ColumnEvidence] = ()
) -> PatternLists:
    """List the columns and rows of the patterns of a fitted model.

    Parameters
    ----------
    model : a miner, BicNeuronNetwork or BicNeuronClassifier
        Fitted.
    X : frame or array-like of shape (n_rows, n_columns)
        The data it was fitted on; other data are refused.
    y : array-like of shape (n_rows,), default=None
        Classes of the rows; without them the lists have no means of classes.
    evidence : sequence of ColumnEvidence, default=()
        Results of `bicneuron.significance.column_evidence` for some or all of the patterns. Columns
        are ranked by them, and those that are not proven are marked.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bicneuron import BicNeuronNetwork, PatternClassifier
    >>> from bicneuron.report import pattern_lists
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = PatternClassifier(random_state=0).fit(X[::4], y[::4])
    >>> lists = pattern_lists(model, X[::4], y[::4])
    >>> lists.columns[0]["rank"], lists.columns[0]["group"], lists.columns[0]["contrast"]
    (1, '0', '1')
    >>> round(sum(line["importance"] for line in lists.ranking), 6)
    1.0
    """
    check_patterns(model, "pattern_lists")
    if not model.patterns_:
        raise ValueError(f"{type(model).__name__} found no pattern; there is nothing to list.")
    labels, values, names = class_labels(y), table_values(model, X), feature_names(model)
    model.check_table(X, labels)
    of_classes = class_means(values, labels)
    patterns = found_patterns(model, X, evidence)
    any_tested = any(one.tested is not None for one in patterns)
    columns = [
        line for one in patterns for line in _columns(one, values, names, of_classes, any_tested)
    ]
    effects = {one.number: one.tested.effect for one in patterns if one.tested is not None}
    return PatternLists(
        columns=columns,
        ranking=_ranking(model.patterns_, names, columns),
        rows=[*_rows(patterns, row_names(X, len(values)), labels)],
        gene_sets=[*_gene_sets(patterns, columns)],
        background=names,
        effects={number: np.nan_to_num(effect).tolist() for number, effect in effects.items()},
    )


def csv_text(records: Sequence[Record]) -> str:
    """Records with the same keys as CSV: numbers with all digits, nothing for a missing one."""
    buffer = io.StringIO()
    lines = [*records[:1], *(record.values() for record in records)]
    csv.writer(buffer, lineterminator="\n").writerows(map(_cell, line) for line in lines)
    return buffer.getvalue()


def class_means(values: FloatArray, labels: AnyArray | None) -> dict[str, FloatArray]:
    """Mean of each column in each class, by the names that lists and pages give them."""
    known = [] if labels is None else np.unique(labels).tolist()
    return {f"mean of {label}": mean_of(values[labels == label]) for label in known}


def _columns(
    one: Found,
    values: FloatArray,
    names: Sequence[str],
    of_classes: Mapping[str, FloatArray],
    any_tested: bool,
) -> Iterator[Record]:
    """The columns of a pattern, and others that are proven."""
    pattern, tested = one.pattern, one.tested
    columns = pattern.ranked_columns if tested is None else tested.listed_columns
    inside, outside = (mean_of(values[np.ix_(rows, columns)]) for rows in one.sides)
    differences = pattern_differences(pattern, values, one.scores > 0, columns).difference
    words = direction_words(differences)
    if pattern.kind == "coexpressed":
        words = [pattern.direction_words[place] for place in pattern.column_order.tolist()]
    group, contrast = _side_names(pattern)
    for place, column in enumerate(columns.tolist()):
        test: Record = {}
        if any_tested:
            own = NOT_TESTED if tested is None else tested.record(column)
            test = {"in_pattern": column in pattern.columns, **own}
        yield {
            "column": names[column],
            "pattern": one.number,
            "rank": place + 1,
            "group": group,
            "contrast": contrast,
            "direction": words[place],
            "difference": float(differences[place]),
            **test,
            "mean_in_group": float(inside[place]),
            "mean_in_contrast": float(outside[place]),
            **{name: float(means[column]) for name, means in of_classes.items()},
        }


def _ranking(
    patterns: Sequence[Pattern], names: Sequence[str], columns: Sequence[Record]
) -> list[Record]:
    """One line for each column that is listed, from that of the pattern in which it is clearest."""
    importance = dict(zip(names, column_importance(patterns, len(names)).tolist(), strict=True))
    lines_of: dict[str, list[Record]] = {name: [] for name in names}
    for line in columns:
        lines_of[line["column"]].append(line)
    clearest = {name: min(lines, key=_clarity) for name, lines in lines_of.items() if lines}
    order = sorted(clearest, key=lambda name: (_clarity(clearest[name]), -importance[name]))
    return [
        {
            "rank": place,
            "column": name,
            "importance": importance[name],
            "patterns": " ".join(
                str(line["pattern"]) for line in lines_of[name] if line.get("in_pattern", True)
            ),
            **{
                key: value
                for key, value in clearest[name].items()
                if key in IN_RANKING or key.startswith("mean of ")
            },
        }
        for place, name in enumerate(order, start=1)
    ]


def _clarity(line: Record) -> tuple[float, float, float]:
    """Sorts columns by their evidence, the clearest first, and those without any last."""
    if line.get("p") is None:
        return np.inf, np.inf, 0.0
    return line["p_corrected"], line["p"], -abs(np.nan_to_num(line["effect"]))


def _rows(
    patterns: Sequence[Found], names: Sequence[Any], labels: AnyArray | None
) -> Iterator[Record]:
    classes = [None] * len(names) if labels is None else labels.tolist()
    for one in patterns:
        for side, rows in zip(("group", "contrast"), one.sides, strict=True):
            for row in rows[np.argsort(-one.scores[rows], kind="stable")].tolist():
                yield {
                    "pattern": one.number,
                    "row": names[row],
                    "class": classes[row],
                    "side": side,
                    "score": float(one.scores[row]),
                }


def _gene_sets(
    patterns: Sequence[Found], columns: Sequence[Record]
) -> Iterator[tuple[str, str, list[str]]]:
    for one in patterns:
        sides = _described_sides(one.pattern, *map(len, one.sides))
        own: dict[str, list[str]] = {}
        for line in columns:
            is_own = line["pattern"] == one.number and line.get("in_pattern", True)
            if is_own and line.get("proven", True) and line["direction"] not in NO_DIRECTION:
                own.setdefault(line["direction"], []).append(line["column"])
        for direction in sorted(own):
            yield f"pattern {one.number} {direction}", f"{direction} in {sides}", own[direction]


def _side_names(pattern: Pattern) -> tuple[str, str]:
    """The two sides in words."""
    own = "all rows" if pattern.anchor_class is None else str(pattern.anchor_class)
    has_contrast = len(pattern.contrast_rows) > 0
    return own, class_name(pattern.contrast_class) if has_contrast else "all other rows"


def _described_sides(pattern: Pattern, n_rows: int, n_others: int) -> str:
    group, contrast = _side_names(pattern)
    if len(pattern.contrast_rows):
        return f"{n_rows} rows of {group} than in {n_others} rows of {contrast}"
    found_in = "" if pattern.anchor_class is None else f" of a pattern of {group}"
    found_in = f" of {pattern.name}" if pattern.name else found_in
    rows = "rows" if pattern.axis is None else "carriers"
    return f"{n_rows} {rows}{found_in} than in the {n_others} other rows"


def _field(text: str) -> str:
    """Text in one field of a file whose fields end with tabs and lines."""
    return " ".join(text.split())


def _cell(value: Any) -> Any:
    if isinstance(value, float):
        return "" if np.isnan(value) else repr(value)
    return escape_formula(value) if isinstance(value, str) else value
