"""Every number of a page, recomputed from the table with pandas and scikit-learn."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from data import make_one_factor, make_three
from scipy.stats import false_discovery_control, mannwhitneyu, norm
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix, roc_auc_score
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline

from bicneuron import BicNeuronNetwork
from bicneuron.metrics import cross_validated_scores
from bicneuron.neurons import GaussianNeuron
from bicneuron.report import write_report


class Tables(HTMLParser):
    """The cells of all tables of a page by the labels of their regions, and all of its text."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.words, self._label, self._cell = {}, [], None, None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if attributes.get("role") == "region":
            self._label = attributes["aria-label"]
        if tag == "table":
            self.tables[self._label] = []
        if tag == "tr":
            self.tables[self._label].append([])
        if tag in ("td", "th"):
            self.tables[self._label][-1].append("")
            self._cell = self.tables[self._label][-1]

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self._cell[-1] = " ".join(self._cell[-1].split())
            self._cell = None

    def handle_data(self, data):
        if self._cell is not None:
            self._cell[-1] += data
        self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split()).replace(" ,", ",").replace(" :", ":")


def number(value):
    return f"{value:.4g}".replace("-", "\N{MINUS SIGN}")


def percent(value):
    return "under 1 %" if 0 < value < 0.005 else f"{100 * value:.0f} %"


def wilson(count, total):
    """The 95 % interval by the formula of 1927, in words."""
    z, p = norm.ppf(0.975), count / total
    middle = (p + z**2 / (2 * total)) / (1 + z**2 / total)
    half = z / (1 + z**2 / total) * np.sqrt(p * (1 - p) / total + z**2 / (4 * total**2))
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    assert f"{100 * low:.0f}" != f"{100 * high:.0f}"
    return f"{100 * low:.0f} to {100 * high:.0f} %"


def make_page(folder, X, y, labels):
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
    said = {
        method: cross_val_predict(scored, frame, y, cv=folds, method=method)
        for method in ("predict", "predict_proba")
    }
    data = re.search(r'id="page-data">(.*?)</script>', page)[1]
    return Tables(page), json.loads(data), model, frame, y, said


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    X, y = make_one_factor(n_minority=15, n_majority=85)
    return make_page(tmp_path_factory.mktemp("two"), X, y, ["well", "ill"])


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    return make_page(tmp_path_factory.mktemp("three"), *make_three(), ["a", "b", "c"])


@pytest.fixture(params=["two", "three"])
def made(request):
    return request.getfixturevalue(request.param)


def test_confusion_sensitivity_specificity_and_precision(made):
    page, _, _, _, y, said = made
    labels = sorted(set(y))
    counts = confusion_matrix(y, said["predict"])
    head, *lines = page.tables["What was said about each class"]
    assert head[1:] == [f"called {label}" for label in labels]
    assert [line[0] for line in lines] == [f"{label}, {sum(y == label)} rows" for label in labels]
    assert [[int(cell) for cell in line[1:]] for line in lines] == counts.tolist()
    _, *lines = page.tables["Sensitivity, specificity and precision of each class"]
    for label, line in zip(labels, lines, strict=True):
        is_it, called = y == label, said["predict"] == label
        parts = [
            (np.sum(is_it & called), np.sum(is_it)),
            (np.sum(~is_it & ~called), np.sum(~is_it)),
            (np.sum(is_it & called), np.sum(called)),
        ]
        cells = [f"{percent(k / n)} ({wilson(k, n)})" if n else "none" for k, n in parts]
        assert line == [label, f"{100 * np.mean(is_it):.1f} %", *cells]


def test_what_is_said_in_words(two):
    page, _, _, _, y, said = two
    for label, name in (("ill", "sensitivity"), ("well", "specificity")):
        n, k = np.sum(y == label), np.sum((y == label) & (said["predict"] == label))
        words = f"Of {n} rows of {label}, {k} are recognised: a {name} of {percent(k / n)}"
        assert f"{words} (95 % interval {wilson(k, n)})" in page.text
    n, k = np.sum(said["predict"] == "ill"), np.sum((said["predict"] == "ill") & (y == "ill"))
    assert f"Of {n} rows that are called ill, {k} are: a precision of {percent(k / n)}" in page.text
    area = roc_auc_score(y == "ill", said["predict_proba"][:, 0])
    assert f"in {100 * area:.1f} % of all pairs ( area under the ROC curve {area:.3f}" in page.text
    assert "ill is rare: 15 of 100 rows (15.0 %)" in page.text


