"""One pair of tables: the unit of work of the study."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from bicneuron import Findings, SubgroupBiclustering
from bicneuron._core._arrays import BoolArray, IndexArray
from bicneuron.replication import Replication, pattern_scores, replicate, transfer
from reproduction._records import Record, read_record, record_path, versions
from studies._drawn_tables import (
    TableKind,
    TableRun,
    choose_kinds,
    derived_seed,
    one_quiet_thread,
    warn_of_missing,
)
from studies.replication.methods import (
    SAME,
    above_median,
    balanced_accuracy,
    clustered,
    searched_again,
)
from studies.replication.tables import (
    CASE_MIXES,
    FEW_COLUMNS,
    Pair,
    replication_tables,
    table_names,
)

N_DRAWS = {"list": 999, "power": 499, "cohorts": 999}
FEW_DRAWS = 199
# Groups that are looked for: of noise as many as a user would see, and where one is judged, few.
N_PATTERNS = {"separate": 3, "list": 20}
MANY_PATTERNS = 10
# Cuts of a real cohort to another case mix, or to fewer columns, of which the mean is taken.
N_CUTS = 10
METHOD = "replicate"
P_VALUES = ("together", "class", "class_labels_only", "outcome", "outcome_labels_only")


@dataclass(frozen=True, kw_only=True)
class ReplicationRecord(Record):
    """What became of the patterns of one table in another.

    Parameters
    ----------
    p_values : dict of str to list of float
        Of all patterns that were tested, by the name of the test; those that were asked for.
    found : list of bool
        Whether each of them is found again.
    separate : float or None
        P that the pattern of the true group is no separate group; None if that was not tested.
    n_wrong : int or None
        Where several groups are true, patterns that are none of these and found again.
    n_right : int or None
        Groups that are true and found again.
    judged : bool or None
        Whether the pattern of the true group is found again; False if it cannot be tested, None if
        there is no true group.
    judged_outcome : float or None
        P of its tie to the outcome, if that was asked for.
    accuracy : dict of str to float
        Balanced accuracy of the members of that pattern, by the way to find them.
    """

    p_values: dict[str, list[float]]
    found: list[bool]
    separate: float | None
    n_wrong: int | None
    n_right: int | None
    judged: bool | None
    judged_outcome: float | None
    accuracy: dict[str, float]


@dataclass(frozen=True, eq=False)
class ReplicationRun(TableRun[TableKind]):
    """One pair of tables."""

    @property
    def title(self) -> str:
        """Name in error messages."""
        return f"pair {self.index} of {self.table.name}"

    @property
    def settings(self) -> dict[str, Any]:
        """Everything the result depends on, for the record."""
        return {"seed": self.seed, "n_draws": N_DRAWS.get(self.table.section, FEW_DRAWS)}

    def read(self, out: Path) -> ReplicationRecord:
        """Read its record from the output folder."""
        place = record_path(self.table.section, self.table.name, METHOD, self.index)
        return read_record(out / place, self.settings, ReplicationRecord)

    def job(self) -> Callable[[TableKind], ReplicationRecord]:
        """Return a function that runs it."""
        return partial(_run_on, self.index, self.seed)


def _run_on(index: int, seed: int, table: TableKind) -> ReplicationRecord:
    return run_pair(ReplicationRun(table, index, seed))


def run_pair(run: ReplicationRun) -> ReplicationRecord:
    """Search the first table and look for what is found in the second."""
    place = (run.seed, run.table.name, run.index)
    section, name = run.table.section, run.table.name
    with one_quiet_thread():
        pair: Any = run.table.make(random_state=derived_seed(*place))
        start = perf_counter()
        n_patterns = N_PATTERNS.get(section, MANY_PATTERNS)
        model = SubgroupBiclustering(kinds="shift", n_patterns=n_patterns).fit(pair.first)
        findings = Findings.untested(model, pair.first)
        model = findings.miner
        judged = _judged(model, pair)
        second = _with_present(pair, model, judged, derived_seed(*place, "columns"))
        known = {name: one for name, one in pair.labels.items() if name == "strata"}
        results = {
            name: replicate(
                *(findings, second, pair.labels.get(of)),
                **known,
                n_draws=N_DRAWS.get(section, FEW_DRAWS),
                random_state=derived_seed(*place, "draws"),
            )
            for name, of in (("class", "y2"), ("outcome", "outcome"))
            if of in pair.labels or (name == "class" and "outcome" not in pair.labels)
        }
        result = next(iter(results.values()))
        accuracy = {}
        if judged is not None and pair.members is not None and section != "separate":
            accuracy = _accuracy(findings, judged, pair, second, result, section == "cohorts")
    tested = [found for found in result.patterns if not found.reason]
    p_values: dict[str, list[float]] = {test: [] for test in P_VALUES}
    p_values["together"] = [found.p_together for found in tested if found.p_together is not None]
    for name_of, of in results.items():
        for test, p in (("", "p_tied"), ("_labels_only", "p_tied_labels_only")):
            own = [getattr(one, p) for one in of.patterns if not one.reason]
            p_values[f"{name_of}{test}"] = [one for one in own if one is not None]
    one = None if judged is None else result.patterns[judged]
    is_judged = pair.members is not None or name == "dropped" or section == "separate"
    n_wrong, n_right = (None, None) if pair.groups is None else _counted(result, pair.groups)
    return ReplicationRecord(
        protocol=section,
        dataset=name,
        model=METHOD,
        fold=run.index,
        p_values=p_values,
        found=[found.is_found for found in tested],
        separate=None if one is None or one.separate is None else one.separate.p_value,
        n_wrong=n_wrong,
        n_right=n_right,
        judged=one.is_found if one is not None and is_judged else None,
        judged_outcome=None if judged is None else _tie(results.get("outcome"), judged),
        accuracy=accuracy,
        seconds=perf_counter() - start,
        settings=run.settings,
        versions=versions(),
    )


def _tie(result: Replication | None, judged: int) -> float | None:
    return None if result is None else result.patterns[judged].p_tied


def _judged(model: Any, pair: Pair) -> int | None:
    """The pattern whose carriers in the first table are the true group, as nearly as any."""
    if pair.first_members is None or not model.patterns_:
        return None
    known = _balanced(model.carriers(pair.first), pair.first_members)
    return int(np.argmax(known))


def _counted(result: Replication, groups: IndexArray) -> tuple[int, int]:
    """Patterns that are found again and no group of the second, and groups that are."""
    right, n_wrong = set(), 0
    for one in result.found:
        columns = one.found.pattern.columns
        own = groups[columns[columns < len(groups)]]
        if 2 * len(own) > len(columns):
            right.add(int(np.bincount(own).argmax()))
        else:
            n_wrong += 1
    return n_wrong, len(right)


def _balanced(carriers: BoolArray, members: BoolArray) -> list[float]:
    return [balanced_accuracy(own, members) for own in carriers.T]


def _with_present(pair: Pair, model: Any, judged: int | None, seed: int) -> Any:
    """The second table without some columns of the pattern that is judged."""
    if judged is None or pair.present == 1:
        return pair.second
    own = pair.first.columns[model.patterns_[judged].columns]
    n_absent = int((1 - pair.present) * len(own))
    return pair.second.drop(columns=np.random.default_rng(seed).permutation(own)[:n_absent])


def _accuracy(
    findings: Findings, judged: int, pair: Pair, second: Any, result: Replication, is_real: bool
) -> dict[str, float]:
    """Balanced accuracy of members, by the way to find them."""
    members: Any = pair.members
    one = result.patterns[judged].found
    if one.members is None:
        return {}
    Z = transfer(findings, second).Z
    names = pair.first.columns[one.pattern.columns]
    jaccard, again = searched_again(one, names, second)
    by_row = _carriers(findings, judged, second, "row")
    ways = {
        "cohort": one.members,
        "row": by_row,
        "k-means": clustered(one, Z),
        "median cut": above_median(one, Z),
        "new search": again,
    }
    accuracy = {way: balanced_accuracy(found, members) for way, found in ways.items()}
    accuracy["same columns"] = float(jaccard >= SAME)
    if set(findings.feature_names_in_) <= set(second.columns):
        stored = _carriers(findings, judged, second, "training")
        accuracy["training"] = balanced_accuracy(stored, members)
    if is_real:
        accuracy |= _cut(findings, judged, members, second)
    return accuracy


def _carriers(findings: Findings, judged: int, second: Any, reference: str) -> BoolArray:
    """Rows that carry the judged pattern."""
    scores = pattern_scores(findings, second, reference=reference)
    return np.asarray(scores[:, judged] > 0)


def _cut(findings: Findings, judged: int, members: BoolArray, second: Any) -> dict[str, float]:
    """Mean accuracy in cuts of the second table: to other shares of members, and fewer columns."""
    random = np.random.default_rng(0)
    found: dict[str, list[float]] = {}
    inside, outside = np.flatnonzero(members), np.flatnonzero(~members)
    for _ in range(N_CUTS):
        for share in CASE_MIXES:
            n = min(len(inside) / share, len(outside) / (1 - share))
            rows = np.concatenate(
                [
                    random.choice(inside, int(n * share), replace=False),
                    random.choice(outside, int(n * (1 - share)), replace=False),
                ]
            )
            own = _carriers(findings, judged, second.iloc[rows], "cohort")
            found.setdefault(f"{share:.0%} members", []).append(
                balanced_accuracy(own, members[rows])
            )
        columns = np.sort(random.permutation(second.shape[1])[: int(FEW_COLUMNS * second.shape[1])])
        own = _carriers(findings, judged, second.iloc[:, columns], "cohort")
        found.setdefault(f"{FEW_COLUMNS:.0%} of columns", []).append(
            balanced_accuracy(own, members)
        )
    return {way: float(np.mean(values)) for way, values in found.items()}


def plan(
    names: Sequence[str], seed: int, data_home: Path | None, repeats: int | None
) -> list[ReplicationRun]:
    """All runs of the study, or those of some kinds or sections; a warning names missing files.

    Parameters
    ----------
    names : sequence of str
        Kinds of pairs or sections; all if it is empty.
    seed : int
    data_home : Path or None
        Folder with ``cohorts``.
    repeats : int or None
        At most this many pairs of each kind.
    """
    tables, missing = replication_tables(choose_kinds(table_names(), names), data_home)
    warn_of_missing(missing, data_home)
    return [
        ReplicationRun(table, index, seed) for table in tables for index in table.indices(repeats)
    ]
