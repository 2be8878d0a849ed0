"""The order of groups after tests: findings, what only passed the test against chance, others."""

from copy import copy
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd

from bicneuron import Findings, SubgroupBiclustering
from bicneuron.patterns import Evidence, proven_patterns
from bicneuron.patterns._reference import learn_reference
from bicneuron.persistence import load_model
from bicneuron.replication import replicate

FINDING = Evidence(family_p_value=0.01, proven_columns=(0, 1), n_found=5, n_folds=5)
LEAD = FINDING._replace(n_found=2)
NOTHING = Evidence(family_p_value=0.4)


@cache
def searched():
    """Groups of 80 rows, of which tests say what they like: the third is a finding."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 60))).rename(columns="g{}".format)
    X.iloc[:12, :8] += 3.0
    X.iloc[:6, 20:28] += 3.0
    miner = SubgroupBiclustering(n_patterns=5, kinds="shift").fit(X)
    told = [NOTHING, LEAD, FINDING, NOTHING, LEAD][: len(miner.patterns_)]
    return X, np.repeat(["case", "control"], 40), miner, miner.with_evidence(told)


def test_findings_come_first_then_leads_and_then_the_strongest(tmp_path):
    X, y, miner, tested = searched()
    assert len(miner.patterns_) == 5
    ranked = tested.findings_first(X, y)
    places = [2, 1, 4, 0, 3]
    assert [one.rows.tolist() for one in ranked.patterns_] == [
        miner.patterns_[place].rows.tolist() for place in places
    ]
    assert ranked.patterns_[:1] == proven_patterns(ranked.patterns_)
    # Carriers are counted in the classes, which the search did not see.
    carriers = ranked.carriers(X)
    for pattern, own in zip(ranked.patterns_, carriers.T, strict=True):
        assert pattern.carrier_counts == {
            label: (int(own[y == label].sum()), 40) for label in ("case", "control")
        }
    # What is kept of the table fits the patterns.
    found = Findings(ranked, np.full((5, 80), np.nan), learn_reference(ranked, X))
    findings = load_model(found.save(tmp_path / "groups.skops"))
    loaded = findings.miner
    assert loaded.summary() == ranked.summary()
    again = replicate(findings, X.add(0.01).iloc[::-1], n_draws=19, random_state=0)
    assert len(again.patterns) == 5
    np.testing.assert_array_equal(loaded.carriers(X), carriers)


def test_the_order_is_kept_where_nothing_was_tested():
    X, _, miner, _ = searched()
    assert miner.findings_first(X).patterns_ == miner.patterns_
    assert miner.findings_first(X).summary() == miner.summary()


def test_parents_follow_their_groups():
    X, y, _, tested = searched()
    family = copy(tested)
    around, *others = tested.patterns_
    family.patterns_ = [around, *(replace(one, parent=0) for one in others)]
    ranked = family.findings_first(X, y)
    assert [one.parent for one in ranked.patterns_] == [3, 3, 3, None, 3]
