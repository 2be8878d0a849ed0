"""The choices behind the preset "best": settings that differ from it in one thing."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from statistics import fmean
from typing import Any

from sklearn.base import clone

from bicneuron.classifier._classifier_cv import PRESETS
from bicneuron.experiments._models import Model, best_bicneuron
from bicneuron.experiments._protocols import CHOICES
from bicneuron.experiments._records import FoldRecord
from bicneuron.neurons import KernelPerceptron, OnlinePerceptron

PRESET = "best"
BEST = PRESETS[PRESET]
MEASURES = {
    "inner_score": "inner score",
    "acc": "ACC",
    "label_auc": "label AUC",
    "fallback": "fell back",
}


def _neurons(kind: type) -> dict[str, Any]:
    return {"neurons": tuple(neuron for neuron in BEST["neurons"] if isinstance(neuron, kind))}


def _estimator(**params: Any) -> dict[str, Any]:
    return {"estimator": clone(BEST["estimator"]).set_params(**params)}


CHANGES: dict[str, dict[str, Any]] = {
    PRESET: {},
    "linear-only": _neurons(OnlinePerceptron),
    "rbf-only": _neurons(KernelPerceptron),
    "not-averaged": {
        "neurons": tuple(clone(neuron).set_params(average=False) for neuron in BEST["neurons"])
    },
    "not-recalibrated": _estimator(recalibrate=False),
    "minority-only": {"anchors": ("minority",)},
    "residues-below-1": {"max_residues": tuple(r for r in BEST["max_residues"] if r < 1)},
    "residue-0.02": {"max_residues": (0.02,)},
    "contrast-2": _estimator(contrast_size=2.0),
    "contrast-4": _estimator(contrast_size=4.0),
    "ratio-0.9": {"max_ratios": (0.9,)},
    "ratio-inf": {"max_ratios": (inf,)},
    "paper-grid": PRESETS["paper"],
}
SETTINGS = tuple(
    Model(name, partial(best_bicneuron, **changes), protocols=(CHOICES.name,), seed_name="choices")
    for name, changes in CHANGES.items()
)


@dataclass(frozen=True)
class ChoiceRow:
    """One setting by one measure, beside the preset.

    Parameters
    ----------
    setting, measure : str
    mean : float
        Over the data sets, each of which counts with the mean over its folds.
    difference : float
        To the mean of the preset.
    better, worse : int
        Data sets on which the setting does better and worse than the preset.
    n_datasets : int
    """

    setting: str
    measure: str
    mean: float
    difference: float
    better: int
    worse: int
    n_datasets: int


def choice_rows(records: Iterable[FoldRecord]) -> list[ChoiceRow]:
    """Hold each setting against the preset by each measure, in one order."""
    folds: dict[str, dict[str, list[FoldRecord]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        folds[record.model][record.dataset].append(record)
    rows = []
    for measure in MEASURES:
        means = {
            setting: {
                dataset: fmean(_value(fold, measure) for fold in own)
                for dataset, own in folds[setting].items()
            }
            for setting in CHANGES
        }
        preset = means[PRESET]
        sign = -1 if measure == "fallback" else 1
        for setting, own in means.items():
            gains = [sign * (own[dataset] - preset[dataset]) for dataset in preset]
            rows.append(
                ChoiceRow(
                    setting=setting,
                    measure=measure,
                    mean=fmean(own.values()),
                    difference=fmean(own.values()) - fmean(preset.values()),
                    better=sum(gain > 0 for gain in gains),
                    worse=sum(gain < 0 for gain in gains),
                    n_datasets=len(own),
                )
            )
    return rows


def _value(record: FoldRecord, measure: str) -> float:
    if measure == "inner_score" and (record.fallback or record.inner_score is None):
        return 0.0  # the worst, so that a fallback never wins the comparison
    return float(getattr(record, measure))


def describe_choices(rows: Sequence[ChoiceRow]) -> str:
    """Write one line for each setting as Markdown."""
    lines = [
        "# Choices behind the preset",
        "",
        'Each setting differs from the preset "best" of `BicNeuronClassifierCV` in one thing; only',
        "paper-grid is the other preset as a whole. All of them ran on the same outer and inner",
        f"folds: {CHOICES.n_folds} clean outer folds on each of {rows[0].n_datasets} data sets.",
        "",
        "**A choice is made by the inner score alone**, the mean label AUC of the inner",
        "cross-validation, which sees training rows only. ACC and label AUC are those of the test",
        "rows; they are shown beside it and decide nothing. A fold that fell back, or in which no",
        "grid point had a pair in all inner folds, counts with an inner score of 0.",
        "",
        "In each cell: the mean over the data sets, and in brackets the difference to the preset",
        "and the number of data sets that are better / worse. Fell back: the share of folds.",
        "",
        f"| setting | {' | '.join(MEASURES.values())} |",
        f"|---|{'---|' * len(MEASURES)}",
    ]
    for setting in CHANGES:
        cells = [_cell(row) for row in rows if row.setting == setting]
        lines.append(f"| {setting} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cell(row: ChoiceRow) -> str:
    if row.setting == PRESET:
        return f"{row.mean:.3f}"
    return f"{row.mean:.3f} ({row.difference:+.3f}; {row.better} / {row.worse})"
