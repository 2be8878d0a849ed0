import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

from bicneuron.neurons import KernelPerceptron, OnlinePerceptron


def columns_of(blocks):
    return [columns for _, columns in blocks]


NEURONS = [
    OnlinePerceptron(),
    OnlinePerceptron(average=True, fit_intercept=False, learning_rate=0.3),
    OnlinePerceptron(shuffle=False, tie="negative", max_iter=3),
    OnlinePerceptron(class_weight="balanced"),
    OnlinePerceptron(class_weight={"anchor": 0.3, "other": 7.0}),
    KernelPerceptron(),
    KernelPerceptron(average=True, bandwidth=2.0),
    KernelPerceptron(kernel="linear"),
    KernelPerceptron(kernel="linear", shuffle=False, tie="negative"),
]


def labelled_blocks(n_blocks, n_rows, n_columns, max_rows, seed=0):
    """A matrix, labels of two classes, and blocks that begin with a row of each."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    y = np.array(["other", "anchor"])[np.arange(n_rows) % 2]
    blocks = []
    for _ in range(n_blocks):
        others = 2 + rng.permutation(n_rows - 2)[: rng.integers(max_rows - 1)]
        columns = rng.permutation(n_columns)[: rng.integers(1, n_columns + 1)]
        blocks.append((np.concatenate([[0, 1], others]), columns))
    return X, y, blocks, rng.integers(2**31, size=n_blocks)


def fit_one(neuron, X, y, block, seed):
    rows, columns = block
    return clone(neuron).set_params(random_state=seed).fit(X[np.ix_(rows, columns)], y[rows])


def assert_same_fit(left, right):
    left, right = vars(left), vars(right)
    assert left.keys() == right.keys()
    for name, value in left.items():
        assert_array_equal(value, right[name], err_msg=name, strict=isinstance(value, np.ndarray))


@pytest.mark.parametrize("neuron", NEURONS)
def test_blocks_fitted_together_are_bit_for_bit_those_fitted_alone(neuron):
    X, y, blocks, seeds = labelled_blocks(n_blocks=12, n_rows=30, n_columns=6, max_rows=20)
    together = neuron.fit_blocks(X, y, blocks, seeds)
    scores = neuron.decide_blocks(X, together, columns_of(blocks))
    assert scores.shape == (12, 30)
    for b, (block, seed) in enumerate(zip(blocks, seeds, strict=True)):
        alone = fit_one(neuron, X, y, block, seed)
        assert_same_fit(together[b], alone)
        columns = X[:, block[1]]
        assert_array_equal(scores[b], alone.decision_function(columns))
        assert_array_equal(together[b].predict(columns), alone.predict(columns))


@pytest.mark.parametrize("neuron", [OnlinePerceptron(), KernelPerceptron()], ids=str)
def test_blocks_too_large_for_one_chunk(neuron):
    X, y, _, seeds = labelled_blocks(n_blocks=3, n_rows=1600, n_columns=3, max_rows=3)
    blocks = [(np.arange(b, 1500 + b), np.array([b, 0][: 1 + (b > 0)])) for b in range(3)]
    for block, seed, fitted in zip(
        blocks, seeds, neuron.fit_blocks(X, y, blocks, seeds), strict=True
    ):
        assert_same_fit(fitted, fit_one(neuron, X, y, block, seed))


@pytest.mark.parametrize("neuron", [OnlinePerceptron(), KernelPerceptron()], ids=str)
def test_no_block_is_no_neuron(neuron):
    X, y, *_ = labelled_blocks(n_blocks=0, n_rows=10, n_columns=4, max_rows=6)
    assert neuron.fit_blocks(X, y, [], []) == []
    assert neuron.decide_blocks(X, [], []).shape == (0, 10)


@pytest.mark.parametrize("rows", [[0, 2, 4], []])
def test_a_block_without_both_classes_is_named(rows):
    X, y, blocks, seeds = labelled_blocks(n_blocks=3, n_rows=10, n_columns=4, max_rows=6)
    blocks[2] = np.array(rows, dtype=np.intp), np.array([0])
    with pytest.raises(ValueError, match="rows of block 2 do not hold both classes"):
        OnlinePerceptron().fit_blocks(X, y, blocks, seeds)


@pytest.mark.parametrize("column", [-1, 4])
def test_a_column_that_does_not_exist_is_refused(column):
    X, y, blocks, seeds = labelled_blocks(n_blocks=2, n_rows=10, n_columns=4, max_rows=6)
    neurons = OnlinePerceptron().fit_blocks(X, y, blocks, seeds)
    blocks[1] = blocks[1][0], np.full_like(blocks[1][1], column)
    with pytest.raises(ValueError, match=r"columns outside 0\.\.3"):
        OnlinePerceptron().fit_blocks(X, y, blocks, seeds)
    with pytest.raises(ValueError, match=r"columns outside 0\.\.3"):
        OnlinePerceptron().decide_blocks(X, neurons, columns_of(blocks))


@pytest.mark.parametrize("neuron", [OnlinePerceptron(), KernelPerceptron()], ids=str)
def test_neurons_and_blocks_must_match(neuron):
    X, y, blocks, seeds = labelled_blocks(n_blocks=2, n_rows=10, n_columns=4, max_rows=6)
    neurons = neuron.fit_blocks(X, y, blocks, seeds)
    with pytest.raises(ValueError, match="neurons and columns differ"):
        neuron.decide_blocks(X, neurons, columns_of(blocks[:1]))
    with pytest.raises(ValueError, match="seeds has 1 entries"):
        neuron.fit_blocks(X, y, blocks, seeds[:1])


def test_overflow_is_refused_in_words():
    X, y, blocks, seeds = labelled_blocks(n_blocks=2, n_rows=9, n_columns=4, max_rows=6)
    big_neurons = OnlinePerceptron(learning_rate=100.0).fit_blocks(X, y, blocks, seeds)
    with pytest.raises(ValueError, match="overflow"):
        OnlinePerceptron().fit_blocks(X * 1e300, y, blocks, seeds)
    with pytest.raises(ValueError, match="overflow"):
        OnlinePerceptron().decide_blocks(np.full_like(X, 1e308), big_neurons, columns_of(blocks))
