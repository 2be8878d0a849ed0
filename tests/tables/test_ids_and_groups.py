"""Columns that number the rows are no features, and rows of one unit are kept together."""

import numpy as np
import pandas as pd
import pytest

IDS = [
    *("Nr.", "No.", "Lfd. Nr.", "PatNr", "Patientennummer", "Fallnummer", "MRN"),
    *("subjid", "USUBJID", "SID", "case_no", "ID", "#", "idno", "patient_id"),
    *("PatientID", "Pat.-ID", "Patienten-Nr.", "Probennummer", "sample number"),
    *("SampleID", "Proband", "RID", "record_id", "Row", "index", "Unnamed: 0"),
    *("laufende Nummer", "Studiennummer", "pid", "Barcode", "HADM_ID", "SEQN", "eid"),
    *("icustay_id", "ROW_ID", "PATIENTGUID", "Identifikation", "sequence_id"),
    *("patient_nbr", "PATNO", "PTID", "PassengerId", "bcr_patient_barcode", "caseid"),
]
MEASURES = [
    *("age", "Alter", "year", "count", "rank", "dose", "day", "score", "weight"),
    *("sample size", "number of lesions", "No. of nodes", "Anzahl Fälle", "copy number"),
    *("patient age", "size", "body mass index", "grade", "anchor_year", "hours_per_week"),
]
OTHERS = [
    *("platelets", "uric acid", "ID50", "Covid", "node", "wt.loss", "num_lab_procedures"),
]
N_ROWS = 24
MEASURED = pd.DataFrame(
    np.random.default_rng(1).normal(size=(N_ROWS, 3)).round(3), columns=["crp", "hb", "wbc"]
)


def numbers_of(kind, start):
    """Whole numbers that are all different."""
    rng = np.random.default_rng(0)
    numbers = start + np.arange(N_ROWS)
    if "skipping" in kind:
        numbers = start + np.sort(rng.choice(3 * N_ROWS, N_ROWS, replace=False))
    return rng.permutation(numbers) if "shuffled" in kind else numbers


def with_columns(columns, place):
    frame = MEASURED.copy()
    for j, (name, cells) in enumerate(columns.items()):
        frame.insert(place + j, name, cells)
    return frame.to_csv(index=False)


@pytest.mark.parametrize("place", [0, 3])
@pytest.mark.parametrize("kind", ["sorted", "shuffled", "shuffled skipping"])
def test_an_id_is_no_feature(table_of, kind, place):
    columns = {name: numbers_of(kind, 1001 + 100 * j) for j, name in enumerate(IDS)}
    table = table_of(with_columns(columns, place))
    assert table.features.columns.tolist() == ["crp", "hb", "wbc"]
    assert table.reading.loc[IDS, "kind"].tolist() == ["id"] * len(IDS)
    assert f"column {IDS[3]!r} taken for an id; --read keep={IDS[3]} takes it" in str(table.notes)
    kept = table_of(with_columns(columns, place), keep=IDS)
    assert {*IDS} < {*kept.features.columns}


@pytest.mark.parametrize("place", [0, 3])
@pytest.mark.parametrize("kind", ["sorted", "sorted skipping", "shuffled skipping"])
def test_measurements_stay_features(table_of, kind, place):
    names = MEASURES if kind == "sorted" else [*MEASURES, *OTHERS]
    columns = {name: numbers_of(kind, 20 + j) for j, name in enumerate(names)}
    table = table_of(with_columns(columns, place))
    assert table.features.columns.tolist()[place : place + len(names)] == names
    assert table.id_column is None


def test_numbers_that_follow_the_rows_without_a_saying_name(table_of):
    table = table_of(with_columns({"v7": numbers_of("sorted", 20)}, 2))
    assert table.id_column == "v7"
    assert "column 'v7' taken for an id; --read keep=v7 takes it as a feature" in table.notes
    few = table_of("v7,b,class\n1,0.5,x\n2,1.5,y\n3,1.5,x\n", target="class")
    assert few.features.columns.tolist() == ["v7", "b"]
    likely = table_of(with_columns({"v7": numbers_of("shuffled", 20)}, 2))
    assert "v7" in likely.features
    (question,) = likely.questions
    assert question[:2] == ("ids", "v7")
    assert "may be an id" in question.text
    assert question.text.endswith("leave it out with --drop v7")


