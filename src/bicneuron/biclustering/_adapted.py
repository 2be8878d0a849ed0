"""Biclustering estimators of other packages as miners."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from sklearn.base import clone
from sklearn.cluster import SpectralCoclustering

from bicneuron._core._arrays import FloatArray
from bicneuron._core._residue import block_residue
from bicneuron._shared._compat import HasMethods
from bicneuron.biclustering._miner import BiclusterMiner, non_negative
from bicneuron.patterns import Pattern


@dataclass(kw_only=True, eq=False, repr=False)
class AdaptedBiclustering(BiclusterMiner):
    """Use a biclustering estimator of scikit-learn as a miner.

    Any estimator whose ``fit`` sets ``biclusters_``, such as ``SpectralCoclustering`` (Dhillon
    2001) and ``SpectralBiclustering`` (Kluger et al. 2003). Both take no negative values: the
    smallest is subtracted (*our reading*), and rows and columns of zeros are left out.

    Parameters
    ----------
    estimator : estimator or None, default=None
        None stands for ``SpectralCoclustering()``. Its ``random_state`` is the seed.
    {shared}

    Attributes
    ----------
    patterns_ : list of Pattern
        In the order of the estimator; those without rows or columns are left out.
    estimator_ : estimator
        Fitted.
    n_seeds_ : int
        Number of biclusters that the estimator gave.
    rows_, columns_, biclusters_, n_features_in_, feature_names_in_ : see `BiclusterMiner`

    Examples
    --------
    >>> from sklearn.cluster import SpectralBiclustering
    >>> from sklearn.datasets import make_biclusters
    >>> from bicneuron.biclustering import AdaptedBiclustering
    >>> X, rows, columns = make_biclusters((30, 20), 3, random_state=0)
    >>> estimator = SpectralBiclustering(n_clusters=(3, 2), random_state=0)
    >>> len(AdaptedBiclustering(estimator=estimator).fit(X).patterns_)
    6
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BiclusterMiner._parameter_constraints,
        "estimator": [HasMethods(["fit", "get_params"]), None],
    }
    _advice = "give the estimator other parameters"

    estimator: Any = None
    standardize: bool = False
    n_jobs: int | None = None

    def _mine(self, Z: FloatArray, y: Any) -> tuple[Sequence[Pattern], int]:
        table, rows, columns = non_negative(Z)
        if min(table.shape) < 2:
            raise ValueError(
                f"n_samples={len(rows)}, n_features={len(columns)} of X have values other than its "
                "smallest; two of each are needed."
            )
        given = SpectralCoclustering() if self.estimator is None else clone(self.estimator)
        self.estimator_ = given.fit(table)
        masks = list(zip(*self.estimator_.biclusters_, strict=True))
        found = [(rows[own], columns[own_columns]) for own, own_columns in masks]
        return [Pattern(r, c, block_residue(Z, r, c)) for r, c in found if len(r) and len(c)], len(
            found
        )
