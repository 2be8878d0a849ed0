"""PatternClassifier: a few patterns that can be read, each one because it helps to predict."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bicneuron._core._arrays import BoolArray, FloatArray, IndexArray
from bicneuron._shared._calibration import calibrate
from bicneuron._shared._compat import Interval
from bicneuron.exceptions import NoPatternWarning
from bicneuron.network._base import BaseNetwork
from bicneuron.network._candidates import MINERS
from bicneuron.network._choice import RIDGE
from bicneuron.network._readable import NOTHING_FOUND, fit_readable
from bicneuron.network._targets import TrainingTable
from bicneuron.patterns import PatternModel


@dataclass(kw_only=True, eq=False, repr=False)
class PatternClassifier(BaseNetwork):
    """Classify with a few patterns that can be read, or none where none helps.

    Candidates are whole classes, groups of rows that a search without labels finds, and pairs. Each
    is cut to its few clearest columns and has a neuron: a straight line, or a bell or kernel where
    that predicts better. All are scored on folds that they have not seen. Patterns are then taken
    one after the other by logistic regression, the fewest that predict these rows about as well as
    the best number of them (within half a standard error).

    `BicNeuronNetwork` has many patterns, for accuracy.

    Parameters
    ----------
    max_patterns : int, default=5
        Most patterns; with more than two classes, or several labels, for each of them.
    max_columns : int, default=None
        Most columns of a pattern. None is 8, and 20 for the contrast of whole classes.
    miners : sequence of miners, default=None
        Where groups and pairs come from. One that can search without labels does so. None is a
        `SubgroupBiclustering` of shifted groups and a `ContrastBiclustering`; an empty sequence
        leaves whole classes alone.
    max_output_rows : int, default=8192
        Fit to a random sample of at most this many rows.
    class_weight : dict of label to weight or "balanced", default=None
        Weight of the rows of each class in the choice of patterns and the calibration of the
        probabilities, "balanced" being ``n_rows / (n_classes * rows of the class)``.
    n_jobs : int, default=None
        Number of threads that search for groups and score rows; None is one, -1 as many as there
        are cores. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Random seed of the folds, the miners and the samples of rows.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        Labels; the numbers of the labels if ``y`` is a table of them.
    patterns_ : list of Pattern
        In the order of choice. If it is empty, the model names the commonest class, with the shares
        of the classes as probabilities.
    columns_in_use_, feature_importances_, intercept_, penalty_, slope_
        As in `BicNeuronNetwork`; importances are 0 without patterns.
    test_scores_ : float64 array of shape (n_output_rows, n_targets)
        Scores of training rows by a choice that has not seen them; NaN where there are none.
    label_doubt_, output_rows_, n_features_in_, feature_names_in_
        As in `BicNeuronNetwork`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bicneuron import PatternClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = PatternClassifier(random_state=0).fit(X[::2], y[::2])
    >>> len(model.patterns_) <= 5, model.score(X[1::2], y[1::2]) > 0.93
    (True, True)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseNetwork._parameter_constraints,
        "max_patterns": [Interval(Integral, 1, None, closed="left")],
        "max_columns": [Interval(Integral, 1, None, closed="left"), None],
        "miners": ["array-like", None],
    }

    finds_blind_groups: ClassVar[bool] = True
    max_patterns: int = 5
    max_columns: int | None = None
    miners: Sequence[Any] | None = None
    max_output_rows: int = 8192
    class_weight: Any = None
    n_jobs: int | None = None
    random_state: Any = None

    def _fit_patterns(self, table: TrainingTable) -> FloatArray:
        """Choose patterns; return scores of rows by a choice that has not seen them."""
        miners = MINERS if self.miners is None else tuple(self.miners)
        for miner in miners:
            if not isinstance(miner, PatternModel):
                raise ValueError(f"miners holds {miner!r}, which finds no patterns; name miners.")
        made = fit_readable(table, miners, self.max_patterns, self.max_columns, self.n_jobs)
        self.patterns_, self._groups, self._group_of, found = made
        rows = table.rows
        signs, weights = table.targets.signs[rows], table.weights[rows]
        self.penalty_ = RIDGE
        if not self.patterns_:
            warnings.warn(NOTHING_FOUND, NoPatternWarning, stacklevel=4)
            shares = np.average(signs > 0, axis=0, weights=weights)
            with np.errstate(divide="ignore"):
                logs = np.log(shares) if self._exclusive else np.log(shares / (1.0 - shares))
            # Of equally common classes, the first of the targets is named.
            self.slope_ = 1.0
            self.intercept_ = np.clip(logs, -30.0, 30.0) - 1e-9 * np.arange(1, len(logs) + 1)
            self.test_scores_ = np.tile(self.intercept_, (len(rows), 1))
            return np.full(signs.shape, np.nan)
        self.slope_, shifts = calibrate(found.log_odds, signs, weights, self._exclusive)
        self.intercept_, self.test_scores_ = found.intercept + shifts, found.log_odds + shifts
        return found.log_odds

    def blind_groups(self) -> tuple[IndexArray, BoolArray, IndexArray]:
        """Groups that were found without labels, and the patterns among them.

        Returns
        -------
        rows : array of intp
            Rows of the training table that the fit looked at.
        carriers : bool array of shape (len(rows), n_groups)
        of_patterns : array of shape (n_patterns,)
            Number of the group that each pattern is; -1 for patterns that were made with labels.
        """
        check_is_fitted(self)
        return self.output_rows_, self._groups, self._group_of
