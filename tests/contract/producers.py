"""Every producer of patterns: each miner, classifier and network, on each kind of table."""

import warnings
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from sklearn.cluster import SpectralCoclustering

from bicneuron import (
    BicNeuronClassifier,
    BicNeuronNetwork,
    CoherentBiclustering,
    PatternClassifier,
    SubgroupBiclustering,
)
from bicneuron.biclustering import (
    AdaptedBiclustering,
    ChengChurchBiclustering,
    ContrastBiclustering,
    DifferenceBiclustering,
    DiRAPOCCBiclustering,
    InformationCoclustering,
    SDCBiclustering,
)
from bicneuron.neurons import GaussianNeuron
from bicneuron.patterns import Pattern
from bicneuron.significance._given import fitted_to_given

N_ROWS, N_COLUMNS = 48, 14
NOTHING = Pattern(np.array([0]), np.array([0]))
COLUMNS = [f"gene{k}" for k in range(N_COLUMNS)]


class Case(NamedTuple):
    """A fitted model, and the table and labels that it was fitted to (None for no labels)."""

    name: str
    model: Any
    X: Any
    y: Any

    @property
    def values(self):
        """The table as an array."""
        return self.X.toarray() if isinstance(self.X, csr_array) else np.asarray(self.X)

    @property
    def classes(self):
        """Classes to test patterns with, also of a model that has not seen them."""
        return labels_of(2) if self.y is None else self.y

    @property
    def is_sparse(self):
        return isinstance(self.X, csr_array)

    @property
    def has_several_labels(self):
        return np.ndim(self.y) == 2

    @property
    def first(self):
        return self.model.patterns_[0] if self.model.patterns_ else NOTHING

    @property
    def is_miner(self):
        return not hasattr(self.model, "predict")


def labels_of(n_classes):
    """Names of classes, in turn: rows of a class are not side by side."""
    return np.array(["ill", "well", "other"][:n_classes])[np.arange(N_ROWS) % n_classes]


def several_labels():
    rng = np.random.default_rng(5)
    return (rng.random((N_ROWS, 3)) + values()[:, :3] / 6 > 0.6).astype(int)


