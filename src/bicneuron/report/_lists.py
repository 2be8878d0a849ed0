"""The columns and rows of patterns as plain lists, for other tools."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron._writing._formulas import escape_formula
from bicneuron._writing._names import row_names
from bicneuron.patterns import Pattern, check_patterns
from bicneuron.report._patterns import (
    class_labels,
    column_shares,
    direction_words,
    mean_of,
    pattern_shares,
    side_means,
    side_names,
    sides_of,
    table_values,
)

Record = dict[str, Any]
# A pattern with its number, counted from 1, and the scores of all rows for it.
Scored: TypeAlias = tuple[int, Pattern, FloatArray]


@dataclass(frozen=True)
class PatternLists:
    """Lists of the columns and rows of patterns, as `pattern_lists` makes them.

    Means are in the units of the table, over the cells that are not missing. Patterns are numbered
    from 1.

    Parameters
    ----------
    columns : list of dict
        One for each column of each pattern: ``pattern``, the classes of its ``group`` and of its
        ``contrast``, ``column``, its ``rank`` in the pattern, the ``direction`` in which the group
        differs, the ``effect`` (mean in the group minus mean in the contrast),
        ``mean_in_group``, ``mean_in_contrast`` and the mean of each class.
    ranking : list of dict
        One for each column of any pattern, most important first: ``rank``, ``column``,
        ``importance`` (shares of the patterns, divided among their columns; they add up to 1; a
        pattern with a negative strength has none),
        the ``patterns`` that have it and the mean of each class.
    rows : list of dict
        One for each row of each pattern: ``pattern``, ``row``, its ``class``, the ``side`` it is
        on (group or contrast) and its ``score``, which speaks for the group if it is above 0. The
        rows of a group are its carriers, and all others its contrast.
    gene_sets : list of (str, str, list of str)
        Name, description and columns: those in which the group of a pattern is higher, and those
        in which it is lower.
    """

    columns: list[Record]
    ranking: list[Record]
    rows: list[Record]
    gene_sets: list[tuple[str, str, list[str]]]

    @property
    def gmt(self) -> str:
        """The gene sets as a GMT file, which enrichment tools read."""
        return "".join(
            "\t".join(" ".join(field.split()) for field in (name, description, *columns)) + "\n"
            for name, description, columns in self.gene_sets
        )

    @property
    def files(self) -> dict[str, str]:
        """The lists as files, by name, as pages and ``bicneuron genes`` write them."""
        return self.to_files()

    def to_files(self, *, keep_formulas: bool = False) -> dict[str, str]:
        """Return the text of the files, by name.

        Parameters
        ----------
        keep_formulas : bool, default=False
            Leave text that a spreadsheet would run as it is, as `bicneuron.tables.write_table`.

        Returns
        -------
        dict of str to str
        """
        lists = {"genes.csv": self.columns, "ranking.csv": self.ranking, "rows.csv": self.rows}
        tables = {
            name: csv_text(records, keep_formulas=keep_formulas) for name, records in lists.items()
        }
        return {**tables, "patterns.gmt": self.gmt}


def pattern_lists(model: Any, X: Any, y: Any = None, *, only_findings: bool = True) -> PatternLists:
    """List the columns and rows of the patterns of a fitted model.

    Parameters
    ----------
    model : a miner, BicNeuronNetwork, BicNeuronClassifier or BicNeuronClassifierCV
        Fitted.
    X : frame or array-like of shape (n_rows, n_columns)
        The data it was fitted on; other data are refused.
    y : array-like of shape (n_rows,), default=None
        Classes of the rows; without them the lists have no means of classes.
    only_findings : bool, default=True
        Leave out patterns of a readable network that were tested and only help to predict.
        Patterns keep their numbers.

    Returns
    -------
    PatternLists

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bicneuron import BicNeuronNetwork
    >>> from bicneuron.report import pattern_lists
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = BicNeuronNetwork(design="readable", random_state=0).fit(X, y)
    >>> lists = pattern_lists(model, X, y)
    >>> lists.columns[0]["rank"], lists.columns[0]["group"], lists.columns[0]["contrast"]
    (1, '1', '0')
    >>> round(sum(line["importance"] for line in lists.ranking), 6)
    1.0
    """
    check_patterns(model, "pattern_lists")
    if not model.patterns_:
        raise ValueError(f"{type(model).__name__} found no pattern; there is nothing to list.")
    labels = class_labels(y)
    table_values(model, X)  # refuses a sparse one
    model.check_table(X, labels)
    if only_findings and not findings_of(model):
        raise ValueError(
            "no pattern is a finding; only_findings=False lists those that help to predict."
        )
    return lists_of(model, X, labels, only_findings=only_findings)


def findings_of(model: Any) -> list[int]:
    """Positions of the patterns that are not known to be helpers only."""
    patterns = enumerate(model.patterns_)
    return [k for k, one in patterns if one.evidence is None or not one.evidence.is_helper]


def lists_of(
    model: Any, X: Any, labels: AnyArray | None, *, only_findings: bool = True
) -> PatternLists:
    """The lists of the patterns of a model, in the table that it was fitted on."""
    values, names = table_values(model, X)
    of_classes = class_means(values, labels)
    scores = model.pattern_scores(X)
    listed = findings_of(model) if only_findings else range(len(model.patterns_))
    patterns = [(k + 1, model.patterns_[k], scores[:, k]) for k in listed]
    return PatternLists(
        columns=[*_columns(patterns, values, names, of_classes)],
        ranking=_ranking(patterns, names, of_classes),
        rows=[*_rows(patterns, row_names(X, len(values)), labels)],
        gene_sets=[*_gene_sets(patterns, values, names)],
    )


def csv_text(records: Sequence[Record], *, keep_formulas: bool = False) -> str:
    """Records with the same keys as CSV: numbers with all digits, nothing for a missing one."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    lines = [*records[:1], *(record.values() for record in records)]
    writer.writerows([_cell(value, keep_formulas) for value in line] for line in lines)
    return buffer.getvalue()


