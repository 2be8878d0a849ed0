"""Rows below the data that sum it up are no rows of data."""

import numpy as np
import pytest

from bicneuron.exceptions import TableError
from bicneuron.tables import read_table
from bicneuron.tables._summaries import unnamed_summaries

rng = np.random.default_rng(8)
AGE = rng.integers(20, 80, 20)
CRP = rng.lognormal(1, 0.7, 20).round(1)
ROWS = [
    f"P{i},{age},{crp},{'ab'[i % 2]}" for i, (age, crp) in enumerate(zip(AGE, CRP, strict=True))
]


def text_of(*below, rows=ROWS):
    return "\n".join(["patient,age,crp,class", *rows, *below])


SITES = [f"site{i % 2},{row.partition(',')[2]}" for i, row in enumerate(ROWS)]


@pytest.mark.parametrize("word", ["Mean", "Summe", "Mittelwert"])
def test_rows_called_so_beside_words_that_repeat(word, table_of):
    table = table_of(text_of(f"{word},50,2.5,a", rows=SITES), target="class")
    assert len(table.features) == 20


@pytest.mark.parametrize(
    "words",
    [
        ("Mean",),
        ("Mittelwert", "SD"),
        ("N", "Mean ± SD", "Min", "Max"),
        ("Σ",),
        ("TOTAL:",),
        ("Std. Dev.", "Median"),
        ("Gesamt", "n"),
    ],
)
@pytest.mark.parametrize("drop", [(), ("patient",)])
def test_rows_with_the_name_of_a_summary_are_left_out(words, drop, table_of):
    table = table_of(text_of(*(f"{word},50,2.5,a" for word in words)), target="class", drop=drop)
    assert table.features["age"].tolist() == AGE.tolist()
    (note,) = [note for note in table.notes if "below the data" in note]
    assert f"left out: {len(words)}, called {words[0]!r}" in note
    assert note.endswith("in column 'patient'")


def test_new_tables_lose_them_too(table_of, tmp_path):
    encoder = table_of(text_of(), target="class").encoder
    path = tmp_path / "new.csv"
    path.write_text(text_of("Mean,50,2.5,"), "utf-8")
    again = read_table(path, encoder=encoder)
    assert again.features.index.tolist() == [f"P{i}" for i in range(20)]
    assert [note for note in again.notes if "below the data" in note]


@pytest.mark.parametrize(
    "rows",
    [
        [*ROWS[:-1], "n,50,2.5,a"],  # a patient called so
        ["Mean,50,2.5,a", *ROWS],  # not below the others
        [*ROWS, "SUM149,50,2.5,a"],
        [f"total {row}" for row in ROWS],
        [f"partial,{row.partition(',')[2]}" for row in ROWS] + ["total,50,2.5,a"],
    ],
)
def test_other_rows_stay(rows, table_of):
    assert len(table_of(text_of(rows=rows), target="class").features) == len(rows)


@pytest.mark.parametrize("kind", ["mean", "sum"])
@pytest.mark.parametrize("n_below", [0, 2])
def test_means_and_sums_without_a_name_are_refused(kind, n_below, table_of):
    rng = np.random.default_rng(8)
    measured = rng.normal(140, 4, size=(5, 20)).round(1)
    means = [f"{getattr(np, kind)(column):.1f}" for column in measured]
    rows = [",".join(map(str, row)) for row in measured.T]
    below = [",".join(means), *["12.0,3.5,7.5,1.0,2.0"] * n_below]
    with pytest.raises(TableError, match=f"row 21 holds the {kind} of the rows above"):
        table_of("\n".join(["na,k,cl,ca,mg", *rows, *below]))


def test_rows_of_names_only_are_said(table_of):
    rows = [row.rpartition(",")[0] for row in ROWS]
    text = "\n".join(["patient,age,crp", "Group A,,", *rows, "* at baseline,,"])
    notes = table_of(text, keep_missing=True).notes
    about = "rows without a value in any feature: 2, see row 1 (Group A) and row 22 (* at baseline)"
    assert [note for note in notes if note.startswith(about)]


def test_rows_of_data_are_no_summaries():
    """Few whole numbers are the means of the others by chance."""
    alarms, rng = [], np.random.default_rng(8)
    for n_rows in (6, 12, 40, 300):
        places = [f"row {i}" for i in range(n_rows)]
        for _ in range(300):
            drawn = [
                rng.integers(1, 6, size=(3, n_rows)) * 1.0,
                (rng.random((4, n_rows)) < 0.2) * 1.0,
                rng.normal(37, 0.6, size=(2, n_rows)).round(1),
                np.array(
                    [rng.integers(20, 80, n_rows) * 1.0, rng.lognormal(1, 1, n_rows).round(1)]
                ),
            ]
            for columns in drawn:
                alarms += unnamed_summaries([*columns], places)
    assert alarms == []
