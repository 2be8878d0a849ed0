"""A fitted model recognises its table in any form, and says what differs in another one."""

import pickle
from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal
from scipy.sparse import coo_array, csc_matrix, csr_array
from sklearn.base import clone

from bicneuron import (
    BicNeuronClassifier,
    BicNeuronNetwork,
    CoherentBiclustering,
    SubgroupBiclustering,
)
from bicneuron.neurons import GaussianNeuron
from bicneuron.patterns import Evidence
from bicneuron.patterns._model import fingerprint

NAMES = [f"gene {k}" for k in range(8)]
MINER = CoherentBiclustering(cut_distance=1.0, max_residue=0.8, max_seeds=20)
CLASSIFIER = BicNeuronClassifier(search=None, miner=MINER, max_ratio=10.0, random_state=0)
MODELS = {
    "miner": MINER,
    "groups": SubgroupBiclustering(n_patterns=2),
    "classifier of a sample": clone(CLASSIFIER).set_params(max_rows=15),
    "search": clone(CLASSIFIER).set_params(
        search={"miner__cut_distance": (1.0,), "max_ratio": (10.0,)}, cv=2, random_state=0
    ),
    "network": BicNeuronNetwork(
        n_neurons=3, neuron_kinds=[GaussianNeuron()], random_state=0, n_jobs=1
    ),
}
every_model = pytest.mark.parametrize("name", MODELS)
# scikit-learn's word on a frame for a model of arrays, and the other way round.
names_may_be_missing = pytest.mark.filterwarnings("ignore:X (does not have valid|has) feature name")


@cache
def table():
    """Counts and fractions, with zeros and two missing cells."""
    rng = np.random.default_rng(0)
    X = rng.poisson(1.0, size=(40, 8)) + np.where(rng.random((40, 8)) < 0.5, 0.0, 0.1)
    X[:12, :4] += 3.0
    X[5, 3] = X[20, 7] = np.nan
    return X


Y = np.repeat(["ill", "well"], 20)


def frame(X=None):
    X = table() if X is None else X
    return pd.DataFrame(X, columns=NAMES, index=[f"P{k:02}" for k in range(len(X))])


@cache
def fitted(name, named=False):
    return clone(MODELS[name]).fit(frame() if named else table(), Y)


# --- the same table


FORMS = {
    "Fortran": np.asfortranarray,
    "list": np.ndarray.tolist,
    "float32": lambda X: X.astype(np.float32),
    "CSC": csc_matrix,
    "COO": coo_array,
    "CSR of float32": lambda X: csr_array(X.astype(np.float32)),
    "frame of float32": lambda X: frame(X).astype("float32"),
    "frame with nulls": lambda X: frame(X).astype("Float64"),
}


@names_may_be_missing
@every_model
@pytest.mark.parametrize("named", [False, True], ids=["array", "frame"])
@pytest.mark.parametrize("form", FORMS)
def test_the_same_table_in_another_form(name, named, form):
    fitted(name, named).check_table(FORMS[form](table()), Y)


@pytest.mark.parametrize("digits", [None, "%.9g"])
def test_a_table_that_was_written_and_read(digits, tmp_path):
    frame().assign(label=Y).to_csv(tmp_path / "table", float_format=digits)
    again = pd.read_csv(tmp_path / "table", index_col=0)
    labels = again.pop("label")
    fitted("classifier of a sample", named=True).check_table(again, labels)


@pytest.mark.parametrize(
    ("y", "again"),
    [
        (np.repeat([0, 1], 20), np.repeat([0.0, 1.0], 20)),
        (np.repeat([0, 1], 20), np.repeat(["0", "1"], 20)),
        (np.repeat([False, True], 20), pd.Series(["False"] * 20 + ["True"] * 20)),
        (Y, pd.Categorical(Y)),
        (Y, pd.Series(Y, index=np.arange(40)[::-1])),
        (Y, Y[:, None]),
        (Y.astype(object), Y.tolist()),
    ],
    ids=["floats", "text of int", "text of bool", "categories", "series", "column", "list"],
)
def test_the_same_labels_in_another_form(y, again):
    model = clone(CLASSIFIER).fit(table(), y)
    model.check_table(table(), again)
    with pytest.raises(ValueError, match="y is not what the model was fitted to"):
        model.check_table(table(), np.asarray(again)[::-1])


def test_copies_and_parts_of_a_model_know_the_table():
    X, y = table(), np.arange(40) % 3
    for model in (CLASSIFIER, MODELS["search"]):
        several = clone(model).fit(X, y)
        parts = [part for _, part in several.binary_models()]
        annotated = several.with_evidence([Evidence(p_value=0.5)] * 3)
        for one in (several, pickle.loads(pickle.dumps(several)), annotated, *parts):
            one.check_table(X, y)
            with pytest.raises(ValueError, match="its rows are in another order"):
                one.check_table(X[::-1], y)
    fitted("search").check_table(X, Y)


