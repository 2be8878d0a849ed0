"""Patterns in rows that were not searched."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.cluster import KMeans

from bicneuron import (
    BicNeuronClassifier,
    BicNeuronNetwork,
    CoherentBiclustering,
    SubgroupBiclustering,
)
from bicneuron.datasets import make_subgroups
from bicneuron.neurons import GaussianNeuron
from bicneuron.significance._held_out import held_out_check

MINER = SubgroupBiclustering(anchor="case", kinds="shift", n_patterns=4)


@cache
def planted(seed=0):
    """24 of 80 cases differ in ten of 300 columns."""
    return make_subgroups(
        "shift", shift=3.0, n_cases=80, n_controls=40, n_columns=300, random_state=seed
    )


@cache
def checked(seed=0):
    return held_out_check(MINER, planted(seed).X, planted(seed).y, random_state=seed)


@pytest.mark.parametrize("seed", range(3))
def test_a_planted_pattern_holds_in_other_rows(seed):
    (group,) = planted(seed).groups
    found = checked(seed)
    first = found.patterns[0]
    assert np.isin(first.rows, found.searched).all()
    assert np.isin(first.rows, group.rows).mean() > 0.9
    assert abs(found.honest_gap[0] - 3.0) < 0.5
    assert abs(found.apparent_gap[0] - 3.0) < 0.7
    n_held_out = int(np.isin(group.rows, found.held_out).sum())
    count, total = found.carriers[0]["case"]
    assert total == 40
    assert abs(count - n_held_out) <= 2
    assert found.carriers[0]["control"][0] <= 1
    there = first.carrier_counts["case"][0]
    assert found.words(0) == f"{there} of 40 case here, {count} of 40 in rows not searched"


def test_the_parts_are_all_rows_with_the_share_of_each_class():
    found = checked()
    assert_array_equal(np.sort(np.r_[found.searched, found.held_out]), np.arange(120))
    assert np.sum(planted().y[found.searched] == "case") == 40
    assert repr(found) == f"<HeldOut: {len(found.patterns)} patterns of 60 rows, 60 rows held out>"


def test_noise_has_an_apparent_gap_only():
    apparent, honest = [], []
    miner = SubgroupBiclustering(anchor=0, n_patterns=4)
    for seed in range(6):
        X, y = np.random.default_rng(seed).normal(size=(80, 200)), np.repeat([0, 1], [50, 30])
        found = held_out_check(miner, X, y, random_state=seed)
        apparent += found.apparent_gap.tolist()
        honest += found.honest_gap.tolist()
    assert np.mean(apparent) > 0.8
    assert abs(np.nanmean(honest)) < 0.1


def test_copies_of_a_column_do_not_vouch_for_each_other():
    """A noise pattern whose columns come in fours has no honest gap."""
    honest = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(80, 60)), np.repeat([0, 1], [50, 30])
        X = np.concatenate([X, 2 * X, 1 - X, X + 1e-3 * rng.normal(size=X.shape)], axis=1)
        miner = SubgroupBiclustering(anchor=0, kinds="shift", n_patterns=3)
        honest += held_out_check(miner, X, y, random_state=seed).honest_gap.tolist()
    assert abs(np.nanmean(honest)) < 0.2


def test_a_pattern_of_one_column_and_its_copies_has_no_honest_gap():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 1)), np.repeat([0, 1], [40, 20])
    X[:12] += 6
    found = held_out_check(
        SubgroupBiclustering(anchor=0, kinds="shift"), np.tile(X, 4), y, random_state=1
    )
    assert len(found.patterns)
    assert np.all(np.isfinite(found.apparent_gap))
    assert np.all(np.isnan(found.honest_gap))


def test_units_of_columns_do_not_matter():
    table = planted()
    again = held_out_check(MINER, 4.0 * table.X, table.y, random_state=0)
    assert_allclose(again.honest_gap, checked().honest_gap)
    assert_allclose(again.apparent_gap, checked().apparent_gap)


def test_sparse_tables():
    table = planted()
    again = held_out_check(MINER, csr_matrix(table.X), table.y, random_state=0)
    assert again.carriers == checked().carriers
    assert_allclose(again.honest_gap, checked().honest_gap)


def test_groups_stay_in_one_part():
    patients = np.arange(120) // 2
    found = held_out_check(MINER, planted().X, planted().y, groups=patients, random_state=0)
    assert not np.intersect1d(patients[found.searched], patients[found.held_out]).size


def test_without_labels():
    miner = SubgroupBiclustering(kinds="shift", n_patterns=2)
    found = held_out_check(miner, planted().X, random_state=0)
    assert abs(found.honest_gap[0] - 3.0) < 0.6
    assert found.words(0).endswith("of 60 in rows not searched")
    assert " of 60 rows here, " in found.words(0)


def test_a_tight_pattern_holds_in_other_rows():
    """Members have a level of 1, the others of 0: the gap is 1 / 0.85, the deviation within."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(120, 60)), np.repeat(["case", "control"], [80, 40])
    X[:24, :10] = 1 + 0.2 * rng.normal(size=(24, 10))
    miner = SubgroupBiclustering(anchor="case", kinds="tight", n_patterns=2)
    found = held_out_check(miner, X, y, random_state=0)
    assert np.isin(found.patterns[0].rows, np.arange(24)).mean() > 0.9
    assert abs(found.honest_gap[0] - 1.18) < 0.3
    n_held_out = np.sum(found.held_out < 24)
    assert abs(found.carriers[0]["case"][0] - n_held_out) <= 2


