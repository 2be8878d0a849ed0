"""The contract of miners, on the two miners of the tests and the one of the package."""

import numpy as np
import pytest
import scipy.sparse as sp
from data import make_one_factor
from miners import QUICK_MINERS, FixedMiner, LabelMiner, TopRowsMiner
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.cluster import SpectralCoclustering
from sklearn.utils import get_tags

from bicneuron import BicNeuronClassifier, CoherentBiclustering, SubgroupBiclustering
from bicneuron._core._residue import observed_residue
from bicneuron._shared._scaling import zscore_scaling
from bicneuron.biclustering import (
    AdaptedBiclustering,
    BiclusterMiner,
    ChengChurchBiclustering,
    ContrastBiclustering,
    DifferenceBiclustering,
    DiRAPOCCBiclustering,
    InformationCoclustering,
    SDCBiclustering,
)
from bicneuron.exceptions import NoBiclusterWarning

X = np.arange(12.0).reshape(4, 3)
BLOCKS = [([0, 1], [0, 2]), ([1, 2, 3], [1, 2])]


@pytest.mark.parametrize("miner", QUICK_MINERS, ids=lambda miner: type(miner).__name__)
def test_the_classifier_can_use_every_miner(one_factor, miner):
    X, y = one_factor
    model = BicNeuronClassifier(search=None, miner=miner, max_ratio=np.inf, random_state=0)
    pairs = model.fit(X, y).pairs_
    assert {pair.anchor_class for pair in pairs} == {1}
    assert all((y[pair.rows] == 1).all() for pair in pairs)
    assert model.fit(X, y).pairs_ == pairs


def test_without_mine_there_is_no_miner():
    with pytest.raises(TypeError, match="_mine"):
        type("Lazy", (BiclusterMiner,), {})()


def test_views_that_scikit_learn_knows():
    miner = FixedMiner(BLOCKS).fit(X)
    assert miner.rows_.tolist() == [[True, True, False, False], [False, True, True, True]]
    assert miner.columns_.tolist() == [[True, False, True], [False, True, True]]
    for given, expected in zip(miner.biclusters_, (miner.rows_, miner.columns_), strict=True):
        assert np.array_equal(given, expected)
    assert [part.tolist() for part in miner.get_indices(1)] == [*BLOCKS[1]]
    assert miner.get_shape(1) == (3, 2)
    assert miner.get_submatrix(1, X).tolist() == [[4, 5], [7, 8], [10, 11]]
    with pytest.warns(NoBiclusterWarning):
        nothing = FixedMiner().fit(X)
    assert (nothing.rows_.shape, nothing.columns_.shape) == ((0, 4), (0, 3))


def test_standardize_is_the_population_z_score():
    values = np.random.RandomState(0).normal(3, 2, (9, 4))
    values[:, 2] = 7.0
    seen = TopRowsMiner().fit(values).patterns_[0]
    with np.errstate(invalid="ignore"):
        Z = np.nan_to_num((values - values.mean(axis=0)) / values.std(axis=0))
    assert set(seen.rows) == set(np.argsort(Z.sum(axis=1))[-4:])
    assert seen.msr == pytest.approx(Z.sum(), abs=1e-12)
    as_given = TopRowsMiner(standardize=False).fit(values).patterns_[0]
    assert as_given.msr == pytest.approx(values.sum())


def test_labels_reach_only_the_miner_that_asks_for_them():
    y = np.array([0, 1, 0, 1])
    found = LabelMiner().fit(X, y).patterns_
    assert [b.rows.tolist() for b in found] == [[0, 2], [1, 3]]
    with pytest.raises(ValueError, match="requires y"):
        LabelMiner().fit(X)
    free = np.random.RandomState(0).normal(size=(30, 5)) * 0.1 + np.arange(30)[:, None]
    labelled = CoherentBiclustering().fit(free, np.repeat([0, 1], 15))
    assert labelled.patterns_ == CoherentBiclustering().fit(free).patterns_


def test_the_warning_names_the_way_out_and_the_caller():
    with pytest.warns(NoBiclusterWarning, match="0 seeds.*raise max_residue.*min_rows") as caught:
        CoherentBiclustering().fit(np.eye(2))
    assert caught[0].filename == __file__


def test_what_is_too_large_to_square_needs_scaling():
    huge = X.copy()
    huge[2, 1] = -1e200
    with pytest.raises(ValueError, match=r"X\[2, 1\] is -1e\+200.*standardize=True"):
        CoherentBiclustering(standardize=False).fit(huge)


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        ([], [0, 1]),
        ([0, 1], []),
        ([0, 4], [0, 1]),
        ([0, 1], [0, 3]),
        ([-1, 1], [0, 1]),
        ([0, 9, 1], [0, 1]),
        ([0, 1], [1, 1]),
    ],
    ids=["no row", "no column", "far row", "far column", "negative", "unsorted", "repeated"],
)
def test_a_miner_that_breaks_the_contract_is_told_so(rows, columns):
    """Kernels trust these indices: beyond the matrix they would read foreign memory."""
    with pytest.raises(ValueError, match="FixedMiner"):
        FixedMiner([(np.array(rows, dtype=int), np.array(columns, dtype=int))]).fit(X)


