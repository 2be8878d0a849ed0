"""Numbers on the page of a model, from the model, its scores on rows left out and the table."""

import re

import numpy as np
import pandas as pd
import pytest
from page_numbers import PageTexts, agree, letters, number, percent, signed, table_of, wilson
from scipy.stats import mannwhitneyu
from sklearn.metrics import confusion_matrix

from bicneuron import BicNeuronNetwork
from bicneuron.metrics import cross_validated_scores
from bicneuron.neurons import GaussianNeuron
from bicneuron.report import write_report
from bicneuron.significance import with_folds

CLASSES = ["ill", "well"]
MEASURES = {
    "Accuracy": "accuracy",
    "Balanced accuracy": "balanced_accuracy",
    "Area under the ROC curve": "roc_auc",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The page, the table, the model with what its folds tell, and its scores."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 12)), np.repeat(CLASSES, [36, 44])
    X[:30, :5] += 1.6 + rng.normal(size=(30, 1))
    X[20:36, 6:9] -= 2.0
    X = pd.DataFrame(np.round(X, 4), columns=letters(12, "G"), index=letters(80, "S"))
    kinds = [GaussianNeuron()]
    model = BicNeuronNetwork(n_neurons=3, neuron_kinds=kinds, random_state=0).fit(X, y)
    scores = cross_validated_scores(model, X, y)
    path = tmp_path_factory.mktemp("model") / "page.html"
    page = PageTexts(write_report(path, model, X, y, scores=scores).read_text())
    return page, X, y, with_folds(model, X, y, scores), scores


def sentences(page, part):
    return [text.words for text in page.texts if text.part == part and text.row is None]


def assert_alike(lines, expected):
    """Cells are equal, but for the last digit of numbers of single precision."""
    for line, cells in zip(lines, expected, strict=True):
        assert all(agree(*pair) for pair in zip(cells, line, strict=True)), (line, cells)


def between(score):
    return f"{score.low:.3f} to {score.high:.3f}"


def share(count, total):
    return f"{percent(count / total)} ({wilson(count, total)})"


def means_of_classes(X, y, name):
    return [number(X[name][y == label].mean()) for label in CLASSES]


def test_how_well_it_recognises_rows_left_out(made):
    page, _, y, _, scores = made
    said, area = scores.left_out.predicted, scores.left_out.roc_auc
    counts = confusion_matrix(y, said, labels=CLASSES)
    (right, missed), (wrong, others) = counts.tolist()
    ours, theirs = (one["balanced_accuracy"] for one in (scores.model, scores.logistic_regression))
    words = sentences(page, "how-well")
    for sentence in (
        f"Of 36 rows of ill, {right} are recognised: a sensitivity of "
        f"{percent(right / 36)} (95 % interval {wilson(right, 36)}).",
        f"Of 44 rows of well, {others} are recognised: a specificity of "
        f"{percent(others / 44)} (95 % interval {wilson(others, 44)}).",
        f"Of {right + wrong} rows that are called ill, {right} are: a precision of "
        f"{percent(right / (right + wrong))} (95 % interval {wilson(right, right + wrong)}).",
        "Of a row of ill and one of well, the right one has the higher score in "
        f"{100 * area.value:.1f} % of all pairs (area under the ROC curve {area.value:.3f}, 95 % "
        f"interval {between(area)}).",
        f"In 10 fits, the balanced accuracy is {ours.mean:.3f} (95 % interval {between(ours)}); "
        f"for logistic regression on the same parts it is {theirs.mean:.3f}, for always naming "
        "one class 0.500.",
    ):
        assert sentence in words
    recognised = f"On rows left out, {right} of 36 ill and {others} of 44 well are recognised."
    assert any(recognised in words for words in sentences(page, "header"))
    _, lines = table_of(page, "What was said about each class")
    assert [line[1:] for line in lines] == counts.astype(str).tolist()
    _, lines = table_of(page, "Sensitivity, specificity and precision of each class")
    ill, well = share(right, 36), share(others, 44)
    assert lines == [
        ["ill", "45.0 %", ill, well, share(right, right + wrong)],
        ["well", "55.0 %", well, ill, share(others, missed + others)],
    ]
    _, lines = table_of(page, "Scores by cross-validation")
    for name, shown, interval, _, rival in lines:
        own, other = (one[MEASURES[name]] for one in (scores.model, scores.logistic_regression))
        assert shown == f"{own.mean:.3f} ± {own.sd:.3f}"
        assert interval == between(own)
        assert rival == f"{other.mean:.3f} ± {other.sd:.3f}"
    gap = scores.difference
    mean, low, high = (signed_to_three(one) for one in (gap.mean, gap.low, gap.high))
    told = f"differs from logistic regression by {mean} (95 % interval {low} to {high})."
    assert any(told in words for words in sentences(page, "appendix"))


def signed_to_three(value):
    return f"{value:+.3f}".replace("-", "\N{MINUS SIGN}")


def test_stated_and_observed_probabilities(made):
    page, _, y, _, scores = made
    chances, expected = scores.left_out.probabilities[:, 0], []
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        inside = (chances >= low) & ((chances < low + 0.2) | (low == 0.8))
        if inside.any():
            k, total, stated = np.sum(y[inside] == "ill"), inside.sum(), chances[inside].mean()
            observed = f"{percent(k / total)} ({k} row{'' if k == 1 else 's'})"
            interval = wilson(k, total)
            least, most = (float(word) for word in interval.removesuffix(" %").split(" to "))
            beyond = "" if least <= 100 * stated <= most else " stated lies outside"
            limits = f"{percent(low)} to {percent(low + 0.2)}"
            cells = [limits, str(total), percent(stated), observed, f"{interval}{beyond}"]
            expected.append(cells)
    assert table_of(page, "Stated and observed probabilities")[1] == expected


def facts_of(pattern):
    """Carriers of a pattern among rows left out, and in how many folds it is found again."""
    evidence = pattern.evidence
    counts = sorted(evidence.left_out, key=lambda count: count[0] != pattern.anchor_class)
    carried = ", ".join(f"{own} of {total} {label}" for label, own, total in counts)
    again = f"chosen again in {evidence.n_found} of 5 folds"
    return f"carried on rows left out by {carried}; {again}" if evidence.n_found else again


def test_patterns_and_their_columns(made):
    page, X, y, model, _ = made
    header = [re.sub(r"\([A-Z][^)]*\)", "()", words) for words in sentences(page, "header")]
    importance, found_in = np.zeros(12), {}
    strengths = sum(pattern.strength for pattern in model.patterns_)
    assert len(model.patterns_) == 3
    for place, pattern in enumerate(model.patterns_, start=1):
        n_columns, part = len(pattern.columns), percent(pattern.strength)
        assert f"{place}. {n_columns} columns (); {part} of the decision; {facts_of(pattern)}" in (
            header
        )
        assert (
            f"Pattern {place}: {len(pattern.rows)} rows of {pattern.anchor_class} against "
            f"{len(pattern.contrast_rows)} of {pattern.contrast_class}, {n_columns} columns {part}"
        ) in sentences(page, "pattern")
        assert f"It is {facts_of(pattern)}." in sentences(page, "pattern")
        sizes = np.abs(pattern.weights)
        importance[pattern.columns] += pattern.strength * sizes / sizes.sum() / strengths
        head, lines = table_of(page, f"Columns of pattern {place}")
        assert f"{len(pattern.rows)} rows" in head[1]
        assert f"{len(pattern.contrast_rows)} rows" in head[2]
        assert {line[0] for line in lines} == {*X.columns[pattern.columns]}
        for name, *_ in lines:
            found_in.setdefault(name, []).append(str(place))
        sides = X.iloc[pattern.rows].mean(), X.iloc[pattern.contrast_rows].mean()
        expected = [
            [name, *(number(side[name]) for side in sides), *means_of_classes(X, y, name)]
            for name, *_ in lines
        ]
        assert_alike(lines, expected)
    _, lines = table_of(page, "Columns by importance")
    names = [line[1].removesuffix(" not proven") for line in lines]
    assert sorted(names) == sorted(found_in)
    p = [mannwhitneyu(*(X[name][y == label] for label in CLASSES)).pvalue for name in names]
    assert np.all(np.diff(np.log(p)) > -0.2), "the clearest first; the page has exact tails"
    for rank, (line, name) in enumerate(zip(lines, names, strict=True), start=1):
        part = f"{100 * importance[X.columns.get_loc(name)]:.1f} %"
        cells = [str(rank), line[1], part, *means_of_classes(X, y, name), " ".join(found_in[name])]
        assert_alike([line], [cells])


def test_rows_that_are_worth_a_look(made):
    page, X, y, model, scores = made
    said, predicted, chances = scores.left_out.predicted, model.predict(X), model.predict_proba(X)
    tables = [re.fullmatch(r"Row (S\w+), pattern (\d)", text.part) for text in page.texts]
    shown = {match[0]: match for match in tables if match}
    assert len(shown) > 3
    words = sentences(page, "rows")
    for table, match in shown.items():
        place, k = X.index.get_loc(match[1]), int(match[2])
        explained, pattern = model.explain(X)[place], model.patterns_[k - 1]
        chance = chances[place, CLASSES.index(predicted[place])]
        given = f"Given {predicted[place]} with a probability of {chance:.2f}; it is {y[place]}"
        assert any(agree(f"{given}; when left out, it was given {said[place]}.", w) for w in words)
        told = [
            part for part in explained.patterns if f"Row {match[1]}, pattern {part.number}" in shown
        ]
        rest = explained.score - explained.bias - sum(part.contribution for part in told)
        n_more = len(model.patterns_) - len(told)
        if n_more:
            adds = "pattern adds" if n_more == 1 else "patterns add"
            assert any(agree(f"{n_more} more {adds} {signed(rest)}.", w) for w in words)
        part = next(part for part in told if part.number == k)
        favoured = CLASSES[int(part.contribution > 0)]
        sides = f"Pattern {k}, {pattern.anchor_class} against {pattern.contrast_class}"
        speaks = f"{sides}: speaks for {favoured} ({signed(part.contribution)})"
        assert any(agree(speaks, w) for w in words)
        columns = {column.feature: column for column in part.columns}
        of_sides = X.iloc[pattern.rows].mean(), X.iloc[pattern.contrast_rows].mean()
        _, lines = table_of(page, table)
        expected = [
            [
                *(name, number(X[name].iloc[place]), signed(columns[name].contribution)),
                *(number(side[name]) for side in of_sides),
                *means_of_classes(X, y, name),
            ]
            for name, *_ in lines
        ]
        assert_alike(lines, expected)


def test_structure_and_rows_of_classes(made):
    page, _, _, model, _ = made
    _, lines = table_of(page, "Rows of each class")
    assert lines == [["ill", "36", "45.0 %"], ["well", "44", "55.0 %"]]
    _, lines = table_of(page, "Structure of the network")
    structure = {line[0]: line[1:] for line in lines}
    n_used = len({column for one in model.patterns_ for column in one.columns.tolist()})
    n_tested = np.sum(~np.isnan(model.test_scores_).any(axis=1))
    assert structure["Patterns in the network"] == ["3", "3 GaussianNeuron()"]
    assert structure["Columns used"] == [str(n_used), "of 12"]
    output = [str(len(model.output_rows_)), f"penalty {model.penalty_:.3g}"]
    assert structure["Rows of the output layer"] == output
    slope = f"log odds of {model.slope_:.3g} per unit of score"
    assert structure["Rows of the self-test"] == [str(n_tested), slope]
