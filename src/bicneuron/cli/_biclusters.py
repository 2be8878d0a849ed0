"""The biclusters of a fitted miner, as ``bicneuron find --miner`` writes them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from bicneuron.cli._settings import with_settings

if TYPE_CHECKING:
    from bicneuron.tables import Table

# Biclusters that are told one by one, and columns named of each.
MOST_BICLUSTERS, MOST_COLUMNS = 5, 4


@dataclass(frozen=True)
class BiclusterMining:
    """A miner by the name of its class."""

    miner: str

    NAME: ClassVar[str] = "biclusters"
    NONE_FOUND: ClassVar[str] = (
        "no bicluster was found, nothing was written; loosen the bounds of the miner by --set."
    )

    def make(self, settings: Sequence[str] | None, *, seed: int, n_jobs: int) -> Any:
        """Make the miner, not yet fitted."""
        from sklearn.cluster import SpectralCoclustering

        from bicneuron import biclustering
        from bicneuron._estimators._seed import seeded

        made = getattr(biclustering, self.miner)(n_jobs=n_jobs)
        if self.miner == "AdaptedBiclustering":
            made.set_params(estimator=SpectralCoclustering())
        return with_settings(seeded(made, seed), settings)

    def records(self, miner: Any, read: "Table") -> list[dict[str, Any]]:
        """Biclusters in the order of the miner, with names of rows and columns."""
        rows, columns = read.features.index.to_numpy(), read.features.columns.to_numpy()
        return [
            {
                "rank": rank,
                **({} if read.labels is None else {"classes": _counts(read.labels, found.rows)}),
                "residue": found.msr,
                "n_rows": len(found.rows),
                "n_columns": len(found.columns),
                "columns": columns[found.columns].tolist(),
                "rows": rows[found.rows].tolist(),
            }
            for rank, found in enumerate(miner.found_, start=1)
        ]

    def tell(self, found: Sequence[dict[str, Any]]) -> list[str]:
        """How many there are, and the first few in words."""
        lines = [f"biclusters: {len(found)}"]
        for record in found[:MOST_BICLUSTERS]:
            named = ", ".join(map(str, record["columns"][:MOST_COLUMNS]))
            more = ", ..." if record["n_columns"] > MOST_COLUMNS else ""
            lines.append(
                f"{record['rank']}. {record['n_rows']} rows, {record['n_columns']} columns "
                f"({named}{more}), residue {record['residue']:.3g}"
            )
        return lines


def _counts(labels: Any, rows: Any) -> dict[str, str]:
    """Rows of each class that a bicluster has, as in "12 of 40"."""
    import numpy as np

    labels = np.asarray(labels)
    return {
        str(label): f"{np.sum(labels[rows] == label)} of {np.sum(labels == label)}"
        for label in np.unique(labels)
    }
