"""All readings of the miner beside the printed rows."""

import csv
from dataclasses import replace
from statistics import fmean

import pytest
from fold_records import make_fold

from reproduction._models import MODELS
from reproduction._protocols import PAPER
from reproduction._published import load_published
from reproduction._readings import READINGS, reading_rows, write_readings


def record(fold, acc, label_auc, model="BN-any", fallback=False):
    return make_fold("paper", "chen", model, fold, acc, label_auc, fallback=fallback)


def test_every_reading_is_another_setting_under_the_paper_protocol():
    built = {reading.name: reading.build(PAPER, "chen", 0) for reading in READINGS}
    settings = {
        (
            *model.search["miner__search"],
            model.scale,
            model.miner.min_rows,
            model.miner.min_columns,
            model.miner.merge,
        )
        for model in built.values()
    }
    assert len(settings) == len(built) == len(READINGS) == 24
    assert {scale for _, scale, *_ in settings} == {"all", "anchor", "minmax"}
    assert {search for search, *_ in settings} == {"grow", "prune"}
    assert {(rows, columns) for *_, rows, columns, _ in settings} == {(2, 2), (3, 3)}
    assert repr(built["BN-grow-all-3-merged"]) == repr(MODELS["BN"].build(PAPER, "chen", 0))
    assert {reading.protocols for reading in READINGS} == {("paper",)}


def test_exact_folds_are_counted_by_fold_and_not_by_column():
    acc, auc = (load_published()["chen", "BN", measure] for measure in ("acc", "label_auc"))
    records = [record(fold, acc.folds[fold], auc.folds[fold]) for fold in range(10)]
    assert [row.exact for row in reading_rows(records)] == [10, 10]
    assert reading_rows(records) == reading_rows(reversed(records))
    by_column = [record(fold, acc.columns[fold], auc.folds[fold]) for fold in range(10)]
    assert acc.columns != acc.folds
    assert reading_rows(by_column)[0].exact == 8, "the first and the last column are swapped"
    fallen = [replace(each, fallback=each.fold in (2, 3, 5)) for each in records]
    first, second = reading_rows(fallen)
    assert [(row.exact, row.fallbacks) for row in (first, second)] == [(7, 3), (7, 3)]
    assert first.mean == pytest.approx(fmean(acc.folds))
    assert first.printed == acc.mean


def readings(**accuracies):
    """Ten folds of each reading with one accuracy."""
    return [
        record(fold, acc, acc / 2, f"BN-{name}")
        for name, acc in accuracies.items()
        for fold in range(10)
    ]


def test_the_range_is_that_of_the_means_over_all_readings(tmp_path):
    exact = sum(value == 1 for value in load_published()["chen", "BN", "acc"].folds)
    assert exact
    markdown, table = write_readings(readings(low=0.5, high=1.0), tmp_path)
    ranges = "0.500 to 1.000 | 0.500 to 1.000"
    line = f"| chen | 0.92 | {ranges} | 0 to {exact} | BN-high | 0 to 0 |"
    assert line in markdown.read_text().splitlines()
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [(row["reading"], row["measure"], float(row["mean"])) for row in rows] == [
        (f"BN-{name}", measure, share * acc)
        for name, acc in (("high", 1.0), ("low", 0.5))
        for measure, share in (("acc", 1.0), ("label_auc", 0.5))
    ]


def test_the_last_line_is_over_all_data_sets(tmp_path):
    chen, sonar = (load_published()[name, "BN", "acc"].folds for name in ("chen", "sonar"))
    records = [record(fold, 0.5, 0.25, "BN-low") for fold in range(10)]
    records += [record(fold, chen[fold], 0.5, "BN-high", fallback=fold == 0) for fold in range(10)]
    elsewhere = [replace(each, dataset="sonar", acc=0.1) for each in records[:10]]
    elsewhere += [replace(each, dataset="sonar", acc=sonar[each.fold]) for each in records[10:]]
    markdown, _ = write_readings(records + elsewhere, tmp_path)
    # .92 and .81 are printed; the one fold of each set that fell back is not exact
    high = (fmean(chen) + fmean(sonar)) / 2
    line = f"| all 2 | 0.865 | 0.300 to {high:.3f} | 0.300 to 0.300 | 0 to 18 | BN-high | 0 to 2 |"
    assert line in markdown.read_text().splitlines()
    markdown, _ = write_readings(records, tmp_path)
    assert "| all " not in markdown.read_text()
