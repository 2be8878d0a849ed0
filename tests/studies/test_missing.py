"""What is shown of missing cells, and which cells these are."""

import numpy as np
from fold_records import make_fold
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris

from reproduction._problems import Problem
from studies._study import write_study
from studies.missing import METHODS, PROTOCOLS, STUDY


def test_losses_are_those_against_no_missing_cell(tmp_path):
    losses = {"network": 0.0, "missing-20": 0.125, "missing-50": 0.25}
    records = [
        make_fold(protocol.name, dataset, model.name, 0, acc - losses[protocol.name], 0.5)
        for protocol in PROTOCOLS
        for dataset, acc in (("chen", 0.75), ("wdbc", 1.0))
        for model in METHODS
    ]
    markdown, table, plot = write_study(STUDY, records, tmp_path)
    text = markdown.read_text()
    assert "| model | 0% | 20% | 50% |" in text
    for model in METHODS:
        assert f"| {model.name} | 0.875 | 0.750 (-0.125) | 0.625 (-0.250) |" in text
    assert len(table.read_text().splitlines()) == 1 + len(records)
    assert all(model.name in plot.read_text() for model in METHODS)


def test_more_missing_cells_are_the_same_and_more():
    X, y = load_iris(return_X_y=True)
    problem = Problem("iris", X[:100], np.where(y[:100] > 0, 1, -1), None)
    none, some, more = (np.isnan(protocol.prepare(problem, 0).X) for protocol in PROTOCOLS)
    assert not none.any()
    assert 0.15 < some.mean() < 0.25
    assert 0.45 < more.mean() < 0.55
    assert more[some].all()
    kept = PROTOCOLS[1].prepare(problem, 0).X
    assert_array_equal(kept[~some], problem.X[~some])


def test_every_model_takes_missing_cells():
    X, y = load_iris(return_X_y=True)
    problem = Problem("iris", X[:100], np.where(y[:100] > 0, 1, -1), None)
    gappy = PROTOCOLS[1].prepare(problem, 0)
    for model in METHODS:
        estimator = model.build(PROTOCOLS[1], "iris", 0)
        if model.name.startswith("Network"):
            estimator.set_params(**{"n_neurons": 20} if model.name == "Network" else {})
        assert estimator.fit(gappy.X[::2], gappy.y[::2]).score(gappy.X[1::2], gappy.y[1::2]) > 0.9
