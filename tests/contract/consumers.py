"""Every consumer of patterns: whom it serves, and what it must then answer.

A consumer is a function of a case and a folder. It recomputes what it is told, independently of the
code that told it. ``serves`` says which cases it takes; all others it refuses in our own words.
"""

import json
import re
import traceback
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from bicneuron import Findings, SubgroupBiclustering, inspection
from bicneuron.biclustering import BiclusterFeatures, BiclusterSelector
from bicneuron.exceptions import ModelFileError, NoBiclusterWarning
from bicneuron.metrics import cross_validated_scores
from bicneuron.persistence import load_model, save_model
from bicneuron.replication import replicate
from bicneuron.report import pattern_lists, pattern_records, write_report
from bicneuron.significance import column_evidence, significance_test, with_evidence
from bicneuron.significance._find_groups import judged_groups
from contract.producers import case as case_of
from contract.producers import values


class Consumer(NamedTuple):
    """A function of a case and a folder, and whom it serves.

    ``needs_patterns``: it refuses a model that found nothing. ``method``: a method of some models
    only, which it calls.
    """

    use: Callable
    serves: Callable
    needs_patterns: bool
    method: str


CONSUMERS: dict[str, Consumer] = {}


def consumer(name, serves=lambda case: True, needs_patterns=False, method="fit"):
    def add(use):
        CONSUMERS[name] = Consumer(use, serves, needs_patterns, method)
        return use

    return add


def refused(act, *given):
    """Check that it is refused on purpose: by a line of the package or of scikit-learn's checks."""
    with pytest.raises((TypeError, ValueError, ModelFileError)) as refusal:
        act(*given)
    last = traceback.extract_tb(refusal.value.__traceback__)[-1]
    said = f"{refusal.type.__name__}: {refusal.value}"
    assert {"bicneuron", "sklearn"} & set(Path(last.filename).parts), said
    assert (last.line or "").startswith("raise"), said


def like(case, values):
    """Values as a table of the kind that the model was fitted to, but for sparse ones."""
    is_frame = hasattr(case.X, "columns")
    return pd.DataFrame(values, columns=case.X.columns) if is_frame else values


def names_of(case):
    if hasattr(case.X, "columns"):
        return case.X.columns.tolist(), case.X.index.tolist()
    return [f"x{k}" for k in range(case.X.shape[1])], list(range(case.X.shape[0]))


def has_one_label(case):
    return not case.has_several_labels


def is_listed(case):
    return not case.is_sparse and has_one_label(case)


def group_of(case, k, carriers):
    """Rows of a pattern as people read of them: those of a bicluster, or the carriers."""
    pattern = case.model.patterns_[k]
    return pattern.rows if pattern.axis is None else np.flatnonzero(carriers[:, k])


def has_contrast(case):
    return len(case.first.contrast_rows) > 0


def counts(case, carriers, labels):
    """Carriers of each class, one by one."""
    found = []
    for column in carriers.T:
        own = {}
        for label in sorted(set(labels.tolist())):
            members = [row for row in range(len(labels)) if labels[row] == label]
            own[label] = (sum(bool(column[row]) for row in members), len(members))
        found.append(own)
    return found


@consumer("patterns")
def patterns(case, folder):
    n_rows, n_columns = case.X.shape
    for pattern in case.model.patterns_:
        for indices, length in ((pattern.rows, n_rows), (pattern.columns, n_columns)):
            assert_array_equal(indices, np.unique(indices))
            assert indices[0] >= 0
            assert indices[-1] < length
        if has_one_label(case) and pattern.anchor_class is not None:
            assert set(case.y[pattern.rows]) == {pattern.anchor_class}
            assert not np.isin(pattern.contrast_rows, pattern.rows).any()
            if pattern.kind in ("pair", "class"):  # a group is held against all other rows
                assert pattern.anchor_class not in case.y[pattern.contrast_rows]
            if pattern.contrast_class is not None:
                assert set(case.y[pattern.contrast_rows]) <= {pattern.contrast_class}


