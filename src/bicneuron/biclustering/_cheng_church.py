"""Cheng and Church's algorithm, one bicluster after the other."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray
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

    It finds one large block of row effects plus column effects. Each further one is searched in a
    table that is partly noise; for several additive blocks use `DifferenceBiclustering`.

    *Sourced:* the steps, of the paper, with its threshold of 1.2 and deletion one by one below 100
    rows or columns. *Our reading:* deletion stops at the smallest sizes, the search ends when no
    block of that size is left or one is found again, and missing cells are means of their columns,
    not noise.

    Parameters
    ----------
    max_residue : float, default=0.02
        The paper's delta: largest mean squared residue, in squared units of the columns.
    n_biclusters : int, default=10
        Report at most this many.
    threshold : float, default=1.2
        The paper's alpha: rows, or columns, whose residue exceeds this multiple of that of the
        block are deleted together, if there are more than 100. With a larger one fewer rows of a
        block are lost, because only rows are added again that fit better than the mean of those
        inside: of a block of 120 x 30 in 200 x 50 a mean of .91 is found with 1.2, .96 with 2.
    mirror : bool, default=False
        Also add rows that fit with the opposite sign, as the paper does; `mirrored_` marks them.
        The residue of such a block as it is need not be small.
    min_rows, min_columns : int, default=3
        Smaller biclusters are not reported.
    standardize : bool, default=True
        Search the column z-scores. Blocks of row effects plus column effects are tightest in
        columns of one unit as they are, with ``standardize=False``.
    n_jobs : int, default=None
        Ignored: each search needs the result of the one before.
    random_state : int, RandomState instance or None, default=None
        Seed of the noise that replaces what was found. The first bicluster does not depend on it.

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
        "max_residue": [Interval(Real, 0, None, closed="left")],
        "n_biclusters": [Interval(Integral, 1, None, closed="left")],
        "threshold": [Interval(Real, 1, None, closed="left")],
        "mirror": ["boolean"],
        "min_rows": [Interval(Integral, 2, None, closed="left")],
        "min_columns": [Interval(Integral, 2, None, closed="left")],
        "random_state": ["random_state"],
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

    def _mine(self, Z: FloatArray, y: AnyArray | None) -> tuple[Sequence[Pattern], int]:
        found: list[Pattern] = []
        mirrored: list[BoolArray] = []
        n_searches = 0
        minimum = int(self.min_rows), int(self.min_columns)
        if len(Z) >= minimum[0] and Z.shape[1] >= minimum[1]:
            rng = check_random_state(self.random_state)
            masked, lowest, highest = Z.copy(), Z.min(), Z.max()
            for _ in range(self.n_biclusters):
                n_searches += 1
                rows, columns, is_mirrored = find_block(
                    masked, float(self.max_residue), float(self.threshold), minimum, self.mirror
                )
                block = Pattern(rows, columns, block_residue(Z, rows, columns))
                # Found again: even the noise in its place meets the bound.
                if not len(rows) or block in found:
                    break
                found.append(block)
                mirrored.append(np.isin(np.arange(len(Z)), rows[is_mirrored]))
                masked[np.ix_(rows, columns)] = rng.uniform(
                    lowest, highest, (len(rows), len(columns))
                )
        self.mirrored_ = np.array(mirrored, dtype=bool).reshape(len(found), len(Z))
        return found, n_searches
