"""The network and its rivals: built for a number of columns, and what they use."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bicneuron._core._arrays import IndexArray
from bicneuron.network import PatternClassifier
from bicneuron.network._patterns import trained_neurons
from bicneuron.neurons import GaussianNeuron
from studies.small.column_choice import CentroidColumns, L1Columns, LogisticRegressionOnColumns
from studies.small.top_pairs import TopScoringPairs

NETWORK = "network"
# More pairs are not usual.
MOST_PAIRS = 9


class Used(NamedTuple):
    """Distinct columns that a fitted model uses, and its fitted numbers, scaling not counted."""

    columns: IndexArray
    n_numbers: int


@dataclass(frozen=True)
class Rival:
    """A rival of `PatternClassifier`, with the package that it needs; is it free in its columns?"""

    name: str
    build: Callable[[int, int], Any]
    used: Callable[[Any], Used]
    package: str | None = None
    is_free: bool = False

    @property
    def is_installed(self) -> bool:
        """True if its package is installed."""
        return self.package is None or find_spec(self.package) is not None


def network(seed: int) -> PatternClassifier:
    """Build the classifier of a few patterns."""
    return PatternClassifier(random_state=seed)


def network_used(model: PatternClassifier) -> Used:
    """Neuron, typical score and weight of each pattern; intercept and slope."""
    neurons = [neuron.estimator for neuron in trained_neurons(model.patterns_)]
    n_numbers = sum(_neuron_numbers(neuron) + 2 for neuron in neurons) + 2
    return Used(model.columns_in_use_, n_numbers)


def first_pattern_used(model: PatternClassifier) -> Used:
    """Columns of the first pattern, none if there is no pattern."""
    first = model.patterns_[0].columns if model.patterns_ else np.empty(0, np.intp)
    return network_used(model)._replace(columns=first)


def _neuron_numbers(neuron: Any) -> int:
    """Means and variances, or weights of columns, or rows with a weight each and a width."""
    if isinstance(neuron, GaussianNeuron):
        return int(neuron.n_features_in_) * (3 if neuron.shared_variance else 4)
    if neuron.kernel == "linear":
        return int(neuron.n_features_in_) + 1
    return int(neuron.support_vectors_.size + neuron.dual_coef_.size + 1)


def _l1(n_columns: int, seed: int) -> Any:
    return LogisticRegressionOnColumns(L1Columns(n_columns, random_state=seed), random_state=seed)


def _best_columns(n_columns: int, seed: int) -> Any:
    return LogisticRegressionOnColumns(SelectKBest(k=n_columns), random_state=seed)


def _all_columns(n_columns: int, seed: int) -> Any:
    return LogisticRegressionOnColumns(SelectKBest(k="all"), random_state=seed)


def _lda(n_columns: int, seed: int) -> Any:
    model = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
    return make_pipeline(StandardScaler(), SelectKBest(k=n_columns), model)


def _centroids(n_columns: int, seed: int) -> Any:
    model = NearestCentroid(priors="empirical")
    return make_pipeline(StandardScaler(), CentroidColumns(n_columns), model)


def _top_pairs(n_columns: int, seed: int) -> Any:
    # Standardised, because columns of different units cannot be compared.
    return make_pipeline(StandardScaler(), TopScoringPairs(min(n_columns // 2, MOST_PAIRS)))


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


def _weights_used(model: Any) -> Used:
    columns = model.selector_[-1].get_support(indices=True)
    return Used(columns, len(columns) + 1)


def _lda_used(model: Any) -> Used:
    columns = model[1].get_support(indices=True)
    return Used(columns, len(columns) + 1)


def _centroids_used(model: Any) -> Used:
    """Two means and a variance per column, and the share of a class."""
    columns = model[1].get_support(indices=True)
    return Used(columns, 3 * len(columns) + 1)


def _top_pairs_used(model: Any) -> Used:
    """The order of the two columns of each pair."""
    pairs = model[-1].pairs_
    return Used(np.unique(pairs), len(pairs))


def _figs_used(model: Any) -> Used:
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
    return Used(np.unique(np.array(features, np.intp)), len(features) + n_leaves)


def _boosting_machine_used(model: Any) -> Used:
    curves = model[-1].term_scores_
    return Used(model[0].get_support(indices=True), sum(curve.size for curve in curves) + 1)


def _forest_used(model: Any) -> Used:
    trees = [tree.tree_ for tree in model.estimators_]
    features: IndexArray = np.concatenate([tree.feature for tree in trees])
    return Used(np.unique(features[features >= 0]), len(features))


RIVALS = (
    Rival("L1, refitted logistic regression", _l1, _weights_used),
    Rival("best columns, logistic regression", _best_columns, _weights_used),
    Rival("best columns, shrinkage LDA", _lda, _lda_used),
    Rival("shrunken centroids, refitted", _centroids, _centroids_used),
    Rival("top scoring pairs", _top_pairs, _top_pairs_used),
    Rival("FIGS, as many splits", _figs, _figs_used, "imodels"),
    Rival("best columns, EBM", _boosting_machine, _boosting_machine_used, "interpret"),
    Rival("logistic regression, all columns", _all_columns, _weights_used, is_free=True),
    Rival("forest of 300 trees, all columns", _forest, _forest_used, is_free=True),
)
SELECTIVE_RIVALS = tuple(rival for rival in RIVALS if not rival.is_free)
