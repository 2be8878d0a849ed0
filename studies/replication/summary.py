"""Figures of each kind of pair."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from bicneuron._shared._formats import LEVEL
from studies.replication.runs import P_VALUES, ReplicationRecord
from studies.replication.tables import N_REAL, table_names

# Standard errors that a rate may be above its level.
N_ERRORS = 3


@dataclass(frozen=True)
class Rate:
    """Share of p-values that are at most .05.

    Parameters
    ----------
    share : float
    error : float
        Standard error, by pairs: the patterns of a pair share a cohort.
    n : int
        Number of p-values.
    """

    share: float
    error: float
    n: int

    @property
    def is_level(self) -> bool:
        """True if the share is no more than the level, and what chance explains."""
        least = float(np.sqrt(LEVEL * (1 - LEVEL) / max(self.n, 1)))
        return self.share <= LEVEL + N_ERRORS * max(self.error, least)


@dataclass(frozen=True)
class ReplicationRow:
    """The pairs of one kind.

    Parameters
    ----------
    section, table : str
    n_pairs : int
    rates : dict of str to Rate
        By the name of the test; without tests that were not asked for.
    families : float
        Share of pairs with any pattern that is found again.
    separate : Rate or None
        Of pairs, by p that the pattern of the true group is no separate group.
    wrong, right : float or None
        Share of pairs with a pattern that is found again and is none of the true groups, and in
        which all of these are.
    judged : float or None
        Share of pairs in which the pattern of the true group is found again.
    tied : float or None
        Share of pairs in which it is tied to the outcome.
    accuracy : dict of str to float
        Mean balanced accuracy of members, by the way to find them.
    worst : dict of str to float
        The smallest.
    """

    section: str
    table: str
    n_pairs: int
    rates: dict[str, Rate]
    families: float
    separate: Rate | None
    wrong: float | None
    right: float | None
    judged: float | None
    tied: float | None
    accuracy: dict[str, float]
    worst: dict[str, float]


def summarise(records: Iterable[ReplicationRecord]) -> list[ReplicationRow]:
    """Summarise the pairs of each kind; rows are in the order of sections and tables."""
    runs: dict[tuple[str, str], list[ReplicationRecord]] = {}
    for record in records:
        runs.setdefault((record.protocol, record.dataset), []).append(record)
    return [
        _row(section, table, runs[section, table])
        for section, tables in table_names().items()
        for table in tables
        if (section, table) in runs
    ]


def rate(p_values: Sequence[Sequence[float]]) -> Rate | None:
    """Rate of small p-values of several pairs, with the standard error by pairs."""
    n = sum(map(len, p_values))
    if not n:
        return None
    small = [np.asarray(values) <= LEVEL for values in p_values]
    share = float(sum(own.sum() for own in small) / n)
    off = np.array([float((own - share).sum()) for own in small])
    return Rate(share, float(np.sqrt((off**2).sum())) / n, n)


def _row(section: str, table: str, own: Sequence[ReplicationRecord]) -> ReplicationRow:
    rates = {test: rate([record.p_values[test] for record in own]) for test in P_VALUES}
    separate = [[record.separate] for record in own if record.separate is not None]
    wrong = [record.n_wrong > 0 for record in own if record.n_wrong is not None]
    right = [record.n_right == N_REAL for record in own if record.n_right is not None]
    judged = [record.judged for record in own if record.judged is not None]
    tied = [record.judged_outcome for record in own if record.judged_outcome is not None]
    ways = dict.fromkeys(way for record in own for way in record.accuracy)
    values = {
        way: [record.accuracy[way] for record in own if way in record.accuracy] for way in ways
    }
    return ReplicationRow(
        section=section,
        table=table,
        n_pairs=len(own),
        rates={test: one for test, one in rates.items() if one is not None},
        families=float(np.mean([any(record.found) for record in own])),
        separate=rate(separate),
        wrong=float(np.mean(wrong)) if wrong else None,
        right=float(np.mean(right)) if right else None,
        judged=float(np.mean(judged)) if judged else None,
        tied=float(np.mean(np.array(tied) <= LEVEL)) if tied else None,
        accuracy={way: float(np.mean(own)) for way, own in values.items()},
        worst={way: float(np.min(own)) for way, own in values.items()},
    )
