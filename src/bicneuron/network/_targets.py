"""Labels as signs: two classes, more classes, or several labels per row."""

import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._shared._checks import by_size, weights_of_classes
from bicneuron.network._draws import Side

# Folds of the rows: what is fitted to some rows is tested on others.
N_FOLDS = 5


@dataclass(frozen=True, eq=False)
class Targets:
    """The targets of the output layer, of shape (n_rows, n_targets), +1 or -1.

    One for two classes, otherwise one per class or label. ``classes`` have those of most rows
    first, so that their names do not matter; folds are stratified by ``strata``.
    """

    classes: AnyArray
    signs: FloatArray
    strata: AnyArray
    multilabel: bool

    def of_rows(self, rows: IndexArray) -> "Targets":
        """The targets of some rows."""
        return Targets(self.classes, self.signs[rows], self.strata[rows], self.multilabel)

    def names_of(self, target: int) -> tuple[Any, Any]:
        """Label of the rows that have a target, and of those that have not; None for several."""
        labels = self.classes.tolist()
        if self.multilabel:
            return labels[target], f"not {labels[target]}"
        return (labels[1], labels[0]) if len(labels) == 2 else (labels[target], None)

    def sides(self) -> list[Side]:
        """Sides to draw from: each class against each other, each label against its absence."""
        positive = [np.flatnonzero(signs > 0) for signs in self.signs.T]
        negative = [np.flatnonzero(signs < 0) for signs in self.signs.T]
        if self.multilabel:
            sides = [
                side
                for t, label in enumerate(self.classes.tolist())
                for side in (
                    Side(label, f"not {label}", t, positive[t], negative[t]),
                    Side(f"not {label}", label, t, negative[t], positive[t]),
                )
            ]
            # A label that all rows have, or none, separates nothing.
            return [side for side in sides if len(side.rows) and len(side.others)]
        n_targets, labels = len(positive), self.classes.tolist()
        rows = [*negative, *positive] if n_targets == 1 else positive
        return [
            Side(label, labels[other], t % n_targets, rows[t], rows[other])
            for t, label in enumerate(labels)
            for other in range(len(labels))
            if other != t
        ]

    def deal_folds(
        self, n_folds: int, rng: np.random.Generator, groups: AnyArray | None = None
    ) -> IndexArray:
        """Fold of each row, stratified; -1 for rows that are alone in their stratum.

        Rows of one of the groups are in one fold.
        """
        folds = np.full(len(self.strata), -1)
        if groups is not None:
            if len(groups) != len(folds):
                raise ValueError(f"groups has {len(groups)} values for {len(folds)} rows.")
            n_groups = len(np.unique(groups))
            if n_groups < 2:
                raise ValueError("groups has one value; rows of at least two are needed.")
            dealt = StratifiedGroupKFold(
                min(n_folds, n_groups), shuffle=True, random_state=int(rng.integers(2**31))
            )
            with warnings.catch_warnings():
                # Classes of fewer groups than folds are not in all of them.
                warnings.simplefilter("ignore", UserWarning)
                for fold, (_, rows) in enumerate(dealt.split(folds, self.strata, groups)):
                    folds[rows] = fold
            return folds
        start = 0
        for stratum in range(self.strata.max() + 1):
            rows = rng.permutation(np.flatnonzero(self.strata == stratum))
            if len(rows) > 1:
                folds[rows] = (start + np.arange(len(rows))) % n_folds
                start += len(rows)
        return folds


class TrainingTable(NamedTuple):
    """What is fitted; ``rows`` are those of the output layer, ``people`` who they belong to."""

    X: Any
    Z: FloatArray
    targets: Targets
    weights: FloatArray
    folds: IndexArray
    rows: IndexArray
    seed: int
    people: AnyArray | None


def encode_targets(y: AnyArray) -> Targets:
    """Turn labels into signs, or refuse them."""
    check_classification_targets(y)
    kind = type_of_target(y)
    if kind == "multilabel-indicator":
        signs = np.where(np.asarray(y) > 0, 1.0, -1.0)
        if (signs == signs[0]).all():
            raise ValueError("no label of y varies: all rows have the same labels.")
        _, strata = by_size(np.unique(signs, axis=0, return_inverse=True)[1].ravel())
        return Targets(np.arange(signs.shape[1]), signs, strata, multilabel=True)
    if kind == "multiclass-multioutput":
        raise ValueError("y has several columns with more than two values; fit one model for each.")
    classes, encoded = by_size(column_or_1d(y, warn=True))
    if len(classes) < 2:
        raise ValueError(f"y has one class, {classes.tolist()[0]!r}; two are needed.")
    positive = np.arange(len(classes)) if len(classes) > 2 else np.array([1])
    signs = np.where(encoded[:, None] == positive, 1.0, -1.0)
    return Targets(classes, signs, encoded, multilabel=False)


def row_weights(class_weight: Any, targets: Targets) -> FloatArray:
    """Weight of each row by its class; their mean is 1."""
    if class_weight is not None and targets.multilabel:
        raise ValueError(
            f"class_weight={class_weight!r} needs classes, but y is a table of labels; use None."
        )
    if class_weight is None:
        return np.ones(len(targets.strata))
    sizes = np.bincount(targets.strata)
    weights = weights_of_classes(class_weight, targets.classes, sizes)[targets.strata]
    return np.asarray(weights / weights.mean())
