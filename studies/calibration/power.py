"""What is shown of tables with a planted group."""

from collections.abc import Iterator, Sequence

from bicneuron._writing._p_values import LEVEL
from studies._curves import Panel, panels_svg
from studies._means import markdown_table
from studies.calibration.summary import FOUND, CalibrationRow
from studies.calibration.tables import BASE, CURVES, POWER_BACKGROUNDS, Curve

WORDS = {"normal": "normal columns", "rows": "rows of colon"}
PLOT = "calibration.svg"


def describe_power(rows: Sequence[CalibrationRow]) -> Iterator[str]:
    """Write the section as Markdown."""
    by_table = _by_table(rows)
    if not by_table:
        return
    backgrounds = _backgrounds(by_table)
    yield from ("", "## A planted group", "")
    yield (
        "A part of the cases is shifted in a few columns. One thing is varied at a time; the "
        f"others are as at the base point: a shift of {BASE['shift']:g} standard deviations in "
        f"{BASE['n_signature']} columns, in {BASE['share']:.0%} of the cases. Tables: "
        f"{'; '.join(_size(by_table, background) for background in backgrounds)}. Shares of "
        f"tables: *found*, a pattern has p <= {LEVEL:g} and a Jaccard index of at least {FOUND:g} "
        "with the rows of the group; *any*, some pattern has such a p; *seen*, a pattern has such "
        "an index, whatever its p."
    )
    head = [
        f"{WORDS[background]}: {measure}"
        for background in backgrounds
        for measure in ("found", "any", "seen")
    ]
    lines = []
    for curve in CURVES:
        for place, value in enumerate(curve.values):
            chosen = [by_table.get(curve.tables(each)[place]) for each in backgrounds]
            if any(chosen):
                cells = [cell for row in chosen for cell in _cells(row)]
                lines.append((_point(curve, value), *cells))
    yield from ("", *markdown_table(("", *head), lines))
    if _panels(by_table):
        yield from ("", f"![Share of planted groups that are found]({PLOT})")


def plot_power(rows: Sequence[CalibrationRow]) -> dict[str, str]:
    """Draw the share of groups that are found, against what was varied."""
    panels = _panels(_by_table(rows))
    return {PLOT: panels_svg(panels, y="share of groups found")} if panels else {}


def _panels(by_table: dict[str, CalibrationRow]) -> list[Panel]:
    """One for each curve, with a line for each background where all its points were run."""
    panels = []
    for curve in CURVES:
        lines = {}
        for background in POWER_BACKGROUNDS:
            found = [
                by_table[table].found for table in curve.tables(background) if table in by_table
            ]
            values = [value for value in found if value is not None]
            if len(values) == len(curve.values):
                lines[WORDS[background]] = values
        if lines:
            marks = [f"{value:g}" for value in curve.values]
            panels.append(Panel(lines, marks, curve.title))
    return panels


def _by_table(rows: Sequence[CalibrationRow]) -> dict[str, CalibrationRow]:
    return {row.table: row for row in rows if row.section == "power"}


def _backgrounds(by_table: dict[str, CalibrationRow]) -> list[str]:
    return [
        background
        for background in POWER_BACKGROUNDS
        if any(table.endswith(f"-{background}") for table in by_table)
    ]


def _size(by_table: dict[str, CalibrationRow], background: str) -> str:
    own = [row for table, row in by_table.items() if table.endswith(f"-{background}")]
    numbers = " or ".join(map(str, sorted({row.n_tables for row in own})))
    first = own[0]
    return f"{first.n_rows} x {first.n_columns:,} {WORDS[background]}, {numbers} of each kind"


def _point(curve: Curve, value: float) -> str:
    is_base = value == BASE[curve.parameter]
    return f"{curve.name} {value:g}{' (base)' if is_base else ''}"


def _cells(row: CalibrationRow | None) -> list[str]:
    if row is None:
        return ["-"] * 3
    return [f"{share:.2f}" for share in (row.found, row.rejected_05, row.seen)]
