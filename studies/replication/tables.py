"""Pairs of tables: one that is searched, and a second cohort."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron.outcomes import Survival
from reproduction.datasets import get_data_home
from studies._drawn_tables import TableKind

# Null patterns of real cohorts share tables: many pairs, with some patterns each.
N_TABLES = {"level": 100, "separate": 200, "labels": 200, "list": 200, "power": 40, "cohorts": 1}
COHORTS = ("vdx", "nki", "expo")
N_ROWS, N_COLUMNS, N_PLANTED = 100, 1000, 10
BASE = {"shift": 2.0, "share": 0.15, "rows": N_ROWS, "present": 1.0}
CURVES = {
    "shift": (1.0, 1.25, 1.5, 2.0),
    "rows": (40, 60, 100, 200),
    "share": (0.05, 0.1, 0.15, 0.3, 0.5),
    "present": (0.3, 0.5, 0.8, 1.0),
}
DISTORTIONS = ("rows", "columns", "batch")
# Tables of gradients and groups: rows, columns, those of the group and of a block of columns, and
# rows of the group in the first table.
SMALL_ROWS, SMALL_COLUMNS, N_OWN, BLOCK, FIRST_MEMBERS = 80, 300, 12, 20, 17
SECOND_SHIFT, BATCH_SHIFT = 1.5, 2.0
# Values of a gradient, of standard deviation 1.
GRADIENTS: dict[str, Callable[[np.random.Generator], FloatArray]] = {
    "normal": lambda random: random.normal(size=SMALL_ROWS),
    "gamma": lambda random: random.gamma(1.5, size=SMALL_ROWS) / np.sqrt(1.5),
    "uniform": lambda random: random.random(SMALL_ROWS) * np.sqrt(12),
    "t3": lambda random: random.standard_t(3, size=SMALL_ROWS) / np.sqrt(3),
    "lognormal": lambda random: random.lognormal(size=SMALL_ROWS) / np.sqrt(np.e**2 - np.e),
}
LOADINGS, CORRELATIONS = (1.0, 1.5), (0.3, 0.6)
# What is asked of the third answer, by name.
SEPARATE: dict[str, dict[str, Any]] = {
    **{
        f"{shape}-{loading:g}": {"shape": shape, "loading": loading}
        for shape in GRADIENTS
        for loading in LOADINGS
    },
    **{f"blocks-{value:g}": {"correlation": value} for value in CORRELATIONS},
    "batch": {"shape": "gamma", "loading": 1.0, "batch": True},
    "group-17": {"n_members": 17},
    "group-8": {"n_members": 8},
    "group-apart": {"n_members": 17, "correlation": 0.6, "apart": True},
}
# Groups of the first table that the second has, too.
N_REAL = 3
# Columns of a panel, and how many carry the group.
PANEL, PANEL_SHARE = 100, 0.3
HAZARD_RATIO = 3.0
# Shares of members, and of columns, to which real cohorts are cut.
CASE_MIXES, FEW_COLUMNS = (0.1, 0.6), 0.3


@dataclass(frozen=True, eq=False)
class Pair:
    """A table that is searched, and a second one.

    Parameters
    ----------
    first, second : DataFrame
        Columns are matched by name.
    members : bool array or None
        Rows of the second one that have the group of the first; None if nobody knows.
    first_members : bool array or None
        The same of the first one: the pattern that fits best is the one that is judged.
    labels : dict
        Arguments of `replicate` about the rows of the second.
    present : float
        Share of the columns of the first pattern that the second table keeps.
    groups : array of int or None
        Of the first columns, the group that each belongs to in the second; all others are noise.
    """

    first: pd.DataFrame
    second: pd.DataFrame
    members: BoolArray | None = None
    first_members: BoolArray | None = None
    labels: dict[str, Any] = field(default_factory=dict)
    present: float = 1.0
    groups: IndexArray | None = None


def named(X: FloatArray) -> pd.DataFrame:
    """A frame with names of columns."""
    return pd.DataFrame(X, columns=[f"c{k}" for k in range(X.shape[1])])


def planted(
    random: np.random.Generator, rows: int, share: float, shift: float
) -> tuple[FloatArray, BoolArray]:
    """Normal columns, some of which are higher in some of the rows."""
    X = random.normal(size=(rows, N_COLUMNS))
    members = random.permutation(rows) < share * rows
    X[:, :N_PLANTED] += shift * members[:, None]
    return X, members


def make_planted(
    *, random_state: int, distortion: str | None = None, drop: bool = False, **changed: float
) -> Pair:
    """A planted group in both tables; the second may be measured in another way."""
    random = np.random.default_rng(random_state)
    point = BASE | changed
    first, of_first = planted(random, N_ROWS, BASE["share"], point["shift"])
    X, members = planted(random, int(point["rows"]), point["share"], point["shift"])
    if distortion == "rows":
        X = np.exp(X * random.uniform(0.5, 2.0, (len(X), 1)) + random.normal(size=(len(X), 1)))
    elif distortion == "columns":
        X = X * random.uniform(0.3, 3.0, X.shape[1]) + random.normal(size=X.shape[1])
    elif distortion == "batch":
        X = X + np.outer(random.random(len(X)) < 0.5, random.normal(size=X.shape[1]))
    if drop:
        X, members = X[~members], members[~members]
    known = members if members.any() else None
    return Pair(named(first), named(X), known, of_first, present=point["present"])


def make_panel(*, random_state: int, share: float) -> Pair:
    """Both tables are panels, most of whose columns carry one group.

    Parameters
    ----------
    random_state : int
    share : float
        Of the columns that carry it.
    """
    random = np.random.default_rng(random_state)

    def panel() -> tuple[FloatArray, BoolArray]:
        X, members = random.normal(size=(N_ROWS, PANEL)), random.random(N_ROWS) < PANEL_SHARE
        X[:, : int(share * PANEL)] += 2.0 * members[:, None]
        return X, members

    (first, of_first), (X, members) = panel(), panel()
    return Pair(named(first), named(X), members, of_first)


def small_table(random: np.random.Generator, correlation: float = 0.0) -> FloatArray:
    """Normal columns, in blocks of one correlation."""
    factors = np.repeat(random.normal(size=(SMALL_ROWS, SMALL_COLUMNS // BLOCK)), BLOCK, axis=1)
    X: FloatArray = np.sqrt(1 - correlation) * random.normal(size=factors.shape)
    X += np.sqrt(correlation) * factors
    return X


def make_separate(
    *,
    random_state: int,
    shape: str | None = None,
    loading: float = 0.0,
    correlation: float = 0.0,
    n_members: int = 0,
    apart: bool = False,
    batch: bool = False,
) -> Pair:
    """A group in 12 columns of the first table, and in the second a gradient or a group.

    Parameters
    ----------
    random_state : int
    shape : {"normal", "gamma", "uniform", "t3", "lognormal"}, default=None
        Distribution of the gradient in the columns of the group.
    loading : float, default=0
        Standard deviations of the gradient, those of the noise being 1.
    correlation : float, default=0
        Of the columns of a block, in both tables.
    n_members : int, default=0
        Rows of the second table that the group has.
    apart : bool, default=False
        Whether the columns of the group are in blocks of their own.
    batch : bool, default=False
        Whether half of the rows of the second are in a known batch that shifts these columns.
    """
    random = np.random.default_rng(random_state)
    own = BLOCK * np.arange(N_OWN) if apart else np.arange(N_OWN)
    first, X = small_table(random, correlation), small_table(random, correlation)
    of_first, members = (random.permutation(SMALL_ROWS) < n for n in (FIRST_MEMBERS, n_members))
    first[:, own] += BASE["shift"] * of_first[:, None]
    X[:, own] += SECOND_SHIFT * members[:, None]
    if shape is not None:
        X[:, own] += loading * GRADIENTS[shape](random)[:, None]
    is_other = random.random(SMALL_ROWS) < 0.5
    X[:, own] += BATCH_SHIFT * (batch * is_other)[:, None]
    labels = {"strata": is_other.astype(int)} if batch else {}
    return Pair(named(first), named(X), members if n_members else None, of_first, labels)


def make_list(*, random_state: int) -> Pair:
    """Twenty groups in the first table; the second has the three that are clearest there."""
    random = np.random.default_rng(random_state)

    def table(shifts: Sequence[float]) -> FloatArray:
        X = random.normal(size=(SMALL_ROWS, 2 * SMALL_COLUMNS))
        for k, shift in enumerate(shifts):
            members = random.permutation(SMALL_ROWS) < FIRST_MEMBERS
            X[:, N_OWN * k : N_OWN * (k + 1)] += shift * members[:, None]
        return X

    first, X = table([3.0] * N_REAL + [1.75] * (20 - N_REAL)), table([2.0] * N_REAL)
    groups = np.repeat(np.arange(N_REAL), N_OWN)
    return Pair(named(first), named(X), groups=groups)


def make_exchanged(*, random_state: int) -> Pair:
    """The group is in both tables; the classes of the second are exchanged."""
    random = np.random.default_rng(random_state)
    (first, of_first), (X, members) = (planted(random, N_ROWS, 0.3, 2.0) for _ in range(2))
    labels = {"y2": random.permutation(members).astype(int)}
    return Pair(named(first), named(X), members, of_first, labels)


def make_strata(*, random_state: int) -> Pair:
    """Classes depend on the batch alone, and so does the share of members."""
    random = np.random.default_rng(random_state)
    first, of_first = planted(random, N_ROWS, BASE["share"], BASE["shift"])
    batch = random.random(N_ROWS) < 0.5
    X, members = random.normal(size=(N_ROWS, N_COLUMNS)), random.random(N_ROWS) < 0.1 + 0.3 * batch
    X[:, :N_PLANTED] += BASE["shift"] * members[:, None]
    y = random.random(N_ROWS) < np.where(batch, 0.8, 0.2)
    labels = {"y2": y.astype(int), "strata": batch.astype(int)}
    return Pair(named(first), named(X), members, of_first, labels)


def make_survival(*, random_state: int, hazard_ratio: float) -> Pair:
    """30 of 100 rows carry the group, with another hazard; about half are censored."""
    random = np.random.default_rng(random_state)
    first, of_first = planted(random, N_ROWS, 0.3, BASE["shift"])
    X, members = planted(random, N_ROWS, 0.3, BASE["shift"])
    times = random.exponential(size=N_ROWS) / np.where(members, hazard_ratio, 1.0)
    last_seen = random.exponential(size=N_ROWS)
    labels = {"outcome": Survival(np.minimum(times, last_seen), times <= last_seen)}
    return Pair(named(first), named(X), members, of_first, labels)


@dataclass(frozen=True, eq=False)
class Cohort:
    """A real cohort and what is known of its rows."""

    X: pd.DataFrame
    clinic: pd.DataFrame

    @property
    def is_negative(self) -> FloatArray:
        """1 for tumours without oestrogen receptor, NaN if unknown."""
        values: FloatArray = 1.0 - self.clinic["er"].to_numpy(np.float64)
        return values

    def half(self, random: np.random.Generator) -> "Cohort":
        """A random half of the rows."""
        rows = np.sort(random.permutation(len(self.X))[: len(self.X) // 2])
        return Cohort(self.X.iloc[rows], self.clinic.iloc[rows])

    def labels(self) -> dict[str, Any]:
        """Class and survival, as arguments of `replicate`."""
        negative = self.is_negative
        classes = [None if value != value else value for value in negative.tolist()]
        known: dict[str, Any] = {"y2": np.array(classes, dtype=object)}
        if "t.dmfs" in self.clinic and self.clinic["t.dmfs"].notna().any():
            survival = self.clinic["t.dmfs"], self.clinic["e.dmfs"]
            known["outcome"] = Survival(*(one.to_numpy(np.float64) for one in survival))
        return known


def make_null(*, random_state: int, cohorts: dict[str, Cohort], kind: str) -> Pair:
    """Halves of two real cohorts, of which the first has no pattern that the second could have.

    Parameters
    ----------
    random_state : int
    cohorts : dict of str to Cohort
    kind : {"names", "permuted", "noise"}
        Names of columns are exchanged; the rows of each column are; or the table is normal noise.
    """
    random = np.random.default_rng(random_state)
    one, other = random.permutation(list(cohorts))[:2]
    first, second = cohorts[one].half(random), cohorts[other].half(random)
    X = first.X
    if kind == "names":
        X = X.set_axis(random.permutation(X.columns), axis=1)
    elif kind == "permuted":
        X = pd.DataFrame(random.permuted(X.to_numpy(), axis=0), columns=X.columns)
    else:
        X = pd.DataFrame(random.normal(size=X.shape), columns=X.columns)
    return Pair(X, second.X, labels=second.labels())


def make_transfer(*, random_state: int, cohorts: dict[str, Cohort], one: str, other: str) -> Pair:
    """Two whole cohorts, judged by tumours without oestrogen receptor."""
    first, second = cohorts[one], cohorts[other]
    known = np.flatnonzero(~np.isnan(second.is_negative))
    of_first = first.is_negative == 1
    return Pair(
        first.X,
        second.X.iloc[known],
        second.is_negative[known] == 1,
        of_first,
        Cohort(second.X.iloc[known], second.clinic.iloc[known]).labels(),
    )


def load_cohorts(data_home: Path | None) -> dict[str, Cohort]:
    """The cohorts for which there are files."""
    folder = get_data_home(data_home) / "cohorts"
    found = {}
    for name in COHORTS:
        table, clinic = folder / f"{name}.csv.gz", folder / f"{name}_clinical.csv.gz"
        if table.exists() and clinic.exists():
            frames = (pd.read_csv(path, index_col=0) for path in (table, clinic))
            found[name] = Cohort(*frames)
    return found


def _point(name: str, value: float) -> str:
    return "base" if value == BASE[name] else f"{name}-{value:g}"


def table_names() -> dict[str, list[str]]:
    """Names of all kinds of pairs, by section."""
    points = [_point(name, value) for name, values in CURVES.items() for value in values]
    return {
        "level": ["names", "permuted", "noise"],
        "separate": [*SEPARATE],
        "labels": ["exchanged", "strata", "hazard-1"],
        "list": ["twenty"],
        "power": [
            *dict.fromkeys(points),
            *(f"distorted-{name}" for name in DISTORTIONS),
            "panel-60",
            "panel-90",
            f"hazard-{HAZARD_RATIO:g}",
            "dropped",
        ],
        "cohorts": [f"{one}-{other}" for one in COHORTS for other in COHORTS if one != other],
    }


def replication_tables(
    names: Collection[str], data_home: Path | None
) -> tuple[list[TableKind], list[str]]:
    """Kinds of pairs with these names, and the files that some of them lack."""
    cohorts = load_cohorts(data_home)
    makers = dict(_makers(cohorts))
    kinds = [
        TableKind(section, name, makers[name], N_TABLES[section], N_ROWS * N_COLUMNS)
        for section, own in table_names().items()
        for name in own
        if name in names and name in makers
    ]
    needed = {*table_names()["level"], *table_names()["cohorts"]} & {*names}
    missing = [f"cohorts/{name}.csv.gz" for name in COHORTS if name not in cohorts]
    return kinds, missing if needed else []


# One kind of table after the other.
def _makers(cohorts: dict[str, Cohort]) -> Iterator[tuple[str, Callable[..., Any]]]:  # noqa: C901
    for name, values in CURVES.items():
        for value in values:
            point: dict[str, Any] = {name: value}
            yield _point(name, value), partial(make_planted, **point)
    for distortion in DISTORTIONS:
        yield f"distorted-{distortion}", partial(make_planted, distortion=distortion)
    for name, asked in SEPARATE.items():
        yield name, partial(make_separate, **asked)
    yield "dropped", partial(make_planted, drop=True)
    for share in (0.6, 0.9):
        yield f"panel-{100 * share:g}", partial(make_panel, share=share)
    yield "exchanged", make_exchanged
    yield "twenty", make_list
    yield "strata", make_strata
    for ratio in (1.0, HAZARD_RATIO):
        yield f"hazard-{ratio:g}", partial(make_survival, hazard_ratio=ratio)
    if len(cohorts) == len(COHORTS):
        for kind in ("names", "permuted", "noise"):
            yield kind, partial(make_null, cohorts=cohorts, kind=kind)
        for one in COHORTS:
            for other in COHORTS:
                if one != other:
                    yield (
                        f"{one}-{other}",
                        partial(make_transfer, cohorts=cohorts, one=one, other=other),
                    )
