"""Tables on which the whole protocol of ``bicneuron find`` is judged, and how it is judged."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from bicneuron import find_groups
from bicneuron._core._arrays import BoolArray, FloatArray
from bicneuron.datasets import PlantedGroup, PlantedTable
from bicneuron.patterns import proven_patterns
from studies._ranked import row_column_jaccard

# Correlated columns of a block, and their correlation by the name of the structure.
BLOCK, CORRELATIONS = 20, {"blocks": 0.6, "loose blocks": 0.3}
N_FACTORS = 3
SIZE = {"n_cases": 50, "n_controls": 50, "n_columns": 1000}
# A group of 15 of 50 cases in 12 columns, shifted by 2; and classes that differ by 0.5 in a tenth.
PLANTED = {"group": [15, 12], "shift": 2.0}
WIDE = {"wide": [0.1, 0.5]}
SMALL = {"n_cases": 40, "n_controls": 40, "n_columns": 200}
GRADIENT_COLUMNS = 12
FINDING_TABLES: dict[str, dict[str, Any]] = {
    "null-noise": SIZE,
    "null-blocks": {**SIZE, "structure": "blocks"},
    "null-factors": {**SIZE, "structure": "factors"},
    "null-unequal": {**SIZE, "n_cases": 20, "n_controls": 80},
    "null-patients": {**SIZE, "structure": "patients"},
    "group": {**SIZE, **PLANTED},
    "group-wide": {**SIZE, **PLANTED, **WIDE},
    "group-blocks": {**SIZE, **PLANTED, "structure": "blocks"},
    # One gradient in 12 of 200 columns, by its shape and its effect on a column; without classes.
    **{
        f"null-{shape}-{load:g}": {**SMALL, "gradient": [shape, load], "has_classes": False}
        for shape in ("normal", "gamma", "uniform", "t3", "lognormal")
        for load in (1.0, 1.5)
    },
    "null-blocks-small": {**SMALL, "structure": "blocks", "has_classes": False},
    "null-blocks-loose": {**SMALL, "structure": "loose blocks", "has_classes": False},
    "null-batch": {**SMALL, "gradient": ["gamma", 1.5], "batch": 2.0, "has_classes": False},
    # Classes that differ in many columns, without a group inside them.
    "wide-0.5": {**SMALL, "n_columns": 300, "wide": [0.3, 0.5]},
    "wide-1": {**SMALL, "n_columns": 300, "wide": [0.1, 1.0]},
}


def make_table(  # noqa: PLR0913  # each is one property of the tables
    *,
    n_cases: int,
    n_controls: int,
    n_columns: int,
    structure: str = "independent",
    group: tuple[int, int] | None = None,
    shift: float = 0.0,
    wide: tuple[float, float] = (0.0, 0.0),
    gradient: tuple[str, float] | None = None,
    batch: float = 0.0,
    has_classes: bool = True,
    random_state: Any = None,
) -> PlantedTable:
    """Cases first, then controls; columns of variance 1.

    Parameters
    ----------
    n_cases, n_controls, n_columns : int
    structure : {"independent", "factors", "patients"} or a name of CORRELATIONS
        Of the noise: blocks of correlated columns, a few factors, or two rows of each patient that
        are correlated by a half.
    group, shift : (int, int) or None, and float
        Cases and columns that are shifted, and by how much, with a sign by column.
    wide : (float, float), default=(0.0, 0.0)
        Share of the columns in which all cases are shifted, and by how much.
    gradient : (str, float) or None, default=None
        Distribution of a value of each row, of mean 0 and deviation 1 (the heavy-tailed of median
        0), and the factor with which, and a sign by column, it is added to the first columns.
    batch : float, default=0.0
        Added to these in the rows of `batch_of`.
    has_classes : bool, default=True
        Whether the classes are given to the test.
    random_state : int or RandomState, default=None

    Returns
    -------
    PlantedTable
        The group comes first, then the shift of all cases.
    """
    random = check_random_state(random_state)
    n_rows = n_cases + n_controls
    X = random.standard_normal((n_rows, n_columns))
    if correlation := CORRELATIONS.get(structure):
        common = np.repeat(random.standard_normal((n_rows, n_columns // BLOCK)), BLOCK, axis=1)
        X = np.sqrt(1 - correlation) * X + np.sqrt(correlation) * common
    elif structure == "factors":
        loadings = random.standard_normal((N_FACTORS, n_columns))
        X = (X + random.standard_normal((n_rows, N_FACTORS)) @ loadings) / np.sqrt(1 + N_FACTORS)
    elif structure == "patients":
        of_patient = np.repeat(random.standard_normal((n_rows // 2, n_columns)), 2, axis=0)
        X = (X + of_patient) / np.sqrt(2)
    if gradient is not None:
        distribution, load = gradient
        signs = random.choice([-1, 1], GRADIENT_COLUMNS)
        values = load * _values(distribution, n_rows, random) + batch * batch_of(n_rows)
        X[:, :GRADIENT_COLUMNS] += values[:, None] * signs
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


def batch_of(n_rows: int) -> BoolArray:
    """Two of five rows."""
    return np.asarray(np.arange(n_rows) % 5 < 2)


def _values(distribution: str, n: int, random: Any) -> FloatArray:
    """Values of rows on a gradient."""
    values: dict[str, FloatArray] = {
        "normal": random.standard_normal(n),
        "gamma": (random.gamma(1.5, size=n) - 1.5) / np.sqrt(1.5),
        "uniform": np.sqrt(12) * (random.random_sample(n) - 0.5),
        "t3": random.standard_t(3, size=n) / np.sqrt(3),
        "lognormal": (random.lognormal(size=n) - 1.0) / np.sqrt((np.e - 1) * np.e),
    }
    return values[distribution]


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
    first_p, separate_p : float
        P of a separate group, corrected: of the first that was tested, and the smallest; 1 if none
        was.
    separate_jaccard : float or None
        As ``jaccard``, of the groups that are called separate.
    tells_classes : bool
        Whether the answer says that the classes differ in some columns.
    """

    n_findings: int
    jaccard: float | None
    n_named: int
    n_false: int
    n_planted: int
    first_p: float
    separate_p: float
    separate_jaccard: float | None
    tells_classes: bool


