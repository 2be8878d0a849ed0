"""The choices behind the preset "best", one changed at a time."""

import csv
from dataclasses import replace
from math import inf

import numpy as np
import pytest
from data import make_one_factor
from fold_records import make_fold

from bicneuron import BicNeuronClassifierCV
from bicneuron.classifier._classifier_cv import PRESETS
from bicneuron.experiments._folds import Fold, run_fold
from bicneuron.experiments._preset_choices import CHANGES, SETTINGS, choice_rows
from bicneuron.experiments._problems import Problem
from bicneuron.experiments._protocols import CHOICES, CLEAN
from bicneuron.experiments._studies import write_study


def texts(params):
    """Parameters of an estimator and of all inside it, as text: estimators have no equality."""
    inner = {key: value for key, value in params.items() if key != "estimator"}
    return {key: repr(value) for key, value in (inner | deep(params["estimator"])).items()}


def deep(estimator):
    params = estimator.get_params()
    return {key: value for key, value in params.items() if not hasattr(value, "get_params")}


def record(setting, dataset, inner_score, acc=0.5, label_auc=0.5, fold=0, fallback=False):
    return make_fold(
        *("choices", dataset, setting, fold, acc, label_auc),
        inner_score=inner_score,
        fallback=fallback,
    )


def records(**inner_scores):
    """One fold of every setting on two data sets; those named have other inner scores on "b"."""
    return [
        record(setting, dataset, inner_scores.get(setting, 0.5) if dataset == "b" else 0.5)
        for setting in CHANGES
        for dataset in ("a", "b")
    ]


def row_of(found, setting, measure):
    (row,) = (row for row in found if (row.setting, row.measure) == (setting, measure))
    return row


@pytest.mark.parametrize(
    "setting", [name for name in CHANGES if name not in ("best", "paper-grid")]
)
def test_a_setting_differs_from_the_preset_in_one_thing(setting):
    before, after = (texts(PRESETS["best"] | CHANGES[name]) for name in ("best", setting))
    assert before.keys() == after.keys()
    assert len([key for key in before if before[key] != after[key]]) == 1


def test_settings_are_what_their_names_say():
    built = {model.name: model.build(CHOICES, "wdbc", 0) for model in SETTINGS}
    whole = built["best"]
    assert [type(neuron).__name__ for neuron in whole.neurons] == [
        "OnlinePerceptron",
        "KernelPerceptron",
    ]
    assert repr(built["linear-only"].neurons) == repr(whole.neurons[:1])
    assert repr(built["rbf-only"].neurons) == repr(whole.neurons[1:])
    assert [neuron.average for neuron in built["not-averaged"].neurons] == [False, False]
    assert built["not-recalibrated"].estimator.recalibrate is False
    assert built["minority-only"].anchors == ("minority",)
    assert built["residues-below-1"].max_residues == (0.1, 0.3)
    assert built["residue-0.02"].max_residues == (0.02,)
    assert [built[f"contrast-{n}"].estimator.contrast_size for n in (2, 4)] == [2, 4]
    assert [built[name].max_ratios for name in ("ratio-0.9", "ratio-inf")] == [(0.9,), (inf,)]
    assert texts(built["best"].get_params(deep=False)) == texts(
        BicNeuronClassifierCV(**PRESETS["best"], random_state=0).get_params(deep=False)
    )
    assert texts(built["paper-grid"].get_params(deep=False)) == texts(
        BicNeuronClassifierCV(**PRESETS["paper"], random_state=0).get_params(deep=False)
    )


def test_three_clean_folds_stand_under_a_name_of_their_own():
    assert (CHOICES.name, CHOICES.n_folds) == ("choices", 3)
    assert replace(CHOICES, name=CLEAN.name, n_folds=CLEAN.n_folds) == CLEAN


def test_all_settings_see_the_same_folds():
    problem = Problem.from_labels("made-up", *make_one_factor())
    seeds = {
        (index, Fold(CHOICES, problem, model, index, 0).build().random_state)
        for model in SETTINGS
        for index in range(3)
    }
    assert len(seeds) == 3


