from statistics import fmean

import pytest
from fold_records import make_report_records, make_run

from reproduction._protocols import leaks_of_dataset, leaks_of_protocol
from reproduction._published import load_published
from reproduction._sections import build_report
from reproduction._tables import group_records

PUBLISHED = load_published()


def only_table(records, number, measure=None):
    (section,) = build_report(records, [number])
    return next(t for t in section.tables if measure in (None, t.measure))


def rows_of(table, dataset):
    (block,) = [block for block in table.datasets if block.dataset == dataset]
    return {row.model: row for row in block.rows}


# --- one table


def test_exact_folds_and_gaps():
    """A perfect copy; the first fold, which is printed last, is off, fell back, or is missing."""
    printed = PUBLISHED["colon", "SP", "acc"]
    records = make_run("colon", "SP", "paper", printed.folds)
    table = only_table(records, 2)
    row = rows_of(table, "colon")["SP"]
    assert table.columns == tuple(range(1, 11))
    assert row.ours.folds == row.paper.folds == printed.columns
    assert row.is_exact == (True,) * 10
    assert row.difference == pytest.approx(fmean(printed.folds) - 0.80)
    values = [printed.folds[0] - 0.006, *printed.folds[1:]]
    off = rows_of(only_table(make_run("colon", "SP", "paper", values), 2), "colon")["SP"]
    fallen = make_run("colon", "BN", "paper", PUBLISHED["colon", "BN", "acc"].folds)
    of_fallen = rows_of(only_table(fallen, 2), "colon")["BN"]
    assert off.is_exact == of_fallen.is_exact == (*[True] * 9, False)
    assert build_report(fallen)[0].sets[0].n_exact == 9
    row = rows_of(only_table([r for r in records if r["fold"] != 9], 2), "colon")["SP"]
    assert (row.ours.folds[0], row.n_folds) == (None, 9)
    assert row.is_exact == (False, *[True] * 9)


def test_models_and_sets_of_the_paper_stand_there_though_not_run():
    table = only_table(make_run("wdbc", "SVC", "paper", [0.5, 0.6]), 2)
    rows = rows_of(table, "wdbc")
    assert list(rows) == ["SP", "KP_L", "BN", "SVC"]
    assert (rows["BN"].ours, rows["BN"].paper.mean) == (None, 0.94)
    assert (rows["SVC"].paper, rows["SVC"].difference) == (None, None)
    available = [(block.dataset, block.is_available) for block in table.datasets]
    assert available == [("tipspam", False), ("wdbc", True)]
    row = rows_of(table, "tipspam")["BN"]
    assert (row.ours, row.paper.mean, row.n_folds, row.fallbacks) == (None, 0.70, 0, None)


# --- marks


@pytest.mark.parametrize(
    ("protocol", "reference", "marks"),
    [("paper", "BN", {"bold"}), ("clean", "BN_CV", {"italic"})],
)
def test_marks_refer_to_bn_and_in_a_clean_run_to_bn_cv(protocol, reference, marks):
    accuracies = {"SP": 0.5, "BN": 0.6, "BN_CV": 0.4}
    runs = (make_run("wdbc", model, protocol, [acc] * 10) for model, acc in accuracies.items())
    table = only_table([record for run in runs for record in run], 2)
    assert table.reference == reference
    assert rows_of(table, "wdbc")["SP"].ours.marks == marks


def test_table_4_has_no_marks_and_table_5_has_p_values():
    records = [
        record
        for dataset in ("eeg-A-B", "wdbc")
        for model, acc in (("SP", 0.5), ("BN", 0.9))
        for record in make_run(dataset, model, "paper", [acc] * 10)
    ]
    (section,) = build_report(records, [4, 5])
    *both, eeg = section.tables
    for table in both:
        assert not any(row.ours.marks for row in rows_of(table, "wdbc").values() if row.ours)
    rows = rows_of(eeg, "eeg-A-B")
    assert (rows["BN"].ours.marks, rows["BN"].ours.p_value) == ({"underline"}, 1.0)
    assert rows["SP"].ours.marks == frozenset()
    assert rows["SP"].ours.p_value < 0.001


# --- leaks


def test_leaks():
    assert [len(leaks_of_protocol(protocol)) for protocol in ("paper", "clean")] == [2, 0]
    for protocol, dataset, words in (
        ("paper", "sonar", "row index"),
        ("paper", "wdbc", "patient id"),
        ("clean", "lsvt", "person"),
        ("clean", "parkinsons", "person"),
        ("grouped", "eeg-A-B", "person"),
    ):
        assert words in leaks_of_dataset(protocol, dataset)[0]
    for protocol, dataset in (("clean", "sonar"), ("paper", "chen"), ("grouped", "lsvt")):
        assert leaks_of_dataset(protocol, dataset) == ()
    paper, clean = build_report(make_report_records(), [2])
    assert [b.dataset for b in paper.tables[0].datasets if b.leaks] == ["sonar", "wdbc"]
    assert not any(b.leaks for b in clean.tables[0].datasets)


# --- summary


def test_summary():
    records = make_run("colon", "BN", "paper", [0.5, 0.7])
    (section,) = build_report([*records, *make_run("wdbc", "BN", "paper", [1.0, 0.9, 0.8, 0.9])])
    (row,) = section.sets
    assert section.eeg == ()
    assert (row.model, row.n_datasets, row.n_folds, row.fallbacks) == ("BN", 2, 6, 2)
    assert (row.acc, row.paper_acc) == pytest.approx(((0.6 + 0.9) / 2, (0.75 + 0.94) / 2))
    assert row.label_auc == pytest.approx(0.75 * (0.6 + 0.9) / 2)
    assert row.paper_label_auc == pytest.approx((0.70 + 0.94) / 2)
    assert row.n_exact == 1  # wdbc in fold 1; column 10, that is fold 0, prints 0.93


# --- order


def test_two_records_of_one_fold_are_refused():
    records = make_run("colon", "SP", "clean", [0.5, 0.6])
    message = r"two records for fold 1 of SP on colon \(clean protocol\)"
    with pytest.raises(ValueError, match=message):
        group_records([*records, records[1]])
