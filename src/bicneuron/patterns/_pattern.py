"""The value of a pattern: rows, columns, what decides who carries it, and what was tested."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray
from bicneuron._shared._estimators import Linear, linear_weights
from bicneuron._shared._formats import format_carriers, signed
from bicneuron._shared._html import bar, fragment, sentences, table
from bicneuron._shared._scaling import Scaling, SoftScaling, observed_means, zscore_scaling
from bicneuron.patterns._evidence import Evidence

SHOWN_COLUMNS, SHOWN_ROWS = 12, 30  # that a notebook lists
# Share of the class and the carriers together that a pattern of the whole class has of both.
CLASS_WIDE = 0.75
CLEAR_EFFECT = 0.5  # from which on a column that was not tested is named
QUANTILE = 1.959963984540054  # of the normal distribution, for an interval of 95 %
# Deviation within both sides, or difference, below which there is none, as a share of the column's.
LEAST_WITHIN = 1e-9
COMPARED_CELLS = 2**22  # at once, which bounds the memory


def constant(values: AnyArray, dtype: Any) -> AnyArray:
    """A read-only copy of an array of one dimension."""
    copy = np.array(values, dtype=dtype)
    if copy.ndim != 1:
        raise ValueError(f"a pattern has an array of shape {copy.shape}; it needs one dimension.")
    copy.setflags(write=False)
    return copy[:]  # an array that owns its data could be made writable again


NO_COMPONENTS = np.empty((0, 0))
NO_PLACES, NO_VALUES = (constant(np.empty(0), kind) for kind in (np.intp, np.float64))
_ARRAYS = dict.fromkeys(("rows", "columns", "contrast_rows"), NO_PLACES)
_ARRAYS |= dict.fromkeys(("weights", "differences", "effects"), NO_VALUES)


class Axis(NamedTuple):
    """The value of a row: a function of its standardised columns.

    Parameters
    ----------
    linear, squares, common, removed : arrays
        Factors of the columns, of their squares, of the columns in a sum whose square counts, and
        of the leading components of the table, which are taken off.
    floor, cut, scale : float
        The least value. One above ``cut`` carries the pattern, by a score in units of ``scale``.
    """

    linear: FloatArray
    squares: FloatArray
    common: FloatArray
    removed: FloatArray
    floor: float
    cut: float = 0.0
    scale: float = 1.0

    @property
    def is_linear(self) -> bool:
        """True if the value is a weighted sum of the columns."""
        return not bool(self.squares.any() or self.common.any())

    def values(self, Z: FloatArray, components: FloatArray = NO_COMPONENTS) -> FloatArray:
        """Values of rows, from their standardised columns and scores on the components."""
        # No matrix product: its bits may depend on the number of rows.
        values = np.einsum("ij,j->i", Z, self.linear)
        values += np.einsum("ij,j->i", np.square(Z), self.squares)
        values += np.square(np.einsum("ij,j->i", Z, self.common))
        for factor, scores in zip(self.removed.tolist(), components.T, strict=False):
            values -= factor * scores
        return np.asarray(np.maximum(values, self.floor))

    def take(self, places: IndexArray) -> "Axis":
        """The part of it that some of the columns make."""
        linear, squares, common = (factor[places] for factor in self[:3])
        return self._replace(linear=linear, squares=squares, common=common)

    def scores(self, Z: FloatArray, components: FloatArray) -> FloatArray:
        """Distance beyond the cut; see `values`."""
        return (self.values(Z, components) - self.cut) / self.scale


@dataclass(frozen=True, eq=False)
class TrainedNeuron:
    """A neuron on the columns of a pattern, and what turns its score into that of the pattern.

    Parameters
    ----------
    estimator : fitted classifier
        Fitted on the columns of the pattern as the model scales them.
    centroids : float64 array of shape (2, n_columns)
        Of the two sides that it was trained on, scaled: rows and contrast rows.
    sign : {1, -1}, default=1
        1 if positive scores of the estimator speak for the class of the pattern's rows.
    threshold, typical_score : float, default=0.0, 1.0
        Subtracted from the estimator's own score, and the unit of a score in a network: the median
        absolute score of the training rows.
    target, weight : int, default=0, and float64 array of shape (n_targets,), default=empty
        In a network the class, or label, that it separates, and its weight in each score.
    radius : float, default=inf
        Root mean square distance, per column, within which a row is near the pattern.
    scaling, fill : scaling of the columns and scaled values for missing cells, optional
        Given where a score is explained; a model keeps those of all columns.
    """

    estimator: Any
    centroids: FloatArray
    sign: int = 1
    threshold: float = 0.0
    typical_score: float = 1.0
    target: int = 0
    weight: FloatArray = field(default_factory=lambda: np.empty(0))
    radius: float = np.inf
    scaling: Scaling | SoftScaling | None = None
    fill: FloatArray = field(default_factory=lambda: np.empty(0))

    @cached_property
    def linear(self) -> Linear | None:
        """Its weights on scaled columns, or None if it is not linear."""
        return linear_weights(self.estimator, self.centroids)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Pattern:
    """Rows that have something in common in some columns, and what that is.

    A bicluster is a pattern without contrast rows, a contrastive pair one with. Two patterns are
    equal if all of their fields but the neuron are. Arrays are stored as read-only copies.

    Parameters
    ----------
    rows, columns : arrays of intp
        Sorted indices into the table that was searched: I and J. Which rows carry the pattern is a
        matter of its axis or neuron; see ``carriers`` of the model.
    msr : float, default=nan
        Mean squared residue H(I, J) of the rows, in the units that were searched.
    contrast_rows : array of intp, default=empty
        I^c, rows of the other class, the nearest to the centroid of ``rows`` first; of a group in a
        network, all rows that do not carry it.
    anchor_class, contrast_class : label or None, default=None
        Class of the rows and of the contrast rows; None for all rows, or several classes.
    kind : str, default="bicluster"
        "bicluster", "pair" or "class" (of all its rows); for groups "shift", "tight" or
        "coexpressed": rows with other means, almost one value, or values that go together.
    msr_ratio, criterion : float, default=nan
        ``msr`` over that of the contrast rows, and the value that ranks a pair; small is good.
    strength : float, default=nan
        Of a group the evidence in nats for two normal densities instead of one, less the cost of
        naming the rows (noise seldom exceeds 10); in a network its share of the scores' variation.
    weights : array of shape (n_columns,), default=empty
        Importance of each column, with the sign by which it counts. Of a group the correlation of
        the column with it, without components and strata: signs may differ from ``differences``.
    differences, effects : arrays of shape (n_columns,), default=empty
        Mean of the carriers of a group, or rows of a pair, less that of all other or contrast rows:
        in the units of each column, and standardised (Hedges' g). Not known of very large tables.
    parent : int or None, default=None
        Position, in the same list, of the smallest stronger pattern that includes most of the rows.
    carrier_counts : mapping of label to (int, int), or pairs of both, or None, default=None
        Carriers of each class in the training table, and its rows; without labels under None.
    axis, neuron : Axis, TrainedNeuron or None, default=None
        What decides whether a row carries a group, or another pattern.
    evidence : Evidence or None, default=None
        Results of tests of it.
    name : str, default=""
        What the user calls a group that was given; see `bicneuron.Findings.from_groups`.

    Examples
    --------
    >>> import numpy as np
    >>> from bicneuron.patterns import Pattern
    >>> Pattern(np.array([0, 3]), np.array([1, 2, 5]), msr=0.25)
    <Pattern: bicluster of 2 rows in 3 columns, msr 0.25>
    """

    rows: IndexArray
    columns: IndexArray
    msr: float = math.nan
    contrast_rows: IndexArray = field(default_factory=lambda: NO_PLACES)
    anchor_class: Any = None
    contrast_class: Any = None
    kind: str = "bicluster"
    msr_ratio: float = math.nan
    criterion: float = math.nan
    strength: float = math.nan
    weights: FloatArray = field(default_factory=lambda: NO_VALUES)
    differences: FloatArray = field(default_factory=lambda: NO_VALUES)
    effects: FloatArray = field(default_factory=lambda: NO_VALUES)
    parent: int | None = None
    carrier_counts: Mapping[Any, tuple[int, int]] | None = None
    axis: Axis | None = None
    neuron: TrainedNeuron | None = None
    evidence: Evidence | None = None
    name: str = ""

    def __post_init__(self) -> None:
        """Store read-only copies, with a value for each column or none."""
        for name, none in _ARRAYS.items():
            if getattr(self, name) is not none:
                self._set(name, constant(getattr(self, name), none.dtype))
        if self.carrier_counts is not None:
            self._set("carrier_counts", dict(self.carrier_counts))
        if self.axis is not None:
            factors = [constant(factor, np.float64) for factor in self.axis[:4]]
            self._set("axis", Axis._make([*factors, *map(float, self.axis[4:])]))
        given = (self.weights, self.differences, self.effects, *(self.axis or ())[:3])
        for n in {len(values) for values in given} - {0, len(self.columns)}:
            raise ValueError(f"a pattern of {len(self.columns)} columns does not fit {n} values.")

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return len(self.rows), len(self.columns)

    @property
    def block(self) -> tuple[IndexArray, IndexArray]:
        """Rows and columns that a neuron is trained on: I, then I^c in order of distance; J."""
        return np.concatenate([self.rows, self.contrast_rows]), self.columns

    @property
    def directions(self) -> IndexArray:
        """+1 for columns in which carriers are higher, or that rise when those with -1 fall."""
        if self.kind == "coexpressed":
            return np.where(self.weights >= 0, 1, -1)
        return np.sign(np.nan_to_num(self.differences)).astype(np.intp)

    @property
    def direction_words(self) -> list[str]:
        """The direction of each column in a word; empty if it is not known."""
        if self.kind == "coexpressed":
            return ["together" if way > 0 else "opposite" for way in self.directions.tolist()]
        return direction_words(self.differences)

    @property
    def column_order(self) -> IndexArray:
        """Positions in ``columns``: the clearest first if they were tested, else by weight."""
        if self.evidence is not None and self.evidence.column_order is not None:
            return np.array(self.evidence.column_order, np.intp)
        if not len(self.weights):
            return np.arange(len(self.columns))
        return np.argsort(-np.abs(self.weights), kind="stable")

    @property
    def ranked_columns(self) -> IndexArray:
        """Columns, those that matter most first; see `column_order`."""
        return self.columns[self.column_order]

    @property
    def named_columns(self) -> IndexArray:
        """Places of columns with own evidence or, untested, an effect of 0.5; by `column_order`."""
        order = self.column_order
        if self.evidence is not None and self.evidence.proven_columns is not None:
            return order[np.isin(order, self.evidence.proven_columns)]
        if self.kind == "coexpressed" or not len(self.effects):
            return order
        is_clear = np.abs(np.nan_to_num(self.effects)) >= CLEAR_EFFECT
        is_clear |= np.isnan(self.effects) & (self.directions != 0)  # nothing varies in the sides
        return order[is_clear[order]]

    @property
    def is_class_wide(self) -> bool:
        """True if more than three quarters of its class and its carriers together are both."""
        if self.carrier_counts is None or self.anchor_class not in self.carrier_counts:
            return False
        inside, n_class = self.carrier_counts[self.anchor_class]
        others = sum(count for count, _ in self.carrier_counts.values()) - inside
        return len(self.carrier_counts) > 1 and inside > CLASS_WIDE * (n_class + others)

    def _content(self) -> tuple[Any, ...]:
        names = (one.name for one in fields(self) if one.name != "neuron")
        return tuple(_comparable(getattr(self, name)) for name in names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Pattern):
            return NotImplemented
        return self._content() == other._content()

    def __hash__(self) -> int:
        return hash((self.rows.tobytes(), self.columns.tobytes(), self.contrast_rows.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        values = [getattr(self, one.name) for one in fields(self)]
        # Counts as pairs, because a model file holds the keys of a dict as text.
        return Pattern, tuple(tuple(v.items()) if isinstance(v, dict) else v for v in values)

    def _repr_html_(self) -> str:
        """What a notebook shows: rows and columns by number, because a pattern knows no names."""
        tested = self.evidence or Evidence()
        # Where p is known, it counts.
        lines = [f"Pattern: {self._sizes}{'' if tested.is_tested else self._number}."]
        counts = [(label, *count) for label, count in (self.carrier_counts or {}).items()]
        if tested.carriers or counts:
            lines.append(f"Carried by {format_carriers(tested.carriers or counts)}.")
        if tested.lines:
            verdict = f" ({tested.verdict})" if tested.verdict else ""
            lines.append(f"Tests: {'; '.join(tested.lines)}{verdict}.")
        told: dict[str, Any] = {"column number": self.columns}
        if words := self.direction_words:
            told["rows are"] = words
        if len(self.weights):
            longest = float(np.abs(self.weights).max())
            told["weight"] = [signed(weight) for weight in self.weights.tolist()]
            told[""] = [bar(weight, longest) for weight in self.weights.tolist()]
        shown = self.column_order[:SHOWN_COLUMNS].tolist()
        cells = [[values[k] for values in told.values()] for k in shown]
        n_more = len(self.columns) - len(shown)
        notes = [f"And {n_more} more columns."] if n_more else []
        rows = ", ".join(map(str, self.rows[:SHOWN_ROWS].tolist()))
        more = ", ..." if len(self.rows) > SHOWN_ROWS else ""
        notes.append(f"Row numbers, from 0: {rows}{more}.")
        return fragment(sentences(*lines), table([*told], cells), sentences(*notes))

    def __repr__(self) -> str:
        return f"<Pattern: {self._sizes}{self._number}>"

    @property
    def _sizes(self) -> str:
        n_rows, n_columns = self.shape
        of_class = "" if self.anchor_class is None else f" of class {self.anchor_class!r}"
        against = f" against {len(self.contrast_rows)} others" if len(self.contrast_rows) else ""
        return f"{self.kind} of {n_rows} rows{of_class}{against} in {n_columns} columns"

    @property
    def _number(self) -> str:
        """The first of its numbers that is known."""
        numbers = [("strength", self.strength), ("msr_ratio", self.msr_ratio), ("msr", self.msr)]
        return next((f", {name} {value:.4g}" for name, value in numbers if value == value), "")


def direction_words(differences: FloatArray) -> list[str]:
    """Differences between carriers and other rows as words: "higher", "lower" or "equal"."""
    signs = np.sign(np.nan_to_num(differences)).astype(np.intp)
    return [("lower", "equal", "higher")[1 + sign] for sign in signs.tolist()]


def _comparable(value: Any) -> Any:
    """The value as one that can be compared and hashed."""
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if isinstance(value, Axis):
        return tuple(map(_comparable, value))
    if isinstance(value, dict):
        return frozenset(value.items())
    return "nan" if isinstance(value, float) and math.isnan(value) else value


class Differences(NamedTuple):
    """Differences of columns; NaN where one side has no value.

    ``difference`` is the mean inside less that outside; ``effect`` the same in deviations within
    both (Hedges' g; NaN if these are 0), from ``low`` to ``high`` with a confidence of 95 %.
    """

    difference: FloatArray
    effect: FloatArray
    low: FloatArray
    high: FloatArray


def sides_of(pattern: Pattern, carriers: BoolArray) -> tuple[IndexArray, IndexArray]:
    """Carriers of a group, or the rows of another pattern; and those they are compared with."""
    if len(pattern.contrast_rows):
        return pattern.rows, pattern.contrast_rows
    is_group = pattern.axis is not None
    inside = carriers if is_group else np.isin(np.arange(len(carriers)), pattern.rows)
    return np.flatnonzero(inside), np.flatnonzero(~inside)


def pattern_differences(
    pattern: Pattern, X: Any, carriers: BoolArray, columns: IndexArray | None = None
) -> Differences:
    """Compare the two sides of a pattern in its columns of the training table, or in others."""
    inside, outside = sides_of(pattern, carriers)
    rows = np.concatenate([inside, outside])
    columns = pattern.columns if columns is None else columns
    is_inside = (np.arange(len(rows)) < len(inside))[:, None]
    width = max(COMPARED_CELLS // max(len(rows), 1), 1)
    parts = []
    for first in range(0, max(len(columns), 1), width):
        some = columns[first : first + width]
        block = X[:, some].toarray()[rows] if issparse(X) else X[np.ix_(rows, some)]
        with np.errstate(over="ignore", invalid="ignore"):
            parts.append(differences(np.asarray(block, np.float64), is_inside))
    return Differences(*map(np.concatenate, zip(*parts, strict=True)))


def differences(X: FloatArray, inside: BoolArray, strata: IndexArray | None = None) -> Differences:
    """Compare the means of rows inside and outside in each column; missing cells do not count.

    ``inside`` has a column for each of X, or one for all. Within strata, the differences are
    weighted by the harmonic mean of the numbers of rows.
    """
    strata = np.zeros(len(X), np.intp) if strata is None else strata
    scaling = zscore_scaling(X)  # squares of values of any magnitude
    Z, inside = scaling.apply(X), np.broadcast_to(inside, X.shape)
    n_columns = X.shape[1]
    weight, total, squares, freedom, n_rows = np.zeros((5, n_columns))
    for stratum in np.unique(strata):
        own = strata == stratum
        sides = [np.where(side, Z[own], np.nan) for side in (inside[own], ~inside[own])]
        first, second = (np.count_nonzero(~np.isnan(side), axis=0) for side in sides)
        both = (first > 0) & (second > 0)
        means = [observed_means(side) for side in sides]
        harmonic = np.where(both, first * second / np.maximum(first + second, 1), 0.0)
        weight += harmonic
        total += np.where(both, harmonic * (means[0] - means[1]), 0.0)
        apart = (side - mean for side, mean in zip(sides, means, strict=True))
        squares += np.where(both, sum(np.nansum(one**2, axis=0) for one in apart), 0.0)
        freedom += np.where(both, first + second - 2, 0)
        n_rows += np.where(both, first + second, 0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        shift = np.where(weight > 0, total / weight, np.nan)
        shift = np.where(np.abs(shift) < LEAST_WITHIN, 0.0, shift)  # rounding has no direction
        deviation = np.sqrt(squares / freedom)
        varies = (freedom > 0) & (deviation > LEAST_WITHIN)
        small_sample = 1 - 3 / (4 * freedom - 1)
        effect = np.where(varies, small_sample * shift / deviation, np.nan)
        error = np.sqrt(1 / weight + effect**2 / (2 * n_rows))
        own_units = np.ldexp(shift * scaling.scale, scaling.exponent)
    return Differences(own_units, effect, effect - QUANTILE * error, effect + QUANTILE * error)
