"""What a display cannot draw is refused in words; tests/contract lets all models meet them."""

import sys

import pytest
from data import classifier
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bicneuron.inspection import (
    BiclusterDisplay,
    ContrastDisplay,
    ExplanationDisplay,
    PairProjectionDisplay,
    ParallelCoordinatesDisplay,
    SubgroupDisplay,
)

OF_PAIRS = (ContrastDisplay, ParallelCoordinatesDisplay, PairProjectionDisplay)
OF_TABLES = (BiclusterDisplay, SubgroupDisplay, *OF_PAIRS)


def draw(display, model, X, y):
    return display.from_estimator(model, X, *([y] if display is SubgroupDisplay else []))


@pytest.mark.parametrize("display", [*OF_TABLES, ExplanationDisplay])
def test_what_has_no_patterns_is_refused(display, one_factor):
    X, y = one_factor
    model = classifier().fit(X, y)
    pipeline = make_pipeline(StandardScaler(), clone(model)).fit(X, y)
    for other in (LogisticRegression().fit(X, y), pipeline, None):
        with pytest.raises(
            TypeError, match=r"is a .*, which (has no patterns; the plot|does not predict classes)"
        ):
            draw(display, other, X, y)
    with pytest.raises(ValueError, match="not fitted yet"):
        draw(display, clone(model), X, y)


@pytest.mark.parametrize("display", OF_TABLES)
def test_other_tables_and_patterns_are_refused(display, one_factor):
    X, y = one_factor
    model = classifier().fit(X, y)
    for table, message in (
        (X[:50], r"X has 50 rows, .* fitted to 100; give the X of fit"),
        (X[::-1], r"not what the model.*in another order; give the X of fit"),
        (X[:, :5], "features"),
    ):
        with pytest.raises(ValueError, match=message):
            display.from_estimator(model, table)
    for position in (-1, 1):
        with pytest.raises(ValueError, match=rf"={position} is not in patterns_; give 0 to 0"):
            display.from_estimator(model, X, pattern=position)


def test_a_missing_matplotlib_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"run pip install 'bicneuron\[plot\]'"):
        ExplanationDisplay(["any"], [1.0], title="", label="").plot()
