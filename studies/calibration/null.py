"""What is shown of tables without a group."""

from collections.abc import Iterator, Sequence

from bicneuron._writing._p_values import LEVEL
from studies._means import markdown_table
from studies.calibration.summary import LEAST_KS_P, N_ERRORS, CalibrationRow

WORDS = {
    "null-normal": "independent normal columns",
    "null-columns": "columns of colon, each resampled",
    "null-colon": "rows of colon, random labels",
    "null-singh": "rows of singh, random labels",
    "null-tomlins": "rows of tomlins, random labels",
}
HEAD = (
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
    yield from ("", *markdown_table(HEAD, map(_line, own)))


def _line(row: CalibrationRow) -> tuple[str, ...]:
    return (
        WORDS[row.table],
        f"{row.n_rows} x {row.n_columns:,}",
        f"{row.n_tables}",
        f"{row.rejected_01:.3f}",
        f"{row.rejected_05:.3f}",
        f"{row.bound_05:.3f}",
        f"{row.rejected_10:.3f}",
        f"{row.ks_p:.2f}",
        "yes" if row.calibrated else "**no**",
    )
