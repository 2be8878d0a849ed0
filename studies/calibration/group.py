"""What is shown of tables with and without groups of rows, which are tested without labels."""

from collections.abc import Iterator, Sequence

from bicneuron._writing._p_values import LEVEL
from studies._means import markdown_table
from studies.calibration.runs import N_PERMUTATIONS
from studies.calibration.summary import N_ERRORS, CalibrationRow
from studies.calibration.tables import PLANTED_SHIFTS, is_null

WORDS = {
    "continuum-normal": "independent normal columns",
    "continuum-columns": "columns of colon, each resampled",
    "continuum-colon": "normal rows, covariance of colon",
    "continuum-tomlins": "normal rows, covariance of tomlins",
    **{f"groups-{shift:g}": f"planted group, shift {shift:g}" for shift in PLANTED_SHIFTS},
    "groups-colon": "rows of colon",
    "groups-tomlins": "rows of tomlins",
}
HEAD = ("", "rows x columns", "tables", "p <= 0.05", "p <= 0.1", "at most", "calibrated")


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
    yield from ("", *markdown_table(HEAD, map(_line, own)))


def _line(row: CalibrationRow) -> tuple[str, ...]:
    return (
        WORDS[row.table],
        f"{row.n_rows} x {row.n_columns:,}",
        f"{row.n_tables}",
        f"{row.rejected_05:.2f}",
        f"{row.rejected_10:.2f}",
        f"{row.bound_05:.2f}" if is_null(row.table) else "",
        ("yes" if row.calibrated else "**no**") if is_null(row.table) else "",
    )
