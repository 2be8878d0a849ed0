"""`explain` of the classifiers in which one neuron decides."""

import json
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from data import classifier, make_one_factor, make_three, minmax
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from bicneuron.exceptions import NoContrastivePairWarning
from bicneuron.neurons import KernelPerceptron, OnlinePerceptron

LINEAR = [
    OnlinePerceptron(),
    OnlinePerceptron(average=True),
    KernelPerceptron(kernel="linear"),
    LogisticRegression(),
    SVC(kernel="linear"),
]
BENT = [KernelPerceptron(), SVC(), make_pipeline(StandardScaler(), LogisticRegression())]


def total(pattern):
    return pattern.bias + sum(column.contribution for column in pattern.columns)


def fallen_back(**parameters):
    X, y = make_one_factor()
    with pytest.warns(NoContrastivePairWarning):
        return classifier(max_ratio=0.0, **parameters).fit(X, y), X, y


# --- sums


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**16),
    neuron=st.sampled_from(LINEAR),
    recalibrate=st.booleans(),
    units=st.lists(st.sampled_from([1e-6, 0.3, 1.0, 50.0, 1e6]), min_size=10, max_size=10),
    zero=st.sampled_from([-7.0, 0.0, 100.0]),
)
def test_columns_and_bias_add_up_to_the_score_of_a_linear_neuron(
    seed, neuron, recalibrate, units, zero
):
    X, y = make_one_factor(seed)
    X = (X + zero) * units
    model = classifier(neuron=neuron, max_ratio=9.0, recalibrate=recalibrate).fit(X, y)
    scores = model.decision_function(X)
    for explanation, score in zip(model.explain(X), scores, strict=True):
        (pattern,) = explanation.patterns
        assert explanation.score == pattern.contribution == score
        assert total(pattern) == pytest.approx(score, rel=1e-10, abs=1e-10)
        assert (explanation.bias, explanation.rest, explanation.n_patterns) == (0, 0, 1)


@pytest.mark.parametrize("neuron", LINEAR, ids=repr)
def test_the_weight_is_what_one_more_unit_adds(one_factor, neuron):
    X, y = one_factor
    X = X * np.arange(1, 11)
    model = classifier(neuron=neuron).fit(X, y)
    explanation = model.explain(X[:1])[0]
    for column in explanation.patterns[0].columns:
        moved = X[:1].copy()
        moved[0, int(column.feature[1:])] += 1
        assert model.decision_function(moved)[0] - explanation.score == pytest.approx(column.weight)


def test_columns_count_from_the_middle_between_the_centroids(one_factor):
    X, y = one_factor
    model = classifier().fit(X, y)
    pair = model.selected_pair_
    middle = X[0].copy()
    sides = (X[np.ix_(rows, pair.columns)] for rows in (pair.rows, pair.contrast_rows))
    middle[pair.columns] = sum(side.mean(axis=0) for side in sides) / 2
    (pattern,) = model.explain(middle[None])[0].patterns
    assert [column.contribution for column in pattern.columns] == pytest.approx(
        [0] * len(pair.columns), abs=1e-12
    )
    assert pattern.bias == pytest.approx(model.decision_function(middle[None])[0])
    assert pattern.anchor_distance == pytest.approx(pattern.contrast_distance)


# --- centroids and distances


@pytest.mark.parametrize("neuron", [OnlinePerceptron(), KernelPerceptron()], ids=repr)
def test_centroids_and_distances_are_those_of_the_pair(one_factor, neuron):
    X, y = one_factor
    X = X * 37 - 1e3
    model = classifier(neuron=neuron).fit(X, y)
    pair, Z = model.selected_pair_, minmax(X)
    for position, explanation in enumerate(model.explain(X)[:20]):
        (pattern,) = explanation.patterns
        columns = [int(column.feature[1:]) for column in pattern.columns]
        assert sorted(columns) == pair.columns.tolist()
        for rows, side in ((pair.rows, "anchor"), (pair.contrast_rows, "contrast")):
            told = [getattr(column, side) for column in pattern.columns]
            assert told == pytest.approx(X[np.ix_(rows, columns)].mean(axis=0))
            centre = Z[np.ix_(rows, columns)].mean(axis=0)
            away = np.sqrt(np.mean((Z[position, columns] - centre) ** 2))
            assert getattr(pattern, f"{side}_distance") == pytest.approx(away)
        assert [column.value for column in pattern.columns] == X[position, columns].tolist()
        assert np.mean([column.nearness for column in pattern.columns]) == pytest.approx(
            pattern.contrast_distance**2 - pattern.anchor_distance**2
        )
        is_anchor = pattern.anchor_distance <= pattern.contrast_distance
        assert pattern.nearer == ("anchor" if is_anchor else "contrast")
        assert (pattern.anchor_class, pattern.contrast_class) == (1, 0)
        assert pattern.is_pair


