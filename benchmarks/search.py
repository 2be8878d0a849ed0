"""The paper's grid by inner cross-validation, against separate fits."""

import warnings
from collections.abc import Iterator
from functools import partial

import numpy as np
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from benchmarks._bench import Bench, Size, fastest
from benchmarks._matrices import matrices, planted, shape_of
from bicneuron import BicNeuronClassifier, CoherentBiclustering
from bicneuron.classifier._search import CUT, PRESETS

N_FOLDS = 5
CUTS = PRESETS["paper"].grid[CUT]


def rows(size: Size) -> Iterator[Bench]:
    search_grid(*planted(120, 12))  # loads kernels
    for X, y, name in matrices(size):
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # where no pair survives
            seconds = fastest(
                {"grid": partial(search_grid, X, y), "fits": partial(fit_each, X, y)},
                3 if size == "full" else 1,
            )
        yield Bench(
            "search",
            f"CV(paper's grid) / {N_FOLDS} folds x {len(CUTS)} fits, {name}",
            shape_of(X),
            seconds["grid"] / seconds["fits"],
            at_most=1.2,
        )


def search_grid(X: np.ndarray, y: np.ndarray) -> None:
    BicNeuronClassifier(search="paper", cv=N_FOLDS, random_state=0).fit(X, y)


def fit_each(X: np.ndarray, y: np.ndarray) -> None:
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
    for train, _ in folds.split(X, y):
        for cut in CUTS:
            miner = CoherentBiclustering(cut_distance=cut)
            BicNeuronClassifier(search=None, miner=miner, random_state=0).fit(X[train], y[train])