def test_stated_and_observed_probabilities(two):
    page, _, _, _, y, said = two
    stated, seen = said["predict_proba"][:, 0], 0
    _, *lines = page.tables["Stated and observed probabilities"]
    for line in lines:
        low, high = (int(word) / 100 for word in re.findall(r"\d+(?= %)", line[0]))
        inside = (stated >= low) & (stated < high)
        n, k = inside.sum(), np.sum(y[inside] == "ill")
        seen += n
        seen_rows = f"({k} row{'' if k == 1 else 's'})"
        assert line[1:4] == [
            str(n),
            percent(stated[inside].mean()),
            f"{percent(k / n)} {seen_rows}",
        ]
        assert line[4].startswith(wilson(k, n))
        outside = not (
            float(wilson(k, n).split()[0]) <= 100 * stated[inside].mean()
        ) or 100 * stated[inside].mean() > float(wilson(k, n).split()[2])
        assert ("outside" in line[4]) == outside
    assert seen == len(y)


def test_class_means_of_ranked_columns(made):
    page, _, _, X, y, _ = made
    of_classes = X.groupby(y).mean()
    head, *lines = page.tables["Columns by importance"]
    assert head[3:-1] == [f"Mean of all {label}" for label in of_classes.index]
    for line in lines:
        name = line[1].removesuffix(" not proven")
        assert line[3:-1] == [number(of_classes.loc[label, name]) for label in of_classes.index]
    assert sum(float(line[2].split()[0]) for line in lines) == pytest.approx(100, abs=1)


def test_ranked_columns_are_tested_by_the_classes(made):
    page, _, _, X, y, _ = made
    if len(np.unique(y)) > 2:
        return  # each pattern has two of them
    _, *lines = page.tables["Columns by importance"]
    sides = [X[y == label] for label in np.unique(y)]
    p = {
        name: mannwhitneyu(*(side[name].dropna() for side in sides), method="asymptotic").pvalue
        for name in X
    }
    corrected = dict(zip(p, false_discovery_control([*p.values()]), strict=True))
    for line in lines:
        name = line[1].removesuffix(" not proven")
        if abs(corrected[name] - 0.05) > 0.02:  # the page has exact tails
            assert (name == line[1]) == (corrected[name] <= 0.05)
    shown = [p[line[1].removesuffix(" not proven")] for line in lines]
    assert np.all(np.diff(np.log(shown)) > -0.2), "the clearest first"


def test_means_of_each_pattern(made):
    page, _, model, X, y, _ = made
    of_classes = X.groupby(y).mean()
    for k, pattern in enumerate(model.patterns_, start=1):
        head, *lines = page.tables[f"Columns of pattern {k}"]
        assert head[1:3] == [
            f"Mean of the {len(pattern.rows)} rows of this pattern",
            f"Mean of the {len(pattern.contrast_rows)} rows compared with them",
        ]
        assert {line[0] for line in lines} == set(X.columns[pattern.columns])
        for name, inside, outside, *means in lines:
            assert inside == number(X[name].iloc[pattern.rows].mean())
            assert outside == number(X[name].iloc[pattern.contrast_rows].mean())
            assert means == [number(mean) for mean in of_classes[name]]
        words = f"Pattern {k}: {len(pattern.rows)} rows of {pattern.anchor_class} against "
        assert f"{words}{len(pattern.contrast_rows)} of {pattern.contrast_class}" in page.text


def test_rows_of_each_class(made):
    page, *_, y, _ = made
    _, *lines = page.tables["Rows of each class"]
    for label, n, part in lines:
        assert int(n) == np.sum(y == label)
        assert part == f"{100 * np.mean(y == label):.1f} %"


def test_rows_that_are_looked_up(made):
    _, data, model, X, y, said = made
    classes = data["classes"]
    scores = model.decision_function(X)
    scores = scores if len(classes) == 2 else scores.max(axis=1)
    predicted, chances = model.predict(X), model.predict_proba(X)
    of_classes = X.groupby(y).mean()
    for k, row in enumerate(data["rows"]):
        assert row["name"] == X.index[k]
        assert [classes[row[key]] for key in ("true", "predicted", "left_out")] == [
            y[k],
            predicted[k],
            said["predict"][k],
        ]
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
    for number_, pattern in data["patterns"].items():
        pair = model.patterns_[int(number_) - 1]
        assert (pattern["n_rows"], pattern["n_contrast"]) == (
            len(pair.rows),
            len(pair.contrast_rows),
        )
        for place, (inside, outside) in pattern["means"].items():
            cells = X.iloc[:, int(place)]
            assert inside == pytest.approx(cells.iloc[pair.rows].mean(), rel=1e-3)
            assert outside == pytest.approx(cells.iloc[pair.contrast_rows].mean(), rel=1e-3)
    for place, column in data["columns"].items():
        assert column["name"] == X.columns[int(place)]
        assert column["means"] == pytest.approx(of_classes[column["name"]].tolist(), rel=1e-3)