def test_the_most_telling_column_comes_first(one_factor):
    X, y = one_factor
    for neuron, name in ((OnlinePerceptron(), "contribution"), (KernelPerceptron(), "nearness")):
        for explanation in classifier(neuron=neuron).fit(X, y).explain(X):
            sizes = [abs(getattr(column, name)) for column in explanation.patterns[0].columns]
            assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("neuron", BENT, ids=repr)
def test_no_parts_are_made_up_for_a_neuron_that_is_no_sum(one_factor, neuron):
    X, y = one_factor
    model = classifier(neuron=neuron).fit(X, y)
    explanation = model.explain(X)[3]
    (pattern,) = explanation.patterns
    assert explanation.score == pattern.contribution == model.decision_function(X)[3]
    assert pattern.bias is None
    assert {column.contribution for column in pattern.columns} == {None}
    assert {column.weight for column in pattern.columns} == {None}


class Liar(LogisticRegression):
    """Has coefficients, but its scores are another function."""

    def decision_function(self, X):
        return super().decision_function(X) ** 3


def test_coefficients_that_do_not_make_the_score_are_not_believed(one_factor):
    X, y = one_factor
    model = classifier(neuron=Liar()).fit(X, y)
    assert model.explain(X)[0].patterns[0].bias is None


# --- whose rows and columns


def test_names_are_the_users_own():
    X, y = make_one_factor()
    frame = pd.DataFrame(X, columns=[f"gène {k}" for k in range(10)])
    frame.index = [f"patient {k}" for k in range(len(X))]
    labels = np.array(["ill", "well"])[y]
    explanation = classifier().fit(frame, labels).explain(frame.iloc[5:7])[1]
    assert explanation.row == "patient 6"
    assert explanation.predicted in {"ill", "well"}
    assert (explanation.negative_class, explanation.positive_class) == ("ill", "well")
    assert all(column.feature.startswith("gène ") for column in explanation.patterns[0].columns)
    polars = pl.DataFrame(X, schema=[f"c{k}" for k in range(10)])
    assert classifier().fit(polars, y).explain(polars)[6].row == 6


def test_the_threshold_is_told_and_taken_off(one_factor):
    X, y = one_factor
    moved = classifier(recalibrate=True, anchor="majority", max_ratio=9.0).fit(X, y)
    assert moved.threshold_ != 0
    (pattern,) = moved.explain(X)[0].patterns
    assert pattern.threshold == moved.threshold_
    assert (pattern.anchor_class, pattern.contrast_class) == (0, 1)


def test_a_fallback_is_told_on_all_columns_with_whole_classes():
    model, X, y = fallen_back(recalibrate=True)
    for explanation, score in zip(model.explain(X), model.decision_function(X), strict=True):
        (pattern,) = explanation.patterns
        assert not pattern.is_pair
        assert total(pattern) == pytest.approx(score, rel=1e-10, abs=1e-10)
    columns = {column.feature: column for column in pattern.columns}
    assert len(columns) == 10
    for k in range(10):
        assert columns[f"x{k}"].anchor == pytest.approx(X[y == 1, k].mean())
        assert columns[f"x{k}"].contrast == pytest.approx(X[y == 0, k].mean())
    assert (pattern.anchor_class, pattern.contrast_class) == (1, 0)


def test_constant_columns(one_factor):
    X, y = one_factor
    X = np.column_stack([X, np.full(len(X), 5.0)])
    with pytest.warns(NoContrastivePairWarning):
        model = classifier(max_ratio=0.0).fit(X, y)
    constant = next(c for c in model.explain(X)[0].patterns[0].columns if c.feature == "x10")
    assert (constant.value, constant.anchor, constant.contrast) == (5, 5, 5)
    assert constant.contribution == constant.nearness == 0


# --- more than two classes, and the search


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_beyond_two_classes_the_parts_of_the_predicted_class_are_told(multi_class):
    X, y = make_three()
    names = np.array(["a", "b", "c"])
    model = classifier(multi_class=multi_class, max_ratio=9.0).fit(X, names[y])
    scores, seen = model.decision_function(X), set()
    for explanation, score, predicted in zip(
        model.explain(X), scores, model.predict(X), strict=True
    ):
        assert explanation.predicted == explanation.positive_class == predicted
        assert explanation.negative_class is None
        parts = sum(pattern.contribution for pattern in explanation.patterns)
        assert explanation.bias + parts == pytest.approx(explanation.score, rel=1e-10)
        for pattern in explanation.patterns:
            assert total(pattern) == pytest.approx(pattern.contribution, rel=1e-10, abs=1e-10)
            seen.add(pattern.number)
            if multi_class == "ovo":
                assert predicted in {pattern.anchor_class, pattern.contrast_class}
            else:
                assert pattern.anchor_class == predicted
            decided = model.patterns_[pattern.number - 1]
            assert pattern.anchor_class == decided.anchor_class
            assert pattern.contrast_class == decided.contrast_class
            columns = sorted(int(column.feature[1:]) for column in pattern.columns)
            assert columns == decided.columns.tolist()
        if multi_class == "ovr":
            assert len(explanation.patterns) == 1
            assert explanation.score == pytest.approx(score.max(), rel=1e-10)
        else:
            assert len(explanation.patterns) == 2
    assert seen == {1, 2, 3}


