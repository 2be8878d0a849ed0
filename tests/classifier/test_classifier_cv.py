from functools import cache
from math import inf

import numpy as np
import pytest
from data import make_one_factor, make_three, minmax
from miners import FixedMiner
from numpy.testing import assert_allclose, assert_array_equal
from oracles.splits import naive_best_threshold, naive_label_auc
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import PredefinedSplit, StratifiedKFold

from bicneuron import BicNeuronClassifier, CoherentBiclustering
from bicneuron.biclustering import ContrastBiclustering
from bicneuron.classifier._problems import MAX_COLUMNS, ROUNDS, binary_problems, localised
from bicneuron.classifier._search import inner_splits
from bicneuron.exceptions import FewerFoldsWarning, NoContrastivePairWarning
from bicneuron.neurons import KernelPerceptron, OnlinePerceptron
from bicneuron.patterns import Pattern

GRID = {
    "miner__cut_distance": (0.1, 0.6),
    "miner__max_residue": (0.02, 0.2),
    "max_ratio": (0.3, inf),
    "anchor": ("both", 0),
    "miner__search": ("grow", "prune"),
    "neuron": (OnlinePerceptron(), KernelPerceptron(average=True)),
}
BASES = {
    "all": BicNeuronClassifier(search=None),
    "anchor": BicNeuronClassifier(search=None, scale="anchor", recalibrate=True),
    "minmax": BicNeuronClassifier(
        search=None,
        miner=CoherentBiclustering(max_seeds=20, max_columns=5),
        max_rows=20,
        scale="minmax",
    ),
}


def make_uneven():
    """Heavy tails, and the minority narrow in one column: each scaling shows other clusters."""
    X, y = make_one_factor(3, n_minority=24, n_majority=30, n_columns=6)
    X[:, 0] = np.sinh(2 * X[:, 0])
    X[y == 1, 1] *= 0.2
    X[:, 2] *= 1 + 2 * (y == 0)
    return X, y


@cache
def searched(scale):
    return clone(BASES[scale]).set_params(search=GRID, cv=2, random_state=3).fit(*make_uneven())


@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoContrastivePairWarning")
@pytest.mark.parametrize("scale", BASES)
def test_the_path_equals_a_fit_at_each_grid_point(scale):
    X, y = make_uneven()
    model, base = searched(scale), BASES[scale]
    folds = StratifiedKFold(2, shuffle=True, random_state=3)
    n_points, worst = len(model.cv_results_["params"]), 0
    # A half of the points, each in one of the folds.
    checked_in = np.random.default_rng(0).permutation(np.arange(n_points) % 4)
    for split, (train, test) in enumerate(folds.split(X, y)):
        for place in np.flatnonzero(checked_in == split):
            params = model.cv_results_["params"][place]
            score = model.cv_results_[f"split{split}_test_score"][place]
            point = clone(base).set_params(miner=clone(base.miner or CoherentBiclustering()))
            point.set_params(random_state=3, **params).fit(X[train], y[train])
            if point.selected_pair_ is None:
                worst += 1
                assert score == -inf
            else:
                assert score == balanced_accuracy_score(y[test], point.predict(X[test]))
    assert 0 < worst < n_points


def test_means_spreads_and_ranks_of_the_search():
    results = searched("all").cv_results_
    splits = np.array([results[f"split{k}_test_score"] for k in range(2)])
    names = ("mean_test_score", "std_test_score", "rank_test_score")
    for mean, spread, rank, line in zip(*(results[name] for name in names), splits.T, strict=True):
        assert mean == sum(line) / 2
        if np.isfinite(line).all():
            assert spread == pytest.approx(abs(line[0] - line[1]) / 2)
        else:
            assert np.isnan(spread)
        assert rank == 1 + sum(other > mean for other in results["mean_test_score"])
    assert len(set(results["rank_test_score"].tolist())) > 2


