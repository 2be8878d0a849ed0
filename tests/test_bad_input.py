"""Bad input gets a short error that names the culprit and the way out, or a documented result."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from data import assert_no_nan, classifier, with_cell
from numpy.testing import assert_array_equal

from bicneuron import CoherentBiclustering
from bicneuron.exceptions import NoContrastivePairWarning
from bicneuron.neurons import KernelNeuron, KernelPerceptron, OnlinePerceptron

NAMES = [f"gene{j}" for j in range(10)]
falls_back = pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoContrastivePairWarning")


def named(X):
    return pd.DataFrame(X, columns=NAMES)


@pytest.mark.parametrize("model", [classifier(), CoherentBiclustering()], ids=repr)
@pytest.mark.parametrize(
    ("value", "word"),
    [
        (np.inf, "inf"),
        (-np.inf, "inf"),
        ("high", r"'high'\. bicneuron.tables.TableEncoder makes numbers"),
    ],
)
def test_what_is_no_number_is_named_by_its_column(model, one_factor, value, word):
    X, y = one_factor
    bad = with_cell(X, value)
    for table, column in ((bad, "column 2"), (named(bad), "gene2")):
        with pytest.raises(ValueError, match=word) as raised:
            model.fit(table, y)
        assert column in str(raised.value)
    if hasattr(model, "predict"):
        model.fit(named(X), y)
        with pytest.raises(ValueError, match="gene2"):
            model.predict(named(bad))


def test_a_missing_value_is_named_where_none_is_taken(one_factor):
    X, y = one_factor
    with pytest.raises(ValueError, match=r"NaN: column 2, row 3, is nan. Fill in or drop"):
        OnlinePerceptron().fit(with_cell(X, np.nan), y)


@pytest.mark.parametrize("neuron", [OnlinePerceptron(), KernelPerceptron(), KernelNeuron()])
def test_sparse_data_is_refused_by_a_neuron_with_the_way_out(neuron, one_factor):
    X, y = one_factor
    with pytest.raises(TypeError, match=r"Sparse data.*toarray"):
        neuron.fit(scipy.sparse.csr_matrix(X), y)


@falls_back
@pytest.mark.parametrize(
    ("convert", "plain"),
    [
        (lambda X: X.tolist(), np.asarray),
        (lambda X: X.astype(str), lambda X: X.astype(float)),
        (lambda X: X > 0, lambda X: X.astype(float)),
    ],
    ids=["list", "text of numbers", "bool"],
)
def test_numbers_in_other_clothes(one_factor, convert, plain):
    X, y = one_factor
    given = convert(X)
    numbers = plain(given)
    expected, model = classifier().fit(numbers, y), classifier().fit(given, y)
    assert model.pairs_ == expected.pairs_
    assert_array_equal(model.decision_function(given), expected.decision_function(numbers))


@pytest.mark.parametrize("kind", [lambda y: np.array(y, dtype=object), pd.Series, list])
def test_a_label_that_is_none_is_named_by_its_row(one_factor, kind):
    X, y = one_factor
    labels = ["ab"[one] for one in y]
    labels[3] = labels[7] = None
    with pytest.raises(ValueError, match=r"y is None in row 3 \(2 such rows\); leave out rows"):
        classifier().fit(X, kind(labels))


@pytest.mark.parametrize("size", [1, 2])
def test_classes_of_one_and_two_rows(one_factor, size):
    X, _ = one_factor
    y = (np.arange(len(X)) < size).astype(int)
    with pytest.warns(NoContrastivePairWarning, match=rf"class 1 has {size} rows.*min_rows=3"):
        model = classifier().fit(X, y)
    assert_no_nan(model, X)
    # As the contrast of the other class they are used whole.
    miner = CoherentBiclustering(max_residue=0.1)
    model = classifier(anchor="majority", max_ratio=np.inf, miner=miner).fit(X, y)
    assert {len(pair.contrast_rows) for pair in model.pairs_} == {size}
    assert ({pair.msr_ratio for pair in model.pairs_} == {np.inf}) == (size == 1)
    assert_no_nan(model, X)


def test_all_columns_constant(one_factor):
    X, y = one_factor
    with pytest.warns(NoContrastivePairWarning) as caught:
        model = classifier().fit(np.ones_like(X), y)
    # Every contrast is coherent there: no finite max_ratio keeps a pair.
    assert "Raise max_ratio" not in str(caught[0].message)
    assert_no_nan(model, X)
    assert len(set(model.predict(np.ones_like(X)))) == 1
    found = CoherentBiclustering().fit(np.ones_like(X)).patterns_
    assert [(b.shape, b.msr) for b in found] == [((100, 10), 0.0)]


def test_some_columns_constant(one_factor):
    """They lie at 0 after scaling, whatever their value."""
    X, y = one_factor
    padded = [np.insert(X, [0, 4], value, axis=1) for value in (0.0, 7.3, -1e300, 1e-300)]
    models = [classifier().fit(Z, y) for Z in padded]
    for model, Z in zip(models, padded, strict=True):
        assert model.pairs_ == models[0].pairs_
        assert_array_equal(model.decision_function(Z), models[0].decision_function(padded[0]))
        assert_no_nan(model, padded[1])
