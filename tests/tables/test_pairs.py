"""The same rows written in another way: predictions are equal, or the column is named.

A pair is one column as it is in the table of a fit and in a new table, beside columns that stay as
they are. What the new table contradicts is an error or a warning that names the column.
"""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from table_files import predicted, read, stored

from bicneuron.exceptions import TableError

TRUTH = pd.read_csv(Path(__file__).parent / "corpus" / "truth.csv").iloc[:30]
N = len(TRUTH)
AGE, CRP, WEIGHT, SHARE, INCOME, CHANGE, MALE, STAGE = (
    TRUTH[name].tolist()
    for name in ("age", "crp", "weight", "share", "income", "change", "male", "stage")
)
DAYS = pd.Series(pd.Timestamp("2019-01-14") + pd.to_timedelta(TRUTH["day"], unit="D")).dt
ISO, DAY_FIRST, MONTH_FIRST = (
    DAYS.strftime(form).tolist() for form in ("%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y")
)
HOLES = [CRP[i] if i % 7 else "" for i in range(N)]
TOWNS = [["Bonn", "Ulm", "Wien"][town] for town in TRUTH["town"]]
SEXES = ["male" if male else "female" for male in MALE]
SMOKE = TRUTH["smoker"].tolist()
YES = ["yes" if one else "no" for one in SMOKE]
CROSSES = ["x" if one else "" for one in SMOKE]
SIZES = [["low", "normal", "high"][stage] for stage in STAGE]
ROMAN = [["I", "II", "III"][stage] for stage in STAGE]
THREE_DIGITS = [f"{1 + crp:.3f}" for crp in np.array(CRP) + 0.001]


def written(form, values):
    """Values in a form such as {:.2f}."""
    return [form.format(value) if value != "" else "" for value in values]


def german(cells):
    return [str(cell).replace(".", ",") for cell in cells]


def put(cells, at):
    return [at.get(i, cell) for i, cell in enumerate(cells)]


FULL_WIDTH = ["".join(chr(ord(sign) + 0xFEE0) for sign in str(crp)) for crp in CRP]


@dataclass(frozen=True)
class Pair:
    """One column of a fit and of a new table, and words of the error or warning to expect."""

    about: str
    fit: list
    new: list
    words: tuple = ()
    beside: list = field(default_factory=lambda: WEIGHT)
    new_beside: list | None = None
    options: dict = field(default_factory=dict)
    delimiters: str = ",,"

    def write(self, folder):
        """Return the two files."""
        besides = (self.beside, self.beside if self.new_beside is None else self.new_beside)
        paths = (folder / "fit.csv", folder / "new.csv")
        cells = zip(paths, (self.fit, self.new), besides, self.delimiters, strict=True)
        for path, column, beside, delimiter in cells:
            columns = {"patient": TRUTH["patient"], "x": column, "beside": beside, "class": SEXES}
            pd.DataFrame(columns).to_csv(path, index=False, sep=delimiter)
        return paths


