"""Rows of one patient and rows that are given twice are kept together, and said."""

import numpy as np
import pandas as pd
import pytest


def frame_of(n_rows, n_columns, seed=0):
    rng = np.random.default_rng(seed)
    names = [f"g{j}" for j in range(n_columns)]
    frame = pd.DataFrame(rng.normal(size=(n_rows, n_columns)).round(4), columns=names)
    return frame.assign(kind=rng.permutation(np.arange(n_rows) % 2))


def notes_on(table, word):
    return [note for note in table.notes if word in note]


def same_parts(one, other):
    """True if two numberings put the same rows together."""
    pairs = {*zip(one, other, strict=True)}
    return len(pairs) == len({*one}) == len({*other})


@pytest.mark.parametrize("classes", ["equal", "different"])
@pytest.mark.parametrize("guess", [True, False])
def test_copies_stay_together(table_of, classes, guess):
    frame = frame_of(20, 3)
    others = frame.assign(kind=1 - frame["kind"]) if classes == "different" else frame
    text = pd.concat([frame, others, frame]).to_csv(index=False)
    table = table_of(text, target="kind", guess_groups=guess)
    (note,) = notes_on(table, "repeat another one")
    assert note == (
        "rows that repeat another one: 40 of 60, the first is row 21, like row 1; they stay "
        "together in folds and tests"
    )
    assert same_parts(table.aside["groups"], [*range(20)] * 3)


def test_groups_that_share_copies_are_one(table_of):
    frame = frame_of(20, 4).assign(ward=np.arange(20) // 4)
    last = frame.iloc[[0]].assign(ward=4)
    table = table_of(
        pd.concat([frame, last]).to_csv(index=False), target="kind", aside={"groups": "ward"}
    )
    wards = [0 if ward == 4 else ward for ward in [*frame["ward"], 4]]
    assert same_parts(table.aside["groups"], wards)
    assert notes_on(table, "groups that share such rows are one group")


def test_named_groups_are_obeyed(table_of):
    frame = frame_of(40, 4).assign(ward=np.arange(40) % 7)
    frame.index = pd.Index([f"P{i // 2:02d}_{i % 2}" for i in range(40)], name="id")
    named = table_of(frame.to_csv(), target="kind", aside={"groups": "ward"})
    assert same_parts(named.aside["groups"], frame["ward"])


@pytest.mark.parametrize("form", ["P{:03d}_{}", "S{} T{}", "{:04d}-{}"])
def test_rows_with_a_stem_stay_together_unless_told(table_of, form):
    frame = frame_of(60, 3)
    frame.index = pd.Index([form.format(i // 2, 1 + i % 2) for i in range(60)], name="sample")
    table = table_of(frame.to_csv(), target="kind")
    assert same_parts(table.aside["groups"], np.arange(60) // 2)
    (note,) = notes_on(table, "stem")
    assert note == (
        f"60 rows share the stem of their id with another row ({form.format(0, 1)}, "
        f"{form.format(0, 2)}, ...): they stay together in folds and tests; --groups none takes "
        "them as independent"
    )
    alone = table_of(frame.to_csv(), target="kind", guess_groups=False)
    assert alone.aside == {}
    assert not notes_on(alone, "stem")


def test_ids_that_begin_with_the_class_have_no_stem(table_of):
    """Else all rows of a class would be one."""
    frame = frame_of(42, 3).assign(kind=[f"k{i // 2}" for i in range(42)])
    frame.index = pd.Index([f"k{i // 2}_{i % 2}" for i in range(42)], name="sample")
    assert table_of(frame.to_csv(), target="kind").aside == {}


def test_row_names_that_repeat_stay_together(table_of):
    frame = frame_of(30, 3)
    frame.insert(0, "code", [f"x{i // 3}" for i in range(30)])
    table = table_of(frame.to_csv(index=False), target="kind", id_column="code")
    assert same_parts(table.aside["groups"], np.arange(30) // 3)
    assert notes_on(table, "id 'code': 'x0', 'x1', 'x2', 'x3'")


def test_pairs_of_rows_that_are_alike_are_a_warning(table_of):
    rng = np.random.default_rng(0)
    patients = rng.normal(size=(30, 40))
    rows = np.vstack([patients, patients + 0.3 * rng.normal(size=patients.shape)])
    names = [f"g{j}" for j in range(40)]
    frame = pd.DataFrame(rows, columns=names).assign(kind=np.arange(60) % 2)
    table = table_of(frame.to_csv(index=False), target="kind")
    assert table.aside == {}
    (warning,) = table.warnings
    assert warning.startswith("60 of 60 rows come in pairs that are far more alike than others")
    assert "--groups" in warning


def test_rows_without_repeats_have_no_groups(table_of):
    table = table_of(frame_of(60, 12).to_csv(index=False), target="kind")
    assert table.aside == {}
    assert not notes_on(table, "repeat")


PERSONS = ["patient", "Patient ID", "PatNr", "subject", "Probandennummer", "MRN", "mouse_id"]


@pytest.mark.parametrize("form", ["{}", "P{:03d}"])
@pytest.mark.parametrize("place", [0, 2])
@pytest.mark.parametrize("name", PERSONS)
def test_rows_of_a_patient_stay_together(table_of, name, place, form):
    frame = frame_of(60, 3)
    persons = np.random.default_rng(1).permutation(60) // 4
    frame["kind"] = persons % 2
    frame.insert(place, name, [form.format(person) for person in persons])
    table = table_of(frame.to_csv(index=False), target="kind")
    assert table.features.columns.tolist() == ["g0", "g1", "g2"]
    assert same_parts(table.aside["groups"], persons)
    (note,) = notes_on(table, "stay together")
    assert note.startswith(f"id {name!r}: ")
    as_asked = table_of(frame.to_csv(index=False), target="kind", guess_groups=False)
    assert same_parts(as_asked.aside["groups"], persons), "rows of one id are never independent"


def test_patients_with_gaps_and_equal_rows(table_of):
    frame = frame_of(48, 10)
    frame["kind"] = np.arange(48) // 4 % 2
    frame["patient"] = [str(i // 4) if i % 11 else "" for i in range(48)]
    frame.iloc[47, :10] = frame.iloc[0, :10]
    frame.loc[47, "kind"], frame.loc[47, "patient"] = 0, ""
    table = table_of(frame.to_csv(index=False), target="kind", keep_missing=True)
    expected = [i // 4 if i % 11 else 100 + i for i in range(48)]
    expected[47] = expected[0]
    assert same_parts(table.aside["groups"], expected)


def test_patients_of_both_classes_and_of_several_strata_stay_together(table_of):
    frame = frame_of(60, 3).assign(
        patient=np.arange(60) // 4, kind=np.arange(60) % 2, batch=np.arange(60) % 4
    )
    table = table_of(frame.to_csv(index=False), target="kind", aside={"strata": ["batch"]})
    assert same_parts(table.aside["groups"], frame["patient"])


@pytest.mark.parametrize("name", ["site_id", "Zentrum Nr", "batch no", "ward number"])
def test_places_may_be_ids(table_of, name):
    frame = frame_of(60, 3).assign(**{name: np.random.default_rng(2).permutation(60) // 5})
    table = table_of(frame.to_csv(index=False), target="kind")
    assert table.aside == {}
    assert name in table.features
    assert notes_on(table, "may be an id that several rows share")
