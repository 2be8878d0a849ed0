"""Tables 2 to 5, our results beside the printed ones, with the paper's tests."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from reproduction._models import MODELS
from reproduction._protocols import leaks_of_dataset
from reproduction._published import (
    N_FOLDS,
    PublishedRow,
    PublishedTables,
    fold_index,
    rounds_to,
)

Record = Mapping[str, Any]
Folds = Mapping[int, Record]
Runs = Mapping[str, Mapping[str, Folds]]

PROTOCOLS = ("paper", "clean")
MEASURES = {2: ("acc",), 3: ("label_auc",), 4: ("acc_minority", "acc_majority"), 5: ("acc",)}
MARKS = {2: {"bold", "italic", "underline"}, 3: {"bold", "italic", "underline"}, 5: {"underline"}}
UNAVAILABLE = "tipspam"


@dataclass(frozen=True, slots=True)
class Numbers:
    """One row of numbers; ``folds`` are in the order of the table's columns, None where missing."""

    folds: tuple[float | None, ...]
    mean: float
    std: float
    best: float | None
    p_value: float | None
    marks: frozenset[str]


@dataclass(frozen=True, slots=True)
class ModelRow:
    """Our results beside the printed ones for one model; None where there are none.

    ``is_exact`` says for each column whether our fold rounds to the printed one and did not fall
    back; ``fallbacks`` counts the folds of a BicNeuron in which no pair survived.
    """

    model: str
    paper: Numbers | None
    ours: Numbers | None
    is_exact: tuple[bool, ...] | None
    n_folds: int
    fallbacks: int | None

    @property
    def difference(self) -> float | None:
        """Our mean less the printed one."""
        return self.ours.mean - self.paper.mean if self.ours and self.paper else None


@dataclass(frozen=True, slots=True)
class DatasetRows:
    """The models of one data set, and its own leaks."""

    dataset: str
    is_available: bool
    leaks: tuple[str, ...]
    rows: tuple[ModelRow, ...]


@dataclass(frozen=True, slots=True)
class PaperTable:
    """One measure of one of the paper's tables; ``reference`` is the model the marks refer to."""

    number: int
    measure: str
    columns: tuple[int, ...]
    reference: str
    datasets: tuple[DatasetRows, ...]


def group_records(records: Iterable[Record]) -> dict[str, Runs]:
    """Group records, in any order, by protocol, data set, model and fold.

    Protocols and models are in the order of the report, data sets by name.
    """
    tree: dict[str, dict[str, dict[str, dict[int, Record]]]] = {}
    for record in records:
        protocol, dataset, model = (record[key] for key in ("protocol", "dataset", "model"))
        folds = tree.setdefault(protocol, {}).setdefault(dataset, {}).setdefault(model, {})
        if record["fold"] in folds:
            raise ValueError(
                f"two records for fold {record['fold']} of {model} on {dataset} "
                f"({protocol} protocol); keep one of them."
            )
        folds[record["fold"]] = record
    return {
        protocol: {
            dataset: {
                model: dict(sorted(models[model].items())) for model in in_order(models, MODELS)
            }
            for dataset, models in sorted(tree[protocol].items())
        }
        for protocol in in_order(tree, PROTOCOLS)
    }


def in_order(names: Iterable[str], known: Iterable[str]) -> list[str]:
    """Known names in their order, then all others by name.

    Examples
    --------
    >>> from reproduction._tables import in_order
    >>> in_order(["b", "a", "BN", "SP"], ["SP", "KP_L", "BN"])
    ['SP', 'BN', 'a', 'b']
    """
    places = {name: place for place, name in enumerate(known)}
    return sorted(names, key=lambda name: (places.get(name, len(places)), name))


def measured_folds(folds: Folds, measure: str) -> dict[int, float]:
    """Fold to value, without the folds whose test rows hold one class and leave it undefined."""
    return {fold: record[measure] for fold, record in folds.items() if record[measure] is not None}


def count_fallbacks(records: Iterable[Record]) -> int | None:
    """Folds in which no pair survived; None for models that have no fallback."""
    fallbacks = [record["fallback"] for record in records if record["fallback"] is not None]
    return sum(fallbacks) if fallbacks else None