EQUAL = [
    # numbers
    Pair("a decimal comma", CRP, german(CRP), delimiters=",;", new_beside=german(WEIGHT)),
    Pair("a decimal comma, quoted", CRP, german(CRP)),
    Pair("a decimal point", german(CRP), CRP, beside=german(WEIGHT), new_beside=WEIGHT),
    Pair("an exponent", CRP, written("{:.4e}", CRP)),
    Pair("a Fortran exponent", INCOME, [f"{one / 1e4:.4f}D+04" for one in INCOME]),
    Pair("no-break spaces", CRP, written("\u00a0{}\u202f", CRP)),
    Pair("characters of no width", CRP, written("\u200b{}\ufeff", CRP)),
    Pair("full width", CRP, FULL_WIDTH),
    Pair("quotes", CRP, written("'{}'", CRP)),
    Pair("another minus", CHANGE, [str(one).replace("-", "\u2212") for one in CHANGE]),
    Pair("gaps between thousands", INCOME, [f"{one:,}".replace(",", " ") for one in INCOME]),
    Pair("commas between thousands, and points elsewhere", INCOME, written("{:,}", INCOME)),
    Pair("no marks", written("{:,}", INCOME), INCOME, options={"decimal": "point"}),
    Pair("the unit left out", written("{} mg/l", CRP), CRP),
    Pair("the unit in capitals", written("{} mg/l", CRP), written("{} mg/L", CRP)),
    Pair("a space before %", written("{}%", SHARE), written("{} %", SHARE)),
    Pair("limits", put(CRP, {3: "<1"}), put(CRP, {3: "< 1"})),
    # missing values
    Pair("NA", HOLES, ["NA" if one == "" else one for one in HOLES]),
    Pair("k.A.", HOLES, ["k.A." if one == "" else one for one in HOLES]),
    Pair("#NV", HOLES, ["#NV" if one == "" else one for one in HOLES]),
    Pair(
        "a given code",
        HOLES,
        [-9 if one == "" else one for one in HOLES],
        options={"missing": ["-9"]},
    ),
    # dates
    Pair("German dates", ISO, DAYS.strftime("%d.%m.%Y")),
    Pair("ISO dates", DAY_FIRST, ISO),
    Pair("dates with midnight", ISO, DAYS.strftime("%Y-%m-%d 00:00:00")),
    Pair("dates in UTC", MONTH_FIRST, DAYS.strftime("%Y-%m-%dT00:00:00Z")),
    # words
    Pair("capitals", SEXES, [one.upper() for one in SEXES]),
    Pair("towns with characters of no width", TOWNS, written("{}\u200b", TOWNS)),
    Pair("ja and nein", YES, ["ja" if one else "nein" for one in SMOKE]),
    Pair("true and false", YES, [bool(one) for one in SMOKE]),
    Pair("1 and 0", YES, SMOKE),
    Pair("an order in capitals", SIZES, [one.title() for one in SIZES]),
]
ERRORS = [
    Pair(
        "commas that may be decimals",
        INCOME,
        written("{:,}", INCOME),
        ("'87,020'", "--read decimal"),
        beside=AGE,
    ),
    Pair("a unit that the fit had not", CRP, written("{} g/l", CRP), ("'5.05 g/l'", "no unit")),
    Pair("another unit", written("{} mg/l", CRP), written("{} g/l", CRP), ("are in mg/l",)),
    Pair("another currency", written("{} €", INCOME), written("${}", INCOME), ("are in €",)),
    Pair("shares of %", written("{}%", SHARE), np.divide(SHARE, 100), ("has no %",)),
    Pair("% left out", written("{}%", SHARE), SHARE, ("'63", "has no %")),
    Pair("% that the fit had not", SHARE, written("{}%", SHARE), ("unit %", "no unit")),
    Pair("‰ for %", written("{}%", SHARE), written("{} ‰", SHARE), ("unit ‰", "in %")),
    Pair("thousands left out", written("{}k", CRP), [1000 * crp for crp in CRP], ("has no k",)),
    Pair("two marks", CRP, put(german(CRP), {3: "4.01"}), ("'4.01'", "decimal comma")),
    Pair("words among numbers", CRP, put(CRP, {5: "high"}), ("row 6 (P06)", "'high'")),
    Pair("a range", AGE, put(AGE, {5: "40-49"}), ("row 6 (P06)", "'40-49'")),
    Pair("a footnote", CRP, put(CRP, {5: "3.1*"}), ("row 6 (P06)", "'3.1*'")),
    Pair("months first", DAY_FIRST, MONTH_FIRST, ("'04/26/2020'", "the day first")),
    Pair("days first", MONTH_FIRST, DAY_FIRST, ("'26/04/2020'", "the month first")),
    Pair("an order that the fit had not", ISO, DAY_FIRST, ("'26/04/2020'", "is not a date")),
    Pair("short years", ISO, DAYS.strftime("%d.%m.%y"), ("is not a date",)),
    Pair("dates without marks", ISO, DAYS.strftime("%Y%m%d"), ("is not a date",)),
    Pair("no such day", ISO, put(ISO, {2: "2020-02-30"}), ("row 3 (P03)", "'2020-02-30'")),
    Pair("m and f", SEXES, [one[0] for one in SEXES], ("'f'", "'female', 'male'")),
    Pair("a third sex", SEXES, put(SEXES, {7: "divers"}), ("row 8 (P08)", "'divers'")),
    Pair("numbers for words", SEXES, MALE, ("'female', 'male'",)),
    Pair("words for numbers", MALE, SEXES, ("'female'", "not a finite number")),
    Pair("crosses for yes", YES, CROSSES, ("'x'", "none of the words 'no', 'yes'")),
    Pair("yes for crosses", CROSSES, YES, ("'yes'", "none of the words '', 'x'")),
]
WARNINGS = [
    Pair("a new level", SIZES, put(SIZES, {1: "very low"}), ("'very low'", "not seen in the fit")),
    Pair("figures for Roman ones", ROMAN, [one + 1 for one in STAGE], ("not seen in the fit",)),
    Pair("a new town", TOWNS, put(TOWNS, {1: "Graz"}), ("'Graz'", "not seen in the fit")),
    Pair("infinite", CRP, put(CRP, {5: "inf"}), ("1 infinite cell taken as missing",)),
    Pair("limits that the fit had not", CRP, put(CRP, {3: "<0.5"}), ("limits",)),
]
SHIFTS = [
    Pair("mg in g", WEIGHT, np.divide(WEIGHT, 1000)),
    Pair("g in mg", CRP, np.multiply(CRP, 1000)),
    Pair("°F", [36 + one / 40 for one in SHARE], [96.8 + 1.8 * one / 40 for one in SHARE]),
    Pair("g/l for g/dl", [11 + one for one in CRP], [110 + 10 * one for one in CRP]),
    Pair("mg/dl for mmol/l", CRP, np.multiply(CRP, 18.02)),
    Pair("cm for m", [1.4 + one / 100 for one in AGE], [140 + one for one in AGE]),
    Pair("a code in most rows", HOLES, [-999 if one == "" else one for one in HOLES]),
    Pair("a positive code", HOLES, [999 if one == "" else one for one in HOLES]),
    Pair("the decimal point lost", CRP, [round(100 * one) for one in CRP]),
    Pair("1 and 2 as 0 and 1", [1 + one for one in MALE], MALE),
    Pair("most cells empty", CRP, [one if i % 4 == 0 else "" for i, one in enumerate(CRP)]),
    Pair("another sign", CRP, np.negative(CRP)),
    Pair("logarithms", INCOME, np.log2(INCOME)),
    Pair("years of birth for ages", AGE, [2024 - age for age in AGE]),
    Pair("columns exchanged", CRP, WEIGHT, new_beside=CRP),
    Pair("all 0", CRP, [0] * N),
]


