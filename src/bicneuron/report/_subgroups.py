"""A page about the groups of a fitted SubgroupBiclustering, and plots of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import issparse

from bicneuron.outcomes import as_outcome
from bicneuron.patterns import (
    Evidence,
    check_patterns,
    is_other_side,
    proven_patterns,
    significant_patterns,
)
from bicneuron.report._lists import Record, pattern_lists
from bicneuron.report._plots import Palette, outcome_plot, scores_plot, subgroup_plot
from bicneuron.report._records import class_labels, pattern_records
from bicneuron.significance import ColumnEvidence, with_evidence

# Groups that are drawn on the page, and columns of each that are listed.
MOST_PLOTS, MOST_COLUMNS = 5, 30


def groups_page(
    miner: Any, X: Any, y: Any, columns: Sequence[ColumnEvidence]
) -> tuple[dict[str, Any], dict[str, str]]:
    """What the page shows, and the lists that it saves."""
    check_patterns(miner, "write_report")
    if any(pattern.axis is None for pattern in miner.patterns_):
        raise TypeError(
            f"model is a {type(miner).__name__}, whose patterns are not groups; give a fitted "
            "SubgroupBiclustering, a classifier or a network."
        )
    if X is None:
        raise ValueError("a page of groups needs the table that they were found in; give X.")
    labels, outcome = class_labels(y), as_outcome(y)
    miner.check_table(X, labels)
    miner = with_evidence(miner, columns=columns)
    is_listed = miner.patterns_ and not issparse(X)
    lists = pattern_lists(miner, X, labels, evidence=columns) if is_listed else None
    classes = [] if labels is None else [str(label) for label in np.unique(labels).tolist()]
    palette = Palette.of(classes)
    patterns = _patterns(miner, X, labels, lists.columns if lists else [], columns)
    by_section = sorted(range(len(patterns)), key=lambda place: patterns[place]["section"])
    for place in by_section[:MOST_PLOTS]:  # findings, leads, others
        patterns[place]["plot"] = subgroup_plot(miner, X, labels, place, palette)
        if outcome is not None:
            own = np.isin(np.arange(np.shape(X)[0]), miner.patterns_[place].rows)
            patterns[place]["of_outcome"] = outcome_plot(own, outcome, place + 1)
    for one in columns[:MOST_PLOTS]:
        if one.pattern.evidence is not None and one.pattern.evidence.separate_p is not None:
            patterns[one.number - 1]["of_scores"] = scores_plot(one)
    cells = X.data if issparse(X) else np.asarray(X, np.float64)
    values = {
        "answer": [_numbered(line) for line in miner.summary().splitlines()],
        "patterns": patterns,
        "is_tested": any(pattern["is_tested"] for pattern in patterns),
        "n_rows": np.shape(X)[0],
        "n_columns": np.shape(X)[1],
        "share_missing": np.isnan(cells).sum() / max(np.prod(np.shape(X)), 1),
        "classes": classes,
        "colours": palette.colours,
        "most_columns": MOST_COLUMNS,
        "outcome": None if outcome is None else outcome.name,
        "outcome_kind": None if outcome is None else outcome.kind,
        "settings": repr(miner),
        "is_given": miner.is_given,
    }
    return values, {} if lists is None else lists.files


def _patterns(
    miner: Any, X: Any, labels: Any, listed: Sequence[Record], columns: Sequence[ColumnEvidence]
) -> list[dict[str, Any]]:
    """Each pattern as the page shows it."""
    findings = proven_patterns(miner.patterns_)
    significant = significant_patterns(miner.patterns_)
    told = findings or significant
    tested = {one.number: one for one in columns}
    known: dict[tuple[int, str], Record] = {}
    for line in [*listed, *(line for one in columns if not one.reason for line in one.records)]:
        known.setdefault((line["pattern"], line["column"]), {}).update(line)
    shown = []
    for record, pattern in zip(pattern_records(miner, X, labels), miner.patterns_, strict=True):
        number, evidence = record["rank"], pattern.evidence or Evidence()
        cells = zip(record["columns"], record["directions"], record["weights"], strict=True)
        lines = [
            {"column": name, "direction": direction, "weight": weight}
            | known.get((number, name), {})
            for name, direction, weight in [*cells][:MOST_COLUMNS]
        ]
        sides = [one for one in told if pattern not in told and is_other_side(pattern, one)]
        section = "lead" if pattern in significant else "seen"
        shown.append(
            {
                **record,
                "section": "finding" if pattern in findings else section,
                "other_side_of": 1 + miner.patterns_.index(sides[0]) if sides else None,
                "is_tested": evidence.is_tested,
                "evidence": evidence.lines,
                "verdict": evidence.verdict,
                "lines": lines,
                "about_columns": tested[number].words if number in tested else None,
                "plot": None,
                "of_outcome": None,
                "of_scores": None,
            }
        )
    return shown


def _numbered(line: str) -> tuple[str | None, str]:
    """The number of a finding at the beginning of a line of the answer, if it has one."""
    number, dot, text = line.partition(". ")
    return (number, text) if dot and number.isdigit() else (None, line)
