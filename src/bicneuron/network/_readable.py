"""The readable network: a few patterns, each one chosen because it helps to predict.

1. **Candidates** are whole classes, groups that were found without labels, and pairs.
2. Each candidate is cut to its few clearest columns and has a neuron of one of several **forms**:
   a line, a bell or a kernel.
3. It is fitted without each fold, and the rows of the fold are scored. So its outputs for all
   training rows are those of a neuron that has not seen them.
4. Patterns are **chosen** one after the other by these outputs, the fewest that predict about as
   well as the best number of them.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray
from bicneuron._core._sorting import EQUAL
from bicneuron._shared._content_order import content_order, tied_ranks
from bicneuron._shared._scaled_matrix import ScaledMatrix, dense, filled
from bicneuron.network._candidates import MOST_ROWS, Candidates, find_candidates, find_groups
from bicneuron.network._choice import Labels, choose
from bicneuron.network._draws import Side, paired
from bicneuron.network._forms import (
    SIMPLE,
    best_outputs,
    fit_neuron,
    form_columns,
    unseen_scores,
)
from bicneuron.network._hidden import HiddenNeuron, as_pattern
from bicneuron.network._targets import Targets
from bicneuron.patterns import Pattern

NOTHING_FOUND = (
    "no pattern predicts unseen rows better than none; the model names the commonest class. Search "
    "for groups without labels (bicneuron find), add rows, or ask for another target."
)


class Unit(NamedTuple):
    """A chosen pattern before it is written down.

    Parameters
    ----------
    candidate, form : int
    columns : array of intp
    typical : float
        Size of its scores.
    coef : float64 array of shape (n_targets,)
        Of its output in the log odds of each target.
    deviation : float
        Standard deviation of its output.
    """

    candidate: int
    form: int
    columns: IndexArray
    typical: float
    coef: FloatArray
    deviation: float


class Chosen(NamedTuple):
    """Chosen patterns, intercepts, and log odds of rows by a choice that has not seen them."""

    units: list[Unit]
    intercept: FloatArray
    log_odds: FloatArray


def choose_patterns(
    Z: FloatArray, candidates: Candidates, labels: Labels, folds: IndexArray, max_patterns: int
) -> Chosen:
    """Choose among candidates; ``max_patterns`` for each target.

    Kernels, and weights that are fitted together, are harder to read: they take part only if the
    whole choice predicts better with them.
    """
    raw = unseen_scores(Z, candidates, folds)
    most = max_patterns * labels.is_true.shape[1]
    simple = [form for form in raw if form in SIMPLE]
    outputs = best_outputs(raw, simple, candidates, labels)
    choice = choose(outputs.values, labels, folds, candidates.targets, most)
    others = best_outputs(raw, list(raw), candidates, labels)
    other = choose(others.values, labels, folds, candidates.targets, most)
    if other.loss < (1.0 - EQUAL) * choice.loss:
        outputs, choice = others, other
    contrasts = candidates.contrasts(Z, slice(None))
    columns = {
        form: form_columns(contrasts, candidates, form)
        for form in {int(outputs.forms[k]) for k in choice.step.taken}
    }
    coefs = np.array([fit.coef for fit in choice.step.fits]).reshape(len(choice.step.fits), -1)
    intercept = np.array([fit.intercept for fit in choice.step.fits])
    units = []
    for at, k in enumerate(choice.step.taken):
        coef = coefs[:, at] / outputs.deviation[k]
        intercept = intercept - coef * outputs.mean[k]
        form = int(outputs.forms[k])
        units.append(
            Unit(
                k,
                form,
                columns[form][k],
                float(outputs.typical[k]),
                coef,
                float(outputs.deviation[k]),
            )
        )
    return Chosen(units, intercept, choice.log_odds)


class ReadableTable(NamedTuple):
    """What a readable network is fitted to.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_rows, n_columns)
    Z : scaled table of the same shape
    targets : Targets
    weights, folds : arrays of shape (n_rows,)
    rows : array of intp
        Rows that count.
    miners : tuple of miners
    max_columns : int or None
    seed : int
    n_jobs : int or None
    people : array of shape (n_rows,) or None
        Rows that belong together.
    """

    X: Any
    Z: ScaledMatrix
    targets: Targets
    weights: FloatArray
    folds: IndexArray
    rows: IndexArray
    miners: tuple[Any, ...]
    max_columns: int | None
    seed: int
    n_jobs: int | None
    people: AnyArray | None

    @property
    def labels(self) -> Labels:
        """Targets of the rows that count, and how much each row tells."""
        weights = self.weights[self.rows]
        if self.people is not None:
            # Rows of a person are alike: together they tell as much as there are people.
            weights = weights * (len(np.unique(self.people[self.rows])) / len(weights))
        return Labels(self.targets.signs[self.rows] > 0, weights)

    @property
    def searched(self) -> IndexArray:
        """Positions, among the rows that count, of those that miners search."""
        n_rows = len(self.rows)
        if n_rows <= MOST_ROWS:
            return np.arange(n_rows)
        rng = np.random.default_rng(self.seed)
        return np.sort(rng.choice(n_rows, MOST_ROWS, replace=False))

    def ordered(self) -> "OrderedTable":
        """The rows that count, with columns in an order of their content."""
        some = self.rows if len(self.rows) < len(self.targets.strata) else slice(None)
        Z = dense(self.Z[some] if isinstance(some, np.ndarray) else self.Z)
        X = self.X[some]
        order = content_order(tied_ranks(X.toarray() if issparse(X) else X), Z).columns
        return OrderedTable(X[:, order], np.ascontiguousarray(Z[:, order]), order)

    def find_groups(self, ordered: "OrderedTable") -> BoolArray:
        """Carriers of groups found without labels, of shape (n_groups, n_rows)."""
        return find_groups(ordered.X, self.miners, self.searched, self.seed, self.n_jobs)

    def candidates(self, ordered: "OrderedTable", groups: BoolArray) -> Candidates:
        """All candidates."""
        return find_candidates(
            ordered.X,
            ordered.Z,
            self.targets.of_rows(self.rows),
            groups,
            self.miners,
            self.searched,
            self.max_columns,
            self.seed,
            self.n_jobs,
            None if self.people is None else self.people[self.rows],
        )


class OrderedTable(NamedTuple):
    """Rows and columns in the order in which patterns are looked for; column k was ``order[k]``."""

    X: Any
    Z: FloatArray
    order: IndexArray

    def own_order(self) -> FloatArray:
        """The scaled table with its columns in the user's order."""
        Z = np.empty_like(self.Z)
        Z[:, self.order] = self.Z
        return Z