def build_table(
    number: int, measure: str, protocol: str, runs: Runs, published: PublishedTables
) -> PaperTable:
    """Build one of the paper's tables from our runs and the printed numbers.

    ``runs`` are those of the protocol on the data sets of the table; tipspam, which is not
    available, is added to them. Folds are compared with the printed ones under the protocol
    "paper" only; other protocols have others.
    """
    printed: dict[str, dict[str, PublishedRow]] = defaultdict(dict)
    for (dataset, model, _), row in published.items():
        if (row.table, row.measure) == (number, measure):
            printed[dataset][model] = row
    fold_of_column = _fold_of_column(protocol, runs)
    is_paper = protocol == "paper"
    has_best = any("BN_CV" in models for models in runs.values())
    reference = "BN_CV" if has_best and not is_paper else "BN"

    def rows(dataset: str) -> tuple[ModelRow, ...]:
        folds = runs.get(dataset, {})
        fold_order = [*fold_of_column.values()]
        ours = _our_numbers(number, measure, folds, fold_order, reference)
        paper = {
            model: Numbers(
                row.columns if is_paper else (), row.mean, row.std, row.best, row.p_value, row.marks
            )
            for model, row in printed[dataset].items()
        }
        return tuple(
            _model_row(model, paper.get(model), ours.get(model), folds.get(model, {}), fold_order)
            for model in in_order({*paper, *ours}, MODELS)
        )

    return PaperTable(
        number=number,
        measure=measure,
        columns=tuple(fold_of_column),
        reference=reference,
        datasets=tuple(
            DatasetRows(
                dataset, dataset in runs, leaks_of_dataset(protocol, dataset), rows(dataset)
            )
            for dataset in in_order({*runs, *({UNAVAILABLE} & printed.keys())}, [*printed])
        ),
    )


def _fold_of_column(protocol: str, runs: Runs) -> dict[int, int]:
    if protocol == "paper":
        return {column: fold_index(column) for column in range(1, N_FOLDS + 1)}
    n_folds = max(max(folds) + 1 for models in runs.values() for folds in models.values())
    return {fold + 1: fold for fold in range(n_folds)}


def _our_numbers(
    number: int,
    measure: str,
    models: Mapping[str, Folds],
    fold_order: Sequence[int],
    reference: str,
) -> dict[str, Numbers]:
    """Numbers of one data set, marked by the paper's rule for that table."""
    measured = {model: measured_folds(folds, measure) for model, folds in models.items()}
    values = {model: [*folds.values()] for model, folds in measured.items() if folds}
    marks = paper_marks(values, reference) if values else {}
    p_values = p_values_against_best(values) if values and number == 5 else {}
    numbers = {}
    for model, own in values.items():
        mean, std = mean_and_spread(own)
        numbers[model] = Numbers(
            folds=tuple(measured[model].get(fold) for fold in fold_order),
            mean=mean,
            std=std,
            best=max(own),
            p_value=p_values.get(model),
            marks=marks[model] & MARKS.get(number, set()),
        )
    return numbers


def repeats(record: Record, value: float | None, printed: float | None) -> bool:
    """Return True if a fold rounds to the printed one and did not fall back."""
    if value is None or printed is None or record["fallback"]:
        return False
    return rounds_to(value, printed)


def _model_row(
    model: str,
    paper: Numbers | None,
    ours: Numbers | None,
    folds: Folds,
    fold_order: Sequence[int],
) -> ModelRow:
    is_exact = None
    if ours and paper and paper.folds:
        is_exact = tuple(
            fold in folds and repeats(folds[fold], our, printed)
            for fold, our, printed in zip(fold_order, ours.folds, paper.folds, strict=True)
        )
    return ModelRow(model, paper, ours, is_exact, len(folds), count_fallbacks(folds.values()))


SIGNIFICANCE_OF_THE_PAPER = 0.01


def mean_and_spread(values: Sequence[float]) -> tuple[float, float]:
    """Mean and sample standard deviation, as the paper prints them; one value has no spread."""
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else float("nan")
    return float(np.mean(values)), spread


def rank_sum_p_value(first: Sequence[float], second: Sequence[float]) -> float:
    """P-value of the Wilcoxon test that the paper used: rank sums, without regard to pairs.

    The text says "Wilcoxon test" only. Applied to the printed folds the unpaired rank-sum test
    gives every printed mark; the signed-rank test of its reference does not (KP on singh).
    """
    return float(stats.ranksums(first, second).pvalue)


def paper_marks(folds: Mapping[str, Sequence[float]], reference: str) -> dict[str, frozenset[str]]:
    """Marks of Tables 2 and 3 for the models of one data set."""
    means = {model: float(np.mean(values)) for model, values in folds.items()}
    best = max(map(_two_decimals, means.values()))
    marks = {}
    for model, values in folds.items():
        own = {"underline"} if _two_decimals(means[model]) == best else set()
        p_value = rank_sum_p_value(folds[reference], values) if reference in folds else 1.0
        if p_value <= SIGNIFICANCE_OF_THE_PAPER:
            own.add("bold" if means[model] < means[reference] else "italic")
        marks[model] = frozenset(own)
    return marks


def p_values_against_best(folds: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """P-values of Table 5: every model against the one of the best average, which has 1."""
    best = max(folds.values(), key=lambda values: float(np.mean(values)))
    return {model: rank_sum_p_value(best, values) for model, values in folds.items()}


def _two_decimals(mean: float) -> float:
    # Twelve decimals first: a mean of 0.125 must not depend on the order of its summands.
    return round(round(mean, 12), 2)
