"""Patterns, rows and columns that are found again in subsamples."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.cluster import KMeans

from bicneuron import CoherentBiclustering, SubgroupBiclustering
from bicneuron.datasets import make_subgroups
from bicneuron.patterns import Pattern
from bicneuron.significance._parts import Units, drawn_rows, rows_and_units
from bicneuron.significance._stability import match_of, stability

MINER = SubgroupBiclustering(anchor="case", kinds="shift", n_patterns=4)


@cache
def planted():
    """Twelve of 30 cases differ in eight of 200 columns."""
    return make_subgroups(
        "shift",
        shift=3.0,
        n_cases=30,
        n_controls=30,
        n_columns=200,
        share=0.4,
        n_signature=8,
        random_state=0,
    )


@cache
def result(seed=0):
    table = planted()
    return stability(MINER, table.X, table.y, n_subsamples=5, random_state=seed)


def test_a_planted_pattern_is_found_again():
    (group,) = planted().groups
    found = result()
    first = found.patterns[0]
    assert_array_equal(first.rows, group.rows)
    assert found.words(0) == "found again in 5 of 5 parts of the table"
    assert found.found[0] == 1
    assert found.jaccard[0] > 0.9
    others = np.setdiff1d(np.arange(60), group.rows)
    assert found.row_frequency[0, group.rows].min() > 0.8
    assert np.median(found.row_frequency[0, others]) == 0
    noise = np.setdiff1d(np.arange(200), group.columns)
    for frequency in (found.column_frequency[0], found.selection_frequency):
        assert frequency[group.columns].min() >= 0.8
        assert np.median(frequency[noise]) <= 0.05
    assert 8 <= found.selection_frequency.sum() < 12
    assert repr(found) == f"<Stability: {len(found.patterns)} patterns, 5 subsamples>"


def test_frequencies_agree_with_each_other():
    found = result()
    assert np.all(found.jaccard <= found.found)
    assert np.all(found.jaccard >= 0.5 * found.found)
    assert np.all(found.column_frequency <= found.found[:, None])
    controls = planted().y == "control"
    assert not found.row_frequency[:, controls].any()


def test_other_subsamples_tell_the_same():
    rows = [np.flatnonzero(result(seed=seed).row_frequency[0] >= 0.5) for seed in (0, 1)]
    assert_array_equal(*rows)
    noise = np.random.default_rng(0).normal(size=(60, 40))
    noise[:12, :5] += 1.5
    frequencies = [
        stability(MINER, noise, planted().y, n_subsamples=5, random_state=seed).column_frequency
        for seed in (0, 1)
    ]
    assert np.any(frequencies[0] != frequencies[1])


def test_the_result_does_not_depend_on_n_jobs():
    X, y, _ = planted()
    one, two = (
        stability(MINER, X, y, n_subsamples=2, n_jobs=n_jobs, random_state=0) for n_jobs in (1, 2)
    )
    assert one.patterns == two.patterns
    for name in ("found", "jaccard", "row_frequency", "column_frequency", "selection_frequency"):
        assert_array_equal(getattr(one, name), getattr(two, name))


def test_patterns_of_noise_are_seldom_found_first():
    X, y = np.random.default_rng(0).normal(size=(60, 200)), np.repeat(["case", "control"], 30)
    found = stability(MINER, X, y, n_subsamples=10, random_state=0)
    assert found.found[0] <= 0.5
    assert found.selection_frequency.max() <= 0.6


def test_kinds_and_classes_are_not_mixed():
    columns = np.arange(3)
    part = np.arange(20)
    pattern = result().patterns[0]
    rows = np.arange(10)
    same = Pattern(rows, columns, anchor_class="case", kind="shift")
    assert match_of(pattern, rows, [same], part) == (same, 1.0)
    for other in (replace(same, kind="tight"), replace(same, anchor_class="control")):
        assert match_of(pattern, rows, [other], part) == (None, 0.0)


def test_overlap_counts_among_the_rows_of_the_subsample():
    pattern, rows = result().patterns[0], np.arange(10)
    part = np.arange(5, 24)  # five rows of the pattern
    enough = Pattern(np.arange(7, 10), np.arange(3), anchor_class="case", kind="shift")
    less = replace(enough, rows=np.arange(8, 10))
    best = replace(enough, rows=np.arange(5, 11))
    none = replace(enough, rows=np.arange(0))
    assert match_of(pattern, rows, [enough], part) == (enough, 0.6)
    assert match_of(pattern, rows, [less], part) == (None, 0.0)
    assert match_of(pattern, rows, [less, enough, best], part) == (best, 5 / 6)
    assert match_of(pattern, np.arange(0), [none], part) == (None, 0.0)
    first, second = replace(enough, columns=np.arange(2)), enough
    assert match_of(pattern, rows, [first, second], part)[0] is first


def test_without_labels():
    found = stability(
        SubgroupBiclustering(kinds="shift", n_patterns=2),
        planted().X,
        n_subsamples=3,
        random_state=0,
    )
    assert found.patterns[0].anchor_class is None
    assert found.found[0] == 1


def test_sparse_tables_and_a_single_subsample():
    table = planted()
    settings = {"n_subsamples": 1, "random_state": 0}
    dense = stability(MINER, table.X, table.y, **settings)
    sparse = stability(MINER, csr_matrix(table.X), table.y, **settings)
    assert dense.words(0) == sparse.words(0) == "found again in 1 of 1 parts of the table"
    assert_array_equal(dense.row_frequency, sparse.row_frequency)
    assert np.isnan(dense.row_frequency[0]).sum() == 12  # a fifth of the rows was not drawn


def test_the_model_stays_as_it_is():
    miner = SubgroupBiclustering(anchor="case", kinds="shift", n_jobs=2)
    stability(miner, planted().X, planted().y, n_subsamples=1)
    assert not hasattr(miner, "patterns_")
    assert miner.n_jobs == 2


def test_groups_are_drawn_as_a_whole():
    rng = np.random.default_rng(0)
    y = np.repeat(["case", "control"], [24, 36])
    patients = np.repeat(np.arange(20), 3)
    patients[[0, 59]] = 99  # with rows of both classes
    _, _, units = rows_and_units(MINER, np.ones((60, 2)), y, patients)
    assert units.of_rows.max() == 20
    seen = []
    for _ in range(20):
        part = drawn_rows(units, 0.8, rng)
        drawn = np.isin(np.arange(60), part)
        for patient in np.unique(patients):
            assert len(set(drawn[patients == patient].tolist())) == 1
        seen.append(drawn)
    assert np.all(np.mean(seen, axis=0) > 0.4)


@pytest.mark.parametrize("share", [0.5, 0.8, 0.63])
def test_classes_keep_their_share_and_rows_their_chance(share):
    rng = np.random.default_rng(1)
    strata = np.repeat([0, 1, 2], [30, 17, 3])
    counts = np.zeros(50)
    for _ in range(2000):
        part = drawn_rows(Units(np.arange(50), strata), share, rng)
        assert_array_equal(part, np.unique(part))
        assert np.all(
            np.abs(np.bincount(strata[part], minlength=3) - share * np.bincount(strata)) < 1
        )
        counts[part] += 1
    assert_allclose(counts / 2000, share, atol=0.06)


def test_each_stratum_of_each_class_has_its_share_of_a_subsample():
    y, batch = np.repeat([0, 1], 30), np.tile([0, 0, 1], 20)
    _, _, units = rows_and_units(MINER, np.ones((60, 2)), y, None, batch)
    for seed in range(20):
        part = drawn_rows(units, 0.8, np.random.default_rng(seed))
        taken = np.bincount(2 * y[part] + batch[part])
        assert (np.abs(taken - 0.8 * np.bincount(2 * y + batch)) < 1).all()


def test_biclusters_are_found_again():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 12)), np.arange(40) % 2
    X[:10, :5] = 4 + 0.1 * rng.normal(size=(10, 5))
    # Without a seed: the fitted biclusters are looked for, not those of another fit.
    miner = CoherentBiclustering(max_seeds=40).fit(X)
    for labels in (None, y):
        found = stability(miner, X, labels, n_subsamples=3, random_state=0)
        assert all(one is own for one, own in zip(found.patterns, miner.patterns_, strict=True))
        assert_array_equal(found.patterns[int(found.found.argmax())].rows, np.arange(10))
        assert found.found.max() > 0.6


def test_other_models_are_refused():
    with pytest.raises(TypeError, match=r"KMeans, which has no patterns; stability takes a miner"):
        stability(KMeans(), planted().X)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_subsamples": 0}, "n_subsamples == 0"),
        ({"share": 1.0}, "share == 1.0"),
        ({"share": 0.0}, "share == 0.0"),
        (
            {"share": 0.3},
            r"share=0.3 leaves 9 rows of class 'case' in a subsample, fewer than the 10",
        ),
        (
            {"groups": np.arange(7)},
            r"groups has the shape \(7,\); give one group for each of the 60",
        ),
        ({"y": np.repeat("case", 60)}, "y has one class"),
        ({"y": np.linspace(0, 1, 60)}, "Unknown label type"),
        ({"y": np.repeat("case", 5)}, "inconsistent numbers of samples"),
        ({"y": np.r_[["other"], ["case"] * 59]}, r"leaves 0 rows of class 'other' in a subsample"),
        ({"groups": np.repeat([0, 1], 30)}, "share=0.8 of 2 groups may be all or none"),
    ],
)
def test_bad_input_is_refused(settings, message):
    table = planted()
    given = {"y": table.y, "random_state": 0, "n_subsamples": 10, **settings}
    with pytest.raises(ValueError, match=message):
        stability(MINER, table.X, **given)
