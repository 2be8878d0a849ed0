import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from oracles.search import naive_grow
from strategies import residues, search_starts, seeds

from bicneuron._core._grow import COLUMNS_PER_PASS, can_grow, grow, no_larger_than
from bicneuron._core._profiles import centred_profiles, profiles_over, squared_distance


def lines_of(Z):
    return np.ascontiguousarray(Z), np.ascontiguousarray(Z.T)


def grown(Z, rows, columns, max_residue, most=1000):
    by_row, by_column = lines_of(Z)
    profiles = profiles_over(by_column, by_row, rows)
    return grow(profiles, np.array(columns), max_residue, most).tolist()


@pytest.mark.compiled_only
@pytest.mark.parametrize("bound", [0.01, 0.1, 0.5, 2.0])
@pytest.mark.parametrize("shape", [(5, 60), (8, 40)])
@pytest.mark.parametrize("coherent", [False, True])
def test_long_growth(shape, coherent, bound):
    """Many steps: the mean wanders, distances are bounded, buckets are filled anew."""
    rng = np.random.default_rng(0)
    for _ in range(3):
        Z = rng.standard_normal(shape) * rng.choice([0.1, 0.5, 1.0], shape[1])
        Z = Z + rng.standard_normal((shape[0], 1)) if coherent else Z
        rows, seed = np.arange(shape[0]), int(rng.integers(shape[1]))
        assert grown(Z, rows, [seed], bound) == naive_grow(Z.tolist(), rows, [seed], bound)


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


def test_numbers_that_are_no_larger():
    numbers = np.array([3.0, 1.0, np.nan, 2.0, np.inf, 1.5, -np.inf])
    assert no_larger_than(numbers, 2.0).tolist() == [1, 2, 3, 5, 6]
    assert no_larger_than(numbers, 1e300).tolist() == [0, 1, 2, 3, 5, 6]
    assert no_larger_than(numbers, 0.0).tolist() == [2, 6]


def test_growth_stops_exactly_at_the_bound():
    Z = np.array([[0.0, 1.0], [0.0, -1.0]])
    rows = np.arange(2)
    assert grown(Z, rows, [0], 0.25) == [0, 1]
    assert grown(Z, rows, [0], np.nextafter(0.25, 0)) == [0]


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


def test_an_offset_brings_no_column_near():
    Z = np.tile([[0.0, 1.0], [0.0, -1.0]], (8, 1))
    assert not can_grow(lines_of(Z), np.arange(16), 0, 0.1)
    assert not can_grow(lines_of(Z + np.array([0.0, 1e6])), np.arange(16), 0, 0.1)


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
