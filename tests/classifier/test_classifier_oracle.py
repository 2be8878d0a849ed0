"""The classifier against its naive twin, with biclusters drawn at random."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from miners import FixedMiner
from numpy.testing import assert_allclose
from oracles.classifier import naive_fit, naive_minmax, naive_score
from strategies import seeds

from bicneuron import BicNeuronClassifier
from bicneuron.neurons import OnlinePerceptron

pytestmark = pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoContrastivePairWarning")
ratios = st.sampled_from([0.3, 0.9, 1.5, np.inf])


@st.composite
def problems(draw, n_classes):
    """Data with many ties or with none, labels, and random blocks that fit the smallest class."""
    random = np.random.default_rng(draw(seeds()))
    sizes = draw(st.lists(st.integers(3, 8), min_size=n_classes, max_size=n_classes))
    n_columns = draw(st.integers(2, 5))
    shape = sum(sizes), n_columns
    X = random.standard_normal(shape)
    if draw(st.booleans()):
        X = random.integers(-4, 5, shape) / 4
    blocks = [
        tuple(
            np.sort(random.choice(size, random.integers(2, size + 1), replace=False))
            for size in (min(sizes), n_columns)
        )
        for _ in range(draw(st.integers(1, 12)))
    ]
    return X, random.permutation(np.repeat(np.arange(n_classes), sizes)), blocks


def fitted(X, y, blocks, max_ratio):
    neuron = OnlinePerceptron(shuffle=False)
    miner = FixedMiner(blocks)
    model = BicNeuronClassifier(search=None, miner=miner, neuron=neuron, max_ratio=max_ratio)
    return model.fit(X, y)


def assume_distinct(pairs, max_ratio):
    """Leave out ratios that rounding could put on either side of one another or of tau."""
    ratio_of = {(tuple(rows), tuple(columns)): ratio for ratio, rows, _, columns in pairs}
    apart = np.sort([max_ratio, *ratio_of.values()])
    assume(np.diff(apart[np.isfinite(apart)]).min(initial=1.0) > 1e-9)


def assert_is_the_twin(model, X, signs, anchor, blocks, max_ratio):
    anchor_rows = np.flatnonzero(signs == anchor)
    in_all_rows = [(anchor_rows[rows].tolist(), columns.tolist()) for rows, columns in blocks]
    args = X.tolist(), signs.tolist(), anchor, in_all_rows
    all_pairs, *_ = naive_fit(*args, np.inf)
    kept, neurons, aucs, best = naive_fit(*args, max_ratio)
    assume_distinct(all_pairs, max_ratio)
    found = [(p.rows.tolist(), p.contrast_rows.tolist(), p.columns.tolist()) for p in model.pairs_]
    assert found == [pair[1:] for pair in kept]
    told = [pair.msr_ratio for pair in model.pairs_]
    assert_allclose(told, [pair[0] for pair in kept], rtol=1e-9, atol=1e-12)
    for one, (weights, bias) in zip(model.neurons_, neurons, strict=True):
        assert_allclose(one.coef_[0], weights, atol=1e-12)
        assert_allclose(one.intercept_, [bias], atol=1e-12)
    assert_allclose(model.scores_, [float(auc) for auc in aucs], atol=1e-15)
    if best is None:
        assert model.selected_pair_ is None
        return
    assert model.selected_pair_ is model.pairs_[best]
    assert model.estimator_ is model.neurons_[best]
    expected = [naive_score(z, kept[best][3], *neurons[best]) for z in naive_minmax(X.tolist())]
    assert_allclose(model.decision_function(X), expected, atol=1e-12)


@given(problems(2), ratios, st.sampled_from([1, -1]))
def test_steps_2_to_6(problem, max_ratio, sign):
    X, y, blocks = problem
    signs = np.where(y == 1, sign, -sign)
    n_positive, n_negative = np.sum(signs == 1), np.sum(signs == -1)
    anchor = signs[0] if n_positive == n_negative else 1 if n_positive < n_negative else -1
    model = fitted(X, signs, blocks, max_ratio)
    assert_is_the_twin(model, X, signs, anchor, blocks, max_ratio)


@given(problems(3), ratios)
def test_one_against_the_rest(problem, max_ratio):
    X, y, blocks = problem
    for label, part in enumerate(fitted(X, y, blocks, max_ratio).estimators_):
        signs = np.where(y == label, 1, -1)
        if 2 * np.sum(signs == 1) <= len(y):  # else the rest is mined
            assert part.classes_.tolist() == [False, True]
            assert_is_the_twin(part, X, signs, 1, blocks, max_ratio)