@consumer("carriers")
def carriers(case, folder):
    scores, found = case.model.pattern_scores(case.X), case.model.carriers(case.X)
    assert found.dtype == bool
    assert found.shape == (case.X.shape[0], len(case.model.patterns_))
    assert_array_equal(found, scores > 0)
    for k, pattern in enumerate(case.model.patterns_):
        if len(pattern.contrast_rows):  # a neuron was trained to tell them from the rows
            own, other = scores[pattern.rows, k], scores[pattern.contrast_rows, k]
            assert own.mean() > other.mean()
        if pattern.carrier_counts is not None and has_one_label(case):
            if case.y is None:
                assert pattern.carrier_counts == {None: (found[:, k].sum(), len(found))}
            else:
                assert dict(pattern.carrier_counts) == counts(case, found[:, [k]], case.y)[0]


@consumer("rows that were not fitted")
def new_rows(case, folder):
    n_columns = case.X.shape[1]
    fresh = like(case, np.random.default_rng(8).normal(size=(6, n_columns)))
    assert case.model.carriers(fresh).shape == (6, len(case.model.patterns_))
    assert not case.model.carriers(like(case, np.full((1, n_columns), np.nan))).any()
    alone = case.X.iloc[[5]] if hasattr(case.X, "iloc") else case.X[[5]]
    expected = case.model.pattern_scores(case.X)[[5]]
    assert_allclose(case.model.pattern_scores(alone), expected, rtol=1e-12, atol=1e-12)


@consumer("other tables")
def other_tables(case, folder):
    model, is_frame = case.model, hasattr(case.X, "columns")
    model.check_table(case.X, case.y)
    model.check_table(case.X.astype(np.float32), case.y)
    refused(model.check_table, case.X.iloc[::-1] if is_frame else case.X[::-1])
    if case.y is None:
        model.check_table(case.X, case.classes)
    else:
        refused(model.check_table, case.X, case.y[::-1])
    if is_frame:
        refused(model.carriers, case.X.iloc[:, ::-1])
        refused(model.carriers, case.X.assign(extra=1.0))
    else:
        refused(model.carriers, np.column_stack([case.values, case.values[:, 0]]))


def is_of_groups(case):
    return isinstance(case.model, SubgroupBiclustering)


def sees_no_labels(case):
    return not case.model.__sklearn_tags__().target_tags.required


def tested(case):
    result = significance_test(
        case.model, case.X, case.classes, n_permutations=2, random_state=0, n_jobs=1
    )
    known = ~np.isnan(result.family_p_values)  # patterns made with labels have no test
    p_values, corrected = result.p_values[known], result.family_p_values[known]
    assert np.all((corrected > 0) & (corrected <= 1))
    assert np.all(p_values <= corrected)
    assert len(result.patterns) == len(result.carriers) == len(result.statistic)
    return result


def can_be_tested_blindly(case):
    return (sees_no_labels(case) or case.model.finds_blind_groups) and has_one_label(case)


@consumer("test", serves=can_be_tested_blindly)
def blind(case, folder):
    result = tested(case)
    is_tested = ~np.isnan(result.family_p_values)
    if case.model.finds_blind_groups:
        assert not is_tested[case.model.blind_groups()[2] < 0].any()
    elif case.y is None:
        assert is_tested.all()
    if case.model.finds_blind_groups or case.y is None:  # its own patterns were tested
        assert result.patterns == case.model.patterns_
        own = counts(case, case.model.carriers(case.X), case.classes)
        for k, of_neuron in enumerate(own):  # a group of a network has the rows that were tested
            if not (case.model.finds_blind_groups and is_tested[k]):
                assert result.carriers[k] == of_neuron


