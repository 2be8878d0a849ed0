"""Findings, and patterns that help to predict and are not proven, are shown apart."""

import numpy as np
import pandas as pd
import pytest

from bicneuron import BicNeuronNetwork
from bicneuron.exceptions import NoPatternWarning
from bicneuron.patterns import Evidence
from bicneuron.report import pattern_lists, pattern_records, write_report

FINDING = Evidence(method="choice", p_value=0.02, family_p_value=0.02, n_permutations=99)
HELPER = FINDING._replace(p_value=0.4, family_p_value=0.4)


@pytest.fixture(scope="module")
def fitted():
    """Two columns that differ a lot, and two others that differ in other rows: two patterns."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 30)), np.repeat(["ill", "well"], 60)
    X[:30, [3, 4, 5, 6]] += 3.0
    X[30:60, [11, 12, 13, 14]] -= 3.0
    X = pd.DataFrame(X, columns=[f"g{k}" for k in range(30)])
    model = BicNeuronNetwork(design="readable", max_columns=4, random_state=0).fit(X, y)
    assert len(model.patterns_) >= 2
    return X, y, model


@pytest.fixture(scope="module")
def tested(fitted):
    X, y, model = fitted
    rest = [HELPER] * (len(model.patterns_) - 1)
    # The first only helps; the page shows it after the finding.
    return X, y, model.with_evidence([HELPER, FINDING, *rest[1:]])


def test_lists_have_findings_only_with_their_numbers(tested):
    X, y, model = tested
    lists = pattern_lists(model, X, y)
    assert {line["pattern"] for line in lists.columns} == {2}
    assert {line["pattern"] for line in lists.rows} == {2}
    assert all(name.startswith("pattern 2 ") for name, *_ in lists.gene_sets)
    named = {X.columns[k] for k in model.patterns_[1].columns}
    assert {line["column"] for line in lists.ranking} == named
    every = pattern_lists(model, X, y, only_findings=False)
    numbers = {line["pattern"] for line in every.columns}
    assert numbers == set(range(1, len(model.patterns_) + 1))


def test_without_a_finding_lists_say_the_way_out(tested):
    X, y, model = tested
    nothing = model.with_evidence([HELPER] * len(model.patterns_))
    with pytest.raises(ValueError, match="no pattern is a finding; only_findings=False"):
        pattern_lists(nothing, X, y)


def test_untested_patterns_are_listed(fitted):
    X, y, model = fitted
    numbers = {line["pattern"] for line in pattern_lists(model, X, y).columns}
    assert len(numbers) == len(model.patterns_)


def test_records_say_which_is_which(tested):
    verdicts = [record["verdict"] for record in pattern_records(tested[2])]
    assert verdicts[:2] == ["helps to predict, not proven", "a finding"]


def test_the_page_shows_findings_first(tested, tmp_path):
    X, y, model = tested
    write_report(tmp_path / "page.html", model, X, y)
    page = (tmp_path / "page.html").read_text()
    places = [
        page.index(words)
        for words in (
            "<h3>Findings</h3>",
            "<summary>Pattern 2:",
            "<h3>Help to predict, not proven</h3>",
            "<summary>Pattern 1:",
        )
    ]
    assert places == sorted(places)
    assert page.count("helps to predict, not proven.") == len(model.patterns_) - 1


def test_a_page_without_patterns_says_what_to_do(tmp_path):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(90, 40)), np.repeat(["ill", "well"], 45)
    with pytest.warns(NoPatternWarning):
        model = BicNeuronNetwork(design="readable", random_state=0).fit(X, y)
    write_report(tmp_path / "page.html", model, X, y)
    page = (tmp_path / "page.html").read_text()
    assert "No pattern that predicts the class was found in 90 rows and 40 columns." in page
    assert "There is no pattern." in page
    assert "<summary>Pattern" not in page
    with pytest.raises(ValueError, match="found no pattern; there is nothing to list"):
        pattern_lists(model, X, y)
