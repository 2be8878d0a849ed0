"""Tables with blocks of the kinds that classical biclustering was made for."""

from typing import Literal, get_args

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron.datasets import PlantedGroup, PlantedTable

BlockKind = Literal[
    "constant", "shifted", "additive", "multiplicative", "overlapping", "differential", "none"
]
BLOCK_KINDS: tuple[BlockKind, ...] = get_args(BlockKind)
# Kinds whose tables have labels: blocks are in the cases only, which are half of the rows.
LABELLED_KINDS = {"differential", "none"}
LEVEL, NOISE = 3.0, 0.1


def make_block_table(
    kind: BlockKind,
    *,
    n_rows: int = 300,
    n_columns: int = 80,
    block_rows: int = 60,
    block_columns: int = 12,
    random_state: int,
) -> PlantedTable:
    """Plant a block in standard normal noise.

    Parameters
    ----------
    kind : str
        "constant": one value; "shifted": one of two opposite values by column; "additive": the sum
        of a row effect and a column effect, both standard normal; "multiplicative": a standard
        normal row effect times a column effect of 0.5 to 1.5; "overlapping": two shifted blocks
        with half of their rows in common; "differential": a standard normal row effect with a sign
        by column, so that means and variances are as everywhere; "none": no block.
    n_rows, n_columns, block_rows, block_columns : int
        Sizes of the table and of a block.
    random_state : int

    Returns
    -------
    PlantedTable
        "differential" and "none" have labels, and half of the rows are cases.
    """
    rng, block = np.random.default_rng(random_state), (block_rows, block_columns)
    X = rng.normal(size=(n_rows, n_columns))
    rows, columns = rng.permutation(n_rows), rng.permutation(n_columns)
    places = [] if kind == "none" else [(rows[: block[0]], columns[: block[1]])]
    if kind == "overlapping":
        half = block[0] // 2
        places.append((rows[half : half + block[0]], columns[block[1] : 2 * block[1]]))
    for own_rows, own_columns in places:
        values = _values(kind, block, rng) + NOISE * rng.normal(size=block)
        X[np.ix_(own_rows, own_columns)] = values
    groups = tuple(PlantedGroup(np.sort(r), np.sort(c)) for r, c in places)
    is_case = np.isin(np.arange(n_rows), rows[: n_rows // 2])
    y = np.where(is_case, "case", "control") if kind in LABELLED_KINDS else None
    return PlantedTable(X, y, groups)


def _values(kind: BlockKind, block: tuple[int, int], rng: np.random.Generator) -> FloatArray:
    n_rows, n_columns = block
    if kind == "constant":
        return np.full(block, LEVEL)
    if kind == "additive":
        return rng.normal(size=(n_rows, 1)) + rng.normal(size=n_columns)
    if kind == "multiplicative":
        return rng.normal(size=(n_rows, 1)) * rng.uniform(0.5, 1.5, size=n_columns)
    signs: FloatArray = rng.choice([-1.0, 1.0], n_columns)
    if kind == "differential":
        return rng.normal(size=(n_rows, 1)) * signs
    return np.tile(LEVEL * signs, (n_rows, 1))
