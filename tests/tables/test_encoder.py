"""The encoder of tables as a transformer of scikit-learn."""

import json
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from bicneuron import BicNeuronNetwork
from bicneuron.cli import main
from bicneuron.exceptions import ModelFileError, ShiftedColumnsWarning, TableError
from bicneuron.persistence import load_model, save_model
from bicneuron.persistence._archive import TABLE, entries_of, pack, unpack
from bicneuron.tables import TableEncoder, read_table

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
ILL = np.where(PLAIN["crp"] > PLAIN["crp"].median(), "ill", "well")


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


def test_words_become_the_numbers_that_they_mean():
    encoder = TableEncoder().fit(words())
    made = encoder.transform(words())
    assert made.columns.tolist() == ["age", "crp", "smoker = yes", "dose"]
    np.testing.assert_array_equal(made, PLAIN)
    assert encoder.get_feature_names_out().tolist() == made.columns.tolist()
    assert encoder.id_column_ == "patient"
    assert any("'Nr.': left out, an id" in note for note in encoder.notes_)


def test_frames_of_pandas_and_polars_and_of_other_types():
    pandas, polars = words(), pl.DataFrame(words())
    of_pandas, of_polars = (
        TableEncoder().fit_transform(pandas),
        TableEncoder().fit_transform(polars),
    )
    assert isinstance(of_polars, pl.DataFrame)
    assert of_polars.columns == of_pandas.columns.tolist()
    np.testing.assert_array_equal(of_polars.to_numpy(), of_pandas.to_numpy())
    typed = pd.DataFrame(
        {
            "visit": pd.to_datetime(["2020-01-01", None, "2021-07-02", "2022-01-01"]),
            "count": pd.array([1, 2, None, 4], dtype="Int64"),
            "town": pd.Categorical(["Ulm", "Bonn", "Ulm", None]),
            "sick": [True, False, True, True],
        }
    )
    made = TableEncoder().fit_transform(typed)
    assert made.columns.tolist() == ["visit (year)", "count", "town = Ulm", "sick"]
    np.testing.assert_array_equal(
        made.to_numpy(),
        [
            [2020, 1, 1, 1],
            [np.nan, 2, 0, 0],
            [2021 + 182 / 365, np.nan, 1, 1],
            [2022, 4, np.nan, 1],
        ],
    )


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_pipeline_gives_bit_for_bit_what_the_command_gives(frame, tmp_path):
    words().assign(ill=ILL).to_csv(tmp_path / "t.csv", index=False)
    new = words(PLAIN.sample(frac=1, random_state=3).reset_index(drop=True))
    new.to_csv(tmp_path / "new.csv", index=False)
    settings = ["--model", "accurate", "--folds", "0"]
    model, out = tmp_path / "m.skops", tmp_path / "p.csv"
    fit = ["fit", tmp_path / "t.csv", "--target", "ill", "-o", model, "--seed", "3", *settings]
    for command in (fit, ["predict", model, tmp_path / "new.csv", "-o", out]):
        assert main([*map(str, command), "--quiet"]) == 0
    told = pd.read_csv(out, float_precision="round_trip")
    pipeline = make_pipeline(TableEncoder(), BicNeuronNetwork(random_state=3))
    pipeline.fit(frame(words()), ILL)
    for fitted in (pipeline, load_model(model)):
        assert fitted.predict(frame(new)).tolist() == told["class"].tolist()
        assert fitted.decision_function(frame(new)).tolist() == told["score"].tolist()


def test_what_the_fit_decided_holds_for_new_tables():
    encoder = TableEncoder().fit(words())
    # 1.100 is a thousand, whatever the other columns of the new table show.
    new = words().assign(crp=[f"{value:.0f}" for value in PLAIN["crp"]])
    assert (encoder.transform(new)["dose"] == PLAIN["dose"]).all()
    new.loc[4, "smoker"] = "perhaps"
    with pytest.raises(TableError, match="column 'smoker', row 4, is 'perhaps', which is neither"):
        encoder.transform(new)


def test_other_units_are_a_warning_or_an_error():
    encoder = TableEncoder().fit(words())
    new = words(PLAIN.assign(crp=PLAIN["crp"] * 1000))
    with pytest.warns(ShiftedColumnsWarning, match=r"'crp': the median is .* 1000 times"):
        encoder.transform(new)
    encoder.set_params(strict=True)
    with pytest.raises(TableError, match="column 'crp': the median"):
        encoder.transform(new)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        encoder.transform(words())


