"""The pair as its neuron sees it."""

from dataclasses import replace

import numpy as np
import pytest
from data import classifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from bicneuron.inspection import PairProjectionDisplay
from bicneuron.neurons import KernelPerceptron, OnlinePerceptron
from bicneuron.patterns import Pattern

LINEAR = [
    OnlinePerceptron(random_state=0),
    KernelPerceptron(kernel="linear", random_state=0),
    LogisticRegression(),
]
ROWS = np.arange(10)
PAIR = Pattern(
    ROWS[:5], np.arange(4), contrast_rows=ROWS[5:], anchor_class="a", kind="pair", msr_ratio=0.5
)


def two_clouds(n_columns=4):
    random = np.random.default_rng(0)
    X = random.normal(size=(10, n_columns)) * 0.3
    X[:5, 0] += 2
    return X, np.repeat([1, 0], 5)


def points_of(display):
    return np.vstack([points.get_offsets() for points in display.points_])


@pytest.mark.parametrize("neuron", LINEAR, ids=lambda neuron: type(neuron).__name__)
def test_a_linear_neuron_has_a_straight_line_and_rows_at_their_distances(neuron):
    X, y = two_clouds()
    neuron.fit(X, y)
    display = PairProjectionDisplay(X, PAIR, neuron=neuron, threshold=0.25).plot()
    scores = neuron.decision_function(X)
    slopes = [neuron.decision_function(row[None])[0] for row in np.eye(4)]
    weights = np.array(slopes) - neuron.decision_function(np.zeros((1, 4)))[0]
    x, y = points_of(display).T
    np.testing.assert_allclose(x, (scores - 0.25) / np.linalg.norm(weights), atol=1e-9)
    assert list(display.line_.get_xdata()) == [0, 0]
    normal = weights / np.linalg.norm(weights)
    rest = X - X.mean(axis=0) - np.outer((X - X.mean(axis=0)) @ normal, normal)
    assert np.var(y) == pytest.approx(np.linalg.eigvalsh(rest.T @ rest / 10)[-1])
    assert display.ax_.get_xlabel() == "distance to the hyperplane (> 0: 1)"


def test_another_neuron_has_contours_in_the_plane():
    X, y = two_clouds()
    neuron = SVC(gamma=0.5).fit(X, y)
    display = PairProjectionDisplay(X, PAIR, neuron=neuron, threshold=0.1).plot()
    step = X[:5].mean(axis=0) - X[5:].mean(axis=0)
    first = step / np.linalg.norm(step)
    np.testing.assert_allclose(points_of(display)[:, 0], (X - X.mean(axis=0)) @ first, atol=1e-9)
    grid = display.grid_
    centre = grid.scores[[60]][:, [60]]
    place = np.array([grid.x[60], grid.y[60]])
    second = np.linalg.lstsq(points_of(display)[:, 1:], X - X.mean(axis=0), rcond=None)[0][0]
    second -= (second @ first) * first
    plane = X.mean(axis=0) + place[0] * first + place[1] * second / np.linalg.norm(second)
    assert neuron.decision_function(plane[None])[0] - 0.1 == pytest.approx(centre[0, 0], abs=1e-6)
    (line,) = display.line_.get_paths()
    inside = neuron.decision_function(
        X.mean(axis=0)
        + line.vertices[:, :1] * first
        + line.vertices[:, 1:] * second / np.linalg.norm(second)
    )
    np.testing.assert_allclose(inside, 0.1, atol=0.02)


def test_a_neuron_of_one_mind_one_column_and_equal_rows_can_be_drawn():
    X, y = two_clouds()
    neuron = SVC(gamma=0.5).fit(X, y)
    display = PairProjectionDisplay(X, PAIR, neuron=neuron, threshold=100.0).plot()
    assert display.line_ is None
    display.figure_.canvas.draw()
    X, y = two_clouds(1)
    pair = replace(PAIR, columns=np.array([0]))
    for neuron in (OnlinePerceptron(random_state=0), SVC()):
        for table in (X, np.ones((10, 1))):
            display = PairProjectionDisplay(table, pair, neuron=neuron.fit(X, y)).plot()
            assert np.ptp(points_of(display)[:, 1]) == 0
            display.figure_.canvas.draw()


def test_the_selected_neuron_has_its_threshold(one_factor):
    X, y = one_factor
    model = classifier(recalibrate=True).fit(X, y)
    assert model.threshold_ != 0
    pair, neuron = model.selected_pair_, model.estimator_
    display = PairProjectionDisplay.from_estimator(model, X)
    scores = model.decision_function(X[pair.block[0]]) / np.linalg.norm(neuron.coef_)
    np.testing.assert_allclose(points_of(display)[:, 0], scores, atol=1e-9)