def test_a_ratio_of_exactly_tau_is_kept_along_the_path():
    """As `BicNeuronClassifier` keeps it: the best pair of a training part alone is left."""
    X, y = make_uneven()
    folds = list(StratifiedKFold(2, shuffle=True, random_state=3).split(X, y))
    train, test = folds[0]
    point = BicNeuronClassifier(
        search=None, miner=CoherentBiclustering(cut_distance=0.6, max_residue=0.1), random_state=3
    ).fit(X[train], y[train])
    tau = point.pairs_[0].msr_ratio
    grid = {"miner__cut_distance": (0.6,), "miner__max_residue": (0.1,)}
    ratios = (np.nextafter(tau, 0), tau, inf)
    model = BicNeuronClassifier({**grid, "max_ratio": ratios}, cv=folds, random_state=3)
    alone = point.set_params(max_ratio=tau).fit(X[train], y[train])
    expected = balanced_accuracy_score(y[test], alone.predict(X[test]))
    assert len(alone.pairs_) == 1
    scores = model.fit(X, y).cv_results_["split0_test_score"]
    assert scores[:2].tolist() == [-inf, expected]


def test_the_fallback_never_wins_and_is_told():
    X, y = make_one_factor()
    search = BicNeuronClassifier(search="paper", max_ratio=1e-9, cv=2, random_state=0)
    with pytest.warns(NoContrastivePairWarning):
        model = search.fit(X, y)
    assert (model.fallback_, model.selected_pair_) == (True, None)
    assert model.best_score_ == -inf
    assert np.isnan(model.cv_results_["std_test_score"]).all()
    some = clone(search).set_params(search={"max_ratio": (1e-9, inf)}, max_ratio=None).fit(X, y)
    assert some.best_params_["max_ratio"] == inf


def test_without_a_pair_on_all_rows_the_best_grid_point_gives_way_to_the_next():
    X, y = make_one_factor(7, n_minority=20, n_majority=24, n_columns=6)
    miner = CoherentBiclustering(cut_distance=0.6, max_residue=0.05)
    on_all_rows = BicNeuronClassifier(search=None, miner=miner, max_ratio=inf, random_state=3).fit(
        X, y
    )
    too_small = np.nextafter(on_all_rows.pairs_[0].msr_ratio, 0)
    grid = {"miner__cut_distance": (0.6,), "miner__max_residue": (0.05,)}
    model = BicNeuronClassifier({**grid, "max_ratio": (too_small, inf)}, cv=2, random_state=3).fit(
        X, y
    )
    means = model.cv_results_["mean_test_score"]
    assert means[0] > means[1] > 0
    assert (model.best_index_, model.best_score_) == (1, means[1])
    assert model.best_params_["max_ratio"] == inf
    assert not model.fallback_
    assert model.selected_pair_ == on_all_rows.selected_pair_


def test_the_fallback_is_not_chosen_over_a_pair_of_a_grid_point_without_a_score():
    X, y = make_one_factor()
    few = np.concatenate([np.flatnonzero(y == 1)[:2], np.flatnonzero(y == 0)[:20]])
    everything = np.arange(len(y))
    grid = {"miner__cut_distance": (0.5, 1.0), "max_ratio": (1e-9, inf)}
    folds = [(few, everything), (everything, everything)]
    model = BicNeuronClassifier(grid, cv=folds, random_state=0).fit(X, y)
    assert (model.best_score_, model.best_params_["max_ratio"]) == (-inf, inf)
    assert model.selected_pair_ is not None
    assert not model.fallback_


def test_groups_stay_on_one_side():
    X, y = make_one_factor()
    groups = np.arange(len(y)) // 4
    problems = binary_problems(np.array([0, 1]), "ovr")
    for train, test in inner_splits(3, X, y, groups, problems, 0):
        assert not set(groups[train]) & set(groups[test])
    model = BicNeuronClassifier(search="paper", cv=3, random_state=0).fit(X, y, groups=groups)
    assert model.n_splits_ == 3


