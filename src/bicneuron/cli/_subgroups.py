"""The groups of a fitted SubgroupBiclustering, as ``bicneuron mine`` writes them."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bicneuron.cli._settings import with_settings

if TYPE_CHECKING:
    from bicneuron.tables import Table

NAME = "patterns"
NONE_FOUND = (
    "no pattern was found, nothing was written; there may be none, or a class has fewer than 10 "
    "rows. Without --target groups of all rows are searched."
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
    """Groups with names of rows and columns."""
    from bicneuron.report._subgroup_records import subgroup_records

    return subgroup_records(miner, read.features)


def tell(found: Sequence[dict[str, Any]]) -> list[str]:
    """The first few in words."""
    lines = [f"patterns: {len(found)}, the strongest first; noise seldom exceeds a strength of 10"]
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


def write_page(path: Path, miner: Any, read: "Table", about: dict[str, Any]) -> None:
    """Write one HTML page about all groups."""
    from bicneuron.report import write_subgroup_report

    miner.set_params(n_jobs=None)  # a matter of the machine
    write_subgroup_report(path, miner, read.features, read.labels, about=about, overwrite=True)


def write_plots(folder: Path, miner: Any, read: "Table") -> None:
    """Write one SVG file per group, whose number is its rank."""
    from bicneuron._files._atomic import write_folder
    from bicneuron.inspection._svg import svg_file
    from bicneuron.report._plots import subgroup_plot

    n = len(miner.found_)
    digits = len(str(n))
    pictures = {}
    for place in range(n):
        svg, _ = subgroup_plot(miner, read.features, read.labels, place)
        pictures[f"pattern-{place + 1:0{digits}}.svg"] = svg_file(svg)
    write_folder(folder, pictures, replacing=PLOTS)
