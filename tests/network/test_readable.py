"""Few patterns that are real, or none."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from bicneuron import BicNeuronClassifier, CoherentBiclustering, PatternClassifier
from bicneuron.biclustering import ContrastBiclustering, SubgroupBiclustering
from bicneuron.datasets import make_subgroup, make_subgroups
from bicneuron.exceptions import NoPatternWarning
from bicneuron.network._candidates import Search, find_candidates, find_groups
from bicneuron.network._contrasts import BELL
from bicneuron.network._forms import KERNEL, form_columns
from bicneuron.network._readable import labels_of
from bicneuron.network._targets import TrainingTable, encode_targets


def readable(**parameters):
    return PatternClassifier(**{"random_state": 0, **parameters})


@pytest.fixture(scope="module")
def demo():
    """45 of 50 patients differ in 12 of 200 columns."""
    X, y, rows, columns = make_subgroup(n_columns=200, random_state=0)
    return X, y, rows, columns, readable().fit(X, y)


def test_the_patterns_of_the_demo_are_the_planted_one(demo):
    X, _, rows, columns, model = demo
    assert 1 <= len(model.patterns_) <= 2
    used = model.columns_in_use_
    assert columns[used].sum() >= 11
    assert columns[used].mean() >= 0.9
    assert np.sum(model.carriers(X)[:, 0] != rows) <= 2
    assert model.patterns_[0].is_class_wide


def test_a_group_may_speak_for_either_class():
    table = make_subgroups("shift", shift=2.5, n_columns=200, random_state=3)
    (group,) = table.groups
    for label in (0, 1):
        model = readable().fit(table.X, np.where(table.y == "case", label, 1 - label))
        first = model.patterns_[0]
        assert first.anchor_class == label
        assert np.isin(first.columns, group.columns).mean() >= 0.8
        assert (model.predict(table.X)[group.rows] == label).mean() >= 0.9


def test_in_noise_it_has_no_pattern_and_names_the_majority():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(90, 40)), np.repeat(["ill", "well"], [30, 60])
    with pytest.warns(NoPatternWarning, match="names the commonest class"):
        model = readable().fit(X, y)
    assert model.patterns_ == model.columns_in_use_.tolist() == []
    assert set(model.predict(X)) == {"well"}
    assert_allclose(model.predict_proba(X), np.tile([1 / 3, 2 / 3], (90, 1)))
    assert model.carriers(X).shape == model.pattern_scores(X).shape == (90, 0)
    assert_array_equal(model.coverage(X), np.zeros(90))
    assert np.isnan(model.label_doubt_).all()
    assert "no pattern" in str(model.explain(X)[0])


def test_classes_that_differ_in_spread_have_a_neuron_that_bends():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 12)), np.repeat([0, 1], 100)
    X[y == 1, :4] *= 3.0
    model = readable().fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) >= 0.8
    assert set(model.columns_in_use_.tolist()) <= {0, 1, 2, 3}


def test_a_kernel_has_columns_in_which_means_differ():
    rng = np.random.default_rng(0)
    Z, side = rng.normal(size=(200, 12)), np.repeat([-1, 1], 100)
    Z[side > 0, :4] *= 4.0
    Z[side > 0, 6:8] += 2.0
    targets = encode_targets(side)
    none = np.empty((0, 200), dtype=bool)
    candidates = find_candidates(Z, Z, targets, none, Search((), np.arange(200), 0), 20)
    contrasts = candidates.contrasts(Z, slice(None))
    assert form_columns(contrasts, candidates, BELL)[-1].tolist() == [0, 1, 2, 3, 6, 7]
    assert form_columns(contrasts, candidates, KERNEL)[-1].tolist() == [6, 7]


def test_columns_of_a_wide_table_may_be_set_against_each_other():
    """Columns share a factor; those that show it more have to be subtracted from the others."""
    rng = np.random.default_rng(0)
    y = np.arange(160) % 2
    factor = rng.normal(size=(160, 1))
    X = rng.normal(size=(160, 100))
    X[:, :5] = factor + 2 * y[:, None] + 0.3 * X[:, :5]
    X[:, 5:10] = 3 * factor + 2 * y[:, None] + 0.3 * X[:, 5:10]
    model = readable(miners=()).fit(X[:80], y[:80])
    # One of the first columns alone is right in 84 % of the rows.
    assert model.score(X[80:], y[80:]) >= 0.95
    weights = model.patterns_[0].neuron.estimator.coef_
    assert weights.min() < 0 < weights.max()


def test_scores_of_training_rows_are_of_a_choice_that_has_not_seen_them(demo):
    _, y, rows, _, model = demo
    tested = model.test_scores_[:, 0] > 0
    # Five patients are like controls: no model that has not seen them can tell.
    assert tested[rows].mean() >= 0.9
    assert tested[(y == "patient") & ~rows].mean() <= 0.5


def test_several_classes_and_labels_have_patterns_of_their_own():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(120, 20)), np.arange(120) % 3
    X[y == 1, 3] += 4
    X[y == 2, 5] -= 4
    model = readable().fit(X, y)
    assert model.score(X, y) >= 0.9
    assert set(model.columns_in_use_.tolist()) == {3, 5}
    assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    labels = np.column_stack([y == 1, y == 2]).astype(int)
    several = readable().fit(X, labels)
    assert np.mean(several.predict(X) == labels) >= 0.9


@pytest.mark.slow
def test_rows_of_a_person_are_in_one_fold():
    """Columns that tell people apart predict a person's rows only if others of them were seen."""
    rng = np.random.default_rng(0)
    people = np.repeat(np.arange(12), 6)
    y = people % 2
    X = rng.normal(size=(12, 20))[people] + 0.1 * rng.normal(size=(72, 20))
    alone = readable().fit(X, y)
    assert len(alone.patterns_) > 0
    with_people = readable(max_patterns=3)
    try:
        with_people.fit(X, y, groups=people)
    except NoPatternWarning:
        pass  # the better answer
    else:
        own = np.mean((with_people.test_scores_[:, 0] > 0) == y)
        assert own < np.mean((alone.test_scores_[:, 0] > 0) == y)


