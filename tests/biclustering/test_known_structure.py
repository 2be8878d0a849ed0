"""Strata and covariates that are set aside before the search."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from bicneuron import SubgroupBiclustering
from bicneuron.biclustering._subgroups._aside import learn_structure, row_structure
from bicneuron.exceptions import KnownStructureWarning

Y = np.repeat(["case", "control"], 50)
BATCH = np.r_[np.repeat(["a", "b"], [40, 10]), np.repeat(["a", "b"], [10, 40])]
GROUP = np.arange(2, 47, 3)


def confounded():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 150))
    X[np.ix_(GROUP, np.arange(10))] += 2.0 * rng.choice([-1, 1], 10)
    X[:, 60:120] += (BATCH == "a")[:, None] * 2.0
    return X


def jaccard(a, b):
    return len(np.intersect1d(a, b)) / len(np.union1d(a, b))


@pytest.fixture(scope="module")
def fitted():
    X = confounded()
    return X, SubgroupBiclustering(kinds="shift").fit(X, Y, strata=BATCH)


def test_a_batch_hides_the_group_until_it_is_set_aside(fitted):
    X, model = fitted
    before = SubgroupBiclustering(kinds="shift").fit(X, Y).patterns_[0]
    assert jaccard(before.columns, np.arange(60, 120)) > 0.5
    first = model.patterns_[0]
    assert jaccard(first.rows, GROUP) > 0.9
    assert jaccard(first.columns, np.arange(10)) > 0.8
    assert not any(np.sum(np.isin(one.columns, np.arange(60, 120))) > 5 for one in model.patterns_)


def test_effects_are_those_of_least_squares():
    rng = np.random.default_rng(2)
    Z, centre, age = rng.normal(size=(40, 6)), np.repeat(["x", "y", "z", "x"], 10), rng.random(40)
    structure, numbers = row_structure(centre, age, 40)
    missing = np.zeros(Z.shape, dtype=bool)
    aside = learn_structure(structure, numbers, [(Z, missing)], 10)
    design = np.column_stack([pd.get_dummies(centre).to_numpy(float), age])
    rest = (
        Z
        - Z.mean(axis=0)
        - (design - design.mean(axis=0))
        @ np.linalg.lstsq(design - design.mean(axis=0), Z - Z.mean(axis=0), rcond=None)[0]
    )
    left = aside.remove(Z, numbers, missing) * aside.deviation
    assert_allclose(left - left.mean(axis=0), rest, atol=1e-4)
    assert_allclose((left / aside.deviation).std(axis=0), 1.0, atol=1e-4)


def test_missing_cells_do_not_draw_effects_towards_zero():
    rng = np.random.default_rng(3)
    strata = np.arange(60) % 2
    Z = rng.normal(size=(60, 4)) + 3.0 * strata[:, None]
    missing = rng.random(Z.shape) < 0.3
    Z -= np.ma.array(Z, mask=missing).mean(axis=0).data
    structure, numbers = row_structure(strata, None, 60)
    aside = learn_structure(structure, numbers, [(np.where(missing, 0.0, Z), missing)], 10)
    left = aside.remove(np.where(missing, 0.0, Z), numbers, missing)
    for column, own in zip(left.T, missing.T, strict=True):
        means = [column[(strata == k) & ~own].mean() for k in (0, 1)]
        assert abs(means[0] - means[1]) < 0.3, "of about 3 deviations that there were"
    assert not left[missing].any()


def test_several_strata_add_up_and_may_be_a_frame(fitted):
    X, _ = fitted
    sex = np.arange(100) % 2
    X = X.copy()
    X[:, 130:136] += 4.0 * sex[:, None]
    known = pd.DataFrame({"batch": BATCH, "sex": sex})
    found = SubgroupBiclustering(kinds="shift").fit(X, Y, strata=known).patterns_
    assert jaccard(found[0].rows, GROUP) > 0.9
    assert not any(np.sum(np.isin(one.columns, np.arange(130, 136))) > 1 for one in found)
    both = np.column_stack([BATCH, sex])
    again = SubgroupBiclustering(kinds="shift").fit(X, Y, strata=both).patterns_
    assert again == found


def test_rows_of_the_table_are_recognised_and_new_ones_count_as_the_mean(fitted):
    X, model = fitted
    own = model.pattern_scores(X, strata=BATCH)
    assert_array_equal(model.pattern_scores(X), own)
    assert_array_equal(model.pattern_scores(X[[7, 3]]), own[[7, 3]])
    assert_array_equal(model.carriers(X)[:, 0].nonzero()[0], GROUP)
    new = X + 1e-3
    with_strata = model.pattern_scores(new, strata=BATCH)
    assert_allclose(with_strata, own, atol=0.02)
    without = model.pattern_scores(new)
    # Batches have other means in the columns of the first group by chance alone.
    assert np.abs(without - with_strata).max() > 0.05
    assert_array_equal(without, np.vstack([model.pattern_scores(row[None]) for row in new]))


def test_strata_that_tell_the_class_are_warned_of():
    X = np.random.default_rng(6).normal(size=(100, 60))
    with pytest.warns(KnownStructureWarning, match=r"explain 100% of who is in class 'case'"):
        SubgroupBiclustering(kinds="shift").fit(X, Y, strata=Y)


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"strata": np.arange(100)}, "strata and covariates fit 100 numbers to 100 rows"),
        ({"strata": np.zeros(100)}, "column 0 of strata has one value, '0', for all rows"),
        ({"strata": BATCH[:50]}, r"strata has the shape \(50,\); give one value"),
        ({"strata": [None, *BATCH[1:]]}, "strata has no value in row 0"),
        ({"covariates": np.ones(100)}, "column 0 of covariates has one value, 1.0, for all rows"),
        ({"covariates": [np.nan, *range(99)]}, "covariates has nan in row 0, column 0"),
        ({"covariates": BATCH}, "covariates has values that are not numbers; give these columns"),
        ({"covariates": np.random.default_rng(0).random((100, 95))}, "fewer than 10"),
    ],
)
def test_what_cannot_be_set_aside_is_refused(known, message):
    X = np.random.default_rng(0).normal(size=(100, 20))
    with pytest.raises(ValueError, match=message):
        SubgroupBiclustering(kinds="shift").fit(X, Y, **known)


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"strata": ["c"]}, "strata has 'c', but the model knows a, b; leave"),
        ({"strata": ["a"], "covariates": [3.0]}, "was fitted without covariates; give none"),
        ({"strata": [["a", "b"]]}, "strata has 2 columns, but the model was fitted to 1"),
    ],
)
def test_strata_of_other_rows_must_fit_the_model(fitted, known, message):
    X, model = fitted
    with pytest.raises(ValueError, match=message):
        model.carriers(X[:1] + 1, **known)


def test_strata_are_not_given_to_a_model_without_them(fitted):
    X = fitted[0][:, :20]
    plain = SubgroupBiclustering(kinds="shift").fit(X, Y)
    with pytest.raises(ValueError, match="fitted without strata and covariates; give none"):
        plain.carriers(X, strata=BATCH)