def named(pairs):
    return [pytest.param(pair, id=pair.about) for pair in pairs]


@pytest.mark.parametrize("pair", named(EQUAL))
def test_the_same_values(pair, tmp_path):
    path, new_path = pair.write(tmp_path)
    fit = read(path, "class", **pair.options)
    new = predicted(new_path, fit)
    assert new.features.columns.tolist() == fit.features.columns.tolist()
    values = fit.features.drop(columns="beside").to_numpy()
    assert values.shape[1] > 0
    np.testing.assert_allclose(new.features.drop(columns="beside").to_numpy(), values)


@pytest.mark.parametrize("pair", named(ERRORS))
def test_what_contradicts_the_fit_is_an_error(pair, tmp_path):
    path, new_path = pair.write(tmp_path)
    fit = read(path, "class", **pair.options)
    with pytest.raises(TableError) as error:
        predicted(new_path, fit)
    for words in ("column 'x'", *pair.words):
        assert words in str(error.value)


@pytest.mark.parametrize("pair", named(WARNINGS))
def test_what_is_new_is_said(pair, tmp_path):
    check_said(pair, tmp_path)


@pytest.mark.parametrize("pair", named(SHIFTS))
def test_another_scale_is_said(pair, tmp_path):
    check_said(pair, tmp_path)