@consumer("findings", serves=lambda case: case.y is None, method="findings_first")
def findings(case, folder):
    for labels in (None, case.classes):
        found = judged_groups(case.model, case.X, labels, random_state=0)
        patterns = found.miner.patterns_
        rows = [sorted(one.rows.tolist() for one in of) for of in (patterns, case.model.patterns_)]
        assert rows[0] == rows[1]
        told = [one.number - 1 for one in found.columns]
        for place, pattern in enumerate(patterns):
            evidence = pattern.evidence
            assert (evidence.family_p_value is None) == (labels is None)
            has_p, has_reason = evidence.separate_p is not None, bool(evidence.separate_reason)
            assert not (has_p and has_reason)
            assert has_p or has_reason or (labels is not None and place not in told)
            assert evidence.is_significant or place not in told
            assert not has_p or (pattern.axis.is_linear and 0 < evidence.separate_p <= 1)
            if labels is None:
                assert not evidence.is_class_difference
                assert not evidence.is_finding or evidence.is_separate


@consumer("columns", serves=has_one_label)
def columns(case, folder):
    found = column_evidence(case.model, case.X, case.y, n_folds=2, n_jobs=1, random_state=0)
    assert [one.pattern for one in found] == case.model.patterns_
    for one in found:
        assert one.names == tuple(names_of(case)[0])
        assert np.all((one.p_values > 0) & (one.p_values <= one.p_corrected))
        assert one.p_corrected.max() <= 1
        if one.reason:
            assert (one.p_values == 1).all()
            continue
        known = ~np.isnan(one.effect)
        assert_array_equal(np.sign(one.effect[known]), np.sign(one.difference[known]))
        assert np.all((one.low < one.effect)[known] & (one.effect < one.high)[known])
        if one.method == "class":
            inside = case.y == one.pattern.anchor_class
            outside = ~inside
            if one.pattern.contrast_class is not None:
                outside = case.y == one.pattern.contrast_class
            means = [[mean(column[side]) for column in case.values.T] for side in (inside, outside)]
            assert_allclose(one.difference, np.subtract(*means), atol=1e-9)
    annotated = with_evidence(case.model, columns=found)
    assert [pattern.evidence for pattern in case.model.patterns_] == [None] * len(found)
    for pattern, one in zip(annotated.patterns_, found, strict=True):
        assert_array_equal(pattern.ranked_columns, one.ranked_columns)
    assert load_model(save_model(annotated, folder / "m.skops")).patterns_ == annotated.patterns_
    if is_listed(case) and found:
        lists = pattern_lists(case.model, case.X, case.y, evidence=found)
        proven = {
            (one.number, one.names[column])
            for one in found
            for column in np.flatnonzero(one.is_proven).tolist()
            if one.method == "folds" or column in one.pattern.columns
        }
        listed = {(line["pattern"], line["column"]) for line in lists.columns if line.get("proven")}
        assert listed == proven


@cache
def elsewhere(name):
    """The patterns in other rows, most of which are like those of the training table."""
    given = case_of(name)
    found = Findings.untested(given.model, given.X, given.y)
    return replicate(found, *other_rows(name), n_draws=19, random_state=0)


def other_rows(name):
    given, random = case_of(name), np.random.default_rng(4)
    rows = random.permutation(given.X.shape[0])[:36]
    X2 = given.values[rows] + 0.3 * random.normal(size=(36, given.X.shape[1]))
    if hasattr(given.X, "columns"):
        X2 = pd.DataFrame(X2, columns=given.X.columns, index=[f"Q{k}" for k in range(36)])
    return X2, None if given.has_several_labels else given.classes[rows]


@consumer("replication", serves=is_of_groups, method="findings_first")
def replication(case, folder):
    result, (X2, y2) = elsewhere(case.name), other_rows(case.name)
    assert len(result.patterns) == len(case.model.patterns_)
    assert (result.n_rows, result.n_common) == X2.shape
    assert result.notes == ()
    for one, pattern in zip(result.patterns, case.model.patterns_, strict=True):
        assert one.found.pattern == pattern
        assert_array_equal(one.found.members, one.found.scores > 0)
        assert one.found.absent == ()
        assert (one.p_found is None) == bool(one.reason)
        if not one.reason:
            assert 0.05 <= max(one.p_together, one.p_tied or 0) <= one.p_found <= 1
            assert (one.separate.p_value is None) == bool(one.separate.reason)
            assert (one.p_tied is None) == (y2 is None)
    path = Findings.untested(case.model, case.X, case.y).save(folder / "groups.skops")
    again = replicate(path, X2, y2, n_draws=19, random_state=0)
    assert [one.words for one in again.patterns] == [one.words for one in result.patterns]


