"""The groups of a fitted SubgroupBiclustering, as ``bicneuron mine`` writes them."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bicneuron.cli._settings import with_settings

if TYPE_CHECKING:
    from bicneuron.tables import Table

NAME = "patterns"
NONE_FOUND = (
    "no pattern was found, nothing was written; a class needs at least 10 rows. Without --target "
    "groups of all rows are searched."
)
# Patterns that are told one by one, and columns named of each.
MOST_PATTERNS, MOST_COLUMNS = 5, 4
# Files in the folder of the plots.
PLOTS = "pattern-*.svg"


def make(settings: Sequence[str] | None, *, seed: int, n_jobs: int) -> Any:
    """Make the miner, not yet fitted; it draws nothing at random."""
    from bicneuron.biclustering import SubgroupBiclustering

    return with_settings(SubgroupBiclustering(n_jobs=n_jobs), settings)


def records(miner: Any, read: "Table") -> list[dict[str, Any]]:
    """Groups with names of rows and columns: rows by their scores, columns by their weights."""
    import numpy as np

    rows, columns = read.features.index.to_numpy(), read.features.columns.to_numpy()
    scores = miner.transform(read.features)
    found = []
    for place, group in enumerate(miner.found_):
        own = scores[group.rows, place]
        by_score = np.argsort(-own, kind="stable")
        by_weight = np.argsort(-np.abs(group.weights), kind="stable")
        found.append(
            {
                "rank": place + 1,
                "class": group.anchor_class,
                "kind": getattr(group, "kind", "shift"),
                "strength": group.strength,
                "carriers": _carriers(group),
                "parent": None if group.parent is None else group.parent + 1,
                "n_rows": len(group.rows),
                "n_columns": len(group.columns),
                "rows": rows[group.rows[by_score]].tolist(),
                "row_scores": own[by_score].tolist(),
                "columns": columns[group.columns[by_weight]].tolist(),
                "directions": [
                    "higher" if direction > 0 else "lower"
                    for direction in group.directions[by_weight]
                ],
                "weights": group.weights[by_weight].tolist(),
            }
        )
    return found


def _carriers(group: Any) -> dict[str, str]:
    """How many rows of each class show the pattern, its own class first."""
    labels = sorted(group.carriers, key=lambda label: label != group.anchor_class)
    return {
        "all rows" if label is None else str(label): "{} of {}".format(*group.carriers[label])
        for label in labels
    }


def tell(found: Sequence[dict[str, Any]]) -> list[str]:
    """The first few in words."""
    lines = [f"patterns: {len(found)}, the strongest first"]
    lines += [_told(record) for record in found[:MOST_PATTERNS]]
    n_more = len(found) - MOST_PATTERNS
    if n_more > 0:
        weakest = found[-1]["strength"]
        lines.append(f"and {n_more} more, with strengths down to {weakest:.1f}")
    return lines


def _told(record: dict[str, Any]) -> str:
    carriers = ", ".join(f"{share} {label}" for label, share in record["carriers"].items())
    named = zip(record["columns"][:MOST_COLUMNS], record["directions"], strict=False)
    columns = ", ".join(f"{name} {direction}" for name, direction in named)
    more = ", ..." if record["n_columns"] > MOST_COLUMNS else ""
    unit = "column" if record["n_columns"] == 1 else "columns"
    return (
        f"{record['rank']}. {carriers}, {record['n_columns']} {unit} ({columns}{more}), "
        f"strength {record['strength']:.1f}"
    )


def write_plots(folder: Path, miner: Any, read: "Table") -> None:
    """Write one SVG file per group, whose number is its rank."""
    from bicneuron._files._atomic import write_folder
    from bicneuron.inspection import SubgroupDisplay
    from bicneuron.inspection._svg import draw_svg, svg_file

    def draw(figure: Any, place: int) -> None:
        figure.set(size_inches=(8, 7), layout_engine="constrained")
        SubgroupDisplay.from_estimator(
            miner, read.features, read.labels, pattern=place, ax=figure.subplots()
        )

    n = len(miner.found_)
    digits = len(str(n))
    pictures = {}
    for place in range(n):
        name = f"pattern-{place + 1:0{digits}}"
        svg = draw_svg(partial(draw, place=place), name, label=f"Pattern {place + 1}")
        pictures[f"{name}.svg"] = svg_file(svg)
    write_folder(folder, pictures, replacing=PLOTS)
