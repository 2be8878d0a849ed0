"""Codes and words for missing values: given with an option, known, or asked about."""

import numpy as np
import pandas as pd
import pytest
from table_files import stored

from bicneuron.exceptions import TableError
from bicneuron.tables import read_table, write_table

rng = np.random.default_rng(3)
AGE = [int(age) for age in rng.integers(20, 80, 40)]
CRP = [round(float(crp), 1) for crp in rng.lognormal(1, 0.7, 40)]


def table_text(**columns):
    return pd.DataFrame({"id": [f"p{i}" for i in range(40)], **columns}).to_csv(index=False)


def put(values, code, rows=(3, 11, 30)):
    return [code if i in rows else value for i, value in enumerate(values)]


def holes(values, rows=(3, 11, 30)):
    return [np.nan if i in rows else float(value) for i, value in enumerate(values)]


WORDS = [
    "k.A.",
    "k. A.",
    "keine Angabe",
    "fehlt",
    "#NV",
    "n.t.",
    "\u2013",
    "unbekannt",
    "nicht bestimmt",
]
WORDS += ["N.A.", "<NA>", "n. b.", "not tested", "nicht gemessen", "entfällt", "inconnu", "s/d"]


@pytest.mark.parametrize("word", WORDS)
def test_words_for_missing_among_numbers(word, table_of):
    table = table_of(table_text(age=put(AGE, word), crp=CRP), keep_missing=True)
    np.testing.assert_array_equal(table.features["age"], holes(AGE))


CODED = {
    "-9": (put(AGE, -9), "age", "-9"),
    "-99": (put(AGE, -99), "age", "-99"),
    "999": (put(AGE, 999), "age", "999"),
    "9999": (put(CRP, 9999), "crp", "9999"),
    "-999": (put(CRP, -999.0), "crp", "-999"),
    "-1": (put(AGE, -1), "age", "-1"),
    "99 of a score": (put([i % 4 for i in range(40)], 99), "score", "99"),
    "9 of a score": (put([i % 4 for i in range(40)], 9), "score", "9"),
    "-1 of a count": (put([i % 7 for i in range(40)], -1), "score", "-1"),
    "99 near the oldest": (put([min(age + 11, 90) for age in AGE], 99), "age", "99"),
    "-99.9": (put(CRP, -99.9), "crp", "-99.9"),
    "65535": (put(AGE, 65535), "age", "65535"),
    "once": (put(AGE, 999, rows=(3,)), "age", "999"),
}


@pytest.mark.parametrize("name", CODED)
def test_a_repeated_extreme_code_is_said_with_the_option(name, table_of):
    values, column, code = CODED[name]
    text = table_text(**{column: values, "other": [i + 0.25 for i in range(40)]})
    table = table_of(text)
    (note,) = [note for note in table.notes if "--read missing" in note]
    assert note.startswith(f"{column!r} holds {code} in {values.count(float(code))} row")
    assert note.endswith(f"; if it means a missing value: --read missing={code}")
    assert "beyond all other values, see row 4 (p3)" in note
    blank = table_of(text, missing=[code], keep_missing=True)
    wanted = [np.nan if value == float(code) else float(value) for value in values]
    np.testing.assert_array_equal(blank.features[column], wanted)
    assert not [note for note in blank.notes if "--read missing" in note]


def test_a_code_that_is_a_value_elsewhere_is_asked_about_in_its_column(table_of):
    text = table_text(score=put([i % 4 for i in range(40)], 99), weight=[80 + i for i in range(40)])
    (note,) = [note for note in table_of(text).notes if "--read missing" in note]
    assert note.endswith("--read missing=score=99")
    table = table_of(text, missing=["score=99"], keep_missing=True)
    assert table.features["weight"].tolist() == [80.0 + i for i in range(40)]
    assert table.features["score"].isna().sum() == 3


def test_a_code_of_many_columns_is_asked_about_once(table_of):
    columns = {f"g{j}": put([i + j for i in range(40)], -9, rows=(j, j + 9)) for j in range(12)}
    (note,) = [note for note in table_of(table_text(**columns)).notes if "--read missing" in note]
    assert note.startswith("'g0', 'g1'")
    assert "and 4 more hold -9 in 24 cells" in note
    assert note.endswith("--read missing=-9")


