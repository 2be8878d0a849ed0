"""Cheng and Church's algorithm, one bicluster after the other."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from bicneuron._core._arrays import FloatArray
from bicneuron._core._cheng_church import find_block
from bicneuron._core._residue import block_residue
from bicneuron._shared._compat import Interval
from bicneuron.biclustering._miner import BiclusterMiner
from bicneuron.patterns import Pattern


@dataclass(kw_only=True, eq=False, repr=False)
class ChengChurchBiclustering(BiclusterMiner):
    """Find large coherent biclusters one after the other, by Cheng and Church (2000).

    From the whole table, rows and columns of large residue are deleted until the mean squared
    residue (MSR) is at most ``max_residue``; then all rows and columns are added that fit as well
    as those inside. The cells of what was found are replaced by noise, uniform over the range of
    the table, and the search starts again.

    Each further block is searched in a table that is partly noise; for several additive blocks use
    `DifferenceBiclustering`.

    *Sourced:* the steps, of the paper, with its threshold of 1.2 and deletion one by one below 100
    rows or columns. *Our reading:* deletion stops at the smallest sizes, the search ends when no
    block of that size is left or one is found again, and missing cells are means of their columns.

    Parameters
    ----------
    max_residue : float, default=0.02
        The paper's delta: largest mean squared residue, in squared units of the columns.
    n_biclusters : int, default=10
        Report at most this many.
    threshold : float, default=1.2
        The paper's alpha: of more than 100 rows, or columns, those are deleted together whose
        residue exceeds this multiple of that of the block. With a larger one fewer rows are lost.
    mirror : bool, default=False
        Also add rows that fit with the opposite sign, as the paper does; `mirrored_` marks them.
    min_rows, min_columns : int, default=3
        Smaller biclusters are not reported.
    {shared}

    Attributes
    ----------
    patterns_ : list of Pattern
        In the order in which they were found.
    mirrored_ : bool array of shape (n_biclusters, n_rows)
        Rows of each bicluster that fit with the opposite sign.
    n_seeds_ : int
        Number of searches.
    rows_, columns_, biclusters_, n_features_in_, feature_names_in_ : see `BiclusterMiner`

    References
    ----------
    Y. Cheng, G. Church, "Biclustering of expression data", ISMB 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from bicneuron.biclustering import ChengChurchBiclustering
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 20))
    >>> X[:40, :12] = rng.normal(size=(40, 1)) + rng.normal(size=12)
    >>> miner = ChengChurchBiclustering(standardize=False, n_biclusters=1).fit(X)
    >>> miner.patterns_[0].columns.tolist() == list(range(12))
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BiclusterMiner._parameter_constraints,
        "threshold": [Interval(Real, 1, None, closed="left")],
        "mirror": ["boolean"],
    }
    _advice = "raise max_residue or lower min_rows or min_columns"

    max_residue: float = 0.02
    n_biclusters: int = 10
    threshold: float = 1.2
    mirror: bool = False
    min_rows: int = 3
    min_columns: int = 3
    standardize: bool = True
    n_jobs: int | None = None
    random_state: Any = None

    def _mine(self, Z: FloatArray, y: Any) -> tuple[Sequence[Pattern], int]:
        found: list[Pattern] = []
        self.mirrored_ = np.empty((0, len(Z)), dtype=bool)
        minimum = int(self.min_rows), int(self.min_columns)
        if len(Z) < minimum[0] or Z.shape[1] < minimum[1]:
            return found, 0
        rng = check_random_state(self.random_state)
        masked, lowest, highest = Z.copy(), Z.min(), Z.max()
        while len(found) < self.n_biclusters:
            rows, columns, is_mirrored = find_block(
                masked, float(self.max_residue), float(self.threshold), minimum, self.mirror
            )
            block = Pattern(rows, columns, block_residue(Z, rows, columns))
            # Found again: even the noise in its place meets the bound.
            if not len(rows) or block in found:
                return found, len(found) + 1
            found.append(block)
            mirrored = np.isin(np.arange(len(Z)), rows[is_mirrored])
            self.mirrored_ = np.vstack([self.mirrored_, mirrored])
            masked[np.ix_(rows, columns)] = rng.uniform(lowest, highest, block.shape)
        return found, len(found)
