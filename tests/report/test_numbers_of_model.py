"""Every number on the page of a model, recomputed from the table.

What a fit decides is taken from the model: rows and columns of patterns, their shares, weights and
residues, the output layer, and what patterns add to the scores of rows. All other numbers follow
from these and the table.
"""

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
    ticks,
    unexplained,
    wilson,
)
from scipy.special import expit, logit
from scipy.stats import norm, t
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bicneuron import BicNeuronNetwork
from bicneuron.neurons import GaussianNeuron
from bicneuron.report import write_report

CLASSES = ["ill", "well"]
CURVE = "ROC curve for ill: each point is a threshold"
PICTURES = (
    "The rows of the pattern above those that they are compared with, on one scale",
    "The same rows, column by column, with the mean of either side",
    "The same rows in two directions, with the boundary of the decision",
)
SWIPE = "Swipe sideways to see all of it."
ABOUT = {"table": "table.csv", "n_rows": 80, "command": "bicneuron fit table.csv"}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The page, the table, the model, its test, and a copy of it for each fold."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 12)), np.repeat(CLASSES, [36, 44])
    X[:30, :5] += 1.6 + rng.normal(size=(30, 1))
    X[20:36, 6:9] -= 2.0
    X = pd.DataFrame(np.round(X, 4), columns=letters(12, "G"), index=letters(80, "S"))
    kinds = [GaussianNeuron()]
    model = BicNeuronNetwork(n_neurons=3, neuron_kinds=kinds, random_state=0)
    model.fit(X, y)
    path = tmp_path_factory.mktemp("model") / "page.html"
    page = write_report(path, model, X, y, about=ABOUT).read_text()
    folds = [*RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0).split(X, y)]
    values = X.to_numpy()
    fitted = [(clone(model).fit(values[train], y[train]), test) for train, test in folds]
    rival = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    rivals = [(clone(rival).fit(values[train], y[train]), test) for train, test in folds]
    return Numbers(page), X, y, model, (fitted, rivals)


def share(count, total):
    return f"{percent(count / total)} (95 % interval {wilson(count, total)})"


def beside(stated, count, total):
    """The interval of what was observed, and whether what was stated lies outside."""
    interval = wilson(count, total)
    low, high = (float(word) for word in interval.removesuffix(" %").split(" to "))
    return interval if low <= 100 * stated <= high else f"{interval} stated lies outside"


def de_long(scores, positive):
    """Area, and its interval on the scale of log odds, pair by pair."""
    wins = np.array(
        [[(a > b) + 0.5 * (a == b) for b in scores[~positive]] for a in scores[positive]]
    )
    area = wins.mean()
    variance = sum(part.var(ddof=1) / len(part) for part in (wins.mean(axis=1), wins.mean(axis=0)))
    half = norm.ppf(0.975) * np.sqrt(variance) / (area * (1 - area))
    return area, expit(logit(area) - half), expit(logit(area) + half)


def of_folds(values, least=0.0):
    """Mean, deviation and interval of Nadeau and Bengio over five folds, twice."""
    mean, deviation = np.mean(values), np.std(values, ddof=1)
    half = t.ppf(0.975, len(values) - 1) * deviation * np.sqrt(1 / len(values) + 1 / 4)
    return mean, deviation, max(least, mean - half), min(1.0, mean + half)


def left_out(fitted, X, y):
    """What was said of each row when it was left out, and the scores of all folds."""
    values, said, chances = X.to_numpy(), np.empty(len(y), dtype=object), np.empty(len(y))
    scores = {"Accuracy": [], "Balanced accuracy": [], "Area under the ROC curve": []}
    for place, (model, test) in enumerate(fitted):
        predicted, chance = model.predict(values[test]), model.predict_proba(values[test])[:, 0]
        if place < 5:
            said[test], chances[test] = predicted, chance
        scores["Accuracy"].append(np.mean(predicted == y[test]))
        scores["Balanced accuracy"].append(balanced_accuracy_score(y[test], predicted))
        area = roc_auc_score(y[test] == CLASSES[1], model.decision_function(values[test]))
        scores["Area under the ROC curve"].append(area)
    return said, chances, scores


