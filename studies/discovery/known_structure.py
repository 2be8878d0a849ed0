"""Tables with a hidden group, and with a division of the rows that is known and no group."""

import numpy as np
from sklearn.utils import check_random_state

from bicneuron._core._arrays import BoolArray, IndexArray
from bicneuron.datasets import PlantedGroup, PlantedTable, make_subgroups


def make_batch(
    *,
    n_cases: int = 50,
    n_controls: int = 50,
    n_columns: int = 2000,
    n_signature: int = 10,
    n_batch_columns: int = 200,
    batch_share: float = 0.8,
    shift: float = 2.0,
    random_state: int,
) -> PlantedTable:
    """Plant a group of the cases, and a batch that is confounded with the class.

    Parameters
    ----------
    n_cases, n_controls, n_columns : int
        Size of the table.
    n_signature, n_batch_columns : int
        Columns that the group and the batch change; they have none in common.
    batch_share : float, default=0.8
        Of the cases, the share that is in the batch; of the controls as many are not in it.
    shift : float, default=2.0
        Of the group and of the batch, with a sign per column.
    random_state : int

    Returns
    -------
    PlantedTable
        The first group is the hidden one, of 30 % of the cases. The second is the batch.

    Examples
    --------
    >>> from studies.discovery.known_structure import make_batch, strata_of
    >>> X, y, (group, batch) = make_batch(random_state=0)
    >>> labels = y[strata_of(batch, len(X))].tolist()
    >>> labels.count("case"), labels.count("control"), len(group.rows), len(batch.columns)
    (40, 10, 15, 200)
    """
    random = check_random_state(random_state)
    table = make_subgroups(
        "shift",
        shift=shift,
        n_cases=n_cases,
        n_controls=n_controls,
        n_columns=n_columns,
        n_signature=n_signature,
        random_state=random,
    )
    chosen = [
        random.choice(np.flatnonzero(table.y == label), round(share * size), replace=False)
        for label, share, size in (
            ("case", batch_share, n_cases),
            ("control", 1 - batch_share, n_controls),
        )
    ]
    return _with_structure(table, np.sort(np.concatenate(chosen)), n_batch_columns, shift, random)


def make_sexes(
    *,
    n_cases: int = 50,
    n_controls: int = 50,
    n_columns: int = 2000,
    n_signature: int = 10,
    n_sex_columns: int = 6,
    shift: float = 2.0,
    sex_shift: float = 4.0,
    random_state: int,
) -> PlantedTable:
    """Plant a group of the cases, and a few columns that tell one half of the rows from the other.

    Parameters
    ----------
    n_cases, n_controls, n_columns : int
        Size of the table.
    n_signature, n_sex_columns : int
        Columns that tell the group and the halves; they have none in common.
    shift, sex_shift : float
        Of the group, and between the halves, with a sign per column.
    random_state : int

    Returns
    -------
    PlantedTable
        The first group is the hidden one, of 30 % of the cases. The second is a half of all rows,
        drawn without regard to the class.

    Examples
    --------
    >>> from studies.discovery.known_structure import make_sexes
    >>> X, y, (group, sex) = make_sexes(random_state=0)
    >>> len(group.rows), len(sex.rows), len(sex.columns)
    (15, 50, 6)
    """
    random = check_random_state(random_state)
    table = make_subgroups(
        "shift",
        shift=shift,
        n_cases=n_cases,
        n_controls=n_controls,
        n_columns=n_columns,
        n_signature=n_signature,
        random_state=random,
    )
    half = np.sort(random.permutation(len(table.X))[: len(table.X) // 2])
    return _with_structure(table, half, n_sex_columns, sex_shift, random)


def strata_of(structure: PlantedGroup, n_rows: int) -> BoolArray:
    """For each row whether it is in the known part."""
    return np.isin(np.arange(n_rows), structure.rows)


def _with_structure(
    table: PlantedTable,
    rows: IndexArray,
    n_columns: int,
    shift: float,
    random: np.random.RandomState,
) -> PlantedTable:
    """Shift rows in columns that no group has."""
    taken = np.concatenate([group.columns for group in table.groups])
    free = np.setdiff1d(np.arange(table.X.shape[1]), taken)
    columns = np.sort(random.choice(free, n_columns, replace=False))
    table.X[np.ix_(rows, columns)] += shift * random.choice([-1.0, 1.0], n_columns)
    return table._replace(groups=(*table.groups, PlantedGroup(rows, columns)))