@cache
def values():
    """Noise; a third of the ill rows are higher in four columns, lower in two; a class differs."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N_ROWS, N_COLUMNS))
    group = np.flatnonzero(np.arange(N_ROWS) % 2 == 0)[:9]
    X[np.ix_(group, [1, 4, 6, 9])] += 4.0
    X[np.ix_(group, [2, 11])] -= 4.0
    X[np.arange(N_ROWS) % 2 == 0, 7] += 1.5
    X[np.arange(N_ROWS) % 3 == 1, 8] += 2.5
    return X


@cache
def nested():
    """Two thirds of the ill rows differ in four columns, and some of these in three more."""
    X = np.random.default_rng(3).normal(size=(N_ROWS, N_COLUMNS))
    ill = np.flatnonzero(np.arange(N_ROWS) % 2 == 0)
    X[np.ix_(ill[:16], [1, 4, 6, 9])] += 4.0
    X[np.ix_(ill[:7], [2, 3, 11])] -= 4.0
    return X


def table(kind):
    X = nested() if kind == "nested" else values().copy()
    if kind.startswith("clear "):  # one column shows the class
        X[np.arange(N_ROWS) % 2 == 0, 7] += 2.0
        kind = kind.removeprefix("clear ")
    if kind == "units":  # far from those that models scale columns to
        return X * np.logspace(1, 3, N_COLUMNS) + 5000.0
    if kind == "frame":
        return pd.DataFrame(X, columns=COLUMNS, index=[f"P{k:02}" for k in range(N_ROWS)])
    if kind == "sparse":
        return csr_array(np.where(X > 0.7, X, 0.0))
    if kind == "noise":
        return np.random.default_rng(0).normal(size=X.shape)
    if kind == "wide":  # a group that no contrast of the classes finds as well
        X = np.random.default_rng(3).normal(size=(N_ROWS, 60))
        X[np.ix_(np.flatnonzero(np.arange(N_ROWS) % 2 == 0)[:11], np.arange(12))] += 3.0
        return X
    if kind == "gaps":
        X[np.random.default_rng(0).random(X.shape) < 0.08] = np.nan
    return X


def one_neuron(**parameters):
    miner = CoherentBiclustering(cut_distance=1.0, max_seeds=20)
    usual = {"search": None, "miner": miner, "max_ratio": 10.0, "random_state": 0}
    return BicNeuronClassifier(**{**usual, **parameters})


def search(**parameters):
    grid = {"miner__cut_distance": (0.8, 1.0), "anchor": ("both",)}
    return one_neuron(search=grid, cv=2, **parameters)


def network(**parameters):
    bells = [GaussianNeuron()]
    few = {"n_neurons": 3, "neuron_kinds": bells, "random_state": 0}
    return BicNeuronNetwork(**{**few, **parameters})


def readable():
    return PatternClassifier(max_patterns=2, random_state=0)


def coherent():
    return CoherentBiclustering(max_seeds=20, max_residue=0.3, random_state=0)


def groups(**parameters):
    return SubgroupBiclustering(**{"n_patterns": 2, **parameters})


TWO, THREE = labels_of(2), labels_of(3)
NUMBERS = np.arange(N_ROWS) % 2 + 1
# Name: unfitted model, kind of table, labels. Each kind of model, table and label is there.
PRODUCERS = {
    "coherent, gaps": (coherent(), "gaps", None),
    "nothing found": (CoherentBiclustering(max_residue=1e-9, max_seeds=5), "array", None),
    "contrast": (ContrastBiclustering(max_seeds=6, random_state=0), "frame", THREE),
    "Di-RAPOCC": (DiRAPOCCBiclustering(max_residue=2.0, min_difference=0.0), "array", TWO),
    "groups": (groups(kinds=("coexpressed", "shift")), "frame", None),
    "groups, nested": (groups(), "nested", NUMBERS),
    "groups, sparse": (groups(), "sparse", TWO),
    "one neuron, pairs of classes": (one_neuron(multi_class="ovo"), "units", THREE),
    "search, sparse": (search(), "sparse", NUMBERS),
    "network, gaps": (network(), "gaps", TWO),
    "network, several labels": (network(), "frame", several_labels()),
    "readable, three classes": (readable(), "frame", THREE),
}
# Models of which only the answers are looked at: no name of a class and no last bit changes them.
OTHERS = {
    "Cheng and Church": (ChengChurchBiclustering(max_residue=0.5, n_biclusters=3), "array", None),
    "difference": (DifferenceBiclustering(max_residue=0.4), "array", None),
    "information": (InformationCoclustering(n_init=2, random_state=0), "array", None),
    "adapted": (AdaptedBiclustering(estimator=SpectralCoclustering(random_state=0)), "array", None),
    "SDC": (
        SDCBiclustering(max_columns=4, min_columns=2, max_range=4.0, n_biclusters=3),
        "array",
        TWO,
    ),
    "groups, gaps": (groups(), "gaps", TWO),
    "one neuron": (one_neuron(max_rows=30), "gaps", TWO),
    "all columns": (one_neuron(max_ratio=0.0), "frame", TWO),
    "accurate network": (network(n_neurons=6, neuron_kinds=None), "frame", TWO),
    "readable, sparse": (readable(), "clear sparse", TWO),
    "readable, group": (readable(), "wide", TWO),
}


SHIFTED, MARKED = range(0, 18, 2), ["gene1", "gene4", "gene6", "gene9"]
CLUSTERS = np.where(np.arange(N_ROWS) % 2, "t cells", np.where(np.arange(N_ROWS) < 18, 1, None))
# Groups of other tools: what is given, kind of table, labels.
GIVEN = {
    "given, rows": ({"one": SHIFTED, "chance": range(20)}, "gaps", None),
    "given, rows and columns": (
        {"7": ([f"P{k:02}" for k in SHIFTED], MARKED), "8": (range(9, 30), MARKED[1:])},
        "frame",
        None,
    ),
    "given, columns": ({"signature": MARKED, "others": ["gene0", "gene3", "gene5"]}, "frame", None),
    "given, labels": (CLUSTERS, "units", None),
    "given, memberships": (np.column_stack([0.9 * (CLUSTERS == 1), values()]), "sparse", None),
}


@cache
def case(name):
    """The fitted producer; consumers do not change it."""
    if name in GIVEN:
        given, kind, y = GIVEN[name]
        return Case(name, fitted_to_given(table(kind), given, 0.5, None), table(kind), y)
    model, kind, y = PRODUCERS[name]
    X = table(kind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Case(name, model.fit(X, y), X, y)
