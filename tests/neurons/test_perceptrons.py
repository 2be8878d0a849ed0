import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.linear_model import Perceptron
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import minmax_scale, scale

from bicneuron.neurons import KernelPerceptron, OnlinePerceptron


def scikit_learn_twin(neuron):
    return Perceptron(
        max_iter=neuron.max_iter,
        tol=None,
        shuffle=False,
        eta0=neuron.learning_rate,
        fit_intercept=neuron.fit_intercept,
        class_weight=neuron.class_weight,
    )


def assert_same_model(neuron, X, y):
    twin = scikit_learn_twin(neuron).fit(X, y)
    neuron.fit(X, y)
    assert neuron.coef_.shape == twin.coef_.shape
    assert_allclose(neuron.coef_, twin.coef_, atol=1e-10)
    assert_allclose(neuron.intercept_, np.broadcast_to(twin.intercept_, len(neuron.coef_)))
    assert_allclose(neuron.decision_function(X), twin.decision_function(X), atol=1e-8)
    assert_array_equal(neuron.predict(X), twin.predict(X))


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("rescale", [scale, minmax_scale])
@pytest.mark.parametrize("load", [load_breast_cancer, load_iris, load_wine])
def test_equals_scikit_learn_on_real_data(load, rescale, fit_intercept):
    X, y = load(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    neuron = OnlinePerceptron(shuffle=False, fit_intercept=fit_intercept)
    assert_same_model(neuron, rescale(X)[order], y[order])


@pytest.mark.parametrize("class_weight", ["balanced", {0: 0.5, 1: 4.0, 2: 1.0}], ids=str)
@pytest.mark.parametrize("load", [load_breast_cancer, load_iris, load_wine])
def test_class_weights_equal_those_of_scikit_learn(load, class_weight):
    X, y = load(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y) - 20)
    neuron = OnlinePerceptron(shuffle=False, class_weight=class_weight)
    assert_same_model(neuron, scale(X)[order], y[order])
    plain = OnlinePerceptron(shuffle=False).fit(scale(X)[order], y[order])
    assert not np.allclose(neuron.coef_, plain.coef_)


@pytest.mark.parametrize("weight", [0.0, -1.0, np.nan, np.inf])
def test_weights_that_are_not_positive_are_refused(weight):
    neuron = OnlinePerceptron(class_weight={"a": 1.0, "b": weight})
    with pytest.raises(ValueError, match=r"class_weight=.*not positive"):
        neuron.fit([[0.0], [1.0]], ["a", "b"])


@pytest.mark.parametrize("neuron", [OnlinePerceptron(), KernelPerceptron(kernel="linear")], ids=str)
def test_a_random_state_fixes_the_result_and_another_one_changes_it(neuron):
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    first, same, other = (
        clone(neuron).set_params(random_state=seed).fit(X, y).decision_function(X)
        for seed in (0, 0, 1)
    )
    assert_array_equal(first, same)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("average", [False, True])
def test_huge_values_are_refused_in_words(average):
    X, y = [[1e300], [2e300]], [0, 1]
    with pytest.raises(ValueError, match=r"overflow.*2e\+300.*Scale X"):
        OnlinePerceptron(average=average).fit(X, y)


# --- kernel perceptron

BINARY = load_breast_cancer(return_X_y=True)
MULTICLASS = load_iris(return_X_y=True)


@pytest.mark.parametrize("rescale", [scale, minmax_scale])
@pytest.mark.parametrize(("X", "y"), [BINARY, MULTICLASS])
def test_linear_dual_equals_scikit_learn_on_real_data(X, y, rescale):
    order = np.random.default_rng(0).permutation(len(y))
    X, y = rescale(X)[order], y[order]
    twin = Perceptron(fit_intercept=False, shuffle=False, tol=None, max_iter=20).fit(X, y)
    neuron = KernelPerceptron(kernel="linear", shuffle=False).fit(X, y)
    assert_allclose(neuron.dual_coef_ @ neuron.support_vectors_, twin.coef_, atol=1e-10)
    assert_array_equal(neuron.predict(X), twin.predict(X))


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize(("X", "y"), [BINARY, MULTICLASS])
def test_the_score_is_the_sum_over_the_support(X, y, average):
    X = minmax_scale(X)
    neuron = KernelPerceptron(average=average, random_state=0).fit(X, y)
    assert_array_equal(neuron.support_vectors_, X[neuron.support_])
    assert neuron.dual_coef_.any(axis=0).all()
    gram = rbf_kernel(X, neuron.support_vectors_, gamma=1 / (2 * 0.1**2))
    scores = neuron.decision_function(X)
    assert_allclose(scores, np.squeeze(gram @ neuron.dual_coef_.T), atol=1e-9)


def test_the_rbf_kernel_takes_any_finite_value():
    X, y = np.array([[1.7e308], [-1.7e308], [1e-300], [5.0]]), [0, 1, 0, 1]
    neuron = KernelPerceptron(random_state=0).fit(X, y)
    assert_array_equal(neuron.predict(X), y)
    assert_array_equal(neuron.decision_function([[1e100]]), 0.0)


def test_for_a_kernel_huge_values_are_refused_in_words():
    with pytest.raises(ValueError, match=r"overflow.*2e\+300.*Scale X"):
        KernelPerceptron(kernel="linear").fit([[1e300], [2e300]], [0, 1])
    neuron = KernelPerceptron(kernel="linear").fit([[0.0, 0.0], [1.0, 100.0]], [0, 1])
    with pytest.raises(ValueError, match=r"overflow.*1e\+308.*Scale X"):
        neuron.predict([[1e308, 1e308]])


# --- perceptron blocks


def columns_of(blocks):
    return [columns for _, columns in blocks]


def fit_one(neuron, X, y, block, seed):
    rows, columns = block
    return clone(neuron).set_params(random_state=seed).fit(X[np.ix_(rows, columns)], y[rows])


both = pytest.mark.parametrize("neuron", [OnlinePerceptron(), KernelPerceptron()], ids=str)
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


@both
def test_blocks_too_large_for_one_chunk(neuron):
    X, y, _, seeds = labelled_blocks(n_blocks=3, n_rows=1600, n_columns=3, max_rows=3)
    blocks = [(np.arange(b, 1500 + b), np.array([b, 0][: 1 + (b > 0)])) for b in range(3)]
    for block, seed, fitted in zip(
        blocks, seeds, neuron.fit_blocks(X, y, blocks, seeds), strict=True
    ):
        assert_same_fit(fitted, fit_one(neuron, X, y, block, seed))


@both
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
    neuron = OnlinePerceptron()
    neurons = neuron.fit_blocks(X, y, blocks, seeds)
    blocks[1] = blocks[1][0], np.full_like(blocks[1][1], column)
    for use in (
        lambda: neuron.fit_blocks(X, y, blocks, seeds),
        lambda: neuron.decide_blocks(X, neurons, columns_of(blocks)),
    ):
        with pytest.raises(ValueError, match=r"columns outside 0\.\.3"):
            use()


@both
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
