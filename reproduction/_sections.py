"""A report as plain values: one section per protocol, from the overview down to the folds."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from reproduction._models import MODELS
from reproduction._problems import is_eeg
from reproduction._protocols import leaks_of_protocol
from reproduction._published import (
    PublishedRow,
    PublishedTables,
    load_published,
)
from reproduction._tables import (
    MEASURES,
    Folds,
    PaperTable,
    Record,
    Runs,
    build_table,
    count_fallbacks,
    group_records,
    in_order,
    measured_folds,
    repeats,
)

COMPARED = ("acc", "label_auc")


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """Means of one model over the data sets that it ran on.

    The paper's means are over the same sets, None unless it prints them all; ``n_exact`` counts
    the folds whose ACC rounds to the printed one, None where folds cannot be compared.
    """

    model: str
    n_datasets: int
    acc: float | None
    paper_acc: float | None
    label_auc: float | None
    paper_label_auc: float | None
    score_auc: float | None
    n_folds: int
    n_exact: int | None
    fallbacks: int | None
    row_share: float | None
    column_share: float | None


@dataclass(frozen=True, slots=True)
class Section:
    """Everything about one protocol.

    ``sets`` and ``eeg`` summarise the data sets of Tables 2 to 4 and the pairs of Table 5; they are
    empty if nothing was run.
    """

    protocol: str
    leaks: tuple[str, ...]
    sets: tuple[SummaryRow, ...]
    eeg: tuple[SummaryRow, ...]
    tables: tuple[PaperTable, ...]


def build_report(
    records: Iterable[Record], numbers: Sequence[int] = (2, 3, 4, 5)
) -> tuple[Section, ...]:
    """Build the report of all records, in any order."""
    published = load_published()
    return tuple(
        _section(protocol, runs, numbers, published)
        for protocol, runs in group_records(records).items()
    )


def _section(
    protocol: str, runs: Runs, numbers: Sequence[int], published: PublishedTables
) -> Section:
    eeg = {dataset: models for dataset, models in runs.items() if is_eeg(dataset)}
    sets = {dataset: models for dataset, models in runs.items() if dataset not in eeg}
    tables = [
        build_table(number, measure, protocol, chosen, published)
        for number in sorted(numbers)
        for chosen in [eeg if number == 5 else sets]
        for measure in MEASURES[number]
        if chosen
    ]
    return Section(
        protocol=protocol,
        leaks=leaks_of_protocol(protocol),
        sets=_summary(protocol, sets, published),
        eeg=_summary(protocol, eeg, published),
        tables=tuple(tables),
    )


def _summary(protocol: str, runs: Runs, published: PublishedTables) -> tuple[SummaryRow, ...]:
    rows = []
    for model in in_order({model for models in runs.values() for model in models}, MODELS):
        own = {dataset: models[model] for dataset, models in runs.items() if model in models}
        records = [record for folds in own.values() for record in folds.values()]
        acc, label_auc = (
            [published.get((dataset, model, measure)) for dataset in own] for measure in COMPARED
        )
        rows.append(
            SummaryRow(
                model=model,
                n_datasets=len(own),
                acc=_mean(_mean_of_folds(folds, "acc") for folds in own.values()),
                paper_acc=_mean(row.mean if row else None for row in acc),
                label_auc=_mean(_mean_of_folds(folds, "label_auc") for folds in own.values()),
                paper_label_auc=_mean(row.mean if row else None for row in label_auc),
                score_auc=_mean(_mean_of_folds(folds, "score_auc") for folds in own.values()),
                n_folds=len(records),
                n_exact=_count_exact(own, acc) if protocol == "paper" else None,
                fallbacks=count_fallbacks(records),
                row_share=_mean(record.get("row_share") for record in records),
                column_share=_mean(record.get("column_share") for record in records),
            )
        )
    return tuple(rows)


def _mean_of_folds(folds: Folds, measure: str) -> float | None:
    return _mean(measured_folds(folds, measure).values())


def _mean(values: Iterable[float | None]) -> float | None:
    """Mean, or None if any value is missing."""
    values = list(values)
    known = [value for value in values if value is not None]
    return fmean(known) if known and len(known) == len(values) else None


def _count_exact(own: Mapping[str, Folds], rows: Sequence[PublishedRow | None]) -> int | None:
    """Number of folds that equal the printed ones; None if none is printed."""
    is_exact = [
        index in folds and repeats(folds[index], folds[index][row.measure], printed)
        for folds, row in zip(own.values(), rows, strict=True)
        if row
        for index, printed in enumerate(row.folds)
    ]
    return sum(is_exact) if is_exact else None
