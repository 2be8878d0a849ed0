"""Every direction that is said, listed or written is the sign of the difference of means."""

import csv
import io
import math
import re
import warnings
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from page_numbers import PageTexts
from scipy.sparse import csr_array, issparse
from sklearn.base import clone
from sklearn.datasets import load_wine

from bicneuron import BicNeuronClassifier, BicNeuronNetwork, PatternClassifier, SubgroupBiclustering
from bicneuron.report import pattern_lists, pattern_records, write_report
from bicneuron.significance import column_evidence, with_evidence

SIGNS = {"higher": 1, "lower": -1, "equal": 0}
OF_RISE = {"together", "opposite"}
MINUS = "\N{MINUS SIGN}"


class Table(NamedTuple):
    """Rows, perhaps with classes and known structure."""

    X: object
    y: np.ndarray | None = None
    known: Mapping = MappingProxyType({})
    kinds: object = "shift"


class Said(NamedTuple):
    """A direction, where it stands, and the difference beside it, if there is one."""

    where: str
    pattern: int
    column: str
    word: str
    beside: float = math.nan


def made(seed):
    """A table with groups, and by turns with factors, strata, missing cells and other kinds."""
    rng = np.random.default_rng(seed)
    n_rows, n_columns = int(rng.integers(50, 80)), int(rng.integers(12, 24))
    X = rng.normal(size=(n_rows, n_columns)) * rng.uniform(0.1, 100, n_columns)
    scale = X.std(axis=0)
    factor = rng.normal(size=n_rows)
    for _ in range(seed % 3):  # backgrounds, which the search removes
        factor = rng.normal(size=n_rows)
        X += 2.0 * np.outer(factor, scale * rng.normal(size=n_columns))
    for _ in range(1 + seed % 2):
        # Groups lie at one end of a background, whose differences may be the larger ones.
        rows = np.argsort(factor + 0.5 * rng.normal(size=n_rows))[: n_rows // 4]
        columns = rng.choice(n_columns, 6, replace=False)
        signs = rng.choice([-1, 1], 6)
        block, unit = np.ix_(rows, columns), scale[columns]
        if seed % 5 == 3:
            noise = 0.1 * rng.normal(size=(len(rows), 6))
            X[block] = X[:, columns].mean(axis=0) + (signs + noise) * unit
        elif seed % 5 == 4:
            X[block] += np.outer(3 * rng.normal(size=len(rows)), signs) * unit
        else:
            X[block] += 2.5 * signs * unit
    known = {}
    if seed % 4 in (1, 3):
        known["strata"] = rng.choice(["x", "y", "z"], n_rows)
        X[known["strata"] == "x"] += 2 * scale * rng.normal(size=n_columns)
    if seed % 4 in (2, 3):
        known["covariates"] = rng.normal(size=n_rows)
        X += np.outer(known["covariates"], scale * rng.normal(size=n_columns))
    if seed % 6 == 5:
        X[rng.random(X.shape) < 0.06] = np.nan
    table = pd.DataFrame(X, columns=[f"c{k}" for k in range(n_columns)])
    if seed % 7 == 6:
        X[np.abs(X) < scale] = 0.0
        table = csr_array(X)
    kinds = {3: "tight", 4: "coexpressed"}.get(seed % 5, ("shift", "tight", "coexpressed"))
    return Table(table, None, known, kinds)


def names_of(X):
    return list(X.columns) if hasattr(X, "columns") else [f"x{k}" for k in range(X.shape[1])]


def of_values(model):
    for k, pattern in enumerate(model.patterns_, start=1):
        names = np.array(model_names(model))[pattern.columns]
        for name, word, way in zip(names, pattern.direction_words, pattern.directions, strict=True):
            assert word in OF_RISE or SIGNS[word] == way
            yield Said("direction_words", k, name, word)


def model_names(model):
    names = getattr(model, "feature_names_in_", None)
    return [f"x{k}" for k in range(model.n_features_in_)] if names is None else list(names)


def of_summary(model):
    """Names in brackets, those of one direction together; the groups are those that are named."""
    for line in model.summary().splitlines():
        for brackets in re.findall(r"\(([cx]\d+[^()]*)\)", line):
            for part in brackets.split("; "):
                *names, last = part.split(", ")
                if last.split()[0].isdigit():  # only counted
                    continue
                for name in [*names, last]:
                    if name.split()[0] != "...":
                        yield name.split()[0], part.split()[-1], line


def of_records(model, table, evidence):
    for record in pattern_records(model, table.X, table.y, evidence=evidence):
        said = (record[part] for part in ("columns", "directions", "differences"))
        for column, word, difference in zip(*said, strict=True):
            yield Said("pattern_records", record["rank"], column, word, difference)


def of_lists(model, table, evidence):
    lists = pattern_lists(model, table.X, table.y, evidence=evidence)
    for line in csv.DictReader(io.StringIO(lists.files["genes.csv"])):
        difference = float(line["difference"] or "nan")
        where = "genes.csv"
        yield Said(where, int(line["pattern"]), line["column"], line["direction"], difference)
    for line in lists.gmt.splitlines():
        name, description, *columns = line.split("\t")
        _, number, word = name.split()
        assert description.startswith(word)
        for column in columns:
            yield Said("gmt", int(number), column, word)


def of_page(model, table, evidence, folder):
    path = write_report(
        folder / "page.html", model, table.X, table.y, columns=evidence, overwrite=True
    )
    cells = {}
    for text in PageTexts(path.read_text()).texts:
        if text.row and (part := re.fullmatch(r".*olumns of pattern (\d+)", text.part)):
            cells.setdefault((text.part, int(part[1]), text.row), {})[text.column] = text.words
    assert cells or not model.patterns_
    for (part, number, name), line in cells.items():
        beside = line.get("Difference", "").replace(MINUS, "-")
        yield Said(part, number, name, line["In the carriers"], float(beside or "nan"))


def of_frames(evidence):
    for one in evidence:
        for line in [*one.to_frame().to_dict("records"), *one.records]:
            yield Said("frame", one.number, line["column"], line["direction"], line["difference"])


# One sentence after the other.
def contradictions(table, model, evidence=(), folder=None):  # noqa: C901
    """Check all that is said of a model; return how many directions that were."""
    X = table.X.toarray() if issparse(table.X) else np.asarray(table.X, float)
    names, carriers = names_of(table.X), model.carriers(table.X)
    differences = [
        naive_differences(X, one, own) for one, own in zip(model.patterns_, carriers.T, strict=True)
    ]
    signs = [
        {name: naive_sign(X[:, k], values[k]) for k, name in enumerate(names)}
        for values in differences
    ]
    said = [*of_values(model), *of_records(model, table, evidence), *of_frames(evidence)]
    if not issparse(table.X) and model.patterns_:
        said += of_lists(model, table, evidence)
    if folder is not None:
        said += of_page(model, table, evidence, folder)
    wrong, unclear = [], set()
    for one in evidence:
        unclear.update((one.number, one.names[k]) for k in np.flatnonzero(one.direction == 0))
    for one in said:
        if one.word in OF_RISE:
            if model.patterns_[one.pattern - 1].kind != "coexpressed":
                wrong.append(one)
        elif one.word == "not clear":
            if (one.pattern, one.column) not in unclear:
                wrong.append(one)
        elif SIGNS[one.word] != signs[one.pattern - 1][one.column] or (
            not math.isnan(one.beside) and SIGNS[one.word] != np.sign(one.beside)
        ):
            wrong.append(one)
    ranked = {}
    if evidence and not issparse(table.X):
        ranked = pattern_lists(model, table.X, table.y, evidence=evidence).rnk
    for one in evidence:  # not clear: only where the rows left out say otherwise
        in_table = np.array([signs[one.number - 1][name] for name in names])
        left_out = np.sign(np.nan_to_num(one.difference))
        np.testing.assert_array_equal(one.direction == 0, (in_table != left_out) | (in_table == 0))
        for line in ranked.get(one.number, "").splitlines():
            name, effect = line.split("\t")
            if one.direction[names.index(name)]:
                assert np.sign(float(effect)) in (0, signs[one.number - 1][name])
    for name, word, line in of_summary(model):
        # The sentence of one of the groups, told by its carriers.
        known = [
            way[name]
            for way, own in zip(signs, carriers.T, strict=True)
            if f"{own.sum()} of {len(own)}" in line or table.y is not None
        ]
        if word in SIGNS and SIGNS[word] not in known:
            wrong.append(Said("summary", 0, name, word))
    assert wrong == []
    return len(said)


def naive_differences(X, pattern, carriers):
    inside, outside = carriers, ~carriers
    if len(pattern.contrast_rows):
        inside, outside = (
            np.isin(np.arange(len(X)), rows) for rows in (pattern.rows, pattern.contrast_rows)
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a side without values
        return np.nanmean(X[inside], axis=0) - np.nanmean(X[outside], axis=0)


def naive_sign(values, difference):
    """Of a difference that rounding cannot explain."""
    is_none = math.isnan(difference) or abs(difference) <= 1e-9 * np.nanstd(values)
    return 0 if is_none else int(np.sign(difference))


def searched(table):
    """The groups of a table, with what was tested of their columns."""
    miner = SubgroupBiclustering(kinds=table.kinds, n_patterns=4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that strata coincide, or that nothing was found
        miner.fit(table.X, **table.known)
        evidence = column_evidence(miner, table.X, n_folds=2, random_state=0, **table.known)
    return with_evidence(miner, columns=evidence), evidence


def disagreeing(model):
    """Columns whose weight has another sign than the difference."""
    return sum(
        int(np.sum(one.weights * one.differences < 0))
        for one in model.patterns_
        if one.kind != "coexpressed"
    )


def test_directions_of_made_tables(tmp_path):
    n_said = n_removed = n_disagreeing = 0
    for seed in (0, 2, 3, 4, 5, 6):  # one of each kind
        table = made(seed)
        model, evidence = searched(table)
        n_said += contradictions(table, model, evidence, tmp_path if seed == 3 else None)
        n_removed += sum(len(one.axis.removed) > 0 for one in model.patterns_)
        n_disagreeing += disagreeing(model)
    assert n_said > 300
    assert n_removed > 0
    assert n_disagreeing > 0, "weights say nothing about directions"


@pytest.mark.filterwarnings("ignore::bicneuron.exceptions.NoContrastivePairWarning")
@pytest.mark.parametrize(
    "model",
    [
        PatternClassifier(random_state=0),
        BicNeuronNetwork(n_neurons=4, random_state=0),
        BicNeuronClassifier(search=None, max_ratio=np.inf, random_state=0),
    ],
    ids=["readable", "accurate", "classifier"],
)
def test_directions_of_models_that_predict(model):
    X, y = load_wine(return_X_y=True)
    table = Table(pd.DataFrame(X, columns=[f"c{k}" for k in range(X.shape[1])]), y)
    fitted = clone(model).fit(table.X, table.y)
    assert fitted.patterns_
    assert contradictions(table, fitted) > 0
    assert all(len(one.differences) == len(one.columns) for one in fitted.patterns_)