def test_a_setting_runs():
    problem = Problem.from_labels("made-up", *make_one_factor())
    (setting,) = (model for model in SETTINGS if model.name == "contrast-2")
    found = run_fold(Fold(CHOICES, problem, setting, 0, 0))
    assert found.protocol == "choices"
    assert found.n_test == pytest.approx(len(problem.y) / 3, abs=1)
    assert 0.5 < found.inner_score <= 1


def test_each_data_set_counts_with_the_mean_over_its_folds():
    few = [
        record(setting, dataset, score, acc=score, fold=fold)
        for setting in CHANGES
        for dataset, scores in {"a": [0.5], "b": [0.7, 0.8, 0.9]}.items()
        for fold, score in enumerate(scores)
    ]
    for measure in ("inner_score", "acc"):
        row = row_of(choice_rows(few), "rbf-only", measure)
        assert row.mean == pytest.approx(0.65)
        assert (row.difference, row.better, row.worse, row.n_datasets) == (0, 0, 0, 2)


def test_settings_are_held_against_the_preset_set_by_set():
    found = choice_rows(records(**{"linear-only": 0.7, "rbf-only": 0.4}))
    better, worse = (row_of(found, name, "inner_score") for name in ("linear-only", "rbf-only"))
    assert (better.mean, better.difference) == pytest.approx((0.6, 0.1))
    assert (better.better, better.worse) == (1, 0)
    assert (worse.mean, worse.difference) == pytest.approx((0.45, -0.05))
    assert (worse.better, worse.worse) == (0, 1)
    assert row_of(found, "linear-only", "acc").difference == 0


def test_a_fold_without_a_pair_never_wins():
    made = records()
    for place, found in enumerate(made):
        if found.model == "ratio-0.9":
            made[place] = replace(found, fallback=True, acc=0.9, inner_score=0.95)
        if found.model == "ratio-inf" and found.dataset == "a":
            made[place] = replace(found, inner_score=None)
    found = choice_rows(made)
    assert row_of(found, "ratio-0.9", "inner_score").mean == 0
    assert row_of(found, "ratio-inf", "inner_score").mean == 0.25
    share = row_of(found, "ratio-0.9", "fallback")
    assert (share.mean, share.difference, share.better, share.worse) == (1, 1, 0, 2)
    assert row_of(found, "ratio-inf", "fallback").mean == 0


def test_rows_do_not_depend_on_the_order_of_the_records():
    random = np.random.RandomState(0)
    made = [
        record(setting, dataset, *random.uniform(size=3), fold=fold)
        for setting in CHANGES
        for dataset in ("a", "b", "c")
        for fold in range(3)
    ]
    assert choice_rows(made) == choice_rows(made[i] for i in random.permutation(len(made)))


def test_the_files_say_by_what_the_choice_is_made(tmp_path):
    markdown, table = write_study("choices", records(**{"linear-only": 0.7}), tmp_path)
    text = markdown.read_text()
    assert "**A choice is made by the inner score alone**" in text
    assert "on each of 2 data sets" in text
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert lines[0] == "| setting | inner score | ACC | label AUC | fell back |"
    assert lines[2] == "| best | 0.500 | 0.500 | 0.500 | 0.000 |"
    assert lines[3] == (
        "| linear-only | 0.600 (+0.100; 1 / 0) | 0.500 (+0.000; 0 / 0) "
        "| 0.500 (+0.000; 0 / 0) | 0.000 (+0.000; 0 / 0) |"
    )
    assert len(lines) == 2 + len(CHANGES)
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [row["setting"] for row in rows[: len(CHANGES)]] == list(CHANGES)
    assert {row["measure"] for row in rows} == {"inner_score", "acc", "label_auc", "fallback"}
    assert float(rows[1]["mean"]) == pytest.approx(0.6)
