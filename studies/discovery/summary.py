"""Means over the tables of a kind."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from studies.discovery.methods import ALL_METHODS
from studies.discovery.runs import DiscoveryRecord
from studies.discovery.tables import table_names

# A group counts as found if this row Jaccard index is reached.
FOUND = 0.6
# Noise should seldom be stronger.
NOISE_STRENGTH = 10.0


@dataclass(frozen=True)
class DiscoveryRow:
    """One method on the tables of one kind: means, and None where a section has no such measure.

    Parameters
    ----------
    section, table, method : str
    n_tables : int
    first_rows, first_columns : float or None
        Jaccard indices of the first pattern; of g planted groups, the mean of the best matches
        within the first g patterns.
    kind_rows, kind_columns : float or None
        The same within the patterns of the kind that was planted.
    found : float or None
        Share of tables where ``kind_rows`` is at least 0.6.
    five_rows, five_columns, ten_rows, ten_columns : float or None
        Mean of the best matches within the first five or ten patterns.
    all_rows, all_columns : float or None
        Mean of the best matches within all patterns: recovery of the whole list.
    first_rows_relevance, first_columns_relevance : float or None
        Of the first g patterns, the mean over them of the match with the group that each fits best.
    all_rows_relevance, all_columns_relevance : float or None
        The same of all patterns: relevance of the whole list. 0 if nothing was found.
    weighted_ari : float or None
        Of the rows within the first ten patterns, weighted by the sizes of the groups.
    first_ari : float or None
        Adjusted Rand index of the first pattern with the subtype that it fits best.
    first_part_ari : float or None
        The same of the first pattern that is not that of a whole class.
    ten_ari, any_ari : float or None
        Mean over subtypes of the best one within the first ten patterns, or among all.
    is_first, is_listed, rank : float or None
        Of the hidden group beside known structure: share of tables where it is the first pattern,
        share where it is listed, and its mean rank in these.
    n_structural : float or None
        Patterns with two or more columns of the known structure.
    groups : str
        Adjusted Rand index of each group within the first ten patterns.
    n_patterns : float
    strength, least_strength, largest_strength : float or None
        Of the first pattern: mean, smallest and largest.
    high_strength : float or None
        Strength of the first pattern that 95 % of the tables do not exceed; 0 where none was found.
    strong : float or None
        Share of tables where it exceeds 10.
    seconds : float
        Median: the first run of a process may have to compile kernels.
    """

    section: str
    table: str
    method: str
    n_tables: int
    first_rows: float | None
    first_columns: float | None
    kind_rows: float | None
    kind_columns: float | None
    found: float | None
    five_rows: float | None
    five_columns: float | None
    ten_rows: float | None
    ten_columns: float | None
    all_rows: float | None
    all_columns: float | None
    first_rows_relevance: float | None
    first_columns_relevance: float | None
    all_rows_relevance: float | None
    all_columns_relevance: float | None
    weighted_ari: float | None
    first_ari: float | None
    first_part_ari: float | None
    ten_ari: float | None
    any_ari: float | None
    is_first: float | None
    is_listed: float | None
    rank: float | None
    n_structural: float | None
    groups: str
    n_patterns: float
    strength: float | None
    least_strength: float | None
    largest_strength: float | None
    high_strength: float | None
    strong: float | None
    seconds: float


MEASURES = (
    *("first_rows", "first_columns", "kind_rows", "kind_columns"),
    *("five_rows", "five_columns", "ten_rows", "ten_columns", "all_rows", "all_columns"),
    *("first_rows_relevance", "first_columns_relevance"),
    *("all_rows_relevance", "all_columns_relevance"),
    *("weighted_ari", "first_ari", "first_part_ari", "ten_ari", "any_ari"),
    *("is_first", "is_listed", "rank", "n_structural"),
)


def summarise(records: Iterable[DiscoveryRecord]) -> list[DiscoveryRow]:
    """Average the tables of each kind; rows are in the order of sections, tables and methods."""
    runs: dict[tuple[str, str, str], list[DiscoveryRecord]] = {}
    for record in records:
        runs.setdefault((record.protocol, record.dataset, record.model), []).append(record)
    names = table_names()
    sections, methods = [*names], [method.name for method in ALL_METHODS]

    def order(place: tuple[str, str, str]) -> tuple[int, int, int]:
        section, table, method = place
        return sections.index(section), names[section].index(table), methods.index(method)

    return [_row(place, runs[place]) for place in sorted(runs, key=order)]


def _row(place: tuple[str, str, str], records: list[DiscoveryRecord]) -> DiscoveryRow:
    strengths = [record.strength for record in records if record.strength is not None]
    # Nothing found is as weak as can be; other methods have patterns without a strength.
    firsts = [*strengths, *(0.0 for record in records if not record.n_patterns)]
    in_kind = [r.measures["kind_rows"] for r in records if "kind_rows" in r.measures]
    means: dict[str, Any] = {
        name: _mean([r.measures[name] for r in records if name in r.measures]) for name in MEASURES
    }
    groups = {name: fmean(record.groups[name] for record in records) for name in records[0].groups}
    return DiscoveryRow(
        *place,
        n_tables=len(records),
        **means,
        found=_mean([float(value >= FOUND) for value in in_kind]),
        groups=", ".join(f"{name} {value:.2f}" for name, value in groups.items()),
        n_patterns=fmean(record.n_patterns for record in records),
        strength=_mean(strengths),
        least_strength=min(strengths, default=None),
        largest_strength=max(strengths, default=None),
        high_strength=_percentile(firsts, 95),
        strong=_mean([float(strength > NOISE_STRENGTH) for strength in firsts]),
        seconds=median(record.seconds for record in records),
    )


def _mean(values: list[float]) -> float | None:
    return fmean(values) if values else None


def _percentile(values: list[float], percent: int) -> float | None:
    """Least of the values that so many percent of them do not exceed."""
    return sorted(values)[-(-percent * len(values) // 100) - 1] if values else None
