"""The report of the study: Markdown, and a plot of the groups that are found."""

from collections.abc import Iterator, Sequence

import numpy as np

from bicneuron._writing._formats import LEVEL
from bicneuron.significance._enrichment import Enrichment
from studies._report import Panel, markdown_table, panels_svg
from studies.calibration.runs import N_PERMUTATIONS
from studies.calibration.summary import FOUND, LEAST_KS_P, N_ERRORS, CalibrationRow
from studies.calibration.tables import (
    BASE,
    CURVES,
    PLANTED_SHIFTS,
    POWER_BACKGROUNDS,
    Curve,
    is_null,
)


def describe(rows: Sequence[CalibrationRow]) -> str:
    """Write all sections for which there are rows."""
    return "\n".join(
        [
            "# Is the significance test calibrated?",
            "",
            f'`significance_test` with `method="blind"` and {N_PERMUTATIONS["blind"]} orders of',
            'the labels, and last with `method="group"`, of what `SubgroupBiclustering` finds with',
            "its defaults.",
            *describe_null(rows),
            *describe_power(rows),
            *describe_carriers(),
            *describe_group(rows),
            *describe_findings(rows),
            "",
        ]
    )


NULL_WORDS = {
    "null-normal": "independent normal columns",
    "null-columns": "columns of colon, each resampled",
    "null-colon": "rows of colon, random labels",
    "null-singh": "rows of singh, random labels",
    "null-tomlins": "rows of tomlins, random labels",
}
NULL_HEAD = (
    *("", "rows x columns", "tables", "p <= 0.01", "p <= 0.05", "at most", "p <= 0.1"),
    *("KS p", "calibrated"),
)


def describe_null(rows: Sequence[CalibrationRow]) -> Iterator[str]:
    """Write the section as Markdown."""
    own = [row for row in rows if row.section == "null"]
    if not own:
        return
    yield from ("", "## Nothing to find", "")
    yield (
        "The class does not matter in these tables. A table is rejected if its smallest corrected "
        "p is at most the level, 1 if it has no pattern. The share of rejected tables should not "
        f"be above the level. Chance explains {N_ERRORS} standard errors above {LEVEL:g}. KS p is "
        "that of a one-sided Kolmogorov-Smirnov test: are the p-values smaller than uniform ones? "
        f"It should not be below {LEAST_KS_P:g}."
    )
    yield from ("", *markdown_table(NULL_HEAD, map(_null_line, own)))


def _null_line(row: CalibrationRow) -> tuple[str, ...]:
    return (
        NULL_WORDS[row.table],
        f"{row.n_rows} x {row.n_columns:,}",
        f"{row.n_tables}",
        f"{row.rejected_01:.3f}",
        f"{row.rejected_05:.3f}",
        f"{row.bound_05:.3f}",
        f"{row.rejected_10:.3f}",
        f"{row.ks_p:.2f}",
        "yes" if row.calibrated else "**no**",
    )


N_PER_CLASS = (10, 20, 31, 50, 100)
N_PATTERNS = (1, 2, 5, 20)


def fewest_carriers(n_per_class: int, n_patterns: int) -> int | None:
    """The smallest number of cases, with no control, that has a p of at most 0.05; None if none.

    The p is exact, and multiplied by the number of patterns. `significance_test` corrects less
    where patterns have rows in common.

    Parameters
    ----------
    n_per_class : int
        Cases, and controls.
    n_patterns : int
    """
    y = np.repeat([0, 1], n_per_class)
    rows, one_stratum = np.arange(len(y)), np.zeros_like(y)
    for n_carriers in range(1, n_per_class + 1):
        carriers = (rows < n_carriers)[:, None]
        if n_patterns * Enrichment(carriers, y, one_stratum).p_values(y)[0] <= LEVEL:
            return n_carriers
    return None


def describe_carriers() -> Iterator[str]:
    """Write the section as Markdown."""
    yield from ("", "## How many carriers are needed?", "")
    yield (
        f"The fewest cases that carry a pattern, with no control, for p <= {LEVEL:g}: the exact p "
        "times the number of patterns."
    )
    head = ("rows", *(f"{n} pattern{'s' if n > 1 else ''}" for n in N_PATTERNS))
    lines = []
    for n in N_PER_CLASS:
        needed = (fewest_carriers(n, n_patterns) for n_patterns in N_PATTERNS)
        lines.append((f"{n} cases, {n} controls", *(f"{k or '-'}" for k in needed)))
    yield from ("", *markdown_table(head, lines))