def judge(table: PlantedTable, settings: Mapping[str, Any], seed: int) -> Judged:
    """Search a table, test what is found, and compare the findings with what was planted.

    Parameters
    ----------
    table : PlantedTable
    settings : mapping
        What it was made with.
    seed : int
    """
    n_rows = len(table.X)
    known: dict[str, Any] = {
        "groups": np.arange(n_rows) // 2 if settings.get("structure") == "patients" else None,
        "strata": batch_of(n_rows) if settings.get("batch") else None,
    }
    y = table.y if settings.get("has_classes", True) else None
    result = find_groups(table.X, y, random_state=seed, **known)
    found, columns = result.miner, result.columns
    findings = proven_patterns(found.patterns_)
    told = [one.evidence for one in found.patterns_ if one.evidence is not None]
    p_values = [one.separate_p for one in told if one.separate_p is not None]
    separate = [one for one in found.patterns_ if one.evidence and one.evidence.is_separate]
    indices = {"findings": [0.0], "separate": [0.0]}
    for name, patterns in (("findings", findings), ("separate", separate)):
        for group in table.groups[:1]:
            indices[name] += [row_column_jaccard([one], group)[0] for one in patterns]
    judged = Judged(
        n_findings=len(findings),
        jaccard=max(indices["findings"]) if table.groups else None,
        n_named=0,
        n_false=0,
        n_planted=0,
        first_p=p_values[0] if p_values else 1.0,
        separate_p=min(p_values, default=1.0),
        separate_jaccard=max(indices["separate"]) if table.groups else None,
        tells_classes=bool(found.class_columns_) and "classes differ in" in found.summary(),
    )
    if not table.groups or not findings:
        return judged
    best = findings[int(np.argmax(indices["findings"][1:]))]
    named = best.columns[best.named_columns]
    evidence = next(one for one in columns if one.pattern == best)
    differing = np.concatenate([planted.columns for planted in table.groups])
    return judged._replace(
        n_named=len(named),
        n_false=int(np.sum(~np.isin(named, differing))),
        n_planted=int(evidence.is_proven[table.groups[0].columns].sum()),
    )
