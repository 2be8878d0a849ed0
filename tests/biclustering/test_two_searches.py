"""Groups of a search without labels, and what only a search with labels sees, in one model."""

from copy import copy
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

from bicneuron import SubgroupBiclustering
from bicneuron.patterns import proven_patterns
from bicneuron.persistence import load_model, save_model
from bicneuron.significance import replicate, significance_test, with_evidence


@cache
def searched():
    """Twelve cases are shifted; the search without labels was tested."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 60))).rename(columns="g{}".format)
    X.iloc[:12, :8] += 3.0
    X.iloc[:6, 20:28] += 3.0
    y = np.repeat(["case", "control"], 40)
    miner = SubgroupBiclustering(n_patterns=6, kinds="shift")
    blind = miner.fit(X)
    blind = with_evidence(blind, significance_test(blind, X, y, random_state=0))
    seen = SubgroupBiclustering(n_patterns=6, kinds="shift").fit(X, y)
    return X, y, blind, seen


def same_rows(a, b):
    return np.sum(a & b) / np.sum(a | b) > 0.75


def test_beyond_leaves_out_what_the_other_search_has():
    X, _, blind, seen = searched()
    new = seen.beyond(blind, X)
    known, own, all_groups = blind.carriers(X), new.carriers(X), seen.carriers(X)
    assert 0 < len(new.patterns_) < len(seen.patterns_)
    for rows in all_groups.T:
        is_known = any(same_rows(rows, other) for other in known.T)
        assert is_known != any(np.array_equal(rows, other) for other in own.T)
    for pattern in new.patterns_:
        assert pattern.parent is None or pattern.parent in range(len(new.patterns_))


def test_findings_come_first_and_then_the_strongest(tmp_path):
    X, y, blind, seen = searched()
    both = seen.beyond(blind, X).findings_first(X, y, before=blind)
    findings = proven_patterns(both.patterns_)
    n = len(findings)
    assert n > 0
    assert both.patterns_[:n] == findings
    strengths = [one.strength for one in both.patterns_[n:]]
    assert strengths == sorted(strengths, reverse=True)
    assert len(both.patterns_) == 6
    # Carriers are counted in the classes, whichever search found the group.
    carriers = both.carriers(X)
    for pattern, own in zip(both.patterns_, carriers.T, strict=True):
        assert pattern.carrier_counts == {
            label: (int(own[y == label].sum()), 40) for label in ("case", "control")
        }
    # A parent is the same group as before.
    for pattern in both.patterns_:
        if pattern.parent is not None:
            around = set(both.patterns_[pattern.parent].rows)
            assert len(around & set(pattern.rows)) >= 0.8 * len(pattern.rows)
    both.check_table(X, y)
    with pytest.raises(ValueError, match="y is not what the model was fitted to"):
        both.check_table(X, y[::-1])
    # What is kept of the table fits the patterns.
    loaded = load_model(save_model(both, tmp_path / "groups.skops"))
    assert loaded.summary() == both.summary()
    again = replicate(loaded, X.add(0.01).iloc[::-1], n_draws=19, random_state=0)
    assert len(again.patterns) == 6
    np.testing.assert_array_equal(loaded.carriers(X), carriers)


def test_without_a_second_search_the_order_is_kept_where_nothing_was_tested():
    X, y, _, seen = searched()
    assert seen.findings_first(X, y).patterns_ == seen.patterns_
    assert seen.summary() == seen.findings_first(X, y).summary()


def test_parents_follow_their_groups():
    X, y, blind, seen = searched()
    family = copy(seen).set_params(n_patterns=20)
    around, *others = seen.patterns_
    family.patterns_ = [around, *(replace(one, parent=0) for one in others)]
    both = family.findings_first(X, y, before=blind)

    def known_by(pattern):
        return pattern.anchor_class, tuple(pattern.columns)

    place = [known_by(one) for one in both.patterns_].index(known_by(around))
    assert place > 0, "behind a finding"
    own = {known_by(one) for one in others}
    parents = [one.parent for one in both.patterns_ if known_by(one) in own]
    assert parents == [place] * len(others)
