"""Tables on which the whole protocol of ``bicneuron find`` is judged, and how it is judged."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from bicneuron.biclustering import SubgroupBiclustering
from bicneuron.datasets import PlantedGroup, PlantedTable
from bicneuron.patterns import proven_patterns
from bicneuron.significance import group_findings
from studies._ranked import row_column_jaccard

# Correlated columns of a block, and their correlation.
BLOCK, CORRELATION = 20, 0.6
N_FACTORS = 3
SIZE = {"n_cases": 50, "n_controls": 50, "n_columns": 1000}
# A group of 15 of 50 cases in 12 columns, shifted by 2; and classes that differ by 0.5 in a tenth.
PLANTED = {"group": (15, 12), "shift": 2.0}
WIDE = {"wide": (0.1, 0.5)}
FINDING_TABLES: dict[str, dict[str, Any]] = {
    "null-noise": SIZE,
    "null-blocks": {**SIZE, "structure": "blocks"},
    "null-factors": {**SIZE, "structure": "factors"},
    "null-unequal": {**SIZE, "n_cases": 20, "n_controls": 80},
    "null-patients": {**SIZE, "structure": "patients"},
    "group": {**SIZE, **PLANTED},
    "group-wide": {**SIZE, **PLANTED, **WIDE},
    "group-blocks": {**SIZE, **PLANTED, "structure": "blocks"},
}


def make_table(
    *,
    n_cases: int,
    n_controls: int,
    n_columns: int,
    structure: str = "independent",
    group: tuple[int, int] | None = None,
    shift: float = 0.0,
    wide: tuple[float, float] = (0.0, 0.0),
    random_state: Any = None,
) -> PlantedTable:
    """Cases first, then controls; columns of variance 1.

    Parameters
    ----------
    n_cases, n_controls, n_columns : int
    structure : {"independent", "blocks", "factors", "patients"}, default="independent"
        Of the noise: blocks of correlated columns, a few factors that all columns depend on, or two
        rows of each patient that are correlated by a half.
    group : (int, int) or None, default=None
        Cases and columns that are shifted.
    shift : float, default=0.0
        With a sign by column.
    wide : (float, float), default=(0.0, 0.0)
        Share of the columns in which all cases are shifted, and by how much.
    random_state : int or RandomState, default=None

    Returns
    -------
    PlantedTable
        The group comes first, then the shift of all cases.
    """
    random = check_random_state(random_state)
    n_rows = n_cases + n_controls
    X = random.standard_normal((n_rows, n_columns))
    if structure == "blocks":
        common = np.repeat(random.standard_normal((n_rows, n_columns // BLOCK)), BLOCK, axis=1)
        X = np.sqrt(1 - CORRELATION) * X + np.sqrt(CORRELATION) * common
    elif structure == "factors":
        loadings = random.standard_normal((N_FACTORS, n_columns))
        X = (X + random.standard_normal((n_rows, N_FACTORS)) @ loadings) / np.sqrt(1 + N_FACTORS)
    elif structure == "patients":
        of_patient = np.repeat(random.standard_normal((n_rows // 2, n_columns)), 2, axis=0)
        X = (X + of_patient) / np.sqrt(2)
    y = np.repeat(["case", "control"], [n_cases, n_controls])
    share, size = wide
    planted = []
    for shape, by in ((group, shift), ((n_cases, round(share * n_columns)), size)):
        if shape is not None and shape[1]:
            rows = np.sort(random.permutation(n_cases)[: shape[0]])
            columns = np.sort(random.permutation(n_columns)[: shape[1]])
            X[np.ix_(rows, columns)] += by * random.choice([-1, 1], len(columns))
            planted.append(PlantedGroup(rows, columns))
    return PlantedTable(X, y, tuple(planted))


class Judged(NamedTuple):
    """What the protocol says of one table.

    Parameters
    ----------
    n_findings : int
    jaccard : float or None
        Of the rows of the planted group with those of the finding that fits best; 0 without any.
    n_named, n_false : int
        Columns that are named in sentences about that finding, and those of them that carry no
        difference.
    n_planted : int
        Columns of the planted group with evidence of their own.
    """

    n_findings: int
    jaccard: float | None
    n_named: int
    n_false: int
    n_planted: int


def judge(table: PlantedTable, groups: Any, seed: int) -> Judged:
    """Search a table, test what is found, and compare the findings with what was planted.

    Parameters
    ----------
    table : PlantedTable
    groups : array of shape (n_rows,) or None
        Rows that belong together.
    seed : int
    """
    miner = SubgroupBiclustering().fit(table.X)
    found, columns = group_findings(miner, table.X, table.y, groups=groups, random_state=seed)
    findings = proven_patterns(found.patterns_)
    if not table.groups or not findings:
        return Judged(len(findings), 0.0 if table.groups else None, 0, 0, 0)
    group = table.groups[0]
    indices = [row_column_jaccard([one], group)[0] for one in findings]
    best = findings[int(np.argmax(indices))]
    named = best.columns[best.named_columns]
    evidence = next(one for one in columns if one.pattern == best)
    differing = np.concatenate([planted.columns for planted in table.groups])
    return Judged(
        len(findings),
        max(indices),
        len(named),
        int(np.sum(~np.isin(named, differing))),
        int(evidence.is_proven[group.columns].sum()),
    )
