from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from strategies import seeds

from bicneuron._core._column_sets import largest_places, mixture_gains, pair_gains


@given(seeds(), st.integers(2, 6), st.integers(1, 12), st.integers(2, 5))
def test_pair_gains(seed, n_columns, n_rows, n_bins):
    rng = np.random.default_rng(seed)
    bins = rng.integers(0, n_bins, (n_columns, n_rows)).astype(np.uint8)
    table = rng.normal(size=(n_bins, n_bins)).astype(np.float32)
    first = int(rng.integers(n_columns))
    last = int(rng.integers(first, n_columns)) + 1
    found = pair_gains(bins, first, last, table)
    assert found.shape == (last - first, n_columns)
    for a in range(first, last):
        for b in range(n_columns):
            same, mirrored = (
                sum(
                    table[i, j] - np.mean([table[k, j] for k in bins[a]])
                    for i, j in zip(bins[a], other, strict=True)
                )
                for other in (bins[b], n_bins - 1 - bins[b])
            )
            best = max(same, mirrored)
            if b <= a or best <= -1e-4:
                assert found[a - first, b] == 0
            elif best >= 1e-4:
                assert abs(found[a - first, b]) == pytest.approx(best, rel=1e-4, abs=1e-4)
                if abs(same - mirrored) > 1e-4:
                    assert (found[a - first, b] > 0) == (same > mirrored)


@given(seeds(), st.integers(1, 6), st.integers(2, 5), st.integers(1, 12))
def test_mixture_gains(seed, n_sets, size, n_rows):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(8, n_rows)).astype(np.float32)
    columns = np.array([rng.choice(8, size, replace=False) for _ in range(n_sets)])
    signs = rng.choice([-1, 1], (n_sets, size)).astype(np.float32)
    found = mixture_gains(values, columns, signs, 0.4, -2.0, 0.7, 1.5, 0.3)
    for chosen, sides, told in zip(columns, signs, found, strict=True):
        expected = 0.0
        for row in range(n_rows):
            cells = [float(values[j, row]) for j in chosen]
            signed = sum(s * cell for s, cell in zip(sides, cells, strict=True))
            squares = sum(cell**2 for cell in cells)
            ratio = 0.4 * signed - 2.0 * squares + 0.7 * signed**2 + 1.5
            expected += log(0.7 + 0.3 * exp(ratio))
        assert told == pytest.approx(expected, rel=1e-4, abs=1e-4)


@given(seeds(), st.integers(4, 12), st.integers(1, 3), st.integers(1, 4))
def test_largest_places(seed, n_columns, size, count):
    rng = np.random.default_rng(seed)
    count = min(count, n_columns - size)
    values = rng.integers(0, 5, (5, n_columns)).astype(np.float32)
    left_out = np.array([rng.choice(n_columns, size, replace=False) for _ in range(5)])
    for line, own, places in zip(
        values, left_out, largest_places(values, left_out, count), strict=True
    ):
        others = sorted(set(range(n_columns)) - set(own), key=lambda j: -line[j])
        assert_array_equal(line[places], line[others[:count]])
        assert len(set(places)) == count
        assert not set(places) & set(own)
