"""Every number on the page of a model, from the model, its scores and the table."""

import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from page_numbers import (
    Numbers,
    agree,
    counted,
    letters,
    number,
    percent,
    signed,
    table_of,
    unexplained,
    wilson,
)
from scipy.stats import mannwhitneyu

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
ABOUT = {"table": "table.csv", "n_rows": 80, "command": "bicneuron fit table.csv"}


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
    page = write_report(path, model, X, y, about=ABOUT, scores=scores).read_text()
    return Numbers(page), X, y, with_folds(model, X, y, scores), scores


def share(count, total):
    return f"{percent(count / total)} (95 % interval {wilson(count, total)})"


def beside(stated, count, total):
    """The interval of what was observed, and whether what was stated lies outside."""
    interval = wilson(count, total)
    low, high = (float(word) for word in interval.removesuffix(" %").split(" to "))
    return interval if low <= 100 * stated <= high else f"{interval} stated lies outside"


def between(score):
    return f"{score.low:.3f} to {score.high:.3f}"


def how_well(allowed, y, scores):
    said, chances = scores.left_out.predicted, scores.left_out.probabilities[:, 0]
    n = {label: int(np.sum(y == label)) for label in CLASSES}
    right = {label: int(np.sum((y == label) & (said == label))) for label in CLASSES}
    called = {label: int(np.sum(said == label)) for label in CLASSES}
    area = scores.left_out.roc_auc
    ours, theirs = (one["balanced_accuracy"] for one in (scores.model, scores.logistic_regression))
    allowed["how-well", None, None] = [
        "Copies of the model were fitted without a part of the rows and asked about these rows: "
        "80 rows, each left out once.",
        *(
            f"Of {n[label]} rows of {label}, {right[label]} are recognised: a {name} of "
            f"{share(right[label], n[label])}."
            for label, name in zip(CLASSES, ("sensitivity", "specificity"), strict=True)
        ),
        f"Of {called['ill']} rows that are called ill, {right['ill']} are: a precision of "
        f"{share(right['ill'], called['ill'])}.",
        "Of a row of ill and one of well, the right one has the higher score in "
        f"{100 * area.value:.1f} % of all pairs (area under the ROC curve {area.value:.3f}, 95 % "
        f"interval {between(area)}).",
        f"In 10 fits, the balanced accuracy is {ours.mean:.3f} (95 % interval {between(ours)}); "
        f"for logistic regression on the same parts it is {theirs.mean:.3f}, for always naming "
        "one class 0.500.",
        "In brackets: 95 % intervals.",
    ]
    table = "What was said about each class"
    shares = "Sensitivity, specificity and precision of each class"
    for label in CLASSES:
        is_it, other = y == label, next(one for one in CLASSES if one != label)
        row = f"{label}, {n[label]} rows"
        allowed[table, row, ""] = [row]
        for one in CLASSES:
            allowed[table, row, f"called {one}"] = [str(np.sum(is_it & (said == one)))]
        allowed[shares, label, "Share of the rows"] = [f"{100 * is_it.mean():.1f} %"]
        for name, count, total in (
            ("Sensitivity (recall)", right[label], n[label]),
            ("Specificity", right[other], n[other]),
            ("Precision", right[label], called[label]),
        ):
            allowed[shares, label, name] = [f"{percent(count / total)} ({wilson(count, total)})"]
    table = "Stated and observed probabilities"
    allowed[table, None, None] = ["95 % interval"]
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        inside = (chances >= low) & ((chances < low + 0.2) | (low == 0.8))
        if inside.any():
            k, total = int(np.sum(y[inside] == "ill")), int(inside.sum())
            row = f"{percent(low)} to {percent(low + 0.2)}"
            rows = "1 row" if k == 1 else f"{k} rows"
            cells = {
                "Stated probability of ill": row,
                "Rows": str(total),
                "Mean stated": percent(chances[inside].mean()),
                "Observed": f"{percent(k / total)} ({rows})",
            }
            for name, cell in cells.items():
                allowed[table, row, name] = [cell]
            allowed[table, row, "95 % interval"] = [beside(chances[inside].mean(), k, total)]
    table = "Scores by cross-validation"
    allowed[table, None, None] = ["95 % interval", "From 0 to 1"]
    for name, key in MEASURES.items():
        own, other = scores.model[key], scores.logistic_regression[key]
        allowed[table, name, "Mean ± sd"] = [f"{own.mean:.3f} ± {own.sd:.3f}"]
        allowed[table, name, "95 % interval"] = [between(own)]
        allowed[table, name, "Logistic regression"] = [f"{other.mean:.3f} ± {other.sd:.3f}"]
    gap = scores.difference
    mean, low, high = (
        f"{one:+.3f}".replace("-", "\N{MINUS SIGN}") for one in (gap.mean, gap.low, gap.high)
    )
    largest = 100 * max(n.values()) / len(y)
    allowed["appendix", None, None] = [
        "Copies of the model were fitted 10 times (5 shuffled folds, 2 times over 80 rows) and "
        "scored on the held-out rows, beside logistic regression on standardised columns on the "
        "same folds. Always predicting the largest class would be right for "
        f"{largest:.1f} % of the rows, a balanced accuracy of 0.500.",
        f"In balanced accuracy the model differs from logistic regression by {mean} (95 % "
        f"interval {low} to {high}).",
        "The intervals account for overlapping training sets (Nadeau and Bengio 2003).",
        lambda words: words.startswith("Mean squared residue") and "Below 1 the anchor" in words,
        lambda words: words.endswith("Always naming one class gives 1 / number of classes."),
    ]
    counts = " and ".join(f"{right[label]} of {n[label]} {label}" for label in CLASSES)
    return f"On rows left out, {counts} are recognised."


