"""Numbers of the page of a model of three classes, with gaps; those of two: numbers_of_model."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from data import make_one_factor, make_three
from page_numbers import Numbers, percent, table_of, wilson
from scipy.stats import false_discovery_control, mannwhitneyu
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline

from bicneuron import BicNeuronNetwork
from bicneuron.metrics import cross_validated_scores
from bicneuron.neurons import GaussianNeuron
from bicneuron.report import write_report


def make_page(folder, X, y, labels):
    """Its texts and data, the model, the table, and what a model of the folds says of each row."""
    frame = pd.DataFrame(X, columns=[f"gene {k}" for k in range(X.shape[1])])
    frame = frame.mask(np.random.default_rng(1).random(X.shape) < 0.03)
    frame = frame.set_axis([f"row {k}" for k in range(len(X))])
    y = np.array(labels)[y]
    model = BicNeuronNetwork(n_neurons=6, neuron_kinds=[GaussianNeuron()], random_state=0)
    model.fit(frame, y)
    scored = make_pipeline(SimpleImputer(), LogisticRegression())
    scores = cross_validated_scores(scored, frame, y, n_repeats=1)
    page = write_report(folder / "page.html", model, frame, y, scores=scores).read_text()
    folds = [*RepeatedStratifiedKFold(n_splits=5, n_repeats=1, random_state=0).split(frame, y)]
    said = cross_val_predict(scored, frame, y, cv=folds)
    data = re.search(r'id="page-data">(.*?)</script>', page)[1]
    return Numbers(page), json.loads(data), model, frame, y, said


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make_page(tmp_path_factory.mktemp("three"), *make_three(), ["a", "b", "c"])


def test_confusion_sensitivity_specificity_and_precision(made):
    page, _, _, _, y, said = made
    labels = sorted(set(y))
    head, lines = table_of(page, "What was said about each class")
    assert head[1:] == [f"called {label}" for label in labels]
    assert [line[0] for line in lines] == [f"{label}, {sum(y == label)} rows" for label in labels]
    counts = confusion_matrix(y, said).tolist()
    assert [[int(cell) for cell in line[1:]] for line in lines] == counts
    _, lines = table_of(page, "Sensitivity, specificity and precision of each class")
    for label, line in zip(labels, lines, strict=True):
        is_it, called = y == label, said == label
        parts = [
            (np.sum(is_it & called), np.sum(is_it)),
            (np.sum(~is_it & ~called), np.sum(~is_it)),
            (np.sum(is_it & called), np.sum(called)),
        ]
        cells = [f"{percent(k / n)} ({wilson(k, n)})" if n else "none" for k, n in parts]
        assert line == [label, f"{100 * np.mean(is_it):.1f} %", *cells]
    _, lines = table_of(page, "Rows of each class")
    assert lines == [
        [label, str(np.sum(y == label)), f"{100 * np.mean(y == label):.1f} %"] for label in labels
    ]


def test_rows_that_are_looked_up(made):
    _, data, model, X, y, said = made
    classes = data["classes"]
    scores = model.decision_function(X).max(axis=1)
    predicted, chances = model.predict(X), model.predict_proba(X)
    for k, row in enumerate(data["rows"]):
        assert row["name"] == X.index[k]
        given = [classes[row[key]] for key in ("true", "predicted", "left_out")]
        assert given == [y[k], predicted[k], said[k]]
        assert row["score"] == pytest.approx(scores[k], rel=1e-3)
        chance = chances[k, classes.index(predicted[k])]
        assert row["probability"] == pytest.approx(chance, abs=1e-3)
        total = row["bias"] + row["rest"] + sum(part["adds"] for part in row["why"])
        assert total == pytest.approx(scores[k], abs=2e-3)
        for part in row["why"]:
            adds = [size for _, _, size in part["columns"]]
            if not part["n_more"]:
                assert sum(adds) + part["bias"] == pytest.approx(part["adds"], abs=2e-3)
            for place, value, _ in part["columns"]:
                cell = X.iloc[k, place]
                assert value is None if np.isnan(cell) else value == pytest.approx(cell, rel=1e-3)
    for place, pattern in data["patterns"].items():
        pair = model.patterns_[int(place) - 1]
        sides = pair.rows, pair.contrast_rows
        assert [pattern["n_rows"], pattern["n_contrast"]] == [*map(len, sides)]
        for column, means in pattern["means"].items():
            expected = [X.iloc[rows, int(column)].mean() for rows in sides]
            assert means == pytest.approx(expected, rel=1e-3)
    of_classes = X.groupby(y).mean()
    for place, column in data["columns"].items():
        assert column["name"] == X.columns[int(place)]
        assert column["means"] == pytest.approx(of_classes[column["name"]].tolist(), rel=1e-3)


def test_columns_of_two_classes_are_ranked_by_their_tests_and_a_rare_class_is_named(tmp_path):
    two = make_one_factor(n_minority=15, n_majority=85)
    page, _, _, X, y, _ = make_page(tmp_path, *two, ["well", "ill"])
    _, lines = table_of(page, "Columns by importance")
    sides = [X[y == label] for label in np.unique(y)]
    p = {
        name: mannwhitneyu(*(side[name].dropna() for side in sides), method="asymptotic").pvalue
        for name in X
    }
    corrected = dict(zip(p, false_discovery_control([*p.values()]), strict=True))
    for _, shown, *_ in lines:
        name = shown.removesuffix(" not proven")
        if abs(corrected[name] - 0.05) > 0.02:  # the page has exact tails
            assert (name == shown) == (corrected[name] <= 0.05)
    ranked = [p[line[1].removesuffix(" not proven")] for line in lines]
    assert np.all(np.diff(np.log(ranked)) > -0.2), "the clearest first"
    assert any("ill is rare: 15 of 100 rows (15.0 %)" in text.words for text in page.texts)
