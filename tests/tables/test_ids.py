"""Columns that number the rows are no features, and columns of measurements are."""

import numpy as np
import pytest

# Names that say id. The last ten were collected after the rule was written.
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
IDS_NOT_SEEN: list[str] = []
# Names of measurements, counts, times and orders.
INNOCENT = [
    "age",
    "Alter",
    "year",
    "count",
    "rank",
    "dose",
    "day",
    "score",
    "weight",
    "number of lesions",
    "No. of nodes",
    "Anzahl Fälle",
    "copy number",
    "uric acid",
    "ID50",
    "sample size",
    "patient age",
    "platelets",
    "body mass index",
    "Covid",
]
INNOCENT_NOT_SEEN: list[str] = []
N_ROWS = 40


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


def text_of(name, cells, place):
    """A table with three measurements, a class, and a column in a place."""
    rng = np.random.default_rng(1)
    columns = [[str(cell) for cell in rng.normal(size=len(cells)).round(3)] for _ in range(3)]
    names = ["crp", "hb", "wbc"]
    names.insert(place, name)
    columns.insert(place, cells)
    rows = zip(*columns, rng.choice(["x", "y"], len(cells)), strict=True)
    quoted = [f'"{one}"' for one in [*names, "class"]]
    return "\n".join([",".join(quoted), *map(",".join, rows)])


KINDS = ["sorted", "sorted skipping", "shuffled", "shuffled skipping", "sorted empty"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", [0, 1, 3])
@pytest.mark.parametrize("name", [*IDS, *IDS_NOT_SEEN])
def test_an_id_is_no_feature(table_of, name, place, kind):
    table = table_of(
        text_of(name, numbers_of(kind, 1001), place), target="class", keep_missing=True
    )
    assert table.features.columns.tolist() == ["crp", "hb", "wbc"]
    (note,) = [note for note in table.notes if repr(name) in note]
    assert "--keep" in note
    kept = table_of(
        text_of(name, numbers_of(kind, 1001), place), target="class", keep=[name], keep_missing=True
    )
    assert name in kept.features.columns


@pytest.mark.parametrize("kind", ["shuffled skipping", "sorted", "sorted skipping"])
@pytest.mark.parametrize("place", [0, 1, 3])
@pytest.mark.parametrize("name", [*INNOCENT, *INNOCENT_NOT_SEEN])
def test_measurements_stay_features(table_of, name, place, kind):
    no_measures = {"platelets", "uric acid", "ID50", "Covid"}
    if kind == "sorted" and name in no_measures:
        pytest.skip("a name without a word for a measure, with values that number the rows")
    table = table_of(text_of(name, numbers_of(kind, 20), place), target="class", keep_missing=True)
    assert name in table.features.columns
    assert table.id_column is None
