"""Patterns in another table: columns by name, scores by cohort and by row."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from scipy.stats import rankdata

from bicneuron import Findings, SubgroupBiclustering
from bicneuron.exceptions import MissingColumnsWarning
from bicneuron.patterns import Axis
from bicneuron.patterns._reference import _sampled_rows
from bicneuron.replication import pattern_scores, transfer
from bicneuron.replication._column_draws import on_columns
from bicneuron.replication._transfer import column_weights

N_PLANTED = 10


def drawn(seed, n=100, p=300, shift=2.5, share=0.2):
    """Members of a group differ in the first ten columns, five of them higher and five lower."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + np.linspace(-1, 1, p)
    members = np.arange(n) < share * n
    X[:, :N_PLANTED] += shift * np.outer(members, np.repeat([1, -1], N_PLANTED // 2))
    order = rng.permutation(n)
    return pd.DataFrame(X[order], columns=[f"g{k}" for k in range(p)]), members[order]


def found_in(X, **settings):
    return Findings.untested(SubgroupBiclustering(**{"kinds": "shift", **settings}).fit(X), X)


@cache
def findings():
    return found_in(drawn(0)[0], n_patterns=2)


def carriers(X, **how):
    return pattern_scores(findings(), X, **how) > 0


def balanced(found, true):
    return (found[true].mean() + 1 - found[~true].mean()) / 2


@pytest.mark.parametrize("share", [0.1, 0.3, 0.6])
@pytest.mark.parametrize("reference", ["cohort", "row"])
def test_members_are_found_in_other_rows(reference, share):
    X, members = drawn(1, share=share)
    assert balanced(carriers(X, reference=reference)[:, 0], members) > 0.95


@pytest.mark.parametrize("reference", ["cohort", "row"])
def test_another_scale_in_each_row_does_not_matter(reference):
    X, _ = drawn(1)
    rng = np.random.default_rng(0)
    other = np.exp(X.mul(rng.uniform(0.5, 2, len(X)), axis=0).add(rng.normal(size=len(X)), axis=0))
    expected = pattern_scores(findings(), X, reference=reference)
    assert_allclose(pattern_scores(findings(), other, reference=reference), expected)


def test_a_row_alone_has_the_score_that_it_has_among_others():
    X, _ = drawn(1)
    together = pattern_scores(findings(), X, reference="row")
    alone = [pattern_scores(findings(), X.iloc[[k]], reference="row")[0] for k in range(3)]
    assert_allclose(together[:3], alone)


def test_absent_and_further_columns():
    X, members = drawn(1)
    fewer = X.iloc[:, 4:].assign(extra="text")
    for reference in ("cohort", "row"):
        assert balanced(carriers(fewer, reference=reference)[:, 0], members) > 0.9
    (first, _) = transfer(findings(), fewer).patterns
    assert set(first.absent) == {"g0", "g1", "g2", "g3"}
    assert first.weight_present < 0.75
    assert len(first.here) == len(first.pattern.columns) - 4


def test_a_row_is_compared_with_usual_ranks_among_the_columns_present():
    """In a usual row, the lowest columns are still lower among those of the upper half."""
    names = drawn(0)[0].columns
    usual = pd.DataFrame([np.linspace(-1, 1, 300)], columns=names)
    for lowest in (range(5), range(5, 10)):
        high = usual.iloc[:, [*lowest, *range(150, 300)]]
        assert not carriers(usual, reference="row")[0, 0]
        assert not carriers(high, reference="row")[0, 0]


def test_what_is_done_about_absent_columns_is_said():
    X, _ = drawn(1)
    with pytest.warns(MissingColumnsWarning, match=r"lacks 4 of 300 columns; .* these 100 rows"):
        by_cohort = carriers(X.iloc[:, 4:])
    assert_array_equal(by_cohort, carriers(X.iloc[:, 4:], reference="cohort"))
    with pytest.warns(MissingColumnsWarning, match="ranks in each row"):
        by_row = carriers(X.iloc[:3, 4:])
    assert_array_equal(by_row, carriers(X.iloc[:3, 4:], reference="row"))


def test_ranks_are_taken_where_all_columns_have_one_unit():
    X, _ = drawn(1)
    assert transfer(findings(), X).is_ranked
    assert not transfer(findings(), X, ranks=False).is_ranked
    units = np.logspace(-3, 3, 300)
    assert not transfer(findings(), X * units + 10 * units).is_ranked
    narrow = found_in(X.iloc[:, :30])
    assert not transfer(narrow, X).is_ranked
    with pytest.raises(ValueError, match="several units, or are too few"):
        pattern_scores(narrow, X, reference="row")


def test_levels_are_not_cut_off_and_rows_have_a_level_where_ranks_are_taken():
    X, _ = drawn(1)
    far = X.copy()
    far.iloc[0, 7] = 50.0
    found = transfer(findings(), far.add(np.arange(100.0), axis=0))
    assert np.corrcoef(found.row_means, np.arange(100))[0, 1] > 0.99
    assert_allclose(found.row_means, found.levels.mean(axis=1))
    plain = transfer(findings(), far, ranks=False)
    assert not plain.row_means.any()
    own = transfer(findings(), far.iloc[:, [7]], ranks=False).levels[:, 0]
    place = int(np.argmax(plain.levels.max(axis=0)))
    assert_allclose(plain.levels[:, place], own)
    assert own[0] > 15 > 10 > plain.Z[0, place]
    others = plain.Z[:, place] < 3
    assert_allclose(own[others], plain.Z[others, place], atol=1e-5)


def test_columns_without_values_or_of_one_value_are_not_known():
    X = drawn(1)[0].copy()
    X.iloc[:, 3] = 7.0
    X.iloc[:50, 4] = np.nan
    X.iloc[:, 5] = np.nan
    found = transfer(findings(), X)
    known = dict(zip(sorted(X.columns), found.known, strict=True))
    assert [known[X.columns[k]] for k in (2, 3, 4, 5)] == [1.0, 0.0, 0.5, 0.0]


def test_large_tables_are_sampled_whatever_the_order_of_rows():
    hashes = np.random.default_rng(0).integers(0, 2**60, 5000).astype(np.uint64)
    table = np.lib.stride_tricks.as_strided(np.zeros(1), (5000, 2**16), (0, 0))
    rows = _sampled_rows(table, hashes)
    assert len(rows) == 200
    order = np.random.default_rng(1).permutation(5000)
    assert set(order[_sampled_rows(table, hashes[order])]) == set(rows)


def test_missing_cells_say_nothing():
    X, members = drawn(1)
    holes = X.mask(np.random.default_rng(0).random(X.shape) < 0.1)
    for reference in ("cohort", "row"):
        assert balanced(carriers(holes, reference=reference)[:, 0], members) > 0.9


def test_what_was_found_there_is_kept():
    (first, _) = transfer(findings(), drawn(1)[0]).patterns
    assert_allclose(first.share_there, 0.2)
    assert_allclose(first.share_here, 0.2, atol=0.02)
    assert first.agreement == 1
    signs = np.where(first.pattern.columns < 5, 1, -1)
    assert (signs * [first.effects_there, first.effects_here] > 1).all()


def test_coexpressed_groups_have_scores_by_cohort_only():
    rng = np.random.default_rng(1)
    X, other = rng.normal(size=(2, 120, 60))
    for table in (X, other):
        table[:32, :12] = 0.95 * rng.normal(size=(32, 1)) + 0.3 * rng.normal(size=(32, 12))
    model = found_in(X, kinds="coexpressed", n_patterns=1)
    scores = pattern_scores(model, other, reference="cohort")[:, 0]
    assert scores[:32].mean() > scores[32:].mean() + 0.5
    assert np.isnan(pattern_scores(model, other, reference="row")).all()


def test_sparse_tables_and_tables_without_names():
    X, _ = drawn(0)
    given = X.to_numpy()
    plain = found_in(given, n_patterns=2)
    other = drawn(1)[0].to_numpy()
    expected = pattern_scores(plain, other, reference="cohort")
    with pytest.raises(ValueError, match="200 columns and the model 300, without names"):
        transfer(plain, other[:, :200])
    assert_allclose(pattern_scores(plain, csr_matrix(other), reference="cohort"), expected)
    assert_allclose(pattern_scores(findings(), drawn(1)[0], reference="cohort"), expected)


@pytest.mark.parametrize(
    ("change", "settings", "message"),
    [
        (lambda X: X.add_prefix("other "), {}, r"none of the 300 columns .*'g0'"),
        (lambda X: X.rename(columns=str.upper), {}, "300 would match if case is ignored"),
        (lambda X: X.set_axis(["g1", *X.columns[1:]], axis=1), {}, "more than once, such as 'g1'"),
        (lambda X: X.to_numpy(), {}, "no column names"),
        (lambda X: X.iloc[:19], {}, r"X has 19 rows; reference='cohort' needs 20"),
        (lambda X: X, {"reference": "cohrot"}, "reference is 'cohrot'; choose from"),
    ],
)
def test_bad_input(change, settings, message):
    X, _ = drawn(1)
    with pytest.raises(ValueError, match=message):
        carriers(change(X), **{"reference": "cohort", **settings})


@pytest.mark.parametrize(
    ("n_used", "squares", "common"), [(3, 0.0, 0.0), (3, 0.5, 0.0), (3, 0.0, 2.0), (20, 0.0, 0.0)]
)
def test_a_signature_on_its_own_columns_gives_its_values(n_used, squares, common):
    """Many columns are multiplied as a matrix."""
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(20, 50))
    columns = rng.permuted(np.tile(np.arange(50), (7, 1)), axis=1)[:, :n_used].T
    parts = rng.normal(size=n_used), np.full(n_used, squares), np.full(n_used, common)
    signature = Axis(*parts, np.empty(0), -np.inf)
    found = on_columns(signature, Z, columns)
    for k in range(7):
        assert_allclose(found[:, k], signature.values(Z[:, columns[:, k]]))
    assert_allclose(column_weights(signature).sum(), 1)


def test_a_column_without_any_value_is_in_the_middle_of_the_ranks():
    X, _ = drawn(0)
    X["g20"] = np.nan
    reference = found_in(X, n_patterns=2).reference  # warnings are errors
    assert reference.mean_ranks[20] == 0.5
    expected = ((rankdata(X.fillna(0.0), axis=1) - 0.5) / X.shape[1]).mean(axis=0)
    others = np.delete(np.arange(X.shape[1]), 20)
    assert_allclose(reference.mean_ranks[others], expected[others], rtol=1e-12)
