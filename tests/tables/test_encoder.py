"""The encoder of tables as a transformer, and tables of a second cohort."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks
from table_files import read, stored

from bicneuron.exceptions import ShiftedColumnsWarning, TableError
from bicneuron.tables import TableEncoder
from bicneuron.tables._encoding import Encoding

N = 40
RANDOM = np.random.default_rng(7)
PLAIN = pd.DataFrame(
    {
        "age": RANDOM.integers(20, 80, N).astype(float),
        "crp": RANDOM.lognormal(1, 1, N).round(2),
        "smoker": RANDOM.integers(0, 2, N).astype(float),
        "dose": RANDOM.integers(1000, 9000, N).astype(float),
    }
)


def words(plain=PLAIN):
    """The same table as people write it."""
    return pd.DataFrame(
        {
            "patient": [f"p{i}" for i in plain.index],
            "age": [f"{value:.0f} years" for value in plain["age"]],
            "crp": [f"{value:.2f}".replace(".", ",") for value in plain["crp"]],
            "smoker": plain["smoker"].map({0: "no", 1: "yes"}),
            "dose": [f"{value:,.0f}".replace(",", ".") for value in plain["dose"]],
            "Nr.": range(1, len(plain) + 1),
        }
    )


@parametrize_with_checks([TableEncoder()])
def test_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("library", [pd, pl])
def test_words_become_the_numbers_that_they_mean(library, tmp_path):
    frame = library.DataFrame(words())
    encoder = TableEncoder().fit(frame)
    made = encoder.transform(frame)
    assert isinstance(made, library.DataFrame)
    assert [*made.columns] == ["age", "crp", "smoker = yes", "dose"]
    np.testing.assert_array_equal(made.to_numpy(), PLAIN)
    assert encoder.get_feature_names_out().tolist() == [*made.columns]
    assert encoder.encoding_.id_column == "patient"
    assert any("'Nr.': left out, an id" in note for note in encoder.notes_)
    words().to_csv(tmp_path / "t.csv", index=False)
    table = read(tmp_path / "t.csv")
    assert table.encoder.encoding_.conversions == encoder.encoding_.conversions
    np.testing.assert_array_equal(table.encoder.transform(words()), PLAIN)


def test_what_the_fit_decided_holds_for_new_tables():
    encoder = TableEncoder().fit(words())
    # 1.100 is a thousand, whatever the other columns of the new table show.
    new = words().assign(crp=[f"{value:.0f}" for value in PLAIN["crp"]])
    assert (encoder.transform(new)["dose"] == PLAIN["dose"]).all()
    new.loc[4, "smoker"] = "perhaps"
    with pytest.raises(TableError, match="column 'smoker', row 4, is 'perhaps', which is none"):
        encoder.transform(new)
    shifted = words(PLAIN.assign(crp=PLAIN["crp"] * 1000))
    with pytest.warns(ShiftedColumnsWarning, match="column 'crp': the median is"):
        encoder.transform(shifted)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        encoder.transform(words())


def test_cells_of_several_types_are_read_each():
    cells = [np.float64(1.5), "2", 3, np.int64(4), None, pd.NA, np.nan]
    encoder = TableEncoder().fit(pd.DataFrame({"a": np.array(cells, dtype=object)}))
    made = encoder.transform(pd.DataFrame({"a": np.array(cells, dtype=object)}))
    np.testing.assert_array_equal(made["a"], [1.5, 2, 3, 4, np.nan, np.nan, np.nan])


def test_parameters():
    made = TableEncoder(keep=["Nr."]).fit_transform(words())
    assert made.columns.tolist() == ["age", "crp", "smoker = yes", "dose", "Nr."]
    open_marks = pd.DataFrame({"count": ["241,611", "31,000", "1,200"]})
    with pytest.raises(TableError, match="may have a decimal mark or one between"):
        TableEncoder().fit(open_marks)
    for decimal, value in (("point", 1200), ("comma", 1.2)):
        assert TableEncoder(decimal=decimal).fit_transform(open_marks)["count"].min() == value
    with pytest.raises(TableError, match="has no column 'weight'"):
        TableEncoder(keep=["weight"]).fit(words())
    with pytest.raises(ValueError, match="The 'decimal' parameter of TableEncoder"):
        TableEncoder(decimal="dot").fit(words())
    with pytest.raises(TableError, match="several columns have the same name"):
        TableEncoder().fit(pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]))
    with pytest.raises(TableError, match="has no column of features left"):
        TableEncoder().fit(pd.DataFrame({"name": ["anna", "bert", "cora"]}))


# --- a second cohort: columns, classes and numbers may be missing in it

TEXT = (
    "id,b,town,a,class,months,died\n"
    "p1,1,Ulm,2,x,1.5,yes\np2,2,Bonn,3,,,no\np3,3,Ulm,4,Y,2,no\np4,4,Kiel,5,y,7,\np5,5,Ulm,6,x,3,yes\n"
)
FIT = "a,class\n1,Xxx\n2,Yyy\n3,Yyy\n4,xxx\n5,Xxx\n"


def elsewhere(*features):
    return {"another_cohort": True, "encoder": Encoding(features=features)}


def test_columns_that_are_not_there_are_left_out_with_a_note(table_of):
    table = table_of(TEXT, **elsewhere("a", "b", "c", "d"))
    assert table.features.columns.tolist() == ["a", "b"]
    assert table.features.index.tolist() == ["p1", "p2", "p3", "p4", "p5"]
    assert "lacks 2 of the 4 columns that the model was fitted on: 'c', 'd'" in table.notes
    with pytest.raises(TableError, match=r"lacks 2 of the 2 columns .* add or rename them"):
        table_of(TEXT, **elsewhere("c", "d"))
    with pytest.raises(TableError, match=r"bicneuron replicate MODEL TABLE -o page\.html\.$"):
        table_of(TEXT, encoder=Encoding(features=("a", "c")))
    every = table_of("id,A,B\np1,1,2\np2,2,3\n", another_cohort=True, encoder=Encoding())
    assert every.features.columns.tolist() == ["A", "B"]


def test_classes_and_numbers_may_have_gaps(table_of):
    aside = {"outcome": ["months", "died"], "strata": "town"}
    table = table_of(TEXT, target="class", aside=aside, **elsewhere("a", "b"))
    assert table.labels.tolist() == ["x", None, "Y", "Y", "x"]
    np.testing.assert_array_equal(table.outcome["months"], [1.5, np.nan, 2, 7, 3])
    np.testing.assert_array_equal(table.outcome["died"], [1, 0, 0, np.nan, 1])
    tied = table_of(TEXT, target="class", aside={"covariates": ["b"]}, **elsewhere("a", "b"))
    assert tied.features.columns.tolist() == ["a"], "a column with a role is no feature"


def test_classes_are_spelled_and_merged_as_in_the_fit(table_of):
    of_fit = {"another_cohort": True, "encoder": stored(table_of(FIT, target="class"))}
    text = TEXT.replace(",x,", ",XXX,")
    table = table_of(text, target="class", **of_fit)
    assert table.labels.tolist() == ["Xxx", None, "Y", "y", "Xxx"]
    merged = table_of(text, target="class", merge={"Y": "Yyy", "y": "Yyy"}, **of_fit)
    assert merged.labels.tolist() == ["Xxx", None, "Yyy", "Yyy", "Xxx"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"target": "klass"}, "has no column 'klass' for the target. Did you mean 'class'"),
        ({"target": "id"}, "has a different value in each row"),
        ({"target": "months"}, "make one beforehand (such as months >= "),
        ({"aside": {"covariates": ["time"]}}, "has no column 'time' for covariates"),
        ({"aside": {"groups": "class"}}, "column 'class' for groups lacks 1 of 5 values"),
    ],
)
def test_what_is_refused_in_a_second_cohort(table_of, options, said):
    with pytest.raises(TableError) as error:
        table_of(TEXT, **options, **elsewhere("a"))
    assert said in str(error.value)
