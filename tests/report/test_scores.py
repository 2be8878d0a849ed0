"""Scores by cross-validation on a page; how they are made is tested with the metrics."""

from data import classifier, make_one_factor, make_three

from bicneuron.metrics import cross_validated_scores
from bicneuron.report import write_report
from bicneuron.report._scores import cross_validated


def test_the_page_has_the_scores_of_the_library():
    X, y = make_one_factor()
    model = classifier(max_ratio=9.0)
    told, scores = cross_validated(model, X, y), cross_validated_scores(model, X, y)
    assert told["reason"] is None
    assert told["scores"] == scores
    assert [line["name"].split()[0] for line in told["measures"]] == [
        "Accuracy",
        "Balanced",
        "Area",
    ]
    assert [line["model"] for line in told["measures"]] == list(scores.model.values())
    assert [line["rival"] for line in told["measures"]] == list(scores.logistic_regression.values())


def test_a_class_of_one_row_cannot_be_tested():
    X, y = make_three(sizes=(1, 20, 20))
    assert "two rows of each class" in cross_validated(classifier(), X, y)["reason"]


def test_scores_that_are_known_are_not_made_again(tmp_path, monkeypatch):
    X, y = make_one_factor()
    model = classifier(max_ratio=9.0).fit(X, y)
    scores = cross_validated_scores(model, X, y)
    page = write_report(tmp_path / "one.html", model, X, y).read_bytes()
    monkeypatch.setattr("bicneuron.report._scores.cross_validated_scores", None)
    assert write_report(tmp_path / "two.html", model, X, y, scores=scores).read_bytes() == page
