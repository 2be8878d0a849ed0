"""The patterns of a fitted model of any type, and the rows that carry them.

============================ ==========================================================
model                        a row carries a pattern if
============================ ==========================================================
miner with ``membership``    it is a member
`BicNeuronNetwork`           the neuron of the pattern gives it to the anchor's class
one-neuron classifier        the neuron gives it to the side of the selected pair's anchor
============================ ==========================================================
"""

import warnings
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import hypergeom
from sklearn.base import clone

from bicneuron._core._arrays import AnyArray, BoolArray, IndexArray
from bicneuron._estimators._checks import check_numbers
from bicneuron.classifier import BicNeuronClassifier, BicNeuronClassifierCV
from bicneuron.exceptions import (
    FewerFoldsWarning,
    ManyProblemsWarning,
    NoBiclusterWarning,
    NoContrastivePairWarning,
)
from bicneuron.network import BicNeuronNetwork

PAIR = "pair"
# That a search of shuffled labels or of a part of the rows finds nothing is a result.
EXPECTED = (NoBiclusterWarning, NoContrastivePairWarning, FewerFoldsWarning, ManyProblemsWarning)


class CarriedPattern(NamedTuple):
    """A pattern of a fitted model.

    Parameters
    ----------
    pattern : Subgroup, Pattern or ContrastivePair
    anchor_class : label or None
        Class of its rows.
    kind : str
    rows, columns : arrays of intp
        Its parts. The rows of a pair are its carriers in the anchor's class.
    anchor_rows : array of intp
        Rows of the training set in which it was found.
    carriers : bool array of shape (n_rows,)
    strength : float
        Evidence for it: that of a miner, or for pairs the negative decimal logarithm of the
        probability of so many carriers in the anchor's class.
    """

    pattern: Any
    anchor_class: Any
    kind: str
    rows: IndexArray
    columns: IndexArray
    anchor_rows: IndexArray
    carriers: BoolArray
    strength: float


def class_masks(labels: AnyArray | None, n_rows: int) -> dict[Any, BoolArray]:
    """Rows of each class; without labels, all rows under the label None."""
    if labels is None:
        return {None: np.ones(n_rows, dtype=bool)}
    return {label: labels == label for label in np.unique(labels).tolist()}


def carrier_counts(
    carriers: BoolArray, in_class: Mapping[Any, BoolArray]
) -> dict[Any, tuple[int, int]]:
    """Number of carriers in each class, and of its rows."""
    return {
        label: (int(np.sum(carriers & mask)), int(mask.sum())) for label, mask in in_class.items()
    }


def is_miner(model: Any) -> bool:
    """True if it has members, which need no labels."""
    return hasattr(model, "membership")


def is_classifier(model: Any) -> bool:
    """True if it classifies by one neuron, or by one for each binary problem."""
    return isinstance(model, BicNeuronClassifier | BicNeuronClassifierCV)


def check_has_patterns(model: Any, function: str) -> None:
    """Refuse a model without patterns that rows carry."""
    if not (is_miner(model) or is_classifier(model) or isinstance(model, BicNeuronNetwork)):
        raise TypeError(
            f"model is a {type(model).__name__}, whose patterns have no carriers; {function} takes "
            "a SubgroupBiclustering, BicNeuronNetwork, BicNeuronClassifier or "
            "BicNeuronClassifierCV."
        )


def fitted_quietly(model: Any, X: Any, y: Any, n_jobs: int | None, seed: int = 0) -> Any:
    """A fitted clone, with a seed if it has none."""
    copy = clone(model).set_params(n_jobs=n_jobs)
    if copy.get_params(deep=False).get("random_state", seed) is None:
        copy.set_params(random_state=seed)
    with warnings.catch_warnings():
        for category in EXPECTED:
            warnings.simplefilter("ignore", category)
        return copy.fit(X, y)


def carried_patterns(model: Any, X: Any, y: AnyArray | None) -> list[CarriedPattern]:
    """The patterns of a fitted model, in its order, and their carriers among some rows."""
    if is_miner(model):
        is_member = model.membership(X)[1]
        return [
            CarriedPattern(
                found,
                found.anchor_class,
                found.kind,
                found.rows,
                found.columns,
                found.rows,
                is_member[:, k],
                found.strength,
            )
            for k, found in enumerate(model.found_)
        ]
    if y is None:
        raise ValueError(f"{type(model).__name__} needs classes; give y.")
    if isinstance(model, BicNeuronNetwork):
        return [*_of_network(model, X, y)]
    return [*_of_classifier(model, X, y)]


def _of_network(model: BicNeuronNetwork, X: Any, y: AnyArray) -> Iterator[CarriedPattern]:
    scores = model.pattern_scores(X)
    for k, pattern in enumerate(model.patterns_):
        # With two classes the one score speaks for the second.
        positive = model.classes_[1 if len(model.classes_) == 2 else pattern.target]
        anchor = pattern.pair.anchor_class
        carriers = (scores[:, k] > 0) == (anchor == positive)
        rows = pattern.pair.anchor_rows
        yield _of_pair(pattern, pattern.pair, anchor, rows, carriers, y == anchor)


def _of_classifier(model: Any, X: Any, y: AnyArray) -> Iterator[CarriedPattern]:
    table = check_numbers(model, X, reset=False, to_be_scaled=True)
    for problem, binary in model.binary_models():
        pair = binary.selected_pair_
        if pair is None:
            continue
        negative, positive = problem.sides
        of_positive = pair.anchor_class == positive
        carriers = (binary._binary_scores(table) > 0) == of_positive
        in_class = np.isin(y, problem.positive if of_positive else problem.negative)
        label = positive if of_positive else negative
        rows = binary.rows_used_[pair.anchor_rows]
        yield _of_pair(pair, pair, label, rows, carriers, in_class)


def _of_pair(
    pattern: Any,
    pair: Any,
    anchor_class: Any,
    anchor_rows: IndexArray,
    carriers: BoolArray,
    in_class: BoolArray,
) -> CarriedPattern:
    count = int(np.sum(carriers & in_class))
    chance = hypergeom(len(in_class), int(in_class.sum()), int(carriers.sum()))
    return CarriedPattern(
        pattern,
        anchor_class,
        PAIR,
        np.flatnonzero(carriers & in_class),
        pair.columns,
        anchor_rows,
        carriers,
        float(-chance.logsf(count - 1) / np.log(10)),
    )
