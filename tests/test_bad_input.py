"""Bad input gets a short error that names the culprit and the way out, or a documented result."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from data import assert_no_nan, classifier, with_cell
from numpy.testing import assert_array_equal

from bicneuron import BicNeuronClassifier, CoherentBiclustering
from bicneuron.exceptions import NoContrastivePairWarning
from bicneuron.neurons import KernelNeuron, KernelPerceptron, OnlinePerceptron

NAMES = [f"gene{j}" for j in range(10)]
falls_back = pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoContrastivePairWarning")
finds_nothing = pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoBiclusterWarning")


@pytest.fixture(params=["classifier", "grow", "prune"])
def fit(request):
    """``fit(X, y)`` of the classifier and of the miner."""
    if request.param == "classifier":
        return lambda X, y: classifier().fit(X, y)
    return lambda X, y: CoherentBiclustering(search=request.param).fit(X, y)


# --- cells


@pytest.mark.parametrize(("value", "word"), [(np.inf, "inf"), (-np.inf, "inf"), ("high", "high")])
def test_what_is_no_number_is_named_by_its_column(fit, one_factor, value, word):
    X, y = one_factor
    bad = with_cell(X, value)
    with pytest.raises(ValueError, match=word) as raised:
        fit(bad, y)
    assert "column 2" in str(raised.value)
    with pytest.raises(ValueError, match=word) as raised:
        fit(pd.DataFrame(bad, columns=NAMES), y)
    assert "gene2" in str(raised.value)


def test_a_missing_value_is_named_where_none_is_taken(one_factor):
    X, y = one_factor
    with pytest.raises(ValueError, match=r"NaN: column 2, row 3, is nan. Fill in or drop"):
        OnlinePerceptron().fit(with_cell(X, np.nan), y)


def test_words_are_refused_with_what_makes_numbers_of_them(fit, one_factor):
    X, y = one_factor
    with pytest.raises(ValueError, match=r"'high'\. bicneuron.tables.TableEncoder makes numbers"):
        fit(with_cell(X, "high"), y)


@pytest.mark.parametrize("kind", [np.array, pd.Series, list])
def test_a_label_that_is_none_is_named_by_its_row(one_factor, kind):
    X, y = one_factor
    labels = ["ab"[one] for one in y]
    labels[3] = labels[7] = None
    values = np.array(labels, dtype=object) if kind is np.array else kind(labels)
    with pytest.raises(ValueError, match=r"y is None in row 3 \(2 such rows\); leave out rows"):
        classifier().fit(X, values)


@pytest.mark.parametrize("value", [np.inf, "high"])
def test_the_same_at_predict(one_factor, value):
    X, y = one_factor
    model = classifier().fit(pd.DataFrame(X, columns=NAMES), y)
    with pytest.raises(ValueError, match="gene2"):
        model.predict(pd.DataFrame(with_cell(X, value), columns=NAMES))


@pytest.mark.parametrize("neuron", [OnlinePerceptron(), KernelPerceptron(), KernelNeuron()])
def test_sparse_data_is_refused_by_a_neuron_with_the_way_out(neuron, one_factor):
    X, y = one_factor
    with pytest.raises(TypeError, match=r"Sparse data.*toarray"):
        neuron.fit(scipy.sparse.csr_matrix(X), y)


@falls_back
@finds_nothing
@pytest.mark.parametrize(
    "convert",
    [lambda X: X.tolist(), lambda X: X.astype(object), np.asfortranarray, lambda X: X.astype(str)],
    ids=["list", "object", "fortran", "text of numbers"],
)
def test_numbers_in_other_clothes(one_factor, convert):
    X, y = one_factor
    expected = classifier().fit(X, y)
    model = classifier().fit(convert(X), y)
    assert model.pairs_ == expected.pairs_
    assert_array_equal(model.decision_function(convert(X)), expected.decision_function(X))


@falls_back
@pytest.mark.parametrize(
    "convert",
    [lambda X: (10 * X).astype(int), lambda X: X > 0, lambda X: X.astype(np.float32)],
    ids=["int", "bool", "float32"],
)
def test_other_dtypes_are_the_same_as_their_float64(one_factor, convert):
    X, y = one_factor
    X = convert(X)
    model, expected = classifier().fit(X, y), classifier().fit(X.astype(np.float64), y)
    assert model.pairs_ == expected.pairs_
    assert_array_equal(model.decision_function(X), expected.decision_function(X.astype(float)))


# --- shapes


@pytest.mark.parametrize("part", [np.s_[:0], np.s_[:, :0]], ids=["rows", "columns"])
@pytest.mark.parametrize("dtype", [float, object])
def test_nothing_at_all(fit, one_factor, part, dtype):
    X, y = one_factor
    nothing = X[part].astype(dtype)
    with pytest.raises(ValueError, match=r"0 (sample|feature)\(s\)"):
        fit(nothing, y[: len(nothing)])


def test_columns_that_predict_does_not_know(one_factor):
    X, y = one_factor
    model = classifier().fit(X, y)
    with pytest.raises(ValueError, match=r"X has 9 features.*expecting 10"):
        model.predict(X[:, :9])
    named = classifier().fit(pd.DataFrame(X, columns=NAMES), y)
    assert named.feature_names_in_.tolist() == NAMES
    with pytest.raises(ValueError, match=r"unseen at fit time:\n- age[\s\S]*missing:\n- gene9"):
        named.predict(pd.DataFrame(X, columns=[*NAMES[:9], "age"]))
    with pytest.raises(ValueError, match="same order"):
        named.predict(pd.DataFrame(X, columns=NAMES[::-1]))


def test_labels_of_the_wrong_length(one_factor):
    X, y = one_factor
    with pytest.raises(ValueError, match=r"inconsistent.*\[100, 99\]"):
        classifier().fit(X, y[:-1])


@falls_back
@pytest.mark.parametrize("shape", [(2, 1), (2, 2), (3, 3), (4, 1), (5, 2), (2, 50)])
@pytest.mark.parametrize("search", ["grow", "prune"])
def test_the_smallest_tables(shape, search):
    X = np.random.RandomState(0).normal(size=shape)
    y = np.arange(shape[0]) % 2
    for minimum in (2, 3):
        miner = CoherentBiclustering(
            min_rows=minimum, min_columns=minimum, cut_distance=9, max_residue=9, search=search
        )
        model = BicNeuronClassifier(search=None, miner=miner, max_ratio=np.inf, random_state=0).fit(
            X, y
        )
        assert_no_nan(model, X)
        assert set(model.predict(X)) <= {0, 1}


# --- labels


def test_one_class(one_factor):
    X, y = one_factor
    with pytest.raises(ValueError, match="y has one class, 0; two"):
        classifier().fit(X, 0 * y)


@pytest.mark.parametrize("size", [1, 2])
def test_a_class_with_fewer_rows_than_min_rows(one_factor, size):
    X, _ = one_factor
    y = (np.arange(len(X)) < size).astype(int)
    with pytest.warns(NoContrastivePairWarning, match=rf"class 1 has {size} rows.*min_rows=3"):
        model = classifier().fit(X, y)
    assert_no_nan(model, X)


@pytest.mark.parametrize("size", [1, 2])
def test_a_contrast_class_of_few_rows_is_used_whole(one_factor, size):
    X, _ = one_factor
    y = (np.arange(len(X)) < size).astype(int)
    model = classifier(
        anchor="majority", max_ratio=np.inf, miner=CoherentBiclustering(max_residue=0.1)
    ).fit(X, y)
    assert {len(pair.contrast_rows) for pair in model.pairs_} == {size}
    if size == 1:
        assert {pair.msr_ratio for pair in model.pairs_} == {np.inf}
    assert_no_nan(model, X)


def test_missing_labels(one_factor):
    X, y = one_factor
    with pytest.raises(ValueError, match="y contains NaN"):
        classifier().fit(X, np.where(y, np.nan, 0))
    with pytest.raises(ValueError, match="requires y"):
        classifier().fit(X, None)


# --- columns and rows that say nothing


def test_all_columns_constant(one_factor):
    X, y = one_factor
    with pytest.warns(NoContrastivePairWarning):
        model = classifier().fit(np.ones_like(X), y)
    assert_no_nan(model, X)
    assert len(set(model.predict(np.ones_like(X)))) == 1
    found = CoherentBiclustering().fit(np.ones_like(X)).patterns_
    assert [(b.shape, b.msr) for b in found] == [((100, 10), 0.0)]


def test_the_advice_on_constant_columns_is_not_to_raise_max_ratio(one_factor):
    """Every contrast is coherent there: no finite max_ratio keeps a pair."""
    X, y = one_factor
    with pytest.warns(NoContrastivePairWarning) as caught:
        classifier().fit(np.ones_like(X), y)
    assert "Raise max_ratio" not in str(caught[0].message)


def test_some_columns_constant(one_factor):
    """They lie at 0 after scaling, whatever their value."""
    X, y = one_factor
    padded = [np.insert(X, [0, 4], value, axis=1) for value in (0.0, 7.3, -1e300, 1e-300)]
    models = [classifier().fit(Z, y) for Z in padded]
    for model, Z in zip(models, padded, strict=True):
        assert model.pairs_ == models[0].pairs_
        assert_array_equal(model.decision_function(Z), models[0].decision_function(padded[0]))
        assert_no_nan(model, padded[1])


@falls_back
@finds_nothing
def test_duplicate_rows(one_factor):
    X, y = one_factor
    model = classifier().fit(np.repeat(X, 3, axis=0), np.repeat(y, 3))
    assert_no_nan(model, X)
    assert_no_nan(classifier().fit(np.repeat(X[:1], 100, axis=0), y), X)
    both_classes = classifier(max_ratio=np.inf).fit(np.vstack([X, X]), np.repeat([0, 1], 100))
    assert_no_nan(both_classes, X)
    assert both_classes.score(np.vstack([X, X]), np.repeat([0, 1], 100)) == 0.5
