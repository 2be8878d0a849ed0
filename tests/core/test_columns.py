from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from oracles import splits
from oracles.search import naive_add_lines, naive_delete_many, naive_find_block
from oracles.splits import naive_best_split
from strategies import index_sets, matrices, residues, seeds

from bicneuron._core import _splits
from bicneuron._core._cheng_church import add_lines, delete_many, find_block
from bicneuron._core._column_sets import mixture_gains, pair_gains
from bicneuron._core._differences import densest_window, grow_by_windows, pair_windows
from bicneuron._core._splits import keep_largest, normal_gains


def axes_of(seed, n_axes, n_rows):
    rng = np.random.default_rng(seed)
    axes = rng.normal(size=(n_axes, n_rows))
    axes[:, : n_rows // 4] += rng.choice([0.0, 3.0], n_axes)[:, None]
    return axes, rng.random(n_rows) < 0.5


@given(seeds(), st.integers(8, 30), st.booleans(), st.integers(2, 4), st.integers(4, 40))
def test_best_splits(seed, n_rows, labelled, fewest, most):
    axes, in_class = axes_of(seed, 5, n_rows)
    groups, values = _splits.best_splits(axes, in_class, labelled, fewest, most)
    for axis, group, value in zip(axes, groups, values, strict=True):
        rows, expected = naive_best_split(axis.tolist(), in_class.tolist(), labelled, fewest, most)
        assert value == pytest.approx(expected, rel=1e-9, abs=1e-9)
        assert set(np.flatnonzero(group)) == rows


@given(seeds(), st.integers(6, 30))
def test_gains_of_given_groups(seed, n_rows):
    rng = np.random.default_rng(seed)
    axes, _ = axes_of(seed, 6, n_rows)
    groups = np.zeros((2, n_rows), dtype=bool)
    for group in groups:
        group[rng.choice(n_rows, rng.integers(2, n_rows - 2), replace=False)] = True
    gains = _splits.gains_of_groups(axes.reshape(2, 3, n_rows), groups)
    for g, group in enumerate(groups):
        for a in range(3):
            axis = axes.reshape(2, 3, n_rows)[g, a]
            expected = splits.naive_gain(axis.tolist(), group.tolist())
            if axis[group].mean() < axis.mean():
                expected = -expected
            assert gains[g, a] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_a_constant_axis_has_no_split_to_speak_of():
    groups, values = _splits.best_splits(np.ones((1, 12)), np.ones(12, bool), False, 3, 6)
    assert np.isfinite(values).all()
    assert 3 <= groups.sum() <= 6
    assert_array_equal(_splits.standardised(np.ones(4)), np.zeros(4))


@given(st.integers(1, 40), st.integers(0, 40))
def test_log_rate(trials, successes):
    successes = min(successes, trials)
    assert _splits.log_rate(successes, trials) == pytest.approx(
        splits.naive_log_rate(successes, trials), rel=1e-9, abs=1e-12
    )


def test_largest_values_are_those_of_all_blocks():
    sizes = np.abs(np.random.default_rng(5).normal(size=(6, 50)).astype(np.float32))
    left_out = np.array([3, -1, 0, 49, 7, -1])
    top, places = np.zeros((6, 4), np.float32), np.zeros((6, 4), np.intp)
    for first in range(0, 50, 20):
        keep_largest(sizes[:, first : first + 20].copy(), first, left_out, top, places)
    sizes[np.arange(6), left_out] = np.where(left_out >= 0, 0, sizes[np.arange(6), left_out])
    expected = np.argsort(-sizes, axis=1)[:, :4]
    assert_array_equal(places, expected)
    assert_array_equal(top, np.take_along_axis(sizes, expected, axis=1))


@given(seeds(), st.integers(1, 12), st.integers(1, 5))
def test_the_first_of_equal_values_come_first(seed, n_columns, count):
    rng = np.random.default_rng(seed)
    values = rng.integers(-1, 4, (5, n_columns)).astype(np.float32)
    left_out = rng.integers(-1, n_columns, 5)
    top, places = np.zeros((5, count), np.float32), np.full((5, count), -1)
    keep_largest(values, 0, left_out, top, places)
    for line, column, largest, where in zip(values, left_out, top, places, strict=True):
        kept = [j for j, value in enumerate(line) if j != column and value > 0]
        expected = sorted(kept, key=lambda j: -line[j])[:count]
        lacking = count - len(expected)
        assert_array_equal(where, [*expected, *[-1] * lacking])
        assert_array_equal(largest, [*line[expected], *[0.0] * lacking])


def sums_of(seed, n_groups, n_rows, n_columns):
    """Values, groups, and what the kernels need of them."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n_rows, n_columns)).astype(np.float32)
    # Some columns have almost one value in the first rows.
    Z[: n_rows // 2, : n_columns // 2] *= 0.05
    groups = rng.random((n_groups, n_rows)) < 0.5
    groups[:, :2] = True
    members = groups.astype(np.float32)
    sums = members @ Z, members @ np.square(Z), members.sum(axis=1)
    return Z, groups, sums, rng.random(n_columns) < 0.2


@given(seeds(), st.integers(4, 20), st.integers(1, 12))
def test_normal_gains(seed, n_rows, n_columns):
    Z, groups, sums, tied = sums_of(seed, 3, n_rows, n_columns)
    gains, linear, square = normal_gains(*sums, tied)
    for g, group in enumerate(groups):
        for j in range(n_columns):
            gain, mean, variance = splits.naive_normal_gain(Z[group, j].tolist())
            is_narrow = variance < 1 and not tied[j]
            expected = gain if is_narrow else 0.0
            assert gains[g, j] == pytest.approx(expected, rel=1e-3, abs=1e-3)
            assert linear[g, j] == pytest.approx(mean / variance, rel=1e-3, abs=1e-3)
            assert square[g, j] == pytest.approx(0.5 - 0.5 / variance, rel=1e-3, abs=1e-3)


@given(seeds(), st.integers(4, 20), st.integers(1, 12), st.integers(1, 4))
def test_largest_normal_gains(seed, n_rows, n_columns, count):
    _, groups, sums, tied = sums_of(seed, 4, n_rows, n_columns)
    left_out = np.random.default_rng(seed).integers(-1, n_columns, len(groups))
    found = _splits.largest_normal_gains(*sums, tied, left_out, count)
    for own, column, largest in zip(normal_gains(*sums, tied)[0], left_out, found, strict=True):
        kept = [gain for j, gain in enumerate(own) if j != column]
        expected = (sorted(kept, reverse=True) + [0.0] * count)[:count]
        assert_allclose(largest, expected, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("with_squares", [True, False])
@given(seeds(), st.integers(0, 4), st.integers(1, 6), st.integers(1, 7))
def test_axis_values(with_squares, seed, n_axes, n_rows, n_columns):
    rng = np.random.default_rng(seed)
    kept = rng.random((n_axes, n_columns)) < 0.4
    linear, squares = rng.normal(size=(2, n_axes, n_columns)).astype(np.float32)
    Z = rng.normal(size=(n_rows, n_columns)).astype(np.float32)
    if not with_squares:
        squares = np.zeros((0, 0), np.float32)
    expected = np.zeros((n_axes, n_rows))
    for a in range(n_axes):
        for row in range(n_rows):
            for j in np.flatnonzero(kept[a]):
                expected[a, row] += linear[a, j] * Z[row, j]
                if with_squares:
                    expected[a, row] += squares[a, j] * Z[row, j] ** 2
    assert_allclose(_splits.axis_values(kept, linear, squares, Z), expected, rtol=1e-4, atol=1e-5)


# --- column sets


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
    found = mixture_gains(values, columns, signs, (0.4, -2.0, 0.7, 1.5), 0.3)
    for chosen, sides, told in zip(columns, signs, found, strict=True):
        expected = 0.0
        for row in range(n_rows):
            cells = [float(values[j, row]) for j in chosen]
            signed = sum(s * cell for s, cell in zip(sides, cells, strict=True))
            squares = sum(cell**2 for cell in cells)
            ratio = 0.4 * signed - 2.0 * squares + 0.7 * signed**2 + 1.5
            expected += log(0.7 + 0.3 * exp(ratio))
        assert told == pytest.approx(expected, rel=1e-4, abs=1e-4)


# --- differences

widths = st.sampled_from([0.0, 0.2, 0.5, 1.0, 3.0])


@given(st.lists(st.integers(-8, 8), min_size=1, max_size=12), st.integers(0, 6))
def test_the_densest_window_is_the_best_of_all(values, width):
    values = np.sort(np.array(values, dtype=float))
    assert densest_window(values, float(width)) == splits.naive_window(values.tolist(), width)


@given(matrices(), widths)
def test_windows_of_pairs_are_those_of_their_differences(Z, width):
    columns_of = np.ascontiguousarray(Z.T)
    firsts, seconds = np.triu_indices(len(columns_of), 1)
    counts, starts = pair_windows(columns_of, firsts, seconds, width)
    pairs = list(zip(firsts.tolist(), seconds.tolist(), strict=True))
    expected = splits.naive_pair_windows(columns_of.tolist(), pairs, width)
    assert counts.tolist() == [count for count, _ in expected]
    assert_allclose(starts, [start for _, start in expected])


@given(matrices(), st.sampled_from([0.3, 1.0, 3.0]), st.integers(1, 4), st.integers(2, 5))
def test_growth_takes_the_column_that_keeps_most_rows(Z, width, min_rows, n_columns):
    columns_of = np.ascontiguousarray(Z.T)
    n_columns = min(n_columns, len(columns_of))
    # Wider than the window that was found: rows at its edges must not depend on rounding.
    start = float(np.min(columns_of[1] - columns_of[0])) - width / 2
    rows, columns = grow_by_windows(columns_of, (0, 1), start, width, (min_rows, n_columns))
    expected = splits.naive_growth(columns_of.tolist(), (0, 1), start, width, (min_rows, n_columns))
    assert len(rows) == len(expected[0])
    assert columns.tolist() == expected[1]


# --- cheng church


def told(rows, columns, is_mirrored):
    signs = np.where(is_mirrored, -1, 1)
    return dict(zip(rows.tolist(), signs.tolist(), strict=True)), columns.tolist()


@given(matrices(), residues(), st.sampled_from([1.0, 1.2, 2.0]), st.integers(2, 5))
def test_multiple_deletion_is_the_definition(Z, bound, threshold, least):
    rows, columns = delete_many(Z, bound, threshold, (least, 2), 3)
    expected = naive_delete_many(Z.tolist(), bound, threshold, (least, 2), 3)
    assert (rows.tolist(), columns.tolist()) == expected


@given(matrices(), st.data(), st.booleans())
def test_addition_is_the_definition(Z, data, mirror):
    rows, columns = (data.draw(index_sets(size, min_size=2)) for size in Z.shape)
    added = add_lines(Z, rows, columns, mirror)
    assert told(*added) == naive_add_lines(Z.tolist(), rows.tolist(), columns.tolist(), mirror)


@given(matrices(), residues(), st.booleans())
def test_all_steps_are_the_definition(Z, bound, mirror):
    found = told(*find_block(Z, bound, 1.2, (2, 2), mirror, 3))
    assert found == naive_find_block(Z.tolist(), bound, 1.2, (2, 2), mirror, 3)


def test_lines_are_not_deleted_beyond_the_minimum(rng):
    Z = rng.normal(size=(6, 5))
    rows, columns = delete_many(Z, 0.0, 1.0, Z.shape, 0)
    assert (rows.tolist(), columns.tolist()) == ([*range(6)], [*range(5)])
    assert len(delete_many(Z, 0.0, 1.0, (2, 5), 0)[0]) < 6
