"""More than two classes: each problem against a fit by hand, and what they decide together."""

from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from data import classifier, make_three
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, roc_auc_score

from bicneuron import CoherentBiclustering
from bicneuron.classifier._one_neuron import OneNeuronClassifier
from bicneuron.classifier._problems import binary_problems
from bicneuron.exceptions import NoContrastivePairWarning
from bicneuron.patterns import Pattern, TrainedNeuron

SCHEMES = ("ovr", "ovo")
falls_back = pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoContrastivePairWarning")


@pytest.fixture(scope="module")
def three():
    return make_three()


@cache
def fitted(scheme):
    """Fitted to ``three``, for all tests that only look at it."""
    return classifier(multi_class=scheme).fit(*make_three())


# --- the problems


@pytest.mark.parametrize("scheme", SCHEMES)
def test_each_problem_is_listed_with_its_model(scheme, three):
    model = fitted(scheme)
    problems, models = zip(*model.binary_models(), strict=True)
    assert list(models) == model.estimators_
    assert [problem.sides for problem in problems] == [
        problem.sides for problem in binary_problems(model.classes_, scheme)
    ]
    patterns = model.explained_patterns()
    assert [pattern.neuron.target for pattern in patterns] == [0, 1, 2]
    for (negative, positive), part, pattern in zip(
        (problem.sides for problem in problems), models, patterns, strict=True
    ):
        assert pattern.neuron.estimator is part.estimator_
        assert pattern.neuron.threshold == part.threshold_
        assert positive in (pattern.anchor_class, pattern.contrast_class)
        assert pattern.neuron.sign == (1 if pattern.anchor_class == positive else -1)
        if scheme == "ovo":
            assert {pattern.anchor_class, pattern.contrast_class} == {negative, positive}
        assert_array_equal(pattern.columns, part.selected_pair_.columns)
        assert_array_equal(pattern.rows, part.rows_used_[part.selected_pair_.rows])
        nothing = {"carrier_counts": None, "differences": np.empty(0), "effects": np.empty(0)}
        assert part.patterns_ == [replace(pattern, **nothing)]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_patterns_are_those_of_all_problems_the_strongest_first(scheme, three):
    X, y = three
    model = fitted(scheme)
    strengths = [pattern.strength for pattern in model.patterns_]
    assert strengths == sorted(strengths, reverse=True)
    by_problem = sorted(model.patterns_, key=lambda pattern: pattern.neuron.target)
    assert by_problem == model.explained_patterns()
    for pattern, (_, part) in zip(by_problem, model.binary_models(), strict=True):
        assert pattern.strength == part.scores_.max()
        assert set(y[pattern.rows]) == {pattern.anchor_class}
        scores = model.pattern_scores(X)[:, model.patterns_.index(pattern)]
        assert_array_equal(scores, pattern.neuron.sign * part.decision_function(X))


@falls_back
@pytest.mark.parametrize("scheme", SCHEMES)
def test_values_of_selections_may_be_negative(scheme):
    X, y = make_three(sizes=(30, 40, 2))
    model = classifier(
        neuron=LogisticRegression(), selection="neg_log_loss", multi_class=scheme
    ).fit(X, y)
    *found, last = model.patterns_
    assert (last.kind, last.strength) == ("class", 0.0)
    parts = model.estimators_
    for pattern in model.patterns_:
        values = parts[pattern.neuron.target].scores_
        assert pattern.strength == (0.0 if pattern.kind == "class" else values.max())
    pairs = [pattern.strength for pattern in found if pattern.kind == "pair"]
    assert pairs == sorted(pairs, reverse=True)
    assert max(pairs) < 0


def test_of_two_classes_there_is_one_problem(one_factor):
    model = classifier().fit(*one_factor)
    ((problem, itself),) = model.binary_models()
    assert itself is model
    assert problem.sides == tuple(model.classes_)
    assert str(problem) == "class 1 against class 0"


