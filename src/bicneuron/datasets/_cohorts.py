"""Two cohorts of the same disease, with a hidden group of patients that both have."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from bicneuron._core._arrays import FloatArray

if TYPE_CHECKING:
    import pandas as pd

# Patients and controls of both cohorts, and the share of the patients that has the group.
_SIZES, _SHARE = ((60, 40), (50, 30)), 1 / 3
_N_GENES, _N_SIGNATURE, _N_MARKERS, _N_OF_BATCH = 1000, 12, 15, 80
# In standard deviations of the other rows.
_SHIFT_OF_GROUP, _SHIFT_OF_CLASS, _SHIFT_OF_BATCH = 2.0, 0.8, 1.5
# Genes that the second platform lacks, as a share of those that are not planted.
_ABSENT = 0.3


class PlantedCohorts(NamedTuple):
    """Two tables and what was planted in them.

    ``first`` and ``second`` have one row for each person, with the columns ``status`` (patient or
    control), ``batch`` (of the first cohort only) and genes. ``members`` names the patients with
    the hidden group, by cohort, ``signature`` the genes in which these differ from all others,
    ``markers`` those in which all patients differ from controls, a little, and ``of_batch`` those
    that the batch shifts.
    """

    first: "pd.DataFrame"
    second: "pd.DataFrame"
    members: tuple[list[str], list[str]]
    signature: list[str]
    markers: list[str]
    of_batch: list[str]


def make_cohorts(*, random_state: int | np.random.RandomState | None = None) -> PlantedCohorts:
    """Make two cohorts with a hidden group in a third of the patients, and a batch in the first.

    Genes are normal numbers. The group is shifted by two standard deviations in 12 of 1,000 genes,
    all patients by 0.8 in 15 others, and the second batch by 1.5 in 80. The second cohort has other
    units, and lacks 30 % of the genes that are not planted.

    Parameters
    ----------
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same tables on each call.

    Returns
    -------
    PlantedCohorts

    Examples
    --------
    >>> from bicneuron.datasets import make_cohorts
    >>> made = make_cohorts(random_state=0)
    >>> made.first.shape, made.second.shape, len(made.members[0]), len(made.signature)
    ((100, 1002), (80, 709), 20, 12)
    """
    random = check_random_state(random_state)
    names = [f"GENE{j:04d}" for j in range(1, _N_GENES + 1)]
    order = random.permutation(_N_GENES)
    signature, markers, of_batch = np.split(
        order, np.cumsum([_N_SIGNATURE, _N_MARKERS, _N_OF_BATCH])
    )[:3]
    ways = random.choice([-1.0, 1.0], _N_SIGNATURE), random.choice([-1.0, 1.0], _N_MARKERS)
    tables, members = [], []
    for letter, (n_patients, n_controls) in zip("PQ", _SIZES, strict=True):
        n_rows, n_members = n_patients + n_controls, round(_SHARE * n_patients)
        X = random.standard_normal((n_rows, _N_GENES))
        X[:n_members, signature] += _SHIFT_OF_GROUP * ways[0]
        X[:n_patients, markers] += _SHIFT_OF_CLASS * ways[1]
        rows = random.permutation(n_rows)
        ids = np.empty(n_rows, dtype=object)
        ids[rows] = [f"{letter}{i:03d}" for i in range(1, n_rows + 1)]
        tables.append((X, ids, np.repeat(["patient", "control"], [n_patients, n_controls])))
        members.append(sorted(ids[:n_members].tolist()))
    (X, _, _), (X2, _, _) = tables
    in_second = random.permutation(len(X)) % 2 == 0
    X[np.ix_(in_second, of_batch)] += _SHIFT_OF_BATCH
    unplanted = np.setdiff1d(order, np.concatenate([signature, markers]))
    absent = random.permutation(unplanted)[: round(_ABSENT * len(unplanted))]
    gains, levels = np.exp(random.normal(0, 0.3, _N_GENES)), random.normal(8, 2, _N_GENES)
    first = _table(*tables[0], names).assign(batch=np.where(in_second, "B", "A"))
    second = _table(levels + gains * X2, *tables[1][1:], names)
    genes_of = (sorted(names[j] for j in columns) for columns in (signature, markers, of_batch))
    return PlantedCohorts(
        first.sort_index()[["status", "batch", *names]],
        second.sort_index().drop(columns=[names[j] for j in absent]),
        (members[0], members[1]),
        *genes_of,
    )


def _table(X: FloatArray, ids: FloatArray, status: FloatArray, names: list[str]) -> "pd.DataFrame":
    import pandas as pd

    index = pd.Index(ids, name="person")
    table = pd.DataFrame(X.round(3), index=index, columns=names)
    table.insert(0, "status", status)
    return table
