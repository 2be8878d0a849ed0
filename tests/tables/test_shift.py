"""New tables whose columns no longer hold what the fit saw, and honest ones."""

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

from bicneuron.exceptions import TableError
from bicneuron.tables._shift import Seen, look_at_values, shifts

RANDOM = np.random.default_rng(11)


def measured(n, seed):
    """Columns of a clinic."""
    random = np.random.default_rng(seed)
    return {
        "age": random.integers(18, 90, n).astype(float),
        "weight": random.normal(75, 14, n).round(1),
        "height": random.normal(171, 9, n).round(),
        "temperature": random.normal(37.2, 0.7, n).round(1),
        "glucose": random.lognormal(np.log(100), 0.2, n).round(),
        "haemoglobin": random.normal(13.4, 1.6, n).round(1),
        "crp": random.lognormal(2, 1.2, n).round(1),
        "dose": random.choice([250.0, 500.0, 1000.0], n),
        "saturation": random.normal(95, 2.5, n).clip(70, 100).round(),
        "sex": random.integers(1, 3, n).astype(float),
        "grade": random.integers(1, 5, n).astype(float),
        "change": random.normal(0, 1, n),
    }


FIT = measured(80, 1)
SEEN = look_at_values(FIT)


def said(new):
    n = len(next(iter(new.values())))
    return shifts(new, SEEN, [f"row {i}" for i in range(n)])


def put(code, rows):
    """Write a code into some rows."""
    return lambda values: np.where(np.isin(np.arange(len(values)), rows), code, values)


CHANGES = {
    "g for mg": (
        "dose",
        lambda v: v / 1000,
        "is 0.5, in the fit 500.* 1000 times as small",
    ),
    "°F": ("temperature", lambda v: v * 1.8 + 32, "as °F and °C"),
    "m for cm": ("height", lambda v: v / 100, "100 times as small"),
    "mmol/l of glucose": (
        "glucose",
        lambda v: v / 18.02,
        "18.02 times as small .mg/dl and",
    ),
    "mmol/l of haemoglobin": ("haemoglobin", lambda v: v / 1.611, "1.611 times as small"),
    "pounds": ("weight", lambda v: v * 2.205, "2.205 times as large .kg and pounds"),
    "shares": ("saturation", lambda v: v / 100, "100 times as small"),
    "mg/dl of CRP": ("crp", lambda v: v / 10, "10 times as small"),
    "sex from 0 on": ("sex", lambda v: v - 1, "0 in row .* lies outside what the fit saw, 1 to 2"),
    "a code": (
        "age",
        put(-999, [3]),
        "-999 in row 3 lies out",
    ),
    "another code": ("age", put(999, [0, 1]), r"row 0 .*\(2 such"),
    "nines": ("grade", put(9, [5]), "9 in row 5 lies outside"),
    "minus nine": (
        "crp",
        put(-9, [5]),
        "-9 in row 5 lies out",
    ),
    "empty": (
        "weight",
        put(np.nan, range(30)),
        "cells are missing",
    ),
    "all empty": (
        "weight",
        lambda v: np.full(len(v), np.nan),
        "40 of 40 cells are",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_no_honest_batch_shows_is_said(change):
    name, changed, words = CHANGES[change]
    new = measured(40, 2)
    (line,) = said({**new, name: changed(new[name])})
    assert line.startswith(f"column {name!r}: ")
    assert pd.Series([line]).str.contains(words).all(), line


def test_swapped_columns_are_said():
    new = measured(40, 2)
    lines = said({**new, "height": new["temperature"], "temperature": new["height"]})
    assert [line.split("'")[1] for line in lines] == ["height", "temperature"]


@pytest.mark.parametrize("n", [1, 2, 5, 40, 400])
def test_other_rows_of_the_same_clinic_are_not(n):
    alarms = [line for seed in range(100, 120) for line in said(measured(n, seed))]
    assert len(alarms) <= 1, alarms


def test_one_row_in_another_unit():
    new = {name: values[:1] for name, values in measured(5, 3).items()}
    assert said(new) == []
    (line,) = said({**new, "height": new["height"] / 100})
    assert "the median is" in line


def test_many_shifted_columns_are_counted():
    fit = {f"c{j}": RANDOM.normal(10, 1, 30) for j in range(30)}
    new = {name: values * 1e6 for name, values in fit.items()}
    lines = shifts(new, look_at_values(fit), ["row"] * 30)
    assert len(lines) == 9
    assert lines[-1] == "22 more columns differ from those of the fit likewise"


def test_a_batch_is_no_unit():
    """Each column by its own factor: medians change by 2.54 here and there, too."""
    fit = {f"g{j}": RANDOM.normal(8, 1, 60) for j in range(200)}
    factors = np.exp(RANDOM.normal(0, 0.2, 200))
    new = {f"g{j}": factors[j] * RANDOM.normal(8, 1, 60) for j in range(200)}
    assert shifts(new, look_at_values(fit), ["row"] * 60) == []


HONEST = {
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
    "breast cancer": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
    "diabetes": datasets.load_diabetes,
}


@pytest.mark.parametrize("name", HONEST)
def test_halves_of_real_tables_are_alike(name):
    X = HONEST[name]().data
    alarms = 0
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(len(X))
        first, second = (X[half] for half in np.array_split(order, 2))
        seen = look_at_values({f"c{j}": column for j, column in enumerate(first.T)})
        new = {f"c{j}": column for j, column in enumerate(second.T)}
        alarms += bool(shifts(new, seen, ["row"] * len(second)))
    assert alarms <= (4 if name == "digits" else 0)  # grey values of pixels that the fit saw black


def test_quantiles_are_those_of_numpy():
    values = {"a": RANDOM.normal(size=41), "b": RANDOM.normal(size=41)}
    values["b"][::3] = np.nan
    seen = look_at_values(values)
    for row, name in enumerate("ab"):
        expected = np.nanquantile(values[name], [0, 0.25, 0.5, 0.75, 1])
        np.testing.assert_allclose(seen.quantiles[row], expected)
    assert seen.n_filled.tolist() == [41, 27]
    assert seen.n_missing.tolist() == [0, 14]
    again = Seen.from_json(seen.to_json())
    assert again.names == seen.names
    np.testing.assert_allclose(again.quantiles, seen.quantiles, rtol=1e-5)


def test_strict_refuses(table_of):
    frame = pd.DataFrame(FIT)
    fitted = table_of(frame.to_csv(index=False))
    new = frame.assign(height=frame["height"] / 100).to_csv(index=False)
    table = table_of(new, encoder=fitted.encoder)
    (line,) = table.warnings
    assert "'height': the median" in line
    with pytest.raises(
        TableError, match="without --read strict=yes: column 'height': the median is"
    ):
        table_of(new, encoder=fitted.encoder, strict=True)
    assert table_of(frame.to_csv(index=False), encoder=fitted.encoder, strict=True).warnings == ()
