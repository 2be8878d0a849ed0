"""Are groups found again in a second cohort? Nothing is searched there."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from os import PathLike
from typing import Any, Literal

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils import check_scalar

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._shared._estimators import draw_seed
from bicneuron._shared._formats import LEVEL, counted
from bicneuron._shared._steps import tell_step
from bicneuron._shared._workers import one_blas_thread
from bicneuron.outcomes import as_outcome
from bicneuron.patterns import carrier_counts, class_masks, proven_patterns
from bicneuron.persistence import load_model
from bicneuron.replication._column_draws import Compared, RandomColumns, random_columns
from bicneuron.replication._replication import Corrected, ReplicatedPattern, Replication
from bicneuron.replication._ties import Tie, p_value, tie_to
from bicneuron.replication._transfer import Transfer, TransferredPattern, column_weights, transfer
from bicneuron.significance import Findings
from bicneuron.significance._known import row_numbers, within_strata
from bicneuron.significance._questions import question_of
from bicneuron.significance._separate import (
    NO_LEVEL,
    SAFETY,
    in_order,
    less_medians,
    separate_in_order,
    sorted_scores,
)

# A pattern is tested if so many of its columns are there, with this share of its weight. Columns
# count that vary and have values in this share of the rows.
LEAST_COLUMNS, LEAST_WEIGHT, LEAST_KNOWN = 5, 0.3, 0.75
# Probability with which the signature of a pattern must tell rows that carry it from others.
LEAST_AGREEMENT = 0.8


def replicate(  # two tables, and what is asked of the second
    findings: Findings | str | PathLike[str],
    X2: Any,
    y2: Any = None,
    *,
    strata: Any = None,
    groups: Any = None,
    ranks: bool | Literal["auto"] = "auto",
    n_draws: int = 999,
    random_state: int | np.random.RandomState | None = None,
) -> Replication:
    """Look for the groups of a table in a second cohort, and test whether they are there.

    Patterns are taken as they are; nothing is searched in the second cohort. Columns are matched by
    name, and rows are scored by standard scores within the cohort (see `transfer`).

    There are three answers about each pattern, each with its own p:

    - *together*: do its columns move together here as there, more than random columns here?
    - *tied*: are its carriers tied to the class here, too, or to a number or survival, by labels in
      another order and by random columns?
    - *separate*: are they a separate group here, or the end of a gradient? See `separate_test`.

    A pattern is found again if the first answer is yes and, where classes or outcomes are given,
    the second. The third never decides. P is corrected in the order in which the first cohort
    ranked the patterns, findings before all others: the first is tested at half of the level, the
    second at a quarter, and so on, and one that passes gives its level to the next.

    Parameters
    ----------
    findings : Findings or path-like
        What `bicneuron.find_groups` returned, or a file of it.
    X2 : frame, array-like or sparse matrix of shape (n_rows, n_columns)
        The second cohort, with columns of the same names; NaN is a missing value. Columns that the
        first cohort did not have are left out.
    y2 : array-like of shape (n_rows,), structured array, or frame, default=None
        Classes, numbers or survival there, to ask for a tie to them; None and NaN are unknown.
    strata : array-like of shape (n_rows,), default=None
        Such as batches: scores, labels and outcomes are compared within strata only.
    groups : array-like of shape (n_rows,), default=None
        Rows of one group, such as samples of a patient, are one in the second and third answer.
    ranks : bool or "auto", default="auto"
        Take ranks within rows; "auto" does if all columns seem to have one unit in both tables.
    n_draws : int, default=999
        Random choices of columns, orders of labels, and draws from a single hump.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same draws on each call.

    Examples
    --------
    >>> from bicneuron import Findings, SubgroupBiclustering
    >>> from bicneuron.datasets import make_subgroups
    >>> from bicneuron.replication import replicate
    >>> X, y, _ = make_subgroups("shift", shift=3.0, n_columns=200, random_state=0)
    >>> miner = SubgroupBiclustering(kinds="shift", n_patterns=1).fit(X[::2])
    >>> replicate(Findings.untested(miner, X[::2]), X[1::2], random_state=0).words
    '1 of 1 group is found again'
    """
    findings = _findings(findings)
    check_scalar(n_draws, "n_draws", Integral, min_val=1)
    if ranks not in (True, False, "auto"):
        raise ValueError(f"ranks is {ranks!r}; give True, False or 'auto'.")
    made = transfer(findings, X2, ranks=ranks)
    n_rows, n_common = made.Z.shape
    asked = {"strata": strata, "groups": groups, "n_rows": n_rows}
    anchors = {one.pattern.anchor_class for one in made.patterns}
    ties = {} if y2 is None else {name: tie_to(y2, name, **asked) for name in anchors}
    question = None if as_outcome(y2) is None else question_of(y2, strata, groups)
    has_classes = y2 is not None and question is None
    in_class = class_masks(np.ravel(np.asarray(y2, object)), n_rows) if has_classes else {}
    of_strata = row_numbers(strata, n_rows, "strata")
    seed = draw_seed(random_state)
    random = np.random.default_rng(seed)
    results, known = [], {}
    with one_blas_thread():
        draws = random_columns(made, of_strata, n_draws, random)
        for k, found in enumerate(made.patterns):
            places = np.flatnonzero(made.known[found.here] >= LEAST_KNOWN)
            one = ReplicatedPattern(k + 1, found, _reason(found, places, n_rows))
            if found.members is not None:
                counts = carrier_counts(found.members, in_class).items()
                one = replace(one, members_of_classes=tuple((name, *n) for name, n in counts))
                if question is not None:
                    one = replace(one, effect=question.effects(found.members[:, None])[0])
            if not one.reason:
                tie = ties.get(found.pattern.anchor_class)
                one = _tested(one, places, draws, of_strata, tie, random)
                levels, known[k] = _levels(found, places, made, strata, groups)
                one = replace(one, levels=levels)
            results.append(one)
            tell_step(k + 1, len(made.patterns))
    proven = set(map(id, proven_patterns(findings.patterns)))
    results.sort(key=lambda one: (id(one.found.pattern) not in proven, one.number))
    corrected, needed = _corrected(results, known, n_draws, seed)
    patterns = tuple(sorted(corrected, key=lambda one: one.number))
    return Replication(patterns, n_rows, n_common, made.is_ranked, n_draws, _notes(made), needed)


def _findings(given: Any) -> Findings:
    """Findings, or those of a file."""
    if isinstance(given, str | PathLike):
        loaded = load_model(given)
        given = loaded[-1] if isinstance(loaded, Pipeline) else loaded
    if not isinstance(given, Findings):
        raise TypeError(
            f"findings is a {type(given).__name__}; replicate takes what find_groups returned, "
            "Findings.untested(miner, X) of a fitted SubgroupBiclustering, or a file of either."
        )
    return given


def _reason(found: TransferredPattern, places: IndexArray, n_rows: int) -> str:
    """Why a pattern cannot be tested, or nothing."""
    weight = found.weight_present * float(column_weights(found.signature)[places].sum())
    if len(places) < LEAST_COLUMNS or weight < LEAST_WEIGHT:
        varying = f" and vary, with values in {LEAST_KNOWN:.0%} of the rows"
        with_values = varying if len(places) < len(found.here) else ""
        return (
            f"{len(places)} of its {len(found.pattern.columns)} columns are here{with_values}, "
            f"with {100 * weight:.0f} % of its weight; {LEAST_COLUMNS} columns and "
            f"{100 * LEAST_WEIGHT:.0f} % are needed"
        )
    if found.members is None:
        return f"there are {n_rows} rows, too few for tests; 20 are needed"
    if np.isnan(found.agreement):
        return "no row, or every row, of the training table carries it"
    if found.agreement < LEAST_AGREEMENT:
        return (
            "its columns have no direction that tells who carries it: it is curved, or a matter of "
            f"levels (a row that carries it is above another in {found.agreement:.0%} of pairs "
            f"there; {LEAST_AGREEMENT:.0%} are needed)"
        )
    return ""


def _tested(
    one: ReplicatedPattern,
    places: IndexArray,
    draws: RandomColumns,
    strata: IndexArray,
    tie: Tie | None,
    random: np.random.Generator,
) -> ReplicatedPattern:
    """The pattern with its first two answers, not yet corrected for the others."""
    here, signature = one.found.here[places], one.found.signature.take(places)
    S = draws.values(signature, here, strata)
    variances = np.sort(S, axis=0).var(axis=0)  # sums do not depend on the order of the rows
    together = Compared(float(variances[0]), variances[1:])
    own = within_strata(signature.values(np.take(draws.Z, here, axis=1)), strata)
    labels_only, p_tied = tie.p_values(own, S[:, 1:], random) if tie else (None, None)
    one = replace(one, p_tied_labels_only=labels_only, p_tied=p_tied)
    return replace(one, together=together, p_together=p_value(*together))


def _levels(
    found: TransferredPattern, places: IndexArray, made: Transfer, strata: Any, groups: Any
) -> tuple[FloatArray | None, tuple[FloatArray, str]]:
    """Scores of rows for the third answer, and these sorted or why it cannot be given."""
    signature = found.signature.take(places)
    if not signature.is_linear:
        return None, (np.empty(0), NO_LEVEL)
    sums = signature.values(np.take(made.levels, found.here[places], axis=1))
    levels = sums - signature.linear.sum() * made.row_means
    known = sorted_scores(levels, strata, groups)
    # Of counts or 0 and 1, rows differ in their means only: equal sums are seen without these.
    reason = sorted_scores(sums, strata, groups)[1] if made.is_ranked else ""
    if reason:
        return levels, (known[0], reason)
    return less_medians(levels, strata), known


def _corrected(
    results: Sequence[ReplicatedPattern],
    known: Mapping[int, tuple[FloatArray, str]],
    n_draws: int,
    seed: int,
) -> tuple[list[ReplicatedPattern], tuple[str, ...]]:
    """Correct each answer for the patterns before it; and say where draws are too few."""
    p_values = np.array([(one.p_together, one.p_tied) for one in results], np.float64)
    p_together, p_tied = p_values.reshape(-1, 2).T  # None is NaN
    # Without classes and outcome, the first answer decides alone.
    p_found = np.fmax(p_together, p_tied)
    asked = [known.get(one.number - 1, (np.empty(0), one.reason)) for one in results]
    separate, separate_corrected = separate_in_order(asked, n_draws, seed)
    # One that is not tested, because of those before it, has its place in the order.
    p_separate = np.where(np.isnan(separate_corrected), np.nan, 1.0)
    for k, answer in enumerate(separate):
        p_separate[k] = p_separate[k] if answer.p_value is None else answer.p_value
    corrected = np.column_stack(
        [*(in_order(p) for p in (p_found, p_together, p_tied)), separate_corrected]
    )
    names = [one.name for one in results]
    needed = (
        _draws_needed(names, p_found, corrected[:, 0], n_draws),
        _draws_needed(names, p_separate, separate_corrected, n_draws, " as separate", SAFETY),
    )
    with_p = []
    for one, answer, row in zip(results, separate, corrected.tolist(), strict=True):
        first, *rest = (None if np.isnan(p) else p for p in row)
        if one.reason or answer.reason:
            rest[-1] = None
        told = None if one.reason else answer
        with_p.append(replace(one, p_found=first, separate=told, corrected=Corrected(*rest)))
    return with_p, tuple(filter(None, needed))


def _draws_needed(
    names: Sequence[str],
    p_values: FloatArray,
    corrected: FloatArray,
    n_draws: int,
    what: str = "",
    factor: float = 1.0,
) -> str:
    """Say how many draws are needed where p is as small as it can be, and too large; or nothing."""
    tested = np.flatnonzero(~np.isnan(p_values))
    smallest = factor / (1 + n_draws) * (1 + 1e-9)
    is_limited = (p_values[tested] <= smallest) & (corrected[tested] > LEVEL)
    limited = np.flatnonzero(is_limited).tolist()
    if not limited:
        return ""
    # The level of each is half of that of the one before it, but for the last; see `in_order`.
    n_halvings = min(limited[0] + 1, len(tested) - 1)
    n_needed = int(np.ceil(factor * 2**n_halvings / LEVEL - 1e-6)) - 1
    more = f", nor {counted(len(limited) - 1, 'pattern')} after it" if limited[1:] else ""
    return (
        f"{names[tested[limited[0]]]} cannot be shown{what} with {n_draws:,} draws{more}; "
        f"{n_needed:,} are needed"
    )


def _notes(made: Transfer) -> tuple[str, ...]:
    """What a reader has to know of the cohort."""
    told, n_rows = "", len(made.Z)
    if made.n_training_rows:
        told = f"{made.n_training_rows} of {n_rows} rows are rows of the training table, which "
        told += "cannot show that a pattern is found again"
    elif made.n_training_names:
        told = f"{made.n_training_names} of {n_rows} row names are those of training rows; if they "
        told += "are the same patients, this is not a second cohort"
    return (told,) if told else ()
