"""Tables with a group that has rows of both classes."""

import numpy as np
from sklearn.utils import check_random_state

from bicneuron.datasets import PlantedGroup, PlantedTable, make_subgroups


def make_shared_group(
    case_carriers: int,
    control_carriers: int,
    *,
    n_cases: int = 50,
    n_controls: int = 50,
    n_columns: int = 2000,
    n_signature: int = 12,
    shift: float = 2.0,
    random_state: int,
) -> PlantedTable:
    """Plant a group of some of the cases and some of the controls in standard normal noise.

    Parameters
    ----------
    case_carriers, control_carriers : int
        Rows of the group in either class.
    n_cases, n_controls, n_columns : int
        Size of the table.
    n_signature : int, default=12
        Columns in which the group differs.
    shift : float, default=2.0
        What is added to or subtracted from the rows of the group, with a sign per column.
    random_state : int

    Returns
    -------
    PlantedTable

    Examples
    --------
    >>> from studies.discovery.shares import make_shared_group
    >>> X, y, (group,) = make_shared_group(25, 9, random_state=0)
    >>> labels = y[group.rows].tolist()
    >>> X.shape, labels.count("case"), labels.count("control"), len(group.columns)
    ((100, 2000), 25, 9, 12)
    """
    random = check_random_state(random_state)
    X, y, _ = make_subgroups(
        "none",
        n_cases=n_cases,
        n_controls=n_controls,
        n_columns=n_columns,
        random_state=random,
    )
    chosen = [
        random.choice(np.flatnonzero(y == label), size, replace=False)
        for label, size in (("case", case_carriers), ("control", control_carriers))
    ]
    rows = np.sort(np.concatenate(chosen))
    columns = np.sort(random.permutation(n_columns)[:n_signature])
    X[np.ix_(rows, columns)] += shift * random.choice([-1.0, 1.0], n_signature)
    return PlantedTable(X, y, (PlantedGroup(rows, columns),))
