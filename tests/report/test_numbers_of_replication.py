"""Every number on the page of `bicneuron replicate`, recomputed from both tables."""

import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from oracles.group_page import NaiveGroup, NaiveScaling
from oracles.one_axis import naive_cox
from page_numbers import Numbers, agree, letters, number, rounded, unexplained, unsaid

from bicneuron import SubgroupBiclustering
from bicneuron._shared._estimators import draw_seed
from bicneuron._shared._version import __version__
from bicneuron.cli import main
from bicneuron.replication import replicate
from bicneuron.significance import separate_test
from bicneuron.significance._find_groups import judged_groups

N_DRAWS = 999
PARTS = [k / 64 for k in range(1, 65)]  # sums of halves, quarters and so on


def cohort(seed, prefix, second):
    """Groups of a third of the cases and of the controls, in eight columns each of 40.

    That is too few columns for ranks. ``second`` is the shift of the second group.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 40))
    X[:10, :8] += 3.0
    X[30:42, 10:18] -= second
    frame = pd.DataFrame(np.round(X, 4), columns=letters(40, "G"))
    frame.index = pd.Index(letters(60, prefix), name="sample")
    return frame.assign(status=np.repeat(["case", "control"], 30))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The page, both tables, the groups, and the result with the draws of its tests."""
    folder = tmp_path_factory.mktemp("cohorts")
    there, here = cohort(0, "S", 3.0), cohort(1, "T", 0.8).drop(columns="Gab")
    rng = np.random.default_rng(2)
    here["time"], here["event"] = np.round(rng.exponential(5, 60), 2), np.arange(60) % 3 // 2
    here.to_csv(folder / "here.csv")
    classes, table = there["status"].to_numpy(), there.drop(columns="status")
    miner = SubgroupBiclustering(kinds="shift", n_patterns=3, n_jobs=1).fit(table)
    model = judged_groups(miner, table, classes, random_state=0)
    model.save(folder / "groups.skops")
    again = ["replicate", "groups.skops", "here.csv", "--all", "--target", "status", "--quiet"]
    again += ["--time", "time", "--event", "event", "-o", "page.html"]
    named = {"here.csv", "groups.skops", "page.html"}
    assert main([str(folder / one) if one in named else one for one in again]) == 0
    X = here.drop(columns=["status", "time", "event"])
    survival = (here["time"], here["event"])
    result = replicate(model, X, here["status"], outcome=survival, random_state=0)
    page = (folder / "page.html").read_text()
    return Numbers(page).found, table, X, here, model.miner, result


