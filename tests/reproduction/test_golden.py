"""The printed rows of the kernel and the standard perceptron, fold by fold."""

import os
from statistics import fmean, stdev

import pytest

from reproduction._folds import Fold, run_fold
from reproduction._models import MODELS
from reproduction._problems import load_problem
from reproduction._protocols import PAPER
from reproduction._published import load_published

pytestmark = [
    pytest.mark.real_data,
    pytest.mark.skipif(
        not os.environ.get("BICNEURON_DATA"), reason="BICNEURON_DATA names no data folder"
    ),
]

BOTH = ("chen", "colon", "ionosphere", "singh", "sonar", "spambase", "wdbc")
EXACT = {"KP_L": (*BOTH, "chowdary", "parkinsons", "twonorm"), "SP": BOTH}
QUICK = ("sonar", "colon")


def run(model, dataset):
    """All folds of a model on the data as the paper saw them."""
    problem = PAPER.prepare(load_problem(dataset, PAPER.variant), 0)
    return [run_fold(Fold(PAPER, problem, MODELS[model], fold, 0)) for fold in range(10)]


def rounded(values):
    return [f"{value:.2f}" for value in values]


@pytest.mark.parametrize(
    ("model", "dataset"),
    [
        pytest.param(model, name, marks=() if name in QUICK else pytest.mark.slow)
        for model, names in EXACT.items()
        for name in names
    ],
)
def test_every_printed_fold_is_found_again(model, dataset):
    records = run(model, dataset)
    published = load_published()
    for measure in ("acc", "label_auc"):
        ours = [getattr(record, measure) for record in records]
        assert rounded(ours) == rounded(published[dataset, model, measure].folds)
    for measure in ("acc_minority", "acc_majority"):
        ours = [getattr(record, measure) for record in records]
        printed = published[dataset, model, measure]
        assert rounded([fmean(ours), stdev(ours), max(ours)]) == rounded(
            [printed.mean, printed.std, printed.best]
        )