def test_several_labels():
    Y2 = np.column_stack([np.arange(40) % 2, np.arange(40) // 20])
    model = clone(MODELS["network"]).fit(table(), Y2)
    model.check_table(table(), pd.DataFrame(Y2))
    with pytest.raises(ValueError, match=r"y is not what .* 20 of 40 rows differ, the first"):
        model.check_table(table(), Y2[:, ::-1])


# --- other tables


def changed(row, column, value, X=None):
    other = np.copy(table() if X is None else X)
    other[row, column] = value
    return other


FIRST_ROW = "of 40 rows differ, the first is row 0"
OTHERS = {
    "rows appended": (
        lambda: np.vstack([table(), table()[:2]]),
        "X has 42 rows, but the model was fitted to 40; give the X of fit. A second cohort is for",
    ),
    "rows left out": (lambda: table()[1:], "X has 39 rows, but the model was fitted to 40"),
    "rows reversed": (lambda: table()[::-1], "its rows are in another order; give the X of fit"),
    "other units": (lambda: table() + 100, f"40 {FIRST_ROW}"),
    "one column": (lambda: table() + (np.arange(8) == 3), f"39 {FIRST_ROW}"),
    "one cell": (lambda: changed(7, 5, 99.0), "1 of 40 rows differ, the first is row 7"),
    "a gap": (lambda: changed(7, 5, np.nan), "1 of 40 rows differ, the first is row 7"),
    "a gap less": (lambda: changed(5, 3, 0.0), "1 of 40 rows differ, the first is row 5"),
}


@names_may_be_missing
@every_model
@pytest.mark.parametrize("form", [frame, csr_array], ids=["frame", "sparse"])
@pytest.mark.parametrize("difference", OTHERS)
def test_another_table_is_refused_by_its_difference(name, form, difference):
    make, message = OTHERS[difference]
    with pytest.raises(ValueError, match=message):
        fitted(name, named=True).check_table(form(make()))


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.where(Y == "ill", "well", "ill"), f"40 {FIRST_ROW}; give the y of fit"),
        (np.repeat(["ill", "well"], [21, 19]), "1 of 40 rows differ, the first is row 20"),
        (Y[:-1], "y has 39 values for 40 rows"),
    ],
)
@pytest.mark.parametrize("name", [name for name in MODELS if name != "miner"])
def test_other_labels_are_refused_by_their_difference(name, y, message):
    with pytest.raises(ValueError, match=message):
        fitted(name).check_table(table(), y)


# --- the fingerprint itself


@st.composite
def tables_and_changes(draw):
    """A table with missing cells, one of its cells, and another value of it, in float32."""
    shape = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    cells = st.just(0.0) | st.floats(width=32, allow_infinity=False)
    X = draw(hnp.arrays(np.float64, shape, elements=cells))
    place = draw(st.integers(0, shape[0] - 1)), draw(st.integers(0, shape[1] - 1))
    old, new = X[place], draw(cells)
    assume(not (old == new or (np.isnan(old) and np.isnan(new))))
    return X, place, new


@given(tables_and_changes(), st.booleans(), st.booleans())
def test_a_change_of_any_one_cell_is_noticed(change, named, sparse):
    X, (row, column), new = change
    names = [f"c{k}" for k in range(X.shape[1])]
    other = changed(row, column, new, X)
    before = fingerprint(X, None, names if named else None)
    after = fingerprint(csc_matrix(other) if sparse else other, None, names if named else None)
    assert_array_equal(np.flatnonzero(before.rows != after.rows), [row])
    with pytest.raises(ValueError, match=f"1 of {len(X)} rows differ, .* row {row}"):
        before.check(after)
    before.check(fingerprint(csc_matrix(X) if sparse else X.copy(), None, names * named or None))


def test_zeros_and_missing_cells_have_one_form_each():
    other_nan = np.array([0x7FF8000000000001], np.uint64).view(np.float64)[0]
    one = fingerprint(np.array([[0.0, np.nan]]), None, None)
    other = fingerprint(np.array([[-0.0, -other_nan]]), None, None)
    assert_array_equal(one.rows, other.rows)


@pytest.mark.parametrize("cells", [1, 7, 8, 50])
def test_large_tables_are_read_in_parts(cells, monkeypatch):
    X = np.random.default_rng(0).normal(size=(30, 8))
    expected = fingerprint(X, None, None)
    monkeypatch.setattr("bicneuron.patterns._model.CELLS_AT_ONCE", cells)
    found = fingerprint(X, None, None)
    assert_array_equal(found.rows, expected.rows)


def test_the_same_everywhere():
    """A model file keeps the numbers: they depend on neither the machine nor the process."""
    made = fingerprint(np.array([[1.0, 2.5], [0.0, np.nan]]), np.array(["a", "b"]), ["u", "v"])
    assert made.rows.tolist() == [9703215728989044736, 3235466718507696128]
    assert made.labels.tolist() == [3405396810240292928, 8453121595177857668]
