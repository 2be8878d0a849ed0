"""What is shown of wrong labels and missing cells, and which cells are missing."""

import numpy as np
import pytest
from fold_records import make_fold
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris

from reproduction._problems import Problem
from studies import missing, noise
from studies._study import write_study


@pytest.mark.parametrize(
    ("study", "heads", "losses"),
    [
        (noise, "0% | 10% | 20% | 30%", (0.0, 0.125, 0.25, 0.375)),
        (missing, "0% | 20% | 50%", (0.0, 0.125, 0.25)),
    ],
    ids=["noise", "missing"],
)
def test_losses_are_those_against_no_damage(study, heads, losses, tmp_path):
    records = [
        make_fold(protocol.name, dataset, model.name, 0, acc - loss, 0.5)
        for protocol, loss in zip(study.PROTOCOLS, losses, strict=True)
        for dataset, acc in (("chen", 0.75), ("wdbc", 1.0))
        for model in study.METHODS
    ]
    markdown, table, plot = write_study(study.STUDY, records, tmp_path)
    text = markdown.read_text()
    assert f"| model | {heads} |" in text
    cells = " | ".join(f"{0.875 - loss:.3f} (-{loss:.3f})" for loss in losses[1:])
    drawn = plot.read_text()
    for model in study.METHODS:
        assert f"| {model.name} | 0.875 | {cells} |" in text
        assert model.name in drawn
    assert study is missing or "over 2 data sets" in text
    assert len(table.read_text().splitlines()) == 1 + len(records)
    assert plot.name == f"{study.STUDY.name}.svg"


@pytest.fixture
def iris():
    X, y = load_iris(return_X_y=True)
    return Problem("iris", X[:100], np.where(y[:100] > 0, 1, -1), None)


def test_more_missing_cells_are_the_same_and_more(iris):
    none, some, more = (np.isnan(each.prepare(iris, 0).X) for each in missing.PROTOCOLS)
    assert not none.any()
    assert 0.15 < some.mean() < 0.25
    assert 0.45 < more.mean() < 0.55
    assert more[some].all()
    assert_array_equal(missing.PROTOCOLS[1].prepare(iris, 0).X[~some], iris.X[~some])
