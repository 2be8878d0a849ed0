"""Values in another unit than the others of their column are asked about, honest ones are not."""

import numpy as np
import pytest
from sklearn import datasets

from bicneuron.tables._scales import doubtful_scales, several_units

HEIGHTS = np.linspace(150, 195, 20)
DOUBTFUL = {
    "one in m": ("height", [*HEIGHTS, 1.72], "1.72 in 1 row, about 1/100 of", "(150 to 195)"),
    "one in cm": ("height", [*(HEIGHTS / 100), 172], "172 in 1 row, about 100 times", "--drop"),
    "half in m": ("height", [*HEIGHTS, *(HEIGHTS / 100)], "in 20 rows, about 1/100 of"),
    "kg among g": ("weight", [*(20 * HEIGHTS), 3.2, 3.5], "3.2, 3.5 in 2 rows, about 1/1000 of"),
    "g/l among g/dl": ("Hb", [*np.linspace(11, 16, 20), 135], "135 in 1 row, about 10 times"),
    "mg/dl": ("glucose", [*np.linspace(4, 7, 20), 95], "95 in 1 row, about 18.02 times"),
    "°F": ("temp", [*np.linspace(36, 40, 20), 99.1], "99.1 in 1 row, in °F beside"),
    "°C": ("temp", [*np.linspace(97, 103, 20), 37.2], "37.2 in 1 row, in °C beside"),
    "shares": (
        "fat (%)",
        [*np.linspace(8, 45, 20), 0.21, 0.33],
        "0.21, 0.33 in 2 rows, about 1/100",
    ),
    "many": ("height", [*HEIGHTS, 1.6, 1.7, 1.8, 1.9], "1.6, 1.7, 1.8, ... in 4 rows"),
    "which rows": ("height", [1.6, *HEIGHTS, 1.7], "see row 1 and row 22;"),
    "years of birth": (
        "yob",
        [98, 3, 47, 7, 52, 98, 61, 0],
        "two digits such as 98;",
        "--drop yob",
    ),
    "Jahrgang": ("Jahrgang", range(1, 20), "two digits such as 19;"),
    "a year": ("Jahr der Diagnose", [98, 99, 0, 1, 2, 3, 4, 5], "two digits such as 99;"),
    "years": ("age", [*range(30, 80), 1957], "1957 in 1 row, years beside", "(30 to 79)"),
    "dates": ("visit", np.arange(20210301.0, 20210312), "20210301", "2021-03-01", "--drop visit"),
}
HONEST = {
    "heights": ("height", HEIGHTS),
    "two doses": ("dose", [0.1, 10] * 10),
    "half ten times as much": ("crp", [*HEIGHTS, *(HEIGHTS / 10)]),
    "one far away": ("height", [*HEIGHTS, 60.0]),
    "a wide range": ("crp", [0.3, 0.5, 0.8, 1.1, 2, 5, 9, 20, 90, 150]),
    "percent from 0 on": ("eosinophils %", [0.3, 0.4, 0.9, 1.4, 2.1, 3, 5, 7, 9, 12]),
    "not percent by its name": ("titre", [0.4, *np.linspace(8, 45, 20)]),
    "no year": ("ferritin", [*range(30, 80), 1957.5]),
    "numbers of six digits": ("platelets", np.arange(150_000.0, 400_000, 7_919)),
    "few days": ("seen", [14012019, 15012019, 16012019, 17012019] * 3),
    "third year": ("year", [1, 2, 3, 4] * 5),
    "pack years": ("pack_year", [0, 10, 20, 30, 40, 50, 60, 70]),
    "whole years": ("year of birth", range(1950, 1990)),
    "zeros": ("count", [0, *HEIGHTS]),
    "few values": ("height", [1.6, 160, 170, 180]),
    "amounts": ("income", np.arange(20190011.0, 20190112, 10)),
    "hot and cold": ("temp", np.linspace(36, 99, 30)),
}


def notes_on(name, values):
    return notes_on_columns({name: np.array(values, dtype=float)})


def notes_on_columns(columns):
    n_rows = max(map(len, columns.values()))
    return doubtful_scales(columns, [f"row {i}" for i in range(1, n_rows + 1)])


@pytest.mark.parametrize("kind", DOUBTFUL)
def test_another_unit_is_asked_about(kind):
    name, values, *said = DOUBTFUL[kind]
    (note,) = notes_on(name, [*values, np.nan])
    assert note.startswith(repr(name))
    for words in said:
        assert words in note


@pytest.mark.parametrize("kind", HONEST)
def test_other_columns_are_not(kind):
    assert notes_on(*HONEST[kind]) == []


def test_numbers_in_several_units_by_a_column_beside_them():
    units = {"Glucose_unit": ("mg/dL", "mmol/L"), "Einheit Gewicht": ("g", "kg")}
    notes = several_units(units, ["Glucose_result", "age", "Gewicht"])
    assert notes == [
        "'Glucose_result' is in 2 units by 'Glucose_unit', 'mg/dL', 'mmol/L'; convert the values "
        "to one, or leave the column out with --drop Glucose_result",
        "'Gewicht' is in 2 units by 'Einheit Gewicht', 'g', 'kg'; convert the values to one, or "
        "leave the column out with --drop Gewicht",
    ]


def test_other_words_beside_numbers_are_no_units():
    words = {"glucose_kit": ("mg/dL", "mmol/L"), "care_unit": ("ICU", "ward"), "unit": ("g", "kg")}
    assert several_units(words, ["glucose", "care_days", "age"]) == []


def test_many_columns_come_from_one_machine():
    column = np.array([*HEIGHTS, 1.72])
    assert notes_on_columns({str(j): column for j in range(1001)}) == []
    assert len(notes_on_columns({str(j): column for j in range(1000)})) == 1000


def test_real_and_drawn_columns_raise_no_alarm():
    alarms = []
    for load in (datasets.load_breast_cancer, datasets.load_wine, datasets.load_iris):
        table = load()
        alarms += notes_on_columns(dict(zip(table.feature_names, table.data.T, strict=True)))
    rng = np.random.default_rng(0)
    for n_rows in (12, 40, 200):
        drawn = {
            "normal": rng.normal(10, 2, size=(50, n_rows)),
            "log-normal": rng.lognormal(1, 0.7, size=(50, n_rows)),
            "exponential": rng.exponential(5, size=(50, n_rows)),
            "counts": rng.poisson(3, size=(50, n_rows)) + 1.0,
        }
        alarms += notes_on_columns(
            {f"{k} {j}": x for k, X in drawn.items() for j, x in enumerate(X)}
        )
    assert alarms == []


def test_times_without_a_mark_are_asked_about():
    hours = np.array([100 * (6 + j // 3) + (7 * j) % 60 for j in range(30)], dtype=float)
    (note,) = notes_on_columns({"woke": hours})
    assert note.startswith(
        "'woke' holds numbers such as 600, which may be times; write them as 06:00"
    )
    assert notes_on_columns({"woke": hours[:14]}) == [], "by chance"
    assert notes_on_columns({"woke": hours + 60}) == [], "minutes from 60 on"
    assert notes_on_columns({"price": np.arange(100.0, 2300, 50)}) == [], "round numbers"
