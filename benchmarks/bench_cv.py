"""Is choosing by cross-validation affordable? Ratios measured side by side in one run.

    python benchmarks/bench_cv.py [--size full|tiny]

Nested cross-validation of BicNeuronClassifierCV against a random forest on the same outer folds of
generated ringnorm (7,400 x 20), in processor time of one thread.
"""

import argparse
import time

from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from bicneuron import BicNeuronClassifierCV
from bicneuron.datasets import make_ringnorm


def seconds_of_fits(model, X, y, folds) -> tuple[float, list]:
    """Processor time of a fit on the training rows of every fold, and the fitted models."""
    start = time.process_time()
    fitted = [clone(model).fit(X[train], y[train]) for train, _ in folds]
    return time.process_time() - start, fitted


def bench_nested(n_rows: int, n_folds: int, n_trees: int) -> None:
    X, y = make_ringnorm(n_rows, random_state=0)
    folds = list(StratifiedKFold(n_folds, shuffle=True, random_state=0).split(X, y))
    print(f"\n{n_folds} fits of BicNeuronClassifierCV against RandomForestClassifier({n_trees})")
    print(f"{'shape':>12} {'time / forest':>14} {'wanted':>7} {'fell back':>10}")
    ours = BicNeuronClassifierCV(random_state=0)
    clone(ours).fit(*make_ringnorm(200, random_state=0))  # loads kernels
    our_seconds, fitted = seconds_of_fits(ours, X, y, folds)
    forest = RandomForestClassifier(n_trees, random_state=0, n_jobs=1)
    their_seconds, _ = seconds_of_fits(forest, X, y, folds)
    fallbacks = sum(model.fallback_ for model in fitted)
    print(
        f"{X.shape[0]:5} x {X.shape[1]:4} {our_seconds / their_seconds:13.2f}x {3:6.1f}x "
        f"{fallbacks:5} of {n_folds:2}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", choices=["full", "tiny"], default="full")
    tiny = parser.parse_args().size == "tiny"
    with threadpool_limits(1):
        bench_nested(*((200, 2, 10) if tiny else (7400, 10, 300)))


if __name__ == "__main__":
    main()
