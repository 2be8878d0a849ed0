"""Every number on the page of `bicneuron find`, recomputed from the table that it read."""

import re
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from oracles.group_page import (
    NaiveGroup,
    NaiveScaling,
    naive_class_p,
    naive_column_tests,
    naive_corrected,
    naive_folds,
    naive_in_order,
    naive_match,
    naive_rank_p,
)
from page_numbers import (
    Numbers,
    agree,
    counted,
    letters,
    number,
    rounded,
    signed,
    unexplained,
)
from sklearn.base import clone

from bicneuron import SubgroupBiclustering
from bicneuron._shared._version import __version__
from bicneuron.cli import main
from bicneuron.persistence import load_model
from bicneuron.significance import separate_test
from bicneuron.tables import read_table

N_PATTERNS = 4
MINER = SubgroupBiclustering(kinds="shift", n_patterns=N_PATTERNS)
SMALL = ("--jobs", "1", "--quiet")
TARGET = ("--target", "status")
ONE = [(range(12), range(6), 4.0)]


def table_of(groups, *, classes=("case", "control"), missing=0.0):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 24))
    for rows, columns, shift in groups:
        X[np.ix_([*rows], [*columns])] += shift
    X[rng.random(X.shape) < missing] = np.nan
    frame = pd.DataFrame(np.round(X, 4), columns=letters(24, "G"))
    frame.index = pd.Index(letters(60, "S"), name="sample")
    return frame.assign(status=np.repeat(classes, 60 // len(classes)))


SITUATIONS = {
    "weak columns and missing cells": (
        table_of([(range(14), range(4), 3.0), (range(14), range(4, 9), 1.0)], missing=0.05),
        TARGET,
    ),
    "several and strata": (
        table_of([*ONE, (range(30, 44), range(8, 15), -4.0)]).assign(batch=np.tile(["x", "y"], 30)),
        (*TARGET, "--strata", "batch"),
    ),
    "no target": (table_of(ONE), ("--drop", "status")),
    "three classes": (table_of(ONE, classes=("a", "b", "c")), TARGET),
}


class Made(NamedTuple):
    """A page, and what it was made from."""

    texts: list
    X: pd.DataFrame
    y: np.ndarray | None
    strata: np.ndarray | None
    patterns: list
    answer: list
    """Lines of the summary; their numbers are those that are told of each group."""
    read: list
    """What the table was read as, in one line and as a table."""


class Expected(NamedTuple):
    """What a page may say of a group."""

    group: NaiveGroup
    p: float | None
    judged: "Judged | None" = None
    separate: float | str | None = None
    """P of a separate group, or why there is none; None if that was not asked."""


@pytest.fixture(scope="module", params=SITUATIONS)
def made(request, tmp_path_factory):
    frame, options = SITUATIONS[request.param]
    folder = tmp_path_factory.mktemp("found")
    frame.to_csv(folder / "table.csv")
    out = [str(folder / name) for name in ("page.html", "groups.skops")]
    given = ["find", str(folder / "table.csv"), *SMALL, *options, "-o", out[0], "-o", out[1]]
    with pytest.MonkeyPatch.context() as patch:
        name = "bicneuron.significance._find_groups.SubgroupBiclustering"
        patch.setattr(name, lambda **_: clone(MINER))
        assert main(given) == 0
    model = load_model(out[1])[-1].miner
    y = frame["status"].to_numpy() if "--target" in options else None
    strata = frame["batch"].to_numpy() if "batch" in frame else None
    X = frame[[name for name in frame if name not in ("status", "batch")]]
    texts = Numbers((folder / "page.html").read_text()).found
    target = None if y is None else "status"
    aside = {} if strata is None else {"strata": "batch"}
    drop = ["status"] if y is None else []
    read = read_table(folder / "table.csv", target=target, aside=aside, drop=drop)
    told = [f"{read.summary}.", " ".join(read.shown().split())]
    made = Made(texts, X, y, strata, list(model.patterns_), model.summary().splitlines(), told)
    if y is not None:
        assert model.class_columns_ == class_columns(made).sum()
    return made


# --- what is known of each group


def searched(made, y):
    """The groups of a search of the table, with classes or without."""
    known = {} if made.strata is None else {"strata": made.strata}
    return SubgroupBiclustering(**MINER.get_params()).fit(made.X, y, **known)


def naive_groups(model, X, y, strata):
    Z = NaiveScaling(X, strata).apply(X, strata)
    return [
        naive_group(Z, one, y, carriers)
        for one, carriers in zip(model.patterns_, model.carriers(X).T, strict=True)
    ]


def naive_group(Z, pattern, y, carriers):
    """A group; of one found in a class, which keeps no rows of others, those that fit it best."""
    n_removed = len(pattern.axis.removed)
    if pattern.anchor_class is None:
        return NaiveGroup(Z, pattern.rows, pattern.columns, n_removed)
    others = np.flatnonzero(y != pattern.anchor_class)
    beyond = np.intersect1d(np.flatnonzero(carriers), others)
    outside = [(), beyond, *(np.setxor1d(beyond, row) for row in others)]
    groups = [
        NaiveGroup(Z, np.union1d(pattern.rows, rows), pattern.columns, n_removed)
        for rows in outside
    ]
    return min(groups, key=lambda group: np.abs(group.weights - pattern.weights).max())


def kinds_of(made, y):
    """Class and stratum of rows as one number, the last kind first, as parts are drawn."""
    names = ["" if y is None else str(y[row]) for row in range(len(made.X))]
    strata = ["" if made.strata is None else made.strata[row] for row in range(len(made.X))]
    both = [*zip(names, strata, strict=True)]
    return [-sorted(set(both)).index(one) for one in both]


def expected_of(made):
    """For each group of the page, what is to be said of it."""
    strata = np.zeros(len(made.X)) if made.strata is None else made.strata
    known = {}
    for y in {None, *(() if made.y is None else ("y",))}:
        labels = None if y is None else made.y
        model = searched(made, labels)
        groups = naive_groups(model, made.X, labels, made.strata)
        p = [None] * len(groups)
        if made.y is not None and labels is None:
            p = naive_class_p([group.carriers for group in groups], made.y, strata, 0)
        expected = [*map(Expected, groups, p)]
        if labels is None:
            expected = with_separate(made, expected)
        for pattern, one in zip(model.patterns_, expected, strict=True):
            key = pattern.anchor_class, pattern.rows.tobytes(), pattern.columns.tobytes()
            known[key] = one
    return [
        known[pattern.anchor_class, pattern.rows.tobytes(), pattern.columns.tobytes()]
        for pattern in made.patterns
    ]


def with_separate(made, expected):
    """What rows that did not choose groups say of them: of those tied to a class, or of all."""
    asked = range(len(expected)) if made.y is None else clear_groups(expected)
    judged = {k: judged_rows(made, expected[k].group) for k in asked}
    separate, strata = {}, np.array(kinds_of(made, made.y))
    for k, one in judged.items():
        n_known = int(np.sum(~np.isnan(one.scores)))
        separate[k] = f"{n_known} of {len(strata)} rows have a score by a search without them"
        separate[k] += "; more are needed"
        if n_known >= 0.75 * len(strata):
            separate[k] = separate_test(one.scores, strata=strata, random_state=0).p_value
    tested = [k for k in separate if not isinstance(separate[k], str)]
    separate |= dict(zip(tested, naive_in_order([separate[k] for k in tested]), strict=True))
    return [
        one._replace(judged=judged.get(k), separate=separate.get(k))
        for k, one in enumerate(expected)
    ]


class ColumnTests(NamedTuple):
    """Tests of all columns for one group, by rows of folds that did not choose them."""

    difference: np.ndarray
    effect: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p: np.ndarray

    @property
    def corrected(self):
        return naive_corrected(self.p)


class Judged(NamedTuple):
    """Who is inside by searches of other rows, for each column without it; and scores of rows."""

    inside: np.ndarray
    scores: np.ndarray
    n_found: int


def judged_rows(made, wanted, n_folds=5):
    folds = naive_folds(kinds_of(made, made.y), n_folds, 0)
    X, n_columns = made.X.to_numpy(), made.X.shape[1]
    inside, scores, n_found = np.full(X.shape, -1), np.full(len(X), np.nan), 0
    for fold in range(n_folds):
        part, others = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        of_part, of_others = (
            None if made.strata is None else made.strata[rows] for rows in (part, others)
        )
        known = {} if made.strata is None else {"strata": of_part}
        fitted = SubgroupBiclustering(**MINER.get_params()).fit(X[part], **known)
        groups = naive_groups(fitted, X[part], None, of_part)
        alike = [k for k, one in enumerate(fitted.patterns_) if one.strength > 0]
        groups = [groups[k] for k in alike]
        rows = [part[group.carriers] for group in groups]
        best = naive_match(np.flatnonzero(wanted.carriers), part, rows)
        if best is None:
            continue
        n_found += 1
        group, scaling = groups[best], NaiveScaling(X[part], of_part)
        there, here = scaling.apply(X[part], of_part), scaling.apply(X[others], of_others)
        for column in range(n_columns):
            values = group.values(there, without=column)
            cut = (values[group.carriers].mean() + values[~group.carriers].mean()) / 2
            inside[others, column] = group.values(here, without=column) > cut
        far_there, far_here = (
            group.values(scaling.apply(X[own], of_own, clip=np.inf))
            for own, of_own in ((part, of_part), (others, of_others))
        )
        low, high = np.median(far_there[~group.carriers]), far_there[group.carriers].mean()
        scores[others] = (far_here - low) / (high - low)
    return Judged(inside, scores, n_found)


def column_tests(made, judged):
    rows = np.flatnonzero(judged.inside[:, 0] >= 0)
    strata = np.zeros(len(made.X)) if made.strata is None else made.strata
    tests = naive_column_tests(
        made.X.to_numpy()[rows],
        lambda column: judged.inside[rows, column] == 1,
        strata[rows].tolist(),
    )
    return ColumnTests(*tests.T)


# --- what the page may say


def shares_of(made, pattern, carriers):
    """Carriers and rows of each class; the class of a group comes first."""
    if made.y is None:
        return {"all rows": (int(carriers.sum()), len(carriers))}
    labels = sorted(sorted(set(made.y)), key=lambda label: label != pattern.anchor_class)
    return {
        label: (int(np.sum(carriers & (made.y == label))), int(np.sum(made.y == label)))
        for label in labels
    }


def evidence_lines(one):
    lines = [] if one.p is None else [f"p = {rounded(one.p)} corrected for all patterns"]
    if isinstance(one.separate, str):
        lines.append(f"not tested as a separate group: {one.separate}")
    elif one.separate is not None:
        lines.append(f"as a separate group p = {rounded(one.separate)}")
    lines += [] if one.judged is None else [f"found again in {one.judged.n_found} of 5 folds"]
    return lines


def is_separate(one):
    return isinstance(one.separate, float) and one.separate <= 0.05


def passed(one):
    return is_separate(one) if one.p is None else one.p <= 0.05


def other_side(expected, place):
    """Position of the finding that a group is the other side of: other rows, opposite columns."""
    own = expected[place].group
    for k, one in enumerate(expected[:place]):
        of = dict(zip(one.group.columns, one.group.weights, strict=True))
        pairs = [
            (weight, of[column])
            for column, weight in zip(own.columns, own.weights, strict=True)
            if column in of
        ]
        n_shared = np.sum(own.members & one.group.members)
        n_opposite = sum(first * second < 0 for first, second in pairs)
        if (
            passed(one)
            and n_shared <= 0.1 * min(own.members.sum(), one.group.members.sum())
            and 2 * len(pairs) >= min(len(own.columns), len(of))
            and n_opposite >= 0.9 * len(pairs)
        ):
            return k
    return None


def clear_groups(expected):
    """Groups that passed the test against chance, but for other sides of these."""
    return [k for k, one in enumerate(expected) if passed(one) and other_side(expected, k) is None]


def class_columns(made):
    """Columns in which a class differs from the others, by all rows."""
    labels = sorted(set(made.y))
    compared = labels[:1] if len(labels) == 2 else labels
    strata = [""] * len(made.y) if made.strata is None else made.strata.tolist()
    p = [
        min(1.0, len(compared) * min(naive_rank_p(x, made.y == one, strata) for one in compared))
        for x in made.X.to_numpy().T
    ]
    return naive_corrected(p) <= 0.05


def of_pattern(made, place, one, pattern, tested, other_side_of):
    """Texts and cells about one group, by their places."""
    carriers, names = one.group.carriers, made.X.columns
    shares = shares_of(made, pattern, carriers)
    told = ", ".join("{} of {} {}".format(*share, label) for label, share in shares.items())
    told = told.removesuffix("all rows") + "rows" if "all rows" in shares else told
    n_rows, n_columns = int(carriers.sum()), len(pattern.columns)
    lines = evidence_lines(one)
    picture = f"Carriers of pattern {place}, above the rows that they differ from"
    start = "; ".join([f"{counted(n_columns, 'column')}, shift", *lines])
    by_score = np.argsort(-one.group.scores, kind="stable")[:n_rows]
    listed = ", ".join(f"{made.X.index[k]} ({number(one.group.scores[k])})" for k in by_score)

    def details(words):
        links = {f"pattern {k + 1}" for k in parents(made, pattern)}
        rest = words.removeprefix(start)
        for link in links:
            rest = rest.replace(f"Most of its rows are in {link}.", "")
        if other_side_of is not None:
            rest = rest.replace(f"It is the other side of pattern {other_side_of + 1}:", "")
        return words.startswith(start) and not re.search(r"\d", rest)

    allowed = {
        (f"pattern-{place}", None, None): [
            f"Pattern {place}: {told}",
            details,
            f"{picture}. Swipe sideways to see all of it.",
            partial(
                agree, f"The {counted(n_rows, 'carrier')}, with their membership scores: {listed}"
            ),
        ],
    }
    if isinstance(one.separate, float) and tested is not None:
        drawn = (
            f"Scores of rows for pattern {place}, each by a search without the row. Of a separate "
            "group, two humps describe them, and no single one does"
        )
        allowed[f"pattern-{place}", None, None].append(f"{drawn}. Swipe sideways to see all of it.")
    head = f"Mean of the {n_rows} rows of this pattern"
    for part in (f"Columns of pattern {place}", f"The clearest columns of pattern {place}"):
        allowed[part, None, None] = ["Standardised (95 % interval)", head]
        for k, column in enumerate(pattern.columns.tolist()):
            values, inside = made.X.iloc[:, column], carriers
            cells = {
                head: mean_of(values[inside]),
                "Mean of all other rows": mean_of(values[~inside]),
                **{
                    f"Mean of all {label}": mean_of(values[made.y == label])
                    for label in ([] if made.y is None else shares)
                },
                "Weight": partial(agree, signed(one.group.weights[k])),
            }
            if tested is not None:
                interval = f"({signed(tested.low[column])} to {signed(tested.high[column])})"
                cells |= {
                    "Difference": signed(tested.difference[column]),
                    "Standardised (95 % interval)": f"{signed(tested.effect[column])} {interval}",
                    # The page has tails that are off by a few percent.
                    "p, corrected": lambda words, p=tested.corrected[column]: (
                        abs(float(words) / p - 1) < (0.15 if p >= 0.001 else 0.6)
                        and len(words.lstrip("0.").replace(".", "")) <= (2 if p >= 0.001 else 6)
                    ),
                }
            for heading, cell in cells.items():
                allowed[part, names[column], heading] = [cell]
    if tested is not None:
        proven = tested.corrected <= 0.05
        own = int(proven[pattern.columns].sum())
        others = int(proven.sum()) - own
        more = f", and {others} more of the table" if others else ""
        allowed[f"pattern-{place}", None, None].append(
            f"{own} of {n_columns} columns have evidence of their own{more} (false "
            f"discovery rate 5% over {len(names)} columns); each column in rows that did not "
            f"choose it, judged by the other columns (found again in {one.judged.n_found} of 5 "
            "folds)."
        )
    return allowed, told


def mean_of(values):
    """Of a mean that ends with 5, the last bit decides how it is rounded."""
    return partial(agree, number(values.mean()))


def parents(made, pattern):
    """Positions of groups that have most of the rows of this one, and more."""
    return [
        k
        for k, other in enumerate(made.patterns)
        if len(other.rows) > len(pattern.rows)
        and len(set(pattern.rows) & set(other.rows)) >= 0.8 * len(pattern.rows)
    ]


def test_every_number_follows_from_the_table(made):
    expected = expected_of(made)
    n_rows, n_columns = made.X.shape
    of_target = "" if made.y is None else ", classes of status"
    share = 100 * made.X.isna().to_numpy().mean()
    missing = f" {share:.2g} % of the cells are missing; they count for nothing." if share else ""
    aside = "" if made.strata is None else " What batch explains was set aside before the search."
    allowed = {
        ("header", None, None): [
            f"table.csv: {n_rows} rows, {n_columns} columns{of_target}",
            *made.answer,
        ],
        ("methods", None, None): [
            "A group is a set of rows that differ from all others in some columns (bicneuron "
            f"{__version__}, SubgroupBiclustering). Its carriers are the rows beyond its cut on a "
            f"weighted sum of these columns.{aside}{missing}",
            repr(MINER),
            *made.read,
        ],
    }
    proven = clear_groups(expected)
    allowed["seen", None, None] = [counted(len(expected) - len(proven), "pattern")]
    tested = {k + 1: column_tests(made, expected[k].judged) for k in proven}
    assert all(expected[k].judged.n_found >= 3 for k in proven)
    assert all((one.corrected <= 0.05).any() for one in tested.values())
    for number_, (pattern, one) in enumerate(zip(made.patterns, expected, strict=True), start=1):
        of = other_side(expected, number_ - 1)
        texts, told = of_pattern(made, number_, one, pattern, tested.get(number_), of)
        allowed |= texts
        row = f"{number_}: {told}"
        table = "Other groups seen"
        allowed[table, row, "Pattern"] = [row]
        allowed[table, row, "Columns"] = [str(len(pattern.columns))]
        allowed[table, row, "Inside pattern"] = [str(k + 1) for k in parents(made, pattern)]
        allowed[table, row, "Result"] = ["; ".join(evidence_lines(one))]
        if of is not None:
            allowed[table, row, "Result"] = [f"the other side of pattern {of + 1}"]
    last = f"pattern-{len(expected)}", None, None
    allowed[last] = [*allowed[last], *(f"Save pattern-{k}.rnk" for k in tested)]
    left = unexplained(made.texts, allowed)
    assert not left, "\n".join(map(str, left))
    # Columns come by their evidence.
    for number_, tests in tested.items():
        part = f"Columns of pattern {number_}"
        shown = [*dict.fromkeys(text.row for text in made.texts if text.part == part and text.row)]
        places = [made.X.columns.get_loc(name) for name in shown]
        assert sorted(places) == made.patterns[number_ - 1].columns.tolist()
        # Tails of the page are off by a few percent.
        assert np.all(np.diff(np.log(tests.p[places])) > -0.2)
