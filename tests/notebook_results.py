"""Everything that a notebook shows as HTML, of a table whose names look like HTML."""

from functools import cache

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

from bicneuron import BicNeuronNetwork, Findings, PatternClassifier, SubgroupBiclustering
from bicneuron.metrics import cross_validated_scores
from bicneuron.replication import replicate
from bicneuron.significance import (
    column_evidence,
    significance_test,
    with_evidence,
)

NASTY = "<script>alert(1)</script>"


def nasty_table():
    """A group of 15 of 80 rows, all of one class, in 14 of 60 columns."""
    X = np.random.default_rng(0).normal(size=(80, 60))
    X[:15, :8] += 3.0
    X[:15, 8:14] -= 3.0
    names = [f"{NASTY}{k}" for k in range(60)]
    rows = [f"{NASTY}row {k}" for k in range(80)]
    return pd.DataFrame(X, columns=names, index=rows), np.repeat([NASTY, "<b>well"], 40)


@cache
def results():
    """One of each, by name."""
    X, y = nasty_table()
    miner = SubgroupBiclustering(kinds="shift", n_patterns=3).fit(X)
    tested = significance_test(miner, X, y, random_state=0)
    half = SubgroupBiclustering(kinds="shift", n_patterns=2).fit(X[::2], y[::2])
    network = BicNeuronNetwork(n_neurons=20, random_state=0).fit(X, y)
    readable = PatternClassifier(miners=(), random_state=0).fit(X, y)
    explained = network.explain(X)
    return {
        "pattern": with_evidence(miner, tested).patterns_[0],
        "pattern of a network": network.patterns_[0],
        "explanation": explained[0],
        "explanation by one pattern": readable.explain(X)[0],
        "explanations": explained,
        "significance": tested,
        "replication": replicate(
            Findings.untested(half, X[::2], y[::2]), X[1::2], n_draws=99, random_state=0
        ),
        "columns": column_evidence(miner, X, patterns=[0], n_folds=3, random_state=0)[0],
        "scores": cross_validated_scores(LogisticRegression(), X, y, n_repeats=1),
    }


NAMES = (
    "pattern", "pattern of a network", "explanation", "explanation by one pattern", "explanations",
    "significance", "replication", "columns", "scores",
)  # fmt: skip