def test_coexpressed_patterns_have_no_gap():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(120, 60)), np.repeat(["case", "control"], [80, 40])
    X[:32, :12] = 0.95 * rng.normal(size=(32, 1)) + 0.3 * rng.normal(size=(32, 12))
    miner = SubgroupBiclustering(anchor="case", kinds="coexpressed", n_patterns=2)
    found = held_out_check(miner, X, y, random_state=0)
    assert len(found.patterns)
    assert np.isnan(found.apparent_gap).all()
    assert np.isnan(found.honest_gap).all()
    assert found.carriers[0]["case"][1] == 40


def test_biclusters_have_carriers_and_no_gap():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 12))
    X[:20, :5] = 4 + 0.1 * rng.normal(size=(20, 5))
    found = held_out_check(CoherentBiclustering(), X, random_state=0)
    assert len(found.patterns)
    assert np.isnan(found.apparent_gap).all()
    assert np.isnan(found.honest_gap).all()
    for pattern, counts in zip(found.patterns, found.carriers, strict=True):
        assert np.isin(pattern.rows, found.searched).all()
        # Rows of a bicluster carry it.
        assert pattern.carrier_counts[None][0] >= len(pattern.rows)
        assert counts[None][1] == len(found.held_out)
    assert " of 30 rows here, " in found.words(0)


@pytest.mark.parametrize(
    "model",
    [
        BicNeuronNetwork(
            n_neurons=3, n_candidates=20, neuron_kinds=[GaussianNeuron()], random_state=0
        ),
        BicNeuronClassifier(max_ratio=np.inf, random_state=0),
    ],
    ids=["network", "classifier"],
)
def test_patterns_of_neurons_hold_in_other_rows(model):
    X, y = np.random.default_rng(0).normal(size=(120, 30)), np.repeat(["case", "control"], 60)
    X[:60, :8] += 3
    found = held_out_check(model, X, y, random_state=0)
    label = found.patterns[0].anchor_class
    assert np.isin(y[found.patterns[0].rows], label).all()
    assert np.isin(found.patterns[0].contrast_rows, found.searched).all()
    assert found.carriers[0][label][0] >= 25
    assert sum(counts[0] for other, counts in found.carriers[0].items() if other != label) <= 5
    assert found.words(0).endswith("of 30 in rows not searched")


def test_other_models_are_refused():
    with pytest.raises(TypeError, match=r"KMeans.*held_out_check takes a miner"):
        held_out_check(KMeans(), planted().X)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"share": 1.0}, "share == 1.0"),
        ({"share": 0.95}, r"leaves 4 rows of class 'case' in the part that is not searched"),
        (
            {"share": 0.1},
            r"leaves 8 rows of class 'case' in the part that is searched, fewer than the 10",
        ),
        (
            {"groups": np.arange(7)},
            r"groups has the shape \(7,\); give one group for each of the 120",
        ),
        ({"y": np.repeat("case", 120)}, "y has one class"),
        ({"y": np.linspace(0, 1, 120)}, "Unknown label type"),
    ],
)
def test_bad_input_is_refused(settings, message):
    given = {"y": planted().y, "random_state": 0, **settings}
    with pytest.raises(ValueError, match=message):
        held_out_check(MINER, planted().X, **given)
