"""Nothing depends on what classes are called, or in which order their names come."""

import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from bicneuron.significance._folds import fold_numbers, rows_and_units
from contract.producers import OTHERS, PRODUCERS, table

MODELS = PRODUCERS | OTHERS
# Names of the classes in the order of their own names: reversed, numbers, booleans.
RENAMED = {
    "words": ["a", "b", "c"],
    "reversed": ["z", "y", "x"],
    "numbers": [10, 2, 7],
    "booleans": [True, False],
}
CASES = [
    (producer, names)
    for producer, (_, _, y) in MODELS.items()
    for names in RENAMED
    if np.ndim(y) == 1 and len(np.unique(y)) <= len(RENAMED[names])
]


def unbalanced(kind, y):
    """Without some rows of the last class: the class with fewer rows is the same by any name."""
    X, y = table(kind), np.asarray(y)
    kept = ~((y == y[-1]) & (np.arange(len(y)) >= len(y) * 2 // 3))
    return (X[kept] if not isinstance(X, pd.DataFrame) else X.loc[kept]), y[kept]


@cache
def fitted(producer, names=None):
    model, kind, y = MODELS[producer]
    X, y = unbalanced(kind, y)
    if names is not None:
        y = np.array(RENAMED[names])[np.unique(y, return_inverse=True)[1]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(model).fit(X, y), X


@pytest.mark.parametrize("names", RENAMED)
def test_names_of_classes_have_no_part_in_the_folds_of_tests(names):
    model, _, y = MODELS["groups, sparse"]
    X, y = unbalanced("array", y)
    renamed = np.array(RENAMED[names][:2])[np.unique(y, return_inverse=True)[1]]
    first, second = (
        fold_numbers(rows_and_units(model, X, labels, None, None)[2], 5, labels, 0)
        for labels in (y, renamed)
    )
    assert_array_equal(first, second)


@pytest.mark.parametrize(("producer", "names"), CASES)
def test_names_of_classes_do_not_matter(producer, names):
    (expected, X), (model, _) = fitted(producer), fitted(producer, names)
    assert len(model.patterns_) == len(expected.patterns_)
    for ours, theirs in zip(model.patterns_, expected.patterns_, strict=True):
        assert_array_equal(ours.rows, theirs.rows)
        assert_array_equal(ours.columns, theirs.columns)
        assert_array_equal(ours.contrast_rows, theirs.contrast_rows)
    assert_array_equal(model.carriers(X), expected.carriers(X))
    if not hasattr(expected, "predict"):
        return
    of_class = dict(zip(expected.classes_.tolist(), RENAMED[names], strict=False))
    assert model.predict(X).tolist() == [of_class[one] for one in expected.predict(X).tolist()]
    places = [model.classes_.tolist().index(of_class[one]) for one in expected.classes_.tolist()]
    scores, own = expected.decision_function(X), model.decision_function(X)
    own = own * (1 if places[1] else -1) if own.ndim == 1 else own[:, places]
    assert_allclose(own, scores, rtol=1e-8, atol=1e-8)
    if hasattr(expected, "predict_proba"):
        chances = model.predict_proba(X)[:, places]
        assert_allclose(chances, expected.predict_proba(X), rtol=1e-8, atol=1e-8)