# --- Every miner on tables that tell little, and with bounds that admit everything or nothing

MINERS = [
    CoherentBiclustering(),
    ContrastBiclustering(),
    SubgroupBiclustering(),
    ChengChurchBiclustering(random_state=0),
    DifferenceBiclustering(),
    SDCBiclustering(),
    DiRAPOCCBiclustering(),
    InformationCoclustering(random_state=0),
    AdaptedBiclustering(estimator=SpectralCoclustering(random_state=0)),
]
every_miner = pytest.mark.parametrize("miner", MINERS, ids=lambda miner: type(miner).__name__)
empty_lists_are_fine = pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoBiclusterWarning")


def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 12))
    X[:20, :5] = rng.normal(size=(20, 1)) + 0.1 * rng.normal(size=5)
    return X, np.repeat([0, 1], 20)


def poor_tables():
    X, _ = table()
    constant, twice, gaps, empty = X.copy(), X.copy(), X.copy(), X.copy()
    constant[:, [3, 7]] = 2.0
    twice[:, 6:] = twice[:, :6]
    gaps[np.random.default_rng(1).random(X.shape) < 0.2] = np.nan
    empty[2], empty[:, 2] = np.nan, np.nan
    return {
        "constant columns": constant,
        "duplicate columns": twice,
        "one column many times": np.repeat(X[:, :1], 12, axis=1),
        "one value": np.ones_like(X),
        "gaps": gaps,
        "an empty row and an empty column": empty,
        "negative": -np.abs(X),
    }


@empty_lists_are_fine
@pytest.mark.parametrize("name", poor_tables())
@every_miner
def test_poor_tables_are_searched(miner, name):
    found = clone(miner).fit(poor_tables()[name], table()[1]).patterns_
    for one in found:
        assert 0 < len(one.rows) <= 40
        assert 0 < len(one.columns) <= 12
        assert one.msr >= 0
    assert len({(one.rows.tobytes(), one.columns.tobytes()) for one in found}) == len(found)


@empty_lists_are_fine
@every_miner
def test_one_class_is_refused_by_those_that_use_labels(miner):
    X, _ = table()
    y = np.zeros(40, dtype=int)
    if miner.uses_labels:
        with pytest.raises(ValueError, match="y has one class, 0; two are needed"):
            clone(miner).fit(X, y)
    else:
        assert clone(miner).fit(X, y).patterns_ == clone(miner).fit(X).patterns_
        assert not get_tags(miner).target_tags.required


@pytest.mark.parametrize(
    "miner",
    [
        ChengChurchBiclustering(max_residue=0.0),
        DifferenceBiclustering(max_residue=1e9),
        SDCBiclustering(min_difference=1),
        SDCBiclustering(min_columns=100, max_columns=2),
        DiRAPOCCBiclustering(max_residue=0.0),
        InformationCoclustering(min_rows=10**6, random_state=0),
    ],
    ids=str,
)
def test_bounds_that_admit_nothing_are_told(miner):
    with pytest.warns(NoBiclusterWarning, match="no bicluster in 40 rows x 12 columns"):
        assert miner.fit(*table()).patterns_ == []


@pytest.mark.parametrize(
    ("miner", "most"),
    [
        (ChengChurchBiclustering(n_biclusters=10**6, random_state=0), 20),
        (ChengChurchBiclustering(max_residue=1e9, n_biclusters=10**6, random_state=0), 1),
        (DifferenceBiclustering(max_seeds=10**9), 66),
        (SDCBiclustering(n_biclusters=10**9, min_difference=1e-9, max_range=1e9), 800),
        (DiRAPOCCBiclustering(n_biclusters=10**9, n_column_clusters=10**6), 24),
    ],
    ids=str,
)
def test_more_than_there_is_ends(miner, most):
    assert 0 < len(miner.fit(*table()).patterns_) <= most


# --- Miners on tables with missing values


def with_holes(X, share, seed=0):
    return np.where(np.random.default_rng(seed).random(X.shape) < share, np.nan, X)


def planted_group(seed=0):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(80, 100)), np.repeat(["case", "control"], 40)
    X[:12, :10] += 3.0
    return X, y


def test_a_hidden_group_is_found_through_gaps():
    X, y = planted_group()
    holes = with_holes(X, 0.2)
    miner = SubgroupBiclustering(anchor="case").fit(holes, y)
    found = miner.patterns_[0]
    assert set(found.rows) >= set(range(11))
    assert len(set(range(10)) & set(found.columns)) >= 9
    Z = zscore_scaling(holes).apply(holes)
    assert found.msr == observed_residue(Z[np.ix_(found.rows, found.columns)])
    # New rows with gaps are judged by what they have; a row without values is no member.
    new = with_holes(planted_group(seed=1)[0], 0.3, seed=1)
    new[11] = np.nan
    scores, is_member = miner.pattern_scores(new), miner.carriers(new)
    assert is_member[:11, 0].all()
    assert not is_member[11, 0]
    assert_array_equal(miner.pattern_scores(new[3:4])[0], scores[3])


