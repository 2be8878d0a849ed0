"""Recovery of planted groups by the first of ranked biclusters."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from sklearn.metrics import adjusted_rand_score

from bicneuron._core._arrays import IndexArray
from bicneuron.metrics._recovery import BlockLike, cell_jaccard, indices_of


def row_column_jaccard(
    found: Sequence[BlockLike], planted: BlockLike, *, n_first: int | None = 1
) -> tuple[float, float]:
    """Jaccard index of rows and of columns between a planted block and the best of the first found.

    The best one has the largest `cell_jaccard`; if none has a cell of the planted block, it has the
    largest sum of the two indices.

    Parameters
    ----------
    found : sequence of bicluster or (rows, columns)
        Ranked, the best first.
    planted : bicluster or (rows, columns)
        What should have been found.
    n_first : int or None, default=1
        How many of the first biclusters are considered; None for all.

    Returns
    -------
    rows, columns : float
        In [0, 1]; 0 if nothing was found.

    Examples
    --------
    >>> from studies._ranked import row_column_jaccard
    >>> found = [([5, 6], [0, 1]), ([0, 1, 2, 3], [0, 1, 2])]
    >>> row_column_jaccard(found, ([0, 1], [0, 1, 2]))
    (0.0, 0.6666666666666666)
    >>> row_column_jaccard(found, ([0, 1], [0, 1, 2]), n_first=2)
    (0.5, 1.0)
    """
    rows, columns = indices_of(planted)

    def indices(block: BlockLike) -> tuple[float, float]:
        own_rows, own_columns = indices_of(block)
        return _jaccard(own_rows, rows), _jaccard(own_columns, columns)

    def quality(block: BlockLike) -> tuple[float, float]:
        return cell_jaccard(block, planted), sum(indices(block))

    best = max(found[:n_first], key=quality, default=None)
    return (0.0, 0.0) if best is None else indices(best)


def best_row_ari(
    found: Sequence[BlockLike],
    group_rows: npt.ArrayLike,
    among: npt.ArrayLike,
    *,
    n_first: int | None = 10,
) -> float:
    """Largest adjusted Rand index between a group of rows and the rows of the first biclusters.

    Both divide the rows ``among`` which they are in two: inside and outside.

    Parameters
    ----------
    found : sequence of bicluster or (rows, columns)
        Ranked, the best first.
    group_rows : array-like of int
        Rows of the group.
    among : array-like of int
        The rows that are divided, such as all cases. Other rows of a bicluster are ignored.
    n_first : int or None, default=10
        How many of the first biclusters are considered; None for all.

    Returns
    -------
    float
        1 if one of them has the same rows, about 0 for random rows; 0 if nothing was found.

    Examples
    --------
    >>> from studies._ranked import best_row_ari
    >>> best_row_ari([([0, 3], [0]), ([0, 1, 2, 9], [0])], [0, 1, 2], among=range(6))
    1.0
    """
    rows = np.unique(np.asarray(among))
    inside = np.isin(rows, np.asarray(group_rows))
    return max(
        (
            float(adjusted_rand_score(inside, np.isin(rows, indices_of(block)[0])))
            for block in found[:n_first]
        ),
        default=0.0,
    )


def weighted_row_ari(
    found: Sequence[BlockLike],
    planted: Sequence[BlockLike],
    n_rows: int,
    *,
    n_first: int | None = 10,
) -> float:
    """Mean over planted blocks of `best_row_ari` among all rows, weighted by their numbers of rows.

    This is the measure of UnPaSt (arXiv 2408.00200), restricted to the first biclusters.

    Parameters
    ----------
    found : sequence of bicluster or (rows, columns)
        Ranked, the best first.
    planted : sequence of bicluster or (rows, columns)
        At least one.
    n_rows : int
        Rows of the table.
    n_first : int or None, default=10
        How many of the first biclusters are considered; None for all.

    Returns
    -------
    float
        1 if the rows of each block were found.

    Examples
    --------
    >>> from studies._ranked import weighted_row_ari
    >>> planted = [([0, 1, 2], [0]), ([3], [1])]
    >>> weighted_row_ari([([0, 1, 2], [0]), ([3], [1])], planted, n_rows=20)
    1.0
    """
    groups = [indices_of(block)[0] for block in planted]
    scores = [best_row_ari(found, rows, np.arange(n_rows), n_first=n_first) for rows in groups]
    return float(np.average(scores, weights=[len(rows) for rows in groups]))


def _jaccard(a: IndexArray, b: IndexArray) -> float:
    covered = len(np.union1d(a, b))
    return len(np.intersect1d(a, b)) / covered if covered else 0.0
