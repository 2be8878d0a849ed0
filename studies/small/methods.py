"""The network and its rivals: built for a number of columns, and how large they are."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bicneuron._core._arrays import IndexArray
from bicneuron.network import BicNeuronNetwork
from bicneuron.neurons import GaussianNeuron
from studies.small.column_choice import L1Columns, LogisticRegressionOnColumns

NETWORK = "network"
NeuronCount = int | Literal["auto"]
N_NEURONS: tuple[NeuronCount, ...] = (3, 5, 10, "auto")
NUMBERS_PER_COLUMN = 4  # mean and variance in each class


class Size(NamedTuple):
    """Distinct columns that a fitted model uses, and its fitted numbers, scaling not counted."""

    n_columns: int
    n_numbers: int


@dataclass(frozen=True)
class Rival:
    """A rival of the network.

    Parameters
    ----------
    name : str
    build : callable
        Builds the unfitted classifier from a number of columns and a seed.
    size : callable
        Size of the fitted classifier.
    package : str, default=None
        Package that it needs and that bicneuron does not.
    """

    name: str
    build: Callable[[int, int], Any]
    size: Callable[[Any], Size]
    package: str | None = None

    @property
    def is_installed(self) -> bool:
        """True if its package is installed."""
        return self.package is None or find_spec(self.package) is not None


def small_network(n_neurons: NeuronCount, seed: int) -> BicNeuronNetwork:
    """Build the readable network."""
    return BicNeuronNetwork(design="readable", n_neurons=n_neurons, random_state=seed)


def network_size(model: BicNeuronNetwork) -> Size:
    """Bell curves, typical score and weight of each pattern; intercept and slope."""
    columns = [pattern.columns for pattern in model.patterns_]
    n_numbers = sum(NUMBERS_PER_COLUMN * len(own) + 2 for own in columns) + 2
    return Size(len(np.unique(np.concatenate(columns))), n_numbers)


def _l1(n_columns: int, seed: int) -> Any:
    selector = L1Columns(n_columns, random_state=seed)
    model = LogisticRegressionOnColumns(selector, random_state=seed)
    return make_pipeline(StandardScaler(), model)


def _best_columns(n_columns: int, seed: int) -> Any:
    model = LogisticRegressionOnColumns(SelectKBest(k=n_columns), random_state=seed)
    return make_pipeline(StandardScaler(), model)


def _lda(n_columns: int, seed: int) -> Any:
    model = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
    return make_pipeline(StandardScaler(), SelectKBest(k=n_columns), model)


def _naive_bayes(n_columns: int, seed: int) -> Any:
    return make_pipeline(StandardScaler(), SelectKBest(k=n_columns), GaussianNB())


def _gaussian_neuron(n_columns: int, seed: int) -> Any:
    return make_pipeline(StandardScaler(), SelectKBest(k=n_columns), GaussianNeuron())


def _figs(n_columns: int, seed: int) -> Any:
    from imodels import FIGSClassifier

    return FIGSClassifier(max_rules=n_columns, random_state=seed)


def _boosting_machine(n_columns: int, seed: int) -> Any:
    from interpret.glassbox import ExplainableBoostingClassifier

    # The defaults, 14 bags and interactions, take minutes per fold.
    model = ExplainableBoostingClassifier(interactions=0, outer_bags=4, n_jobs=1, random_state=seed)
    return make_pipeline(SelectKBest(k=n_columns), model)


def _forest(n_columns: int, seed: int) -> Any:
    return RandomForestClassifier(300, random_state=seed)


def _weights_size(model: Any) -> Size:
    n_columns = int(model[-1].selector_.get_support().sum())
    return Size(n_columns, n_columns + 1)


def _lda_size(model: Any) -> Size:
    n_columns = model[-1].n_features_in_
    return Size(n_columns, n_columns + 1)


def _bell_curves_size(model: Any) -> Size:
    n_columns = model[-1].n_features_in_
    return Size(n_columns, NUMBERS_PER_COLUMN * n_columns + 1)


def _figs_size(model: Any) -> Size:
    """Thresholds and values of the leaves."""
    features: list[int] = []
    n_leaves = 0
    nodes = list(model.trees_)
    while nodes:
        node = nodes.pop()
        if node.left is None:
            n_leaves += 1
        else:
            features.append(int(node.feature))
            nodes += [node.left, node.right]
    return Size(len(set(features)), len(features) + n_leaves)


def _boosting_machine_size(model: Any) -> Size:
    curves = model[-1].term_scores_
    return Size(len(curves), sum(curve.size for curve in curves) + 1)


def _forest_size(model: Any) -> Size:
    trees = [tree.tree_ for tree in model.estimators_]
    features: IndexArray = np.concatenate([tree.feature for tree in trees])
    return Size(len(np.unique(features[features >= 0])), len(features))


FOREST = Rival("forest of 300 trees, all columns", _forest, _forest_size)
RIVALS = (
    Rival("L1, refitted logistic regression", _l1, _weights_size),
    Rival("best columns, logistic regression", _best_columns, _weights_size),
    Rival("best columns, shrinkage LDA", _lda, _lda_size),
    Rival("best columns, Gaussian naive Bayes", _naive_bayes, _bell_curves_size),
    Rival("best columns, one Gaussian neuron", _gaussian_neuron, _bell_curves_size),
    Rival("FIGS, as many splits", _figs, _figs_size, "imodels"),
    Rival("best columns, EBM", _boosting_machine, _boosting_machine_size, "interpret"),
    FOREST,
)