@pytest.mark.parametrize(
    ("scale", "anchor", "recalibrate"),
    [("minmax", "minority", True), ("minmax", "both", False), ("anchor", "majority", True)],
)
def test_pairwise_equals_fits_of_two_classes(scale, anchor, recalibrate):
    """Two rows of each class span every column, so that any two classes are scaled alike."""
    X, y = make_three()
    for label in range(3):
        X[np.flatnonzero(y == label)[:2]] = [[X.min()], [X.max()]]
    options = {
        "miner": CoherentBiclustering(cut_distance=0.5 if scale == "anchor" else 0.05),
        "scale": scale,
        "anchor": anchor,
        "recalibrate": recalibrate,
        "max_ratio": np.inf,
    }
    model = classifier(multi_class="ovo", **options).fit(X, y)
    for part, pair in zip(model.estimators_, combinations(range(3), 2), strict=True):
        rows = np.flatnonzero(np.isin(y, pair))
        by_hand = classifier(**options).fit(X[rows], y[rows])
        assert part.classes_.tolist() == list(pair)
        assert_array_equal(part.rows_used_, rows)
        assert part.pairs_ == by_hand.pairs_ != []
        assert part.scores_.tobytes() == by_hand.scores_.tobytes()
        assert (part.selected_pair_, part.threshold_) == (
            by_hand.selected_pair_,
            by_hand.threshold_,
        )
        assert_array_equal(part.decision_function(X), by_hand.decision_function(X))


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("anchor", ["minority", "majority", "both", 1])
def test_pairs_lie_across_the_two_sides(three, scheme, anchor):
    X, y = three
    model = classifier(multi_class=scheme, anchor=anchor, max_ratio=np.inf).fit(X, y)
    sides = [({i}, {j}) for i, j in combinations(range(3), 2)]
    if scheme == "ovr":
        sides = [({k}, {0, 1, 2} - {k}) for k in range(3)]
    for part, both in zip(model.estimators_, sides, strict=True):
        minority, majority = sorted(both, key=lambda side: sum(np.sum(y == c) for c in side))
        mined = {"minority": minority, "majority": majority, "both": minority | majority}
        mined[1] = {1} if 1 in minority | majority else minority
        assert {p.anchor_class for p in part.pairs_} == mined[anchor]
        labels = y[part.rows_used_]
        for pair in part.pairs_:
            own, other = both if pair.anchor_class in both[0] else both[::-1]
            assert set(labels[pair.rows]) == {pair.anchor_class} <= own
            assert set(labels[pair.contrast_rows]) <= other


# --- the joint decision


class Given(OneNeuronClassifier):
    """Its scores for problem ``k`` are column ``k``."""

    class_weight = None

    def __init__(self, multi_class="ovr"):
        self.multi_class = multi_class

    def fit(self, X, y):
        self.n_features_in_ = X.shape[1]
        self.classes_ = np.unique(y)
        problems = binary_problems(self.classes_, self.multi_class)
        parts = [self._binary_copy(problem) for problem in problems]
        for k, part in enumerate(parts):
            part.column_ = k
        self._join(problems, parts, X, y)
        return self

    def _binary_scores(self, X):
        return X[:, self.column_]

    def _pattern(self, problem, target, y):
        neuron = TrainedNeuron(None, np.zeros((2, 1)), target=target)
        rows = np.flatnonzero(np.isin(y, problem.positive))
        return Pattern(rows, np.array([self.column_]), strength=0.5, neuron=neuron)


def test_scores_become_log_odds():
    """No other slope and offset have a smaller loss, the mean over both sides and the penalty."""
    random = np.random.default_rng(0)
    y = random.permutation(np.repeat([0, 1, 2], [10, 20, 30]))
    X = random.normal(size=(60, 3)) + 2 * (y[:, None] == [0, 1, 2])
    model = Given().fit(X, y)
    for k, log_odds in enumerate(model.decision_function(X).T):
        slope, offset = np.polyfit(X[:, k], log_odds, 1)
        assert_allclose(slope * X[:, k] + offset, log_odds)
        signs = np.where(y == k, 1, -1)

        def loss(slope, offset, k=k, signs=signs):
            losses = np.log1p(np.exp(-signs * (slope * X[:, k] + offset)))
            sides = (losses[signs == 1].mean() + losses[signs == -1].mean()) * len(X) / 2
            return sides + (slope * X[:, k].std()) ** 2 / 200

        for step in (-0.05, 0.05):
            assert loss(slope, offset) < loss(slope + step, offset)
            assert loss(slope, offset) < loss(slope, offset + step)


