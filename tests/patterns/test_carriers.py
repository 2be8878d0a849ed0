"""Which rows carry a pattern: one rule for every model, and the counts of it in the patterns."""

import warnings
from functools import cache

import numpy as np
import pytest
from contract.producers import network, one_neuron, search
from miners import FixedMiner, LabelMiner
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from bicneuron import CoherentBiclustering, SubgroupBiclustering, biclustering
from bicneuron.exceptions import NoContrastivePairWarning
from bicneuron.neurons import GaussianNeuron, KernelNeuron
from bicneuron.patterns import Pattern, check_patterns

N_ROWS, N_COLUMNS = 60, 20
PLACES = (([0, 3, 5], [1, 2, 9]), ([7], [4, 6]), ([1, 2, 8], [5]), ([9], [0]))


MINERS = {
    "coherent": CoherentBiclustering(cut_distance=0.7),
    "contrast": biclustering.ContrastBiclustering(max_seeds=5, random_state=0),
    "Cheng and Church": biclustering.ChengChurchBiclustering(
        max_residue=0.3, n_biclusters=3, random_state=0
    ),
    "difference": biclustering.DifferenceBiclustering(max_residue=0.3),
    "SDC": biclustering.SDCBiclustering(min_columns=2, n_biclusters=10),
    "Di-RAPOCC": biclustering.DiRAPOCCBiclustering(min_columns=2, min_difference=0),
    "information": biclustering.InformationCoclustering(random_state=0),
    "adapted": biclustering.AdaptedBiclustering(),
    "fixed": FixedMiner(PLACES),
    "fixed as it is": FixedMiner(PLACES, standardize=False),
    "classes": LabelMiner(),
}
GROUPS = {
    "groups": SubgroupBiclustering(n_patterns=4),
    "coexpressed groups": SubgroupBiclustering(n_patterns=2, kinds="coexpressed"),
}
CLASSIFIERS = {
    "classifier": one_neuron(),
    "weighted classifier": one_neuron(class_weight={"ill": 2.0}),
    "classifier of a sample": one_neuron(max_rows=20),
    "classifier with Gaussians": one_neuron(neuron=GaussianNeuron()),
    "classifier with kernels": one_neuron(neuron=KernelNeuron()),
    "classifier with another's neuron": one_neuron(neuron=LogisticRegression()),
    "classifier without a pair": one_neuron(max_ratio=0.0),
    "search": search(),
}
NETWORKS = {
    "network": network(n_neurons=12),
}
MORE_CLASSES = {
    "one against the rest": one_neuron(),
    "pairs of classes": one_neuron(multi_class="ovo"),
    "network of three classes": network(),
}
MODELS = {**MINERS, **GROUPS, **CLASSIFIERS, **NETWORKS, **MORE_CLASSES}
every_model = pytest.mark.parametrize("name", MODELS)
with_and_without_gaps = pytest.mark.parametrize("gaps", [False, True], ids=["complete", "gaps"])


@cache
def table(gaps=False):
    """Noise; ten ill rows are higher in some columns and lower in others, and the classes differ.

    With gaps, a tenth of the cells is missing, and rows 10 and 11 and column 19 are (almost) empty.
    """
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N_ROWS, N_COLUMNS))
    group = np.arange(0, 20, 2)
    X[np.ix_(group, [1, 4, 6, 9])] += 4.0
    X[np.ix_(group, [2, 11])] -= 4.0
    X[::2, 7] += 1.5
    X[1::3, 8] += 2.5
    if gaps:
        X[rng.random(X.shape) < 0.1] = np.nan
        X[10], X[11, 1:], X[:, 19] = np.nan, np.nan, np.nan
    return X


def labels(name):
    known = ["ill", "well", "other"] if name in MORE_CLASSES else ["ill", "well"]
    return np.array(known)[np.arange(N_ROWS) % len(known)]


@cache
def fitted(name, gaps=False):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoContrastivePairWarning)
        model = clone(MODELS[name]).fit(table(gaps), labels(name))
    assert model.patterns_
    return model


@every_model
@with_and_without_gaps
def test_a_row_has_the_same_scores_alone_as_in_a_table(name, gaps):
    model, X = fitted(name, gaps), table(gaps)
    together = model.pattern_scores(X)
    alone = np.vstack([model.pattern_scores(row[None]) for row in X])
    if isinstance(getattr(model, "neuron", None), LogisticRegression):  # it multiplies matrices
        assert_allclose(alone, together, rtol=0, atol=1e-12)
    else:
        assert_array_equal(alone, together)
        assert_array_equal(model.pattern_scores(np.asfortranarray(X)), together)
    assert_allclose(model.pattern_scores(csr_array(X)), together, rtol=1e-9, atol=1e-9)