def test_rows_tell_as_much_as_there_are_people():
    X = np.random.default_rng(0).normal(size=(12, 3))
    targets, people = encode_targets(np.arange(12) % 2), np.repeat([7, 8, 9], [2, 4, 6])
    rows = np.arange(2, 12)  # of two people
    table = TrainingTable(X, X, targets, np.full(12, 3.0), np.arange(12) % 5, rows, 0, people)
    assert_allclose(labels_of(table).weights, 3.0 * 2 / 10)
    assert_allclose(labels_of(table._replace(people=None)).weights, 3.0)
    assert_allclose(labels_of(table._replace(people=np.arange(12))).weights, 3.0)


def test_groups_are_found_without_labels(demo):
    X, *_, model = demo
    groups = model.blind_groups()[1]
    other = np.where(X[:, 0] > 0, "high", "low")
    assert_array_equal(groups, readable().fit(X, other).blind_groups()[1])
    assert groups.shape[1] >= 1


def test_weak_groups_are_no_candidates():
    X = np.random.default_rng(0).normal(size=(60, 50))
    miners = (SubgroupBiclustering(kinds="shift"),)
    assert len(find_groups(X, Search(miners, np.arange(60), 0))) == 0


@pytest.mark.parametrize(
    "miners",
    [
        (ContrastBiclustering(max_seeds=20),),
        (BicNeuronClassifier(search=None, miner=CoherentBiclustering(max_seeds=20)),),
    ],
    ids=["contrast", "coherent with contrast"],
)
def test_miners_can_be_named(demo, miners):
    X, y, _, columns, _ = demo
    model = readable(miners=miners).fit(X, y)
    assert columns[model.columns_in_use_].mean() >= 0.8
    assert not (model.blind_groups()[2] >= 0).any()


@pytest.mark.parametrize(
    ("groups", "message"),
    [(np.zeros(100), "groups has one value"), (np.arange(7), "groups has 7 values for 100 rows")],
)
def test_bad_groups_are_refused(demo, groups, message):
    X, y, *_ = demo
    with pytest.raises(ValueError, match=message):
        readable().fit(X, y, groups=groups)
