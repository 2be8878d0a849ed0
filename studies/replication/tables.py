"""Pairs of tables: one that is searched, and a second cohort."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bicneuron._core._arrays import BoolArray, FloatArray
from bicneuron.datasets import get_data_home
from studies._drawn_tables import TableKind

# Null patterns of real cohorts share tables: many pairs, with some patterns each.
N_TABLES = {"level": 100, "panels": 100, "labels": 200, "power": 40, "cohorts": 1}
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
# Standard deviations of a factor that the columns of a pattern share instead of a group.
LOADINGS = (1.0, 2.5)
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
    """

    first: pd.DataFrame
    second: pd.DataFrame
    members: BoolArray | None = None
    first_members: BoolArray | None = None
    labels: dict[str, Any] = field(default_factory=dict)
    present: float = 1.0


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


def make_continuum(*, random_state: int, loading: float) -> Pair:
    """The columns of the group of the first table share a normal factor in the second."""
    random = np.random.default_rng(random_state)
    first, of_first = planted(random, N_ROWS, BASE["share"], BASE["shift"])
    X = random.normal(size=(N_ROWS, N_COLUMNS))
    X[:, :N_PLANTED] += loading * random.normal(size=(N_ROWS, 1))
    return Pair(named(first), named(X), None, of_first)


def make_panel(*, random_state: int, share: float, axis: str) -> Pair:
    """Both tables are panels, most of whose columns carry one axis.

    Parameters
    ----------
    random_state : int
    share : float
        Of the columns that carry it.
    axis : {"group", "other", "normal", "gamma"}
        What the axis of the second table is: the group of the first, a group in other columns, or a
        continuum in the columns of the first.
    """
    random = np.random.default_rng(random_state)

    def panel(kind: str) -> tuple[FloatArray, BoolArray]:
        X, members = random.normal(size=(N_ROWS, PANEL)), random.random(N_ROWS) < PANEL_SHARE
        values = 2.0 * members
        if kind == "normal":
            values = random.normal(scale=0.92, size=N_ROWS)
        elif kind == "gamma":
            values = 0.65 * random.gamma(2.0, size=N_ROWS)
        carrying = np.arange(int(share * PANEL))
        if kind == "other":
            carrying = random.permutation(PANEL)[: len(carrying) // 2]
        X[:, carrying] += values[:, None]
        return X, members

    (first, of_first), (X, members) = panel("group"), panel(axis)
    return Pair(named(first), named(X), members if axis == "group" else None, of_first)


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
    labels = {"time": np.minimum(times, last_seen), "event": (times <= last_seen).astype(int)}
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
            known["time"] = self.clinic["t.dmfs"].to_numpy(np.float64)
            known["event"] = self.clinic["e.dmfs"].to_numpy(np.float64)
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
        "panels": ["other", "normal", "gamma", *(f"continuum-{x:g}" for x in LOADINGS)],
        "labels": ["strata", "hazard-1"],
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


def _makers(cohorts: dict[str, Cohort]) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, values in CURVES.items():
        for value in values:
            point: dict[str, Any] = {name: value}
            yield _point(name, value), partial(make_planted, **point)
    for distortion in DISTORTIONS:
        yield f"distorted-{distortion}", partial(make_planted, distortion=distortion)
    for loading in LOADINGS:
        yield f"continuum-{loading:g}", partial(make_continuum, loading=loading)
    yield "dropped", partial(make_planted, drop=True)
    for axis in ("other", "normal", "gamma"):
        yield axis, partial(make_panel, share=0.6, axis=axis)
    for share in (0.6, 0.9):
        yield f"panel-{100 * share:g}", partial(make_panel, share=share, axis="group")
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
