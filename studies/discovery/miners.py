"""The miners of the library."""

import warnings
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from sklearn.cluster import SpectralCoclustering

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron.biclustering import (
    AdaptedBiclustering,
    BiclusterMiner,
    ChengChurchBiclustering,
    CoherentBiclustering,
    ContrastBiclustering,
    DifferenceBiclustering,
    DiRAPOCCBiclustering,
    InformationCoclustering,
    SDCBiclustering,
    SubgroupBiclustering,
)
from bicneuron.exceptions import NoBiclusterWarning
from bicneuron.metrics._recovery import BlockLike
from studies.discovery.rows import CASE, case_rows

# As many starts as seconds allow, and no tiny groups.
COHERENT_SEEDS, CONTRAST_SEEDS = 20_000, 2000
COHERENT_ROWS, CONTRAST_ROWS = 5, 8
# Finds more of a group than the default of 1.
CONTRAST_CUT = 1.5
# Thresholds of SDC: the first with no more candidates than it takes.
SDC_DIFFERENCES = (0.1, 0.2, 0.3, 0.4, 0.6, 0.8)


def subgroups(X: FloatArray, y: AnyArray | None, n_columns: int) -> list[BlockLike]:
    """`SubgroupBiclustering` with its defaults; it does not get the number of columns."""
    return _groups(SubgroupBiclustering(), X, y)


def coexpressed(X: FloatArray, y: AnyArray | None, n_columns: int) -> list[BlockLike]:
    """`SubgroupBiclustering` for coexpressed groups only."""
    return _groups(SubgroupBiclustering(kinds="coexpressed"), X, y)


def _groups(miner: SubgroupBiclustering, X: FloatArray, y: AnyArray | None) -> list[BlockLike]:
    """Groups of the cases, or of all rows; there may be none."""
    miner.set_params(anchor=None if y is None else CASE)
    return list(_quietly(miner, X, y))


class CarriedPattern(NamedTuple):
    """A pattern by its carriers.

    Parameters
    ----------
    rows : array of intp
        Carriers of all classes.
    columns : array of intp
    strength : float
    """

    rows: IndexArray
    columns: IndexArray
    strength: float


def of_all_classes(
    X: FloatArray, y: AnyArray | None, n_columns: int, strata: AnyArray | None = None
) -> list[BlockLike]:
    """`SubgroupBiclustering` with all of its defaults, and with strata where they are given."""
    known = {} if strata is None else {"strata": strata}
    return list(_quietly(SubgroupBiclustering(), X, y, **known))


def carried(X: FloatArray, y: AnyArray | None, n_columns: int) -> list[BlockLike]:
    """Carriers of all classes of what `SubgroupBiclustering` finds with all of its defaults."""
    miner = SubgroupBiclustering()
    found = _quietly(miner, X, y)
    return [
        CarriedPattern(np.flatnonzero(carries), pattern.columns, pattern.strength)
        for pattern, carries in zip(found, miner.carriers(X).T, strict=True)
    ]


def without_labels(X: FloatArray, y: AnyArray | None, n_columns: int) -> list[BlockLike]:
    """`SubgroupBiclustering` of all rows; it does not get the labels."""
    return list(_quietly(SubgroupBiclustering(), X, None))


def coherent(X: FloatArray, y: AnyArray | None, n_columns: int) -> list[BlockLike]:
    """`CoherentBiclustering` of the cases."""
    rows = case_rows(X, y)
    miner = CoherentBiclustering(
        max_seeds=COHERENT_SEEDS,
        min_rows=COHERENT_ROWS,
        max_columns=max(n_columns, 3),
        random_state=0,
    ).fit(X[rows])
    return _ranked(X, y, ((rows[found.rows], found.columns) for found in miner.patterns_))


