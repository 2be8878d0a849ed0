"""Figure 1 of the paper through the classifier, as printed and from exact data."""

import numpy as np
import pytest
from data import minmax
from miners import FixedMiner

from bicneuron import BicNeuronClassifier
from bicneuron.datasets import load_worked_example
from bicneuron.metrics import mean_squared_residue

CONTRAST_ROWS = [[8, 6, 7], [5, 4]]  # o9, o7, o8 and o6, o5: nearest first


def fit(printed, max_ratio):
    example = load_worked_example(printed=printed)
    miner = FixedMiner(example.biclusters)
    model = BicNeuronClassifier(search=None, miner=miner, max_ratio=max_ratio, random_state=0)
    return model.fit(example.data, example.target)


def printed_like(value, text):
    return f"{value:.{len(text.partition('.')[2])}f}"


@pytest.mark.parametrize(
    ("printed", "which", "anchor_msr", "contrast_msr", "ratio"),
    [
        (True, 0, "0.000205", "0.02089", "0.0098"),
        (True, 1, "0.004556", "0.0049", "0.9298"),
        (False, 0, "0.0001866", "0.020711", "0.00901"),
        (False, 1, "0.0044405", "0.0050884", "0.8727"),
    ],
)
def test_numbers_of_a_pair(printed, which, anchor_msr, contrast_msr, ratio):
    example = load_worked_example(printed=printed)
    pair = fit(printed, max_ratio=np.inf).pairs_[which]
    rows, columns = example.biclusters[which]
    assert pair.anchor_class == -1
    assert pair.rows.tolist() == rows.tolist()
    assert pair.columns.tolist() == columns.tolist()
    assert pair.contrast_rows.tolist() == CONTRAST_ROWS[which]
    Z = minmax(example.data)
    msr = [mean_squared_residue(Z[np.ix_(r, columns)]) for r in (rows, pair.contrast_rows)]
    assert printed_like(msr[0], anchor_msr) == anchor_msr
    assert printed_like(msr[1], contrast_msr) == contrast_msr
    assert printed_like(pair.msr_ratio, ratio) == ratio


@pytest.mark.parametrize(("printed", "n_kept"), [(True, 1), (False, 2)])
def test_verdict_at_the_threshold_of_the_paper(printed, n_kept):
    """The rounding of the printed figure decides whether the second pair passes tau = 0.9."""
    model = fit(printed, max_ratio=0.9)
    kept = [pair.rows.tolist() for pair in model.pairs_]
    assert kept == [[0, 1, 2], [2, 3]][:n_kept]
    assert model.diagnostics_.n_pairs == 2
    assert model.diagnostics_.n_kept == n_kept


def test_the_figures_scaling_is_the_classifiers():
    """Panel (b) is already min-max scaled: scaling it again changes nothing."""
    example = load_worked_example(printed=True)
    assert np.array_equal(minmax(example.data), example.data)
