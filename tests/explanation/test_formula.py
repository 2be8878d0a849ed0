"""A neuron as one formula in the user's own units."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from data import classifier, make_one_factor, make_three
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from bicneuron import BicNeuronNetwork
from bicneuron.exceptions import NoContrastivePairWarning
from bicneuron.explanation import Formula, formula_of
from bicneuron.neurons import KernelNeuron, KernelPerceptron, OnlinePerceptron

NEURONS = [OnlinePerceptron(), KernelPerceptron(kernel="linear"), LogisticRegression()]


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 2**16),
    neuron=st.sampled_from(NEURONS),
    recalibrate=st.booleans(),
    units=st.lists(st.sampled_from([1e-9, 0.3, 1.0, 50.0, 1e9]), min_size=10, max_size=10),
    zero=st.sampled_from([-7.0, 0.0, 100.0]),
)
def test_it_gives_the_scores_of_the_model(seed, neuron, recalibrate, units, zero):
    X, y = make_one_factor(seed)
    X = (X + zero) * units
    model = classifier(neuron=neuron, max_ratio=9.0, recalibrate=recalibrate).fit(X, y)
    formula = model.to_formula()
    scores = model.decision_function(X)
    assert formula.columns == tuple(model.selected_pair_.columns.tolist())
    largest = np.abs(np.array(formula.coefficients) * X[:, list(formula.columns)]).max(axis=1)
    error = np.abs(formula.evaluate(X) - scores)
    assert (error <= 1e-10 * np.maximum(np.abs(scores), largest)).all()
    assert (np.sign(formula.evaluate(X)) == np.sign(scores))[np.abs(scores) > 1e-9].all()


@settings(max_examples=10, deadline=None)
@given(
    seed=st.integers(0, 2**16), exponents=st.lists(st.integers(-20, 20), min_size=10, max_size=10)
)
def test_other_units_change_the_coefficients_only(seed, exponents):
    X, y = make_one_factor(seed)
    units = 2.0 ** np.array(exponents)
    one = classifier(max_ratio=9.0).fit(X, y).to_formula()
    other = classifier(max_ratio=9.0).fit(X * units, y).to_formula()
    assert other.intercept == one.intercept
    expected = np.array(one.coefficients) / units[list(one.columns)]
    assert other.coefficients == tuple(expected.tolist())


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


def test_it_reads_well_and_leaves_out_columns_without_weight():
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


def test_it_can_be_shortened():
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


def test_a_fallback_has_a_formula_of_all_columns():
    X, y = make_one_factor()
    with pytest.warns(NoContrastivePairWarning):
        model = classifier(max_ratio=0.0).fit(X, y)
    formula = model.to_formula()
    assert formula.columns == tuple(range(10))
    np.testing.assert_allclose(formula.evaluate(X), model.decision_function(X), rtol=1e-10)


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
