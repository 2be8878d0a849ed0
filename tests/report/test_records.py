"""Patterns as plain data; tests/contract recomputes rows, columns and carriers of all models."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from bicneuron import BicNeuronClassifier, BicNeuronNetwork
from bicneuron.biclustering import CoherentBiclustering, SubgroupBiclustering
from bicneuron.datasets import make_subgroups
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
    for record, pattern in zip(records, tested.patterns_, strict=True):
        evidence = pattern.evidence or Evidence()
        assert record.get("p") == evidence.p_value
        assert record.get("p_corrected") == evidence.family_p_value
    plain = pattern_records(model)
    for record, pattern in zip(plain, model.patterns_, strict=True):
        strength = None if np.isnan(pattern.strength) else pattern.strength
        assert record.get("strength") == strength
        assert record["class"] == pattern.anchor_class
        assert record.get("contrast_class") == pattern.contrast_class
        assert "p" not in record, "it was not tested"
    for record, pattern in zip(records, model.patterns_, strict=True):
        assert record["row_scores"] == sorted(record["row_scores"], reverse=True)
        assert record.get("residue") == (pattern.msr if kind == "biclusters" else None)
