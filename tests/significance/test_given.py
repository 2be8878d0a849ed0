"""Groups of other tools, tested as those that are found; the contract suite has all consumers."""

import warnings
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy.stats import fisher_exact

from bicneuron import Findings, find_groups
from bicneuron.datasets import make_subgroup
from bicneuron.exceptions import GivenGroupsWarning
from bicneuron.persistence import load_model
from bicneuron.replication import replicate
from bicneuron.significance import column_evidence
from bicneuron.significance._given import fitted_to_given

X, Y, IN_GROUP, IN_COLUMNS = make_subgroup(
    120, 150, group_shape=(24, 10), shift=2.5, as_frame=True, random_state=0
)
Y = Y.to_numpy()
NAMES, GENES = X.index[IN_GROUP].tolist(), X.columns[IN_COLUMNS].tolist()
HIGHER = [gene for gene in GENES if X.loc[NAMES, gene].mean() > X[gene].mean()]
OTHERS = X.index[~IN_GROUP].tolist()
LABELS = pd.Series(np.where(IN_GROUP, "B cells", "T cells"), X.index)
PLACES = np.flatnonzero(IN_GROUP)


def given_to(given, y=None, **options):
    return Findings.from_groups(X, given, y, random_state=0, **options)


def masks(given, warns=False, table=X, cut=0.5):
    with pytest.warns(GivenGroupsWarning) if warns else nullcontext():
        miner = fitted_to_given(table, given, cut, None)
    return {one.name: np.isin(np.arange(len(table)), one.rows) for one in miner.patterns_}


@pytest.mark.parametrize("structure", ["none", "strata"])
def test_the_same_carriers_given_back_have_the_same_p(structure):
    known = {} if structure == "none" else {"strata": np.arange(len(X)) % 3}
    found = find_groups(X, Y, random_state=0, **known)
    carriers = found.carriers(X)
    order = np.random.default_rng(0).permutation(len(found.patterns))
    given = {str(k): (carriers[:, k], X.columns[found.patterns[k].columns]) for k in order.tolist()}
    again = given_to(given, Y, **known)
    assert len(again.patterns) == len(found.patterns) > 5
    assert again.patterns[0].evidence.is_finding
    for pattern, own in zip(again.patterns, again.carriers(X).T, strict=True):
        before = found.patterns[int(pattern.name)]
        assert_array_equal(own, carriers[:, int(pattern.name)])
        assert_array_equal(pattern.columns, before.columns)
        assert pattern.evidence.p_value == before.evidence.p_value
        assert pattern.evidence.family_p_value == before.evidence.family_p_value


def test_p_is_that_of_fisher_and_the_rows_are_those_given():
    rows = np.array([*PLACES[:15], *np.flatnonzero(~IN_GROUP)[:4]])
    (pattern,) = given_to({"some": rows}, Y).patterns
    assert_array_equal(pattern.rows, np.sort(rows))
    table = [[np.sum(Y[rows] == label), np.sum(label == Y)] for label in np.unique(Y)]
    p = min(
        fisher_exact([[k, len(rows) - k], [n - k, len(Y) - n - len(rows) + k]], "greater")[1]
        for k, n in table
    )
    assert pattern.evidence.p_value == pytest.approx(min(2 * p, 1), rel=1e-9)


@pytest.mark.parametrize(
    "given",
    [
        {"B cells": NAMES},
        {"B cells": PLACES},
        {"B cells": IN_GROUP},
        {"B cells": (NAMES, GENES)},
        LABELS.where(IN_GROUP),
        LABELS.where(IN_GROUP).to_numpy(),
        LABELS[IN_GROUP].astype("category").reindex(X.index),
        LABELS.where(IN_GROUP).sample(frac=1, random_state=0),
        pd.DataFrame({"B cells": IN_GROUP}, X.index),
        pd.DataFrame({"B cells": np.where(IN_GROUP, 0.9, 0.2)}, X.index).iloc[::-1],
    ],
    ids=str,
)
def test_all_ways_to_give_the_same_rows(given):
    found = masks(given)
    assert_array_equal(found["B cells"], IN_GROUP)
    assert len(found) == 1


