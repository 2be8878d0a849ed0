"""The report of the study, as Markdown."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import fmean

from studies._real_tables import SUBTYPE_SETS
from studies._report import markdown_table
from studies.discovery.methods import ALL_METHODS, K_MEANS, NO_LABELS, OURS
from studies.discovery.own_report import describe_own
from studies.discovery.summary import FOUND, DiscoveryRow
from studies.discovery.tables import BACKGROUNDS, N_SIGNATURE

# Table to method to row.
Rows = dict[str, dict[str, DiscoveryRow]]
BACKGROUND_WORDS = {
    "normal": "independent normal columns",
    "columns": "columns of colon, each resampled",
    "rows": "whole rows of colon",
}
# The miner of groups, in two uses.
OF_GROUPS = (OURS.name, NO_LABELS.name)


def describe(rows: Sequence[DiscoveryRow]) -> str:
    """Write all sections for which there are rows."""
    return "\n".join(
        [
            "# Finding hidden groups",
            "",
            "Cases and controls, and in a part of the cases a few columns differ. Methods give",
            "ranked patterns of rows and columns, and are judged by the first ones. They get",
            f"the true number of columns if they can use it. {OURS.name}, UnPaSt and the miners of",
            "other patterns run with their defaults.",
            *_planted(rows),
            *_null(rows),
            *_unpast(rows),
            *_blocks(rows),
            *_subtypes(rows),
            *describe_own(rows),
            "",
        ]
    )


def _planted(rows: Sequence[DiscoveryRow]) -> Iterator[str]:
    for background in BACKGROUNDS:
        own = _of(rows, "planted", f"-{background}")
        if not own:
            continue
        yield from ("", f"## Planted groups: {BACKGROUND_WORDS[background]}", "")
        yield (
            "Jaccard index of rows/columns of the **first** pattern; means, tables of each kind: "
            f"{_numbers(own)}. A group has {N_SIGNATURE} columns; shift-d is a shift by d standard "
            "deviations. Two shifts: both groups within the first two patterns. In brackets: the "
            "first pattern of the kind that was planted."
        )
        yield from ("", *_grid(own, _first), "", "The best of the first five patterns:", "")
        yield from _grid(own, lambda row: _pair(row.five_rows, row.five_columns))
        yield from ("", "The best of the first ten patterns:", "")
        yield from _grid(own, lambda row: _pair(row.ten_rows, row.ten_columns))
        yield from ("", f"Share of tables where the rows have an index of at least {FOUND}:", "")
        yield from _grid(own, lambda row: _number(row.found), [OURS.name])
        yield from ("", "Seconds and number of patterns:", "")
        yield from _grid(own, _cost)


def _first(row: DiscoveryRow) -> str:
    first = _pair(row.first_rows, row.first_columns)
    if row.method == OURS.name and row.table.startswith(("tight", "coexpressed")):
        return f"{first} ({_pair(row.kind_rows, row.kind_columns)})"
    return first


def _null(rows: Sequence[DiscoveryRow]) -> Iterator[str]:
    own = _of(rows, "null", "")
    if not own:
        return
    yield from ("", "## Nothing planted", "")
    yield (
        f"Tables of each kind: {_numbers(own)}. Number of patterns and, where a method reports it, "
        "the strength of the first one: smallest to largest."
    )
    yield from ("", *_grid(own, _noise))
    shifted = {
        table: methods
        for table, methods in _of(rows, "planted", "").items()
        if table.startswith("shift-2-")
    }
    if shifted:
        yield from ("", "With a shift of 2 planted:", "", *_grid(shifted, _noise, _methods(own)))


def _noise(row: DiscoveryRow) -> str:
    if row.least_strength is None or row.largest_strength is None:
        return f"{row.n_patterns:.0f}"
    return f"{row.n_patterns:.0f}; {row.least_strength:.3g} to {row.largest_strength:.3g}"


def _unpast(rows: Sequence[DiscoveryRow]) -> Iterator[str]:
    own = _of(rows, "unpast", "")
    if not own:
        return
    yield from ("", "## The scenarios of UnPaSt, without labels", "")
    yield (
        "Four groups of 5, 10, 25 and 50 % of the rows with 5 or 50 columns each; tables of each "
        f"kind: {_numbers(own)}. Adjusted Rand index of the rows within the first ten patterns, "
        "weighted by the sizes of the groups:"
    )
    yield from ("", *_grid(own, lambda row: _number(row.weighted_ari, 3)))
    yield from ("", f"{OURS.name}, each group:", "")
    yield from _grid(own, lambda row: row.groups, [OURS.name])
    yield from ("", "Jaccard index of rows/columns, the four groups within the first four:", "")
    yield from _grid(own, lambda row: _pair(row.first_rows, row.first_columns))
    yield from ("", "Within the first five:", "")
    yield from _grid(own, lambda row: _pair(row.five_rows, row.five_columns))
    yield from ("", "Within the first ten:", "")
    yield from _grid(own, lambda row: _pair(row.ten_rows, row.ten_columns))
    yield from ("", "Seconds and number of patterns:", "")
    yield from _grid(own, _cost)


def _blocks(rows: Sequence[DiscoveryRow]) -> Iterator[str]:
    own = _of(rows, "blocks", "")
    if not own:
        return
    yield from ("", "## Blocks of other kinds, without labels", "")
    yield (
        "One block of rows and columns in normal noise, or two that share half of their rows: one "
        "value, one of two values by column, row effects plus column effects, row effects times "
        "column effects; one of row effects times signs in a part of the cases, or none, among as "
        f"many controls; ten of FABIA's; tables of each kind: {_numbers(own)}. As many patterns "
        "are considered as there are blocks. Recovery, the mean over the blocks of the Jaccard "
        "index of rows/columns with the pattern that fits best:"
    )
    planted = {table: methods for table, methods in own.items() if table != "block-none"}
    yield from ("", *_grid(planted, lambda row: _pair(row.first_rows, row.first_columns)))
    yield from ("", "Within the first ten:", "")
    yield from _grid(planted, lambda row: _pair(row.ten_rows, row.ten_columns))
    yield from ("", "Within all:", "")
    yield from _grid(planted, lambda row: _pair(row.all_rows, row.all_columns))
    yield from ("", "Relevance, the mean over as many patterns as there are blocks of the index")
    yield from ("with the block that fits best:", "")
    yield from _grid(
        planted, lambda row: _pair(row.first_rows_relevance, row.first_columns_relevance)
    )
    yield from ("", "Over all patterns:", "")
    yield from _grid(planted, lambda row: _pair(row.all_rows_relevance, row.all_columns_relevance))
    yield from ("", "Number of patterns:", "", *_grid(own, lambda row: f"{row.n_patterns:.1f}"))
    yield from ("", f"Time as a multiple of that of {K_MEANS.name}, whose seconds come first:", "")
    yield from _relative_times(own)


def _relative_times(rows: Rows) -> list[str]:
    """A table with a line per method; the times of one table are of one run."""
    unit = {table: methods[K_MEANS.name].seconds for table, methods in rows.items()}
    return markdown_table(
        ("", *rows),
        [
            ("seconds", *(f"{seconds:.2f}" for seconds in unit.values())),
            *(
                (
                    method,
                    *(
                        f"{own[method].seconds / unit[table]:.2g}" if method in own else "-"
                        for table, own in rows.items()
                    ),
                )
                for method in _methods(rows)
            ),
        ],
    )


def _subtypes(rows: Sequence[DiscoveryRow]) -> Iterator[str]:
    own = _of(rows, "subtypes", "")
    if not own:
        return
    yield from ("", "## Hidden subtypes of real tumours", "")
    yield (
        "All tumours are cases. Adjusted Rand index between the rows of a pattern and a subtype, "
        "among the cases: the first pattern with the subtype that it fits best, the same of the "
        "first one that is not that of a whole class, then the mean over subtypes of the best one "
        f"within the first ten patterns. {NO_LABELS.name}, searches cases and controls alike."
    )
    choices: list[tuple[str, str, Callable[[DiscoveryRow], float | None]]] = [
        (method, f"{method}, {words}", measure)
        for words, measure in (
            ("first", lambda row: row.first_ari),
            ("first not class-wide", lambda row: row.first_part_ari),
            ("first ten", lambda row: row.ten_ari),
        )
        for method in _methods(own)
        if method in OF_GROUPS or words != "first not class-wide"
    ]
    if K_MEANS.name in _methods(own):
        words = f"{K_MEANS.name}, best clusters chosen with the truth"
        choices.append((K_MEANS.name, words, lambda row: row.any_ari))
    lines = []
    for method, words, measure in choices:
        values = [measure(methods[method]) for methods in own.values()]
        known = [value for value in values if value is not None]
        lines.append((words, *map(_number, values), _number(fmean(known))))
    yield from ("", *markdown_table(("", *own, "mean"), lines))
    for method in (method for method in OF_GROUPS if method in _methods(own)):
        yield from ("", f"{method}, each subtype within the first ten patterns:", "")
        yield from (f"- {table}: {own[table][method].groups}" for table in own)
        yield from ("", f"Mean over all of these subtypes: {_number(_over_subtypes(own, method))}")
    yield from ("", "Seconds and number of patterns:", "")
    yield from _grid(own, _cost)


def _over_subtypes(rows: Rows, method: str) -> float:
    """Mean over the subtypes of all tables, within the first ten patterns."""
    n_subtypes = [len(SUBTYPE_SETS[table].subtypes) for table in rows]
    return fmean((own[method].ten_ari or 0.0 for own in rows.values()), n_subtypes)


def _of(rows: Iterable[DiscoveryRow], section: str, ending: str) -> Rows:
    chosen: Rows = {}
    for row in rows:
        if row.section == section and row.table.endswith(ending):
            chosen.setdefault(row.table, {})[row.method] = row
    return chosen


def _methods(rows: Rows) -> list[str]:
    return [
        method.name for method in ALL_METHODS if any(method.name in own for own in rows.values())
    ]


def _grid(
    rows: Rows, cell: Callable[[DiscoveryRow], str], methods: Sequence[str] = ()
) -> list[str]:
    """A table with a line per method and a column per kind of table."""
    return markdown_table(
        ("", *rows),
        [
            (method, *(cell(own[method]) if method in own else "-" for own in rows.values()))
            for method in methods or _methods(rows)
        ],
    )


def _numbers(rows: Rows) -> str:
    """Numbers of tables of a kind."""
    numbers = {row.n_tables for own in rows.values() for row in own.values()}
    return " or ".join(map(str, sorted(numbers)))


def _cost(row: DiscoveryRow) -> str:
    return f"{row.seconds:.2f} ({row.n_patterns:.0f})"


def _pair(rows: float | None, columns: float | None) -> str:
    return f"{_number(rows)}/{_number(columns)}"


def _number(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