def test_two_codes_in_one_column(table_of):
    text = table_text(age=put(put(AGE, 888, rows=(1, 2)), 999))
    asked = [note for note in table_of(text).notes if "--read missing" in note]
    assert [note.rpartition("=")[2] for note in asked] == ["999", "888"]
    assert table_of(text, missing=["888", "999"], keep_missing=True).features["age"].max() < 81


HONEST = {
    "age to 99": [20 + (i * 2) for i in range(39)] + [99],
    "ages of the very old": [60 + i % 38 for i in range(38)] + [99, 99],
    "ratings": [i % 10 for i in range(40)],
    "three values": [i % 3 - 1 for i in range(40)],
    "differences": [round(float(x), 1) for x in rng.normal(0, 6, 38)] + [-9, -9],
    "temperatures": [x - 9 for x in range(38)] + [-9, -9],
    "doses": [0, 10, 100, 1000] * 10,
    "powers": [9, 99, 999, 9999] * 10,
    "flags": [i % 2 for i in range(40)],
    "years": [1990 + i % 20 for i in range(40)],
    "counts": [int(x) for x in rng.poisson(4, 40)],
    "changes of a stage": [i % 4 - 1 for i in range(40)],
    "saturations": [88 + i % 11 for i in range(36)] + [99] * 4,
    "a few doses": [0, 1, 2, 5, 10, 5000, 5000, 2] * 5,
    "once far away": [100 + i for i in range(39)] + [5000],
    "near": [100 + i for i in range(38)] + [200, 200],
    "plates": [1] * 20 + [999] * 20,
}


@pytest.mark.parametrize("name", HONEST)
def test_values_are_not_taken_for_codes(name, table_of):
    table = table_of(table_text(dose=HONEST[name]))
    assert not [note for note in table.notes if "--read missing" in note]


def test_codes_as_they_are_written(table_of):
    cells = put(AGE, "-9.0", rows=(1,))
    cells = put(cells, "nicht  Bestimmt", rows=(2,))
    cells = put(cells, " 999 ", rows=(3,))
    codes = ["-9", "999", "nicht bestimmt"]
    table = table_of(table_text(age=cells, crp=CRP), missing=codes, keep_missing=True)
    np.testing.assert_array_equal(table.features["age"], holes(AGE, rows=(1, 2, 3)))


def test_words_of_a_category_and_a_date(table_of):
    sex = ["m", "w", "x9", "w"] * 10
    day = [f"2020-01-{i % 28 + 1:02}" if i % 5 else "1900-01-01" for i in range(40)]
    options = {"missing": ["x9", "1900-01-01"], "keep_missing": True}
    table = table_of(table_text(sex=sex, day=day, crp=CRP), **options)
    assert table.features["sex = w"].isna().sum() == 10
    assert table.features["day (year)"].isna().sum() == 8
    assert table.features["day (year)"].min() >= 2020


def test_row_names_are_no_missing_values(table_of):
    text = pd.DataFrame({"id": range(980, 1020), "age": put(AGE, 999)}).to_csv(index=False)
    table = table_of(text, missing=["999"], keep_missing=True)
    assert table.features.index.tolist() == [str(i) for i in range(980, 1020)]
    assert table.features["age"].isna().sum() == 3


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".xlsx", ".tsv.gz"])
def test_the_same_codes_in_new_tables_of_every_format(suffix, table_of, tmp_path):
    fitted = table_of(
        table_text(age=put(AGE, 999), crp=put(CRP, -9)),
        missing=["age=999", "-9"],
        keep_missing=True,
    )
    encoder = stored(fitted)
    new = pd.DataFrame({"age": [30, 999, -9], "crp": [-9.0, 999.0, 2.5]}, index=["a", "b", "c"])
    path = write_table(new.rename_axis("id"), tmp_path / f"new{suffix}")
    options = {"encoder": encoder, "keep_missing": True}
    again = read_table(path, **options)
    np.testing.assert_array_equal(again.features, [[30, np.nan], [np.nan, 999.0], [np.nan, 2.5]])
    assert not [note for note in again.notes if "no cell" in note]
    more = read_table(path, missing=["2.5"], **options)
    np.testing.assert_array_equal(more.features, [[30, np.nan], [np.nan, 999.0], [np.nan, np.nan]])


