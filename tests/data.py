"""Data on which a classifier finds many pairs, good and bad ones, and that classifier."""

import numpy as np
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from bicneuron import BicNeuronClassifier, CoherentBiclustering
from bicneuron.metrics import cross_validated_scores


def make_one_factor(seed=0, n_minority=40, n_majority=60, n_columns=10, noise=0.3):
    """Rows that share one factor, so that some are coherent by chance; half the columns differ.

    Class 1 is the minority. Tie-free. With the default settings a few pairs pass tau = 0.9 and a
    few do not.
    """
    random = np.random.RandomState(seed)
    y = random.permutation(np.repeat([1, 0], [n_minority, n_majority]))
    X = random.normal(size=(len(y), 1)) + noise * random.normal(size=(len(y), n_columns))
    X[:, : n_columns // 2] += 0.5 * y[:, None]
    return X, y


def make_noisy_linear(seed=0, n_rows=800, n_columns=8):
    """Standard normal columns; the best rule, a linear score, errs on a quarter of the rows."""
    random = np.random.RandomState(seed)
    direction = random.standard_normal(n_columns)
    direction /= np.linalg.norm(direction)
    X = random.standard_normal((n_rows, n_columns))
    chance = expit(1.6640228727408848 * (X @ direction))
    return X, (random.uniform(size=n_rows) < chance).astype(np.intp)


def make_three(seed=0, sizes=(20, 30, 40), n_columns=8):
    """Rows that share one factor; each class is higher in columns of its own."""
    random = np.random.RandomState(seed)
    y = random.permutation(np.repeat(np.arange(len(sizes)), sizes))
    X = random.normal(size=(len(y), 1)) + 0.3 * random.normal(size=(len(y), n_columns))
    X[np.arange(len(y)), y] += 2
    X[np.arange(len(y)), y + len(sizes)] += 1
    return X, y


def minmax(X):
    """Each column from 0 to 1, by the formula of the method."""
    return (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))


def classifier(**parameters):
    """One that finds some twenty pairs in `make_one_factor`, a few of them beyond tau = 0.9."""
    miner = CoherentBiclustering(cut_distance=0.5)
    return BicNeuronClassifier(**{"search": None, "miner": miner, "random_state": 0, **parameters})


def quick_scores(X, y):
    """Scores for a page, of a model that takes little time."""
    return cross_validated_scores(LogisticRegression(), X, y, n_repeats=1)


def assert_no_nan(model, X):
    """Neither in what it decides nor in what it has measured."""
    assert np.isfinite(model.decision_function(X)).all()
    assert not np.isnan(model.scores_).any()
    assert not np.isnan([[pair.msr_ratio, pair.criterion] for pair in model.pairs_]).any()
    assert not np.isnan(model.threshold_)


def with_cell(X, value, row=3, column=2):
    """Copy ``X`` with one other cell."""
    changed = X.astype(type(value) if isinstance(value, float) else object)
    changed[row, column] = value
    return changed
