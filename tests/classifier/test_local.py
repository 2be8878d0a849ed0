"""Local pairs: few columns and half of a class, and how local a neuron is."""

import numpy as np
import pytest
from data import classifier, make_one_factor, make_three
from sklearn.model_selection import StratifiedKFold

from bicneuron import BicNeuronClassifier, CoherentBiclustering
from bicneuron.biclustering import ContrastBiclustering
from bicneuron.classifier._problems import MAX_COLUMNS, ROUNDS, binary_problems, localised
from bicneuron.datasets import make_ringnorm
from bicneuron.exceptions import NoContrastivePairWarning
from bicneuron.patterns import Pattern


@pytest.fixture(scope="module")
def wide():
    """The first twenty of forty columns tell a part of class 1 from class 0."""
    random = np.random.RandomState(0)
    y = random.permutation(np.repeat([0, 1], [50, 31]))
    X = random.normal(size=(81, 40))
    X[np.flatnonzero(y == 1)[:20], :20] += 2
    return X, y


def naive_localised(Z, y, rows, columns):
    """From the words, one row at a time."""
    own = [row for row in range(len(y)) if y[row] == y[rows[0]]]
    others = [row for row in range(len(y)) if y[row] != y[rows[0]]]
    ratio = {}
    for column in columns:
        one, other = Z[list(rows), column], Z[others, column]
        ratio[column] = (one.mean() - other.mean()) ** 2 / (one.var() + other.var())
    columns = sorted(sorted(columns, key=lambda column: -ratio[column])[:MAX_COLUMNS])
    for _ in range(ROUNDS):
        centre = [np.mean([Z[row, column] for row in rows]) for column in columns]
        distance = {
            row: sum((Z[row, c] - m) ** 2 for c, m in zip(columns, centre, strict=True))
            for row in own
        }
        rows = sorted(sorted(own, key=distance.get)[: max(1, len(own) // 2)])
    return rows, columns


def test_columns_and_rows_are_chosen_as_described(wide):
    Z, y = wide
    ones = np.flatnonzero(y == 1)
    given = [
        Pattern(ones[:5], np.arange(40), 1.0),
        Pattern(ones[10:20], np.arange(3, 9), 1.0),
        Pattern(ones[20:], np.arange(25), 1.0),
    ]
    found = localised(Z, y, given)
    for bicluster, start in zip(found, given, strict=True):
        rows, columns = naive_localised(Z, y, start.rows, start.columns)
        assert bicluster.rows.tolist() == rows
        assert bicluster.columns.tolist() == columns
    assert localised(Z, y, [given[0], given[0]]) == found[:1]
    assert localised(Z, y, []) == []


@pytest.mark.parametrize(
    "miner",
    [CoherentBiclustering(max_residue=1.0, max_seeds=20), ContrastBiclustering(max_columns=20)],
    ids=lambda miner: type(miner).__name__,
)
def test_pairs_are_held_to_sixteen_columns_and_half_of_each_class(wide, miner):
    X, y = wide
    model = BicNeuronClassifier("local", miner=miner, cv=2, random_state=0).fit(X, y)
    assert {pair.anchor_class for pair in model.pairs_} == {0, 1}
    half = {0: 25, 1: 15}
    for pair in model.pairs_:
        assert len(pair.columns) <= MAX_COLUMNS
        assert len(pair.rows) == half[pair.anchor_class]
        assert len(pair.contrast_rows) == half[1 - pair.anchor_class]
    assert model.row_share_ == half[model.selected_pair_.anchor_class] / np.sum(
        y == model.selected_pair_.anchor_class
    )
    assert model.column_share_ == len(model.selected_pair_.columns) / 40


def test_beyond_two_classes_it_is_half_of_each_class():
    X, y = make_three()
    model = BicNeuronClassifier(search="local", cv=2, random_state=0).fit(X, y)
    for binary in model.estimators_:
        for pair in binary.pairs_:
            assert len(np.unique(y[pair.rows])) == 1
            assert len(pair.rows) == np.sum(y == y[pair.rows[0]]) // 2
        assert 0 < binary.row_share_ <= 0.5
    assert model.score(X, y) > 0.8


def test_the_search_scores_local_pairs_as_fits_at_each_point_do(wide):
    X, y = wide
    search = BicNeuronClassifier(search="local", cv=3, random_state=3).fit(X, y)
    results = search.cv_results_
    assert len(results["params"]) == 4
    folds = StratifiedKFold(3, shuffle=True, random_state=3)
    problems = binary_problems(search.classes_, "ovr")
    for place, params in enumerate(results["params"]):
        shares = []
        for split, (train, test) in enumerate(folds.split(X, y)):
            local = search._resolved()._at(params)
            (point,) = local._solve(problems, X[train], y[train])
            right = point.predict(X[test]) == y[test]
            expected = np.mean([right[y[test] == label].mean() for label in (0, 1)])
            assert results[f"split{split}_test_score"][place] == expected
            shares.append((point.row_share_, point.column_share_))
        told = results["mean_row_share"][place], results["mean_column_share"][place]
        assert told == pytest.approx(np.mean(shares, axis=0))
    assert search.row_share_ <= 0.5


def test_one_local_neuron_solves_what_no_line_does():
    X, y = make_ringnorm(400, random_state=0)
    model = BicNeuronClassifier(search="local", cv=3, random_state=0).fit(X[:300], y[:300])
    assert len(model.selected_pair_.columns) <= MAX_COLUMNS < X.shape[1]
    assert model.score(X[300:], y[300:]) > 0.85


def test_what_the_miner_does_not_have_cannot_be_searched(wide):
    with pytest.raises(ValueError, match="'miner__search', but ContrastBiclustering has no"):
        BicNeuronClassifier({"miner__search": ["grow"]}, miner=ContrastBiclustering()).fit(*wide)


def test_without_a_pair_all_rows_and_columns_are_used():
    X, y = make_one_factor()
    with pytest.warns(NoContrastivePairWarning):
        model = classifier(max_ratio=0.0).fit(X, y)
    assert (model.row_share_, model.column_share_) == (1.0, 1.0)
    search = classifier(search={"max_ratio": [0.0, np.inf]}, cv=2).fit(X, y)
    shares = search.cv_results_["mean_row_share"]
    assert np.isnan(shares[::2]).all()
    assert (shares[1::2] > 0).all()