# --- rows that are kept together


def frame_of(n_rows, n_columns, seed=0):
    rng = np.random.default_rng(seed)
    names = [f"g{j}" for j in range(n_columns)]
    frame = pd.DataFrame(rng.normal(size=(n_rows, n_columns)).round(4), columns=names)
    return frame.assign(kind=rng.permutation(np.arange(n_rows) % 2))


def same_parts(one, other):
    """True if two numberings put the same rows together."""
    pairs = {*zip(one, other, strict=True)}
    return len(pairs) == len({*one}) == len({*other})


@pytest.mark.parametrize("options", [{}, {"aside": {"groups": ()}}])
def test_copies_stay_together(table_of, options):
    frame = frame_of(20, 3)
    others = frame.assign(kind=1 - frame["kind"])
    text = pd.concat([frame, others, frame]).to_csv(index=False)
    table = table_of(text, target="kind", **options)
    said = "rows that repeat another one: 40 of 60, the first is row 21, like row 1; they stay"
    assert f"{said} together in folds and tests" in table.notes
    assert same_parts(table.aside["groups"], [*range(20)] * 3)


def test_groups_that_share_copies_are_one(table_of):
    frame = frame_of(20, 4).assign(ward=np.arange(20) // 4)
    text = pd.concat([frame, frame.iloc[[0]].assign(ward=4)]).to_csv(index=False)
    table = table_of(text, target="kind", aside={"groups": "ward"})
    assert same_parts(table.aside["groups"], [*(frame["ward"] % 4), 0]), "wards 0 and 4 are one"


@pytest.mark.parametrize("form", ["P{:03d}_{}", "S{} T{}", "{:04d}-{}"])
def test_rows_with_a_stem_stay_together_unless_told(table_of, form):
    frame = frame_of(60, 3).assign(ward=np.arange(60) % 7)
    frame.index = pd.Index([form.format(i // 2, 1 + i % 2) for i in range(60)], name="sample")
    table = table_of(frame.to_csv(), target="kind")
    assert same_parts(table.aside["groups"], np.arange(60) // 2)
    (note,) = [note for note in table.notes if "stem" in note]
    assert note.startswith("60 rows share the stem of their id with another row")
    assert note.endswith("--groups none takes them as independent")
    alone = table_of(frame.to_csv(), target="kind", aside={"groups": ()})
    assert not any("stem" in note for note in alone.notes)
    assert "groups" not in alone.aside or not len(alone.aside["groups"])
    named = table_of(frame.to_csv(), target="kind", aside={"groups": "ward"})
    assert same_parts(named.aside["groups"], frame["ward"])


@pytest.mark.parametrize("form", ["{}", "P{:03d}"])
@pytest.mark.parametrize("place", [0, 2])
@pytest.mark.parametrize("name", ["patient", "Patient ID", "PatNr", "subject", "MRN", "mouse_id"])
def test_rows_of_a_patient_stay_together(table_of, name, place, form):
    persons = np.random.default_rng(1).permutation(60) // 4
    frame = frame_of(60, 3).assign(kind=persons % 2)
    frame.insert(place, name, [form.format(person) for person in persons])
    table = table_of(frame.to_csv(index=False), target="kind")
    assert table.features.columns.tolist() == ["g0", "g1", "g2"]
    assert same_parts(table.aside["groups"], persons)
    (note,) = [note for note in table.notes if "stay together" in note]
    assert note.startswith(f"id {name!r}: ")
    as_asked = table_of(frame.to_csv(index=False), target="kind", aside={"groups": ()})
    assert same_parts(as_asked.aside["groups"], persons), "rows of one id are never independent"


def test_pairs_of_rows_that_are_alike_are_asked_about(table_of):
    rng = np.random.default_rng(0)
    patients = rng.normal(size=(30, 40))
    rows = np.vstack([patients, patients + 0.3 * rng.normal(size=patients.shape)])
    frame = pd.DataFrame(rows, columns=[f"g{j}" for j in range(40)]).assign(kind=np.arange(60) % 2)
    table = table_of(frame.to_csv(index=False), target="kind")
    assert table.aside == {}
    (text,) = [question.text for question in table.questions if question.rule == "together"]
    assert text.startswith("60 of 60 rows come in pairs that are far more alike than others")
