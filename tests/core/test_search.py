import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from oracles.search import naive_grow, naive_prune, naive_search
from strategies import (
    blocks,
    index_sets,
    matrices,
    residues,
    search_starts,
    seeds,
    tie_free_matrices,
)

from bicneuron._core._blocks import pack_blocks
from bicneuron._core._grow import COLUMNS_PER_PASS, can_grow, grow
from bicneuron._core._profiles import (
    LINES_PER_PASS,
    centred_profiles,
    compute_profiles,
    profiles_over,
    squared_distance,
    squared_distance_bounds,
)
from bicneuron._core._prune import prune
from bicneuron._core._search import search_block, search_blocks, search_pruned_blocks


def of_each(blocks, n_seeds):
    """Rows and columns of each seed, empty where it led to no block."""
    of = {number: (rows.tolist(), columns.tolist()) for number, rows, columns in blocks}
    return [of.get(number, ([], [])) for number in range(n_seeds)]


def found(Z, rows, seed, max_residue, minimum, add_rows, max_columns=1000):
    lines = Z, np.ascontiguousarray(Z.T)
    if seed < 0:
        starts = pack_blocks([(rows, np.array([seed]))])
        blocks = search_pruned_blocks(lines, starts, max_residue, minimum, max_columns, add_rows)
        return of_each(blocks, 1)[0]
    profiles, columns = profiles_over(lines[1], lines[0], rows), np.array([seed])
    block = search_block(lines, profiles, columns, max_residue, minimum, max_columns, add_rows)
    return tuple(indices.tolist() for indices in block)


@given(search_starts(), st.booleans(), st.booleans(), st.integers(2, 4), st.integers(2, 9))
def test_search_from_a_seed_or_from_all_columns(start, from_all, add_rows, min_columns, most):
    Z, rows, seed, bound = start
    minimum = 2, min_columns
    column = None if from_all else seed
    expected = naive_search(Z.tolist(), rows, column, bound, minimum, add_rows, most)
    assert found(Z, rows, -1 if from_all else seed, bound, minimum, add_rows, most) == expected


def test_a_search_ends_after_twenty_sweeps():
    """A staircase: each row fits once the column before it has joined, and the other way round."""
    columns = [187, 244, 307, 361, 409, 453, 494, 532, 568, 601, 634, 665]
    columns += [694, 723, 750, 777, 803, 828, 852, 876, 899, 922, 944, 966]
    rows = [122, 182, 234, 281, 324, 363, 401, 436, 469, 501, 531, 560]
    rows += [588, 616, 642, 668, 693, 717, 740, 763, 786, 808, 830, 851]
    Z = np.zeros((26, 25))
    Z[0, 1:], Z[1, 1:] = np.array(columns) / 100, np.array(columns) / -100
    Z[2:, 0], Z[2:, 1] = np.array(rows) / 100, np.array(rows) / -100
    start = np.arange(2)
    for sweeps in (19, 20, 21):
        expected = naive_search(Z.tolist(), start, 0, 1.0, (2, 2), True, max_sweeps=sweeps)
        assert expected == (list(range(sweeps + 2)), list(range(sweeps + 1)))
        assert (found(Z, start, 0, 1.0, (2, 2), True) == expected) == (sweeps == 20)


@given(matrices(), residues(), st.booleans(), st.data())
def test_searches_from_many_seeds(Z, bound, add_rows, data):
    columns = st.lists(st.integers(0, Z.shape[1] - 1), max_size=3)
    groups = [
        (data.draw(index_sets(len(Z), min_size=2)), np.array(data.draw(columns), dtype=np.intp))
        for _ in range(data.draw(st.integers(0, 3)))
    ]
    lines = Z, np.ascontiguousarray(Z.T)
    each = [found(Z, rows, c, bound, (2, 2), add_rows) for rows, some in groups for c in some]
    together = search_blocks(lines, pack_blocks(groups), bound, (2, 2), 99, add_rows)
    assert of_each(together, len(each)) == each
    each = [found(Z, rows, -1, bound, (2, 2), add_rows) for rows, _ in groups]
    pruned = search_pruned_blocks(lines, pack_blocks(groups), bound, (2, 2), 99, add_rows)
    assert of_each(pruned, len(each)) == each


