"""A table of other rows, measured elsewhere: its columns by name, and their standard scores."""

from collections import Counter
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from scipy.special import ndtri
from scipy.stats import rankdata
from sklearn.utils import check_array

from bicneuron._core._arrays import FloatArray, IndexArray
from bicneuron._shared._names import but_for_case, feature_names
from bicneuron._shared._scaling import CLIP, robust_scaling, zscore_scaling
from bicneuron.patterns._fingerprint import Hashes, name_hashes

# Ranks within rows need so many columns, and in half of them they must vary by so much (standard
# deviation of their normal scores): where columns have units of their own, each keeps its rank.
LEAST_RANKED, LEAST_VARIED = 50, 0.2


class Cohort(NamedTuple):
    """Columns of a table that a model knows, their numbers in it, and hashes of row names."""

    values: FloatArray
    columns: IndexArray
    names: Hashes

    def places(self, columns: IndexArray) -> tuple[IndexArray, IndexArray]:
        """Those of some columns of the model that are here: positions among these, and here."""
        order = np.argsort(self.columns, kind="stable")
        found = np.searchsorted(self.columns[order], columns)
        found = np.minimum(found, len(order) - 1)
        is_here = self.columns[order][found] == columns
        return np.flatnonzero(is_here), order[found[is_here]]


def match_columns(model: Any, X: Any) -> Cohort:
    """Take the columns of a table that a fitted model knows, by name.

    A table without names must have all columns of a model without names, in their order.
    """
    known = getattr(model, "feature_names_in_", None)
    given: Any = getattr(X, "columns", None)
    if known is not None and given is None:
        raise ValueError(
            "X has no column names, but the model was fitted with such; give a frame, so that "
            "columns can be matched by name."
        )
    if known is None:
        if np.ndim(X) == 2 and np.shape(X)[1] != model.n_features_in_:
            raise ValueError(
                f"X has {np.shape(X)[1]} columns and the model {model.n_features_in_}, without "
                "names; fit the model to a frame, so that columns can be matched by name."
            )
        names = feature_names(model)
        table = X
    else:
        names = [str(name) for name in given]
        repeated = [name for name, count in Counter(names).items() if count > 1]
        if repeated:
            raise ValueError(
                f"X has {len(repeated)} column names more than once, such as {repeated[0]!r}; "
                "keep one column of each name."
            )
        of_model = set(known)
        alike = len(but_for_case(of_model, names))
        names = [name for name in names if name in of_model]
        if not names:
            but_for = f"; {alike} would match if case is ignored" if alike else ""
            raise ValueError(
                f"X has none of the {len(known)} columns of the model (such as {known[0]!r})"
                f"{but_for}; give the columns the names that the model knows."
            )
        table = X[names]
    numbers = {name: k for k, name in enumerate(feature_names(model))}
    if issparse(table):
        table = table.toarray()
    values = check_array(
        table, dtype=np.float64, ensure_all_finite="allow-nan", input_name="X", ensure_min_samples=1
    )
    by_name = sorted(range(len(names)), key=names.__getitem__)
    return Cohort(
        np.ascontiguousarray(values[:, by_name]),
        np.array([numbers[names[k]] for k in by_name], np.intp),
        name_hashes(X),
    )


def row_ranks(X: FloatArray) -> FloatArray:
    """Rank of each value within its row, between 0 and 1; missing cells count as the median.

    They are missing in the result, too.
    """
    is_missing = np.isnan(X)
    if is_missing.any():
        known = np.where(is_missing.all(axis=0), 0.0, X)
        # Not the median, whose two middle values may be too large to add.
        middle = np.nanquantile(known, 0.5, axis=0, method="lower")
        X = np.where(is_missing, middle, X)
    ranks = (rankdata(X, axis=1) - 0.5) / X.shape[1]
    return np.where(is_missing, np.nan, ranks)


def has_one_unit(ranks: FloatArray) -> bool:
    """True if ranks within rows say enough: most columns change theirs from row to row."""
    if ranks.shape[1] < LEAST_RANKED or len(ranks) < 2:
        return False
    scores = ndtri(np.where(np.isnan(ranks), 0.5, ranks))
    return bool(np.median(scores.std(axis=0)) >= LEAST_VARIED)


def standard_scores(X: FloatArray, ranks: FloatArray | None, clip: float = CLIP) -> FloatArray:
    """Robust scores of columns, of the normal scores of ranks if these are given; 0 for missing."""
    # Values of any magnitude: squares of scaled ones do not overflow.
    values = zscore_scaling(X).apply(X) if ranks is None else ndtri(ranks)
    return robust_scaling(values).apply(values, clip)