def check_said(pair, folder):
    path, new_path = pair.write(folder)
    new = predicted(new_path, read(path, "class", **pair.options))
    lines = [*new.notes, *(question.text for question in new.questions)]
    about = [line for line in lines if "'x" in line]
    assert [line for line in about if all(words in line for words in pair.words)], lines


@pytest.mark.parametrize("load", [load_breast_cancer, load_diabetes, load_iris, load_wine])
def test_other_rows_of_the_same_table_are_not_said(load, tmp_path):
    whole = load(as_frame=True).data.sample(frac=1, random_state=0)
    for path, part in (("fit.csv", whole[::2]), ("new.csv", whole[1::2])):
        part.to_csv(tmp_path / path, index=False)
    fit = read(tmp_path / "fit.csv")
    assert predicted(tmp_path / "new.csv", fit).questions == ()


def frame():
    return pd.DataFrame({"patient": TRUTH["patient"], "x": CRP, "y": AGE, "class": SEXES})


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table[["class", "y", "x", "patient"]],
        lambda table: table.assign(more=WEIGHT),
        lambda table: table.drop(columns="class"),
    ],
    ids=["columns in another order", "more columns", "no classes"],
)
def test_other_columns_are_no_matter(change, tmp_path):
    frame().to_csv(tmp_path / "fit.csv", index=False)
    change(frame()).to_csv(tmp_path / "new.csv", index=False)
    fit = read(tmp_path / "fit.csv", "class")
    assert predicted(tmp_path / "new.csv", fit).features.equals(fit.features)


def test_a_column_that_is_lacking_is_an_error(tmp_path):
    frame().to_csv(tmp_path / "fit.csv", index=False)
    fit = read(tmp_path / "fit.csv", "class")
    for changed in (frame().drop(columns="x"), frame().rename(columns={"x": "size"})):
        changed.to_csv(tmp_path / "new.csv", index=False)
        with pytest.raises(TableError, match=r"lacks 1 of the 2 columns .* 'x'"):
            predicted(tmp_path / "new.csv", fit)


def test_columns_in_another_case_are_taken_with_a_note(tmp_path):
    columns = {"Patient": TRUTH["patient"], "x": CRP, "Class": SEXES}
    pd.DataFrame(columns).to_csv(tmp_path / "fit.csv", index=False)
    pd.DataFrame(columns).rename(columns={"x": "X"}).to_csv(tmp_path / "new.csv", index=False)
    fit = read(tmp_path / "fit.csv", "class", id_column="patient")
    assert fit.labels.tolist() == SEXES
    assert "columns taken ignoring case: 'Patient' for 'patient', 'Class' for 'class'" in fit.notes
    new = predicted(tmp_path / "new.csv", fit)
    np.testing.assert_array_equal(new.features, fit.features)
    assert "'X' for 'x'" in " ".join(new.notes)


def test_what_is_stated_about_a_new_table_holds_before_the_fit(tmp_path):
    """The rows of the new table can be read in the way of the fit, too, and mean something else."""
    # Without the last one, which shows its mark, these may be thousands.
    cells = [*THREE_DIGITS[:-1], "0.5"]
    frame = pd.DataFrame({"id": [f"p{i}" for i in range(N)], "value": cells, "age": AGE})
    frame.assign(value=german(cells)).to_csv(tmp_path / "fit.csv", index=False)
    frame[:-1].to_csv(tmp_path / "new.csv", index=False)
    table = read(tmp_path / "fit.csv")
    again = read(tmp_path / "new.csv", encoder=stored(table), decimal="point")
    np.testing.assert_array_equal(again.features, table.features[:-1])
    without = read(tmp_path / "new.csv", encoder=stored(table))
    assert not np.array_equal(without.features, again.features)


def test_there_are_enough_pairs():
    assert len(EQUAL + ERRORS + WARNINGS + SHIFTS) + 5 >= 70