def test_same_result_whatever_n_jobs(one_factor):
    X, y = one_factor
    grid = {"miner__cut_distance": (0.3, 1.0), "max_ratio": (0.9, inf)}
    one, two = (
        BicNeuronClassifier(grid, cv=3, random_state=0, n_jobs=n_jobs).fit(X, y)
        for n_jobs in (1, 2)
    )
    for key in ("mean_test_score", "split2_test_score"):
        assert one.cv_results_[key].tobytes() == two.cv_results_[key].tobytes()
    assert one.decision_function(X).tobytes() == two.decision_function(X).tobytes()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"search": {"anchor": []}}, "no value of 'anchor'"),
        ({"search": {"cut_distance": [1.0]}}, "has 'cut_distance'; it may have miner__search"),
        (
            {"search": {"miner__search": ["grow"]}, "miner": ContrastBiclustering()},
            "'miner__search', but ContrastBiclustering has no",
        ),
        ({"miner": FixedMiner()}, "FixedMiner.*GridSearchCV"),
        ({"search": {"max_ratio": [-1.0]}}, "max_ratio"),
        ({"search": {"anchor": ["neither"]}}, "anchor='neither'"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        BicNeuronClassifier(**parameters).fit(*make_one_factor())


# --- Beyond two classes, each problem has a path search of its own

GRID_OF_THREE = {
    "miner__cut_distance": (0.3, 1.0),
    "miner__max_residue": (0.1,),
    "max_ratio": (0.05, inf),
    "anchor": ("minority", "both", 0),
    "miner__search": ("grow",),
    "neuron": (OnlinePerceptron(), KernelPerceptron(average=True)),
}


def in_problem(part, scheme, k, y):
    """Rows that part ``k`` is about and their labels."""
    if scheme == "ovr":
        return np.arange(len(y)), y == k
    rows = np.flatnonzero(np.isin(y, part.classes_))
    return rows, y[rows]


@pytest.fixture(scope="module", params=("ovr", "ovo"))
def searched_of_three(request):
    """A search, the classifier at a point of its grid, and the table."""
    X, y = make_three()
    search = BicNeuronClassifier(
        GRID_OF_THREE,
        max_rows=15,
        recalibrate=True,
        cv=2,
        random_state=3,
        multi_class=request.param,
    )
    base = clone(search).set_params(search=None, miner=CoherentBiclustering())
    return search.fit(X, y), base, X, y


@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoContrastivePairWarning")
def test_beyond_two_classes_the_path_equals_a_fit_at_each_grid_point(searched_of_three):
    model, base, X, y = searched_of_three
    outcomes = set()
    folds = StratifiedKFold(2, shuffle=True, random_state=3)
    points = model.estimators_[0].cv_results_["params"]
    # A half of the points, each in one of the folds.
    checked_in = np.random.default_rng(0).permutation(np.arange(len(points)) % 4)
    for split, (train, test) in enumerate(folds.split(X, y)):
        for index in np.flatnonzero(checked_in == split):
            parts = clone(base).set_params(**points[index]).fit(X[train], y[train]).estimators_
            for k, (part, found) in enumerate(zip(parts, model.estimators_, strict=True)):
                rows, labels = in_problem(part, model.multi_class, k, y[test])
                expected = balanced_accuracy_score(labels, part.predict(X[test][rows]))
                score = found.cv_results_[f"split{split}_test_score"][index]
                assert score == (-inf if part.selected_pair_ is None else expected)
                outcomes.add(score > -inf)
    assert outcomes == {True, False}


# What is best for one problem may leave another without a pair.
@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoContrastivePairWarning")
def test_the_best_of_each_problem_is_fitted_on_all_rows(searched_of_three):
    model, base, X, y = searched_of_three
    for k, part in enumerate(model.estimators_):
        assert part.best_score_ == part.cv_results_["mean_test_score"].max()
        assert part.n_splits_ == model.n_splits_ == 2
        again = clone(base).set_params(**part.best_params_).fit(X, y)
        assert_array_equal(part.decision_function(X), again.estimators_[k].decision_function(X))
        assert not part.fallback_
    chosen = [part.best_params_ for part in model.estimators_]
    assert any(params != chosen[0] for params in chosen)


def test_too_few_rows_name_the_class():
    X, y = make_three(sizes=(30, 40, 3))
    labels = np.array(["ant", "bee", "cow"])[y]
    with pytest.warns(FewerFoldsWarning, match="cv=5 becomes 3, the rows of class 'cow'"):
        model = BicNeuronClassifier(
            search="paper", anchor="both", max_ratio=inf, random_state=0
        ).fit(X, labels)
    assert model.n_splits_ == 3
    alone = np.where(np.arange(len(y)) == np.argmax(y == 2), "dog", labels)
    with pytest.raises(ValueError, match=r"class 'dog' has 1 rows.*use search=None"):
        BicNeuronClassifier().fit(X, alone)
    groups = np.where(y == 1, -1, np.arange(len(y)))
    with pytest.raises(ValueError, match="class 'bee' has 1 groups"):
        BicNeuronClassifier().fit(X, labels, groups=groups)


@pytest.mark.parametrize(
    ("scheme", "label", "fold_of", "message"),
    [
        ("ovr", 2, lambda rows: 1, "split 1 has no training row of class 2"),
        ("ovo", 0, lambda rows: rows % 3, "split 0 has no test row of class 2 against class 1"),
    ],
)
def test_splits_without_a_class(scheme, label, fold_of, message):
    X, y = make_three()
    rows = np.arange(len(y))
    folds = np.where(y == label, fold_of(rows), rows % 2 + (scheme == "ovo"))
    with pytest.raises(ValueError, match=message):
        BicNeuronClassifier(cv=PredefinedSplit(folds), multi_class=scheme).fit(X, y)


# --- Local pairs: few columns and half of a class, and how local a neuron is


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


def test_the_search_scores_local_pairs_as_fits_at_each_point_do(wide):
    X, y = wide
    search = BicNeuronClassifier(search="local", cv=2, random_state=3).fit(X, y)
    results = search.cv_results_
    assert len(results["params"]) == 4
    folds = StratifiedKFold(2, shuffle=True, random_state=3)
    problems = binary_problems(search.classes_, "ovr")
    for place, params in enumerate(results["params"]):
        shares = []
        for split, (train, test) in enumerate(folds.split(X, y)):
            (point,) = search._resolved()._at(params)._solve(problems, X[train], y[train])
            expected = balanced_accuracy_score(y[test], point.predict(X[test]))
            assert results[f"split{split}_test_score"][place] == expected
            shares.append((point.row_share_, point.column_share_))
        told = results["mean_row_share"][place], results["mean_column_share"][place]
        assert told == pytest.approx(np.mean(shares, axis=0))
    assert search.row_share_ <= 0.5


# --- The threshold of a pair, and of the neuron that stands in for pairs

NEURONS = [
    OnlinePerceptron(),
    KernelPerceptron(kernel="linear", average=True),
    LogisticRegression(),
    RidgeClassifier(),
]


@pytest.mark.parametrize("neuron", NEURONS, ids=repr)
@pytest.mark.parametrize("swapped", [False, True])
def test_the_threshold_of_a_fallback(neuron, swapped):
    """Recalibrated, it has the best label AUC on all training rows; otherwise it is 0."""
    X, y = make_one_factor(noise=1.0)
    y = 1 - y if swapped else y
    base = BicNeuronClassifier(search=None, max_ratio=0.0, neuron=neuron, random_state=0)
    with pytest.warns(NoContrastivePairWarning):
        plain = clone(base).fit(X, y)
    with pytest.warns(NoContrastivePairWarning):
        moved = clone(base).set_params(recalibrate=True).fit(X, y)
    scores = plain.estimator_.decision_function(minmax(X))
    expected = naive_best_threshold(scores.tolist(), (y == 1).tolist())
    assert plain.threshold_ == 0
    assert moved.threshold_ == pytest.approx(expected, abs=1e-12)
    assert moved.threshold_ != 0
    assert_allclose(plain.decision_function(X), scores, atol=1e-12)
    assert_allclose(moved.decision_function(X), scores - expected, atol=1e-12)
    assert_array_equal(moved.predict(X), (scores > expected).astype(int))


@pytest.mark.parametrize("neuron", NEURONS, ids=repr)
def test_the_threshold_of_each_pair(neuron):
    """Its own best on all rows; the best score decides, and of equal ones the first."""
    X, y = make_one_factor()
    model = BicNeuronClassifier(
        search=None, miner=CoherentBiclustering(cut_distance=0.5), neuron=neuron, recalibrate=True
    ).fit(X, y)
    Z = minmax(X)
    for pair, fitted, score in zip(model.pairs_, model.neurons_, model.scores_, strict=True):
        scores = fitted.decision_function(Z[:, pair.columns])
        threshold = naive_best_threshold(scores.tolist(), (y == 1).tolist())
        assert score == pytest.approx(naive_label_auc(scores, y == 1, threshold))
        if pair is model.selected_pair_:
            assert model.threshold_ == pytest.approx(threshold, abs=1e-12)
    assert model.selected_pair_ is model.pairs_[int(np.argmax(model.scores_))]