@consumer("page of a replication", serves=is_of_groups, method="findings_first")
def page_of_replication(case, folder):
    first, (X2, y2) = elsewhere(case.name), other_rows(case.name)
    first = replace(first, patterns=first.patterns[:1])  # plots take time
    text = write_report(folder / "page.html", first, X2, y2).read_text()
    assert f"<h1>{first.words}</h1>" in text
    columns, _ = names_of(case)
    for one, record in zip(first.patterns, pattern_records(first, X2, y2), strict=True):
        assert f"{one.name.capitalize()}: {one.verdict}</h2>" in text
        used = sorted(columns[column] for column in one.found.pattern.columns)
        assert sorted(record["columns_present"]) == used
        names = X2.index if hasattr(X2, "index") else range(36)
        assert set(record["members"]) == {names[k] for k in np.flatnonzero(one.found.members)}


@consumer("model file")
def model_file(case, folder):
    loaded = load_model(save_model(case.model, folder / "model.skops"))
    assert loaded.patterns_ == case.model.patterns_
    assert_array_equal(loaded.pattern_scores(case.X), case.model.pattern_scores(case.X))
    loaded.check_table(case.X, case.y)


@consumer("ONNX", serves=lambda case: not case.is_miner and has_one_label(case))
def onnx(case, folder):
    import onnxruntime

    path = save_model(case.model, folder / "model.onnx")
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    (given,) = session.get_inputs()
    names = [output.name for output in session.get_outputs()]
    found = dict(zip(names, session.run(names, {given.name: case.values}), strict=True))
    assert_array_equal(found["label"].ravel(), case.model.predict(case.X))
    assert_allclose(found["scores"], case.model.decision_function(case.X), atol=1e-5)
    assert ("probabilities" in found) == hasattr(case.model, "predict_proba")
    if "probabilities" in found:
        expected = case.model.predict_proba(case.X)
        assert_allclose(found["probabilities"], expected, atol=1e-5)


@consumer("records")
def records(case, folder):
    columns, rows = names_of(case)
    labels = None if case.has_several_labels else case.y
    found = pattern_records(case.model, case.X, labels)
    assert len(json.loads(json.dumps(found, default=str))) == len(case.model.patterns_)
    carriers = case.model.carriers(case.X)
    for k, (record, pattern) in enumerate(zip(found, case.model.patterns_, strict=True)):
        assert record["rank"] == k + 1
        assert sorted(record["columns"]) == sorted(columns[j] for j in pattern.columns)
        own = group_of(case, k, carriers)
        assert sorted(record["rows"]) == sorted(rows[i] for i in own)
        if labels is not None:
            expected = counts(case, carriers[:, [k]], labels)[0]
            assert record["carriers"] == {
                str(label): f"{some} of {total}" for label, (some, total) in expected.items()
            }
        if record["parent"] is not None:
            parent = case.model.patterns_[record["parent"] - 1]
            assert record["parent"] < record["rank"]
            assert len(np.intersect1d(parent.rows, pattern.rows)) >= 0.8 * len(pattern.rows)
            assert len(parent.rows) > len(pattern.rows)
        for name, way in zip(record["columns"], record.get("directions") or (), strict=False):
            values, others = case.values[:, columns.index(name)], pattern.contrast_rows
            if not len(others):
                others = np.setdiff1d(np.arange(len(values)), own)
            difference = mean(values[own]) - mean(values[others])
            if pattern.kind != "coexpressed" and abs(difference) > 1e-9:
                assert way == ("higher" if difference > 0 else "lower")


def mean(values):
    known = [value for value in values.tolist() if value == value]
    return sum(known) / len(known) if known else np.nan


