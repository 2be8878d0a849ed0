"""The report of the study: Markdown, and a plot of the groups that are found."""

from collections.abc import Iterator, Sequence

import numpy as np

from bicneuron._shared._formats import LEVEL
from bicneuron.significance._enrichment import exact_p_values
from studies._report import Panel, markdown_table, panels_svg
from studies.calibration.outcomes import BATCH_COLUMNS
from studies.calibration.runs import N_PERMUTATIONS
from studies.calibration.summary import FOUND, LEAST_KS_P, N_ERRORS, CalibrationRow
from studies.calibration.tables import (
    BASE,
    CURVES,
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
            f"`significance_test` with {N_PERMUTATIONS} orders of the labels, and last the whole",
            "protocol of `bicneuron find`, of what `SubgroupBiclustering` finds with its defaults.",
            *describe_null(rows),
            *describe_power(rows),
            *describe_carriers(),
            *describe_findings(rows),
            *describe_outcomes(rows),
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
        if n_patterns * exact_p_values(carriers, y, one_stratum)[0] <= LEVEL:
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


SHAPES = {
    "normal": "normal",
    "gamma": "skewed (gamma 1.5)",
    "uniform": "flat",
    "t3": "heavy-tailed (t3)",
    "lognormal": "log-normal",
}
FINDING_WORDS = {
    "find-null-noise": "nothing: independent columns",
    "find-null-blocks": "nothing: blocks of 20 columns, correlation 0.6",
    "find-null-factors": "nothing: three factors",
    "find-null-unequal": "nothing: 20 cases, 80 controls",
    "find-null-patients": "nothing: two rows of each patient",
    "find-group": "15 of 50 cases in 12 columns, shift 2",
    "find-group-wide": "the same, all cases shifted by 0.5 in a tenth of the columns",
    "find-group-blocks": "the same in blocks of correlated columns",
    **{
        f"find-null-{shape}-{load:g}": f"{words} gradient, load {load:g}"
        for shape, words in SHAPES.items()
        for load in (1.0, 1.5)
    },
    "find-null-blocks-small": "blocks of 20 columns, correlation 0.6",
    "find-null-blocks-loose": "blocks of 20 columns, correlation 0.3",
    "find-null-batch": "gamma gradient, load 1.5, in two batches, which are given",
    "find-wide-0.5": "classes differ by 0.5 in 30 % of the columns",
    "find-wide-1": "classes differ by 1 in 10 % of the columns",
}
FINDING_HEAD = (
    *("", "tables", "a finding", "separate", "first separate", "at most", "found"),
    *("found separate", "false of named", "planted with p", "classes told"),
)


def describe_findings(rows: Sequence[CalibrationRow]) -> Iterator[str]:
    """Write the section as Markdown."""
    own = [row for row in rows if row.section == "finding"]
    if not own:
        return
    yield from ("", "## Findings", "")
    yield (
        "The whole protocol of `bicneuron find`: shares of tables with *a finding*, with a group "
        "that is called *separate* (corrected for all, and the first of the list), and with a "
        f"finding whose rows have a Jaccard index of at least {FOUND:g} with the planted ones "
        "(*found*, and *found separate*). *False of named*: of all columns named in these "
        "sentences, those without any difference. *Planted with p*: planted columns with evidence "
        "of their own. *Classes told*: the answer says in how many columns the classes differ. "
        "Tables of 100 rows and 1,000 columns; of gradients 80 rows and 200 columns, of which 12 "
        "have the gradient, without classes; of classes that differ 40 + 40 rows and 300 columns. "
        f"*At most* is {LEVEL:g} and {N_ERRORS} standard errors: for findings where there is "
        "nothing, for separate groups where there are gradients or classes that differ."
    )
    yield from ("", *markdown_table(FINDING_HEAD, map(_finding_line, own)))


def _finding_line(row: CalibrationRow) -> tuple[str, ...]:
    shares = row.rejected_05, row.separate, row.first_separate
    of_planted = row.found, row.found_separate, row.false_named, row.planted_columns
    return (
        FINDING_WORDS[row.table],
        f"{row.n_tables}",
        *(f"{share:.3f}" for share in shares if share is not None),
        f"{row.bound_05:.3f}" if is_null(row.table) else "",
        *("" if share is None else f"{share:.3f}" for share in of_planted),
        f"{row.tells_classes:.2f}" if row.tells_classes else "",
    )


OUTCOME_WORDS = {
    "outcome-null-alone": "independent columns",
    "outcome-null-alone-blocks": "blocks of columns",
    "outcome-null-strata": "independent columns, two batches",
    "outcome-null-strata-blocks": "blocks of columns, two batches",
    "outcome-null-patients": "independent columns, two rows of each patient",
    "outcome-null-patients-blocks": "blocks of columns, two rows of each patient",
    "outcome-group": "carriers differ",
    "outcome-failing": "labels of carriers flipped",
}
TESTED_WORDS = {
    "normal": "normal numbers",
    "skewed": "skewed numbers",
    "tied": "numbers with many ties",
    "20 % censored": "survival, 20 % censored",
    "70 % censored": "survival, 70 % censored",
    "unequal": "survival, carriers followed up a third as long",
    "median": "the same numbers, cut at the median",
    "hazard": "survival, hazard ratio 3, 30 % censored",
    "loss": "losses of a random forest",
}
# The least share of tables in which the planted group is found.
LEAST_FOUND = {"normal": 0.7, "hazard": 0.65, "loss": 0.9}
OUTCOME_HEAD = (
    *("", "outcome", "rows x columns", "tables", "p <= 0.05 or found", "at least"),
    *("at most", "as it should be"),
)


def describe_outcomes(rows: Sequence[CalibrationRow]) -> Iterator[str]:
    """Write the section as Markdown."""
    own = [row for row in rows if row.section == "outcome"]
    if not own:
        return
    yield from ("", "## Numbers and survival", "")
    yield (
        "A group of 20 rows is shifted by 2 in 12 columns. In the first tables no outcome depends "
        f"on it: shares with a corrected p of at most {LEVEL:g} should not be above it by more "
        f"than {N_ERRORS} standard errors. A batch differs in {BATCH_COLUMNS} columns and in the "
        "outcome. Then carriers have numbers that are 1 standard deviation higher, or a hazard "
        f"ratio of 3; *found*: a pattern has p <= {LEVEL:g} and a Jaccard index of at least "
        f"{FOUND:g} with the rows of the group. Numbers that are cut at their median should have "
        "less power. Last, a tenth of the rows, shifted by 2 in 8 columns, have flipped labels; "
        "*found*: they are the first finding of `find_groups` with the losses of a random forest "
        "on rows left out."
    )
    whole = [row.found for row in own if (row.table, row.outcome) == ("outcome-group", "normal")]
    lines = (_tested_line(row, *whole) for row in own)
    yield from ("", *markdown_table(OUTCOME_HEAD, lines))


def _tested_line(row: CalibrationRow, whole: float | None = None) -> tuple[str, ...]:
    """One outcome; ``whole`` is how often the group is found by numbers that are not cut."""
    share, least, most = row.found or 0.0, LEAST_FOUND.get(row.outcome, 0.0), row.bound_05
    is_right = share >= least
    if is_null(row.table):
        share, is_right = row.rejected_05, bool(row.calibrated)
    elif row.outcome == "median":
        most, is_right = whole, whole is not None and share < whole
    return (
        OUTCOME_WORDS[row.table],
        TESTED_WORDS[row.outcome],
        f"{row.n_rows} x {row.n_columns:,}",
        f"{row.n_tables}",
        f"{share:.3f}",
        f"{least:.2f}" if least and not is_null(row.table) else "",
        "" if most is None else f"{most:.3f}",
        "yes" if is_right else "**no**",
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
