"""Other packages: private scikit-learn names, here alone, and modules that may not be installed."""

from importlib import import_module
from typing import Any

from sklearn.base import _fit_context as fit_context
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.multiclass import _ovr_decision_function as ovr_decision_function

__all__ = [
    "HasMethods",
    "Interval",
    "StrOptions",
    "fit_context",
    "import_extra",
    "ovr_decision_function",
]


def import_extra(module: str, message: str) -> Any:
    """Import an optional module; the message says how to install it where it is missing."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(message) from error
