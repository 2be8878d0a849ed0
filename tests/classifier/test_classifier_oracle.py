"""The classifier against its naive twin, with biclusters drawn at random."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from miners import FixedMiner
from numpy.testing import assert_allclose
from oracles.classifier import naive_fit
from strategies import seeds

from bicneuron import BicNeuronClassifier
from bicneuron.neurons import OnlinePerceptron


@st.composite
def problems(draw):
    """Data with many ties or with none, labels, and random blocks of the minority."""
    random = np.random.default_rng(draw(seeds()))
    n_minority, n_columns = draw(st.integers(3, 8)), draw(st.integers(2, 5))
    n_majority = draw(st.integers(n_minority + 1, 12))
    shape = n_minority + n_majority, n_columns
    tied = draw(st.booleans())
    X = random.integers(-4, 5, shape) / 4 if tied else random.standard_normal(shape)
    signs = random.permutation(np.repeat([1, -1], [n_minority, n_majority]))
    signs *= draw(st.sampled_from([1, -1]))
    blocks = [
        (
            np.sort(random.choice(n_minority, random.integers(2, n_minority + 1), replace=False)),
            np.sort(random.choice(n_columns, random.integers(2, n_columns + 1), replace=False)),
        )
        for _ in range(draw(st.integers(1, 12)))
    ]
    return X, signs, blocks


def assume_distinct(pairs, max_ratio):
    """Leave out ratios that rounding could put on either side of one another or of tau."""
    ratio_of = {(tuple(rows), tuple(columns)): ratio for ratio, rows, _, columns in pairs}
    ratios = np.sort([max_ratio, *ratio_of.values()])
    assume(np.diff(ratios[np.isfinite(ratios)]).min(initial=1.0) > 1e-9)


@given(problems(), st.sampled_from([0.3, 0.9, 1.5, np.inf]))
@settings(deadline=None, max_examples=100)
@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoContrastivePairWarning")
def test_steps_2_to_6(problem, max_ratio):
    X, signs, blocks = problem
    n_positive, n_negative = np.sum(signs == 1), np.sum(signs == -1)
    anchor = signs[0] if n_positive == n_negative else 1 if n_positive < n_negative else -1
    anchor_rows = np.flatnonzero(signs == anchor)
    in_all_rows = [(anchor_rows[r].tolist(), c.tolist()) for r, c in blocks]
    args = X.tolist(), signs.tolist(), anchor, in_all_rows
    all_pairs, *_ = naive_fit(*args, np.inf)
    kept, neurons, aucs, best = naive_fit(*args, max_ratio)
    assume_distinct(all_pairs, max_ratio)

    model = BicNeuronClassifier(
        search=None,
        miner=FixedMiner(blocks),
        neuron=OnlinePerceptron(shuffle=False),
        max_ratio=max_ratio,
    ).fit(X, signs)

    found = [(p.rows.tolist(), p.contrast_rows.tolist(), p.columns.tolist()) for p in model.pairs_]
    assert found == [pair[1:] for pair in kept]
    assert_allclose(
        [p.msr_ratio for p in model.pairs_], [p[0] for p in kept], rtol=1e-9, atol=1e-12
    )
    for fitted, (weights, bias) in zip(model.neurons_, neurons, strict=True):
        assert_allclose(fitted.coef_[0], weights, atol=1e-12)
        assert_allclose(fitted.intercept_, [bias], atol=1e-12)
    assert_allclose(model.scores_, [float(auc) for auc in aucs], atol=1e-15)
    if best is None:
        assert model.selected_pair_ is None
    else:
        assert model.selected_pair_ is model.pairs_[best]
        assert model.estimator_ is model.neurons_[best]