def test_labels_of_numbers_are_named_by_their_column():
    labels = pd.Series(np.where(IN_GROUP, 1.0, np.nan), X.index, name="leiden")
    assert [*masks(labels)] == ["leiden 1"]
    assert [*masks(labels.to_numpy())] == ["group 1"]


def test_the_cut_of_memberships():
    usage = np.where(IN_GROUP, 0.3, 0.1)[:, None]
    assert_array_equal(masks(usage, cut=0.2)["group 0"], IN_GROUP)
    with pytest.raises(ValueError, match="no group that can be tested: 'group 0' "):
        masks(usage)


def test_the_rows_of_a_signature_are_those_beyond_its_split():
    (pattern,) = given_to({"UP": HIGHER}, Y).patterns
    assert X.columns[pattern.columns].tolist() == HIGHER
    assert np.mean(np.isin(pattern.rows, PLACES)) > 0.9
    assert len(pattern.rows) > 20
    assert pattern.evidence.is_finding


def test_columns_that_were_not_given_are_those_that_differ():
    (pattern,) = given_to({"B cells": NAMES}).patterns
    proven = X.columns[pattern.columns[list(pattern.evidence.proven_columns)]]
    assert len(set(proven) & set(GENES)) >= 8
    assert len(set(proven) - set(GENES)) <= 1
    assert pattern.evidence.is_separate


def test_given_columns_are_judged_by_columns_that_are_chosen_anew():
    """Columns of noise in which given rows differ most have no evidence of their own."""
    n_false = n_judged = 0
    for seed in range(8):
        noise, rows = np.random.default_rng(seed).normal(size=(60, 80)), np.arange(20)
        difference = noise[rows].mean(axis=0) - noise[20:].mean(axis=0)
        given = {"made": (rows, np.argsort(-difference)[:10])}
        miner = fitted_to_given(noise, given, 0.5, None)
        assert np.all(miner.patterns_[0].effects > 0.2)
        (tested,) = column_evidence(miner, noise, random_state=0)
        n_judged += tested.n_found
        n_false += tested.is_proven.any()
    assert n_judged > 0
    assert n_false <= 1


def test_half_of_the_rows_are_no_fragile_group():
    """Their number costs nothing, as it would if they had been searched for."""
    table = np.random.default_rng(0).normal(size=(80, 100))
    table[:40, :15] += 1.0
    miner = fitted_to_given(table, np.arange(80) < 40, 0.5, None)
    tested = column_evidence(miner, table, random_state=0)
    assert all(one.n_found == 5 and one.is_proven[:15].any() for one in tested)


def test_the_answer_says_on_what_p_depends_and_names_the_way_out():
    tied, alone = given_to(LABELS, Y), given_to(LABELS)
    assert tied.summary().splitlines()[0].startswith("B cells: 24 of ")
    assert "1 more is the other side of it." in tied.summary()
    last = [one.summary().splitlines()[-1] for one in (tied, alone)]
    assert "only valid if the outcome had no part" in last[0]
    assert all("replicate" in line for line in last)
    assert tied.to_frame()["name"].tolist() == ["B cells", "T cells"]


def test_given_groups_are_replicated_and_kept_in_files(tmp_path):
    first, second = X[::2], X[1::2]
    found = Findings.from_groups(first, LABELS[::2].where(IN_GROUP[::2]), Y[::2], random_state=0)
    loaded = load_model(found.save(tmp_path / "given.skops"))
    assert loaded.patterns == found.patterns
    assert loaded.summary() == found.summary()
    assert_array_equal(loaded.carriers(first), found.carriers(first))
    again = replicate(loaded, second, Y[1::2], random_state=0)
    assert again.words == "1 of 1 group is found again"
    assert "group 1 (B cells: " in again.sentence
    members = again.patterns[0].found.members
    assert np.mean(members == IN_GROUP[1::2]) > 0.95
    assert np.mean(found.carriers(second)[:, 0] == IN_GROUP[1::2]) > 0.95


