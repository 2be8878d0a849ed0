"""The part of the report on tables where only the miner of groups is run."""

from collections.abc import Iterator, Sequence

from studies._report import markdown_table
from studies.discovery.methods import ALL_CLASSES, NO_LABELS, STRATA
from studies.discovery.own_tables import SHARES_COLUMNS, STRUCTURE_COLUMNS
from studies.discovery.summary import NOISE_STRENGTH, DiscoveryRow

DISTRIBUTION_WORDS = {
    "normal": "normal",
    "t3": "t, 3 degrees of freedom",
    "lognormal": "lognormal",
    "counts": "log1p of negative binomial counts",
    "zeros": "60 % zeros",
    "floor-50": "floor at 50 %",
    "floor-88": "floor at 88 %",
    "binary": "0/1",
    "genotypes": "0/1/2",
    "mixed": "20 normal and 10 binary columns",
}
USES = {
    ALL_CLASSES.name: "labels",
    NO_LABELS.name: "no labels",
    STRATA.name: "labels and strata",
}


def describe_own(rows: Sequence[DiscoveryRow]) -> Iterator[str]:
    """Write the sections for which there are rows."""
    yield from _shares([row for row in rows if row.section == "shares"])
    yield from _noise([row for row in rows if row.section == "noise"])
    yield from _distributions([row for row in rows if row.section == "distributions"])
    yield from _structures([row for row in rows if row.section == "known-structure"])


def _shares(rows: Sequence[DiscoveryRow]) -> Iterator[str]:
    if not rows:
        return
    yield from ("", "## Groups of both classes, with labels", "")
    yield (
        f"Groups of cases and controls that differ in {SHARES_COLUMNS} columns; tables of each "
        f"kind: {_n_tables(rows)}. Jaccard index of the carriers of the **first** pattern, of both "
        "classes, with all rows of the group, and of its columns; means."
    )
    head = ("cases v controls", "carriers", "columns", "strength", "patterns", "seconds")
    yield from (
        "",
        *markdown_table(head, ((row.table.replace("-", " "), *_found(row)) for row in rows)),
    )


def _noise(rows: Sequence[DiscoveryRow]) -> Iterator[str]:
    if not rows:
        return
    yield from ("", "## Strength of noise", "")
    yield (
        f"Tables of each kind: {_n_tables(rows)}. Strength of the first pattern: what 95 % of the "
        "tables do not exceed, the largest, and the share of tables where it is above "
        f"{NOISE_STRENGTH:g}. Labels are random."
    )
    head = ("columns", "", "95 %", "largest", f"above {NOISE_STRENGTH:g}", "seconds")
    lines = (
        (
            *(_words(row), USES[row.method]),
            *map(_number, (row.high_strength, row.largest_strength, row.strong, row.seconds)),
        )
        for row in rows
    )
    yield from ("", *markdown_table(head, lines))


def _distributions(rows: Sequence[DiscoveryRow]) -> Iterator[str]:
    if not rows:
        return
    yield from ("", "## Groups in columns of other distributions, with labels", "")
    yield (
        "Groups of the cases are planted in normal columns, which are then mapped to another "
        f"distribution; tables of each kind: {_n_tables(rows)}. Jaccard index of the rows and the "
        "columns of the **first** pattern; means."
    )
    head = ("columns", "rows", "columns", "strength", "patterns", "seconds")
    yield from ("", *markdown_table(head, ((_words(row), *_found(row)) for row in rows)))


def _structures(rows: Sequence[DiscoveryRow]) -> Iterator[str]:
    if not rows:
        return
    yield from ("", "## Groups beside known structure", "")
    yield (
        f"A group of the cases in {STRUCTURE_COLUMNS} columns, beside a batch with most of the "
        "cases and few of the controls, or beside two sexes; tables of each kind: "
        f"{_n_tables(rows)}. Share of tables where the group is the first pattern, share where it "
        "is listed, and its mean rank there; mean number of patterns with two or more columns of "
        "the known structure (which a pattern of many columns has by chance beside a batch)."
    )
    head = ("structure", "", "first", "listed", "rank", "structural patterns", "seconds")
    lines = (
        (
            *(row.table, USES[row.method]),
            *map(_number, (row.is_first, row.is_listed, row.rank, row.n_structural, row.seconds)),
        )
        for row in rows
    )
    yield from ("", *markdown_table(head, lines))


def _found(row: DiscoveryRow) -> list[str]:
    measures = (row.first_rows, row.first_columns, row.strength, row.n_patterns, row.seconds)
    return [*map(_number, measures)]


def _words(row: DiscoveryRow) -> str:
    return DISTRIBUTION_WORDS[row.table.partition("-")[2]]


def _n_tables(rows: Sequence[DiscoveryRow]) -> str:
    return " or ".join(map(str, sorted({row.n_tables for row in rows})))


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
