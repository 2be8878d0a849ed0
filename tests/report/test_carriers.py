"""One count of carriers, wherever a pattern is shown."""

import csv
import io
import re

import numpy as np
import pandas as pd
import pytest
from data import classifier, make_three
from pages import Page

from bicneuron import BicNeuronNetwork, SubgroupBiclustering
from bicneuron.biclustering import CoherentBiclustering
from bicneuron.datasets import make_subgroups
from bicneuron.inspection import SubgroupDisplay
from bicneuron.neurons import GaussianNeuron
from bicneuron.report import pattern_lists, pattern_records, write_report


def counted(carriers, y):
    """Carriers of each class, as records have them."""
    if y is None:
        return {"all rows": f"{carriers.sum()} of {len(carriers)}"}
    return {
        str(label): f"{carriers[y == label].sum()} of {np.sum(y == label)}"
        for label in np.unique(y).tolist()
    }


@pytest.mark.parametrize("labelled", [True, False])
@pytest.mark.parametrize("kind", ["shift", "tight", "coexpressed"])
def test_a_group_has_as_many_carriers_everywhere(kind, labelled, tmp_path):
    made = make_subgroups(kind, n_columns=80, random_state=0)
    gaps = np.random.default_rng(0).random(made.X.shape) < 0.05
    X = pd.DataFrame(made.X).mask(gaps).rename(index="P{:03}".format, columns="gene {}".format)
    y = made.y if labelled else None
    miner = SubgroupBiclustering(kinds=(kind,), n_patterns=2).fit(X, y)
    carriers = miner.carriers(X)
    np.testing.assert_array_equal(carriers, miner.pattern_scores(X) > 0)
    records = pattern_records(miner, X, y)
    lists = pattern_lists(miner, X, y)
    listed = [*csv.DictReader(io.StringIO(lists.files["rows.csv"]))]
    page = Page(write_report(tmp_path / "page.html", miner, X, y).read_text())
    assert len(miner.patterns_) == len(records) > 0
    for k, (record, pattern) in enumerate(zip(records, miner.patterns_, strict=True)):
        own = carriers[:, k]
        expected = counted(own, y)
        assert record["carriers"] == expected
        known = pattern_records(miner)[k]  # without the table
        assert (known["carriers"], known["n_rows"]) == (expected, own.sum())
        assert record["n_rows"] == len(record["rows"]) == own.sum()
        assert set(record["rows"]) == set(X.index[own])
        assert {label: f"{a} of {b}" for label, (a, b) in pattern.carrier_counts.items()} == (
            expected if labelled else {None: expected["all rows"]}
        )
        in_file = [row["row"] for row in listed if (row["pattern"], row["side"]) == _(k, "group")]
        assert in_file == record["rows"]
        others = [row["row"] for row in listed if (row["pattern"], row["side"]) == _(k, "contrast")]
        assert set(others) == set(X.index[~own])
        heading = SubgroupDisplay.from_estimator(miner, X, y, pattern=k).blocks[0].heading
        assert [int(n) for n in re.findall(r"(\d+) of \d+", heading)] == [
            int(share.split()[0]) for share in record["carriers"].values()
        ]
        words = ", ".join(f"{share} {label}" for label, share in record["carriers"].items())
        assert f"Pattern {k + 1}: {words.replace('all rows', 'rows')}" in page.text
        assert f"Mean of the {own.sum()} rows of this pattern" in page.text


def _(position, side):
    return str(position + 1), side


@pytest.mark.parametrize(
    "model",
    [
        BicNeuronNetwork(n_neurons=4, neuron_kinds=[GaussianNeuron()], random_state=0),
        classifier(max_ratio=9.0),
        classifier(max_ratio=9.0, multi_class="ovo"),
        CoherentBiclustering(cut_distance=1.0),
    ],
    ids=["network", "ovr", "ovo", "miner"],
)
def test_any_model_counts_the_rows_with_a_positive_score(model):
    X, y = make_three()
    y = np.array(["ill", "well", "unknown"])[y]
    carriers = model.fit(X, y).carriers(X)
    records = pattern_records(model, X, y)
    for k, pattern in enumerate(model.patterns_):
        assert records[k]["carriers"] == counted(carriers[:, k], y)
        own = records[k]["class"]
        assert own is None or next(iter(records[k]["carriers"])) == own, "its own class comes first"
        rows = pattern_lists(model, X, y).rows
        of_group = [
            line["row"] for line in rows if (line["pattern"], line["side"]) == (k + 1, "group")
        ]
        assert sorted(of_group) == pattern.rows.tolist(), "a pair or bicluster lists its own rows"
        assert sorted(records[k]["rows"]) == pattern.rows.tolist()
