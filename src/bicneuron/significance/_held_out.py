"""Patterns that were found in one part of the rows, looked for in the other part."""

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import issparse

from bicneuron._core._arrays import AnyArray, IndexArray
from bicneuron._estimators._seed import draw_seed
from bicneuron.patterns import check_patterns
from bicneuron.significance._parts import check_part, drawn_rows, rows_and_units
from bicneuron.significance._refits import fitted_quietly
from bicneuron.significance._replicate import Replication, replicate


class HeldOut(NamedTuple):
    """A model of one part of the rows, and its patterns in the other part.

    Parameters
    ----------
    model : fitted model
        Fitted to ``searched``.
    searched, held_out : arrays of intp
        Sorted rows of the two parts.
    replication : Replication
        What became of its patterns in ``held_out``.
    """

    model: Any
    searched: IndexArray
    held_out: IndexArray
    replication: Replication

    def _repr_html_(self) -> str:
        """What a notebook shows: what became of the patterns in the rows held out."""
        return self.replication._repr_html_()

    def __repr__(self) -> str:
        return (
            f"<HeldOut: {self.replication.words}; {len(self.searched)} rows searched, "
            f"{len(self.held_out)} held out>"
        )


def held_out_check(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    share: float = 0.5,
    groups: Any = None,
    n_draws: int = 999,
    random_state: int | np.random.RandomState | None = None,
) -> HeldOut:
    """Find patterns in one part of the rows and look for them in the other.

    The model is fitted to a random part, and `replicate` looks for its patterns in the other.

    Parameters
    ----------
    model : a miner, BicNeuronNetwork, BicNeuronClassifier or BicNeuronClassifierCV
        Fitted or not; it is not changed.
    X : array-like or sparse matrix of shape (n_rows, n_columns)
    y : array-like of shape (n_rows,), default=None
        Labels, if there are any. Both parts have about the same share of each class.
    share : float, default=0.5
        Share of the rows in which patterns are looked for.
    groups : array-like of shape (n_rows,), default=None
        Rows of one group (one patient, say) are in the same part, and count as one. Where a group
        has several classes, the tie to the class is not tested.
    n_draws : int, default=999
        Random choices of columns, and orders of labels.
    random_state : int, RandomState instance or None, default=None
        Pass an int for the same parts on each call.

    Returns
    -------
    HeldOut

    Examples
    --------
    >>> from bicneuron import SubgroupBiclustering
    >>> from bicneuron.datasets import make_subgroups
    >>> from bicneuron.significance import held_out_check
    >>> X, y, _ = make_subgroups("shift", shift=3.0, n_columns=200, random_state=0)
    >>> miner = SubgroupBiclustering(anchor="case", kinds="shift", n_patterns=3)
    >>> held_out_check(miner, X, y, random_state=0).replication.words
    '1 of 3 groups is found again (1 cannot be tested)'
    """
    check_patterns(model, "held_out_check", fitted=False)
    table, labels, units = rows_and_units(model, X, y, groups)
    if issparse(table):
        table = table.toarray()
    seed = draw_seed(random_state)
    searched = drawn_rows(units, share, np.random.default_rng(seed))
    held_out = np.setdiff1d(np.arange(len(table)), searched)
    for part, name in ((searched, "is searched"), (held_out, "is not searched")):
        check_part(part, labels, model, set(), share, f"the part that {name}")
    fitted = fitted_quietly(model, table[searched], _of(labels, searched), None)
    replication = replicate(
        fitted,
        table[held_out],
        _of(labels, held_out) if _has_one_class(labels, units.of_rows) else None,
        groups=_of(groups, held_out),
        n_draws=n_draws,
        random_state=seed,
    )
    return HeldOut(fitted, searched, held_out, replication)


def _has_one_class(labels: AnyArray | None, units: IndexArray) -> bool:
    """True if all rows of each unit have one label."""
    if labels is None:
        return False
    first = np.unique(units, return_index=True)[1]
    return bool((labels == labels[first][units]).all())


def _of(values: Any, rows: IndexArray) -> Any:
    return None if values is None else np.asarray(values)[rows]