@consumer("lists", serves=is_listed, needs_patterns=True)
def lists(case, folder):
    columns, rows = names_of(case)
    found = pattern_lists(case.model, case.X, case.y)
    carriers = case.model.carriers(case.X)
    sets = {}
    for line in found.columns:
        inside = group_of(case, line["pattern"] - 1, carriers)
        outside = case.model.patterns_[line["pattern"] - 1].contrast_rows
        if not len(outside):
            outside = np.setdiff1d(np.arange(len(carriers)), inside)
        values = case.values[:, columns.index(line["column"])]
        assert_allclose(line["mean_in_group"], mean(values[inside]))
        assert_allclose(line["mean_in_contrast"], mean(values[outside]))
        assert_allclose(line["difference"], line["mean_in_group"] - line["mean_in_contrast"])
        name = f"pattern {line['pattern']} {line['direction']}"
        sets.setdefault(name, []).append(line["column"])
    assert {name: names for name, _, names in found.gene_sets} == sets
    listed = {(line["pattern"], line["row"]) for line in found.rows if line["side"] == "group"}
    for k in range(len(case.model.patterns_)):
        expected = {rows[i] for i in group_of(case, k, carriers)}
        assert {row for number, row in listed if number == k + 1} == expected
    assert_allclose(sum(line["importance"] for line in found.ranking), 1.0)
    used = {columns[j] for pattern in case.model.patterns_ for j in pattern.columns}
    assert {line["column"] for line in found.ranking} == used


@cache
def any_scores(labels):
    """Scores that a page is given, so that it need not fit copies of its model."""
    return cross_validated_scores(LogisticRegression(), values(), np.array(labels), n_splits=2)


@consumer("page", serves=lambda case: not case.is_sparse, method="explain")
def page(case, folder):
    labels = None if case.has_several_labels else case.y
    scores = None if labels is None else any_scores(tuple(labels.tolist()))
    path = write_report(folder / "page.html", case.model, case.X, labels, scores=scores)
    text = path.read_text()
    columns, _ = names_of(case)
    for pattern in case.model.patterns_[:3]:
        for column in pattern.columns[:5]:
            assert columns[column] in text
        if pattern.kind != "class":
            assert f"{len(pattern.rows)} rows of" in text
    if has_one_label(case):
        data = json.loads(re.search(r'id="page-data">(.*?)</script>', text)[1])
        said = [data["classes"][row["predicted"]] for row in data["rows"]]
        assert said == [str(label) for label in case.model.predict(case.X)]
        for number, shown in data["patterns"].items():
            pattern = case.model.patterns_[int(number) - 1]
            sides = pattern.rows, pattern.contrast_rows
            assert [shown["n_rows"], shown["n_contrast"]] == [*map(len, sides)]
            for place, means in shown["means"].items():
                expected = [mean(case.values[rows, int(place)]) for rows in sides]
                assert_allclose(np.array(means, float), expected, rtol=1e-3)


@consumer("page without the table", serves=lambda case: not case.is_miner)
def page_without_table(case, folder):
    text = write_report(folder / "page.html", case.model).read_text()
    columns, _ = names_of(case)
    for pattern in case.model.patterns_:
        for column in pattern.columns:
            assert f'<th scope="row">{columns[column]}' in text


def has_groups(case):
    return case.first.axis is not None or not case.model.patterns_


@consumer("page of groups", serves=has_groups, method="get_indices")
def page_of_groups(case, folder):
    text = write_report(folder / "groups.html", case.model, case.X, case.y).read_text()
    columns, _ = names_of(case)
    for pattern, found in zip(case.model.patterns_, case.model.carriers(case.X).T, strict=True):
        assert all(columns[column] in text for column in pattern.columns[:20])
        if case.y is None:
            assert f"{found.sum()} of {len(found)} rows" in text


