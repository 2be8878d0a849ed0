"""Copies of models whose patterns carry the results of tests."""

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from bicneuron.biclustering import Evidence
from bicneuron.significance._models import check_has_patterns, is_classifier, is_miner
from bicneuron.significance._significance import Significance
from bicneuron.significance._stability import Stability


def with_evidence(
    model: Any,
    significance: Significance | None = None,
    stability: Stability | None = None,
) -> Any:
    """Copy a fitted model and attach test results to its patterns, as their ``evidence``.

    Parameters
    ----------
    model : SubgroupBiclustering, BicNeuronNetwork, BicNeuronClassifier or BicNeuronClassifierCV
        Fitted; it is not changed.
    significance : Significance, default=None
        Result of `significance_test` for its patterns.
    stability : Stability, default=None
        Result of `stability` for them.

    Returns
    -------
    copy : as ``model``
        ``found_`` of a miner, ``patterns_`` of a network, or ``selected_pair_`` and ``pairs_`` of a
        classifier have an `Evidence` as ``evidence``; that of pairs which were not selected is
        None.

    Examples
    --------
    >>> from bicneuron import SubgroupBiclustering
    >>> from bicneuron.datasets import make_subgroups
    >>> from bicneuron.significance import significance_test, with_evidence
    >>> table = make_subgroups("shift", shift=2.5, n_columns=300, random_state=0)
    >>> miner = SubgroupBiclustering().fit(table.X)
    >>> result = significance_test(miner, table.X, table.y, random_state=0)
    >>> print(with_evidence(miner, result).found_[0].evidence)
    15 of 50 case, 0 of 50 control; p = 0.001 corrected for all patterns
    """
    check_has_patterns(model, "with_evidence")
    results = [result for result in (significance, stability) if result is not None]
    annotated = copy(model)
    if is_miner(model):
        annotated.found_ = _annotated(model.found_, results)
    elif is_classifier(model):
        _annotate_classifier(annotated, results)
    else:
        annotated.patterns_ = _annotated(model.patterns_, results)
    return annotated


def _annotated(patterns: Sequence[Any], results: Sequence[Significance | Stability]) -> list[Any]:
    for result in results:
        if [*map(_key, result.patterns)] != [*map(_key, patterns)]:
            raise ValueError(
                f"the {type(result).__name__} is about other patterns than those of model; test "
                "this fitted model, on the table that it was fitted to."
            )
    return [
        replace(pattern, evidence=_evidence(k, pattern, results))
        for k, pattern in enumerate(patterns)
    ]


def _annotate_classifier(annotated: Any, results: Sequence[Significance | Stability]) -> None:
    """Replace the selected pair of each binary problem; the model is a copy already."""
    if len(annotated.classes_) > 2:
        annotated.estimators_ = [copy(binary) for binary in annotated.estimators_]
    binaries = [binary for _, binary in annotated.binary_models()]
    selected = [b.selected_pair_ for b in binaries if b.selected_pair_ is not None]
    replaced = iter(_annotated(selected, results))
    for binary in binaries:
        before = binary.selected_pair_
        if before is None:
            continue
        after = next(replaced)
        holder = _holder(binary)
        holder.selected_pair_ = after
        holder.pairs_ = [after if pair == before else pair for pair in holder.pairs_]


def _holder(binary: Any) -> Any:
    """The classifier with the selected pair; of a search, a copy of the best one in it."""
    if not hasattr(binary, "best_estimator_"):
        return binary
    binary.best_estimator_ = copy(binary.best_estimator_)
    return binary.best_estimator_


def _key(pattern: Any) -> Any:
    """The value to compare: the pair of a pattern of a network, else the pattern."""
    return replace(getattr(pattern, "pair", pattern), evidence=None)


def _evidence(k: int, pattern: Any, results: Sequence[Significance | Stability]) -> Evidence:
    evidence = Evidence()
    for result in results:
        if isinstance(result, Significance):
            evidence = evidence._replace(
                method=result.method,
                carriers=tuple((label, *counts) for label, counts in result.carriers[k].items()),
                p_value=float(result.p_values[k]),
                family_p_value=float(result.family_p_values[k]),
                q_value=float(result.q_values[k]),
                n_permutations=result.n_permutations,
                smallest_p=float(result.smallest_p),
            )
        else:
            columns = getattr(pattern, "pair", pattern).columns
            evidence = evidence._replace(
                found=round(result.found[k] * result.n_subsamples),
                n_subsamples=result.n_subsamples,
                column_frequency=tuple(result.column_frequency[k, columns].tolist()),
            )
    return evidence
