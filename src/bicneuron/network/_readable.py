"""The readable network: a few patterns, each one chosen because it helps to predict.

1. **Candidates** are whole classes, groups that were found without labels, and pairs.
2. Each candidate is cut to its few clearest columns and has a neuron of one of several **forms**:
   a line, a bell or a kernel.
3. It is fitted without each fold, and the rows of the fold are scored. So its outputs for all
   training rows are those of a neuron that has not seen them.
4. Patterns are **chosen** one after the other by these outputs, as many as predict best.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray
from bicneuron._estimators._scaled_matrix import ScaledMatrix, dense
from bicneuron.network._candidates import MOST_ROWS, Candidates, find_candidates, find_groups
from bicneuron.network._choice import Labels, choose, first_statistics, single_losses
from bicneuron.network._contrasts import BELL, BELL_SLACK, LINE, LINE_SLACK, Contrasts
from bicneuron.network._draws import Side, paired
from bicneuron.network._hidden import HiddenNeuron, as_pattern
from bicneuron.network._targets import Targets
from bicneuron.neurons import GaussianNeuron, KernelNeuron, fit_neurons
from bicneuron.patterns import Pattern

KERNEL, JOINT = 2, 3
# Forms that any candidate may have.
SIMPLE = (LINE, BELL)
NEURONS = (
    GaussianNeuron(slack=LINE_SLACK, shared_variance=True),
    GaussianNeuron(slack=BELL_SLACK),
    KernelNeuron(),
    KernelNeuron("linear"),
)
# Kernels, and lines whose weights are fitted together, are for whole classes with at least so many
# columns, and are trained on at most so many rows of a side.
KERNEL_COLUMNS, KERNEL_ROWS = 5, 256
# Standard errors by which another neuron has to predict better than the line.
DOUBT = 1.0
# Scores of this many times the median one are where tanh begins to flatten.
SOFTNESS = 2.0
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
    statistic : float
        Chi-square when it was chosen.
    """

    candidate: int
    form: int
    columns: IndexArray
    typical: float
    coef: FloatArray
    deviation: float
    statistic: float


class Chosen(NamedTuple):
    """Chosen patterns, intercepts, and log odds of rows by a choice that has not seen them."""

    units: list[Unit]
    intercept: FloatArray
    log_odds: FloatArray


class Outputs(NamedTuple):
    """Outputs of candidates for rows that they have not seen.

    Parameters
    ----------
    values : float64 array of shape (n_rows, n_candidates)
        Standardised; positive for rows that speak for the target.
    forms : array of intp
    typical, mean, deviation : float64 arrays of shape (n_candidates,)
        The output before it is standardised is ``tanh(score / typical)``.
    """

    values: FloatArray
    forms: IndexArray
    typical: FloatArray
    mean: FloatArray
    deviation: FloatArray


def column_order(Z: FloatArray) -> IndexArray:
    """An order of columns that depends on their content alone: ties are broken by it."""
    keys = [blake2b((c + 0.0).tobytes(), digest_size=16).digest() for c in Z.T]
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.intp)


def _unseen_scores(
    Z: FloatArray, candidates: Candidates, folds: IndexArray
) -> dict[int, FloatArray]:
    """Scores of rows by candidates of each form that have not seen them.

    Parameters
    ----------
    Z : array of shape (n_rows, n_columns)
        Scaled.
    candidates : Candidates
    folds : array of shape (n_rows,)
        Fold of each row; -1 for rows that are in none, which all fits have seen.

    Returns
    -------
    dict of form to array of shape (n_rows, n_candidates)
        NaN for candidates that cannot have the form.
    """
    n_rows, n_columns = Z.shape
    forms = [LINE, BELL, KERNEL] if n_rows >= n_columns else [LINE, JOINT]
    raw = {form: np.full((n_rows, len(candidates.sides)), np.nan) for form in forms}
    whole = candidates.is_whole & (candidates.most_columns >= min(KERNEL_COLUMNS, n_columns))
    for fold in range(-1, folds.max(initial=-1) + 1):
        out = folds == fold
        if not out.any():
            continue
        seen = ~out if fold >= 0 else np.ones(n_rows, dtype=bool)
        contrasts = candidates.contrasts(Z, seen)
        for form in forms:
            places = np.arange(len(whole)) if form in SIMPLE else np.flatnonzero(whole)
            columns = _columns(contrasts, candidates, form)
            raw[form][np.ix_(out, places)] = _scores(
                Z, seen, out, candidates, contrasts, form, columns, places
            )
    return raw


