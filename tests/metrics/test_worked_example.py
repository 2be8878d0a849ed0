"""Figure 1 of the paper, as printed and from exact data: the second verdict differs."""

import pytest
from sklearn.preprocessing import minmax_scale

from bicneuron.datasets import load_worked_example
from bicneuron.metrics import mean_squared_residue, msr_ratio

CONTRAST_ROWS = [[8, 6, 7], [5, 4]]  # o9, o7, o8 and o6, o5: nearest first


def blocks_of_pair(printed, which):
    example = load_worked_example(printed=printed)
    Z = example.data if printed else minmax_scale(example.data)
    rows, columns = example.biclusters[which]
    return Z[rows][:, columns], Z[CONTRAST_ROWS[which]][:, columns]


def rounded_like(value, text):
    decimals = len(text.partition(".")[2])
    return f"{value:.{decimals}f}"


@pytest.mark.parametrize(
    ("printed", "which", "anchor_msr", "contrast_msr", "ratio", "is_kept"),
    [
        (True, 0, "0.000205", "0.02089", "0.0098", True),
        (True, 1, "0.004556", "0.0049", "0.9298", False),
        (False, 0, "0.0001866", "0.020711", "0.00901", True),
        (False, 1, "0.0044405", "0.0050884", "0.8727", True),
    ],
)
def test_contrast_of_a_pair(printed, which, anchor_msr, contrast_msr, ratio, is_kept):
    anchor, contrast = blocks_of_pair(printed, which)
    assert rounded_like(mean_squared_residue(anchor), anchor_msr) == anchor_msr
    assert rounded_like(mean_squared_residue(contrast), contrast_msr) == contrast_msr
    assert rounded_like(msr_ratio(anchor, contrast), ratio) == ratio
    assert (msr_ratio(anchor, contrast) <= 0.9) == is_kept
