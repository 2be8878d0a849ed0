"""What ``bicneuron find`` found: tests of it, lines, pages and plots about it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bicneuron.cli._answer import Answer
from bicneuron.cli._messages import refusing_bad_values

if TYPE_CHECKING:
    from bicneuron.tables import Table

# Patterns that are printed one by one, and columns named of each.
MOST_PATTERNS, MOST_COLUMNS = 5, 4
# Files in the folder of the plots.
PLOTS = "pattern-*.svg"


def check_exchange(read: "Table") -> None:
    """Refuse strata and groups that leave no classes to exchange, before the search."""
    import numpy as np

    from bicneuron.significance._nulls import LabelShuffler

    assert read.labels is not None  # a target was asked for
    numbered = np.unique(read.labels, return_inverse=True)[1]
    LabelShuffler(numbered, read.aside.get("strata"), read.aside.get("groups"))


def with_tests(
    answer: Answer, miner: Any, read: "Table", seed: int, *, significance: bool, stability: bool
) -> tuple[Any, list[str]]:
    """Test the groups of a fitted miner.

    Parameters
    ----------
    answer : Answer
    miner : SubgroupBiclustering
        Fitted, for a test of significance without the classes.
    read : Table
    seed : int
    significance, stability : bool
        Test whether groups belong to a class, and whether they are found again.

    Returns
    -------
    miner : SubgroupBiclustering
        Its groups carry the results.
    summary : list of str
        One line about significance, if that was tested.
    """
    from bicneuron import significance as tests

    tested = again = None
    groups = read.aside.get("groups")
    if significance:
        with answer.working("testing"), refusing_bad_values():
            strata = read.aside.get("strata")
            tested = tests.significance_test(
                miner, read.features, read.labels, strata=strata, groups=groups, random_state=seed
            )
    if stability:
        with answer.counting("searching parts", "subsamples") as advance, refusing_bad_values():
            again = tests.stability(
                miner,
                read.features,
                None if significance else read.labels,
                groups=groups,
                n_jobs=miner.n_jobs,
                random_state=seed,
                after_searches=advance,
            )
    summary = [] if tested is None else [tested.summary()]
    return tests.with_evidence(miner, tested, again), summary


def subgroup_lines(found: list[dict[str, Any]]) -> list[str]:
    """Describe the first few groups."""
    from bicneuron._writing._p_values import LEVEL

    lines = [f"patterns: {len(found)}, the strongest first; noise seldom exceeds a strength of 10"]
    # Those that belong to a class first, if that was tested.
    first = sorted(found, key=lambda record: record.get("p_corrected", 0.0) > LEVEL)
    lines += [_subgroup_line(record) for record in first[:MOST_PATTERNS]]
    n_more = len(found) - MOST_PATTERNS
    if n_more > 0:
        weakest = found[-1]["strength"]
        lines.append(f"and {n_more} more, with strengths down to {weakest:.1f}")
    return lines


def _subgroup_line(record: dict[str, Any]) -> str:
    from bicneuron._writing._p_values import round_p

    carriers = ", ".join(f"{share} {label}" for label, share in record["carriers"].items())
    named = zip(record["columns"][:MOST_COLUMNS], record["directions"], strict=False)
    columns = ", ".join(f"{name} {direction}" for name, direction in named)
    more = ", ..." if record["n_columns"] > MOST_COLUMNS else ""
    unit = "column" if record["n_columns"] == 1 else "columns"
    line = (
        f"{record['rank']}. {carriers}, {record['n_columns']} {unit} ({columns}{more}), "
        f"strength {record['strength']:.1f}"
    )
    if "p_corrected" in record:
        line += f", p = {round_p(record['p_corrected'])}"
    if "found" in record:
        line += f", found in {record['found']} subsamples"
    return line


def pair_lines(found: list[dict[str, Any]]) -> list[str]:
    """Count the pairs, and give the ratio of the best."""
    return [f"contrastive pairs: {len(found)}, MSR ratio {found[0]['msr_ratio']:.3g} and up"]


def bicluster_lines(found: list[dict[str, Any]]) -> list[str]:
    """Describe the first few biclusters."""
    lines = [f"biclusters: {len(found)}"]
    for record in found[:MOST_PATTERNS]:
        named = ", ".join(map(str, record["columns"][:MOST_COLUMNS]))
        more = ", ..." if record["n_columns"] > MOST_COLUMNS else ""
        lines.append(
            f"{record['rank']}. {record['n_rows']} rows, {record['n_columns']} columns "
            f"({named}{more}), residue {record['residue']:.3g}"
        )
    return lines


def write_page(path: Path, miner: Any, read: "Table", about: dict[str, Any]) -> None:
    """Write one HTML page about all groups."""
    from bicneuron.report import write_subgroup_report

    miner.set_params(n_jobs=None)  # a property of the machine
    write_subgroup_report(path, miner, read.features, read.labels, about=about, overwrite=True)


def write_plots(folder: Path, miner: Any, read: "Table") -> None:
    """Write one SVG file per group, whose number is its rank."""
    from bicneuron._writing._atomic import write_folder
    from bicneuron._writing._svg import svg_file
    from bicneuron.report._plots import subgroup_plot

    n = len(miner.found_)
    digits = len(str(n))
    pictures = {}
    for place in range(n):
        plot = subgroup_plot(miner, read.features, read.labels, place)
        pictures[f"pattern-{place + 1:0{digits}}.svg"] = svg_file(plot.svg)
    write_folder(folder, pictures, replacing=PLOTS)
