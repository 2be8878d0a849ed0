"""A page about the patterns of a model in a second cohort."""

from collections.abc import Callable
from typing import Any

from bicneuron._shared._formats import round_p, shortened
from bicneuron._shared._names import row_names
from bicneuron.inspection import ColumnEffectsDisplay, SeparateDisplay
from bicneuron.outcomes import Outcome, as_outcome
from bicneuron.replication import ReplicatedPattern, Replication
from bicneuron.report._lists import csv_text
from bicneuron.report._plots import Plot, drawn_plot, outcome_plot
from bicneuron.report._records import pattern_records

# Patterns that have a line at the top and that have plots, those that are found again first, and
# columns and rows that are named.
MOST_LINES, MOST_DRAWN, MOST_COLUMNS, MOST_ROWS = 8, 20, 40, 200
LIST = ("pattern", "column", "is_here", "effect_there", "effect_here")


def replication_page(
    replication: Replication, X2: Any, y2: Any
) -> tuple[dict[str, Any], dict[str, str]]:
    """What the page shows, and the lists that it saves."""
    records = pattern_records(replication, X2, y2)
    outcome = as_outcome(y2)
    first = sorted(replication.patterns, key=lambda one: not one.is_found)
    drawn = [one for one in first if one.found.members is not None][:MOST_DRAWN]
    names = [str(name) for name in row_names(X2, replication.n_rows)]
    scores = {f"pattern {record['number']}": record["scores"] for record in records}
    of_rows = [
        {"row": name}
        | {key: None if one[row] is None else round(one[row], 4) for key, one in scores.items()}
        for row, name in enumerate(names)
    ]
    lists = {"scores.csv": of_rows, "columns.csv": _column_lines(records)}
    values = {
        "replication": replication,
        "patterns": replication.patterns,
        "records": {record["number"]: record for record in records},
        "rows": names,
        "plots": {one.number: _plots(replication, one, outcome) for one in drawn},
        "first": first,
        "most_lines": MOST_LINES,
        "smallest_p": round_p(1 / (1 + replication.n_draws)),
        "is_tied": any(one.p_tied is not None for one in replication.patterns),
        "what": "the class" if outcome is None else shortened(outcome.name),
        "most_columns": MOST_COLUMNS,
        "most_rows": MOST_ROWS,
    }
    return values, {name: csv_text(lines) for name, lines in lists.items() if lines}


def _plots(
    replication: Replication, one: ReplicatedPattern, outcome: Outcome | None
) -> dict[str, Plot]:
    """Plots of a pattern, by their names."""
    members = one.found.members
    plots: dict[str, Plot] = {}

    def draw(name: str, from_result: Callable[..., Any], height: float, caption: str) -> None:
        plots[name] = drawn_plot(
            lambda ax: from_result(replication, one.number - 1, ax=ax),
            f"pattern-{one.number}-{name}",
            caption,
            (8, height),
            label=f"pattern {one.number}: {name}",
        )

    if one.levels is not None:
        caption = (
            "Sums of the columns, of members and of other rows. Of a separate group, two humps "
            "describe them, and no single one does"
        )
        draw("separate", SeparateDisplay.from_result, 4, caption)
    if members is not None and members.any() and not members.all():
        caption = (
            "Difference of members from other rows in each column. Members were chosen by these "
            "columns, so that some difference in the same direction is there in any cohort"
        )
        height = 1.6 + 0.26 * min(30, len(one.found.present))
        draw("effects", ColumnEffectsDisplay.from_result, height, caption)
    if outcome is not None and members is not None:
        plots["outcome"] = outcome_plot(members, outcome, one.number)
    return plots


def _column_lines(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One line for each column of each pattern, with its effects if it is here."""
    lines: list[tuple[Any, ...]] = []
    for record in records:
        keys = "columns_present", "effects_there", "effects_here"
        effects = zip(*(record[key] for key in keys), strict=True)
        lines += [(record["number"], name, "yes", *both) for name, *both in effects]
        lines += [(record["number"], name, "no", "", "") for name in record["columns_absent"]]
    return [dict(zip(LIST, line, strict=True)) for line in lines]
