"""Miners whose answer is known beforehand, and one of each other miner."""

import numpy as np
from sklearn.cluster import SpectralCoclustering

from bicneuron import CoherentBiclustering, SubgroupBiclustering, biclustering
from bicneuron.patterns import Pattern


class FixedMiner(biclustering.BiclusterMiner):
    """Answers with ``blocks``, whatever it is given."""

    def __init__(self, blocks=(), standardize=True, n_jobs=None):
        self.blocks = blocks
        self.standardize = standardize
        self.n_jobs = n_jobs

    def _mine(self, Z, y):
        found = [Pattern(np.array(r), np.array(c), 0.0) for r, c in self.blocks]
        return found, len(found)


class LabelMiner(biclustering.BiclusterMiner):
    """Sees labels: each class is one bicluster on all columns; counts the rows it was given."""

    uses_labels = True

    def __init__(self, standardize=True, n_jobs=None):
        self.standardize = standardize
        self.n_jobs = n_jobs

    def _mine(self, Z, y):
        columns = np.arange(Z.shape[1])
        found = [Pattern(np.flatnonzero(y == label), columns, 0.0) for label in np.unique(y)]
        return found, len(Z)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


class CarelessMiner(LabelMiner):
    """Sees labels, yet mixes rows of both classes in its bicluster."""

    def _mine(self, Z, y):
        rows = [np.flatnonzero(y == label)[0] for label in np.unique(y)]
        return [Pattern(np.sort(rows), np.arange(Z.shape[1]), 0.0)], 1


class TopRowsMiner(biclustering.BiclusterMiner):
    """Answers with the ``n_rows`` rows whose values are largest in total: it shows the scaling."""

    def __init__(self, n_rows=4, standardize=True, n_jobs=None):
        self.n_rows = n_rows
        self.standardize = standardize
        self.n_jobs = n_jobs

    def _mine(self, Z, y):
        rows = np.sort(np.argsort(Z.sum(axis=1))[-self.n_rows :])
        return [Pattern(rows, np.arange(Z.shape[1]), float(Z.sum()))], 1


# One of each miner, all of which find something in `data.make_one_factor` in little time.
QUICK_MINERS = [
    CoherentBiclustering(max_residue=0.5),
    biclustering.ContrastBiclustering(),
    SubgroupBiclustering(kinds="shift", n_patterns=3),
    biclustering.ChengChurchBiclustering(max_residue=0.2, n_biclusters=2, random_state=0),
    biclustering.DifferenceBiclustering(max_residue=0.2, max_seeds=10),
    biclustering.SDCBiclustering(min_columns=2, max_columns=3),
    biclustering.DiRAPOCCBiclustering(min_difference=0.0),
    biclustering.InformationCoclustering(n_init=1, random_state=0),
    biclustering.AdaptedBiclustering(estimator=SpectralCoclustering(random_state=0)),
]