@consumer("AnnData", needs_patterns=True)
def anndata_slots(case, folder):
    import anndata

    from bicneuron.omics import add_patterns

    adata = anndata.AnnData(case.X)
    if hasattr(case.X, "columns"):
        adata.var_names = case.X.columns.tolist()
    add_patterns(adata, case.model)
    rows, used = adata.obsm["bicneuron"].toarray(), adata.varm["bicneuron"].toarray()
    about, carriers = adata.uns["bicneuron"], case.model.carriers(case.X)
    for k, pattern in enumerate(case.model.patterns_):
        own = group_of(case, k, carriers)
        assert_array_equal(np.flatnonzero(rows[:, k] == 1), own)
        assert_array_equal(np.flatnonzero(rows[:, k] == -1), np.sort(pattern.contrast_rows))
        assert_array_equal(np.flatnonzero(used[:, k]), pattern.columns)
        assert (about["n_rows"].iloc[k], about["kind"].iloc[k]) == (len(own), pattern.kind)


@consumer("plot, bicluster", needs_patterns=True)
def bicluster_plot(case, folder):
    display = inspection.BiclusterDisplay.from_estimator(case.model, case.X)
    assert display.pair == case.first
    n_rows, n_columns = case.first.shape
    assert_array_equal(display.row_order[:n_rows], case.first.rows)
    assert_array_equal(display.column_order[:n_columns], case.first.columns)
    assert np.isfinite(display.X).all()


def is_weighted(case):
    return len(case.first.weights) > 0 and has_one_label(case)


@consumer("plot, group", serves=is_weighted, needs_patterns=True)
def group_plot(case, folder):
    display = inspection.SubgroupDisplay.from_estimator(case.model, case.X, case.y)
    assert display.subgroup == case.first
    own = case.model.carriers(case.X)[:, 0]
    assert display.blocks[0].heading.startswith("carriers: ")
    assert len(display.blocks[0].rows) == own.sum()
    assert sum(len(block.rows) for block in display.blocks) == case.X.shape[0]


@consumer("plot, contrast", serves=has_contrast, needs_patterns=True)
def contrast_plot(case, folder):
    sizes = [len(case.first.rows), len(case.first.contrast_rows)]
    for kind in (inspection.ContrastDisplay, inspection.ParallelCoordinatesDisplay):
        display = kind.from_estimator(case.model, case.X)
        assert display.pair == case.first
        assert [*map(len, display._blocks())] == sizes
    display = inspection.PairProjectionDisplay.from_estimator(case.model, case.X)
    assert [len(points.get_offsets()) for points in display.points_] == sizes


@consumer(
    "plot, explanation",
    serves=lambda case: not case.is_miner and is_listed(case),
    needs_patterns=True,
)
def explanation_plot(case, folder):
    display = inspection.ExplanationDisplay.from_estimator(case.model, case.X, row=4)
    assert len(display.names) == len(display.values)


@consumer("explanation", serves=is_listed, method="explain")
def explanation(case, folder):
    explained = case.model.explain(case.X)
    scores = case.model.decision_function(case.X)
    columns, rows = names_of(case)
    for row in (0, 9):
        one = explained[row]
        assert one.row == rows[row]
        if scores.ndim == 1:
            assert_allclose(one.score, scores[row], rtol=1e-9, atol=1e-9)
        for part in one.patterns:
            pattern = case.model.patterns_[part.number - 1]
            assert part.anchor_class == pattern.anchor_class
            used = sorted(columns[j] for j in pattern.columns)
            assert sorted(column.feature for column in part.columns) == used
            for column in part.columns:
                expected = case.values[row, columns.index(column.feature)]
                assert_array_equal(column.value, expected)


@consumer("features and selector", serves=lambda case: case.is_miner and not case.model.is_given)
def transformers(case, folder):
    n_patterns = len(case.model.patterns_)
    for transformer, n_columns in (
        (BiclusterFeatures(miner=clone(case.model), output="residue"), n_patterns),
        (BiclusterSelector(miner=clone(case.model), n_features_to_select=3), 3),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoBiclusterWarning)
            found = transformer.fit(case.X, case.y).transform(case.X)
        assert found.shape == (case.X.shape[0], n_columns)
