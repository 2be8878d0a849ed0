"""Sparse matrices give the model of the dense matrix."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import strategies
from data import classifier
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from bicneuron import BicNeuronNetwork, CoherentBiclustering, PatternClassifier
from bicneuron.biclustering import ContrastBiclustering
from bicneuron.neurons import GaussianNeuron, KernelPerceptron

pytestmark = [
    pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoContrastivePairWarning"),
    pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoBiclusterWarning"),
]

MINERS = [
    CoherentBiclustering(cut_distance=0.5),
    CoherentBiclustering(search="prune", standardize=False, max_residue=0.1),
    ContrastBiclustering(random_state=0),
]
GRID = {"miner__max_residue": [0.1], "miner__cut_distance": [0.5, 1.0], "max_ratio": [0.9, 2.0]}
CLASSIFIERS = [
    classifier(max_ratio=np.inf, miner=None),
    classifier(miner=None, scale="anchor", anchor="both", neuron=KernelPerceptron()),
    classifier(
        miner=None, scale="minmax", multi_class="ovo", selection="accuracy", recalibrate=True
    ),
    classifier(miner=ContrastBiclustering(), max_rows=20),
    classifier(miner=None, search=GRID, cv=2),
]
BELLS = BicNeuronNetwork(n_neurons=10, neuron_kinds=[GaussianNeuron()], random_state=0)
NETWORKS = [
    BicNeuronNetwork(n_neurons=30, random_state=0),
    BELLS,
    PatternClassifier(random_state=0),
]


def make_counts(seed=0, n_rows=60, n_columns=24, n_classes=2):
    """Counts with many zeros and ties; each class is higher in columns of its own."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n_rows) % n_classes)
    X = rng.poisson(0.3, (n_rows, n_columns))
    for label in range(n_classes):
        rows = np.flatnonzero(y == label)[:, None]
        X[rows, np.arange(4) + 4 * label] += rng.poisson(2, (len(rows), 4))
    return X.astype(float), y


@pytest.mark.parametrize("miner", MINERS, ids=repr)
@settings(max_examples=5, deadline=None)
@given(seed=strategies.seeds())
def test_a_miner_finds_the_same(miner, seed):
    X, y = make_counts(seed)
    assert clone(miner).fit(sp.csr_array(X), y).patterns_ == clone(miner).fit(X, y).patterns_


@pytest.mark.parametrize("model", CLASSIFIERS, ids=range(len(CLASSIFIERS)))
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_classifier_is_the_same(model, n_classes):
    X, y = make_counts(n_classes=n_classes)
    expected, found = clone(model).fit(X, y), clone(model).fit(sp.csr_array(X), y)
    parts = (getattr(model, "estimators_", [model]) for model in (found, expected))
    for one, other in zip(*parts, strict=True):
        assert one.pairs_ == other.pairs_
        assert one.selected_pair_ == other.selected_pair_
        assert one.diagnostics_ == other.diagnostics_
        assert_allclose(one.scores_, other.scores_, atol=1e-10)
        assert_array_equal(one.centroids_, other.centroids_)
    fresh = make_counts(seed=1, n_classes=n_classes)[0]
    for asked in (X, fresh):
        assert_allclose(
            found.decision_function(sp.csc_matrix(asked)),
            expected.decision_function(asked),
            atol=1e-10,
        )
        assert_array_equal(found.predict(sp.csr_matrix(asked)), expected.predict(asked))
        assert_array_equal(found.predict(asked), expected.predict(asked))