def test_pairwise_scores_are_the_sums_of_log_odds_that_break_ties():
    X, y = make_three()
    model = classifier(multi_class="ovo", max_ratio=9.0).fit(X, y)
    part_scores = [part.decision_function(X) for part in model.estimators_]
    log_odds = np.array(part_scores).T * model._slopes + model._offsets
    sums = np.column_stack(
        [
            -log_odds[:, 0] - log_odds[:, 1],
            log_odds[:, 0] - log_odds[:, 2],
            log_odds[:, 1] + log_odds[:, 2],
        ]
    )
    for explanation, line in zip(model.explain(X), sums, strict=True):
        assert explanation.score == pytest.approx(line[explanation.predicted], rel=1e-9)


def test_each_part_explains_itself_too():
    X, y = make_three()
    part = classifier(max_ratio=9.0).fit(X, y).estimators_[1]
    explanation = part.explain(X)[0]
    assert explanation.positive_class is True
    assert explanation.score == part.decision_function(X)[0]


@pytest.mark.parametrize("make", [make_one_factor, make_three])
def test_the_search_explains_its_best(make):
    X, y = make()
    model = classifier(search={"miner__cut_distance": (0.5,), "max_ratio": (9.0,)}, cv=2).fit(X, y)
    explanation = model.explain(X)[0]
    assert explanation.predicted == model.predict(X)[0]
    scores = np.atleast_1d(model.decision_function(X)[0])
    assert explanation.score == pytest.approx(scores.max() if len(scores) > 1 else scores[0])


# --- the list


def test_the_list_of_explanations(one_factor):
    X, y = one_factor
    model = classifier().fit(X, y)
    explanations = model.explain(X)
    assert len(explanations) == len(X)
    assert explanations[-1] == explanations[len(X) - 1] == list(explanations)[-1]
    assert [e.row for e in explanations[3:9:2]] == [3, 5, 7]
    assert [e.row for e in explanations[3:9:2][1:]] == [5, 7]
    with pytest.raises(IndexError):
        explanations[len(X)]
    assert pickle.loads(pickle.dumps(explanations))[2] == explanations[2]
    assert repr(explanations) == "<Explanations of 100 rows>"
    frame = explanations.to_frame()
    assert frame["predicted"].tolist() == model.predict(X).tolist()
    assert frame["score"].tolist() == model.decision_function(X).tolist()
    assert frame["probability"].isna().all()
    assert frame.index.tolist() == list(range(len(X)))
    assert set(frame["pattern"]) == {1}
    assert explanations[:0].to_frame().empty


def test_plain_data(one_factor):
    X, y = one_factor
    explanation = classifier().fit(X, y).explain(X)[0]
    content = json.loads(json.dumps(explanation.to_dict()))
    (pattern,) = content["patterns"]
    assert content["score"] == explanation.score
    assert pattern["nearer"] == explanation.patterns[0].nearer
    assert pattern["columns"][0] == explanation.patterns[0].columns[0]._asdict()


def test_bad_rows_are_refused(one_factor):
    X, y = one_factor
    model = classifier().fit(X, y)
    with pytest.raises(ValueError, match="9 features"):
        model.explain(X[:, :9])
    with pytest.raises(ValueError, match="infinity"):
        model.explain(np.full((1, 10), np.inf))


def test_a_row_is_explained_alike_in_any_company(one_factor):
    X, y = one_factor
    model = classifier().fit(X, y)
    alone = [model.explain(X[[k]])[0].score for k in range(5)]
    assert alone == [explanation.score for explanation in model.explain(X)[:5]]


@pytest.mark.parametrize("unit", [2.0**-1000, 2.0**1000])
def test_enormous_and_tiny_units_change_nothing_but_units(one_factor, unit):
    X, y = one_factor
    plain, moved = (classifier().fit(Z, y).explain(Z)[0] for Z in (X, X * unit))
    assert moved.score == plain.score
    for one, other in zip(plain.patterns[0].columns, moved.patterns[0].columns, strict=True):
        assert other.contribution == one.contribution
        assert other.anchor == one.anchor * unit
        assert other.weight == one.weight / unit
