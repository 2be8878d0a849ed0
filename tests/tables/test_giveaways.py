"""Columns that give the class away are named; honest tables raise no alarm."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

from bicneuron.tables import read_table
from bicneuron.tables._giveaways import is_outcome, left_out_accuracy

N_ROWS = 120


def honest(seed=0, n_classes=2):
    """Patients in random order: two of eight measurements tell something of the class."""
    rng = np.random.default_rng(seed)
    classes = rng.permutation(np.arange(N_ROWS) % n_classes)
    values = rng.normal(size=(N_ROWS, 8))
    values[:, 0] += classes
    values[:, 1] -= 0.7 * classes
    frame = pd.DataFrame(values.round(3), columns=[f"lab{j}" for j in range(8)])
    return frame.assign(diagnosis=np.array(["AML", "CML", "CLL"])[classes]), classes, rng


def with_column(name, made, n_classes=2):
    frame, classes, rng = honest(n_classes=n_classes)
    frame.insert(3, name, made(classes, rng))
    return frame


def in_class_order(name, cells):
    frame, _, rng = honest()
    frame = frame.sort_values("diagnosis", kind="stable")
    frame.insert(2, name, cells(rng))
    return frame


def days(numbers):
    return (pd.Timestamp("2019-01-01") + pd.to_timedelta(numbers, unit="D")).strftime("%Y-%m-%d")


GIVEAWAYS = {
    "copy": ("result", with_column("result", lambda c, rng: c)),
    "copy in words": ("Befund", with_column("Befund", lambda c, rng: np.array(["neg", "pos"])[c])),
    "recoding of three classes": ("icd", with_column("icd", lambda c, rng: (c * 7) % 5, 3)),
    "three classes in words": (
        "Gruppe",
        with_column("Gruppe", lambda c, rng: np.array(["rot", "gelb", "blau"])[c], 3),
    ),
    "finer classes": (
        "subtype",
        with_column("subtype", lambda c, rng: 3 * c + rng.integers(3, size=len(c))),
    ),
    "nearly perfect": (
        "blast",
        with_column("blast", lambda c, rng: (8 * c + rng.normal(size=len(c))).round(2)),
    ),
    "filled for one class only": (
        "therapy dose",
        with_column(
            "therapy dose",
            lambda c, rng: np.where(c == 1, rng.normal(50, 9, len(c)).round(1), np.nan),
        ),
    ),
    "date in class order": (
        "visit",
        in_class_order("visit", lambda rng: days(np.sort(rng.integers(900, size=N_ROWS)))),
    ),
    "day in class order": ("day", in_class_order("day", lambda rng: np.arange(N_ROWS) + 1)),
    "nearly the row number": (
        "measured at",
        in_class_order(
            "measured at", lambda rng: (np.arange(N_ROWS) + rng.normal(0, 4, N_ROWS)).round(1)
        ),
    ),
    "death": (
        "Tod",
        with_column(
            "Tod", lambda c, rng: np.where(rng.random(len(c)) < 0.2 + 0.4 * c, "ja", "nein")
        ),
    ),
    "time to event": (
        "PFS",
        with_column("PFS", lambda c, rng: rng.exponential(20 - 10 * c).round(1)),
    ),
    "date of relapse": (
        "Rezidivdatum",
        with_column("Rezidivdatum", lambda c, rng: days(rng.integers(400, size=len(c)) + 200 * c)),
    ),
    "follow-up": (
        "follow-up (months)",
        with_column("follow-up (months)", lambda c, rng: rng.integers(1, 99, len(c))),
    ),
}


def named(table):
    return [note for note in table.notes if "known only after" in note]


@pytest.mark.parametrize("kind", GIVEAWAYS)
def test_giveaways_are_named(table_of, kind):
    name, frame = GIVEAWAYS[kind]
    table = table_of(frame.to_csv(index=False), target="diagnosis", keep_missing=True)
    (note,) = named(table)
    assert note.startswith(f"column {name!r} ")
    assert "--drop" in note
    without = table_of(
        frame.to_csv(index=False), target="diagnosis", drop=[name], keep_missing=True
    )
    assert named(without) == []


def test_several_giveaways_are_all_named(table_of):
    frame, classes, rng = honest()
    frame = frame.assign(outcome=classes, marker=(9 * classes + rng.normal(size=N_ROWS)).round(3))
    table = table_of(frame.to_csv(index=False), target="diagnosis")
    assert [note.split("'")[1] for note in named(table)] == ["outcome", "marker"]


@pytest.mark.parametrize(
    "name",
    ["OS_months", "vital_status", "date_last_fu", "Überlebenszeit (Monate)", "days_to_death"],
)
def test_names_of_outcomes(name):
    assert is_outcome(name, np.array([1.0, np.nan, 3.0]))
    assert not is_outcome(name, np.array([-1.5, 0.2, 3.0])), "no time and no event"


@pytest.mark.parametrize(
    "name",
    [
        *("Osmolality", "progressive", "cell death", "family history of death", "response time"),
        *("event_rate", "relapse risk"),
    ],
)
def test_names_of_no_outcomes(name):
    assert not is_outcome(name, np.array([1.0, 2.0]))


def test_os_is_a_time_only_with_the_values_of_one():
    """And not the left eye, or what a computer runs."""
    times = np.arange(40.0)
    assert is_outcome("os", times)
    assert is_outcome("os_event", times % 2)
    assert not is_outcome("os", times % 3)
    assert not is_outcome("OS left", times % 10)


def test_the_accuracy_on_rows_left_out_is_that_of_three_neighbours():
    rng = np.random.default_rng(5)
    classes = np.arange(50) % 3
    values = rng.normal(size=50) + classes
    right = [[], [], []]
    for row in range(50):
        others = sorted((abs(values[i] - values[row]), i) for i in range(50) if i != row)
        votes = sum(classes[i] == classes[row] for _, i in others[:3])
        right[classes[row]].append(votes >= 2)
    expected = np.mean([np.mean(one) for one in right])
    assert left_out_accuracy(values, classes) == pytest.approx(expected)


# Tables without a giveaway.


def from_sklearn(load):
    data = load(as_frame=True)
    return data.data.assign(diagnosis=data.target)


def blobs(n_columns, n_classes, shift, seed):
    rng = np.random.default_rng(seed)
    classes = np.arange(N_ROWS) % n_classes
    centres = rng.normal(size=(n_classes, n_columns)) * shift
    values = rng.normal(size=(N_ROWS, n_columns)) + centres[classes]
    frame = pd.DataFrame(values.round(3), columns=[f"x{j}" for j in range(n_columns)])
    return frame.assign(diagnosis=classes)


def honest_in_order(seed):
    """Sorted by class, with dates that are in order within each class only."""
    frame, _, rng = honest(seed)
    frame = frame.assign(visit=days(rng.integers(900, size=N_ROWS)))
    return frame.sort_values(["diagnosis", "visit"], kind="stable")


def binary(n_columns, seed):
    rng = np.random.default_rng(seed)
    classes = rng.integers(2, size=60)
    values = rng.random((60, n_columns)) < 0.3 + 0.2 * classes[:, None]
    frame = pd.DataFrame(values.astype(int), columns=[f"snp{j}" for j in range(n_columns)])
    return frame.assign(diagnosis=classes)


def genes(seed):
    rng = np.random.default_rng(seed)
    classes = np.arange(60) % 2
    values = rng.normal(size=(60, 1000))
    values[:, :30] += rng.uniform(1, 5, size=30) * classes[:, None]
    frame = pd.DataFrame(values.round(3), columns=[f"G{j}" for j in range(1000)])
    return frame.assign(diagnosis=classes)


HONEST = {
    **{f"honest {seed}": lambda seed=seed: honest(seed)[0] for seed in range(4)},
    **{f"three classes {seed}": lambda seed=seed: honest(seed, 3)[0] for seed in range(3)},
    **{f"in order {seed}": lambda seed=seed: honest_in_order(seed) for seed in range(3)},
    **{f"blobs {s}": lambda s=s: blobs(6, 2 + s % 3, 1.0 + s / 3, s) for s in range(6)},
    **{f"binary {seed}": lambda seed=seed: binary(40 + 300 * seed, seed) for seed in range(3)},
    **{f"genes {seed}": lambda seed=seed: genes(seed) for seed in range(3)},
    **{
        load.__name__: lambda load=load: from_sklearn(load)
        for load in (
            datasets.load_iris,
            datasets.load_wine,
            datasets.load_breast_cancer,
            datasets.load_digits,
        )
    },
    "setosa": lambda: from_sklearn(datasets.load_iris).assign(
        diagnosis=lambda frame: (frame["diagnosis"] == 0) * 1
    ),
    "noise": lambda: blobs(12, 2, 0.0, 9),
    "xor": lambda: blobs(5, 2, 0.0, 8).assign(
        diagnosis=lambda f: ((f["x0"] > 0) ^ (f["x1"] > 0)) * 1
    ),
    "sum": lambda: blobs(5, 2, 0.0, 7).assign(diagnosis=lambda f: (f["x0"] + f["x1"] > 0) * 1),
}


def test_honest_tables_raise_no_alarm(tmp_path):
    assert len(HONEST) >= 30
    alarms = []
    for name, make in HONEST.items():
        path = tmp_path / "table.csv"
        make().to_csv(path, index=False)
        alarms += [(name, note) for note in named(read_table(path, target="diagnosis"))]
    assert alarms == []


FOLDER = Path(os.environ.get("BICNEURON_DATA", ""))
REAL = (
    "chen chowdary colon ionosphere lsvt parkinsons ringnorm singh sonar spambase tipspam_is2014 "
    "twonorm wdbc"
)


@pytest.mark.skipif(
    not os.environ.get("BICNEURON_DATA"), reason="BICNEURON_DATA names no data folder"
)
def test_real_tables_raise_no_alarm():
    alarms = [
        (name, note)
        for name in REAL.split()
        for note in named(read_table(FOLDER / f"{name}.csv.gz", target="class"))
    ]
    assert alarms == []
