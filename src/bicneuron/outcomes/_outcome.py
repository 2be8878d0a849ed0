"""Numbers and survival: values of rows, of patients, and the statistics of groups."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from scipy.stats import rankdata
from sklearn.utils.validation import column_or_1d

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._core._survival import hazard_ratio, log_rank, survival_curve
from bicneuron.outcomes._effect import Effect

NO_VALUES, NOT_FINITE = np.empty(0), (None, None, None)
GAPS = ("NoneType", "NAType", "NaTType")  # types of what is not known
# Halvings that find a difference of two values, and a quantile of the normal distribution.
N_HALVINGS, QUANTILE = 100, 1.959963984540054


class Scores(NamedTuple):
    """Scores of units that are 0 in the mean of each stratum; see `_core._permuted_sums`.

    Without ``spread`` and ``pull``, the variance of a sum is the same in all orders.
    """

    values: FloatArray
    spread: FloatArray = NO_VALUES
    pull: FloatArray = NO_VALUES


class Outcome(ABC):
    """A number or a time for each row, which may not be known."""

    kind: ClassVar[str]
    name: str

    def __len__(self) -> int:
        return len(self.is_known)

    def _with(self, **values: Any) -> Self:
        """A copy with other values, which were checked before."""
        copy = object.__new__(type(self))
        copy.__dict__.update({**vars(self), **values})
        return copy

    @property
    @abstractmethod
    def is_known(self) -> BoolArray:
        """Rows of which the outcome is known."""

    @property
    @abstractmethod
    def order(self) -> IndexArray:
        """Numbers of the rows in the order of their values; equal for equal ones."""

    @abstractmethod
    def of_units(self, rows: IndexArray, units: IndexArray) -> Self:
        """One value for each unit (a patient, say) of some rows that are known."""

    @abstractmethod
    def scores(self, strata: IndexArray) -> Scores:
        """Of all rows, or units, which have to be known."""

    @abstractmethod
    def effect(self, inside: BoolArray, strata: IndexArray, statistic: float) -> Effect:
        """How much rows or units inside differ from the others."""


@dataclass(frozen=True, eq=False)
class Numbers(Outcome):
    """A number for each row, such as a measurement or the loss of a model.

    Parameters
    ----------
    values : array-like of shape (n_rows,)
        NaN is not known.
    name : str, default="y"

    Examples
    --------
    >>> from bicneuron import find_groups
    >>> from bicneuron.datasets import make_subgroups
    >>> from bicneuron.outcomes import Numbers
    >>> table = make_subgroups("shift", shift=2.5, n_columns=100, random_state=0)
    >>> grade = 3.0 + (table.y == "case")
    >>> found = find_groups(table.X, Numbers(grade, name="grade"), random_state=0)
    >>> found.patterns[0].evidence.effect.words
    'median grade 4 against 3 (difference +1, 95 % interval +0 to +1)'
    """

    values: FloatArray
    name: str = "y"
    kind = "numbers"

    def __post_init__(self) -> None:
        values = _numbers(self.values, self.name)
        if len(np.unique(values[~np.isnan(values)])) < 2:
            raise ValueError(
                f"{self.name} has one value, so that nothing can be tied to it; name another "
                "outcome, or none."
            )
        object.__setattr__(self, "values", values)

    @property
    def is_known(self) -> BoolArray:
        return ~np.isnan(self.values)

    @property
    def order(self) -> IndexArray:
        return np.unique(self.values, return_inverse=True)[1].reshape(-1)

    def of_units(self, rows: IndexArray, units: IndexArray) -> Self:
        """The mean of the rows of each unit."""
        values = self.values[rows]
        first = values[np.unique(units, return_index=True)[1]]
        changes = np.bincount(units, values != first[units]) > 0
        # Means of equal values may differ in a last bit.
        means = np.bincount(units, values) / np.bincount(units)
        return self._with(values=np.where(changes, means, first))

    def scores(self, strata: IndexArray) -> Scores:
        """Ranks within strata, with the weights of van Elteren."""
        scores = np.empty(len(self.values))
        for stratum in np.unique(strata):
            own = strata == stratum
            n = int(np.count_nonzero(own))
            scores[own] = rankdata(self.values[own]) / (n + 1) - 0.5
        return Scores(scores)

    def effect(self, inside: BoolArray, strata: IndexArray, statistic: float) -> Effect:
        sides = (self.values[inside], self.values[~inside])
        own, others = (float(np.median(side)) if len(side) else None for side in sides)
        limits = _difference(self.values, inside, strata)
        return Effect(self.kind, self.name, own, others, *limits, statistic)


@dataclass(frozen=True, eq=False)
class Survival(Outcome):
    """For each row the time of an event, or until when it was seen without one.

    Parameters
    ----------
    time : array-like of shape (n_rows,)
        Not negative; NaN is not known.
    event : array-like of shape (n_rows,)
        1 or True for an event at that time, 0 or False for a row that was last seen without one.
    name, event_name : str, default="survival", "event"
        What both are called in answers and messages.

    Examples
    --------
    >>> from bicneuron.outcomes import Survival
    >>> len(Survival([4.0, 11.5, 30.0], [1, 0, 1], name="months"))
    3
    """

    time: FloatArray
    event: BoolArray
    name: str = "survival"
    event_name: str = field(default="event")
    kind = "survival"

    def __post_init__(self) -> None:
        time, event = _numbers(self.time, self.name), _numbers(self.event, self.event_name)
        if len(time) != len(event):
            raise ValueError(
                f"{self.event_name} has {len(event)} values for {len(time)} of {self.name}; give "
                "one for each."
            )
        is_known = ~(np.isnan(time) | np.isnan(event))
        if len(wrong := np.flatnonzero(is_known & ~np.isin(event, (0, 1)))):
            raise ValueError(
                f"{self.event_name} is {event[wrong[0]]:g} in row {wrong[0]}; give 1 for an "
                "event and 0 for none."
            )
        if len(negative := np.flatnonzero(is_known & (time < 0))):
            raise ValueError(
                f"{self.name} is {time[negative[0]]:g} in row {negative[0]}; a time is never "
                "negative: correct it, or leave it empty."
            )
        if not is_known.any():
            raise ValueError(
                f"{self.name} and {self.event_name} are not known in any row; name other columns."
            )
        if not (event[is_known] > 0).any():
            raise ValueError(
                f"{self.event_name} is 0 in all rows: without an event, nothing can be tied to "
                f"{self.name}; name the column that is 1 for an event."
            )
        object.__setattr__(self, "time", np.where(is_known, time, np.nan))
        object.__setattr__(self, "event", is_known & (event > 0))

    @property
    def is_known(self) -> BoolArray:
        return ~np.isnan(self.time)

    @property
    def order(self) -> IndexArray:
        pairs = np.column_stack([self.time, self.event])
        return np.unique(pairs, axis=0, return_inverse=True)[1].reshape(-1)

    def of_units(self, rows: IndexArray, units: IndexArray) -> Self:
        """Of several times of a unit the last."""
        in_order = np.lexsort((self.event[rows], self.time[rows], units))
        last = rows[in_order[np.flatnonzero(np.diff(units[in_order], append=-1))]]
        return self._with(time=self.time[last], event=self.event[last])

    def scores(self, strata: IndexArray) -> Scores:
        """Events less those expected within the stratum."""
        scores, spread, pull = np.empty((3, len(self.time)))
        for stratum in np.unique(strata):
            own = strata == stratum
            scores[own], spread[own], pull[own] = log_rank(self.time[own], self.event[own])
        return Scores(scores, spread, pull)

    def effect(self, inside: BoolArray, strata: IndexArray, statistic: float) -> Effect:
        own, others = (self._median(side) for side in (inside, ~inside))
        ratio, low, high = hazard_ratio(self.time, self.event, inside, strata) or NOT_FINITE
        return Effect(self.kind, self.name, own, others, ratio, low, high, statistic)

    def _median(self, side: BoolArray) -> float | None:
        """When half of the rows had the event; None if they do not."""
        times, shares = survival_curve(self.time[side], self.event[side])
        half = np.flatnonzero(shares <= 0.5)
        return float(times[half[0]]) if len(half) else None


def _numbers(values: Any, name: str) -> FloatArray:
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    cells = column_or_1d(values).tolist()
    try:
        numbers = np.array([np.nan if type(one).__name__ in GAPS else float(one) for one in cells])
    except (TypeError, ValueError):
        raise ValueError(f"{name} has values that are not numbers; give numbers, or NaN.") from None
    if np.isinf(numbers).any():
        raise ValueError(f"{name} has an infinite value; give numbers, or NaN where not known.")
    return numbers.astype(np.float64)


def _difference(
    values: FloatArray, inside: BoolArray, strata: IndexArray
) -> tuple[float | None, float | None, float | None]:
    """Median difference between pairs of one stratum, one inside and one not, and its interval."""
    pairs = []
    n_pairs, variance = 0, 0.0
    for stratum in np.unique(strata):
        own, others = (np.sort(values[(strata == stratum) & side]) for side in (inside, ~inside))
        if not len(own) or not len(others):
            continue
        pairs.append((own, others))
        n, n_own = len(own) + len(others), len(own) * len(others)
        counts = np.unique(np.concatenate([own, others]), return_counts=True)[1]
        ties = float(np.sum(counts**3 - counts)) / (n * (n - 1)) if n > 1 else 0.0
        n_pairs += n_own
        variance += n_own / 12 * (n + 1 - ties)
    if not pairs:
        return NOT_FINITE
    spread = QUANTILE * np.sqrt(variance)
    low = max(int(np.floor(n_pairs / 2 - spread)), 0)
    ends = [_kth(pairs, k) for k in ((n_pairs - 1) // 2, n_pairs // 2, low, n_pairs - 1 - low)]
    return (ends[0] + ends[1]) / 2, ends[2], ends[3]


def _kth(pairs: list[tuple[FloatArray, FloatArray]], k: int) -> float:
    """The difference of which ``k`` are smaller, among all pairs of sorted values."""
    below = float(min(own[0] - others[-1] for own, others in pairs))
    above = float(max(own[-1] - others[0] for own, others in pairs))
    n_pairs = sum(len(own) * len(others) for own, others in pairs)
    for _ in range(N_HALVINGS):
        middle = below + (above - below) / 2
        n_above = sum(int(np.searchsorted(others, own - middle).sum()) for own, others in pairs)
        below, above = (below, middle) if n_pairs - n_above > k else (middle, above)
    # The nearest difference, without what rounding has left of the halvings.
    places = [(own, others, np.searchsorted(others, own - above)) for own, others in pairs]
    near = ((own, others, place + step) for own, others, place in places for step in (-1, 0, 1))
    differences = np.concatenate([own - others.take(at, mode="clip") for own, others, at in near])
    return float(differences[np.argmin(np.abs(differences - above))])
