"""Columns that number the rows are not features, and columns of measurements are."""

import numpy as np
import pytest

from bicneuron.exceptions import TableError
from bicneuron.tables._ids import with_name

# Names that say id.
IDS = [
    "Nr.",
    "No.",
    "Lfd. Nr.",
    "PatNr",
    "Patientennummer",
    "Fallnummer",
    "MRN",
    "subjid",
    "USUBJID",
    "SID",
    "case_no",
    "ID",
    "patient_id",
    "PatientID",
    "Pat.-ID",
    "Patienten-Nr.",
    "Probennummer",
    "sample number",
    "SampleID",
    "Proband",
    "Probandennr",
    "record_id",
    "Row",
    "index",
    "Unnamed: 0",
    "#",
    "laufende Nummer",
    "Studiennummer",
    "pid",
    "Barcode",
]
# Names of public data sets, collected after the rule was written.
IDS_OF_OTHERS = [
    "HADM_ID",
    "icustay_id",
    "ROW_ID",
    "PATIENTGUID",
    "patientunitstayid",
    "Identifikation",
    "sequence_id",
    "PatID",
    "SUBJECT_ID",
    "Pat-ID",
    "patient_nbr",
    "PATNO",
    "RID",
    "PTID",
    "eid",
    "SEQN",
    "bcr_patient_barcode",
    "PassengerId",
    "Sample code number",
    "randid",
    "pidnum",
    "idno",
    "caseid",
]
# Names that say a measurement, a count, a time or an order.
MEASURES = [
    *("age", "Alter", "year", "count", "rank", "dose", "day", "score", "weight", "sample size"),
    *("number of lesions", "No. of nodes", "Anzahl Fälle", "copy number", "patient age", "size"),
    *("body mass index", "grade", "anchor_year", "age_at_diagnosis_days", "hours_per_week"),
    *("time_in_hospital",),
]
# Names that say neither measure nor id.
OTHER_NAMES = [
    *("platelets", "uric acid", "ID50", "Covid", "node", "VISITNUM", "DY", "wt.loss", "valuenum"),
    *("STNRHI", "thalach", "trestbps", "num_lab_procedures", "number_inpatient", "fluid"),
]
N_ROWS = 24


def numbers_of(kind, start):
    """Whole numbers that are all different; None is a cell without a value."""
    rng = np.random.default_rng(0)
    numbers = start + np.arange(N_ROWS)
    if "skipping" in kind:
        numbers = start + np.sort(rng.choice(3 * N_ROWS, N_ROWS, replace=False))
    if "shuffled" in kind:
        rng.shuffle(numbers)
    cells = [*map(str, numbers.tolist())]
    if "empty" in kind:
        cells[7] = ""
    return cells


def text_of(columns, place):
    """A table with three measurements, and columns in a place."""
    measured = [*zip(("crp", "hb", "wbc"), MEASURED, strict=True)]
    names, cells = zip(*measured[:place], *columns.items(), *measured[place:], strict=True)
    quoted = [f'"{name}"' for name in names]
    return "\n".join([",".join(quoted), *map(",".join, zip(*cells, strict=True))])


MEASURED = np.random.default_rng(1).normal(size=(3, N_ROWS)).round(3).astype(str).tolist()
PLACES = [0, 1, 3]
KINDS = ["sorted", "sorted skipping", "shuffled", "shuffled skipping", "sorted empty"]
ALL_IDS = [*IDS, *IDS_OF_OTHERS]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("start", range(0, len(ALL_IDS), len(KINDS)))
def test_an_id_is_no_feature(table_of, start, place):
    """Five ids beside each other: each of them is once the first, with numbers of each kind."""
    names = ALL_IDS[start : start + len(KINDS)]
    for turn in range(len(KINDS)):
        columns = {
            name: numbers_of(KINDS[(turn + j) % len(KINDS)], 1001 + 100 * j)
            for j, name in enumerate(names)
        }
        turned = {name: columns[name] for name in names[turn:] + names[:turn]}
        table = table_of(text_of(turned, place), keep_missing=True)
        assert table.features.columns.tolist() == ["crp", "hb", "wbc"]
        for name in names:
            (note,) = [note for note in table.notes if repr(name) in note]
            assert "--read keep" in note
    kept = table_of(text_of(columns, place), keep=names, keep_missing=True)
    assert kept.features.columns.tolist()[place : place + len(names)] == names


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", ["shuffled skipping", "sorted skipping", "sorted"])
def test_measurements_stay_features(table_of, kind, place):
    names = MEASURES if kind == "sorted" else [*MEASURES, *OTHER_NAMES]
    columns = {name: numbers_of(kind, 20 + j) for j, name in enumerate(names)}
    table = table_of(text_of(columns, place))
    assert table.features.columns.tolist()[place : place + len(names)] == names
    assert table.id_column is None


def test_numbers_that_follow_the_rows(table_of):
    """A name that says nothing is not enough to take row numbers for a measurement."""
    table = table_of(text_of({"v7": numbers_of("sorted", 20)}, 2))
    assert table.id_column == "v7"
    assert "row names: column 'v7'; --read keep=v7 takes it as a feature" in table.notes
    few = table_of("v7,b,class\n1,0.5,x\n2,1.5,y\n3,1.5,x\n", target="class")
    assert few.features.columns.tolist() == ["v7", "b"]


@pytest.mark.parametrize("kind", ["sorted skipping", "shuffled"])
def test_what_is_likely_is_said(table_of, kind):
    table = table_of(text_of({"v7": numbers_of(kind, 20)}, 2))
    assert "v7" in table.features
    (note,) = [note for note in table.notes if "'v7'" in note]
    assert "may be an id" in note
    assert "--drop v7" in note


def test_the_second_id_is_left_out_and_strict_refuses_it(table_of):
    frame = {"PatNr": numbers_of("shuffled", 7), "hb": numbers_of("shuffled skipping", 1)}
    rows = zip(*frame.values(), strict=True)
    text = "\n".join(["id,PatNr,hb", *(f"P{i},{a},{b}" for i, (a, b) in enumerate(rows))])
    table = table_of(text)
    assert table.id_column == "id"
    assert table.dropped == ("PatNr",)
    why = "an id, a different number in each row; --read keep=COLUMN takes it as a feature"
    assert f"'PatNr': left out, {why}" in table.notes
    with pytest.raises(TableError, match="without --read strict=yes: 'PatNr': left out, an id"):
        table_of(text, strict=True)


def test_options_are_written_as_they_are_typed():
    assert with_name("--read keep=", "Nr.") == "--read keep=Nr."
    assert with_name("--drop ", "Lfd. Nr.") == "--drop 'Lfd. Nr.'"
    assert with_name("--drop ", "a, b") == "--drop '\"a, b\"'"
    assert with_name("--groups ", "a, b") == "--groups 'a, b'"
