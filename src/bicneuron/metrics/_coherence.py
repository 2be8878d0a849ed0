"""Coherence of a block and the contrast of two blocks."""

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_array

from bicneuron._core._arrays import FloatArray
from bicneuron._core._residue import mean_square, residue_ratio, residues

# Entries up to 2**900 leave room for any sum of differences.
_SAFE_EXPONENT = 900


def mean_squared_residue(X: npt.ArrayLike) -> float:
    """Mean squared residue H(I, J) of a block (Cheng and Church's score).

    The mean over all entries of ``(b_ij - colmean_j - rowmean_i + mean)**2``: zero when the block
    is a row effect plus a column effect, in particular for one row or one column.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_columns)
        The block; finite and not empty.

    Returns
    -------
    float
        H >= 0; infinite only if the value exceeds the range of floats.

    Examples
    --------
    >>> from bicneuron.metrics import mean_squared_residue
    >>> mean_squared_residue([[1, 2, 5], [3, 4, 7]])
    0.0
    >>> mean_squared_residue([[0, 0], [0, 4]])
    1.0
    """
    with np.errstate(over="ignore"):
        return float(np.ldexp(*_scaled_residue(check_array(X, dtype=np.float64))))


def msr_ratio(anchor_block: npt.ArrayLike, contrast_block: npt.ArrayLike) -> float:
    """MSR of the anchor block over the MSR of the contrast block (r, compared with tau).

    Small values mean that the anchor rows are coherent where the rows of the other class are not.

    Parameters
    ----------
    anchor_block : array-like of shape (n_anchor_rows, n_columns)
        The bicluster B.
    contrast_block : array-like of shape (n_contrast_rows, n_columns)
        The rows B^c of the other class, in the same columns.

    Returns
    -------
    float
        The ratio; infinite when the MSR of the contrast block is zero, also for 0/0, because a
        coherent contrast separates nothing.

    Examples
    --------
    >>> from bicneuron.metrics import msr_ratio
    >>> msr_ratio([[0, 0], [0, 2]], [[0, 0], [0, 4]])
    0.25
    >>> msr_ratio([[0, 0], [0, 2]], [[1, 2], [3, 4]])
    inf
    """
    anchor = check_array(anchor_block, dtype=np.float64, input_name="anchor_block")
    contrast = check_array(contrast_block, dtype=np.float64, input_name="contrast_block")
    if anchor.shape[1] != contrast.shape[1]:
        raise ValueError(
            f"anchor_block has {anchor.shape[1]} columns and contrast_block {contrast.shape[1]}; "
            "pass both on the same columns."
        )
    numerator, numerator_exponent = _scaled_residue(anchor)
    denominator, denominator_exponent = _scaled_residue(contrast)
    ratio = float(residue_ratio(numerator, denominator))
    with np.errstate(over="ignore"):
        return float(np.ldexp(ratio, numerator_exponent - denominator_exponent))


def _scaled_residue(block: FloatArray) -> tuple[float, int]:
    """Return (h, e) with H = h * 2**e; squaring the residues themselves could leave the range."""
    shift = max(0, _exponent_of_largest(block) - _SAFE_EXPONENT)
    residue = residues(np.ldexp(block, -shift))
    exponent = _exponent_of_largest(residue)
    return mean_square(np.ldexp(residue, -exponent)), 2 * (exponent + shift)


def _exponent_of_largest(values: FloatArray) -> int:
    return int(np.frexp(np.max(np.abs(values)))[1])