def test_a_column_is_not_alone_where_rows_may_join():
    """Over two rows its neighbours are far, over all of them they are near."""
    Z = np.zeros((20, 3))
    Z[0, 1:] = 1.0
    lines = Z, np.ascontiguousarray(Z.T)
    starts = pack_blocks([(np.arange(2), np.array([0]))])
    for add_rows in (False, True):
        expected = naive_search(Z.tolist(), np.arange(2), 0, 0.05, (2, 2), add_rows)
        (block,) = of_each(search_blocks(lines, starts, 0.05, (2, 2), 3, add_rows), 1)
        assert block == expected
        assert len(block[0]) == (20 if add_rows else 0)


def test_searches_that_find_more_than_there_is_room_for_at_first():
    Z = np.zeros((30, 30))
    starts = pack_blocks([(np.arange(30), np.arange(40) % 30)])
    result = search_blocks((Z, Z), starts, 0.0, (2, 2), 30, False)
    assert of_each(result, 40) == [([*range(30)], [*range(30)])] * 40


def test_a_pruned_search_that_leads_nowhere():
    Z = np.random.default_rng(0).normal(size=(4, 4))
    starts = pack_blocks([(np.arange(4), np.array([-1]))])
    assert search_pruned_blocks((Z, Z.T.copy()), starts, 1e-9, (3, 3), 5, False) == []


# --- grow


def lines_of(Z):
    return np.ascontiguousarray(Z), np.ascontiguousarray(Z.T)


def grown(Z, rows, columns, max_residue, most=1000):
    by_row, by_column = lines_of(Z)
    profiles = profiles_over(by_column, by_row, rows)
    return grow(profiles, np.array(columns), max_residue, most).tolist()


@given(search_starts(), seeds())
def test_of_equal_columns_the_lower_index_is_taken_first(start, seed):
    Z, rows, column, bound = start
    Z = Z[:, np.random.default_rng(seed).integers(0, Z.shape[1], 2 * Z.shape[1])]
    assert grown(Z, rows, [column], bound) == naive_grow(Z.tolist(), rows, [column], bound)


def every_distance(profiles, seed, max_residue, most):
    """Growth that looks at every profile at every step, in the arithmetic of `grow`."""
    m, n = profiles.shape
    taken, mean, residue = [seed], profiles[seed].copy(), 0.0
    while len(taken) < min(m, most):
        squares = [np.inf if j in taken else squared_distance(profiles[j], mean) for j in range(m)]
        best = int(np.argmin(squares))
        residue += squares[best] * len(taken) / (len(taken) + 1)
        if residue > max_residue * n * (len(taken) + 1):
            break
        taken.append(best)
        mean += (profiles[best] - mean) * (1.0 / len(taken))
    return taken


@given(seeds(), st.sampled_from(["copies", "integers", "one far"]), st.integers(1, 12), residues())
@example(259, "copies", 12, 0.6).via("a bound that rounding lowers")
@example(713, "one far", 12, 3.0).via("another one, in buckets of few")
def test_growth_where_distances_tie_but_for_rounding(seed, kind, most, bound):
    rng = np.random.default_rng(seed)
    Z = rng.integers(-1, 2, (int(rng.integers(2, 8)), 12)).astype(float)
    if kind != "integers":
        Z = rng.standard_normal((len(Z), 1)) * np.linspace(0.5, 3, 12) + np.arange(12)
        Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    if kind == "one far":
        Z[:, 3] *= 1e6
    rows = np.arange(len(Z))
    profiles = centred_profiles(np.ascontiguousarray(Z.T), rows)
    taken = every_distance(profiles, seed % 12, bound, most)
    assert grown(Z, rows, [seed % 12], bound, most) == taken


