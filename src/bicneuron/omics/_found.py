"""The patterns of a fitted model of any kind, with rows of its training set."""

from typing import Any, NamedTuple

from sklearn.utils.validation import check_is_fitted

from bicneuron._core._arrays import IndexArray
from bicneuron.classifier._one_neuron import binary_estimators
from bicneuron.contrast import ContrastivePair


class FoundPattern(NamedTuple):
    """Rows and columns of a pattern, and its properties by name."""

    rows: IndexArray
    contrast_rows: IndexArray | None
    columns: IndexArray
    about: dict[str, Any]

    @property
    def all_rows(self) -> list[IndexArray]:
        """Rows of either side."""
        return [rows for rows in (self.rows, self.contrast_rows) if rows is not None]


def patterns_of(model: Any) -> list[FoundPattern]:
    """Patterns of a fitted classifier, network or miner, in the order in which it ranks them."""
    check_is_fitted(model)
    if hasattr(model, "patterns_"):
        return [_of_pair(p.pair, {"contribution": float(p.contribution)}) for p in model.patterns_]
    if hasattr(model, "found_"):
        return [FoundPattern(b.rows, None, b.columns, {"msr": b.msr}) for b in model.found_]
    if "estimators_" in vars(model):
        return [
            pattern._replace(about={"problem": str(problem), **pattern.about})
            for problem, binary_estimator in binary_estimators(model)
            for pattern in patterns_of(binary_estimator)
        ]
    if not hasattr(model, "pairs_"):
        raise TypeError(f"a {type(model).__name__} finds no patterns.")
    used = model.rows_used_
    return [
        _of_pair(pair, {"score": float(score), "selected": pair is model.selected_pair_}, used)
        for pair, score in zip(model.pairs_, model.scores_, strict=True)
    ]


def _of_pair(
    pair: ContrastivePair, about: dict[str, Any], used: IndexArray | None = None
) -> FoundPattern:
    rows, contrast_rows = pair.anchor_rows, pair.contrast_rows
    if used is not None:
        rows, contrast_rows = used[rows], used[contrast_rows]
    about = {"anchor_class": str(pair.anchor_class), "msr_ratio": float(pair.msr_ratio), **about}
    return FoundPattern(rows, contrast_rows, pair.columns, about)
