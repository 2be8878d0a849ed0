import sys

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from bicneuron.datasets import make_subgroup


def test_the_group_is_shifted_in_its_columns_and_nothing_else_is():
    X, y, rows, columns = make_subgroup(4000, 30, group_shape=(1500, 6), shift=1.5, random_state=0)
    assert X.shape == (4000, 30)
    assert (y == "patient").sum() == (y == "control").sum() == 2000
    assert (rows.sum(), columns.sum()) == (1500, 6)
    assert set(y[rows]) == {"patient"}
    close = 5 / np.sqrt(1500)
    assert_allclose(np.abs(X[rows][:, columns].mean(axis=0)), 1.5, atol=close)
    assert_allclose(X[rows][:, ~columns].mean(axis=0), 0, atol=close)
    others = X[~rows & (y == "patient")]
    assert_allclose(others.mean(axis=0), 0, atol=5 / np.sqrt(500))
    assert_allclose(X[y == "control"].mean(axis=0), 0, atol=5 / np.sqrt(2000))
    assert_allclose(X[rows].std(axis=0), 1, atol=close)


def test_rows_and_columns_come_in_random_order_with_both_signs():
    X, y, rows, columns = make_subgroup(random_state=1)
    for indicator in (rows, columns, y == "patient"):
        places = np.flatnonzero(indicator)
        assert places[-1] - places[0] >= len(places)
    assert set(np.sign(X[rows][:, columns].mean(axis=0))) == {-1.0, 1.0}


def test_a_frame_has_the_same_numbers_and_names():
    X, y, rows, columns = make_subgroup(random_state=0)
    frame, series, same_rows, same_columns = make_subgroup(as_frame=True, random_state=0)
    assert isinstance(frame, pd.DataFrame)
    assert_array_equal(frame, X)
    assert_array_equal(series, y)
    assert_array_equal(same_rows, rows)
    assert_array_equal(same_columns, columns)
    assert frame.columns.tolist()[::999] == ["g0001", "g1000"]
    assert frame.index.tolist()[::99] == ["s001", "s100"]
    assert series.index.equals(frame.index)
    assert (frame.index.name, series.name) == ("sample", "class")


def test_a_missing_pandas_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"as_frame=True needs pandas; .*'bicneuron\[tables\]'"):
        make_subgroup(as_frame=True)


def test_an_odd_number_of_rows_has_one_more_control():
    y = make_subgroup(7, 3, group_shape=(3, 1), random_state=0)[1]
    assert ((y == "patient").sum(), (y == "control").sum()) == (3, 4)
