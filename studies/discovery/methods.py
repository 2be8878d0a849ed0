"""The methods that are compared, by name."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron.metrics._recovery import BlockLike
from studies.discovery.clusters import gaussian_mixture, k_means
from studies.discovery.miners import (
    cheng_church,
    coexpressed,
    coherent,
    contrast,
    di_rapocc,
    differences,
    information,
    sdc,
    spectral,
    subgroups,
)
from studies.discovery.outliers import copa, outlier_sum
from studies.discovery.sparse_pca import sparse_pca
from studies.discovery.t_test import t_test
from studies.discovery.unpast import has_unpast, unpast

# From the table, its labels or None, and the number of columns of a group to a ranked list.
Search = Callable[[FloatArray, AnyArray | None, int], Sequence[BlockLike]]


class Method(NamedTuple):
    """A method by name.

    Parameters
    ----------
    name : str
    search : callable
    needs_labels : bool, default=False
    finds_any_number : bool, default=False
        The number of patterns depends on the data, so that it can tell noise from groups.
    only_kind : str or None, default=None
        Run on tables with groups of this kind only.
    """

    name: str
    search: Search
    needs_labels: bool = False
    finds_any_number: bool = False
    only_kind: str | None = None


OURS = Method("SubgroupBiclustering", subgroups, finds_any_number=True)
K_MEANS = Method("k-means", k_means)
METHODS = (
    OURS,
    Method("SubgroupBiclustering, kinds='coexpressed'", coexpressed, only_kind="coexpressed"),
    Method("ContrastBiclustering", contrast, needs_labels=True, finds_any_number=True),
    Method("CoherentBiclustering", coherent, finds_any_number=True),
    Method("ChengChurchBiclustering", cheng_church),
    Method("DifferenceBiclustering", differences, finds_any_number=True),
    Method("SDCBiclustering", sdc, needs_labels=True, finds_any_number=True),
    Method("DiRAPOCCBiclustering", di_rapocc, needs_labels=True, finds_any_number=True),
    Method("InformationCoclustering", information),
    Method("spectral co-clustering", spectral),
    K_MEANS,
    Method("Gaussian mixture", gaussian_mixture),
    Method("sparse PCA", sparse_pca),
    Method("t-test", t_test, needs_labels=True),
    Method("outlier sum", outlier_sum),
    Method("COPA", copa),
    *([Method("UnPaSt", unpast, finds_any_number=True)] if has_unpast() else []),
)
