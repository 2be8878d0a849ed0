"""Every outcome and every source of groups meets every consumer of findings."""

from functools import cache

import anndata
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from pages import Page
from scipy.sparse import issparse

from bicneuron import find_groups
from bicneuron.inspection import NumbersDisplay, SurvivalDisplay
from bicneuron.omics import add_patterns
from bicneuron.outcomes import Numbers, Survival
from bicneuron.persistence import load_model
from bicneuron.replication import replicate
from bicneuron.report import pattern_lists, pattern_records, write_report
from bicneuron.significance._find_groups import judged_groups
from contract.consumers import other_rows
from contract.producers import GIVEN, N_ROWS, case, labels_of, table

RNG = np.random.default_rng(0)
GROUP = np.isin(np.arange(N_ROWS), range(0, 18, 2))
TIME = np.round(RNG.exponential(np.where(GROUP, 2, 9)), 1)
OUTCOMES = {
    "nothing": None,
    "classes": labels_of(2),
    "numbers": Numbers(np.where(np.arange(N_ROWS) == 5, np.nan, GROUP + RNG.normal(size=N_ROWS))),
    "survival": Survival(TIME, RNG.random(N_ROWS) < 0.7, name="months"),
}
FOUND = {"found, frame": "frame", "found, sparse": "sparse", "found, gaps": "gaps"}
PAIRS = [(source, outcome) for source in (*FOUND, *GIVEN) for outcome in OUTCOMES]
USUAL = {("found, frame", "survival"), ("given, labels", "numbers"), ("found, gaps", "numbers")}
DISPLAYS = {"numbers": NumbersDisplay, "survival": SurvivalDisplay}


@cache
def findings(source, outcome):
    """The table and its findings."""
    y = OUTCOMES[outcome]
    if source in FOUND:
        X = table(FOUND[source])
        return X, find_groups(X, y, random_state=0)
    return case(source).X, judged_groups(case(source).model, case(source).X, y, random_state=0)


@pytest.mark.parametrize(
    ("source", "outcome"),
    [one if one in USUAL else pytest.param(*one, marks=pytest.mark.slow) for one in PAIRS],
)
def test_all_consumers(source, outcome, tmp_path):
    (X, found), y = findings(source, outcome), OUTCOMES[outcome]
    assert found.patterns
    effects = [one.evidence.effect for one in found.patterns if one.evidence is not None]
    assert [one is not None for one in effects] == [outcome in DISPLAYS] * len(effects)
    told = found.summary()
    assert ("class" in told) == (outcome == "classes")
    frame, records = found.to_frame(), pattern_records(found.miner, X, y)
    for k, pattern in enumerate(found.patterns):
        evidence = pattern.evidence
        if outcome != "nothing":
            assert frame["p"].iloc[k] == records[k]["p_corrected"] == evidence.family_p_value
        if outcome in DISPLAYS:
            assert records[k]["effect"] == evidence.effect.words
    loaded = load_model(found.save(tmp_path / "groups.skops"))
    assert loaded.summary() == told
    page = Page(write_report(tmp_path / "page.html", found.miner, X, y).read_text())
    assert all(" ".join(line.split()) in page.text for line in told.splitlines() if line[0] != "1")
    if outcome in DISPLAYS:
        assert effects[0].size_words in page.text
        display = DISPLAYS[outcome].from_result(found, y=y)
        assert_array_equal(display.members, np.isin(np.arange(N_ROWS), found.patterns[0].rows))
    if not issparse(X):
        assert "genes.csv" in pattern_lists(found.miner, X, y, evidence=found.columns).files
    adata = anndata.AnnData(X)
    if hasattr(X, "columns"):
        adata.var_names = X.columns.tolist()
    add_patterns(adata, found.miner)
    assert adata.obsm["bicneuron"].shape == (N_ROWS, len(found.patterns))
    if source in GIVEN or source == "found, frame":
        X2, _ = other_rows(source if source in GIVEN else "groups")
        rows = np.random.default_rng(4).permutation(N_ROWS)[: len(X2)]
        y2 = {
            "nothing": None,
            "classes": labels_of(2)[rows],
            "numbers": Numbers(np.arange(36.0)),
            "survival": Survival(TIME[rows], np.arange(36) % 2, name="months"),
        }[outcome]
        again = replicate(found, X2, y2, n_draws=19, random_state=0)
        assert len(again.patterns) == len(found.patterns)
        for one in again.patterns:
            assert (one.effect is None) == (outcome not in DISPLAYS or one.found.members is None)
            assert one.reason or (one.p_tied is None) == (y2 is None)
        path = write_report(tmp_path / "again.html", again, X2, y2)
        assert again.words in Page(path.read_text()).text
