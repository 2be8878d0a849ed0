"""Numbers in the data of a page, of three classes and with gaps; for texts see numbers_of_model."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from data import make_three
from pages import Page
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from bicneuron import BicNeuronNetwork
from bicneuron.metrics import cross_validated_scores
from bicneuron.neurons import GaussianNeuron
from bicneuron.report import write_report


def test_rows_that_are_looked_up_and_a_rare_class(tmp_path):
    X, y = make_three(sizes=(6, 30, 40))
    X = pd.DataFrame(X, columns=[f"gene {k}" for k in range(X.shape[1])])
    X = X.mask(np.random.default_rng(1).random(X.shape) < 0.03)
    X, y = X.set_axis([f"row {k}" for k in range(len(X))]), np.array(["a", "b", "c"])[y]
    model = BicNeuronNetwork(n_neurons=6, neuron_kinds=[GaussianNeuron()], random_state=0).fit(X, y)
    scored = make_pipeline(SimpleImputer(), LogisticRegression())
    left_out = cross_validated_scores(scored, X, y, n_repeats=1)
    page = write_report(tmp_path / "page.html", model, X, y, scores=left_out).read_text()
    assert "a is rare: 6 of 76 rows (7.9 %)" in Page(page).text
    data = json.loads(re.search(r'id="page-data">(.*?)</script>', page)[1])
    classes, said = data["classes"], left_out.left_out.predicted
    scores = model.decision_function(X).max(axis=1)
    predicted, chances = model.predict(X), model.predict_proba(X)
    for k, row in enumerate(data["rows"]):
        assert row["name"] == X.index[k]
        given = [classes[row[key]] for key in ("true", "predicted", "left_out")]
        assert given == [y[k], predicted[k], said[k]]
        assert row["score"] == pytest.approx(scores[k], rel=1e-3)
        chance = chances[k, classes.index(predicted[k])]
        assert row["probability"] == pytest.approx(chance, abs=1e-3)
        total = row["bias"] + row["rest"] + sum(part["adds"] for part in row["why"])
        assert total == pytest.approx(scores[k], abs=2e-3)
        for part in row["why"]:
            adds = [size for _, _, size in part["columns"]]
            if not part["n_more"]:
                assert sum(adds) + part["bias"] == pytest.approx(part["adds"], abs=2e-3)
            for place, value, _ in part["columns"]:
                cell = X.iloc[k, place]
                assert value is None if np.isnan(cell) else value == pytest.approx(cell, rel=1e-3)
    of_classes = X.groupby(y).mean()
    for place, column in data["columns"].items():
        assert column["name"] == X.columns[int(place)]
        assert column["means"] == pytest.approx(of_classes[column["name"]].tolist(), rel=1e-3)
