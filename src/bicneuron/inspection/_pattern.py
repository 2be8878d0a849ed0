"""Patterns of a fitted model in its training table; other tables are refused."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron._core._residue import observed_residue
from bicneuron._estimators._checks import check_numbers
from bicneuron._estimators._filling import with_means
from bicneuron._estimators._scaled_matrix import filled
from bicneuron.biclustering import Subgroup
from bicneuron.classifier import BicNeuronClassifier, BicNeuronClassifierCV
from bicneuron.contrast import ContrastivePair
from bicneuron.exceptions import NoContrastivePairError
from bicneuron.metrics import msr_ratio
from bicneuron.network import BicNeuronNetwork


class FittedPattern(NamedTuple):
    """A pattern of a fitted model together with the scaled data.

    The rows, columns and names are those of ``Z``. Models do not keep the data of their fit.
    """

    Z: FloatArray
    pair: ContrastivePair
    neuron: Any
    threshold: float
    names: dict[str, AnyArray | None]


def fitted_pattern(estimator: Any, X: Any, pattern: int | None) -> FittedPattern:
    """Look up a pair of a fitted model.

    Parameters
    ----------
    estimator : BicNeuronClassifier, BicNeuronClassifierCV or BicNeuronNetwork
        Of two classes, or a network.
    X : array-like of shape (n_rows, n_columns)
        The data it was fitted on.
    pattern : int or None
        Position in ``pairs_`` or ``patterns_``; None is the selected pair or the strongest pattern.
    """
    model = model_with_pairs(estimator)
    feature_names, row_names = frame_names(X)
    if feature_names is None:
        feature_names = getattr(estimator, "feature_names_in_", None)
    X = check_numbers(estimator, X, reset=False, accept_sparse=False)
    threshold, rows = 0.0, np.arange(len(X))
    if isinstance(model, BicNeuronNetwork):
        chosen = model.patterns_[_checked(pattern or 0, len(model.patterns_), "patterns_")]
        pair, neuron = chosen.pair, chosen.neuron
        _check_row(pair.rows.max(), X)
    else:
        pairs = model.pairs_
        if pattern is None:
            pattern = selected_position(model)
        pair, neuron = (
            each[_checked(pattern, len(pairs), "pairs_")] for each in (pairs, model.neurons_)
        )
        if pair == model.selected_pair_:
            threshold = model.threshold_
        rows = model.rows_used_
        _check_row(rows.max(), X)
        X = with_means(X)
    # As the pair was drawn, without missing values.
    network = isinstance(model, BicNeuronNetwork)
    Z = filled(model._seen(X) if network else model._scaling.apply(X[rows]))
    _check_table_of_pair(Z, pair)
    row_names = None if row_names is None else row_names[rows]
    names = {"feature_names": feature_names, "row_names": row_names}
    return FittedPattern(Z, pair, neuron, threshold, names)


def model_with_pairs(
    estimator: Any,
) -> BicNeuronClassifier | BicNeuronClassifierCV | BicNeuronNetwork:
    """Return a network, or a classifier of two classes with a selected pair; refuse all else."""
    known = BicNeuronClassifier, BicNeuronClassifierCV, BicNeuronNetwork
    if not isinstance(estimator, known):
        raise TypeError(
            f"estimator is a {type(estimator).__name__}; give a fitted BicNeuronClassifier, "
            "BicNeuronClassifierCV or BicNeuronNetwork (of a pipeline the last step, with the data "
            "transformed by the others; of a search its best_estimator_)."
        )
    check_is_fitted(estimator)
    if isinstance(estimator, BicNeuronNetwork):
        return estimator
    if hasattr(estimator, "estimators_"):
        raise ValueError(
            f"the model has {len(estimator.classes_)} classes and a pair for each of "
            f"{len(estimator.estimators_)} problems; give one of its estimators_."
        )
    if estimator.selected_pair_ is None:
        raise NoContrastivePairError(
            "there is nothing to draw: no contrastive pair survived, and the model fell back to "
            "one neuron on all columns (selected_pair_ is None). Raise max_ratio or change the "
            "miner, as the warning of fit says."
        )
    return estimator


def selected_position(model: BicNeuronClassifier | BicNeuronClassifierCV) -> int:
    """Position of the selected pair in ``pairs_``."""
    return [pair == model.selected_pair_ for pair in model.pairs_].index(True)


def _checked(pattern: int, size: int, name: str) -> int:
    if not 0 <= pattern < size:
        raise ValueError(f"pattern={pattern} is not in {name}; give 0 to {size - 1}.")
    return pattern


def _check_row(last: int, X: FloatArray) -> None:
    if last >= len(X):
        raise ValueError(
            f"X has {len(X)} rows, but the model was fitted on row {last}; give the X of fit."
        )


def _check_table_of_pair(Z: FloatArray, pair: ContrastivePair) -> None:
    ratio = msr_ratio(
        Z[np.ix_(pair.anchor_rows, pair.columns)], Z[np.ix_(pair.contrast_rows, pair.columns)]
    )
    if not np.isclose(ratio, pair.msr_ratio, rtol=1e-6):
        raise ValueError(
            f"X is not what the model was fitted on: the pair has an MSR ratio of {ratio:.4g} in "
            f"it and of {pair.msr_ratio:.4g} in the model; give the X of fit."
        )


def check_table_of_group(Z: FloatArray, y: AnyArray | None, subgroup: Subgroup) -> None:
    """Refuse a table or labels in which a group was not found."""
    n_rows = sum(size for _, size in subgroup.carriers.values())
    if len(Z) != n_rows:
        raise ValueError(
            f"X has {len(Z)} rows, but the miner was fitted on {n_rows}; give the X of fit."
        )
    if y is not None:
        if len(y) != n_rows:
            raise ValueError(f"y has {len(y)} values for {n_rows} rows.")
        was_seen = subgroup.anchor_class is not None
        if was_seen and not np.all(y[subgroup.rows] == subgroup.anchor_class):
            raise ValueError(
                f"y is not what the miner was fitted on: not all carriers are of class "
                f"{subgroup.anchor_class!r} in it; give the y of fit."
            )
    residue = observed_residue(Z[np.ix_(subgroup.rows, subgroup.columns)])
    if not np.isclose(residue, subgroup.msr, rtol=1e-6):
        raise ValueError("X is not what the miner was fitted on; give the X of fit.")


def frame_names(X: Any) -> tuple[AnyArray | None, AnyArray | None]:
    """Names of the columns and of the rows, or None if ``X`` has none."""
    columns, index = getattr(X, "columns", None), getattr(X, "index", None)
    return (
        None if columns is None else np.asarray(columns, dtype=object),
        None if index is None else np.asarray(index, dtype=object),
    )
