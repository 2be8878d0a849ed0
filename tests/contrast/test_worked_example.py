"""Panels (c) to (e) of the paper's Figure 1, as printed and from exact data."""

import numpy as np
import pytest
from sklearn.preprocessing import minmax_scale

from bicneuron.datasets import load_worked_example
from bicneuron.patterns import Pattern, contrastive_pairs, ranking


def pairs_of_the_figure(printed):
    example = load_worked_example(printed=printed)
    Z = example.data if printed else minmax_scale(example.data)
    biclusters = [Pattern(rows, columns, 0.0) for rows, columns in example.biclusters]
    return example, contrastive_pairs(
        Z, biclusters, np.flatnonzero(example.target == 1), anchor_class=-1
    )


@pytest.mark.parametrize("printed", [False, True])
def test_contrast_rows_in_order_of_distance(printed):
    example, pairs = pairs_of_the_figure(printed)
    names = [[example.object_names[row] for row in pair.contrast_rows] for pair in pairs]
    assert names == [["o9", "o7", "o8"], ["o6", "o5"]]


@pytest.mark.parametrize(
    ("printed", "ratios"), [(False, ["0.00901", "0.8727"]), (True, ["0.0098", "0.9298"])]
)
def test_ratios(printed, ratios):
    _, pairs = pairs_of_the_figure(printed)
    for pair, ratio in zip(pairs, ratios, strict=True):
        assert f"{pair.msr_ratio:.{len(ratio) - 2}f}" == ratio


@pytest.mark.parametrize(("printed", "n_kept"), [(False, 2), (True, 1)])
def test_verdicts_at_nine_tenths(printed, n_kept):
    """The caption drops the second pair; its exact ratio is just below the threshold."""
    _, pairs = pairs_of_the_figure(printed)
    assert ranking(pairs, max_ratio=0.9) == [*range(n_kept)]
