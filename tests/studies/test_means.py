"""Means over folds, whatever the order of the records."""

import numpy as np
import pytest
from fold_records import make_fold

from studies._classifiers import locality, scores_of, scores_table, summarise

FOLDS = [
    make_fold("p", "wdbc", "a", 0, 0.5, 0.5, score_auc=None, brier=0.25),
    make_fold("p", "wdbc", "a", 1, 1.0, 0.5, score_auc=0.75, brier=0.5),
    make_fold("p", "wdbc", "b", 0, 0.25, 0.5),
    make_fold("p", "eeg-A-B", "a", 0, 0.125, 0.5),
]


def test_rows_are_means_over_the_folds_that_have_a_measure():
    first = summarise(FOLDS)[0]
    assert (first.protocol, first.dataset, first.model, first.n_folds) == ("p", "wdbc", "a", 2)
    assert (first.acc, first.score_auc, first.brier) == (0.75, 0.75, 0.375)


def test_rows_come_in_one_order_with_the_eeg_last():
    rows = summarise(FOLDS)
    assert [row.dataset for row in rows] == ["wdbc", "wdbc", "eeg-A-B"]
    random = np.random.RandomState(0)
    for _ in range(5):
        assert summarise(FOLDS[i] for i in random.permutation(len(FOLDS))) == rows


def test_models_without_a_measure_are_left_out():
    rows = summarise(FOLDS)
    assert scores_of(rows) == {"wdbc": {"a": 0.75, "b": 0.25}, "eeg-A-B": {"a": 0.125}}
    assert scores_of(rows, "brier") == {"wdbc": {"a": 0.375}}


def test_a_table_ends_with_the_means_over_the_data_sets():
    lines = scores_table({"x": {"a": 0.5, "b": 1.0}, "y": {"a": 0.25, "b": 0.5}}, ["b", "a"])
    assert lines == [
        "| data set | b | a |",
        "| --- | --- | --- |",
        "| x | 1.000 | 0.500 |",
        "| y | 0.500 | 0.250 |",
        "| **mean** | 0.750 | 0.375 |",
    ]
    with pytest.raises(KeyError):
        scores_table({"x": {"a": 0.5}}, ["b"])


def test_how_local_a_neuron_is_is_told_over_the_data_sets():
    shares = [("wdbc", 0, 0.5, 0.25), ("wdbc", 1, 1.0, 0.75), ("chen", 0, 0.25, 0.0)]
    rows = summarise(
        make_fold("p", dataset, "BN", fold, 0.5, 0.5, row_share=row, column_share=column)
        for dataset, fold, row, column in shares
    )
    assert locality(rows, "BN") == (
        "The neuron of BN uses 50% of the rows of its class and 25% of the columns."
    )
    assert "without telling" in locality(rows, "other")