def contrast(X: FloatArray, y: AnyArray | None, n_columns: int) -> list[BlockLike]:
    """`ContrastBiclustering`; of its groups those of the cases."""
    miner = ContrastBiclustering(
        cut_distance=CONTRAST_CUT,
        max_seeds=CONTRAST_SEEDS,
        min_rows=CONTRAST_ROWS,
        max_columns=n_columns,
        random_state=0,
    ).fit(X, y)
    cases = set(case_rows(X, y).tolist())
    of_cases = (found for found in miner.patterns_ if int(found.rows[0]) in cases)
    return _ranked(X, y, ((found.rows, found.columns) for found in of_cases))


def cheng_church(X: FloatArray, y: AnyArray | None, n_columns: int) -> list[BlockLike]:
    """`ChengChurchBiclustering` of the cases with its defaults."""
    return [*_of_cases(ChengChurchBiclustering(random_state=0), X, y)]


def differences(X: FloatArray, y: AnyArray | None, n_columns: int) -> list[BlockLike]:
    """`DifferenceBiclustering` of the cases with its defaults."""
    return [*_of_cases(DifferenceBiclustering(random_state=0), X, y)]


def information(X: FloatArray, y: AnyArray | None, n_columns: int) -> list[BlockLike]:
    """`InformationCoclustering` of the cases with its defaults."""
    return _ranked(X, y, _of_cases(InformationCoclustering(random_state=0), X, y))


def spectral(X: FloatArray, y: AnyArray | None, n_columns: int) -> list[BlockLike]:
    """`AdaptedBiclustering` of the cases with scikit-learn's spectral co-clustering."""
    estimator = SpectralCoclustering(random_state=0)
    return _ranked(X, y, _of_cases(AdaptedBiclustering(estimator=estimator), X, y))


def sdc(X: FloatArray, y: AnyArray | None, n_columns: int) -> list[BlockLike]:
    """`SDCBiclustering`; of its groups those of the cases."""
    cases = set(case_rows(X, y).tolist())
    for least in SDC_DIFFERENCES:
        try:
            found = _quietly(SDCBiclustering(min_difference=least), X, y)
        except ValueError:  # too many candidates
            continue
        return [(one.rows, one.columns) for one in found if int(one.rows[0]) in cases]
    return []


def di_rapocc(X: FloatArray, y: AnyArray | None, n_columns: int) -> list[BlockLike]:
    """`DiRAPOCCBiclustering` with its defaults; of its groups those of the cases."""
    cases = set(case_rows(X, y).tolist())
    found = _quietly(DiRAPOCCBiclustering(), X, y)
    return [(one.rows, one.columns) for one in found if int(one.rows[0]) in cases]


def _of_cases(
    miner: BiclusterMiner, X: FloatArray, y: AnyArray | None
) -> list[tuple[IndexArray, IndexArray]]:
    """Return the blocks that a miner without labels finds in the cases."""
    rows = case_rows(X, y)
    return [(rows[one.rows], one.columns) for one in _quietly(miner, X[rows], None)]


def _quietly(
    miner: BiclusterMiner, X: FloatArray, y: AnyArray | None, **known: AnyArray
) -> list[Any]:
    """Return the blocks that a miner finds, without a warning if there are none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoBiclusterWarning)
        found: list[Any] = miner.fit(X, y, **known).patterns_
    return found


def _ranked(
    X: FloatArray, y: AnyArray | None, found: Iterable[tuple[IndexArray, IndexArray]]
) -> list[BlockLike]:
    """Largest mean Fisher ratio first, against the controls or else all other rows.

    These miners do not rank what they find.
    """

    def ratio(block: tuple[IndexArray, IndexArray]) -> float:
        rows, columns = block
        is_other = ~np.isin(np.arange(len(X)), rows) if y is None else np.asarray(y) != CASE
        group, others = X[np.ix_(rows, columns)], X[np.ix_(is_other, columns)]
        spread = group.var(axis=0) + others.var(axis=0)
        difference = (group.mean(axis=0) - others.mean(axis=0)) ** 2
        ratios = np.divide(difference, spread, out=np.zeros_like(spread), where=spread > 0)
        return float(ratios.mean())

    return [*sorted(found, key=ratio, reverse=True)]