def class_means(X, y, name):
    means = X[name].groupby(y).mean()
    return {f"Mean of all {one}": [partial(agree, number(means[one]))] for one in CLASSES}


def both_sides(heads, sides):
    return {head: [partial(agree, number(side))] for head, side in zip(heads, sides, strict=True)}


def facts_of(pattern):
    """Carriers of a pattern among rows left out, and in how many folds it is found again."""
    evidence = pattern.evidence
    counts = sorted(evidence.left_out, key=lambda count: count[0] != pattern.anchor_class)
    carried = ", ".join(f"{own} of {total} {label}" for label, own, total in counts)
    again = f"chosen again in {evidence.n_found} of 5 folds"
    return f"carried on rows left out by {carried}; {again}" if evidence.n_found else again


def patterns(allowed, found, ranked, X, y, model):
    """Patterns by their rows and columns, and what became of them in the folds of the score."""
    importance, answer = np.zeros(X.shape[1]), set()
    in_patterns = {}
    strengths = np.array([pattern.strength for pattern in model.patterns_])
    texts = allowed.setdefault(("pattern", None, None), [])
    for k, pattern in enumerate(model.patterns_):
        place, own, other = k + 1, pattern.anchor_class, pattern.contrast_class
        n_rows, n_contrast = len(pattern.rows), len(pattern.contrast_rows)
        facts = facts_of(pattern)
        told = f"{percent(pattern.strength)} of the decision; {facts}"
        answer.add(f"{place}. {len(pattern.columns)} columns (); {told}")
        texts += [
            f"Pattern {place}: {n_rows} rows of {own} against {n_contrast} of {other}, "
            f"{len(pattern.columns)} columns {percent(pattern.strength)}",
            f"It is {facts}.",
        ]
        sizes = np.abs(pattern.weights)
        importance[pattern.columns] += pattern.strength * sizes / sizes.sum() / strengths.sum()
        heads = (
            f"Mean of the {n_rows} rows of this pattern",
            f"Mean of the {n_contrast} rows compared with them",
        )
        table = f"Columns of pattern {place}"
        allowed[table, None, None] = [*heads]
        for name in X.columns[pattern.columns]:
            in_patterns.setdefault(name, []).append(str(place))
            sides = X[name].iloc[pattern.rows].mean(), X[name].iloc[pattern.contrast_rows].mean()
            cells = both_sides(heads, sides)
            for head, cell in (cells | class_means(X, y, name)).items():
                allowed[table, name, head] = cell
    n = len(model.patterns_)
    assert n == 3
    header = allowed["header", None, None]
    header.append(lambda words: re.sub(r"\([A-Z][^)]*\)", "()", words) in answer)
    texts += [
        "A pattern is a group of rows that are alike in a few columns, compared with rows of "
        f"another class or with all others. These {n} make up {percent(strengths.sum())} of the "
        "decision.",
    ]
    used = np.flatnonzero(importance)
    assert sorted(ranked) == sorted(X.columns[used])
    p = [mannwhitneyu(*(X[name][y == one] for one in CLASSES)).pvalue for name in ranked]
    assert np.all(np.diff(np.log(p)) > -0.2), "the clearest first; the page has exact tails"
    for rank, name in enumerate(ranked, start=1):
        place = X.columns.get_loc(name)
        cells = {
            "Rank": [str(rank)],
            "Importance": [f"{100 * importance[place]:.1f} %"],
            "In patterns": [" ".join(in_patterns[name])],
            **class_means(X, y, name),
        }
        for head, cell in cells.items():
            allowed["Columns by importance", str(rank), head] = cell
    allowed["columns", None, None] = [
        f"Of {X.shape[1]} columns, {len(used)} are used. They are in the order in which the "
        f"classes differ, by a rank test of all rows with p corrected for all {X.shape[1]} "
        "columns; what is not proven (p above 0.05) is marked. The importance of a pattern is "
        "divided among its columns; all add up to 100 %.",
        *(f"Save pattern-{k}.rnk" for k in range(1, n + 1)),
        lambda words: words.startswith(f"The {len(used)} most important columns of all rows. "),
    ]
    table = "Structure of the network"
    allowed |= {
        (table, "Patterns in the network", "Number"): [str(n)],
        (table, "Patterns in the network", "Remarks"): [f"{n} GaussianNeuron()"],
        (table, "Columns used", "Number"): [str(len(used))],
        (table, "Columns used", "Remarks"): [f"of {X.shape[1]}"],
        (table, "Rows of the output layer", "Number"): [str(len(model.output_rows_))],
        (table, "Rows of the output layer", "Remarks"): [f"penalty {model.penalty_:.3g}"],
        (table, "Rows of the self-test", "Number"): [
            str(np.sum(~np.isnan(model.test_scores_).any(axis=1)))
        ],
        (table, "Rows of the self-test", "Remarks"): [
            f"log odds of {model.slope_:.3g} per unit of score"
        ],
    }
    doubt = np.flatnonzero(np.nan_to_num(model.label_doubt_) > 0.5)
    allowed[table, "Labels in doubt", "Number"] = [str(len(doubt))]
    allowed[table, "Labels in doubt", "Remarks"] = [
        lambda words: (
            {(int(row), value) for row, value in re.findall(r"(\d+) \((.*?)\)", words)}
            <= {(row, f"{model.label_doubt_[row]:.2f}") for row in doubt.tolist()}
        )
    ]