@pytest.mark.parametrize(
    "miner",
    [
        CoherentBiclustering(cut_distance=0.5),
        ContrastBiclustering(),
        ChengChurchBiclustering(max_residue=0.3, n_biclusters=3, random_state=0),
        DifferenceBiclustering(max_residue=0.3),
        SDCBiclustering(min_columns=2),
        DiRAPOCCBiclustering(min_columns=2, min_difference=0),
    ],
    ids=lambda miner: type(miner).__name__,
)
def test_residues_are_those_of_the_observed_cells(miner):
    X, y = planted_group()
    holes = with_holes(X[:, :12], 0.1)
    holes[:, 11], holes[5] = np.nan, np.nan
    found = miner.fit(holes, y).patterns_
    assert found
    Z = zscore_scaling(holes).apply(holes)
    for one in found[:20]:
        assert one.msr == observed_residue(Z[np.ix_(one.rows, one.columns)])
    sparse = clone(miner).fit(sp.csr_array(holes), y).patterns_
    for one, other in zip(sparse, found, strict=True):
        assert_array_equal(one.rows, other.rows)
        assert_array_equal(one.columns, other.columns)


# --- Searches that draw nothing at random find the same biclusters whatever the order of the table

UNORDERED = [
    CoherentBiclustering(cut_distance=0.5, max_residue=0.05),
    ContrastBiclustering(max_seeds=None),
    DifferenceBiclustering(standardize=False, max_seeds=10**6),
    DiRAPOCCBiclustering(min_columns=2),
    SDCBiclustering(min_difference=0.3),
    SubgroupBiclustering(n_patterns=2),
]


@pytest.fixture(scope="module")
def without_ties():
    """Values without ties: shifted rows in one class, columns that go together in the other."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 9)), np.repeat([0, 1], 50)
    X[:20, :4] += 3.0
    X[50:, 4:8] = rng.normal(size=(50, 1)) + 0.2 * rng.normal(size=(50, 4))
    return X, y


def contents(miner, X, y, rows, columns):
    found = miner.fit(np.ascontiguousarray(X[np.ix_(rows, columns)]), y[rows]).patterns_
    return {
        (frozenset(rows[f.rows].tolist()), frozenset(columns[f.columns].tolist())) for f in found
    }


# Of equally full windows of differences the lowest is grown, and the sign of a difference depends
# on which column is first.
CASES = [
    pytest.param(miner, axis, id=f"{type(miner).__name__}-{axis}")
    for miner in UNORDERED
    for axis in ("rows", "columns")
    if axis == "rows" or not isinstance(miner, DifferenceBiclustering)
]


@pytest.mark.parametrize(("miner", "axis"), CASES)
def test_the_order_does_not_matter(without_ties, miner, axis):
    X, y = without_ties
    rows, columns = map(np.arange, X.shape)
    expected = contents(miner, X, y, rows, columns)
    assert expected
    shuffled = np.random.default_rng(1).permutation(len(rows if axis == "rows" else columns))
    others = (shuffled, columns) if axis == "rows" else (rows, shuffled)
    assert contents(miner, X, y, *others) == expected


def assert_same_in_any_order(miner, X, n_orders=3):
    rows, columns = map(np.arange, X.shape)
    y = np.zeros(len(X))
    expected = contents(miner, X, y, rows, columns)
    for seed in range(n_orders):
        order = np.random.RandomState(seed).permutation(len(X))
        assert contents(miner, X, y, order, columns) == expected


@empty_lists_are_fine
@pytest.mark.parametrize(
    ("search", "add_rows"), [("grow", False), ("grow", True), ("prune", False)]
)
def test_hundreds_of_overlapping_biclusters_that_merge(search, add_rows):
    X, _ = make_one_factor(n_minority=80, n_majority=80, n_columns=40, noise=0.2)
    miner = CoherentBiclustering(cut_distance=0.3, max_residue=0.05, search=search)
    miner.set_params(add_rows=add_rows)
    apart = clone(miner).set_params(merge=False).fit(X).patterns_
    assert len(apart) >= 80
    assert 0 < len(miner.fit(X).patterns_) < len(apart) or add_rows
    assert_same_in_any_order(miner, X, n_orders=1)


@empty_lists_are_fine
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("n_values", [2, 6, 20])
def test_tied_values(seed, n_values):
    """Equal gaps between values, as integers have: which is closed first depends on the values."""
    X = np.random.default_rng(seed).integers(0, n_values, (120, 15)).astype(float)
    limits = {"min_rows": 2, "min_columns": 2}
    assert_same_in_any_order(CoherentBiclustering(cut_distance=0.3, max_residue=0.05, **limits), X)
