"""Patterns as plain data."""

import numpy as np
import pandas as pd
import pytest

from bicneuron import BicNeuronClassifier, BicNeuronNetwork
from bicneuron.biclustering import CoherentBiclustering, SubgroupBiclustering
from bicneuron.datasets import load_worked_example, make_subgroups
from bicneuron.report import pair_records, pattern_records


@pytest.fixture(scope="module")
def table():
    made = make_subgroups(random_state=0)
    X = pd.DataFrame(made.X[:, :60], columns=[f"gene {j}" for j in range(60)])
    X.index = [f"patient {i}" for i in range(len(X))]
    return X, made.y


def test_patterns_of_a_network_have_their_contribution(table):
    X, y = table
    model = BicNeuronNetwork(design="readable", n_neurons=3, random_state=0).fit(X, y)
    records = pattern_records(model)
    assert len(records) == len(model.patterns_)
    for record, pattern in zip(records, model.patterns_, strict=True):
        assert record["contribution"] == pattern.contribution
        assert record["class"] == pattern.pair.anchor_class
        assert record["n_rows"] == len(pattern.pair.anchor_rows)
        assert record["columns"] == X.columns[pattern.ranked_columns].tolist()
        assert record["evidence"] is None


def test_pairs_of_a_classifier(table):
    X, y = table
    model = BicNeuronClassifier(max_pairs=4, random_state=0).fit(X, y)
    (record,) = pattern_records(model)
    assert record["columns"] == X.columns[model.selected_pair_.columns].tolist()
    assert record["row_share"] == model.row_share_
    pairs = pair_records(model, X)
    assert [pair["rank"] for pair in pairs] == list(range(1, len(model.pairs_) + 1))
    assert [pair["msr_ratio"] for pair in pairs] == [pair.msr_ratio for pair in model.pairs_]
    first = model.pairs_[0]
    assert pairs[0]["rows"] == X.index[model.rows_used_[first.anchor_rows]].tolist()
    nameless = pair_records(
        BicNeuronClassifier(max_pairs=4, random_state=0).fit(X.values, y), X.values
    )
    assert nameless[0]["rows"] == model.rows_used_[first.anchor_rows].tolist()
    assert nameless[0]["columns"] == [f"x{column}" for column in first.columns]


def test_groups_have_names_of_rows(table):
    X, y = table
    groups = SubgroupBiclustering(n_patterns=2).fit(X, y)
    records = pattern_records(groups, X)
    assert [set(record["rows"]) for record in records] == [
        set(X.index[group.rows]) for group in groups.found_
    ]


def test_biclusters_count_the_classes():
    values, y = load_worked_example(return_X_y=True)
    X = pd.DataFrame(values).rename(columns="gene {}".format)
    miner = CoherentBiclustering(cut_distance=1.0, max_residue=0.1).fit(X)
    records = pattern_records(miner, X, y)
    assert len(records) == len(miner.found_) > 0
    for record, bicluster in zip(records, miner.found_, strict=True):
        assert record["columns"] == X.columns[bicluster.columns].tolist()
        assert record["rows"] == bicluster.rows.tolist()
        count = np.sum(y[bicluster.rows] == 1)
        assert record["classes"]["1"] == f"{count} of {np.sum(y == 1)}"
    assert "classes" not in pattern_records(miner, X)[0]
