"""Mean ranks of the models of a reproduction over its data sets, and tests of their differences.

    bicneuron reproduce --table all --protocol clean --rivals --out results
    python -m studies.ranks results/folds.csv

The EEG pairs are left out, because they share their signals, and models that lack a data set.
"""

import csv
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import fmean

from reproduction._problems import is_eeg
from studies._comparison import compare_models
from studies._report import markdown_table

MEASURES = ("acc", "label_auc")


def describe_ranks(folds: Iterable[Mapping[str, str]], measure: str) -> str:
    """Compare the models of the clean protocol by one measure, as Markdown."""
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for fold in folds:
        if fold["protocol"] == "clean" and fold[measure] and not is_eeg(fold["dataset"]):
            values[fold["dataset"]][fold["model"]].append(float(fold[measure]))
    models = set.intersection(*(set(own) for own in values.values())) if values else set()
    if len(models) < 2:
        return f"No two models of the clean protocol have {measure} on all data sets."
    result = compare_models(
        {name: {model: fmean(own[model]) for model in models} for name, own in values.items()}
    )
    ranks = zip(result.models, result.mean_ranks, strict=True)
    rows = [(model, f"{rank:.2f}") for model, rank in ranks]
    pairs = [
        (f"{pair.first} against {pair.second}", f"{pair.p_value:.4f}", f"{pair.p_holm:.4f}")
        for pair in result.pairs
    ]
    return "\n".join(
        [
            f"{measure} over {len(result.datasets)} data sets",
            "",
            *markdown_table(("model", "mean rank"), rows),
            "",
            *markdown_table(("signed-rank test", "p", "p (Holm)"), pairs),
            "",
        ]
    )


if __name__ == "__main__":
    lines = list(csv.DictReader(Path(sys.argv[1]).read_text().splitlines()))
    for compared in MEASURES:
        print(describe_ranks(lines, compared))