@every_model
def test_a_row_without_a_value_in_the_columns_of_a_pattern_does_not_carry_it(name):
    model, X = fitted(name), table()
    before = model.carriers(X)
    for k, pattern in enumerate(model.patterns_[:5]):
        holes = X.copy()
        holes[:, pattern.columns] = np.nan
        carriers = model.carriers(holes)
        assert not carriers[:, k].any()
        if name in MINERS:
            for other, own, same in zip(model.patterns_, carriers.T, before.T, strict=True):
                if not np.isin(other.columns, pattern.columns).any():
                    assert_array_equal(own, same)


@pytest.mark.parametrize("name", MINERS)
@with_and_without_gaps
def test_every_row_of_a_bicluster_carries_it(name, gaps):
    """Apart from rows that cannot be compared with it: two values have a profile, one has not."""
    model, X = fitted(name, gaps), table(gaps)
    carriers = model.carriers(X)
    for own, found in zip(carriers.T, model.patterns_, strict=True):
        assert found.axis is found.neuron is None
        n_known = (~np.isnan(X[np.ix_(found.rows, found.columns)])).sum(axis=1)
        assert_array_equal(own[found.rows], n_known >= min(2, len(found.columns)))


@every_model
def test_rows_that_are_far_away_have_finite_scores(name):
    model = fitted(name)
    rows = np.array([[1e308], [-1e308], [5e-324], [1e160]]).repeat(N_COLUMNS, axis=1)
    rows = np.vstack([rows, 1e300 * np.arange(N_COLUMNS)])
    if not getattr(model, "standardize", True):
        with pytest.raises(ValueError, match=r"is 1e.308, too large to square; use standardize=Tr"):
            model.pattern_scores(rows)
        rows = rows / 1e300
    assert np.isfinite(model.pattern_scores(rows)).all()


@pytest.mark.parametrize("name", MINERS)
def test_scores_of_biclusters_fall_from_one_with_the_distance_to_the_profile(name):
    model, X = fitted(name), table()
    Z = model.scaled_table(X)
    for k, found in enumerate(model.patterns_[:5]):
        means = Z[np.ix_(found.rows, found.columns)].mean(axis=0)
        on_it = X[:1].repeat(2, axis=0)
        level = 0.7 if len(found.columns) > 1 else 0.0
        on_it[:, found.columns] = model.in_table_units(
            np.array([means, means + level]), found.columns
        )
        assert_allclose(model.pattern_scores(on_it)[:, k], 1.0, atol=1e-6)
        farthest = model.pattern_scores(X[found.rows])[:, k].min()
        assert farthest == pytest.approx(0.0, abs=1e-6) or len(found.rows) == 1
    far = 1e3 * np.arange(N_COLUMNS)[None] ** 2 + 1e3
    assert not model.carriers(far).any()


@pytest.mark.parametrize("name", ["groups", "classifier", "network"])
def test_carriers_of_very_large_tables_are_not_counted(name, monkeypatch):
    monkeypatch.setattr("bicneuron.patterns._model.MOST_SCORES", N_ROWS - 1)
    model = clone(MODELS[name]).fit(table(), labels(name))
    assert {pattern.carrier_counts for pattern in model.patterns_} == {None}
    assert_array_equal(model.carriers(table()), fitted(name).carriers(table()))


@pytest.mark.parametrize("thing", [LogisticRegression(), Pattern(np.arange(2), np.arange(3))])
def test_what_has_no_patterns_is_refused_by_name(thing):
    with pytest.raises(TypeError, match=f"is a {type(thing).__name__}, which has no patterns; to "):
        check_patterns(thing, "to carry")
    with pytest.raises(NotFittedError):
        check_patterns(one_neuron(), "to carry")
    check_patterns(one_neuron(), "to carry", fitted=False)


@pytest.mark.parametrize("name", ["groups", "classifier", "network"])
def test_carriers_of_large_tables_are_counted_in_parts(name, monkeypatch):
    monkeypatch.setattr("bicneuron.patterns._model.SCORES_AT_ONCE", 40)
    monkeypatch.setattr("bicneuron.network._patterns.NEURONS_AT_ONCE", 2)
    model = clone(MODELS[name]).fit(table(True), labels(name))
    for one, other in zip(model.patterns_, fitted(name, gaps=True).patterns_, strict=True):
        assert one.carrier_counts == other.carrier_counts
        assert_array_equal(one.differences, other.differences)