@given(seeds(), st.integers(2, 6), st.sampled_from([0.0, 1e-2, 0.3]), st.sampled_from([0.0, 1e6]))
def test_growth_looks_further_as_the_mean_wanders(seed, n_rows, bound, offset):
    """A chain of columns: each next one is near the last, and far from where the growth began."""
    rng = np.random.default_rng(seed)
    Z = np.cumsum(rng.standard_normal((n_rows, 40)) * rng.choice([0.0, 0.1, 0.5], 40), axis=1)
    Z = (Z + offset)[:, rng.permutation(40)]
    rows, column = np.arange(n_rows), int(rng.integers(40))
    profiles = centred_profiles(np.ascontiguousarray(Z.T), rows)
    assert grown(Z, rows, [column], bound) == every_distance(profiles, column, bound, 40)


def test_growth_takes_in_what_lies_far_once_it_may():
    """Equal columns make room in the bound for one that is ever so far."""
    Z = np.zeros((4, 100))
    Z[:, 50] = 1.0, -1.0, 1.0, -1.0
    Z[:, 51] = 100.0, -100.0, 100.0, -100.0
    rows = np.arange(4)
    profiles = centred_profiles(np.ascontiguousarray(Z.T), rows)
    for bound in (0.005, 0.5, 98.0, 101.0):
        taken = every_distance(profiles, 7, bound, 100)
        assert grown(Z, rows, [7], bound) == taken
        assert (50 in taken, 51 in taken) == (bound > 0.01, bound > 100.0)


@pytest.mark.parametrize("size", [1e100, 1e160, 1e300])
def test_growth_among_numbers_whose_squares_overflow(size):
    Z = np.array([[1.0, 2.0, 5.0, 1.0], [2.0, 3.0, 1.0, 2.0], [4.0, 5.0, 2.0, 4.0]]) * size
    with np.errstate(over="ignore", invalid="ignore"):
        assert grown(Z, np.arange(3), [0], 1.0) == [0, 3]


def test_growth_without_a_bound_takes_in_every_column():
    Z = np.random.default_rng(0).standard_normal((5, 30))
    rows = np.arange(5)
    profiles = centred_profiles(np.ascontiguousarray(Z.T), rows)
    too_far = np.where(np.arange(30) < 20, Z, 1e200 * Z)
    with np.errstate(over="ignore", invalid="ignore"):
        assert grown(Z, rows, [3], np.inf) == every_distance(profiles, 3, np.inf, 30)
        assert sorted(grown(too_far, rows, [3], np.inf)) == list(range(20))


@given(search_starts())
def test_a_column_that_stays_alone_is_known_before(start):
    Z, rows, seed, bound = start
    grows = len(naive_grow(Z.tolist(), rows, [seed], bound)) > 1
    assert can_grow(lines_of(Z), rows, seed, bound) == grows


@pytest.mark.parametrize("near", [0, COLUMNS_PER_PASS - 1, COLUMNS_PER_PASS, COLUMNS_PER_PASS + 9])
@pytest.mark.parametrize("n_rows", [5, 30])
def test_a_column_is_found_wherever_it_is_near(n_rows, near):
    Z = 10 * np.random.default_rng(near).standard_normal((n_rows, COLUMNS_PER_PASS + 10))
    seed, rows = COLUMNS_PER_PASS // 2, np.arange(n_rows)
    assert not can_grow(lines_of(Z), rows, seed, 0.01)
    assert grown(Z, rows, [seed], 0.01) == [seed]
    Z[:, near] = Z[:, seed] + 3
    assert can_grow(lines_of(Z), rows, seed, 0.01)
    assert grown(Z, rows, [seed], 0.01) == [seed, near]


@pytest.mark.parametrize("n_rows", [2, 7, 8, 9, 40])
def test_a_column_is_not_alone_exactly_at_the_bound(n_rows):
    Z = np.zeros((n_rows, 2))
    Z[-2:, 1] = 1.0, -1.0
    bound = 2 / (4 * n_rows)
    assert can_grow(lines_of(Z), np.arange(n_rows), 0, bound)
    assert not can_grow(lines_of(Z), np.arange(n_rows), 0, 0.999 * bound)


