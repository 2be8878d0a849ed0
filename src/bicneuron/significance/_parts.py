"""Random parts of the rows, in which a search is repeated."""

from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.utils import check_scalar
from sklearn.utils.multiclass import check_classification_targets

from bicneuron._core._arrays import AnyArray, IndexArray
from bicneuron._shared._checks import by_size, check_numbers
from bicneuron.patterns import class_masks
from bicneuron.significance._known import row_numbers, strata_of_units, warn_of_dependence


class Units(NamedTuple):
    """The unit of each row (a group of rows, or the row), and the stratum of each unit."""

    of_rows: IndexArray
    strata: IndexArray


def rows_and_units(
    model: Any, X: Any, y: Any, groups: Any, strata: Any = None
) -> tuple[Any, AnyArray | None, Units]:
    """Return an indexable table, the labels, and the units to draw."""
    if y is None:
        table, labels = check_numbers(clone(model), X, to_be_scaled=True), None
    else:
        table, labels = check_numbers(clone(model), X, y, to_be_scaled=True)
        check_classification_targets(labels)
    if issparse(table):
        table = table.tocsr()
    n_rows = table.shape[0]
    warn_of_dependence(X, groups)
    of_rows = np.arange(n_rows)
    if groups is not None:
        shape = np.shape(groups)
        if shape != (n_rows,):
            raise ValueError(
                f"groups has the shape {shape}; give one group for each of the {n_rows} rows of X."
            )
        of_rows = np.unique(np.asarray(groups), return_inverse=True)[1]
    of_classes = row_numbers(labels, n_rows, "y")
    of_strata = row_numbers(strata, n_rows, "strata")
    kinds = row_numbers(np.column_stack([of_classes, of_strata]), n_rows, "rows")
    # By size, and not by the names of classes: they have no part in the folds.
    _, of_units = by_size(strata_of_units(kinds, of_rows))
    return table, labels, Units(of_rows, of_units)


def drawn_rows(units: Units, share: float, random: np.random.Generator) -> IndexArray:
    """Sorted rows of a random part of the units, with about this share of every stratum.

    Units are put in order by stratum and otherwise at random, and every (1 / share)-th is taken:
    each has the same chance, and the number taken of a stratum is off by less than one.
    """
    check_scalar(share, "share", Real, min_val=0, max_val=1, include_boundaries="neither")
    if len(units.strata) * min(share, 1 - share) < 1:
        what = "rows" if len(units.strata) == len(units.of_rows) else "groups"
        raise ValueError(
            f"share={share} of {len(units.strata)} {what} may be all or none of them; give more "
            f"{what} or choose another share."
        )
    order = random.permutation(len(units.strata))
    order = order[np.argsort(units.strata[order], kind="stable")]
    steps = np.floor(share * np.arange(len(order) + 1) + random.random())
    is_drawn = np.zeros(len(order), dtype=bool)
    is_drawn[order] = np.diff(steps) > 0
    return np.flatnonzero(is_drawn[units.of_rows])


def check_part(
    part: IndexArray,
    labels: AnyArray | None,
    model: Any,
    searched: set[Any],
    share: float,
    name: str,
) -> None:
    """Refuse parts of the rows in which patterns of these classes, or any, could not be found."""
    sizes = {None: len(part)}
    if labels is not None:
        sizes = {label: int(mask[part].sum()) for label, mask in class_masks(labels, 0).items()}
    if not searched:
        anchor = getattr(model, "anchor", None)
        named = [label for label in sizes if anchor is None or label in np.ravel(anchor).tolist()]
        searched = set(sorted(named, key=sizes.__getitem__)[-1:])
    for label, n_rows in sizes.items():
        least = model.least_rows if label in searched else 1
        if n_rows < least:
            rows = "rows" if label is None else f"rows of class {label!r}"
            raise ValueError(
                f"share={share} leaves {n_rows} {rows} in {name}, fewer than the {least} needed; "
                "give more rows, or do without this class or this check."
            )
