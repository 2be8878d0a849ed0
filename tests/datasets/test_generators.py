"""What all generators have in common: the seed decides, and absurd parameters are refused."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from bicneuron.datasets import (
    make_additive_biclusters,
    make_cohorts,
    make_ringnorm,
    make_subgroup,
    make_subgroups,
    make_twonorm,
)

KINDS = ("shift", "coexpressed", "tight", "two_shifts", "none")
MAKERS = {
    "additive": make_additive_biclusters,
    "twonorm": partial(make_twonorm, 50),
    "ringnorm": partial(make_ringnorm, 50),
    "subgroup": make_subgroup,
    "cohorts": make_cohorts,
    **{kind: partial(make_subgroups, kind, n_columns=30) for kind in KINDS},
}


@pytest.mark.parametrize("name", MAKERS)
def test_the_seed_decides(name):
    first, again, other = (MAKERS[name](random_state=seed) for seed in (3, 3, 4))
    for one, same in zip(first[:2], again[:2], strict=True):
        assert_array_equal(one, same)
    assert not np.array_equal(first[0], other[0])


SHAPE = r"2 of .*\(60, 12\) need .*\(120, 24\), got .*100"
FEW_ROWS = {"background": np.ones((9, 20)), "n_columns": 20, "keep_rows": True}


@pytest.mark.parametrize(
    ("make", "given", "message"),
    [
        (make_additive_biclusters, {"shape": (100, 80), "n_biclusters": 2}, SHAPE),
        (make_additive_biclusters, {"shape": (300, 20), "n_biclusters": 2}, r"at least \(120, 24"),
        (make_additive_biclusters, {"shape": (300, 80, 2)}, r"shape must be \(rows, columns\)"),
        (make_additive_biclusters, {"shape": (0, 80)}, "shape == 0"),
        (make_additive_biclusters, {"bicluster_shape": (0, 3)}, "bicluster_shape == 0"),
        (make_additive_biclusters, {"n_biclusters": -1}, "n_biclusters == -1"),
        (make_additive_biclusters, {"level": -1.0}, "level == -1.0"),
        (make_additive_biclusters, {"row_effect": -0.1}, "row_effect == -0.1"),
        (make_additive_biclusters, {"noise": np.nan}, "noise must be finite, got nan"),
        (make_additive_biclusters, {"background": np.inf}, "background must be finite, got inf"),
        (make_twonorm, {"n_samples": 1}, "n_samples == 1, must be >= 2"),
        (make_ringnorm, {"n_samples": 1}, "n_samples == 1, must be >= 2"),
        (make_twonorm, {"n_features": 0}, "n_features == 0, must be >= 1"),
        (make_ringnorm, {"n_features": 0}, "n_features == 0, must be >= 1"),
        (make_subgroup, {"n_rows": 1}, "n_rows == 1, must be >= 2"),
        (make_subgroup, {"n_columns": 0}, "n_columns == 0, must be >= 1"),
        (make_subgroup, {"shift": -1.0}, "shift == -1.0, must be >= 0"),
        (make_subgroup, {"shift": np.inf}, "shift must be finite"),
        (make_subgroup, {"group_shape": (51, 3)}, "larger than the 50 patients and 1000 columns"),
        (make_subgroup, {"group_shape": (3, 1001)}, "than the 50 patients and 1000 columns"),
        (make_subgroup, {"group_shape": (3,)}, r"group_shape must be \(rows, columns\)"),
        (make_subgroup, {"group_shape": (-1, 3)}, "group_shape == -1, must be >= 0"),
        (make_subgroups, {"kind": "shfit"}, "kind must be one of shift, coexpressed"),
        (make_subgroups, {"shift": -1.0}, "shift == -1.0, must be >= 0"),
        (make_subgroups, {"shift": np.inf}, "shift must be finite"),
        (make_subgroups, {"n_cases": 0}, "n_cases == 0, must be >= 1"),
        (make_subgroups, {"n_controls": 0}, "n_controls == 0, must be >= 1"),
        (make_subgroups, {"n_columns": 0}, "n_columns == 0, must be >= 1"),
        (make_subgroups, {"share": 1.5}, "share == 1.5, must be <= 1"),
        (make_subgroups, {"share": 0.001}, "share=0.001 makes groups of 0 rows"),
        (make_subgroups, {"kind": "two_shifts", "share": 0.6}, "has 2 of them among 50 cases"),
        (make_subgroups, {"n_signature": 11, "n_columns": 10}, "11 columns, got n_columns=10"),
        (make_subgroups, {"kind": "two_shifts", "n_columns": 16}, "17 columns, got n_columns=16"),
        (make_subgroups, {"background": np.ones((9, 20))}, "fewer than n_columns=2000"),
        (make_subgroups, FEW_ROWS, "background has 9 rows, and 100 are needed"),
        (make_subgroups, {"background": np.full((9, 2000), np.nan)}, "background contains NaN"),
    ],
)
def test_absurd_parameters_are_refused(make, given, message):
    with pytest.raises(ValueError, match=message):
        make(**given)


def test_nothing_is_planted_where_nothing_is_asked_for():
    X, rows, columns = make_additive_biclusters((20, 10), n_biclusters=0, random_state=0)
    assert (X.shape, rows.shape, columns.shape) == ((20, 10), (0, 20), (0, 10))
    _, _, rows, columns = make_subgroup(6, 3, group_shape=(0, 0), random_state=0)
    assert not rows.any()
    assert not columns.any()
    assert make_subgroups("none", n_columns=20, random_state=0).groups == ()