@given(
    seeds(),
    st.integers(2, 20),
    st.sampled_from([1e-3, 1.0, 1e8]),
    st.sampled_from([0.0, 1.0, 1e8]),
    st.sampled_from([0.0, 1e-9, 1e-2]),
)
def test_rounding_makes_no_column_stay_alone(seed, n_rows, size, offset, noise):
    """Bounds that a distance just keeps: whatever grows is not held back."""
    rng = np.random.default_rng(seed)
    own = size * rng.standard_normal(n_rows)
    Z = np.array([own, own + offset + noise * rng.standard_normal(n_rows)]).T
    rows = np.arange(n_rows)
    profiles = centred_profiles(Z.T, rows)
    least = squared_distance(profiles[0], profiles[1]) / (4 * n_rows)
    for bound in (least, np.nextafter(least, np.inf)):
        for column in (0, 1):
            grows = len(grown(Z, rows, [column], bound)) == 2
            assert not grows or can_grow(lines_of(Z), rows, column, bound)
    assert grows


@given(search_starts(), st.data())
def test_growth_takes_the_column_of_least_residue(start, data):
    Z, rows, _, bound = start
    columns = data.draw(st.permutations(range(Z.shape[1])))[: data.draw(st.integers(1, 4))]
    most = data.draw(st.sampled_from([len(columns), len(columns) + 2, 1000]))
    expected = naive_grow(Z.tolist(), rows, columns, bound)[:most]
    assert grown(Z, rows, columns, bound, most) == expected


# --- prune


def pruned(Z, rows, max_residue, *minimum):
    kept, columns = prune(centred_profiles(np.ascontiguousarray(Z.T), rows), max_residue, *minimum)
    return rows[kept].tolist(), columns.tolist()


@given(search_starts(), st.integers(2, 4), st.integers(2, 4))
def test_pruning_is_single_node_deletion(start, min_rows, min_columns):
    """With minima of two: the two residues of two lines are equal but for rounding."""
    Z, rows, _, bound = start
    limits = min(min_rows, len(rows)), min_columns
    expected = naive_prune(Z.tolist(), rows, range(Z.shape[1]), bound, *limits)
    assert pruned(Z, rows, bound, *limits) == expected


@pytest.mark.parametrize("shape", [(4, 50), (40, 5), (16, 24)])
def test_long_pruning(shape):
    rng = np.random.default_rng(1)
    rows = np.arange(shape[0])
    for bound in (0.1, 0.4, 0.7):
        Z = rng.standard_normal(shape) * rng.choice([0.2, 1.0, 2.0], shape[1])
        expected = naive_prune(Z.tolist(), rows, range(shape[1]), bound, 2, 2)
        assert pruned(Z, rows, bound, 2, 2) == expected


@given(tie_free_matrices(max_rows=8, max_columns=8), residues(), st.sampled_from([0, 1]), st.data())
def test_of_equal_lines_the_lower_index_is_pruned_first(Z, bound, axis, data):
    """Only two lines are equal: more would make unequal ones tie, but for rounding."""
    twin = data.draw(st.integers(0, Z.shape[axis] - 1))
    Z = np.take(Z, data.draw(st.permutations([*range(Z.shape[axis]), twin])), axis)
    rows = np.arange(len(Z))
    expected = naive_prune(Z.tolist(), rows, range(Z.shape[1]), bound, 2, 2)
    assert pruned(Z, rows, bound, 2, 2) == expected


def test_the_lower_of_two_equal_lines_goes_also_after_another_line():
    """The line pruned first stands before both twins, and the later twin is the last line."""
    Z = np.zeros((6, 4))
    Z[0] = [0, 0, 40, -40]
    Z[[1, 5]] = [4, -4, 0, 0]
    lines = np.arange(6), np.arange(4)
    assert pruned(Z, lines[0], 1.6, 2, 4) == ([2, 3, 4, 5], [0, 1, 2, 3])
    assert pruned(Z.T, lines[1], 1.6, 4, 2) == ([0, 1, 2, 3], [2, 3, 4, 5])


