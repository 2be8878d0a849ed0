"""Names of rows and columns."""

from typing import Any


def row_names(X: Any, n_rows: int) -> list[Any]:
    """The index of a frame, or else numbers."""
    return list(X.index.tolist()) if hasattr(X, "iloc") else list(range(n_rows))


def feature_names(model: Any) -> list[str]:
    """The names that the model was fitted with, or else x0, x1, ... as in scikit-learn."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return [f"x{column}" for column in range(model.n_features_in_)]
    return [str(name) for name in names]