def test_a_code_that_is_nowhere_is_said(table_of):
    table = table_of(table_text(age=AGE), missing=["777"])
    assert "--read missing=777: no cell holds it" in table.notes


def test_strict_takes_the_codes_that_were_given(table_of):
    options = {"missing": ["999"], "keep_missing": True, "strict": True}
    table = table_of(table_text(age=put(AGE, 999)), **options)
    assert table.features["age"].isna().sum() == 3


def test_an_empty_code(table_of):
    with pytest.raises(TableError, match="--read missing='age=' names no value"):
        table_of(table_text(age=AGE), missing=["age="])


DAYS = [f"{i % 28 + 1:02}.{i % 12 + 1:02}.2019" for i in range(40)]


@pytest.mark.parametrize("code", ["31.12.9999", "01.01.1900", "01.01.1970"])
def test_a_date_beyond_the_others_is_said_with_the_option(code, table_of):
    text = table_text(visit=put(DAYS, code), crp=CRP)
    (note,) = [note for note in table_of(text).notes if "--read missing" in note]
    assert note.startswith(f"'visit' holds {code} in 3 rows, beyond all other dates")
    assert note.endswith(f"--read missing=visit={code}")
    table = table_of(text, missing=[f"visit={code}"], keep_missing=True)
    assert np.flatnonzero(table.features["visit (year)"].isna()).tolist() == [3, 11, 30]
    assert not [note for note in table.notes if "--read missing" in note]


def test_dates_that_are_none_of_these(table_of):
    born = [f"{i % 28 + 1:02}.01.{1880 + i}" for i in range(40)]
    since = [f"01.{i % 12 + 1:02}.{1960 + i % 20}" for i in range(40)]
    notes = table_of(table_text(born=born, since=since, visit=DAYS)).notes
    assert not [note for note in notes if "--read missing" in note]


def test_zeros_far_from_the_other_values_are_asked_about(table_of):
    pressure = [100 + 2 * i for i in range(40)]
    text = table_text(pressure=put(pressure, 0), dose=put([50, 60] * 20, 0), count=range(40))
    (note,) = [note for note in table_of(text).notes if "--read missing" in note]
    assert note.startswith(
        "'pressure' holds 0 in 3 rows, far from the other values (100 to 178), see row 4 (p3) "
    )
    assert note.endswith("--read missing=pressure=0")
    blank = table_of(text, missing=["pressure=0"], keep_missing=True)
    np.testing.assert_array_equal(blank.features["pressure"], holes(pressure))
    narrow = table_text(sodium=put([130 + i / 4 for i in range(40)], 0))
    assert len([note for note in table_of(narrow).notes if "--read missing" in note]) == 1
    many = table_text(chol=[0 if i % 3 == 0 else 154 + 2 * i for i in range(40)])
    assert [note for note in table_of(many).notes if note.endswith("--read missing=chol=0")]
    wide = table_text(crp=[0 if i % 3 == 0 else 60 + 2 * i for i in range(40)])
    assert not [note for note in table_of(wide).notes if "--read missing" in note]
    genes = {f"gene{j}": put(pressure[j:] + pressure[:j], 0) for j in range(9)}
    assert not [note for note in table_of(table_text(**genes)).notes if "--read missing" in note]


def test_zeros_of_counts_are_not_asked_about(table_of):
    """Earlier convictions: obeying would leave out all who have none."""
    counts = {0: 38, 1: 113, 2: 100, 3: 60, 4: 40, 5: 30, 6: 20, 7: 12, 8: 9, 9: 6, 11: 4, 38: 1}
    prio = np.repeat([*counts], [*counts.values()])
    text = pd.DataFrame({"prio": prio, "x": np.arange(len(prio)) / 7}).to_csv(index=False)
    assert not [note for note in table_of(text).notes if "--read missing" in note]


@pytest.mark.parametrize("code", [-9, 99, 999, -1])
def test_codes_among_few_counts_are_asked_about(table_of, code):
    values = [*np.tile(np.arange(7), 12).tolist(), *[code] * 4]
    text = pd.DataFrame({"visits": values, "x": np.arange(88) / 7}).to_csv(index=False)
    (note,) = [note for note in table_of(text).notes if "--read missing" in note]
    assert note.startswith(f"'visits' holds {code} in 4 rows")