def test_votes_of_pairs_with_confidence_between_them():
    random = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = random.normal(size=(90, 3))
    pairs = list(combinations(range(3), 2))
    expected, confidence = np.zeros((90, 3)), np.zeros((90, 3))
    for k, pair in enumerate(pairs):
        X[:, k] += y == pair[1]
        rows = np.flatnonzero(np.isin(y, pair))
        alone = LogisticRegression(C=100, tol=1e-10)
        alone.fit(X[rows, k, None] / X[rows, k].std(), y[rows] == pair[1])
        log_odds = alone.decision_function(X[:, k, None] / X[rows, k].std())
        for row, score in enumerate(X[:, k]):
            expected[row, pair[int(score > 0)]] += 1
        confidence[:, pair[1]] += log_odds
        confidence[:, pair[0]] -= log_odds
    expected += confidence / (3 * (abs(confidence) + 1))
    model = Given("ovo").fit(X, y)
    assert_allclose(model.decision_function(X), expected, atol=1e-3)
    assert_array_equal(model.predict(X), expected.argmax(axis=1))
    rows = np.sum(np.rint(expected) == 1, axis=1) == 3
    assert rows.any()


def test_equal_scores_speak_for_the_first_class():
    """All columns constant: every neuron says the same of every row."""
    X, y = np.ones((30, 4)), np.arange(30) % 3
    for scheme in SCHEMES:
        with pytest.warns(NoContrastivePairWarning):
            model = classifier(multi_class=scheme).fit(X, y)
        scores = model.decision_function(X)
        assert np.isfinite(scores).all()
        assert_array_equal(model.predict(X), scores.argmax(axis=1))
        assert len(set(model.predict(X))) == 1


# --- what two classes and more have in common


def test_attributes_of_the_parts_are_asked_of_the_parts():
    model = fitted("ovr")
    with pytest.raises(AttributeError, match=r"selected_pair_.*two classes.*3.*estimators_"):
        _ = model.selected_pair_
    with pytest.raises(AttributeError, match="object has no attribute 'selected'"):
        _ = model.selected
    assert not hasattr(model, "pairs_")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_threads_change_nothing(three, scheme):
    model = fitted(scheme)
    parallel = clone(model).set_params(n_jobs=2).fit(*three)
    assert_array_equal(parallel.decision_function(three[0]), model.decision_function(three[0]))


@pytest.mark.parametrize("selection", ["score_auc", "f1", "accuracy"])
def test_other_selections_see_whether_a_row_is_of_the_class(three, selection):
    X, y = three
    model = classifier(selection=selection).fit(X, y)
    for label, part in enumerate(model.estimators_):
        expected = {
            "score_auc": roc_auc_score(y == label, part.decision_function(X)),
            "f1": f1_score(y == label, part.predict(X)),
            "accuracy": part.score(X, y == label),
        }
        assert max(part.scores_) == pytest.approx(expected[selection])


# --- classes that are too small


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("size", [1, 2])
def test_a_class_of_few_rows_falls_back_in_its_own_problems(scheme, size):
    X, y = make_three(sizes=(30, 40, size))
    reason = rf"class 2 against (the rest|class \d): class 2 has {size} rows.*min_rows=3"
    with pytest.warns(NoContrastivePairWarning, match=reason) as caught:
        model = classifier(multi_class=scheme).fit(X, y)
    fallen = [part.selected_pair_ is None for part in model.estimators_]
    assert fallen == ([False, False, True] if scheme == "ovr" else [False, True, True])
    assert len(caught) == sum(fallen)
    assert {warning.filename for warning in caught} == {__file__}
    assert np.isfinite(model.decision_function(X)).all()