def rows(allowed, found, X, y, model, said):
    predicted, chances = model.predict(X), model.predict_proba(X)
    texts = allowed.setdefault(("rows", None, None), [])
    shown = {
        re.fullmatch(r"Row (\w+), pattern \d+", text.part)[1]
        for text in found
        if text.part.startswith("Row S")
    }
    for place in map(X.index.get_loc, shown):
        explained = model.explain(X)[place]
        chance = chances[place, CLASSES.index(predicted[place])]
        start = f"Given {predicted[place]} with a probability of {chance:.2f}; it is {y[place]}"
        texts.append(partial(agree, f"{start}; when left out, it was given {said[place]}."))
        tables = {text.part for text in found if text.part.startswith(f"Row {X.index[place]}, ")}
        told = sum(
            part.contribution
            for part in explained.patterns
            if f"Row {X.index[place]}, pattern {part.number}" in tables
        )
        n_more, rest = len(model.patterns_) - len(tables), explained.score - explained.bias - told
        adds = "pattern adds" if n_more == 1 else "patterns add"
        texts.append(partial(agree, f"{n_more} more {adds} {signed(rest)}."))
        for part in explained.patterns:
            favoured = CLASSES[1] if part.contribution > 0 else CLASSES[0]
            pattern = model.patterns_[part.number - 1]
            texts.append(
                partial(
                    agree,
                    f"Pattern {part.number}, {pattern.anchor_class} against "
                    f"{pattern.contrast_class}: speaks for {favoured} "
                    f"({signed(part.contribution)})",
                )
            )
            table = f"Row {X.index[place]}, pattern {part.number}"
            heads = (
                f"Mean of the {len(pattern.rows)} rows of this pattern",
                f"Mean of the {len(pattern.contrast_rows)} rows compared",
            )
            allowed[table, None, None] = [*heads]
            shown_here = {text.row for text in found if text.part == table} - {None}
            texts.append(f"{counted(len(part.columns) - len(shown_here), 'more column')}.")
            for column in part.columns:
                name = column.feature
                values = X[name]
                sides = (values.iloc[own].mean() for own in (pattern.rows, pattern.contrast_rows))
                cells = {
                    "This row": [partial(agree, number(values.iloc[place]))],
                    "Speaks for": [partial(agree, signed(column.contribution))],
                    **both_sides(heads, sides),
                    **class_means(X, y, name),
                }
                for head, cell in cells.items():
                    allowed[table, name, head] = cell


def test_every_number_follows_from_the_table(made):
    page, X, y, model, scores = made
    found = page.found
    allowed = {
        ("data", None, None): [
            "80",
            "The model was fitted on 12 columns and distinguishes 2 classes: ill, well. This page "
            "is based on 80 rows.",
        ],
    }
    recognised = how_well(allowed, y, scores)
    allowed["header", None, None] = [
        f"{len(model.patterns_)} patterns decide together about 2 classes. {recognised}"
    ]
    ranked = [
        text.words.removesuffix(" not proven")
        for text in page.texts
        if text.part == "Columns by importance" and text.column == "Column"
    ]
    patterns(allowed, found, ranked, X, y, model)
    rows(allowed, found, X, y, model, scores.left_out.predicted)
    for label in CLASSES:
        allowed["Rows of each class", label, "Rows"] = [str(np.sum(y == label))]
        allowed["Rows of each class", label, "Share"] = [f"{100 * np.mean(y == label):.1f} %"]
    said = {text.words for text in found if text.part == "how-well"}
    assert {*allowed["how-well", None, None]} <= said, "all of it is there"
    _, lines = table_of(page, "Stated and observed probabilities")
    assert sum(int(line[1]) for line in lines) == len(y)
    for k, pattern in enumerate(model.patterns_, start=1):
        _, lines = table_of(page, f"Columns of pattern {k}")
        assert {line[0] for line in lines} == {*X.columns[pattern.columns]}
    # Versions and settings are no results.
    left = [text for text in unexplained(found, allowed) if text.part != "versions"]
    assert not left, "\n".join(map(str, left))