def test_rows_that_are_equal_keep_what_each_was_given():
    table = np.repeat(X.to_numpy()[:60], 2, axis=0)
    rows = np.arange(0, 60, 2)
    found = masks({"first of each pair": rows}, table=table)
    assert_array_equal(np.flatnonzero(found["first of each pair"]), rows)
    miner = fitted_to_given(table, {"a": rows}, 0.5, None)
    assert_array_equal(np.flatnonzero(miner.carriers(table)[:, 0]), rows)


def test_a_large_table_has_the_same_groups():
    random = np.random.default_rng(0)
    table, labels = random.normal(size=(1600, 60)), np.arange(1600) % 4
    table[labels == 1, :8] += 1.5
    miner = fitted_to_given(table, labels, 0.5, None)
    one = miner.patterns_[1]
    assert one.columns.tolist() == [*range(8)]
    assert_array_equal(miner.carriers(table[::3])[:, 1], labels[::3] == 1)


@pytest.mark.parametrize(
    ("given", "note"),
    [
        ({"a": [*NAMES, "Q1", "Q2"]}, "given names 2 rows that X does not have, left out: 'Q1', "),
        ({"a": [*PLACES, 999]}, "given names 1 row that X does not have, left out: '999'."),
        ({"a": (NAMES, [*GENES, "XIST"])}, "1 column that X does not have, left out: 'XIST'."),
        ({"a": NAMES, "b": NAMES}, "group 'b' equals group 'a' and is left out."),
        ({"a": NAMES, "b": []}, "1 group left out, with fewer than 3 rows or 3 others: 'b' (0 "),
        ({"a": NAMES, "all": X.index, "b": NAMES[:1]}, "'all' (120 rows), 'b' (1 row)."),
        ({"a": NAMES, "b": (["Q1"], GENES)}, "'b' (0 rows)."),
        ({"a": HIGHER, "b": ["XIST"]}, "'b' (0 rows)."),
        (LABELS.where(IN_GROUP)[:-5], "given lacks 5 of the 120 rows, in no group here."),
    ],
    ids=str,
)
def test_what_is_left_out_is_said(given, note):
    with pytest.warns(GivenGroupsWarning) as told:
        miner = fitted_to_given(X, given, 0.5, None)
    assert len(miner.patterns_) == 1
    assert any(note in str(one.message) for one in told)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({}, "given has no group that can be tested; give groups of at least 3 rows"),
        ({"a": X.index}, r"no group that can be tested: 'a' \(120 rows\); give groups"),
        ({"a": ["Q1", "Q2", "Q3"]}, r"no group that can be tested: 'a' \(0 rows\); given names 3 "),
        ({"a": "P1"}, r"given\['a'\] is 'P1'; give a list of rows"),
        ({"a": [True] * 5}, r"given\['a'\] is a mask of 5 values for 120 rows; give one value for"),
        (["a", "b"], "given has 2 rows and X has 120; give one for each row of X"),
        (3, r"given is a int of shape \(\); give a label for each row"),
        ([["a", "b"]] * 120, "given has memberships that are not numbers; give True and False"),
        (
            pd.DataFrame([[1, 0]] * 120, columns=["a", "a"]),
            "given has several groups 'a'; give each its own name",
        ),
    ],
    ids=str,
)
def test_what_cannot_be_tested_is_refused(given, reason):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GivenGroupsWarning)
        with pytest.raises(ValueError, match=reason) as refusal:
            given_to(given, Y)
    assert "\n" not in str(refusal.value)
