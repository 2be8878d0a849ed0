"""The page about a fitted model: its content and its parts."""

import base64
import hashlib
import json
import re
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pytest
from data import classifier, make_one_factor, make_three, quick_scores
from pages import Page, assert_self_contained
from scipy.sparse import csr_array

from bicneuron import BicNeuronNetwork
from bicneuron.exceptions import NoContrastivePairWarning
from bicneuron.neurons import GaussianNeuron, KernelPerceptron
from bicneuron.report import write_report
from bicneuron.report._model import summarise

ABOUT = {
    "target": "class <i>",
    "id": None,
    "dropped": ["a", "b"],
    "command": "bicneuron fit 'x<y>.csv'",
    "table": "x.csv",
    "n_rows": 100,
}


def frame_of(X):
    """Names would leave an element open, if they were not text."""
    frame = pd.DataFrame(X, columns=[f"<i>col {k}" for k in range(X.shape[1])])
    return frame.set_axis([f"row {k}" for k in range(len(X))])


BELLS = {"neuron_kinds": [GaussianNeuron()], "random_state": 0}
KINDS = {
    "single": classifier(),
    "search": classifier(search={"miner__cut_distance": (0.5,), "max_ratio": (0.9, 9.0)}, cv=2),
    "fallback": classifier(max_ratio=0.0),
    "three, ovo": classifier(max_ratio=9.0, multi_class="ovo"),
    "three, network": BicNeuronNetwork(n_neurons=10, **BELLS),
}


@cache
def fit(kind):
    """A model of each kind, with its rows and classes; fitted once, for tests that look at it."""
    X, y = make_three() if "three" in kind else make_one_factor()
    X, y = frame_of(X), np.array(["ill", "well", "unknown"])[y]
    with pytest.warns(NoContrastivePairWarning) if kind == "fallback" else nullcontext():
        return KINDS[kind].fit(X, y), X, y


@cache
def page_of(kind):
    """The text of the page about a model and its rows; pictures take time."""
    model, X, _ = fit(kind)
    with TemporaryDirectory() as folder:
        return write_report(Path(folder) / "page.html", model, X, about=ABOUT).read_text()


@pytest.fixture(scope="module")
def single():
    return fit("single")


@pytest.mark.parametrize("kind", KINDS)
def test_every_model_has_a_page_that_needs_nothing_else(kind, tmp_path):
    page = assert_self_contained(page_of(kind))
    assert [attributes["id"] for attributes in page.all("h2")] == [
        *("how-well", "columns", "pattern", "rows", "data", "appendix", "versions")
    ]
    assert "bicneuron fit 'x<y>.csv'" in page.text
    assert "class <i>" in page.text
    if kind == "fallback":
        for words in (
            "No contrastive pair survived.",
            "Kept by the filter 0 ",
            "One neuron on all",
        ):
            assert words in page.text
    text = write_report(tmp_path / "page.html", fit(kind)[0]).read_text()
    page = Page(text)
    assert "This page was made without rows." in page.text
    assert "This needs the table that the model was fitted on." in page.text
    assert not page.all("svg")
    before, _, appendix = text.partition('id="appendix"')
    for word in ("MSR", " anchor: ", "penalty", "log odds", "label AUC"):
        assert word not in re.sub(r"(?s)<style>.*?</style>|--anchor:", "", before), word
    assert "MSR ratio" in appendix