def class_means(values: FloatArray, labels: AnyArray | None) -> dict[Any, FloatArray]:
    """Mean of each column in each class; empty without labels."""
    if labels is None:
        return {}
    return {label: mean_of(values[labels == label]) for label in np.unique(labels).tolist()}


def _columns(
    patterns: Sequence[Scored],
    values: FloatArray,
    names: Sequence[str],
    of_classes: dict[Any, FloatArray],
) -> Iterator[Record]:
    for number, pattern, scores in patterns:
        inside, outside = side_means(pattern, values, scores > 0)
        directions = direction_words(pattern, inside, outside)
        group, contrast = side_names(pattern)
        for place, column in enumerate(pattern.ranked_columns.tolist()):
            yield {
                "pattern": number,
                "group": group,
                "contrast": contrast,
                "column": names[column],
                "rank": place + 1,
                "direction": directions[place],
                "effect": float(inside[place] - outside[place]),
                "mean_in_group": float(inside[place]),
                "mean_in_contrast": float(outside[place]),
                **_of_classes(of_classes, column),
            }


def _ranking(
    patterns: Sequence[Scored], names: Sequence[str], of_classes: dict[Any, FloatArray]
) -> list[Record]:
    importance = np.zeros(len(names))
    found_in: dict[int, list[int]] = {}
    shares = pattern_shares([pattern for _, pattern, _ in patterns])
    for share, (number, pattern, _) in zip(shares, patterns, strict=True):
        importance[pattern.ranked_columns] += share * column_shares(pattern)
        for column in pattern.columns.tolist():
            found_in.setdefault(column, []).append(number)
    used = np.array(sorted(found_in), dtype=np.intp)
    order = used[np.argsort(-importance[used], kind="stable")]
    return [
        {
            "rank": place + 1,
            "column": names[column],
            "importance": float(importance[column]),
            "patterns": " ".join(map(str, found_in[column])),
            **_of_classes(of_classes, column),
        }
        for place, column in enumerate(order.tolist())
    ]


def _rows(
    patterns: Sequence[Scored], names: Sequence[Any], labels: AnyArray | None
) -> Iterator[Record]:
    classes = [None] * len(names) if labels is None else labels.tolist()
    for number, pattern, scores in patterns:
        for side, rows in zip(("group", "contrast"), sides_of(pattern, scores > 0), strict=True):
            for row in rows[np.argsort(-scores[rows], kind="stable")].tolist():
                yield {
                    "pattern": number,
                    "row": names[row],
                    "class": classes[row],
                    "side": side,
                    "score": float(scores[row]),
                }


def _gene_sets(
    patterns: Sequence[Scored], values: FloatArray, names: Sequence[str]
) -> Iterator[tuple[str, str, list[str]]]:
    for number, pattern, scores in patterns:
        sides = _described_sides(pattern, *map(len, sides_of(pattern, scores > 0)))
        directions = direction_words(pattern, *side_means(pattern, values, scores > 0))
        for direction in sorted(set(directions)):
            yield (
                f"pattern {number} {direction}",
                f"{direction} in {sides}",
                [
                    names[column]
                    for column, own in zip(pattern.ranked_columns.tolist(), directions, strict=True)
                    if own == direction
                ],
            )


def _described_sides(pattern: Pattern, n_rows: int, n_others: int) -> str:
    group, contrast = side_names(pattern)
    if len(pattern.contrast_rows):
        return f"{n_rows} rows of {group} than in {n_others} rows of {contrast}"
    found_in = "" if pattern.anchor_class is None else f" of a pattern of {group}"
    rows = "rows" if pattern.axis is None else "carriers"
    return f"{n_rows} {rows}{found_in} than in the {n_others} other rows"


def _of_classes(of_classes: dict[Any, FloatArray], column: int) -> dict[str, float]:
    return {f"mean of {label}": float(means[column]) for label, means in of_classes.items()}


def _cell(value: Any, keep_formulas: bool) -> Any:
    if isinstance(value, float):
        return "" if np.isnan(value) else repr(value)
    return escape_formula(value) if isinstance(value, str) and not keep_formulas else value
