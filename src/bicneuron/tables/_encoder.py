"""TableEncoder: a table of words and numbers as numbers, as decided when it was fitted."""

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import Pipeline
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from bicneuron._shared._names import row_names
from bicneuron.exceptions import ShiftedColumnsWarning, TableError
from bicneuron.tables._cells import DECIMALS, Column, mark_of
from bicneuron.tables._encoding import Encoding, apply, learn, look_at
from bicneuron.tables._questions import changes
from bicneuron.tables._sheet import column_of, of_frame


class TableEncoder(TransformerMixin, BaseEstimator):
    """Convert a table of words and numbers to numbers, as the commands do.

    The fit decides what the columns hold, and leaves out ids and columns without information. What
    a new table contradicts is an error, and values that differ implausibly are a warning.

    Parameters
    ----------
    keep : sequence of str, default=()
        Columns that are features also if they look like ids.
    decimal : {"point", "comma"}, default=None
        Decimal mark of columns that can be read with either, such as ``241,611``.

    Attributes
    ----------
    encoding_ : Encoding
    notes_ : list of str
        What was decided, as plain values and in words.

    Examples
    --------
    >>> import pandas as pd
    >>> from bicneuron.tables import TableEncoder
    >>> X = pd.DataFrame({"size": ["1,5", "2,25", "3,1"], "smoker": ["yes", "no", "no"]})
    >>> TableEncoder().fit_transform(X)
       size  smoker = yes
    0  1.50           1.0
    1  2.25           0.0
    2  3.10           0.0
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "keep": ["array-like"],
        "decimal": [StrOptions({*DECIMALS}), None],
    }

    def __init__(self, *, keep: Sequence[str] = (), decimal: str | None = None) -> None:
        self.keep = keep
        self.decimal = decimal

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.categorical = tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    @classmethod
    def of(cls, encoding: Encoding, *, has_names: bool = True) -> Self:
        """Return an encoder fitted by reading a file, or, without names, to an array."""
        encoder = cls()
        encoder.encoding_, encoder.notes_ = encoding, encoding.about
        encoder.n_features_in_ = len(encoding.columns)
        if has_names:
            encoder.feature_names_in_ = np.array(encoding.columns, dtype=object)
        return encoder

    def fit(self, X: Any, y: Any = None) -> Self:
        """Decide what the columns of a frame of pandas or polars, or of an array, hold."""
        self._validate_params()
        columns, places = self._columns_of(X, reset=True)
        free = [name for name in columns if name not in {*self.keep}] if _has_names(X) else []
        look = look_at(columns, mark_of(self.decimal), may_be_ids=free, first=next(iter(columns)))
        encoding, made = learn(look, places, log=False)
        problems = [f"has no column {name!r}." for name in self.keep if name not in columns]
        problems += made.problems
        if problems or not made.values:
            raise TableError("\n".join(problems) or "has no column of features left.")
        self.encoding_, self.notes_ = encoding, [*encoding.about, *made.notes]
        return self

    def transform(self, X: Any) -> Any:
        """Convert the columns of a new table as those of the fit, in a table of the same kind."""
        check_is_fitted(self)
        encoding, (columns, places) = self.encoding_, self._columns_of(X, reset=False)
        made = apply(encoding, look_at(columns, None, encoding.codes), places)
        if made.problems:
            raise TableError("\n".join(made.problems))
        for question in changes(made.values, encoding.seen, places):
            warnings.warn(question.text, ShiftedColumnsWarning, stacklevel=2)
        if not _has_names(X):
            return np.column_stack([*made.values.values()])
        return type(X)(made.values, **({"index": X.index} if hasattr(X, "index") else {}))

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Names of the features; names of columns that are given must be those of the fit."""
        check_is_fitted(self)
        _check_feature_names_in(self, input_features)
        return np.array(self.encoding_.features, dtype=object)

    def _columns_of(self, X: Any, *, reset: bool) -> tuple[dict[str, Column], list[str]]:
        """The columns by name, and what messages call the rows."""
        if not _has_names(X):
            array = validate_data(self, X, dtype=None, ensure_all_finite=False, reset=reset)
            columns = {f"x{j}": column_of(values) for j, values in enumerate(array.T)}
            return columns, [f"row {name}" for name in row_names(X, len(array))]
        if len({*X.columns}) < len(X.columns):
            raise TableError("several columns have the same name; give each a unique name.")
        validate_data(self, X, skip_check_array=True, reset=reset)
        if not all(X.shape):
            raise ValueError(f"Found a table of shape {X.shape}; a row and a column are needed.")
        sheet = of_frame(X)
        columns = dict(zip(sheet.names, sheet.columns, strict=True))
        return columns, [f"row {name}" for name in row_names(X, sheet.n_rows)]


def _has_names(X: Any) -> bool:
    return hasattr(X, "columns") and all(isinstance(name, str) for name in X.columns)


def apart(model: Any) -> tuple[TableEncoder | None, Any]:
    """The encoder that a pipeline begins with, None if there is none, and the model behind it."""
    steps = model.steps if isinstance(model, Pipeline) else ()
    if len(steps) < 2 or not isinstance(model[0], TableEncoder):
        return None, model
    return model[0], model[-1] if len(steps) == 2 else model[1:]
