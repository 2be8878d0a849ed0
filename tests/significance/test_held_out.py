"""Patterns in rows that were not searched."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.cluster import KMeans

from bicneuron import BicNeuronClassifier, SubgroupBiclustering
from bicneuron.datasets import make_subgroups
from bicneuron.significance import held_out_check

MINER = SubgroupBiclustering(anchor="case", kinds="shift", n_patterns=2)


@cache
def planted():
    """24 of 80 cases differ in ten of 300 columns."""
    return make_subgroups(
        "shift", shift=3.0, n_cases=80, n_controls=40, n_columns=300, random_state=0
    )


def check(X=None, y=None, model=MINER, **settings):
    X = planted().X if X is None else X
    return held_out_check(model, X, y, **{"n_draws": 99, "random_state": 0, **settings})


@cache
def checked():
    return check(y=planted().y)


def test_a_planted_pattern_holds_in_other_rows():
    (group,) = planted().groups
    first = checked().replication.patterns[0]
    assert first.is_found
    assert first.p_class <= 0.05
    members = checked().held_out[first.found.members]
    expected = np.intersect1d(group.rows, checked().held_out)
    assert len(np.intersect1d(members, expected)) >= len(expected) - 2
    assert len(members) <= len(expected) + 2


def test_the_parts_are_all_rows_with_the_share_of_each_class():
    both = np.concatenate([checked().searched, checked().held_out])
    assert_array_equal(np.sort(both), np.arange(120))
    assert np.sum(planted().y[checked().searched] == "case") == 40
    assert repr(checked()).endswith("; 60 rows searched, 60 held out>")


def test_the_model_has_seen_the_searched_rows_only():
    checked().model.check_table(planted().X[checked().searched], planted().y[checked().searched])


def test_noise_does_not_hold():
    X, y = np.random.default_rng(0).normal(size=(80, 200)), np.repeat(["case", "control"], 40)
    assert check(X, y).replication.found == ()


def test_sparse_tables():
    again = check(csr_matrix(planted().X), planted().y)
    expected = [one.words for one in checked().replication.patterns]
    assert [one.words for one in again.replication.patterns] == expected


def test_groups_stay_in_one_part():
    patients = np.arange(120) // 2
    found = check(y=planted().y, groups=patients)
    assert not np.intersect1d(patients[found.searched], patients[found.held_out]).size
    first = found.replication.patterns[0]
    assert first.is_found
    assert first.p_class is None  # patients have rows of both classes
    order = np.argsort(planted().y, kind="stable")
    whole = check(planted().X[order], planted().y[order], groups=patients)
    assert whole.replication.patterns[0].p_class <= 0.05


def test_without_labels():
    miner = SubgroupBiclustering(kinds="shift", n_patterns=1)
    (first,) = check(model=miner).replication.patterns
    assert first.is_found
    assert first.p_class is None


def test_a_classifier():
    X, y = np.random.default_rng(0).normal(size=(120, 60)), np.repeat(["case", "control"], 60)
    X[:60, :12] += 2
    found = check(X, y, BicNeuronClassifier(max_ratio=np.inf, random_state=0))
    (first,) = found.replication.patterns
    assert first.p_together <= 0.05
    assert first.p_class <= 0.05


def test_other_models_are_refused():
    with pytest.raises(TypeError, match=r"KMeans.*held_out_check takes a miner"):
        check(model=KMeans())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"share": 1.0}, "share == 1.0"),
        ({"share": 0.95}, r"leaves 4 rows of class 'case' in the part that is not searched"),
        ({"share": 0.1}, r"in the part that is searched"),
        ({"groups": np.zeros(3)}, r"groups has the shape \(3,\)"),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        check(y=planted().y, **settings)
