"""Groups that a search has found, from which a search of a part of the rows can start."""

from typing import Any, NamedTuple

import numpy as np

from bicneuron._core._arrays import BoolArray, IndexArray
from bicneuron.biclustering._subgroups._kinds import KINDS, Coexpressed
from bicneuron.biclustering._subgroups._list import are_same
from bicneuron.biclustering._subgroups._strength import Labelled

# Groups of each class and kind that are kept, and those that are compared for them.
KEPT, COMPARED = 20, 200


class Candidates(NamedTuple):
    """The strongest groups of a search that are unlike each other."""

    carriers: BoolArray
    labels: list[Any]
    kinds: list[str]

    def of_rows(self, rows: IndexArray) -> "Candidates":
        """Their part in some rows, in this order."""
        return self._replace(carriers=np.ascontiguousarray(self.carriers[:, rows]))

    def of_class(self, label: Any, fewest: int) -> dict[str, BoolArray]:
        """Those of one class by kind that have nearly enough rows."""
        sizes = self.carriers.sum(axis=1)
        fits = (sizes >= 0.8 * fewest) & (sizes < self.carriers.shape[1])
        return {
            kind: self.carriers[
                [
                    fit and own == label and name == kind
                    for fit, own, name in zip(fits, self.labels, self.kinds, strict=True)
                ]
            ]
            for kind in KINDS
        }


def candidates_of(scored: list[Labelled], n_rows: int) -> Candidates:
    """Candidates among scored groups; coexpressed ones are always searched anew."""
    carriers, labels, kinds = [np.empty((0, n_rows), dtype=bool)], [], []
    for label in dict.fromkeys(label for label, _ in scored):
        for kind in (name for name in KINDS if name != Coexpressed.name):
            own = [g for k, g in scored if k == label and g.origin.kind.name == kind]
            own = sorted(own, key=lambda group: -group.strength)[:COMPARED]
            kept: list[BoolArray] = []
            for group in own:
                if len(kept) == KEPT:
                    break
                rows = np.flatnonzero(group.carriers)
                if not any(are_same(rows, np.flatnonzero(other)) for other in kept):
                    kept.append(group.carriers)
            carriers += [one[None] for one in kept]
            labels += [label] * len(kept)
            kinds += [kind] * len(kept)
    return Candidates(np.concatenate(carriers), labels, kinds)