def test_parameters():
    table = words().assign(age=[999 if i % 5 == 0 else 30 + i for i in range(N)])
    encoder = TableEncoder(drop=["dose"], keep=["Nr."], missing=["age=999"])
    made = encoder.fit_transform(table)
    assert made.columns.tolist() == ["age", "crp", "smoker = yes", "Nr."]
    assert made["age"].isna().sum() == 8
    assert encoder.transform(table)["age"].isna().sum() == 8
    dates = pd.DataFrame({"seen": ["03/04/2021", "05/06/2021", "07/08/2021"]})
    with pytest.raises(TableError, match="whose first number may be the day or the month"):
        TableEncoder().fit(dates)
    first = TableEncoder(dates="month-first").fit_transform(dates)["seen (year)"]
    assert (first < TableEncoder(dates="day-first").fit_transform(dates)["seen (year)"]).any()
    with pytest.raises(TableError, match="without --read strict=yes: 'smoker'"):
        TableEncoder(strict=True).fit(words()[["smoker"]])
    with pytest.raises(TableError, match="has no column 'weight'"):
        TableEncoder(drop=["weight"]).fit(words())
    with pytest.raises(ValueError, match="The 'decimal' parameter of TableEncoder"):
        TableEncoder(decimal="dot").fit(words())
    assert clone(encoder).get_params() == encoder.get_params()


def test_columns_with_the_same_name_and_tables_without_features():
    twice = pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"])
    with pytest.raises(TableError, match="several columns have the same name"):
        TableEncoder().fit(twice)
    with pytest.raises(TableError, match="has no column of features left"):
        TableEncoder().fit(pd.DataFrame({"name": ["anna", "bert", "cora"]}))


@pytest.fixture(scope="module")
def fitted():
    model = BicNeuronNetwork(n_neurons=8, random_state=0)
    return make_pipeline(TableEncoder(missing=("-9",)), model).fit(words(), ILL)


def test_a_model_file_holds_the_encoder(fitted, tmp_path):
    loaded = load_model(save_model(fitted, tmp_path / "m.skops"))
    assert [name for name, _ in loaded.steps] == [name for name, _ in fitted.steps]
    assert loaded[0].get_params() == fitted[0].get_params()
    assert loaded[0].encoding_.steps == fitted[0].encoding_.steps
    assert loaded.feature_names_in_.tolist() == words().columns.tolist()
    X = words()
    assert loaded.decision_function(X).tolist() == fitted.decision_function(X).tolist()


@pytest.mark.parametrize("scaled", [False, True])
def test_a_model_file_of_arrays_and_of_longer_pipelines(scaled, tmp_path):
    model = BicNeuronNetwork(n_neurons=8, random_state=0)
    between = [StandardScaler()] if scaled else []
    X = np.column_stack([PLAIN.to_numpy(), np.where(PLAIN["age"] > 50, "old", "young")])
    pipeline = make_pipeline(TableEncoder(), *between, model).fit(X, ILL)
    loaded = load_model(save_model(pipeline, tmp_path / "m.skops"))
    assert [name for name, _ in loaded.steps] == [name for name, _ in pipeline.steps]
    assert not hasattr(loaded[0], "feature_names_in_")
    assert loaded.decision_function(X).tolist() == pipeline.decision_function(X).tolist()


def test_a_read_table_has_the_same_encoder(fitted, tmp_path):
    words().to_csv(tmp_path / "t.csv", index=False)
    table = read_table(tmp_path / "t.csv", missing=["-9"])
    assert table.encoder.encoding_.steps == fitted[0].encoding_.steps
    assert table.encoder.encoding_.features == fitted[0].encoding_.features


@pytest.mark.parametrize(
    "damage",
    [
        lambda record: {},
        lambda record: {**record, "names": []},
        lambda record: {**record, "parameters": {"decimal": "dot"}},
        lambda record: {**record, "parameters": {"colour": 1}},
        lambda record: {**record, "encoding": {**record["encoding"], "features": ["age"]}},
        lambda record: {**record, "encoding": {**record["encoding"], "columns": "age"}},
        lambda record: {**record, "encoding": {**record["encoding"], "id": 3}},
        lambda record: {**record, "encoding": {**record["encoding"], "seen": {"age": [1]}}},
        lambda record: {**record, "encoding": {**record["encoding"], "seen": [1]}},
        lambda record: {
            **record,
            "encoding": {**record["encoding"], "seen": {"age": [float("nan")] * 8}},
        },
        lambda record: {
            **record,
            "encoding": {**record["encoding"], "steps": [{"kind": "eval", "column": "a"}]},
        },
    ],
)
def test_an_encoder_that_no_fit_gives_is_refused(fitted, damage, tmp_path):
    path = save_model(fitted, tmp_path / "m.skops")
    header, entries = unpack(path.read_bytes())
    record = damage(json.loads(entries[TABLE]))
    entries = {**entries_of(path.read_bytes()), TABLE: json.dumps(record).encode()}
    del entries["bicneuron.json"]
    path.write_bytes(pack(entries, header))
    with pytest.raises(ModelFileError, match="is damaged: its table encoder"):
        load_model(path)
