"""Searches that are repeated: which models can be, and fits without warnings."""

import warnings
from typing import Any

from sklearn.base import clone

from bicneuron.exceptions import NoBiclusterWarning


def check_miner(model: Any, function: str) -> None:
    """Refuse what has no members."""
    if not hasattr(model, "membership"):
        raise TypeError(
            f"model is a {type(model).__name__}, which has no membership; {function} takes a "
            "SubgroupBiclustering."
        )


def fitted_quietly(model: Any, X: Any, y: Any, n_jobs: int | None) -> Any:
    """A fitted clone; that it finds nothing is a result here, not a reason to warn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoBiclusterWarning)
        return clone(model).set_params(n_jobs=n_jobs).fit(X, y)
