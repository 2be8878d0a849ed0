"""What pairs a network draws: nearest contrasts, sizes, samples of rows, coherent blocks."""

from functools import cache
from unittest.mock import patch

import numpy as np
import pytest
from data import make_one_factor, make_three
from oracles.network import naive_folds, naive_soft_scaling
from oracles.residue import naive_msr
from pairs import pair_of

from bicneuron import BicNeuronNetwork
from bicneuron.network._draws import Side, distinct, draw_coherent
from bicneuron.neurons import KernelNeuron
from bicneuron.patterns import Pattern


@cache
def fitted(contrast_size=2.0, max_draw_rows=40, wide=False):
    X, y = make_three()
    if wide:
        X = np.hstack([X, np.random.default_rng(0).normal(size=(len(X), 40))])
    model = BicNeuronNetwork(n_neurons=60, contrast_size=contrast_size, random_state=0)
    with patch("bicneuron.network._draws.MAX_DRAW_ROWS", max_draw_rows):
        model.fit(X, y)
    return model, naive_soft_scaling(X, X), y


def test_classes_of_the_two_sides():
    model, _, y = fitted()
    for pattern in model.patterns_:
        assert set(y[pattern.rows]) == {pattern.anchor_class}
        assert set(y[pattern.contrast_rows]) == {pattern.contrast_class}
        assert pattern.neuron.target == pattern.anchor_class
    sides = {(p.anchor_class, p.contrast_class) for p in model.patterns_}
    assert sides == {(a, b) for a in range(3) for b in range(3) if a != b}


@pytest.mark.parametrize("contrast_size", [0.5, 2.0])
def test_the_contrast_is_nearest_among_the_rows_of_other_folds(contrast_size):
    model, Z, y = fitted(contrast_size, 10**6)
    folds = naive_folds(y.tolist(), 5, np.random.default_rng(0))
    n_parts = 0
    for pattern in model.patterns_:
        pair = pair_of(pattern)
        centre = Z[np.ix_(pair.rows, pair.columns)].mean(axis=0)
        far = np.sum((Z[:, pair.columns] - centre) ** 2, axis=1)
        explained = []
        for fold in range(5):
            seen = np.flatnonzero(folds != fold)
            own = seen[y[seen] == pair.anchor_class]
            pool = seen[y[seen] == pattern.contrast_class]
            size = min(len(pool), int(contrast_size * len(pair.rows) + 0.5))
            nearest = pool[np.argsort(far[pool], kind="stable")][: max(1, size)]
            explained.append(
                set(pair.rows) <= set(own) and nearest.tolist() == pair.contrast_rows.tolist()
            )
            n_parts += explained[-1] and size < len(pool)
        assert any(explained)
    assert n_parts >= 5


def test_pairs_are_drawn_from_a_new_sample_of_each_side():
    model, _, _ = fitted(max_draw_rows=8)
    used = model.patterns_
    assert max(len(pair.rows) for pair in used) <= 8
    assert max(len(pair.contrast_rows) for pair in used) == 8
    for side in ("rows", "contrast_rows"):
        assert len(set(np.concatenate([getattr(pair, side) for pair in used]).tolist())) > 60


def test_blocks_of_an_accurate_network_are_coherent():
    """Each up to a bound of its own, so that some are tight and others are not."""
    model, Z, _ = fitted(wide=True)
    residues = []
    for pattern in model.patterns_:
        block = Z[np.ix_(pattern.rows, pattern.columns)]
        residues.append(naive_msr(block.tolist()))
        assert pattern.rows.size >= 3
        assert 2 <= pattern.columns.size <= 32
    assert min(residues) <= 0.1 < 0.3 < max(residues) <= 0.6 + 1e-9


def test_groups_are_drawn_in_proportion_to_their_sizes():
    """Three rows and six, far apart: one draw in three takes the three."""
    level = np.repeat([0.0, 50.0, 20.0], [3, 6, 4])
    Z = np.column_stack([level + 0.01 * np.arange(13)] * 2)
    side = Side("a", "b", 0, np.arange(9), np.arange(9, 13))
    rng = np.random.default_rng(0)
    drawn = [draw_coherent(Z, side, 1.0, rng).rows.tolist() for _ in range(1500)]
    assert {tuple(rows) for rows in drawn} == {(0, 1, 2), (3, 4, 5, 6, 7, 8)}
    assert sum(len(rows) == 3 for rows in drawn) / len(drawn) == pytest.approx(1 / 3, abs=0.04)


def test_of_equal_pairs_the_first_is_kept():
    rows = np.array([0, 1]), np.array([2, 3])
    one, other, again = (
        Pattern(rows[0], np.array([c]), contrast_rows=rows[1], anchor_class="a", kind="pair")
        for c in (0, 1, 0)
    )
    assert distinct([None, one, other, None, again, other]) == [1, 2]


def test_pairs_are_distinct_and_sorted():
    pairs = [pair_of(p) for p in fitted()[0].patterns_]
    assert len(set(pairs)) == len(pairs)
    for pair in pairs:
        assert np.all(np.diff(pair.rows) > 0)
        assert np.all(np.diff(pair.columns) > 0)


def test_a_larger_network_draws_what_a_smaller_one_draws():
    """What becomes of a neuron depends on the data, the seed and its number alone."""
    X, y = make_one_factor()
    sizes = 55, 110
    small, large = ({pair_of(p) for p in candidates(size, X, y).patterns_} for size in sizes)
    assert small < large
    assert len(small) == sizes[0]


def candidates(size, X, y):
    """A network that keeps all that it draws."""
    return BicNeuronNetwork(n_neurons=size, neuron_kinds=[KernelNeuron()], random_state=0).fit(X, y)
