"""The contrastive pairs of a fitted classifier, as ``bicneuron find --miner pairs`` writes them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bicneuron.cli._settings import make_model

if TYPE_CHECKING:
    from bicneuron.tables import Table

NAME = "pairs"
NONE_FOUND = (
    "no contrastive pair was found, nothing was written; try another --set "
    "miner__cut_distance=... or a larger max_ratio."
)


def make(settings: Sequence[str] | None, *, seed: int, n_jobs: int) -> Any:
    """Make the classifier, not yet fitted."""
    return make_model("neuron", settings, seed=seed, n_jobs=n_jobs)


def records(classifier: Any, read: "Table") -> list[dict[str, Any]]:
    """Pairs of all problems, the best of each first, with names of rows and columns."""
    from bicneuron._estimators._scaling import minmax_scaling
    from bicneuron.metrics import mean_squared_residue

    X = read.features.to_numpy()
    Z = minmax_scaling(X[classifier.rows_used_]).apply(X)
    rows, columns = read.features.index.to_numpy(), read.features.columns.to_numpy()
    found = []
    for problem, binary in classifier.binary_models():
        ranked = zip(binary.pairs_, binary.scores_, strict=True)
        for rank, (pair, score) in enumerate(ranked, start=1):
            anchor = binary.rows_used_[pair.anchor_rows]
            contrast = binary.rows_used_[pair.contrast_rows]
            found.append(
                {
                    "problem": str(problem),
                    "rank": rank,
                    "class": pair.anchor_class,
                    "msr_ratio": pair.msr_ratio,
                    "criterion": pair.criterion,
                    "residue": mean_squared_residue(Z[anchor][:, pair.columns]),
                    "contrast_residue": mean_squared_residue(Z[contrast][:, pair.columns]),
                    "score": score,
                    "n_rows": len(anchor),
                    "n_contrast_rows": len(contrast),
                    "n_columns": len(pair.columns),
                    "columns": columns[pair.columns].tolist(),
                    "rows": rows[anchor].tolist(),
                    "contrast_rows": rows[contrast].tolist(),
                }
            )
    return found


def tell(found: Sequence[dict[str, Any]]) -> list[str]:
    """How many there are and how good the first is."""
    return [f"contrastive pairs: {len(found)}, MSR ratio {found[0]['msr_ratio']:.3g} and up"]