def _outputs(
    raw: Mapping[int, FloatArray], forms: Sequence[int], candidates: Candidates, labels: Labels
) -> Outputs:
    """Outputs of candidates, each in the form that predicts best alone, of those that are given.

    Another form than the first has to be better by more than its standard error.
    """
    outputs = {form: _standardised(raw[form], candidates.signs) for form in forms}
    best = np.full(len(candidates.targets), forms[0])
    least = single_losses(outputs[forms[0]].values, labels, candidates.targets)
    for form in forms[1:]:
        able = np.flatnonzero(~np.isnan(raw[form]).any(axis=0))
        losses = single_losses(outputs[form].values[:, able], labels, candidates.targets[able])
        gain = least[:, able] - losses
        better = gain.mean(axis=0) > DOUBT * gain.std(axis=0) / np.sqrt(len(gain))
        best[able[better]] = form
        least[:, able[better]] = losses[:, better]
    every, places = np.arange(len(best)), np.searchsorted(forms, best)
    values, typical, mean, deviation = (
        np.stack([getattr(outputs[form], name) for form in forms])
        for name in ("values", "typical", "mean", "deviation")
    )
    return Outputs(
        values[places, :, every].T,
        best,
        typical[places, every],
        mean[places, every],
        deviation[places, every],
    )


def _columns(contrasts: Contrasts, candidates: Candidates, form: int) -> list[IndexArray]:
    """The columns of each candidate; those of a kernel are of a bell, or of a line if it is one."""
    by = {KERNEL: BELL, JOINT: LINE}.get(form, form)
    return contrasts.columns(by, candidates.most_columns)


def _scores(
    Z: FloatArray,
    seen: BoolArray,
    out: BoolArray,
    candidates: Candidates,
    contrasts: Contrasts,
    form: int,
    columns: list[IndexArray],
    places: IndexArray,
) -> FloatArray:
    if form in SIMPLE:
        return contrasts.scores(Z[out], form, columns)
    complete = np.nan_to_num(Z, nan=0.0)
    scores = np.empty((int(out.sum()), len(places)))
    for at, place in enumerate(places.tolist()):
        side = np.where(seen, candidates.sides[place], 0)
        neuron = fit_neuron(complete, side, columns[place], form)
        scores[:, at] = neuron.decision_function(complete[np.ix_(out, columns[place])])
    return scores


def fit_neuron(Z: FloatArray, side: Any, columns: IndexArray, form: int) -> Any:
    """Fit a neuron to the carriers and the rows that they are held against."""
    rows = np.flatnonzero(side)
    if form not in SIMPLE:
        rows = np.sort(np.concatenate([_spaced(np.flatnonzero(side == s)) for s in (-1, 1)]))
    signs = np.where(np.asarray(side) > 0, 1.0, -1.0)
    return fit_neurons(NEURONS[form], Z, signs, [(rows, columns)], [0])[0]


def _spaced(rows: IndexArray) -> IndexArray:
    """At most as many rows as a kernel is trained on, evenly spaced."""
    if len(rows) <= KERNEL_ROWS:
        return rows
    return rows[np.linspace(0, len(rows) - 1, KERNEL_ROWS).astype(np.intp)]


def _standardised(scores: FloatArray, signs: FloatArray) -> Outputs:
    typical = SOFTNESS * np.median(np.abs(scores), axis=0)
    typical[typical == 0] = 1.0  # NaN where there is no such form
    values = signs * np.tanh(scores / typical)
    mean, deviation = values.mean(axis=0), values.std(axis=0)
    deviation[deviation < 1e-9] = 1.0
    forms = np.zeros(len(signs), np.intp)
    return Outputs((values - mean) / deviation, forms, typical, mean, deviation)


