"""Fits of copies of a model, and the patterns of a fitted one that are tested."""

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from bicneuron._core._arrays import AnyArray, BoolArray, IndexArray
from bicneuron.exceptions import (
    FewerFoldsWarning,
    KnownStructureWarning,
    ManyProblemsWarning,
    NoBiclusterWarning,
    NoContrastivePairWarning,
    NoPatternWarning,
)
from bicneuron.patterns import Pattern
from bicneuron.significance._known import Known

NOTHING_KNOWN = Known()
# That a search of a null table or of a part of the rows finds nothing is a result.
EXPECTED = (
    NoBiclusterWarning,
    NoContrastivePairWarning,
    NoPatternWarning,
    FewerFoldsWarning,
    KnownStructureWarning,
    ManyProblemsWarning,
)


def without_classes(model: Any) -> Any:
    """The model, limited to no class."""
    return model if getattr(model, "anchor", None) is None else model.set_params(anchor=None)


def fitted_quietly(
    model: Any,
    X: Any,
    y: Any,
    n_jobs: int | None,
    seed: int = 0,
    known: Known = NOTHING_KNOWN,
    groups: AnyArray | None = None,
) -> Any:
    """A fitted clone, with a seed if it has none; folds inside its fit keep groups together."""
    copy = clone(model)
    parameters = copy.get_params(deep=False)
    if "n_jobs" in parameters:
        copy.set_params(n_jobs=n_jobs)
    if parameters.get("random_state", seed) is None:
        copy.set_params(random_state=seed)
    with warnings.catch_warnings():
        for category in EXPECTED:
            warnings.simplefilter("ignore", category)
        together = has_fit_parameter(copy, "groups") and groups is not None
        further = {"groups": groups} if together else {}
        return copy.fit(X, y, **known.for_fit(copy), **further)


def is_fitted_to(model: Any, labels: AnyArray | None, known: Known | None = NOTHING_KNOWN) -> bool:
    """True for a model fitted with labels, or without, as asked; some miners ignore them.

    Likewise for known structure; None for whatever it set aside.
    """
    if not hasattr(model, "patterns_"):
        return False
    set_aside = getattr(model, "_set_aside", None) is not None
    if known is not None and set_aside != bool(known.for_fit(model)):
        return False
    ignores_labels = not getattr(model, "uses_labels", True)
    has_seen_labels = model._fingerprint.labels is not None  # classes_ may be of an earlier fit
    return ignores_labels or has_seen_labels == (labels is not None)


def carriers_in_class(pattern: Pattern, carriers: BoolArray, labels: AnyArray | None) -> IndexArray:
    """Rows of the class of a pattern that carry it."""
    if labels is None or pattern.anchor_class is None:
        return np.flatnonzero(carriers)
    return np.flatnonzero(carriers & (labels == pattern.anchor_class))
