"""`explain` of a network: which patterns carried the decision."""

import numpy as np
import pandas as pd
import pytest
from data import make_one_factor, make_three, soft_scores
from scipy.stats import iqr

from bicneuron import BicNeuronNetwork, PatternClassifier
from bicneuron.neurons import GaussianNeuron, KernelNeuron

KINDS = {
    "bells": {
        "n_neurons": 6,
        "neuron_kinds": [GaussianNeuron()],
    },
    "accurate": {"n_neurons": 60},
    "linear": {"n_neurons": 20, "neuron_kinds": (KernelNeuron("linear"),)},
    "readable": None,
}


def model_of(kind):
    parameters = KINDS[kind]
    model = BicNeuronNetwork(**parameters) if parameters else PatternClassifier()
    return model.set_params(random_state=0)


@pytest.fixture(scope="module", params=KINDS)
def fitted(request):
    X, y = make_one_factor()
    return model_of(request.param).fit(X, np.array(["low", "high"])[y]), X


def test_contributions_add_up_to_the_score(fitted):
    model, X = fitted
    scores, chances = model.decision_function(X), model.predict_proba(X)
    for position, explanation in enumerate(model.explain(X)):
        assert explanation.score == scores[position]
        parts = sum(pattern.contribution for pattern in explanation.patterns)
        assert explanation.bias + parts + explanation.rest == pytest.approx(
            scores[position], rel=1e-10, abs=1e-10
        )
        assert explanation.predicted == model.predict(X)[position]
        assert explanation.probability == chances[position].max()
        assert (explanation.negative_class, explanation.positive_class) == ("high", "low")


def test_the_strongest_come_first_until_they_make_up_nine_tenths(fitted):
    model, X = fitted
    for position, explanation in enumerate(model.explain(X)[:20]):
        outputs = [
            pattern.neuron.weight[0]
            * np.tanh(
                pattern.neuron.estimator.decision_function(
                    soft_scores(X, X)[[position]][:, pattern.columns]
                )[0]
                / pattern.neuron.typical_score
            )
            for pattern in model.patterns_
        ]
        told = [pattern.number for pattern in explanation.patterns]
        expected = [outputs[number - 1] for number in told]
        assert [p.contribution for p in explanation.patterns] == pytest.approx(expected)
        sizes = np.abs(outputs)
        assert np.abs(expected).tolist() == pytest.approx(sorted(sizes)[::-1][: len(told)])
        assert np.abs(expected).sum() >= 0.9 * sizes.sum() * (1 - 1e-12)
        assert np.abs(expected[:-1]).sum() < 0.9 * sizes.sum()
        assert explanation.n_patterns == len(outputs)


def test_the_strongest_alone_leave_the_rest_to_the_others(fitted):
    network, X = fitted
    explanations = network.explain(X)
    for row in range(5):
        whole, two = explanations[row], explanations.strongest(row, 2)
        assert two.patterns == whole.patterns[:2]
        total = two.bias + two.rest + sum(pattern.contribution for pattern in two.patterns)
        assert total == pytest.approx(two.score)
        assert two.n_patterns == whole.n_patterns


def test_columns_add_up_where_a_neuron_is_a_sum_over_them(fitted):
    model, X = fitted
    for explanation in model.explain(X)[:20]:
        for pattern in explanation.patterns:
            neuron = model.patterns_[pattern.number - 1].neuron.estimator
            if getattr(neuron, "kernel", None) == "rbf":
                assert pattern.bias is None
                assert {column.contribution for column in pattern.columns} == {None}
                continue
            parts = [column.contribution for column in pattern.columns]
            assert pattern.bias + sum(parts) == pytest.approx(
                pattern.contribution, rel=1e-10, abs=1e-10 * max(map(abs, parts))
            )


@pytest.mark.parametrize("kind", KINDS)
def test_centroids_are_in_the_users_own_units(kind):
    X, y = make_one_factor()
    X = X + 4.0 * y[:, None]  # no label is in doubt, so that neurons are trained on all rows
    model = model_of(kind).fit(X, np.array(["low", "high"])[y])
    for pattern in model.explain(X)[0].patterns:
        pair = model.patterns_[pattern.number - 1]
        columns = [int(column.feature[1:]) for column in pattern.columns]
        middle, spread = np.median(X[:, columns], axis=0), iqr(X[:, columns], axis=0)
        soft = np.arcsinh((X[np.ix_(pair.rows, columns)] - middle) / spread)
        anchor = middle + spread * np.sinh(soft.mean(axis=0))  # the mean where neurons see it
        assert [column.anchor for column in pattern.columns] == pytest.approx(anchor)
        assert [column.value for column in pattern.columns] == X[0, columns].tolist()
        assert {pattern.anchor_class, pattern.contrast_class} == {"low", "high"}


def test_planted_columns_carry_the_decision():
    random = np.random.RandomState(0)
    X, y = random.normal(size=(120, 40)), np.repeat([0, 1], 60)
    X[y == 1, 3] += 6
    frame = pd.DataFrame(X, index=[f"r{k}" for k in range(120)]).add_prefix("gene ")
    model = BicNeuronNetwork(n_neurons=3, neuron_kinds=[GaussianNeuron()], random_state=0).fit(
        frame, y
    )
    explanations = model.explain(frame.iloc[[5, 115]])
    for explanation, name, sign in zip(explanations, ("r5", "r115"), (-1, 1), strict=True):
        assert explanation.row == name
        first = explanation.patterns[0].columns[0]
        assert first.feature == "gene 3"
        assert np.sign(first.contribution) == sign
        assert {round(first.anchor), round(first.contrast)} == {0, 6}


def test_beyond_two_classes_the_score_of_the_predicted_one_is_split():
    X, y = make_three()
    model = BicNeuronNetwork(n_neurons=9, neuron_kinds=[GaussianNeuron()], random_state=0).fit(X, y)
    scores = model.decision_function(X)
    for explanation, line in zip(model.explain(X), scores, strict=True):
        assert explanation.predicted == explanation.positive_class == line.argmax()
        parts = sum(pattern.contribution for pattern in explanation.patterns)
        assert explanation.bias + parts + explanation.rest == pytest.approx(line.max(), rel=1e-10)
        for pattern in explanation.patterns:
            pair = model.patterns_[pattern.number - 1]
            assert set(y[pair.rows]) == {pattern.anchor_class}
            assert set(y[pair.contrast_rows]) == {pattern.contrast_class}


def test_a_frame_has_the_strongest_pattern_of_each_row(fitted):
    model, X = fitted
    explanations = model.explain(X)[:8]
    frame = explanations.to_frame()
    assert frame["pattern"].tolist() == [e.patterns[0].number for e in explanations]
    assert frame["probability"].tolist() == [e.probability for e in explanations]


def test_tables_of_labels_are_refused():
    X, y = make_one_factor()
    labels = np.column_stack([y, 1 - y, X[:, 0] > 0]).astype(int)
    model = BicNeuronNetwork(n_neurons=5, neuron_kinds=[GaussianNeuron()], random_state=0).fit(
        X, labels
    )
    with pytest.raises(ValueError, match="table of labels, fit one network for each label"):
        model.explain(X)