class Found(NamedTuple):
    """A fitted readable network.

    Parameters
    ----------
    patterns : list of Pattern
        In the order of choice.
    groups : bool array of shape (n_rows, n_groups)
    group_of : array of intp
        Carriers and patterns of `BlindGroups`.
    intercept : float64 array of shape (n_targets,)
    scores : float64 array of shape (n_rows, n_targets)
        Of rows by a choice that has not seen them.
    """

    patterns: list[Pattern]
    groups: BoolArray
    group_of: IndexArray
    intercept: FloatArray
    scores: FloatArray


def fit_readable(table: ReadableTable, max_patterns: int) -> Found:
    """Choose patterns, and train their neurons on all rows."""
    ordered = table.ordered()
    groups = table.find_groups(ordered)
    candidates = table.candidates(ordered, groups)
    folds = table.folds[table.rows]
    chosen = choose_patterns(ordered.Z, candidates, table.labels, folds, max_patterns)
    Z = ordered.own_order()
    sizes = [np.abs(unit.coef).max() * unit.deviation for unit in chosen.units]
    patterns = [
        _as_pattern(unit, candidates, Z, table, ordered.order, size / sum(sizes))
        for unit, size in zip(chosen.units, sizes, strict=True)
    ]
    return Found(
        patterns,
        groups.T,
        np.array([candidates.groups[unit.candidate] for unit in chosen.units], np.intp),
        chosen.intercept,
        chosen.log_odds,
    )


def _as_pattern(
    unit: Unit,
    candidates: Candidates,
    Z: FloatArray,
    table: ReadableTable,
    order: IndexArray,
    share: float,
) -> Pattern:
    """Train the neuron of a chosen candidate and write the pattern down, in the table's order."""
    side, sign = candidates.sides[unit.candidate], candidates.signs[unit.candidate]
    target = int(candidates.targets[unit.candidate])
    columns = np.sort(order[unit.columns])
    complete = filled(Z)
    neuron = fit_neuron(Z, side * int(sign), columns, unit.form)
    positive, negative = table.targets.names_of(target)
    label, other = (positive, negative) if sign > 0 else (negative, positive)
    is_own = table.labels.is_true[:, target] == (sign > 0)
    carriers, others = np.flatnonzero(side > 0), np.flatnonzero(side < 0)
    rows = carriers[is_own[carriers]]
    rows = rows if len(rows) else carriers
    is_group = candidates.groups[unit.candidate] >= 0
    line = Side(label, None if is_group else other, target, rows, others)
    pattern = paired(complete, line, rows, others, columns, len(others) / len(rows))
    hidden = HiddenNeuron(
        replace(pattern, kind=candidates.kinds[unit.candidate]),
        carriers,
        others,
        neuron,
        target,
        line.other_label,
        -1,
        unit.form,
    )
    made = as_pattern(complete, hidden, positive, unit.typical, unit.coef, share)
    return replace(made, rows=table.rows[made.rows], contrast_rows=table.rows[made.contrast_rows])
