"""The simulated tables of FABIA: overlapping blocks, each a product of two sparse factors."""

from numbers import Integral

import numpy as np
from sklearn.utils import check_random_state, check_scalar

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron.datasets import PlantedGroup, PlantedTable
from bicneuron.datasets._additive import check_magnitude

# A block has at least so many rows and columns, and up to this share of the table more.
FEWEST_ROWS, FEWEST_COLUMNS, SHARE = 5, 10, 1 / 5
# Mean and standard deviation of the factors within a block: of its rows, and of its columns, whose
# mean has a sign at random.
ROW_FACTOR, COLUMN_FACTOR = (2.0, 1.0), (3.0, 1.0)
# Standard deviation of the factors outside of a block.
OUTSIDE = 0.2


def make_fabia_blocks(
    n_rows: int = 100,
    n_columns: int = 1000,
    *,
    n_blocks: int = 10,
    noise: float = 3.0,
    shuffle: bool = True,
    random_state: int | np.random.RandomState | None = None,
) -> PlantedTable:
    """Plant blocks that may overlap in rows and columns, as the authors of FABIA did.

    The table is a sum of products z λ', one for each block, plus normal noise. In the rows of the
    block z is drawn from N(2, 1), in its columns λ from N(3, 1) or N(-3, 1), with equal chance; in
    all other rows and columns both are drawn from N(0, 0.2²). A block has 5 rows and up to a fifth
    of the table more, and 10 columns and up to a fifth more.

    *Sourced:* the manual of the R package fabia, function ``makeFabiaDataBlocks`` with the values
    of its demonstration. *Our reading:* the first row and the first column of a block are drawn
    uniformly among those where it fits. Samples are rows here; there they are columns.

    Parameters
    ----------
    n_rows : int, default=100
        Samples, at least 10.
    n_columns : int, default=1000
        Genes, at least 20.
    n_blocks : int, default=10
        0 gives noise only.
    noise : float, default=3.0
        Standard deviation of the noise.
    shuffle : bool, default=True
        If False, rows and columns of a block are consecutive.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same table on each call.

    Returns
    -------
    PlantedTable
        ``y`` is None.

    References
    ----------
    S. Hochreiter et al., "FABIA: factor analysis for bicluster acquisition", Bioinformatics 2010.

    Examples
    --------
    >>> from studies.discovery.fabia import make_fabia_blocks
    >>> X, _, blocks = make_fabia_blocks(random_state=0)
    >>> X.shape, len(blocks)
    ((100, 1000), 10)
    """
    check_scalar(n_rows, "n_rows", Integral, min_val=2 * FEWEST_ROWS)
    check_scalar(n_columns, "n_columns", Integral, min_val=2 * FEWEST_COLUMNS)
    check_scalar(n_blocks, "n_blocks", Integral, min_val=0)
    check_magnitude("noise", noise)
    random = check_random_state(random_state)
    X = random.normal(0.0, noise, (n_rows, n_columns))
    row_order, column_order = (
        random.permutation(size) if shuffle else np.arange(size) for size in X.shape
    )
    blocks = []
    for _ in range(n_blocks):
        rows = row_order[_consecutive(n_rows, FEWEST_ROWS, random)]
        columns = column_order[_consecutive(n_columns, FEWEST_COLUMNS, random)]
        signs = random.choice([-1.0, 1.0], len(columns))
        X += np.outer(
            _factor(n_rows, rows, random.normal(*ROW_FACTOR, len(rows)), random),
            _factor(
                n_columns, columns, signs * random.normal(*COLUMN_FACTOR, len(columns)), random
            ),
        )
        blocks.append(PlantedGroup(np.sort(rows), np.sort(columns)))
    return PlantedTable(X, None, tuple(blocks))


def _consecutive(length: int, fewest: int, random: np.random.RandomState) -> slice:
    """A part of ``range(length)`` of random size at a random place."""
    size = fewest + int(random.uniform() * SHARE * length)
    first = random.randint(length - size + 1)
    return slice(first, first + size)


def _factor(
    length: int, inside: IndexArray, values: FloatArray, random: np.random.RandomState
) -> FloatArray:
    factor = random.normal(0.0, OUTSIDE, length)
    factor[inside] = values
    return factor
