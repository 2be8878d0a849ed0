"""`explain` of the classifiers in which one neuron decides."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from data import classifier, make_one_factor, make_three, minmax
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from bicneuron import BicNeuronClassifier, BicNeuronNetwork
from bicneuron.exceptions import NoContrastivePairWarning
from bicneuron.explanation import Formula, formula_of
from bicneuron.neurons import KernelNeuron, KernelPerceptron, OnlinePerceptron
from reproduction.datasets import load_dataset

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


@given(
    seed=st.integers(0, 2**16),
    neuron=st.sampled_from(LINEAR),
    recalibrate=st.booleans(),
    units=st.lists(st.sampled_from([1e-9, 0.3, 1.0, 50.0, 1e9]), min_size=10, max_size=10),
    zero=st.sampled_from([-7.0, 0.0, 100.0]),
)
def test_columns_and_formula_make_the_score_of_a_linear_neuron(
    seed, neuron, recalibrate, units, zero
):
    X, y = make_one_factor(seed)
    X = (X + zero) * units
    model = classifier(neuron=neuron, max_ratio=9.0, recalibrate=recalibrate).fit(X, y)
    scores = model.decision_function(X)
    for explanation, score in zip(model.explain(X[::5]), scores[::5], strict=True):
        (pattern,) = explanation.patterns
        assert explanation.score == pattern.contribution == score
        assert total(pattern) == pytest.approx(score, rel=1e-10, abs=1e-10)
        assert (explanation.bias, explanation.rest, explanation.n_patterns) == (0, 0, 1)
    formula = model.to_formula()
    assert formula.columns == tuple(model.selected_pair_.columns.tolist())
    largest = np.abs(np.array(formula.coefficients) * X[:, list(formula.columns)]).max(axis=1)
    error = np.abs(formula.evaluate(X) - scores)
    assert (error <= 1e-10 * np.maximum(np.abs(scores), largest)).all()
    assert (np.sign(formula.evaluate(X)) == np.sign(scores))[np.abs(scores) > 1e-9].all()


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


def test_a_fallback_is_told_on_all_columns_with_whole_classes():
    X, y = make_one_factor()
    with pytest.warns(NoContrastivePairWarning):
        model = classifier(max_ratio=0.0, recalibrate=True).fit(X, y)
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


def test_the_list_of_explanations(one_factor):
    X, y = one_factor
    model = classifier().fit(X, y)
    explanations = model.explain(X)
    assert len(explanations) == len(X)
    assert explanations[-1] == explanations[len(X) - 1] == list(explanations)[-1]
    assert [e.row for e in explanations[3:9:2][1:]] == [5, 7]
    with pytest.raises(IndexError):
        explanations[len(X)]
    assert pickle.loads(pickle.dumps(explanations))[2] == explanations[2]
    assert repr(explanations) == "<Explanations of 100 rows>"
    frame = explanations.to_frame()
    assert frame["predicted"].tolist() == model.predict(X).tolist()
    assert frame["score"].tolist() == model.decision_function(X).tolist()
    assert frame["probability"].isna().all()
    assert explanations[:0].to_frame().empty


def test_a_linear_neuron_of_a_network_has_none_because_its_scaling_is_not_linear():
    X, y = make_one_factor()
    kinds = [KernelNeuron("linear")]
    network = BicNeuronNetwork(n_neurons=4, neuron_kinds=kinds, random_state=0).fit(X, y)
    pattern = network.patterns_[0]
    neuron = replace(pattern.neuron, scaling=network._scaling.take(pattern.columns))
    assert neuron.linear is not None
    with pytest.raises(ValueError, match="soft scaling have no formula"):
        formula_of(replace(pattern, neuron=neuron), [f"x{j}" for j in range(X.shape[1])], (0, 1))


def test_worked_by_hand():
    X = np.array([[0.0, 10.0, 3.0], [2.0, 30.0, 3.0], [4.0, 10.0, 3.0], [4.0, 30.0, 3.0]])
    y = ["A", "A", "B", "B"]
    with pytest.warns(NoContrastivePairWarning):
        model = classifier(neuron=LogisticRegression()).fit(X, y)
    formula, neuron = model.to_formula(), model.estimator_
    coef, (bias,) = neuron.coef_[0], neuron.intercept_
    assert formula.coefficients == pytest.approx([coef[0] / 4, coef[1] / 20, 0])
    assert formula.intercept == pytest.approx(bias - coef[1] / 2)
    assert formula.features == ("x0", "x1", "x2")
    assert formula.labels == ("A", "B")


def test_it_reads_well_leaves_out_columns_without_weight_and_can_be_shortened():
    formula = Formula(
        -0.5,
        (0.51, -2.0, 0.0, 1e-7),
        ("age", "dose (mg)", "gone", "a b"),
        (0, 1, 2, 3),
        ("A", "B"),
    )
    assert str(formula).replace("\N{MINUS SIGN}", "-") == (
        "score = -0.5 + 0.51·age - 2·[dose (mg)] + 1e-07·a b; 'B' if score > 0, else 'A'"
    )
    formula = Formula(1.0, (2.0, -3.0, 0.0, 4.0), tuple("abcd"), (5, 6, 7, 9), ("no", "yes"))
    end = "; 'yes' if score > 0, else 'no'"
    minus, times = "\N{MINUS SIGN}", "\N{MIDDLE DOT}"
    assert formula.shortened([9, 5]) == f"score = 1 + 4{times}d + 2{times}a + 1 more term{end}"
    assert formula.shortened([6]) == f"score = 1 {minus} 3{times}b + 2 more terms{end}"
    assert formula.shortened([5, 6, 9]) == str(formula)


def test_columns_of_a_frame_are_found_by_name():
    X, y = make_one_factor()
    frame = pd.DataFrame(X, columns=[f"c{k}" for k in range(10)])
    model = classifier().fit(frame, y)
    formula = model.to_formula()
    assert formula.features == tuple(model.feature_names_in_[model.selected_pair_.columns])
    backwards = frame[frame.columns[::-1]].assign(other="text")
    assert formula.evaluate(backwards).tolist() == formula.evaluate(X).tolist()
    assert formula == classifier().fit(frame, y).to_formula()


def test_bent_neurons_and_more_classes_are_refused():
    X, y = make_one_factor()
    with pytest.raises(ValueError, match=r"KernelPerceptron\(.*\) is not linear"):
        classifier(neuron=KernelPerceptron()).fit(X, y).to_formula()
    X, y = make_three()
    model = classifier(max_ratio=9.0).fit(X, y)
    with pytest.raises(ValueError, match="to_formula needs two classes; y had 3"):
        model.to_formula()
    assert model.estimators_[0].to_formula().labels == (False, True)


def test_a_column_too_narrow_for_its_own_units_is_named():
    X, y = make_one_factor()
    X[:, 3] = np.where(X[:, 3] > 0, 5e-324, 0.0)
    with pytest.warns(NoContrastivePairWarning):
        model = classifier(max_ratio=0.0, neuron=LogisticRegression()).fit(X, y)
    with pytest.raises(ValueError, match="column 'x3' varies too little"):
        model.to_formula()


@pytest.mark.real_data
def test_formula_and_columns_make_the_score_of_sonar():
    X, y = load_dataset("sonar", return_X_y=True)
    model = BicNeuronClassifier(
        search=None, max_ratio=np.inf, recalibrate=True, random_state=0
    ).fit(X, y)
    scores = model.decision_function(X)
    size = np.abs(scores).max()
    np.testing.assert_allclose(model.to_formula().evaluate(X), scores, atol=1e-10 * size)
    for explanation, score in zip(model.explain(X), scores, strict=True):
        assert total(explanation.patterns[0]) == pytest.approx(score, rel=1e-10, abs=1e-10 * size)