class Naive:
    """The signature of each group in the cohort, with its tests, from the definitions."""

    def __init__(self, there, X, here, model, result):
        self.y = here["status"].to_numpy()
        self.time, self.event = here["time"].to_numpy(), here["event"].to_numpy() > 0
        self.X, self.result, self.patterns = X, result, model.patterns_
        centred = (X - X.mean()) / X.std(ddof=0)
        self.Z = NaiveScaling(centred, None).apply(centred, None)
        Z_there = NaiveScaling(there, None).apply(there, None)
        self.names = [there.columns[one.columns] for one in model.patterns_]
        self.groups = [
            NaiveGroup(Z_there, one.rows, one.columns, len(one.axis.removed))
            if one.anchor_class is None
            else None
            for one in model.patterns_
        ]
        used = sorted({X.columns.get_loc(name) for own in self.names for name in own if name in X})
        random = np.random.default_rng(0)
        orders = [random.permutation(X.shape[1])[: len(used)] for _ in range(N_DRAWS)]
        self.tests = []
        for k, one in enumerate(result.patterns):
            weights = self.patterns[k].weights  # tested by the page of groups
            present = [
                (w, name) for w, name in zip(weights, self.names[k], strict=True) if name in X
            ]
            places = [X.columns.get_loc(name) for _, name in present]
            factors = np.array([weight for weight, _ in present])
            values = self.Z[:, places] @ factors
            p = None
            if not one.reason:
                drawn = [order[np.searchsorted(used, places)] for order in orders]
                S = np.array([self.Z[:, columns] @ factors for columns in drawn]).T
                p = self.p_values(values, S, one, random)
            self.tests.append((present, values, p))
        # Those that are proven in the first cohort come before the others in the model, too.
        tested = [p for _, _, p in self.tests if p]
        for name, own in (
            ("found", [max(p["together"], p["class"]) for p in tested]),
            *((name, [p[name] for p in tested]) for name in ("together", "class", "separate")),
        ):
            for p, corrected in zip(tested, self.in_order(own), strict=True):
                p[f"{name}, corrected"] = corrected

    def p_values(self, values, S, one, random):
        """P of each answer; that of a separate group is the test's own, on sums of values."""
        together = values.var(), S.var(axis=0)
        assert one.together.observed == pytest.approx(together[0])
        np.testing.assert_allclose(one.together.draws, together[1])
        strata = np.zeros(len(values))

        def of_class(own):
            return max(abs(np.corrcoef(own, self.y == label)[0, 1]) for label in set(self.y))

        def of_outcome(own):
            return abs(naive_cox(own, self.time, self.event, strata))

        seed = draw_seed(0)
        separate = separate_test(one.levels, n_draws=N_DRAWS, random_state=seed).p_value
        found = {"together": share(*together), "separate": separate}
        orders = {"class": np.lexsort((self.y,)), "outcome": np.lexsort((self.event, self.time))}
        for name, statistic in (("class", of_class), ("outcome", of_outcome)):
            mixed = np.empty((len(values), N_DRAWS))
            ordered = np.repeat(np.sort(values)[:, None], N_DRAWS, axis=1)
            mixed[orders[name]] = random.permuted(ordered, axis=0)
            observed = statistic(values)
            alone = share(observed, np.array([statistic(own) for own in mixed.T]))
            by_columns = share(observed, np.array([statistic(own) for own in S.T]))
            found |= {name: max(alone, by_columns), f"{name} alone": alone}
        return found

    @staticmethod
    def in_order(p_values):
        """Least level at which each passes, if one that passes gives its own on: by trying."""
        levels = sorted({min(p / part, 1.0) for p in p_values for part in PARTS})
        corrected = [1.0] * len(p_values)
        for level in reversed(levels):
            given_on, n = 0.0, len(p_values)
            for k, p in enumerate(p_values):
                own = level / 2 ** min(k + 1, n - 1) + given_on
                passes = p <= own * (1 + 1e-12)
                given_on = own if passes else 0.0
                corrected[k] = level if passes else corrected[k]
        return corrected


def share(observed, draws):
    return (1 + np.sum(draws >= observed - 1e-9 * abs(observed))) / (1 + len(draws))


def gap(values, inside):
    within = sum(np.sum((values[own] - values[own].mean()) ** 2) for own in (inside, ~inside))
    return (values[inside].mean() - values[~inside].mean()) / np.sqrt(within / len(values))


def of_classes(carriers, y, labels):
    return [(label, np.sum(carriers & (y == label)), np.sum(y == label)) for label in labels]


def by_share(carriers, y, labels):
    counts = sorted(of_classes(carriers, y, labels), key=lambda count: -count[1] / count[2])
    return ", ".join(f"{n} of {total} {label}" for label, n, total in counts)