def choose_patterns(
    Z: FloatArray, candidates: Candidates, labels: Labels, folds: IndexArray, max_patterns: int
) -> Chosen:
    """Choose among candidates; ``max_patterns`` for each target.

    Kernels, and weights that are fitted together, are harder to read: they take part only if the
    whole choice predicts better with them, by more than its standard error.
    """
    raw = _unseen_scores(Z, candidates, folds)
    most = max_patterns * labels.is_true.shape[1]
    simple = [form for form in raw if form in SIMPLE]
    outputs = _outputs(raw, simple, candidates, labels)
    choice = choose(outputs.values, labels, folds, candidates.targets, most)
    others = _outputs(raw, list(raw), candidates, labels)
    other = choose(others.values, labels, folds, candidates.targets, most)
    gain = choice.losses - other.losses
    if gain.mean() > DOUBT * gain.std() / np.sqrt(len(gain)):
        outputs, choice = others, other
    contrasts = candidates.contrasts(Z, slice(None))
    columns = {
        form: _columns(contrasts, candidates, form)
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
                choice.statistics[at],
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
        """Targets and weights of the rows that count."""
        return Labels(self.targets.signs[self.rows] > 0, self.weights[self.rows])

    @property
    def searched(self) -> IndexArray:
        """Positions, among the rows that count, of those that miners search."""
        n_rows = len(self.rows)
        if n_rows <= MOST_ROWS:
            return np.arange(n_rows)
        rng = np.random.default_rng(self.seed)
        return np.sort(rng.choice(n_rows, MOST_ROWS, replace=False))

    def ordered(self) -> tuple[Any, FloatArray, IndexArray]:
        """The rows that count, with columns in an order of their content, and this order."""
        Z = dense(self.Z[self.rows] if len(self.rows) < len(self.targets.strata) else self.Z)
        order = column_order(Z)
        X = self.X[self.rows] if len(self.rows) < len(self.targets.strata) else self.X
        return X[:, order], np.ascontiguousarray(Z[:, order]), order

    def find_groups(self) -> BoolArray:
        """Carriers of groups found without labels, of shape (n_groups, n_rows)."""
        return find_groups(self.ordered()[0], self.miners, self.searched, self.seed, self.n_jobs)

    def candidates(self, X: Any, Z: FloatArray, groups: BoolArray) -> Candidates:
        """All candidates."""
        targets = self.targets.of_rows(self.rows)
        return find_candidates(
            X,
            Z,
            targets,
            groups,
            self.miners,
            self.searched,
            self.max_columns,
            self.seed,
            self.n_jobs,
            None if self.people is None else self.people[self.rows],
        )

    def largest_statistic(self) -> float:
        """The largest chi-square of a candidate that was made with labels."""
        X, Z, _ = self.ordered()
        candidates = self.candidates(X, Z, np.empty((0, len(Z)), dtype=bool))
        raw = _unseen_scores(Z, candidates, self.folds[self.rows])
        largest = 0.0
        for forms in ([form for form in raw if form in SIMPLE], list(raw)):
            values = _outputs(raw, forms, candidates, self.labels).values
            statistics = first_statistics(values, self.labels, candidates.targets)
            largest = max(largest, float(statistics.max(initial=0.0)))
        return largest


class Found(NamedTuple):
    """A fitted readable network.

    Parameters
    ----------
    patterns : list of Pattern
        In the order of choice.
    group_of : array of intp
    statistics : float64 array
        As in `LabelTest`.
    intercept : float64 array of shape (n_targets,)
    scores : float64 array of shape (n_rows, n_targets)
        Of rows by a choice that has not seen them.
    """

    patterns: list[Pattern]
    group_of: IndexArray
    statistics: FloatArray
    intercept: FloatArray
    scores: FloatArray


def fit_readable(table: ReadableTable, groups: BoolArray, max_patterns: int) -> Found:
    """Choose patterns, and train their neurons on all rows.

    Parameters
    ----------
    table : ReadableTable
    groups : bool array of shape (n_groups, n_rows)
        From `ReadableTable.find_groups`.
    max_patterns : int
    """
    X, Z, order = table.ordered()
    candidates = table.candidates(X, Z, groups)
    chosen = choose_patterns(Z, candidates, table.labels, table.folds[table.rows], max_patterns)
    sizes = [np.abs(unit.coef).max() * unit.deviation for unit in chosen.units]
    patterns = [
        _as_pattern(unit, candidates, Z, table, order, size / sum(sizes))
        for unit, size in zip(chosen.units, sizes, strict=True)
    ]
    return Found(
        patterns,
        np.array([candidates.groups[unit.candidate] for unit in chosen.units], np.intp),
        np.array([unit.statistic for unit in chosen.units]),
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
    own = np.empty_like(Z)
    own[:, order] = Z
    complete = np.nan_to_num(own, nan=0.0)
    seen = own if unit.form in SIMPLE else complete
    neuron = fit_neuron(seen, side * int(sign), columns, unit.form)
    positive, negative = table.targets.names_of(target)
    label, other = (positive, negative) if sign > 0 else (negative, positive)
    is_own = (table.labels.is_true[:, target]) == (sign > 0)
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
