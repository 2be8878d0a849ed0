"""The only module that imports private scikit-learn names."""

from sklearn.base import _fit_context as fit_context
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.multiclass import _ovr_decision_function as ovr_decision_function

__all__ = ["HasMethods", "Interval", "StrOptions", "fit_context", "ovr_decision_function"]
