"""Tables as people keep them: each file of the folder corpus tells part of truth.csv in its way.

The first 30 rows of the truth are written in one file, the last ten, which are read with the steps
of the first, in another. No patient is a real one.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from table_files import stored

from bicneuron.exceptions import TableError
from bicneuron.tables import read_table

FOLDER = Path(__file__).parent / "corpus"
N_FIT = 30


def _year(day):
    moment = pd.Timestamp("2019-01-14") + pd.to_timedelta(day, unit="D")
    return moment.dt.year + (moment.dt.dayofyear - 1) / (365 + moment.dt.is_leap_year)


TRUTH = pd.read_csv(FOLDER / "truth.csv")
TRUTH["year"] = _year(TRUTH["day"])
TRUTH["noon"] = TRUTH["year"] + 0.5 / (365 + (TRUTH["year"] // 4 * 4 == TRUTH["year"] // 1))
TRUTH["hour"] = TRUTH["minute"] / 60
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
for town in range(3):
    TRUTH[f"town {town}"] = (TRUTH["town"] == town).astype(int)

USUAL = {"age": "age", "crp": "crp", "weight": "weight"}
PATIENT = {"age": "age", "crp": "crp"}
GENES = {"GENE1": "crp", "GENE2": "weight", "GENE3": "change"}

# File, target, and what its features are in the truth.
CASES = [
    ("plain.csv", "diagnosis", USUAL),
    ("bom_semicolons.csv", "Diagnose", {"Alter": "age", "CRP": "crp", "Gewicht": "weight"}),
    ("tabs.txt", "diagnosis", USUAL),
    ("quoted_names.csv", "diagnosis", {"crp, mg/l": "crp", "weight; kg": "weight"}),
    (
        "latin1.csv",
        "Befund",
        {
            "Größe": "weight",
            "CRP": "crp",
            "Ort = Köln": "town 0",
            "Ort = Ulm": "town 1",
            "Ort = Zürich": "town 2",
        },
    ),
    ("yes_no.csv", "diagnosis", {**USUAL, "smoker = yes": "smoker"}),
    ("true_false.csv", "diagnosis", {**USUAL, "smoker": "smoker"}),
    (
        "categories.csv",
        "diagnosis",
        {
            **USUAL,
            "town = Bonn": "town 0",
            "town = Ulm": "town 1",
            "town = Wien": "town 2",
            "sex = male": "male",
        },
    ),
    ("many_categories.csv", "diagnosis", {**USUAL, "ward": "ward"}),
    ("ordered_words.csv", "diagnosis", {**USUAL, "pain": "stage"}),
    ("iso_dates.csv", "diagnosis", {**USUAL, "visit (year)": "year"}),
    ("german_dates.csv", "diagnosis", {"crp": "crp", "visit (year)": "year"}),
    ("american_dates.csv", "diagnosis", {**USUAL, "visit (year)": "year"}),
    ("named_months.csv", "diagnosis", {**USUAL, "visit (year)": "year"}),
    ("date_times.csv", "diagnosis", {**USUAL, "admitted (year)": "noon"}),
    ("times.csv", "diagnosis", {"crp": "crp", "weight": "weight", "woke (hour)": "hour"}),
    ("percent.csv", "diagnosis", {**USUAL, "saturation": "share", "other": "share backwards"}),
    ("thousands.csv", "diagnosis", {**USUAL, "income": "income"}),
    ("limits.csv", "diagnosis", {**USUAL, "marker": "marker"}),
    (
        "units.csv",
        "diagnosis",
        {"crp": "crp", "weight": "weight", "temperature": "temperature", "age": "age"},
    ),
    ("missing_cells.csv", "diagnosis", {**USUAL, "dose": "dose", "share": "share"}),
    ("empty_edges.csv", "diagnosis", USUAL),
    ("comments.csv", "diagnosis", USUAL),
    ("titles.csv", "diagnosis", USUAL),
    ("excel_index.csv", "diagnosis", USUAL),
    ("repeated_ids.csv", "diagnosis", USUAL),
    ("repeated_columns.csv", "diagnosis", USUAL),
    ("constant_columns.csv", "diagnosis", USUAL),
    ("numeric_ids.csv", "diagnosis", USUAL),
    ("class_0_1.csv", "ill", USUAL),
    ("class_1_2_first.csv", "group", USUAL),
    ("class_spellings.csv", "diagnosis", USUAL),
    ("rows_without_class.csv", "diagnosis", USUAL),
    ("genes_in_rows.csv", "diagnosis", GENES),
    ("annotated.gct", "diagnosis", {"CRP": "crp", "LEP": "weight", "ALB": "change"}),
    (
        "GSE1_series_matrix.txt.gz",
        "diagnosis",
        {"1007_s_at": "crp", "1053_at": "weight", "117_at": "change"},
    ),
    ("cells.h5ad", "diagnosis", GENES),
    ("keel.dat", "Class", {"Age": "age", "CRP": "crp", "Weight": "weight"}),
    ("weka.arff", "class", {"age": "age", "crp mg": "crp", "smoker": "smoker"}),
    ("workbook.xlsx", "diagnosis", {**PATIENT, "visit (year)": "year"}),
    ("packed.csv.gz", "diagnosis", USUAL),
    ("archive.zip", "diagnosis", USUAL),
    ("columns.parquet", "diagnosis", USUAL),
    (
        "currency.csv",
        "diagnosis",
        {"crp": "crp", "weight": "weight", "costs": "income", "fee": "age"},
    ),
    (
        "gaps_in_numbers.csv",
        "diagnosis",
        {"income": "income", "wealth": "income backwards", "debt": "rolled", "crp": "crp"},
    ),
    ("scientific.csv", "diagnosis", {"count": "income", "crp": "crp"}),
    (
        "other_signs.csv",
        "diagnosis",
        {"change": "change", "dash": "change backwards", "crp": "crp"},
    ),
    ("european_thousands.csv", "diagnosis", {"income": "half", "crp": "crp"}),
    ("bars.csv", "diagnosis", USUAL),
    ("unicode_text.txt", "diagnosis", PATIENT),
    ("from_r.txt", "diagnosis", USUAL),
    ("all_quoted.csv", "diagnosis", USUAL),
    ("alignment_spaces.csv", "diagnosis", PATIENT),
    ("sep_line.csv", "diagnosis", USUAL),
    (
        "everything.csv",
        "Diagnosis",
        {
            "Sex = m": "male",
            "Smoker? = Yes": "smoker",
            "Visit (year)": "year",
            "CRP (mg/l)": "crp from 1 on",
            "Weight": "weight",
            "Income": "income",
            "SpO2": "share",
        },
    ),
]
# The same with classes in another file.
PHENOTYPE = {"phenotype": FOLDER / "phenotype.csv", "id_column": "sample"}
APART = [
    ("phenotype_apart.csv", GENES),
    ("expression.gct", GENES),
    ("filtered_matrix", {"CD3": "day", "CD4": "age", "MYC": "income"}),
]
WITHOUT_CLASS = {"rows_without_class.csv": [3, 11, 19]}
REFUSED = {
    "refused_thousands_or_decimals.csv": ["--read decimal=point or --read decimal=comma"],
    "refused_day_or_month.csv": ["--read dates=day-first or --read dates=month-first"],
    "refused_many_problems.csv": [
        "has 4 problems:",
        "'weight', row 5 (P05), is '",
        "'born' has dates with years of two digits. Write years with four digits.",
        "'crp', row 7 (P07), is 'see note', which is not a finite number. Correct it, take it as "
        "missing with --read missing='see note', or leave",
        "'bilirubin', row 10 (P10), is 'inf'",
    ],
    "refused_repeated_names.csv": ["several columns called 'crp'; give each a unique name"],
    "refused_cut.csv": ["row 30 has 3 cells for 5 columns", "or the file is cut"],
    "refused_no_classes.csv": ["target 'diagnosis' holds measurements", "name a column of classes"],
}


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


def check_both(file, target, features, **options):
    table = read_table(FOLDER / file, target=target, keep_missing=True, **options)
    rows = [row for row in range(N_FIT) if row not in WITHOUT_CLASS.get(file, ())]
    check_features(table, features, rows)
    check_classes(table, rows)
    new = read_table(
        of_new_rows(file),
        target=target,
        encoder=stored(table),
        keep_missing=True,
        **{"id_column": table.id_column, **options},
    )
    check_features(new, features, slice(N_FIT, None))
    check_classes(new, slice(N_FIT, None))


@pytest.mark.parametrize(("file", "target", "features"), CASES, ids=[case[0] for case in CASES])
def test_a_table_of_people(file, target, features):
    check_both(file, target, features)


@pytest.mark.parametrize(("file", "features"), APART, ids=[case[0] for case in APART])
def test_classes_apart(file, features):
    check_both(file, "diagnosis", features, **PHENOTYPE)


@pytest.mark.parametrize("file", REFUSED)
def test_what_is_refused_names_the_way_out(file):
    with pytest.raises(TableError) as error:
        read_table(FOLDER / file, target="diagnosis", keep_missing=True)
    for words in REFUSED[file]:
        assert words in str(error.value)


def test_every_file_is_read():
    written = {path.name for path in FOLDER.iterdir()} - {"truth.csv", "phenotype.csv"}
    read = {case[0] for case in CASES + APART}
    assert written == {*read, *(of_new_rows(file).name for file in read), *REFUSED}
    assert len(CASES) >= 36
    assert len(CASES) + len(APART) + len(REFUSED) >= 40
