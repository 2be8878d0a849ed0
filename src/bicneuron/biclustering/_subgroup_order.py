"""An order of rows and columns that depends on their content alone."""

from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import FloatArray, IndexArray

# Decimals that standardised values keep.
DECIMALS = 5


class CanonicalOrder(NamedTuple):
    """Rows and columns of a table, so that its order and copies of columns do not matter.

    Parameters
    ----------
    rows : array of intp
    columns : array of intp
        Without constant columns, and one of each set of equal ones.
    copies : list of arrays of intp
        For each of these, all columns of the table that are equal to it up to the sign.
    signs : list of arrays
        Their signs.
    """

    rows: IndexArray
    columns: IndexArray
    copies: list[IndexArray]
    signs: list[FloatArray]


def canonical_order(Z: FloatArray) -> CanonicalOrder:
    """Sort rows and columns of a standardised table.

    Columns are compared with one decimal less than they have: the same column in two units differs
    by rounding.
    """
    varied = np.flatnonzero(Z.any(axis=0))
    rounded = np.round(Z[:, varied], DECIMALS - 1)
    by_key: dict[bytes, list[int]] = {}
    for column, values in zip(varied.tolist(), rounded.T, strict=True):
        key = min((v + 0.0).tobytes() for v in (values, -values))
        by_key.setdefault(key, []).append(column)
    copies = [np.array(group) for group in by_key.values()]
    content = [_digest(np.sort(Z[:, group[0]])) for group in copies]
    copies = [copies[k] for k in sorted(range(len(copies)), key=content.__getitem__)]
    columns = np.array([group[0] for group in copies], dtype=np.intp)
    table = Z[:, columns]
    rows = np.array(sorted(range(len(Z)), key=lambda row: _digest(table[row])), dtype=np.intp)
    signs = [
        np.sign(np.einsum("ij,i->j", Z[:, group], Z[:, group[0]])) if len(group) > 1 else np.ones(1)
        for group in copies
    ]
    return CanonicalOrder(rows, columns, copies, signs)


def _digest(values: FloatArray) -> bytes:
    return blake2b(np.ascontiguousarray(values).tobytes(), digest_size=16).digest()