@pytest.mark.parametrize("model", NETWORKS, ids=["accurate", "bells", "readable"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_network_is_the_same(model, n_classes):
    X, y = make_counts(n_classes=n_classes)
    expected, found = clone(model).fit(X, y), clone(model).fit(sp.csr_array(X), y)
    for one, other in zip(found.patterns_, expected.patterns_, strict=True):
        assert_array_equal(one.block[0], other.block[0])
        assert_array_equal(one.columns, other.columns)
        assert (one.anchor_class, one.contrast_class) == (other.anchor_class, other.contrast_class)
        assert (one.msr_ratio, one.criterion) == (other.msr_ratio, other.criterion)
        assert one.strength == pytest.approx(other.strength, abs=1e-10)
        assert one.carrier_counts == other.carrier_counts
    assert_allclose(found.pattern_scores(sp.csr_array(X)), expected.pattern_scores(X), atol=1e-10)
    assert_allclose(found.predict_proba(sp.csr_array(X)), expected.predict_proba(X), atol=1e-10)
    assert_allclose(found.coverage(sp.csr_array(X)), expected.coverage(X), atol=1e-10)
    labels, wanted = (
        model.predict(Y, reject=0.5) for model, Y in [(found, sp.coo_array(X)), (expected, X)]
    )
    assert_array_equal(labels, wanted)


@settings(max_examples=15, deadline=None)
@given(seed=strategies.seeds(), shuffled=st.booleans())
def test_classifier_of_any_counts(seed, shuffled):
    """Also where columns are constant, rows are equal or no pair is found."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(rng.choice([0.05, 0.5, 2.0]), (rng.integers(8, 40), rng.integers(1, 12)))
    y = rng.permutation(np.arange(len(X)) % 2)
    model = CLASSIFIERS[0]
    expected = clone(model).fit(X, y)
    found = clone(model).fit(sp.csr_array(X), y)
    assert found.pairs_ == expected.pairs_
    rows = rng.permutation(len(X)) if shuffled else np.arange(len(X))
    assert_allclose(
        found.decision_function(sp.csr_array(X[rows])),
        expected.decision_function(X[rows]),
        atol=1e-10,
    )


def unsorted(X):
    """CSR whose rows list their columns backwards."""
    matrix = sp.csr_array(X)
    for start, stop in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True):
        for line in (matrix.indices, matrix.data):
            line[start:stop] = line[start:stop][::-1].copy()
    return sp.csr_array((matrix.data, matrix.indices, matrix.indptr), X.shape)


def with_explicit_zeros(X):
    """Every cell is stored."""
    rows, columns = np.indices(X.shape).reshape(2, -1)
    return sp.csr_array((X.ravel(), (rows, columns)), X.shape)


def twice(X):
    """CSC in which every entry is there twice, each time a half; True twice is True."""
    half = sp.csc_array(X if X.dtype.kind == "b" else X / 2)
    return sp.csc_array(
        (np.repeat(half.data, 2), np.repeat(half.indices, 2), 2 * half.indptr), X.shape
    )


def with_long_indices(X):
    """CSR with 64-bit indices."""
    matrix = sp.csr_array(X)
    matrix.indices, matrix.indptr = (a.astype(np.int64) for a in (matrix.indices, matrix.indptr))
    return matrix


FORMATS = [
    *(sp.csr_matrix, sp.csc_array, sp.coo_array, sp.lil_matrix, sp.dok_array, sp.bsr_array),
    *(unsorted, with_explicit_zeros, twice, with_long_indices),
]
TYPES = [np.float32, np.int64, np.uint8, bool]


@pytest.mark.parametrize(
    ("convert", "dtype"),
    [*((one, float) for one in FORMATS), *((twice, kind) for kind in TYPES)],
)
def test_sparse_matrices_of_every_format_and_type(convert, dtype):
    X, y = make_counts(n_rows=40, n_columns=12)
    X = X.astype(dtype)
    given_matrix = convert(X)
    before = given_matrix.copy()
    expected, found = classifier().fit(X, y), classifier().fit(given_matrix, y)
    assert found.pairs_ == expected.pairs_
    assert_array_equal(found.decision_function(given_matrix), expected.decision_function(X))
    assert given_matrix.dtype == before.dtype
    assert given_matrix.nnz == before.nnz
    assert_array_equal(given_matrix.toarray(), before.toarray())


def test_a_frame_of_sparse_columns():
    X, y = make_counts()
    frame = pd.DataFrame(X, columns=[f"gene{j}" for j in range(X.shape[1])])
    found = classifier().fit(frame.astype(pd.SparseDtype(float, 0)), y)
    assert found.pairs_ == classifier().fit(frame, y).pairs_


@pytest.mark.parametrize("convert", [sp.csr_array, sp.csc_matrix])
def test_stored_infinity_is_named_and_stored_nan_counts_as_missing(convert):
    X, y = make_counts()
    infinite, missing = X.copy(), X.copy()
    infinite[[5, 3, 1], [7, 7, 9]] = np.inf
    missing[[5, 3, 1], [7, 7, 9]] = np.nan
    model = classifier().fit(sp.csr_array(X), y)
    with pytest.raises(ValueError, match=r"column 7, row 3, is inf"):
        model.predict(convert(infinite))
    for fit in (classifier().fit, CoherentBiclustering().fit, BicNeuronNetwork().fit):
        with pytest.raises(ValueError, match=r"column 7, row 3, is inf"):
            fit(convert(infinite), y)
    by_sparse, by_dense = classifier().fit(convert(missing), y), classifier().fit(missing, y)
    assert by_sparse.pairs_ == by_dense.pairs_
    assert_array_equal(by_sparse.predict(convert(missing)), by_dense.predict(missing))


def test_what_is_refused_of_sparse_matrices():
    X, y = make_counts()
    matrix = twice(X)
    matrix.data[:2] = 1e308  # the sum overflows
    with pytest.raises(ValueError, match=r"infinity.*column 0"):
        classifier().fit(matrix, y)
    model = classifier().fit(sp.csr_array(X), y)
    with pytest.raises(ValueError, match=r"X has 23 features.*expecting 24"):
        model.predict(sp.csr_array(X)[:, :23])
    for explaining in (model, clone(BELLS).fit(sp.csr_array(X), y)):
        with pytest.raises(TypeError, match=r"Sparse.*toarray"):
            explaining.explain(sp.csr_array(X))
        assert len(explaining.explain(X[:3])) == 3


def peak_of(call):
    """Bytes that a call needs at its worst, beyond what there was, and its result."""
    tracemalloc.start()
    try:
        result = call()
        return tracemalloc.get_traced_memory()[1], result
    finally:
        tracemalloc.stop()


DENSE = 2000 * 20000 * 8


def test_a_classifier_needs_the_dense_rows_of_its_sample_and_of_its_pair():
    """2,000 x 20,000 counts, 1 % of them not zero: 320 MB dense. One class in ten is rare."""
    rng = np.random.default_rng(0)
    X = sp.random_array((2000, 20000), density=0.01, rng=rng, format="csr")
    X.data = rng.poisson(2, len(X.data)) + 1.0
    y = (np.arange(2000) % 10 == 0).astype(int)
    mark = sp.csr_array(np.where(y, 5.0, 0.0)[:, None]) @ sp.csr_array(np.arange(20000)[None] < 10)
    X = sp.csr_array(X + mark)
    miner = CoherentBiclustering(max_seeds=20, max_columns=50)
    model = classifier(miner=miner, max_ratio=np.inf, max_rows=100)
    peak, model = peak_of(lambda: model.fit(X, y))
    assert model.selected_pair_ is not None
    assert peak < 4 * DENSE / 10 + 50e6
    peak, _ = peak_of(lambda: model.predict(X))
    assert peak < DENSE / 10
