"""Scores by cross-validation on a page; how they are made is tested with the metrics."""

import numpy as np
import pytest
from data import classifier, make_one_factor, make_three
from matplotlib.figure import Figure
from sklearn.linear_model import LogisticRegression

from bicneuron.metrics import cross_validated_scores
from bicneuron.report import write_report
from bicneuron.report._model import _scores
from bicneuron.report._plots import draw_roc


def test_the_page_has_the_scores_of_the_library_and_makes_none_that_are_known(
    tmp_path, monkeypatch
):
    X, y = make_one_factor(n_minority=20, n_majority=30)
    model = classifier(max_ratio=9.0).fit(X, y)
    scores = cross_validated_scores(model, X, y)
    page = write_report(tmp_path / "one.html", model, X, y).read_bytes()
    monkeypatch.setattr("bicneuron.report._model.cross_validated_scores", None)
    assert write_report(tmp_path / "two.html", model, X, y, scores=scores).read_bytes() == page


def test_a_class_of_one_row_cannot_be_tested():
    X, y = make_three(sizes=(1, 20, 20))
    assert "two rows of each class" in _scores(classifier(), X, y, None, {})["reason"]


def test_the_roc_curve_counts_pairs_in_the_right_order():
    left_out = cross_validated_scores(LogisticRegression(), *make_one_factor()).left_out
    assert left_out.of_interest in left_out.classes
    draw_roc((figure := Figure()).subplots(), left_out, "#123456")
    curve, guessing = figure.axes[0].get_lines()
    assert (curve.get_color(), guessing.get_label()) == ("#123456", "guessing")
    sign = 1 if left_out.of_interest == left_out.classes[1] else -1
    of_interest = left_out.y == left_out.of_interest
    high, low = sign * left_out.scores[of_interest], sign * left_out.scores[~of_interest]
    area = np.mean([(one > other) + (one == other) / 2 for one in high for other in low])
    assert np.trapezoid(curve.get_ydata(), curve.get_xdata()) == pytest.approx(area)