def test_every_number_follows_from_the_tables(made):  # noqa: PLR0915  # all that the page tells
    found, there, X, here, model, result = made
    naive = Naive(there, X, here, model, result)
    y_there, allowed, lines = np.repeat(["case", "control"], 30), {}, []
    n_tested = sum(p is not None for *_, p in naive.tests)
    carriers = model.carriers(there)
    n_found = 0
    for k, (pattern, (present, values, p)) in enumerate(
        zip(model.patterns_, naive.tests, strict=True)
    ):
        place, columns = k + 1, naive.names[k]
        own = pattern.anchor_class
        labels = ["case", "control"] if own is None else [own]
        if naive.groups[k] is not None:
            assert np.array_equal(carriers[:, k], naive.groups[k].carriers)
        told = by_share(carriers[:, k], y_there, labels)
        scores = result.patterns[k].found.scores
        inside = scores > 0
        # Scores are the values, from the cut and in units of the spread.
        slope, level = np.polyfit(values, scores, 1)
        np.testing.assert_allclose(scores, slope * values + level, atol=1e-5)
        axis = model.patterns_[k].weights
        gaps = [f"{gap(values, inside):.1f}"]
        Z = NaiveScaling(there, None).apply(there, None)[:, pattern.columns]
        gaps.append(f"{gap(Z @ axis, carriers[:, k]):.1f}")
        n_here, n_columns = len(present), len(columns)
        weight = 100 * sum(w**2 for w, _ in present) / np.sum(axis**2)
        members = f"{inside.sum()} of {len(X)}"
        n_found += bool(p and p["found, corrected"] <= 0.05)
        reason = (
            f"{n_here} of its {n_columns} columns are here, with {weight:.0f} % of its weight; "
            "5 columns and 30 % are needed"
        )
        figures = result.patterns[k].figures if p else ""  # with the numbers of the table
        if p:
            separate = rounded(p["separate, corrected"])
            is_group = p["separate, corrected"] <= 0.05
            answer = "a separate group here" if is_group else "may be the end of a gradient"
            answer += f" (p = {separate})"
        verdict = result.patterns[k].verdict
        lines.append(
            f"Group {place} ({told} there): {verdict}" + (f", {figures}" if p else f": {reason}")
        )
        row = f"{place}: {told} there"
        cells = {
            "Pattern": row,
            "Members here": members,
            "Gap here": gaps[0],
            "Gap there": gaps[1],
            "Columns here": f"{n_here} of {n_columns}",
        }
        if p:
            cells |= {
                "p, corrected": rounded(p["found, corrected"]),
                "A separate group?": answer,
                "p of the class": rounded(p["class"]),
                "p of the outcome": rounded(p["outcome"]),
            }
            tests = {
                "Do its columns move together, as there?": "together",
                "Is it tied to the class (status)?": "class",
                "Is it a separate group here?": "separate",
                "Is it found again?": "found",
            }
            table = f"Tests of pattern {place}"
            for question, name in tests.items():
                allowed[table, question, "p"] = [rounded(p[name])] if name in p else []
                allowed[table, question, "p, corrected"] = [rounded(p[f"{name}, corrected"])]
            allowed[table, "Is it tied to survival (time, event)?", "p"] = [rounded(p["outcome"])]
        for heading, cell in cells.items():
            allowed["All patterns", row, heading] = [cell]
        in_classes = ", ".join(
            f"{label}: {n} of {total}"
            for label, n, total in of_classes(inside, naive.y, ["case", "control"])
        )
        absent = [name for name in columns if name not in X]
        first = f"{told} there" + (f", {figures}." if p else f". It cannot be tested: {reason}.")
        by_score = np.argsort(-scores, kind="stable")[: inside.sum()]
        listed = ", ".join(f"{X.index[i]} ({number(scores[i])})" for i in by_score)
        texts = [
            f"Group {place}: {verdict}",
            f"{first} Members of the classes here: {in_classes}.",
            f"All of its {n_columns} columns are here.",
            f"{n_here} of its {n_columns} columns are here, with {weight:.0f} % of its weight. "
            f"Absent: {', '.join(absent)}.",
            f"Members of pattern {place}",
            partial(agree, f"With their scores: {listed}"),
        ]
        texts += [
            (
                f"Not the answer: against {'classes' if tie == 'class' else 'outcomes'} in another "
                f"order alone, p of the {tie} would be {rounded(p[f'{tie} alone'])}. In real "
                "tables most scores are tied to most labels, so that this says nothing about this "
                "pattern."
            )
            for tie in (("class", "outcome") if p else ())
        ]
        allowed[f"pattern-{place}", None, None] = texts
    words = result.words
    assert n_found == len(result.found)
    allowed["header", None, None] = [words, f"{words} in here.csv", *lines]
    start = f"The cohort has {len(X)} rows and {X.shape[1]} columns of the training table, "
    allowed["how", None, None] = [
        partial(re.fullmatch, start + r"\D*"),
        partial(
            re.fullmatch,
            f"A pattern is found again if .* beyond what {N_DRAWS} draws give .corrected p at most "
            r"0\.05.\. \D*The smallest possible p is "
            + re.escape(rounded(1 / (1 + N_DRAWS)))
            + r" before the correction\D*",
        ),
        f"bicneuron {__version__}",
    ]
    left = unexplained(found, allowed)
    assert not left, "\n".join(map(str, left))
    assert unsaid(found, allowed) == []
    assert n_tested > 1, "p is corrected"
