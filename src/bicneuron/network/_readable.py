"""A few patterns, each one chosen because it helps to predict.

1. **Candidates** are whole classes, groups that were found without labels, and pairs.
2. Each candidate is cut to its few clearest columns and has a neuron of one of several **forms**:
   a line, a bell or a kernel.
3. It is fitted without each fold, and the rows of the fold are scored. So its outputs for all
   training rows are those of a neuron that has not seen them.
4. Patterns are **chosen** one after the other by these outputs, the fewest that predict about as
   well as the best number of them.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._core._sorting import EQUAL
from bicneuron._shared._content_order import content_order, tied_ranks
from bicneuron._shared._scaling import as_array, filled
from bicneuron.network import _candidates, _forms
from bicneuron.network._candidates import Candidates
from bicneuron.network._choice import Labels, choose
from bicneuron.network._draws import Side, paired, sample
from bicneuron.network._hidden import HiddenNeuron, as_pattern
from bicneuron.network._targets import TrainingTable
from bicneuron.patterns import Pattern

NOTHING_FOUND = (
    "no pattern predicts unseen rows better than none; the model names the commonest class. Search "
    "for groups without labels (bicneuron find), add rows, or ask for another target."
)


class Unit(NamedTuple):
    """A chosen pattern: the size of its scores, and its weight in the log odds of each target."""

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
    """Choose among candidates; kernels and joint weights only if all predicts better with them."""
    raw = _forms.unseen_scores(Z, candidates, folds)
    most = max_patterns * labels.is_true.shape[1]
    simple = [form for form in raw if form in _forms.SIMPLE]
    outputs = _forms.best_outputs(raw, simple, candidates, labels)
    choice = choose(outputs.values, labels, folds, candidates.targets, most)
    others = _forms.best_outputs(raw, list(raw), candidates, labels)
    other = choose(others.values, labels, folds, candidates.targets, most)
    if other.loss < (1.0 - EQUAL) * choice.loss:
        outputs, choice = others, other
    contrasts = candidates.contrasts(Z, slice(None))
    columns = {
        form: _forms.form_columns(contrasts, candidates, form)
        for form in {int(outputs.forms[k]) for k in choice.step.taken}
    }
    coefs = np.array([fit.coef for fit in choice.step.fits]).reshape(len(choice.step.fits), -1)
    intercept = np.array([fit.intercept for fit in choice.step.fits])
    units = []
    for at, k in enumerate(choice.step.taken):
        form, typical = int(outputs.forms[k]), float(outputs.typical[k])
        deviation = float(outputs.deviation[k])
        coef = coefs[:, at] / deviation
        intercept = intercept - coef * outputs.mean[k]
        units.append(Unit(k, form, columns[form][k], typical, coef, deviation))
    return Chosen(units, intercept, choice.log_odds)


def labels_of(table: TrainingTable) -> Labels:
    """Targets of the rows that count, and how much each row tells."""
    weights = table.weights[table.rows]
    if table.people is not None:
        # Rows of a person are alike: together they tell as much as there are people.
        weights = weights * (len(np.unique(table.people[table.rows])) / len(weights))
    return Labels(table.targets.signs[table.rows] > 0, weights)


def fit_readable(
    table: TrainingTable,
    miners: Sequence[Any],
    max_patterns: int,
    max_columns: int | None,
    n_jobs: int | None,
) -> tuple[list[Pattern], BoolArray, IndexArray, Chosen]:
    """Choose and train patterns; with them come all groups, the group of each, and the choice."""
    rows, people = table.rows, None if table.people is None else table.people[table.rows]
    some = rows if len(rows) < len(table.targets.strata) else slice(None)
    X, Z = table.X[some], table.Z[some]
    order = content_order(tied_ranks(as_array(X)), Z)[1]
    X, Z = X[:, order], np.ascontiguousarray(Z[:, order])
    every, rng = np.arange(len(rows)), np.random.default_rng(table.seed)
    searched = sample(every, _candidates.MOST_ROWS, rng)
    search = _candidates.Search(miners, searched, table.seed, n_jobs)
    groups = _candidates.find_groups(X, search)
    targets = table.targets.of_rows(rows)
    candidates = _candidates.find_candidates(X, Z, targets, groups, search, max_columns, people)
    chosen = choose_patterns(Z, candidates, labels_of(table), table.folds[rows], max_patterns)
    in_own_order = np.empty_like(Z)
    in_own_order[:, order] = Z
    sizes = [np.abs(unit.coef).max() * unit.deviation for unit in chosen.units]
    patterns = [
        _as_pattern(unit, candidates, in_own_order, table, order, size / sum(sizes))
        for unit, size in zip(chosen.units, sizes, strict=True)
    ]
    group_of = np.array([candidates.groups[unit.candidate] for unit in chosen.units], np.intp)
    return patterns, groups.T, group_of, chosen


def _as_pattern(
    unit: Unit,
    candidates: Candidates,
    Z: FloatArray,
    table: TrainingTable,
    order: IndexArray,
    share: float,
) -> Pattern:
    """Train the neuron of a chosen candidate and write the pattern down, in the table's order."""
    side, sign = candidates.sides[unit.candidate], candidates.signs[unit.candidate]
    target = int(candidates.targets[unit.candidate])
    columns = np.sort(order[unit.columns])
    complete = filled(Z)
    neuron = _forms.fit_neuron(Z, side * int(sign), columns, unit.form)
    positive, negative = table.targets.names_of(target)
    label, other = (positive, negative) if sign > 0 else (negative, positive)
    is_own = labels_of(table).is_true[:, target] == (sign > 0)
    carriers, others = np.flatnonzero(side > 0), np.flatnonzero(side < 0)
    rows = carriers[is_own[carriers]]
    rows = rows if len(rows) else carriers
    is_group = candidates.groups[unit.candidate] >= 0
    line = Side(label, None if is_group else other, target, rows, others)
    pattern = paired(complete, line, rows, others, columns, len(others) / len(rows))
    pattern = replace(pattern, kind=candidates.kinds[unit.candidate])
    trained = pattern, carriers, others, neuron, target, line.other_label, -1, unit.form
    made = as_pattern(complete, HiddenNeuron(*trained), positive, unit.typical, unit.coef, share)
    return replace(made, rows=table.rows[made.rows], contrast_rows=table.rows[made.contrast_rows])
