"""What is known of the rows: strata such as batches, covariates such as the age, and groups."""

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import has_fit_parameter

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray, IndexArray
from bicneuron._shared import _together
from bicneuron.exceptions import DependentRowsWarning


class Known(NamedTuple):
    """Strata and covariates, known structure that a search sets aside; None if not given."""

    strata: AnyArray | None = None
    covariates: AnyArray | None = None

    def divided(self, part: IndexArray, others: IndexArray) -> tuple["Known", "Known", BoolArray]:
        """That of a part of the rows, and of others, in the columns that vary in the part."""
        is_known = np.ones(len(others), dtype=bool)
        if self.strata is not None:
            columns = self.strata.reshape(len(self.strata), -1).T
            for one in columns:
                levels = set(one[part].tolist())
                is_known &= np.array([v in levels for v in one[others].tolist()], dtype=bool)
        of_part, of_others = (
            Known(*(None if one is None else _varying(one[part], one[rows]) for one in self))
            for rows in (part, others[is_known])
        )
        return of_part, of_others, is_known

    def set_aside_by(self, fitted: Any) -> "Known":
        """What a fitted model set aside of it: all or nothing."""
        return self if getattr(fitted, "_set_aside", None) is not None else Known()

    def for_fit(self, model: Any) -> dict[str, Any]:
        """Arguments for the fit of a model, as far as it takes them."""
        return taken_by(model, self._asdict())


def taken_by(model: Any, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings that are not None and that the fit of a model takes."""
    given = {name: values for name, values in settings.items() if values is not None}
    return {name: values for name, values in given.items() if has_fit_parameter(model, name)}


def known_structure(model: Any, strata: Any, covariates: Any, n_rows: int) -> Known:
    """Check strata and covariates: for each row, and fit for the model."""
    if covariates is not None and not has_fit_parameter(model, "covariates"):
        raise ValueError(
            f"a {type(model).__name__} cannot set covariates aside; leave them out, or choose a "
            "SubgroupBiclustering."
        )
    known = Known(
        _one_for_each(strata, n_rows, "strata"), _one_for_each(covariates, n_rows, "covariates")
    )
    if getattr(model, "_set_aside", None) is not None and not known.for_fit(model):
        raise ValueError(
            f"this {type(model).__name__} was fitted with strata or covariates; give the same here."
        )
    return known


def warn_of_dependence(X: Any, groups: Any) -> None:
    """Warn of rows that seem to belong together if no groups are given."""
    try:
        table = np.array([]) if groups is not None else np.asarray(X, np.float64)
    except (TypeError, ValueError):  # sparse, or no numbers
        return
    what = _dependence(table, X) if table.ndim == 2 and table.size else ""
    if what:
        warnings.warn(
            f"X has {what}, which are taken as independent. Give groups, with one value for the "
            "rows that belong together, or groups=range(len(X)) if none do.",
            DependentRowsWarning,
            stacklevel=3,
        )


def _dependence(table: FloatArray, X: Any) -> str:
    """What shows that rows belong together: copies, their ids, or their values."""
    if n_rows := _together.n_together(_together.copies(table)):
        return f"{n_rows} rows that repeat each other"
    names = [str(one) for one in X.index] if hasattr(X, "columns") and hasattr(X, "index") else []
    if names and (n_rows := _together.n_together(_together.repeated_ids(names))):
        return f"{n_rows} rows whose index repeats"
    if (stems := _together.common_stems(names)) is not None:
        return f"{_together.n_together(stems)} rows whose index has a common stem, as {names[0]!r}"
    n_rows = int(_together.close_rows(table).sum())
    return f"{n_rows} rows in pairs that are far more alike than others" if n_rows else ""


def units_by_class(groups: Any, labels: Any, n_rows: int) -> IndexArray | None:
    """Number units: groups, those with rows of several classes once in each.

    Rows of a group are alike, so that a group on both sides can only hide a difference.
    """
    if groups is None:
        return None
    numbers = [row_numbers(one, n_rows, "groups") for one in (groups, labels)]
    return row_numbers(np.column_stack(numbers), n_rows, "groups")


def strata_of_units(strata: IndexArray, units: IndexArray) -> IndexArray:
    """Number the units so that those with rows in the same strata have the same number."""
    lacks = np.ones((int(units.max()) + 1, int(strata.max()) + 1), dtype=bool)
    lacks[units, strata] = False  # units of the first stratum come first
    return np.unique(lacks, axis=0, return_inverse=True)[1].reshape(-1)


def units_of(
    is_known: BoolArray, strata: Any, groups: Any, n_rows: int
) -> tuple[IndexArray, IndexArray, IndexArray]:
    """Rows that are known, the unit of each, and the strata of units."""
    rows = np.flatnonzero(is_known)
    if len(rows) < 2:
        raise ValueError(f"labels or outcomes are known in {len(rows)} rows; two are needed.")
    of_strata = row_numbers(strata, n_rows, "strata")[rows]
    members = np.arange(len(rows))
    if groups is not None:
        members = np.unique(row_numbers(groups, n_rows, "groups")[rows], return_inverse=True)[1]
    return rows, members, strata_of_units(of_strata, members)


def within_strata(values: FloatArray, strata: IndexArray) -> FloatArray:
    """Values less the mean of their stratum."""
    centred: FloatArray = values - values.mean(axis=0)
    for stratum in np.unique(strata) if strata.any() else ():
        own = strata == stratum
        centred[own] = values[own] - values[own].mean(axis=0)
    return centred


def row_numbers(values: Any, n_rows: int, name: str) -> IndexArray:
    """The same number for rows with the same values; zeros for None."""
    checked = _one_for_each(values, n_rows, name)
    if checked is None:
        return np.zeros(n_rows, np.intp)
    # Columns of a frame may be of different types.
    columns = [np.array(column.tolist()) for column in checked.reshape(n_rows, -1).T]
    numbered = [np.unique(column, return_inverse=True)[1] for column in columns]
    same = np.unique(np.column_stack(numbered), axis=0, return_inverse=True)[1]
    return np.asarray(same.ravel(), np.intp)


def _varying(values: AnyArray, of: AnyArray) -> AnyArray | None:
    """Columns of some rows that vary in others; None if there are none, which explain nothing."""
    varies = [len(set(column.tolist())) > 1 for column in values.reshape(len(values), -1).T]
    return of.reshape(len(of), -1)[:, varies] if any(varies) else None


def _one_for_each(values: Any, n_rows: int, name: str) -> AnyArray | None:
    if values is None:
        return None
    checked = np.asarray(values)
    if checked.ndim not in (1, 2) or not checked.size:
        raise ValueError(f"{name} has the shape {checked.shape}; give one value for each row.")
    if len(checked) != n_rows:
        raise ValueError(f"{name} has {len(checked)} values for {n_rows} rows; give one for each.")
    return checked