def how_well(allowed, X, y, fitted, rivals):
    said, chances, scores = left_out(fitted, X, y)
    *_, of_rival = left_out(rivals, X, y)
    n = {label: int(np.sum(y == label)) for label in CLASSES}
    right = {label: int(np.sum((y == label) & (said == label))) for label in CLASSES}
    called = {label: int(np.sum(said == label)) for label in CLASSES}
    area, low, high = de_long(chances, y == "ill")
    ours = of_folds(scores["Balanced accuracy"])
    theirs = of_folds(of_rival["Balanced accuracy"])
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
        f"{100 * area:.1f} % of all pairs (area under the ROC curve {area:.3f}, 95 % interval "
        f"{low:.3f} to {high:.3f}).",
        f"In 10 fits, the balanced accuracy is {ours[0]:.3f} (95 % interval "
        f"{ours[2]:.3f} to {ours[3]:.3f}); for logistic regression on the same parts it is "
        f"{theirs[0]:.3f}, for always naming one class 0.500.",
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
    for name in scores:
        mean, deviation, low, high = of_folds(scores[name])
        other, spread, *_ = of_folds(of_rival[name])
        allowed[table, name, "Mean ± sd"] = [f"{mean:.3f} ± {deviation:.3f}"]
        allowed[table, name, "95 % interval"] = [f"{low:.3f} to {high:.3f}"]
        allowed[table, name, "Logistic regression"] = [f"{other:.3f} ± {spread:.3f}"]
    gaps = np.subtract(scores["Balanced accuracy"], of_rival["Balanced accuracy"])
    mean, _, low, high = (
        f"{one:+.3f}".replace("-", "\N{MINUS SIGN}") for one in of_folds(gaps, -1)
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


def matched(model, copy, X, y, test):
    """Patterns of the copy that are patterns of the model, each once, the most alike first."""
    sides = []
    for one in (model, copy):
        carriers = one.carriers(X if one is model else X.to_numpy())
        own = [carriers[:, k] & (y == each.anchor_class) for k, each in enumerate(one.patterns_)]
        sides.append([set(np.flatnonzero(rows).tolist()) - set(test.tolist()) for rows in own])
    alike = {}
    for k, pattern in enumerate(model.patterns_):
        for at, other in enumerate(copy.patterns_):
            rows, theirs = sides[0][k], sides[1][at]
            columns, others = set(pattern.columns.tolist()), set(other.columns.tolist())
            row_share = len(rows & theirs) / max(len(rows | theirs), 1)
            column_share = len(columns & others) / len(columns | others)
            is_same = other.anchor_class == pattern.anchor_class
            if is_same and row_share >= 0.6 and column_share > 0:
                alike[k, at] = row_share + column_share
    found = {}
    for k, at in sorted(alike, key=lambda pair: (-alike[pair], pair)):
        if k not in found and at not in found.values():
            found[k] = at
    return found


def facts_of(k, model, fitted, X, y):
    """Of a pattern in the first five folds: carriers among rows left out, and where it is again."""
    pattern = model.patterns_[k]
    n_again, counts = 0, dict.fromkeys(CLASSES, (0, 0))
    for copy, test in fitted[:5]:
        at = matched(model, copy, X, y, test).get(k)
        if at is not None:
            n_again += 1
            best = copy.carriers(X.to_numpy())[test, at]
            for one in CLASSES:
                inside = y[test] == one
                counts[one] = counts[one][0] + np.sum(best & inside), counts[one][1] + inside.sum()
    labels = sorted(CLASSES, key=lambda one: one != pattern.anchor_class)
    carried = ", ".join("{} of {} {}".format(*counts[one], one) for one in labels)
    again = f"chosen again in {n_again} of 5 folds"
    return f"carried on rows left out by {carried}; {again}" if n_again else again


# All that the page tells of patterns, recomputed without calls of the package.
def patterns(allowed, found, ranked, X, y, model, fitted):  # noqa: PLR0915
    """Patterns by their rows and columns, and what became of them in the folds of the score."""
    importance, answer = np.zeros(X.shape[1]), set()
    in_patterns = {}
    strengths = np.array([pattern.strength for pattern in model.patterns_])
    texts = allowed.setdefault(("pattern", None, None), [])
    for k, pattern in enumerate(model.patterns_):
        place, own, other = k + 1, pattern.anchor_class, pattern.contrast_class
        n_rows, n_contrast = len(pattern.rows), len(pattern.contrast_rows)
        facts = facts_of(k, model, fitted, X, y)
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
    first = model.patterns_[0]
    for picture in PICTURES:
        allowed[picture, None, None] = [
            *ticks(found, picture)[0],
            f"{len(first.rows)} rows of {first.anchor_class}, which make the pattern",
            f"the {len(first.contrast_rows)} rows of {first.contrast_class} that they are "
            "compared with",
        ]
    used = np.flatnonzero(importance)
    assert sorted(ranked) == sorted(X.columns[used])
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
    what = f"The {len(used)} most important columns of all rows. "
    map_of = next(text.part for text in found if text.part.startswith(what))
    allowed[map_of, None, None] = ticks(found, map_of)[0]
    allowed["columns", None, None] = [
        f"Of {X.shape[1]} columns, {len(used)} are used. They are in the order in which the "
        f"classes differ, by a rank test of all rows with p corrected for all {X.shape[1]} "
        "columns; what is not proven (p above 0.05) is marked. The importance of a pattern is "
        "divided among its columns; all add up to 100 %.",
        *(f"Save pattern-{k}.rnk" for k in range(1, n + 1)),
        f"{map_of}. {SWIPE}",
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


def rows(allowed, found, X, y, model, fitted):
    said, *_ = left_out(fitted, X, y)
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
    page, X, y, model, (fitted, rivals) = made
    found = page.found
    allowed = {
        ("data", None, None): [
            "80",
            "The model was fitted on 12 columns and distinguishes 2 classes: ill, well. This page "
            "is based on 80 rows.",
        ],
        (CURVE, None, None): ticks(found, CURVE)[0],
    }
    recognised = how_well(allowed, X, y, fitted, rivals)
    allowed["header", None, None] = [
        f"{len(model.patterns_)} patterns decide together about 2 classes. {recognised}"
    ]
    ranked = [
        text.words.removesuffix(" not proven")
        for text in page.texts
        if text.part == "Columns by importance" and text.column == "Column"
    ]
    patterns(allowed, found, ranked, X, y, model, fitted)
    rows(allowed, found, X, y, model, fitted)
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