def test_a_row_is_pruned_before_a_column_of_equal_residue_in_tall_and_wide_blocks():
    """Products of effects in counts of powers of two, so that the tie is exact."""
    Z = np.outer([1.0, -1.0, 1.0, -1.0, 0.0, 0.0, 0.0, 0.0], [1.0, -1.0, 0.0, 0.0])
    eight, four = list(range(8)), list(range(4))
    assert pruned(Z, np.arange(8), 0.21, 2, 2) == (eight[1:], four)
    assert pruned(Z, np.arange(8), 0.21, 8, 2) == (eight, four[1:])
    assert pruned(Z.T, np.arange(4), 0.21, 2, 2) == (four[1:], eight)


def test_pruning_and_growth_stop_exactly_at_the_bound():
    Z, rows = np.array([[0.0, 1.0], [0.0, -1.0]]), np.arange(2)
    below = np.nextafter(0.25, 0)
    assert pruned(Z, rows, 0.25, 2, 2) == ([0, 1], [0, 1])
    assert pruned(Z, rows, below, 2, 2) == ([], [])
    assert [grown(Z, rows, [0], bound) for bound in (0.25, below)] == [[0, 1], [0]]


# --- profiles


@given(blocks(), st.data())
def test_centred_profiles(matrix, data):
    positions = data.draw(index_sets(matrix.shape[1]))
    part = matrix[:, positions]
    expected = part - part.mean(axis=1, keepdims=True)
    assert_allclose(centred_profiles(matrix, positions), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "n_lines", [1, 7, LINES_PER_PASS, LINES_PER_PASS + 1, 2 * LINES_PER_PASS + 3]
)
@pytest.mark.parametrize("n_positions", [1, 3, 4, 5, 8, 11])
def test_profiles_over_positions(n_positions, n_lines):
    rng = np.random.default_rng(n_lines)
    lines = rng.standard_normal((n_lines, 14))
    positions = np.sort(rng.permutation(14)[:n_positions])
    every = centred_profiles(lines, positions)
    profiles = profiles_over(lines, np.ascontiguousarray(lines.T), positions)
    items = rng.integers(0, n_lines, 3)
    assert_array_equal(compute_profiles(profiles, items), every[items])
    assert_array_equal(compute_profiles(profiles, items[:0]), every[:0])
    assert_array_equal(profiles.totals, np.cumsum(lines[:, positions], axis=1)[:, -1])
    assert_allclose(profiles.squares, (lines[:, positions] ** 2).sum(axis=1), rtol=1e-12)
    exact = ((every - every[0]) ** 2).sum(axis=1)
    bounds = squared_distance_bounds(profiles, every[0], profiles.squares[0])
    assert (bounds <= exact).all()
    assert_allclose(bounds, exact, rtol=0, atol=1e-11)


@given(seeds(), st.integers(2, 30), *[st.sampled_from([1e-3, 1.0, 1e4, 1e8])] * 3)
def test_no_bound_exceeds_the_distance(seed, n, own_offset, offset, noise):
    """Lines with large means: what rounding takes from distances is never more than allowed."""
    rng = np.random.default_rng(seed)
    lines = rng.standard_normal((20, n)) * noise + offset * rng.standard_normal((20, 1))
    lines[:3] = rng.standard_normal((3, n)) + own_offset
    lines[3] = lines[0] + offset
    every = np.arange(n)
    profiles = profiles_over(lines, np.ascontiguousarray(lines.T), every)
    made = compute_profiles(profiles, np.arange(20))
    point = made[:3].mean(axis=0)
    bounds = squared_distance_bounds(profiles, point, profiles.squares[:3].max())
    assert (bounds <= [squared_distance(one, point) for one in made]).all()
