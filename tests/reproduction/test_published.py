"""The typed-in numbers agree with each other as far as the printed ones do."""

import csv
from importlib import resources
from statistics import fmean, stdev

import pytest

from reproduction._published import fold_index, load_published, rounds_to

PUBLISHED = load_published()
WITH_FOLDS = [row for row in PUBLISHED.values() if row.columns]
SETS = list(dict.fromkeys(row.dataset for row in PUBLISHED.values() if row.table == 2))


@pytest.fixture(scope="module")
def lines():
    source = resources.files("reproduction") / "published.csv"
    return list(csv.DictReader(source.read_text(encoding="utf-8").splitlines()))


def test_every_number_of_the_four_tables_is_there_once(lines):
    assert len(lines) == 2 * 13 * 3 * (10 + 3) + 13 * 3 * 2 * 3 + 10 * 6 * 3
    keys = {
        tuple(line[key] for key in ("table", "dataset", "model", "measure", "fold"))
        for line in lines
    }
    assert len(keys) == len(lines)
    assert all(f"{float(line['value']):.2f}" == line["value"] for line in lines)
    assert all(0 <= float(line["value"]) <= 1 for line in lines)


@pytest.mark.parametrize(
    ("statistic", "printed", "n_wrong"), [(fmean, "mean", 3), (stdev, "std", 7), (max, "best", 0)]
)
def test_printed_summaries_are_those_of_the_printed_folds_but_for_few(statistic, printed, n_wrong):
    wrong = [
        row for row in WITH_FOLDS if not rounds_to(statistic(row.columns), getattr(row, printed))
    ]
    assert len(wrong) == n_wrong


def test_printed_auc_is_the_mean_accuracy_of_the_classes():
    """So it is the AUC of hard labels; the mean of two rounded numbers is off by 0.01 at most."""
    for dataset in SETS:
        for model in ("SP", "KP_L", "BN"):
            minority, majority, auc = (
                PUBLISHED[dataset, model, measure].mean
                for measure in ("acc_minority", "acc_majority", "label_auc")
            )
            assert (minority + majority) / 2 == pytest.approx(auc, abs=0.005 + 1e-9)


def test_first_and_last_column_are_swapped():
    row = PUBLISHED["colon", "BN", "acc"]
    assert row.columns == (0.83, 0.86, 0.33, 0.83, 0.83, 1.0, 1.0, 0.5, 0.5, 0.86)
    assert row.folds == (0.86, 0.86, 0.33, 0.83, 0.83, 1.0, 1.0, 0.5, 0.5, 0.83)
    assert all(row.folds[fold_index(c)] == x for c, x in enumerate(row.columns, start=1))
    assert PUBLISHED["eeg-A-B", "SP", "acc"].folds == ()
