"""What a notebook shows of results: HTML with their numbers, and plots."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from notebook_results import NAMES, NASTY, nasty_table, results
from pages import Page

from bicneuron import PatternClassifier
from bicneuron.exceptions import NoPatternWarning
from bicneuron.significance import significance_test


class Piece(Page):
    """A page with the cells of its tables, line by line."""

    def __init__(self, text):
        self.lines = []
        super().__init__(text)

    def handle_starttag(self, tag, attributes):
        super().handle_starttag(tag, attributes)
        if tag == "tr":
            self.lines.append([])
        if tag in ("td", "th"):
            self.lines[-1].append("")

    def handle_data(self, text):
        super().handle_data(text)
        if {"td", "th"} & set(self.open):
            self.lines[-1][-1] += text

    @property
    def tags(self):
        return [tag for tag, _ in self.elements]


def shown(name):
    return Piece(results()[name]._repr_html_())


@pytest.mark.parametrize("name", NAMES)
def test_html_is_the_same_each_time_its_names_are_text_and_nothing_runs(name):
    piece = shown(name)
    assert results()[name]._repr_html_() == results()[name]._repr_html_()
    assert not {"script", "b", "style", "link", "iframe"} & set(piece.tags)
    for attributes in (own for _, own in piece.elements):
        for key, value in attributes.items():
            assert not key.startswith("on")
            assert "http" not in (value or "")
            assert key != "style" or "background:white" not in value
    assert "table" in piece.tags
    assert plt.get_fignums() == []
    if name in ("pattern", "explanation", "explanations", "significance", "columns"):
        assert NASTY in piece.text


def test_a_pattern_lists_its_columns_by_weight():
    pattern = results()["pattern"]
    header, *lines = shown("pattern").lines
    assert header[:3] == ["column number", "rows are", "weight"]
    order = sorted(range(len(pattern.columns)), key=lambda k: -abs(pattern.weights[k]))[:12]
    assert [line[0] for line in lines] == [str(pattern.columns[k]) for k in order]
    assert [line[1] for line in lines] == [
        "higher" if pattern.weights[k] > 0 else "lower" for k in order
    ]
    assert f"And {len(pattern.columns) - 12} more columns." in shown("pattern").text
    assert "15 of 40" in shown("pattern").text
    assert "p = 0.001 corrected" in shown("pattern").text
    assert "strength" not in shown("pattern").text  # where p is known, it counts
    assert "strength" in shown("pattern of a network").text


def test_significance_has_its_summary_and_every_p():
    result, piece = results()["significance"], shown("significance")
    assert f"{result.summary()}." in piece.text
    _, *lines = piece.lines
    assert len(lines) == len(result.patterns)
    for p, line in zip(result.family_p_values, lines, strict=True):
        assert float(line[2]) == pytest.approx(p, rel=0.06)
        assert line[3] == ("yes" if p <= 0.05 else "no")


def test_a_replication_has_its_words():
    result, piece = results()["replication"], shown("replication")
    assert result.words in piece.text
    assert [line[2] for line in piece.lines[1:]] == [one.verdict for one in result.patterns]


def test_columns_come_with_their_evidence():
    result, piece = results()["columns"], shown("columns")
    assert result.words in piece.text
    _, *lines = piece.lines
    for column, line in zip(result.listed_columns.tolist(), lines, strict=False):
        assert line[0] == result.names[column]
        assert float(line[2].replace("\N{MINUS SIGN}", "-")) == pytest.approx(
            result.effect[column], rel=0.01
        )
        assert line[5] == ("yes" if result.p_corrected[column] <= 0.05 else "no")
    assert len(lines) == 12
    assert f"And {len(result.listed_columns) - 12} more columns." in piece.text


def test_explanations_of_many_rows_are_a_line_each():
    explained, piece = results()["explanations"], shown("explanations")
    assert len(piece.lines) == 11
    assert piece.lines[3][:2] == [explained[2].row, explained[2].predicted]
    assert "And 70 more rows." in piece.text
    assert "more rows" not in Piece(explained[:3]._repr_html_()).text


def test_patterns_made_with_the_classes_are_listed_as_not_tested():
    X, y = nasty_table()
    model = PatternClassifier(miners=(), random_state=0).fit(X, y)
    result = significance_test(model, X, y, n_permutations=3, random_state=0)
    text = Piece(result._repr_html_()).text
    assert f"{result.summary()}." in text
    assert text.count("not tested") == len(model.patterns_)
    assert "none is tested" in text


def test_a_model_without_patterns_says_so():
    X = np.random.default_rng(0).normal(size=(60, 5))
    with pytest.warns(NoPatternWarning):
        model = PatternClassifier(random_state=0).fit(X, np.repeat([0, 1], 30))
    explained = model.explain(X)
    assert "has no pattern" in Piece(explained[0]._repr_html_()).text
    assert len(Piece(explained._repr_html_()).lines) == 11
    result = significance_test(model, X, np.repeat([0, 1], 30), random_state=0)
    assert "no pattern here belongs to a class" in Piece(result._repr_html_()).text
