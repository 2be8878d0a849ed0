"""The only module that imports private scikit-learn names or looks at its version."""

from importlib import import_module
from typing import Any

import sklearn
from sklearn.base import _fit_context as fit_context
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.fixes import parse_version
from sklearn.utils.multiclass import _ovr_decision_function as ovr_decision_function

# scikit-learn 1.8 replaced penalty="l1" by l1_ratio=1.
L1_PENALTY = (
    {"l1_ratio": 1.0}
    if parse_version(sklearn.__version__) >= parse_version("1.8")
    else {"penalty": "l1"}
)

__all__ = [
    "L1_PENALTY",
    "HasMethods",
    "Interval",
    "StrOptions",
    "fit_context",
    "ovr_decision_function",
]


def import_extra(module: str, message: str) -> Any:
    """Import an optional module; the message says how to install it where it is missing."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(message) from error
