"""Patterns as plain data."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from bicneuron import BicNeuronClassifier, BicNeuronNetwork
from bicneuron.biclustering import CoherentBiclustering, SubgroupBiclustering
from bicneuron.datasets import load_worked_example, make_subgroups
from bicneuron.neurons import GaussianNeuron
from bicneuron.patterns import Evidence
from bicneuron.report import pattern_records
from bicneuron.significance import significance_test, with_evidence


@pytest.fixture(scope="module")
def table():
    made = make_subgroups(random_state=0)
    X = pd.DataFrame(made.X[:, :60], columns=[f"gene {j}" for j in range(60)])
    X.index = [f"patient {i}" for i in range(len(X))]
    return X, made.y


def test_patterns_of_a_network_have_their_strength(table):
    X, y = table
    model = BicNeuronNetwork(n_neurons=3, neuron_kinds=[GaussianNeuron()], random_state=0).fit(X, y)
    records = pattern_records(model)
    assert len(records) == len(model.patterns_)
    for record, pattern in zip(records, model.patterns_, strict=True):
        assert record["strength"] == pattern.strength
        assert record["class"] == pattern.anchor_class
        assert record["contrast_class"] == pattern.contrast_class
        assert record["n_rows"] == len(pattern.rows)
        assert record["columns"] == X.columns[pattern.ranked_columns].tolist()
        assert "p" not in record, "it was not tested"
    assert [record["rank"] for record in records] == [1, 2, 3]


def test_pairs_of_a_classifier(table):
    X, y = table
    model = BicNeuronClassifier(search=None, random_state=0).fit(X, y)
    (record,) = pattern_records(model)
    assert set(record["columns"]) == set(X.columns[model.selected_pair_.columns])
    assert record["columns"] == X.columns[model.patterns_[0].ranked_columns].tolist()
    assert record["n_rows"] / np.sum(y == record["class"]) == model.row_share_
    assert record["strength"] == model.scores_.max()


def test_groups_have_names_of_rows(table):
    X, y = table
    groups = SubgroupBiclustering(n_patterns=2).fit(X, y)
    records = pattern_records(groups, X)
    assert [set(record["rows"]) for record in records] == [
        set(X.index[carriers]) for carriers in groups.carriers(X).T
    ]


def test_biclusters_count_the_classes():
    values, y = load_worked_example(return_X_y=True)
    X = pd.DataFrame(values).rename(columns="gene {}".format)
    miner = CoherentBiclustering(cut_distance=1.0, max_residue=0.1).fit(X)
    records = pattern_records(miner, X, y)
    assert len(records) == len(miner.patterns_) > 0
    for record, bicluster in zip(records, miner.patterns_, strict=True):
        assert record["columns"] == X.columns[bicluster.columns].tolist()
        assert set(record["rows"]) == set(bicluster.rows.tolist())
        assert record["row_scores"] == sorted(record["row_scores"], reverse=True)
        assert record["residue"] == bicluster.msr
        rows = miner.carriers(X)[:, record["rank"] - 1]
        assert record["carriers"]["1"] == f"{np.sum(rows & (y == 1))} of {np.sum(y == 1)}"
    assert [*pattern_records(miner, X)[0]["carriers"]] == ["all rows"]


KEYS = [
    *("rank", "class", "contrast_class", "kind", "strength", "msr_ratio", "residue", "carriers"),
    *("parent", "n_rows", "n_contrast_rows", "rows", "row_scores", "n_columns", "columns"),
    *("directions", "differences", "weights"),
    *("column_effects", "column_p_corrected", "column_evidence"),
    *("p", "p_corrected", "p_separate", "verdict", "found_in_folds", "finding"),
    "carriers_left_out",
]
MODELS = {
    "network": BicNeuronNetwork(n_neurons=3, neuron_kinds=[GaussianNeuron()], random_state=0),
    "classifier": BicNeuronClassifier(search=None, random_state=0),
    "groups": SubgroupBiclustering(n_patterns=2),
    "biclusters": CoherentBiclustering(cut_distance=1.0, max_residue=0.5),
}
NEEDS_CLASSES = ("network", "classifier")


@pytest.mark.parametrize("kind", MODELS)
def test_all_models_have_the_same_keys_in_the_same_order(kind, table):
    X, y = table
    seen = y if kind in NEEDS_CLASSES else None
    model = clone(MODELS[kind]).fit(X, seen)
    tested = model
    if seen is None:  # what was found with the classes cannot be tested with them
        result = significance_test(model, X, y, n_permutations=2, random_state=0)
        tested = with_evidence(model, result)
    for records in (pattern_records(model, X, y), pattern_records(tested, X, y)):
        for record in records:
            assert [*record] == [*records[0]]
            assert [*record] == [key for key in KEYS if key in record]
            assert {"class", "parent", "kind", "carriers", "rows"} <= {*record}
    assert all(("p" in record) == ("p_corrected" in record) == (seen is None) for record in records)
    for record, pattern in zip(records, tested.patterns_, strict=True):
        evidence = pattern.evidence or Evidence()
        assert record.get("p") == evidence.p_value
        assert record.get("p_corrected") == evidence.family_p_value


def test_whether_groups_have_parents_does_not_change_the_keys(table):
    X, _ = table
    (record,) = pattern_records(SubgroupBiclustering(n_patterns=1).fit(X), X)
    assert record["parent"] is None
    assert record["class"] is None


def test_another_table_is_refused(table):
    X, y = table
    miner = SubgroupBiclustering(n_patterns=1).fit(X, y)
    with pytest.raises(ValueError, match="its rows are in another order"):
        pattern_records(miner, X[::-1])
    with pytest.raises(ValueError, match="y is not what the model was fitted to"):
        pattern_records(miner, X, y[::-1])
    with pytest.raises(ValueError, match="give one class for each row"):
        pattern_records(miner, X, np.column_stack([y, y]))
    with pytest.raises(TypeError, match="model is a dict, which has no patterns; pattern_records"):
        pattern_records({})
