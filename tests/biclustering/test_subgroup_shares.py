"""Groups of any share of a class, carried by rows of other classes too."""

import warnings

import numpy as np
import pytest

from bicneuron import SubgroupBiclustering
from bicneuron.exceptions import NoBiclusterWarning

Y = np.repeat(["case", "control"], 50)
COLUMNS = np.arange(12)


def table(n_cases, n_controls, n_columns=300, shift=2.0, seed=0):
    rng = np.random.default_rng([n_cases, n_controls, seed])
    X = rng.normal(size=(100, n_columns))
    rows = np.r_[:n_cases, 50 : 50 + n_controls]
    X[np.ix_(rows, COLUMNS)] += shift * rng.choice([-1, 1], len(COLUMNS))
    return X, rows


def jaccard(a, b):
    return len(np.intersect1d(a, b)) / len(np.union1d(a, b))


@pytest.mark.parametrize(("n_cases", "n_controls"), [(15, 0), (15, 7), (25, 9), (40, 0)])
def test_a_group_of_any_share_comes_first(n_cases, n_controls):
    X, rows = table(n_cases, n_controls)
    model = SubgroupBiclustering().fit(X, Y)
    first = model.patterns_[0]
    assert jaccard(np.flatnonzero(model.carriers(X)[:, 0]), rows) >= 0.9
    assert jaccard(first.columns, COLUMNS) >= 0.75
    assert first.anchor_class == "case"
    assert set(first.rows.tolist()) <= set(range(50))
    assert first.is_class_wide == (n_cases >= 40)


def test_the_strength_of_a_group_found_without_labels_does_not_depend_on_them():
    X, _ = table(15, 7)
    of_all = SubgroupBiclustering().fit(X).patterns_[0]
    first = SubgroupBiclustering().fit(X, Y).patterns_[0]
    assert first.strength == of_all.strength
    assert first.rows.tolist() == [row for row in of_all.rows.tolist() if row < 50]


def test_a_group_of_both_classes_comes_after_a_clear_group_of_one():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(100, 300))
    both = np.r_[:12, 50:62]
    X[np.ix_(both, np.arange(30))] += 3.0
    X[20:35, 40:52] += 2.0
    patterns = SubgroupBiclustering().fit(X, Y).patterns_
    assert jaccard(patterns[0].rows, np.arange(20, 35)) > 0.8
    places = [k for k, one in enumerate(patterns) if jaccard(one.columns, np.arange(30)) > 0.8]
    assert places, "it is listed"
    assert patterns[places[0]].strength > patterns[0].strength


def test_one_class_does_not_crowd_out_the_other():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(100, 400))
    for k in range(6):
        X[8 * k : 8 * k + 8, 20 * k : 20 * k + 20] += 4.0
    X[50:65, 200:210] += 1.8
    found = SubgroupBiclustering(n_patterns=6, kinds="shift").fit(X, Y).patterns_
    of_controls = [one for one in found if one.anchor_class == "control"]
    assert len(of_controls) >= 1
    assert jaccard(of_controls[0].rows, np.arange(50, 65)) > 0.7


def test_groups_of_three_rows_are_listed_if_they_are_strong():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 400))
    noise = SubgroupBiclustering().fit(X).patterns_
    assert all(len(one.rows) >= 5 for one in noise)
    X[:3, :40] += 3.5 * rng.choice([-1, 1], 40)
    first = SubgroupBiclustering().fit(X, Y).patterns_[0]
    assert first.rows.tolist() == [0, 1, 2]


@pytest.mark.parametrize("anchor", ["case", "control"])
def test_groups_of_other_classes_are_not_listed_with_an_anchor(anchor):
    X, _ = table(15, 0)
    found = SubgroupBiclustering(anchor=anchor).fit(X, Y).patterns_
    assert {one.anchor_class for one in found} == {anchor}
    strong = [one for one in found if one.strength > 15]
    assert bool(strong) == (anchor == "case")


def skewed(rng, shape):
    return np.exp(1.5 * rng.normal(size=shape))


def heavy(rng, shape):
    return rng.standard_t(3, size=shape)


def floored(rng, shape):
    return np.maximum(rng.normal(size=shape), 1.0)


def binary(rng, shape):
    return (rng.random(shape) < 0.3).astype(float)


def with_zeros(rng, shape):
    return np.where(rng.random(shape) < 0.6, 0.0, rng.exponential(size=shape))


@pytest.mark.parametrize("draw", [skewed, heavy, floored, binary, with_zeros])
@pytest.mark.parametrize("labels", [None, Y])
def test_noise_of_any_distribution_is_weak(draw, labels):
    X = draw(np.random.default_rng(7), (100, 200))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoBiclusterWarning)  # the best answer
        found = SubgroupBiclustering().fit(X, labels).patterns_
    assert all(one.strength <= 10 for one in found)
