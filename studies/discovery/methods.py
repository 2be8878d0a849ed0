"""The methods that are compared, by name."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from bicneuron.metrics._recovery import BlockLike
from studies.discovery.clusters import gaussian_mixture, k_means
from studies.discovery.miners import (
    carried,
    cheng_church,
    coexpressed,
    coherent,
    contrast,
    di_rapocc,
    differences,
    information,
    of_all_classes,
    sdc,
    spectral,
    subgroups,
    without_labels,
)
from studies.discovery.outliers import copa, outlier_sum
from studies.discovery.sparse_pca import sparse_pca
from studies.discovery.t_test import t_test
from studies.discovery.unpast import has_unpast, unpast

# From the table, its labels or None, and the number of columns of a group to a ranked list. Those
# that take strata have a fourth argument.
Search = Callable[..., Sequence[BlockLike]]


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
    takes_strata : bool, default=False
        It is given the known structure of a table.
    """

    name: str
    search: Search
    needs_labels: bool = False
    finds_any_number: bool = False
    only_kind: str | None = None
    takes_strata: bool = False


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
# The miner of groups in other uses; the anchor is one of its defaults.
ALL_CLASSES = Method("SubgroupBiclustering, all classes", of_all_classes, needs_labels=True)
CARRIERS = Method("SubgroupBiclustering, carriers", carried, needs_labels=True)
NO_LABELS = Method("SubgroupBiclustering, no labels", without_labels)
STRATA = Method(
    "SubgroupBiclustering, strata", of_all_classes, needs_labels=True, takes_strata=True
)
ALL_METHODS = (*METHODS, ALL_CLASSES, CARRIERS, NO_LABELS, STRATA)
OF_SECTION = {
    "subtypes": (*METHODS, NO_LABELS),
    "shares": (CARRIERS,),
    "noise": (ALL_CLASSES, NO_LABELS),
    "distributions": (ALL_CLASSES,),
    "known-structure": (ALL_CLASSES, STRATA),
}


def methods_of(section: str) -> tuple[Method, ...]:
    """Methods that are run on the tables of a section."""
    return OF_SECTION.get(section, METHODS)
