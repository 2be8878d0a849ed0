"""Tables as people keep them: each file of the folder corpus tells part of truth.csv in its way.

The first 30 rows of the truth are written in one file, the last ten, which are read with the steps
of the first, in another. No patient is a real one.
"""

import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from table_files import predicted, read

from bicneuron.exceptions import TableError

FOLDER = Path(__file__).parent / "corpus"
N_FIT = 30


TRUTH = pd.read_csv(FOLDER / "truth.csv")
DAYS = (pd.Timestamp("2019-01-14") + pd.to_timedelta(TRUTH["day"], unit="D")).dt
TRUTH["year"] = DAYS.year + (DAYS.dayofyear - 1) / (365 + DAYS.is_leap_year)
TRUTH["noon"] = DAYS.year + (DAYS.dayofyear - 0.5) / (365 + DAYS.is_leap_year)
TRUTH["female"] = 1 - TRUTH["male"]
TRUTH["dose"] = TRUTH["age"].where(TRUTH.index % 5 != 0, 999)
TRUTH["crp from 1 on"] = TRUTH["crp"].clip(1)
TRUTH["marker"] = TRUTH["crp"].clip(2, 7)
TRUTH["index"] = TRUTH.index
TRUTH["half"] = TRUTH["income"] + 0.5
TRUTH["temperature"] = 36 + TRUTH["share"] / 100
TRUTH["rolled"] = np.roll(TRUTH["income"], 3)
for name in ("share", "income", "change"):
    TRUTH[f"{name} backwards"] = TRUTH[name].to_numpy()[::-1]
for level in range(3):
    for name in ("town", "stage"):
        TRUTH[f"{name} {level}"] = (TRUTH[name] == level).astype(int)

CASES = tomllib.loads((FOLDER / "cases.toml").read_text("utf-8"))
READ = [file for file, case in CASES.items() if "features" in case]
REFUSED = [file for file in CASES if file not in READ]
PHENOTYPE = {"phenotype": FOLDER / "phenotype.csv", "id_column": "sample"}


def of_new_rows(file):
    stem, dot, suffix = file.partition(".")
    return FOLDER / f"{stem}.new{dot}{suffix}"


def check_features(table, features, rows):
    assert table.features.columns.tolist() == list(features)
    for name, source in features.items():
        values = table.features[name].to_numpy()
        is_there = ~np.isnan(values)
        assert is_there.mean() > 0.6
        np.testing.assert_allclose(values[is_there], TRUTH[source].to_numpy()[rows][is_there])


def check_classes(table, rows):
    """One class is the ill, whatever it is called."""
    ill = TRUTH["ill"].to_numpy()[rows]
    assert len({*zip(table.labels.tolist(), ill.tolist(), strict=True)}) == 2


@pytest.mark.parametrize("file", READ)
def test_a_table_of_people(file):
    case = CASES[file]
    target, features = case["target"], case["features"]
    options = PHENOTYPE if "apart" in case else {}
    table = read(FOLDER / file, target, **options)
    rows = [row for row in range(N_FIT) if row not in case.get("without_class", ())]
    check_features(table, features, rows)
    check_classes(table, rows)
    new = predicted(of_new_rows(file), table, **options)
    check_features(new, features, slice(N_FIT, None))
    check_classes(new, slice(N_FIT, None))


@pytest.mark.parametrize("file", REFUSED)
def test_what_is_refused_names_the_way_out(file):
    with pytest.raises(TableError) as error:
        read(FOLDER / file, "diagnosis")
    for words in CASES[file]["refused"]:
        assert words in str(error.value)


def test_every_file_is_read():
    written = {path.name for path in FOLDER.iterdir()}
    beside = {"truth.csv", "phenotype.csv", "cases.toml"}
    assert written == {*CASES, *(of_new_rows(file).name for file in READ), *beside}
    assert len(READ) >= 50
