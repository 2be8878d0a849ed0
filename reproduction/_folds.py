"""One fold: the unit of work. Pure computation, no files."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from joblib import parallel_config
from sklearn import config_context
from sklearn.utils.validation import has_fit_parameter
from threadpoolctl import threadpool_limits

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron._core._sorting import label_aucs, rank_sum_aucs
from reproduction._models import Model
from reproduction._problems import Problem
from reproduction._protocols import FoldProtocol
from reproduction._records import FoldRecord, read_record, record_path, versions


@dataclass(frozen=True, eq=False)
class Fold:
    """One fold of one model on one data set."""

    protocol: FoldProtocol
    problem: Problem
    model: Model
    index: int
    seed: int

    @property
    def path(self) -> Path:
        """File of its record inside the output folder."""
        return record_path(self.protocol.name, self.problem.name, self.model.name, self.index)

    @property
    def title(self) -> str:
        """Name in error messages."""
        return (
            f"fold {self.index} of {self.model.name} on {self.problem.name} "
            f"({self.protocol.name} protocol)"
        )

    @property
    def data(self) -> Problem:
        """The problem, which many folds share."""
        return self.problem

    @property
    def size(self) -> int:
        """Number of values in the data."""
        return self.problem.X.size

    def read(self, out: Path) -> FoldRecord:
        """Read its record from the output folder."""
        return read_record(out / self.path, self.settings, FoldRecord)

    def job(self) -> Callable[[Problem], FoldRecord]:
        """Return a function that runs the fold on the problem."""
        return partial(_run_on, self.protocol, self.model, self.index, self.seed)

    def build(self) -> Any:
        """Make the unfitted estimator. Its seed depends on this fold only."""
        model = self.model.seed_name or self.model.name
        key = f"{self.seed}/{self.problem.name}/{model}/{self.index}"
        seed = int.from_bytes(blake2b(key.encode(), digest_size=4).digest(), "little") >> 1
        return self.model.build(self.protocol, self.problem.name, seed)

    @property
    def settings(self) -> dict[str, Any]:
        """Everything the result depends on, for the record."""
        with config_context(print_changed_only=False):  # a default may change
            estimator = self.build().__repr__(N_CHAR_MAX=10**6)
        return {
            "seed": self.seed,
            **self.protocol.settings,
            "data": self.problem.digest,
            "estimator": " ".join(estimator.split()),
        }


def run_fold(fold: Fold) -> FoldRecord:
    """Fit on the training rows and measure on the test rows."""
    problem, estimator = fold.problem, fold.build()
    train, test = fold.protocol.split(problem, fold.seed)[fold.index]
    train = fold.protocol.order(fold.model.name, problem, train)
    labels = fold.protocol.labels(problem, fold.index, fold.seed)
    extra = {}
    if problem.groups is not None and has_fit_parameter(estimator, "groups"):
        extra["groups"] = problem.groups[train]
    start = perf_counter()
    # One thread: the folds run side by side, and sums over threads may differ in their last bits.
    with (
        threadpool_limits(1),
        parallel_config(backend="sequential"),
        warnings.catch_warnings(record=True) as caught,
    ):
        warnings.simplefilter("always")
        estimator.fit(problem.X[train], labels[train], **extra)
        measures = measured(estimator, problem.X[test], problem.y[test])
    return FoldRecord(
        protocol=fold.protocol.name,
        dataset=problem.name,
        model=fold.model.name,
        fold=fold.index,
        **measures,
        fallback=getattr(estimator, "fallback_", None),
        row_share=getattr(estimator, "row_share_", None),
        column_share=getattr(estimator, "column_share_", None),
        inner_score=_inner_score(estimator),
        params={
            key: _plain(value) for key, value in getattr(estimator, "best_params_", {}).items()
        },
        n_train=len(train),
        n_test=len(test),
        warned=sorted({warning.category.__name__ for warning in caught}),
        seconds=perf_counter() - start,
        settings=fold.settings,
        versions=versions(),
    )


def _run_on(
    protocol: FoldProtocol, model: Model, index: int, seed: int, problem: Problem
) -> FoldRecord:
    return run_fold(Fold(protocol, problem, model, index, seed))


def measured(estimator: Any, X: FloatArray, y: AnyArray) -> dict[str, Any]:
    """All measures of a fitted classifier on test rows."""
    chances = estimator.predict_proba(X)[:, 1] if hasattr(estimator, "predict_proba") else None
    has_scores = hasattr(estimator, "decision_function")
    scores: Any = estimator.decision_function(X) if has_scores else chances
    return measure(y, estimator.predict(X), scores, chances)


def measure(
    y_true: AnyArray, predicted: AnyArray, scores: FloatArray, chances: FloatArray | None = None
) -> dict[str, Any]:
    """All measures of the tables; None where a class that a measure needs is missing."""
    right = predicted == y_true
    minority, majority, auc, ranked = right[y_true == -1], right[y_true == 1], None, None
    if minority.size and majority.size:
        auc = float(label_aucs(predicted[None].astype(float), y_true == 1, np.zeros(1))[0])
        ranked = float(rank_sum_aucs(scores[None].astype(float), y_true == 1)[0])
    return {
        "acc": float(np.mean(right)),
        "acc_minority": float(np.mean(minority)) if minority.size else None,
        "acc_majority": float(np.mean(majority)) if majority.size else None,
        "label_auc": auc,
        "score_auc": ranked,
        "brier": None if chances is None else float(np.mean((chances - (y_true == 1)) ** 2)),
    }


def _inner_score(estimator: Any) -> float | None:
    score = getattr(estimator, "best_score_", None)
    return float(score) if score is not None and np.isfinite(score) else None


def _plain(value: Any) -> Any:
    """The value if JSON can hold it, otherwise its repr."""
    if isinstance(value, np.generic):
        value = value.item()
    is_plain = isinstance(value, bool | int | str) or (
        isinstance(value, float) and np.isfinite(value)
    )
    return value if is_plain else repr(value)
