"""TableEncoder: a table of words and numbers as numbers, as decided when it was fitted."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import Pipeline
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from bicneuron._core._arrays import FloatArray
from bicneuron.exceptions import ShiftedColumnsWarning, TableError
from bicneuron.tables._cells import Column
from bicneuron.tables._changes import changes
from bicneuron.tables._conversion import Notation
from bicneuron.tables._encoding import (
    DECIMALS,
    ORDERS,
    Encoding,
    apply,
    learn,
    look_at,
    notation_of,
    parse_codes,
)
from bicneuron.tables._formats import column_of, of_frame


class TableEncoder(TransformerMixin, BaseEstimator):
    """Convert a table of words and numbers to numbers, as the commands do.

    Yes and no, categories, ordered words, dates, times and numbers with units, limits and marks
    between thousands become numbers; ids and columns without information are left out. What the
    columns hold is decided when the encoder is fitted, from the cells and the names of the columns,
    and applied to new tables as decided. What a new table contradicts is an error, and columns
    whose values differ from those of the fit implausibly are a warning.

    Model files of ``bicneuron fit`` and ``find`` hold a pipeline of this encoder and the model.

    Parameters
    ----------
    drop : sequence of str, default=()
        Columns to leave out.
    keep : sequence of str, default=()
        Columns that are features also if they look like ids.
    missing : sequence of str, default=()
        Codes for missing values, such as ``"-9"``; ``"age=999"`` is one of the column ``age`` only.
    decimal : {"point", "comma"}, default=None
        Decimal mark of columns that can be read with either, such as ``241,611``.
    dates : {"day-first", "month-first"}, default=None
        Order of dates that can be read in either, such as ``03/04/2021``.
    log : bool, default=False
        Take log2(x + 1) of all columns of numbers.

    Attributes
    ----------
    encoding_ : Encoding
        What was decided, as plain values.
    id_column_ : str or None
        Column with a name for each row, which is left out.
    notes_ : list of str
        What was decided, in words.
    n_features_in_ : int
    feature_names_in_ : array of shape (n_columns,)
        Names of the columns, if they have names.

    Examples
    --------
    >>> import pandas as pd
    >>> from bicneuron.tables import TableEncoder
    >>> X = pd.DataFrame({"size": ["1,5", "2,25", "3,1"], "smoker": ["yes", "no", "no"]})
    >>> encoder = TableEncoder().fit(X)
    >>> encoder.transform(X)
       size  smoker = yes
    0  1.50           1.0
    1  2.25           0.0
    2  3.10           0.0
    >>> encoder.notes_
    ["'smoker': 'yes' taken as 1, 'no' as 0"]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "drop": ["array-like"],
        "keep": ["array-like"],
        "missing": ["array-like"],
        "decimal": [StrOptions({*DECIMALS}), None],
        "dates": [StrOptions({*ORDERS}), None],
        "log": ["boolean"],
    }

    def __init__(
        self,
        *,
        drop: Sequence[str] = (),
        keep: Sequence[str] = (),
        missing: Sequence[str] = (),
        decimal: str | None = None,
        dates: str | None = None,
        log: bool = False,
    ) -> None:
        self.drop = drop
        self.keep = keep
        self.missing = missing
        self.decimal = decimal
        self.dates = dates
        self.log = log

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    @classmethod
    def of(cls, encoding: Encoding, *, has_names: bool = True) -> Self:
        """Return an encoder that was fitted already, by reading a file.

        Without ``has_names`` it was fitted to an array, whose columns have no names.
        """
        encoder = cls()
        encoder.encoding_ = encoding
        encoder.id_column_ = encoding.id_column
        encoder.notes_ = encoding.about
        encoder.n_features_in_ = len(encoding.columns)
        if has_names:
            encoder.feature_names_in_ = np.array(encoding.columns, dtype=object)
        return encoder

    def fit(self, X: Any, y: Any = None) -> Self:
        """Decide what the columns hold.

        Parameters
        ----------
        X : DataFrame of pandas or polars, or array, of shape (n_rows, n_columns)
        y : ignored

        Returns
        -------
        self
        """
        self._validate_params()
        columns = self._columns_of(X, reset=True)
        codes, problems = parse_codes(self.missing, columns)
        unknown = [name for name in (*self.drop, *self.keep) if name not in columns]
        problems += [f"has no column {name!r}." for name in unknown]
        free = {name: column for name, column in columns.items() if name not in {*self.drop}}
        may_be_ids = [name for name in free if name not in {*self.keep}] if _has_names(X) else []
        look = look_at(
            free,
            notation_of(self.decimal, self.dates),
            codes,
            first=next(iter(columns), ""),
            may_be_ids=may_be_ids,
            names_rows=True,
        )
        encoding, made = learn(look, free, _places(X, columns), log=self.log)
        problems += made.problems
        if not made.values and not problems:
            problems.append("has no column of features left.")
        if problems:
            raise TableError("\n".join(problems))
        self.encoding_ = replace(encoding, columns=tuple(columns), codes=tuple(codes))
        self.id_column_ = encoding.id_column
        self.notes_ = [*self.encoding_.about, *made.notes]
        return self

    def transform(self, X: Any) -> Any:
        """Convert the columns of a new table as those of the fit.

        Parameters
        ----------
        X : DataFrame of pandas or polars, or array, of shape (n_rows, n_columns)
            With the columns of the fit.

        Returns
        -------
        DataFrame or array of shape (n_rows, n_features)

        Raises
        ------
        TableError
            If cells contradict what the fit decided.

        Warns
        -----
        ShiftedColumnsWarning
            If columns no longer hold what the fit saw.
        """
        check_is_fitted(self)
        encoding = self.encoding_
        columns = self._columns_of(X, reset=False)
        look = look_at(columns, Notation(), encoding.codes)
        places = _places(X, columns)
        made = apply(encoding, look, encoding.sources, places)
        if made.problems:
            raise TableError("\n".join(made.problems))
        if encoding.seen is not None:
            for question in changes(made.values, encoding.seen, places):
                warnings.warn(question.text, ShiftedColumnsWarning, stacklevel=2)
        return _as_given(X, made.values)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Names of the features.

        Parameters
        ----------
        input_features : sequence of str, default=None
            Names of the columns, which must be those of the fit.

        Returns
        -------
        array of str
        """
        check_is_fitted(self)
        _check_feature_names_in(self, input_features)
        return np.array(self.encoding_.features, dtype=object)

    def _columns_of(self, X: Any, *, reset: bool) -> dict[str, Column]:
        """The columns by name, as cells or as arrays of numbers."""
        if not _has_names(X):
            array = validate_data(
                self, X, dtype=None, ensure_all_finite=False, reset=reset, ensure_min_samples=1
            )
            return {f"x{j}": column_of(array[:, j]) for j in range(array.shape[1])}
        if len({*X.columns}) < len(X.columns):
            raise TableError("several columns have the same name; give each a unique name.")
        validate_data(self, X, skip_check_array=True, reset=reset)
        if not all(X.shape):
            what = "sample(s)" if len(X) == 0 else "feature(s)"
            raise ValueError(f"Found a table with 0 {what}, of shape {X.shape}; one is needed.")
        sheet = of_frame(X)
        return dict(zip(sheet.names, sheet.columns, strict=True))


def _has_names(X: Any) -> bool:
    return hasattr(X, "columns") and all(isinstance(name, str) for name in X.columns)


def _is_pandas(X: Any) -> bool:
    return type(X).__module__.partition(".")[0] == "pandas"


def _places(X: Any, columns: Mapping[str, Column]) -> list[str]:
    """Names of the rows in messages: labels of the index, or places from 0 on."""
    labels = X.index if _is_pandas(X) else range(len(next(iter(columns.values()))))
    return [f"row {label}" for label in labels]


def _as_given(X: Any, values: dict[str, FloatArray]) -> Any:
    """The features in a frame of the library that ``X`` is from, or as an array."""
    if not _has_names(X):
        return np.column_stack([*values.values()])
    return type(X)(values, index=X.index) if _is_pandas(X) else type(X)(values)


def apart(model: Any) -> tuple[TableEncoder | None, Any]:
    """The encoder that a pipeline begins with, None if there is none, and the model behind it."""
    begins = isinstance(model, Pipeline) and isinstance(model.steps[0][1], TableEncoder)
    if not begins or len(model.steps) == 1:
        return None, model
    return model.steps[0][1], model[-1] if len(model.steps) == 2 else model[1:]