GROUP_WORDS = {
    "continuum-normal": "independent normal columns",
    "continuum-columns": "columns of colon, each resampled",
    "continuum-colon": "normal rows, covariance of colon",
    "continuum-tomlins": "normal rows, covariance of tomlins",
    **{f"groups-{shift:g}": f"planted group, shift {shift:g}" for shift in PLANTED_SHIFTS},
    "groups-colon": "rows of colon",
    "groups-tomlins": "rows of tomlins",
}
GROUP_HEAD = ("", "rows x columns", "tables", "p <= 0.05", "p <= 0.1", "at most", "calibrated")


def describe_group(rows: Sequence[CalibrationRow]) -> Iterator[str]:
    """Write the section as Markdown."""
    own = [row for row in rows if row.section == "group"]
    if not own:
        return
    yield from ("", "## Is it a group?", "")
    yield (
        f'The same with `method="group"` and {N_PERMUTATIONS["group"]} tables of each kind, '
        "without labels. The first tables have no groups, the others have: a planted one, or "
        "whatever real rows have. Shares of tables that have any pattern with such a p. *At most* "
        f"is {LEVEL:g} and {N_ERRORS} standard errors, for p <= {LEVEL:g}."
    )
    yield from ("", *markdown_table(GROUP_HEAD, map(_group_line, own)))


def _group_line(row: CalibrationRow) -> tuple[str, ...]:
    return (
        GROUP_WORDS[row.table],
        f"{row.n_rows} x {row.n_columns:,}",
        f"{row.n_tables}",
        f"{row.rejected_05:.2f}",
        f"{row.rejected_10:.2f}",
        f"{row.bound_05:.2f}" if is_null(row.table) else "",
        ("yes" if row.calibrated else "**no**") if is_null(row.table) else "",
    )


FINDING_WORDS = {
    "find-null-noise": "nothing: independent columns",
    "find-null-blocks": "nothing: blocks of 20 columns, correlation 0.6",
    "find-null-factors": "nothing: three factors",
    "find-null-unequal": "nothing: 20 cases, 80 controls",
    "find-null-patients": "nothing: two rows of each patient",
    "find-group": "15 of 50 cases in 12 columns, shift 2",
    "find-group-wide": "the same, all cases shifted by 0.5 in a tenth of the columns",
    "find-group-blocks": "the same in blocks of correlated columns",
}
FINDING_HEAD = ("", "tables", "a finding", "at most", "found", "false of named", "planted with p")


def describe_findings(rows: Sequence[CalibrationRow]) -> Iterator[str]:
    """Write the section as Markdown."""
    own = [row for row in rows if row.section == "finding"]
    if not own:
        return
    yield from ("", "## Findings", "")
    yield (
        "The whole protocol of `bicneuron find`: shares of tables of 100 rows and 1,000 columns "
        "with *a finding*, and with one whose rows have a Jaccard index of at least "
        f"{FOUND:g} with the planted ones (*found*). *False of named*: of all columns named in "
        "these sentences, those without any difference. *Planted with p*: planted columns with "
        "evidence of their own."
    )
    yield from ("", *markdown_table(FINDING_HEAD, map(_finding_line, own)))


def _finding_line(row: CalibrationRow) -> tuple[str, ...]:
    return (
        FINDING_WORDS[row.table],
        f"{row.n_tables}",
        f"{row.rejected_05:.3f}",
        f"{row.bound_05:.3f}" if is_null(row.table) else "",
        *(
            "" if share is None else f"{share:.3f}"
            for share in (row.found, row.false_named, row.planted_columns)
        ),
    )


POWER_WORDS = {"normal": "normal columns", "rows": "rows of colon"}
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
        f"{POWER_WORDS[background]}: {measure}"
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


def plot(rows: Sequence[CalibrationRow]) -> dict[str, str]:
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
                lines[POWER_WORDS[background]] = values
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
    return f"{first.n_rows} x {first.n_columns:,} {POWER_WORDS[background]}, {numbers} of each kind"


def _point(curve: Curve, value: float) -> str:
    is_base = value == BASE[curve.parameter]
    return f"{curve.name} {value:g}{' (base)' if is_base else ''}"


def _cells(row: CalibrationRow | None) -> list[str]:
    if row is None:
        return ["-"] * 3
    return [f"{share:.2f}" for share in (row.found, row.rejected_05, row.seen)]
