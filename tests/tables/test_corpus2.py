"""Tables as clinicians, biologists and analysts keep them: few are read wrongly in silence.

Each file of the folder corpus2 has its meaning beside it, in NAME.meant.csv, and a line in
cases.toml: it is read so and what was changed is said, or it is refused or questioned in words that
name the column, and the option that helps gives what is meant; or it is wrong, and the reason is
given. No patient is a real one.
"""

import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import table_files
from table_files import said

from bicneuron.exceptions import TableError

FOLDER = Path(__file__).parent / "corpus2"
CASES = tomllib.loads((FOLDER / "cases.toml").read_text("utf-8"))


def read(file, **options):
    target = CASES[file].get("target", "diagnosis")
    return table_files.read(FOLDER / file, target, **options)


def meant_by(file):
    return FOLDER / f"{file.partition('.')[0]}.meant.csv"


def check_meant(table, file):
    meant = pd.read_csv(meant_by(file), dtype={table.target: str}, keep_default_na=False)
    labels = meant.pop(table.target)
    assert table.features.columns.tolist() == meant.columns.tolist()
    values = meant.replace("", np.nan).astype(float).to_numpy()
    np.testing.assert_allclose(table.features.to_numpy(), values)
    assert [*map(str, table.labels)] == labels.tolist()


def of_outcome(outcome):
    return [file for file, case in CASES.items() if case["outcome"] == outcome]


@pytest.mark.parametrize("file", of_outcome("read"))
def test_read_as_it_is_meant(file):
    table = read(file)
    check_meant(table, file)
    for words in CASES[file].get("said", ()):
        assert words in "\n".join(said(table))
    for column, n in CASES[file].get("missing", {}).items():
        assert table.reading.loc[column, "missing"] == n


@pytest.mark.parametrize("file", of_outcome("questioned"))
def test_questioned_with_the_option_that_helps(file):
    lines = said(read(file))
    assert [line for line in lines if all(words in line for words in CASES[file]["said"])], lines
    check_meant(read(file, **CASES[file]["options"]), file)


@pytest.mark.parametrize("file", of_outcome("refused"))
def test_refused_with_the_option_or_edit_that_helps(file):
    expected, options = CASES[file]["said"], CASES[file].get("options", {})
    with pytest.raises(TableError) as error:
        read(file)
    for words in expected:
        assert words in str(error.value)
    if options:
        check_meant(read(file, **options), file)


def test_few_are_wrong_in_silence_each_for_a_reason():
    wrong = of_outcome("wrong")
    assert len(wrong) <= 12
    for file in wrong:
        assert CASES[file]["reason"]
        with pytest.raises(AssertionError):
            check_meant(read(file), file)


def test_every_file_has_its_meaning():
    with_meaning = {meant_by(file).name for file, case in CASES.items() if has_meaning(case)}
    assert {path.name for path in FOLDER.iterdir()} == {*CASES, *with_meaning, "cases.toml"}
    assert len(CASES) >= 130


def has_meaning(case):
    return case["outcome"] != "refused" or "options" in case
