"""All patterns of a model are shown and listed, whether they were tested or not."""

import numpy as np
import pandas as pd
import pytest
from data import quick_scores

from bicneuron import PatternClassifier
from bicneuron.exceptions import NoPatternWarning
from bicneuron.patterns import Evidence
from bicneuron.report import pattern_lists, write_report
from bicneuron.report._model import _shown

FOUND = Evidence(p_value=0.02, family_p_value=0.02, n_permutations=99)
OPEN = FOUND._replace(p_value=0.4, family_p_value=0.4)


@pytest.fixture(scope="module")
def fitted():
    """Two columns that differ a lot, and two others that differ in other rows: two patterns."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 30)), np.repeat(["ill", "well"], 60)
    X[:30, [3, 4, 5, 6]] += 3.0
    X[30:60, [11, 12, 13, 14]] -= 3.0
    X = pd.DataFrame(X, columns=[f"g{k}" for k in range(30)])
    model = PatternClassifier(max_columns=4, random_state=0).fit(X, y)
    assert len(model.patterns_) >= 2
    return X, y, model


def test_lists_and_page_have_all_patterns_whatever_their_tests_say(fitted, tmp_path):
    X, y, model = fitted
    rest = [None] * (len(model.patterns_) - 2)
    model = model.with_evidence([OPEN, FOUND, *rest])
    lists = pattern_lists(model, X, y)
    numbers = [*range(1, len(model.patterns_) + 1)]
    assert sorted({line["pattern"] for line in lists.columns}) == numbers
    assert sorted({line["pattern"] for line in lists.rows}) == numbers
    named = {X.columns[k] for pattern in model.patterns_ for k in pattern.columns}
    assert {line["column"] for line in lists.ranking} == named
    write_report(tmp_path / "page.html", model, X, y, scores=quick_scores(X, y))
    page = (tmp_path / "page.html").read_text()
    places = [page.index(f"<summary>Pattern {number}:") for number in numbers]
    assert places == sorted(places)
    ranked = page.partition("Which columns matter")[2].partition("What decides")[0]
    assert all(f">{name}" in ranked for name in named)


def test_the_page_names_a_column_of_each_pattern_however_many_others_are_clearer():
    lines = [{"patterns": "1", "rank": k} for k in range(40)]
    lines += [{"patterns": "2 3", "rank": 40}, {"patterns": "3", "rank": 41}]
    assert [line["rank"] for line in _shown(lines, 3)] == [*range(30), 40]
    assert [line["rank"] for line in _shown(lines, 400)] == [*range(30)]


def test_a_page_without_patterns_says_what_to_do(tmp_path):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(90, 40)), np.repeat(["ill", "well"], 45)
    with pytest.warns(NoPatternWarning):
        model = PatternClassifier(random_state=0).fit(X, y)
    write_report(tmp_path / "page.html", model, X, y, scores=quick_scores(X, y))
    page = (tmp_path / "page.html").read_text()
    assert "No pattern that predicts the class was found in 90 rows and 40 columns." in page
    assert "There is no pattern." in page
    assert "<summary>Pattern" not in page
    with pytest.raises(ValueError, match="found no pattern; there is nothing to list"):
        pattern_lists(model, X, y)
