"""Rows of one patient and rows that are given twice are kept together, and said."""

import numpy as np
import pandas as pd
import pytest

from bicneuron.tables._repeats import equal_rows


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


def test_equal_rows_are_numbered_like_the_naive_way():
    rng = np.random.default_rng(3)
    table = rng.integers(0, 2, size=(60, 4)).astype(float)
    table[rng.random(table.shape) < 0.1] = np.nan
    table[5, 0], table[6, 0] = 0.0, -0.0
    keys = [tuple("nan" if np.isnan(cell) else cell + 0.0 for cell in row) for row in table]
    equal, repeated = equal_rows(table)
    assert same_parts(equal, keys)
    assert len({*repeated}) == 60, "no measurements"


@pytest.mark.parametrize(("n_columns", "is_one"), [(9, False), (10, True)])
def test_ten_measurements_make_a_repeat(table_of, n_columns, is_one):
    frame = frame_of(20, n_columns)
    table = table_of(pd.concat([frame] * 3).to_csv(index=False), target="kind")
    (note,) = notes_on(table, "repeat another one")
    assert note.startswith(
        "rows that repeat another one in all features: 40 of 60, the first is row 21, like row 1"
    )
    assert ("--no-groups" in note) == is_one
    assert ("groups" in table.aside) == is_one
    if is_one:
        assert same_parts(table.aside["groups"], [*range(20)] * 3)


def test_rows_without_repeats_have_no_groups(table_of):
    table = table_of(frame_of(60, 12).to_csv(index=False), target="kind")
    assert table.aside == {}
    assert not notes_on(table, "repeat")


def test_whole_numbers_beside_equal_measurements(table_of):
    """A visit or a running number does not make a row another one."""
    frame = pd.concat([frame_of(20, 10)] * 2, ignore_index=True).assign(visit=np.arange(40) // 20)
    table = table_of(frame.to_csv(index=False), target="kind")
    assert same_parts(table.aside["groups"], [*range(20)] * 2)
    assert "measurements of another row: 20," in notes_on(table, "--no-groups")[0]


def test_rows_of_zeros_are_no_repeats(table_of):
    frame = frame_of(40, 12)
    frame.iloc[::4, :12] = 0
    table = table_of(frame.to_csv(index=False), target="kind")
    assert table.aside == {}
    assert "9 of 40" in notes_on(table, "repeat another one")[0]


def test_equal_rows_of_two_classes_are_not_one(table_of):
    frame = frame_of(20, 10)
    twice = pd.concat([frame, frame.assign(kind=1 - frame["kind"])])
    assert table_of(twice.to_csv(index=False), target="kind").aside == {}


def test_named_groups_and_no_groups_are_obeyed(table_of):
    text = pd.concat([frame_of(20, 10)] * 2).assign(ward=np.arange(40) % 7).to_csv(index=False)
    named = table_of(text, target="kind", aside={"groups": "ward"})
    assert named.aside["groups"].tolist() == [i % 7 for i in range(40)]
    assert table_of(text, target="kind", guess_groups=False).aside == {}


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
    (note,) = notes_on(table, "--no-groups")
    assert note.startswith(f"id {name!r}: ")
    alone = table_of(frame.to_csv(index=False), target="kind", guess_groups=False)
    assert alone.aside == {}
    assert name not in alone.features


def test_a_patient_of_both_classes_is_said(table_of):
    frame = frame_of(60, 3).assign(patient=np.arange(60) // 4, kind=np.arange(60) % 2)
    table = table_of(frame.to_csv(index=False), target="kind")
    assert table.aside == {}
    assert "patient" not in table.features
    (note,) = notes_on(table, "--groups patient")
    assert "different classes" in note


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


def test_strata_within_a_patient_leave_no_groups(table_of):
    frame = frame_of(60, 3).assign(patient=np.arange(60) // 4, batch=np.arange(60) % 4)
    frame["kind"] = frame["patient"] % 2
    table = table_of(frame.to_csv(index=False), target="kind", aside={"strata": ["batch"]})
    assert "groups" not in table.aside
    assert notes_on(table, "--groups patient")


@pytest.mark.parametrize("name", ["site_id", "Zentrum Nr", "batch no", "ward number"])
def test_places_may_be_ids(table_of, name):
    frame = frame_of(60, 3).assign(**{name: np.random.default_rng(2).permutation(60) // 5})
    table = table_of(frame.to_csv(index=False), target="kind")
    assert table.aside == {}
    assert name in table.features
    assert notes_on(table, "may be an id that several rows share")
