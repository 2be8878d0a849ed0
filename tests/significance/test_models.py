"""Who carries a pattern of a model that needs labels, and what is refused."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.stats import fisher_exact, hypergeom
from sklearn.datasets import make_multilabel_classification
from sklearn.linear_model import LogisticRegression

from bicneuron import BicNeuronClassifier, BicNeuronNetwork, PatternClassifier, SubgroupBiclustering
from bicneuron.biclustering import ContrastBiclustering
from bicneuron.datasets import make_subgroups
from bicneuron.exceptions import NoPatternWarning
from bicneuron.neurons import GaussianNeuron
from bicneuron.patterns import proven_patterns
from bicneuron.significance import column_evidence, significance_test, with_evidence
from bicneuron.significance._find_groups import judged_groups
from bicneuron.significance._folds import in_own_class
from bicneuron.significance._known import Known
from bicneuron.significance._questions import ClassQuestion
from bicneuron.significance._significance import _ties_of_blind_groups

Y = np.repeat(["case", "control"], 30)


def table(seed=0, shift=2.0):
    """All cases are shifted in eight of 40 columns."""
    X = np.random.default_rng(seed).normal(size=(60, 40))
    X[:30, :8] += shift
    return X


def network(**options):
    return BicNeuronNetwork(n_neurons=3, neuron_kinds=[GaussianNeuron()], random_state=0, **options)


def classifier(**options):
    return BicNeuronClassifier(search=None, max_ratio=np.inf, random_state=0, **options)


def test_the_neuron_of_a_pattern_tells_its_carriers():
    X = table()[:, :8]
    fitted = network().fit(X, Y)
    for carriers, pattern in zip(fitted.carriers(X).T, fitted.patterns_, strict=True):
        Z = fitted._scaling.apply(X)[:, pattern.columns]
        of_second = pattern.neuron.estimator.decision_function(Z) > 0
        is_anchor = of_second if pattern.anchor_class == "control" else ~of_second
        assert_array_equal(carriers, is_anchor)
        # Most rows that it was trained on are on their side.
        assert carriers[pattern.rows].mean() > 0.7
        assert carriers[pattern.contrast_rows].mean() < 0.3
        inside = pattern.anchor_class == Y
        (own,) = in_own_class([pattern], carriers[:, None], Y).T
        rows = np.flatnonzero(own)
        assert_array_equal(rows, np.flatnonzero(is_anchor & inside))


def test_what_cannot_be_tested_is_refused():
    X, several = make_multilabel_classification(60, random_state=0)
    for test, model, y, message in (
        (significance_test, LogisticRegression(), Y, "model is a LogisticRegression, which has no"),
        (column_evidence, LogisticRegression(), Y, "column_evidence takes a miner, BicNeuronNet"),
        (significance_test, SubgroupBiclustering(), None, "y is None, but carriers are compared"),
        (significance_test, PatternClassifier(), several, "y should be a 1d array"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            test(model, X, y)


@pytest.mark.parametrize("model", [network(), classifier(), ContrastBiclustering()], ids=repr)
def test_patterns_that_are_found_with_classes_are_scored_and_not_tested(model):
    name = type(model).__name__
    message = f"a {name} finds its patterns with the classes.*cross_validated_scores.*Subgroup"
    with pytest.raises(ValueError, match=message):
        significance_test(model, table(), Y)


def test_networks_set_no_covariates_aside():
    with pytest.raises(ValueError, match="a PatternClassifier cannot set covariates aside"):
        significance_test(PatternClassifier(), np.ones((60, 3)), Y, covariates=np.arange(60))


# --- Known structure, such as batches, in tests and subsamples

MINER = SubgroupBiclustering(kinds="shift", n_patterns=4)
HALVES = np.repeat(["case", "control"], 24)
BATCH = np.tile(["a", "a", "b"], 16)
AGE = np.random.default_rng(1).uniform(20, 80, size=48)


def table_of_batches():
    """Ten cases are shifted in six columns; ten others follow the batch, and six the age."""
    X = np.random.default_rng(0).normal(size=(48, 40))
    X[:10, :6] += 3
    X[BATCH == "b", 10:20] += 4
    X[:, 30:36] += 0.15 * (AGE - 50)[:, None]
    return X


def columns_of(patterns):
    return [{*pattern.columns.tolist()} for pattern in patterns]


def test_known_structure_is_set_aside_in_the_search():
    X = table_of_batches()
    known = {"strata": BATCH, "covariates": AGE}
    tested = significance_test(MINER, X, HALVES, **known, n_permutations=19, random_state=0)
    first, *others = columns_of(tested.patterns)
    assert set(range(6)) <= first
    assert tested.family_p_values[0] <= 0.05
    assert all(len(columns & {*range(10, 20)}) < 5 for columns in others)
    assert all(len(columns & {*range(30, 36)}) < 3 for columns in others)


def test_of_the_rows_of_a_block_what_does_not_vary_explains_nothing():
    known = Known(np.column_stack([BATCH, np.arange(48) // 24]), AGE)
    part, others, _ = known.divided(np.arange(24), np.arange(20))
    assert_array_equal(part.strata, BATCH[:24, None])
    assert_array_equal(part.covariates, AGE[:24, None])
    assert_array_equal(others.strata, BATCH[:20, None])
    assert known.divided(np.flatnonzero(BATCH == "a")[:4], np.arange(2))[0].strata is None


def test_structure_that_a_fitted_miner_set_aside_is_asked_for():
    X = table_of_batches()
    fitted = SubgroupBiclustering(kinds="shift").fit(X, strata=BATCH)
    for test in (significance_test, column_evidence):
        with pytest.raises(ValueError, match="was fitted with strata or covariates; give the same"):
            test(fitted, X, HALVES)


# --- A group that belongs to a class by the columns of a clearer group is no finding of its own


def findings(X, y):
    miner = SubgroupBiclustering(kinds="shift").fit(X)
    return proven_patterns(judged_groups(miner, X, y, random_state=0).miner.patterns_)


def test_columns_of_a_whole_class_make_one_finding():
    X = np.random.default_rng(3).normal(size=(200, 60))
    X[:100, :8] += 1.5
    (found,) = findings(X, np.repeat(["case", "control"], 100))
    assert set(found.columns.tolist()) == set(range(8))


def test_two_groups_with_columns_in_common_are_two_findings():
    X = np.random.default_rng(1).normal(size=(100, 60))
    first, second = np.arange(12), np.arange(8, 20)
    X[np.ix_(range(15), first)] += 2.5
    X[np.ix_(range(20, 34), second)] += 2.5 * np.array([1, -1] * 6)
    found = findings(X, np.repeat(["case", "control"], 50))
    for planted in (first, second):
        assert max(len(np.intersect1d(one.columns, planted)) for one in found) >= 10


def test_the_corrected_p_is_that_of_the_other_columns():
    X = np.random.default_rng(3).normal(size=(200, 60))
    X[:100, :8] += 1.5
    y = np.repeat([1, 0], 100)
    miner = SubgroupBiclustering().fit(X)
    tested = significance_test(miner, X, y, random_state=0)
    carriers, order = miner.carriers(X), np.argsort(-tested.statistic, kind="stable")
    first = miner.patterns_[order[0]]
    # Those that are not the opposite of the whole class: the first is the only finding before them.
    for k in [k for k in order[1:] if y[carriers[:, k]].mean() > 0.5][:3]:
        told = np.isin(miner.patterns_[k].columns, first.columns)
        values = miner.values_without(X, k, told[:, None])[:, 0]
        inside = carriers[:, k]
        carry = values > (values[inside].mean() + values[~inside].mean()) / 2
        n_ones, n_zeros = (int(np.sum(carry & (y == label))) for label in (1, 0))
        alone = 2 * hypergeom(200, 100, n_ones + n_zeros).sf(max(n_ones, n_zeros) - 1)
        ratio = tested.family_p_values[k] / min(alone, 1.0)
        assert ratio == pytest.approx(round(ratio)) or tested.family_p_values[k] == 1.0
        assert round(ratio) >= 1


# --- The test of patterns that a readable network found without labels; others are not tested


def readable(**parameters):
    return PatternClassifier(random_state=0, **parameters)


def test_a_group_that_was_found_without_labels_has_an_exact_test():
    """15 of 50 cases differ in ten of 200 columns."""
    table = make_subgroups("shift", shift=2.5, n_columns=200, random_state=3)
    model = readable().fit(table.X, table.y)
    result = significance_test(model, table.X, table.y, random_state=0)
    is_group = model.blind_groups()[2] >= 0
    assert is_group[0]
    assert result.family_p_values[0] == pytest.approx(1 / 1000)
    assert result.p_values[0] <= result.family_p_values[0]
    assert np.isnan(result.family_p_values[~is_group]).all()
    assert result.carriers[0] == {"case": (15, 50), "control": (0, 50)}, "those of the group"
    first = with_evidence(model, result).patterns_[0].evidence
    assert (first.verdict, first.family_p_value) == ("tied to the class", 1 / 1000)


def test_p_is_corrected_for_groups_that_were_not_chosen():
    y = np.repeat([0, 1], 20)
    rng = np.random.default_rng(0)
    carriers = rng.random((40, 30)) < 0.3
    carriers[:, 4] = np.isin(np.arange(40), np.arange(8))  # eight of twenty, and none of twenty

    def tested(carriers, of_patterns, of_neurons):
        groups = np.arange(40), carriers, np.array(of_patterns)
        model = SimpleNamespace(
            blind_groups=lambda: groups, carriers=lambda X: np.array(of_neurons, dtype=bool).T
        )
        return _ties_of_blind_groups(model, None, ClassQuestion(y), 999, 0)

    group, others = carriers[:, 4], np.arange(40) % 2
    among, counted = tested(carriers, [-1, 4, 4], [others, group, others])
    alone, _ = tested(carriers[:, [4]], [0], [group])
    exact = 2 * fisher_exact([[8, 12], [0, 20]], "greater").pvalue
    assert among.p.tolist()[1] == pytest.approx(exact)
    assert alone.p.tolist() == pytest.approx([exact])
    # Neither a pattern made with labels nor one whose neuron gives it other rows is tested.
    for one in (among.p, among.family, among.statistic):
        assert np.isnan(one[[0, 2]]).all()
    assert_array_equal(counted.T, [others, group, others])
    assert among.family[1] > 2 * alone.family[0]


def test_a_pattern_made_with_labels_is_not_tested():
    """A class that differs as a whole, without groups: only labels show the pattern."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 60)), np.repeat(["ill", "well"], 40)
    X[y == "ill", :4] += 0.9
    model = readable(miners=()).fit(X, y)
    result = significance_test(model, X, y, random_state=0)
    assert len(result.patterns) == len(model.patterns_) > 0
    assert np.isnan([result.family_p_values, result.p_values]).all()
    assert not result.significant().any()
    assert result.summary().startswith("no pattern here is a group found without the classes")
    assert result.words(0).endswith("no group found without the classes, not tested")
    evidence = with_evidence(model, result).patterns_[0].evidence
    assert (evidence.family_p_value, evidence.verdict) == (None, "")


def test_a_model_without_patterns_has_nothing_to_test():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(90, 40)), np.repeat([0, 1], 45)
    with pytest.warns(NoPatternWarning):
        model = readable().fit(X, y)
    result = significance_test(model, X, y, n_permutations=19, random_state=0)
    assert result.patterns == []
    assert not result.significant().any()


def test_rows_that_belong_together_are_exchanged_together():
    rng = np.random.default_rng(0)
    people = np.repeat(np.arange(16), 4)
    y = people % 2
    X = rng.normal(size=(64, 20))
    X[np.isin(people, [1, 3, 5, 7, 9]), :6] += 4
    model = readable().fit(X, y, groups=people)
    assert model.blind_groups()[2][0] >= 0
    alone = significance_test(model, X, y, random_state=0).p_values[0]
    together = significance_test(model, X, y, groups=people, random_state=0).p_values[0]
    # Five of eight people against none of eight: 2 * C(11, 3) / C(16, 8).
    assert alone < 1e-4
    assert together == pytest.approx(2 * 165 / 12870, abs=0.02)
    # A model that is not fitted yet is fitted with these groups, too.
    again = significance_test(readable(), X, y, groups=people, random_state=0)
    assert again.p_values[0] == together