def test_only_the_script_of_the_page_may_run(single):
    _, X, _ = single
    text = page_of("single")
    data, script = re.findall(r"<script[^>]*>(.*?)</script>", text, flags=re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'\"" in text
    assert "default-src 'none'" in text
    for word in ("fetch", "XMLHttpRequest", "import", "eval", "innerHTML", "http"):
        assert word not in script
    assert [row["name"] for row in json.loads(data)["rows"]] == X.index.tolist()


def test_same_arguments_same_bytes(single, tmp_path):
    model, X, _ = single
    again = write_report(tmp_path / "page.html", model, X, about=ABOUT)
    assert again.read_text() == page_of("single")


def test_it_tells_pattern_formula_stages_and_versions(single):
    model, _, _ = single
    page = Page(page_of("single"))
    assert len(model.to_formula().features) <= 12
    for term in re.split(" (?=[+\N{MINUS SIGN}] )", str(model.to_formula()).partition(";")[0]):
        assert term in page.text
    for column in model.feature_names_in_[model.selected_pair_.columns]:
        assert column in page.text
    found = model.diagnostics_
    for words, number in (
        ("Seeds of the search", found.n_seeds),
        ("Biclusters, each with its contrast", found.n_pairs),
        ("Kept by the filter", found.n_kept),
    ):
        assert f"{words} {number} " in page.text
    assert len(page.all("svg")) == 4, "the table, and three of the pattern"
    assert "scikit-learn" in page.text


def test_a_formula_has_a_dozen_terms_and_the_rest_is_folded(tmp_path):
    X, y = make_one_factor(n_columns=40)
    X = frame_of(X)
    with pytest.warns(NoContrastivePairWarning):
        model = classifier(max_ratio=0.0).fit(X, y)
    formula = summarise(model)["problems"][0]["formula"]
    assert "+ 28 more terms; 1 if score > 0, else 0" in formula["short"]
    text = write_report(tmp_path / "page.html", model, X).read_text()
    folded = text.partition("<summary>The whole formula</summary>")[2].partition("</details>")[0]
    assert folded.count("\N{MIDDLE DOT}") == 40


def test_other_rows_than_those_of_the_fit_have_no_pictures(single, tmp_path):
    model, X, y = single
    X, y = X[::-1], y[::-1]
    path = write_report(tmp_path / "page.html", model, X, y, scores=quick_scores(X, y))
    page = Page(path.read_text())
    shown = [attributes["aria-label"] for attributes in page.all("svg")]
    assert [label.split()[0] for label in shown] == ["ROC"], "none of patterns"
    assert "X is not what the model was fitted to: its rows are in another order" in page.text
    assert page.all("details")


def test_several_labels_have_no_rows_explained(tmp_path):
    X, y = make_one_factor()
    model = BicNeuronNetwork(n_neurons=5, neuron_kinds=[GaussianNeuron()], random_state=0)
    labels = np.column_stack([y, X[:, 0] > 0]).astype(int)
    model.fit(X, labels)
    page = Page(write_report(tmp_path / "page.html", model, X, labels).read_text())
    assert "No rows were given, or each has several labels." in page.text
    assert len(page.all("svg")) == 4
    assert "not 1" in page.text


def test_labels_in_doubt_are_named_the_most_doubtful_first():
    X, y = make_one_factor(n_minority=40, n_majority=60)
    wrong = [3, 50, 71]
    y[wrong] = 1 - y[wrong]
    network = BicNeuronNetwork(n_neurons=40, random_state=0).fit(X, y)
    stages = {stage["name"]: stage for stage in summarise(network)["network"]["stages"]}
    stage = stages["Labels in doubt"]
    assert stage["count"] == np.sum(network.label_doubt_ > 0.5)
    listed = {int(k): float(p) for k, p in re.findall(r"(\d+) \((0\.\d\d)\)", stage["detail"])}
    assert {*wrong} <= {*listed}
    assert [*listed.values()] == sorted(listed.values(), reverse=True)
    assert [*listed.values()] == pytest.approx(network.label_doubt_[[*listed]], abs=0.006)


def test_names_of_columns_and_classes_are_the_users_own():
    for kind in ("single", "search", "fallback", "three, ovo"):
        model, X, _ = fit(kind)
        shown = summarise(model)
        for problem, pattern in zip(shown["problems"], shown["patterns"], strict=True):
            names = [column["column"] for column in pattern["columns"]]
            assert set(names) <= set(X.columns)
            assert set(names) or problem["fallback"]
            words = f"{problem['title']} {problem['formula']} {pattern['group_class']}"
            assert not {"True", "False"} & set(words.split())
    text = page_of("three, ovo").partition("<pre>Bic")[0]
    assert not re.search(r">[^<>]*\b(True|False)\b[^<>]*<(?!/script)", text), "nor in pictures"


def test_rows_by_name_and_by_position(single):
    model, X, y = single
    rows, scores = ["row 7", 3, -1, "row 7"], quick_scores(X, y)
    shown = summarise(model, X, y, rows=rows, scores=scores)["rows"]["chosen"]
    assert [line["row"]["name"] for line in shown] == ["row 7", "row 3", "row 99"]
    assert [model.classes_[line["row"]["true"]] for line in shown] == [y[7], y[3], y[99]]
    with pytest.raises(ValueError, match="rows has 'row 100', which is neither a name"):
        summarise(model, X, rows=["row 100"])
    with pytest.raises(ValueError, match="rows has 100,"):
        summarise(model, X, rows=[100])


def test_without_a_wish_the_telling_rows_are_chosen(single):
    model, X, y = single
    scores, right = model.decision_function(X), model.predict(X) == y
    chosen = summarise(model, X, y, scores=quick_scores(X, y))["rows"]["chosen"]
    shown = [(line["row"]["name"], line["why"]) for line in chosen]
    surest = [np.argmin(np.where(right, scores, 9)), np.argmax(np.where(right, scores, -9))]
    expected = [(f"row {surest[0]}", "most certain of ill")]
    expected += [(f"row {surest[1]}", "most certain of well")]
    expected += [(f"row {np.abs(scores).argmin()}", "least certain")]
    assert shown[:3] == expected
    wrong = sorted(np.flatnonzero(~right), key=lambda row: -abs(scores[row]))[:3]
    assert {row for row, why in shown[3:]} == {f"row {row}" for row in wrong} - {shown[2][0]}


def test_bad_arguments(single, tmp_path):
    model, X, y = single
    path = tmp_path / "page.html"
    path.write_text("old")
    with pytest.raises(FileExistsError, match=r"page\.html exists; .*overwrite=True"):
        write_report(path, model)
    assert path.read_text() == "old"
    with pytest.raises(TypeError, match="model is a KernelPerceptron, which has no patterns"):
        summarise(KernelPerceptron())
    with pytest.raises(TypeError, match=r"X is sparse, .* give X.toarray"):
        summarise(model, csr_array(X), y)
    for table, labels, message in (
        (None, y, "give X too"),
        (X, y[:99], "y has 99 values for the 100 rows"),
        (X.rename(columns={"<i>col 0": "other"}), None, "feature names"),
    ):
        with pytest.raises(ValueError, match=message):
            summarise(model, table, labels)
