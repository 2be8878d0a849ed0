"""BicNeuronNetwork: many contrastive pairs, one neuron each, and an output layer."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._shared._calibration import calibrate
from bicneuron._shared._checks import refuse_label_weights
from bicneuron._shared._compat import HasMethods, Interval
from bicneuron.network._base import BaseNetwork
from bicneuron.network._class_wide import LINE_NEURON, class_wide_neurons
from bicneuron.network._draws import draw_coherent
from bicneuron.network._hidden import Design, as_pattern, retrain, train_hidden_layer
from bicneuron.network._output import output_layer, tested_layer
from bicneuron.network._targets import TrainingTable
from bicneuron.neurons import KernelNeuron

# Three RBF neurons per linear one; the self-test may leave either kind out.
RBF, LINEAR = KernelNeuron(), KernelNeuron("linear")
KINDS = (RBF, RBF, RBF, LINEAR)


@dataclass(kw_only=True, eq=False, repr=False)
class BicNeuronNetwork(BaseNetwork):
    """Classify with many patterns, each with a neuron of its own, and an output layer.

    Its pairs are drawn: a class, a column and a cluster of rows on it, grown over a sample of the
    columns while it is coherent, with the nearest rows of another class as its contrast. A kernel
    neuron is trained on each, and ridge regression on their outputs decides. The cost grows with
    the number of neurons and hardly with that of columns. Each neuron is trained without one fifth
    of the rows and tested on that fifth. This self-test chooses the kinds of neurons that are kept,
    calibrates the probabilities and finds labels that it contradicts: neurons are trained a second
    time without their rows. Where few of many columns tell, class-wide neurons in the clearest
    columns are added or replace the others, if the self-test is clearly better with them.

    `PatternClassifier` has a few patterns that can be read.

    Parameters
    ----------
    n_neurons : int, default=400
        Number of drawn neurons; there are fewer if fewer distinct pairs are found, or if the
        self-test drops a kind.
    neuron_kinds : sequence of classifiers with ``decision_function``, default=None
        Kinds of neurons, used in turn; list one twice to have more of it. None is three RBF
        `KernelNeuron` per linear one, and class-wide neurons where they help.
    contrast_size : float, default=2.0
        ``|I^c|`` as a multiple of ``|I|``.
    max_output_rows : int, default=8192
        Fit the output layer on a random sample of at most this many rows.
    class_weight : dict of label to weight or "balanced", default=None
        Weight of the rows of each class in the output layer, the self-test and the calibration of
        the probabilities, "balanced" being ``n_rows / (n_classes * rows of the class)``. The
        neurons weigh both sides of a pair equally in any case.
    n_jobs : int, default=None
        Number of processes that draw pairs and train neurons, and of threads that score rows; None
        is one, -1 as many as there are cores. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Random seed of the folds, the draws and the samples of rows. The draw of each neuron depends
        on it and on the neuron's number alone.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        Labels; the numbers of the labels if ``y`` is a table of them.
    patterns_ : list of Pattern
        Pair, neuron, weight and contribution; the largest contribution first.
    columns_in_use_ : array of intp
        Columns of the patterns, in ascending order.
    feature_importances_ : float64 array of shape (n_columns,)
        Share of each column in the decision: that of each pattern in the variation of the scores,
        divided among its columns by the distance between the centres of both sides. The sum is 1.
    intercept_ : float64 array of shape (n_targets,)
    penalty_ : float
        Of the output layer, chosen by leave-one-out error.
    slope_ : float
        Log odds per unit of score. Slope and ``intercept_`` are calibrated on ``test_scores_``.
    test_scores_ : float64 array of shape (n_output_rows, n_targets)
        Scores of training rows by neurons that have not seen them; NaN where there are none.
    label_doubt_ : float64 array of shape (n_rows,), or (n_rows, n_labels) for several labels
        The probability, by the other rows, that the label of each training row is another one, if
        all classes were equally common. NaN for rows that were not tested.
    output_rows_ : array of intp
        The training rows that the output layer was fitted on.
    n_features_in_, feature_names_in_ : int, and array of str if the input has column names

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bicneuron import BicNeuronNetwork
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BicNeuronNetwork(n_neurons=60, random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.95
    True
    >>> model.predict_proba(X[:3]).shape
    (3, 2)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseNetwork._parameter_constraints,
        "n_neurons": [Interval(Integral, 1, None, closed="left")],
        "neuron_kinds": ["array-like", None],
        "contrast_size": [Interval(Real, 0, None, closed="neither")],
    }

    n_neurons: int = 400
    neuron_kinds: Sequence[Any] | None = None
    contrast_size: float = 2.0
    max_output_rows: int = 8192
    class_weight: Any = None
    n_jobs: int | None = None
    random_state: Any = None

    def _fit_patterns(self, table: TrainingTable) -> FloatArray:
        """Draw pairs, train a neuron on each and weigh them; return scores of unseen rows."""
        design = self._resolved_design()
        Z, targets, rows = table.Z, table.targets, table.rows
        trained = train_hidden_layer(Z, targets, table.folds, design, table.seed, self.n_jobs)
        kinds, class_wide = design.neuron_kinds, len(design.neuron_kinds)
        if self.neuron_kinds is None:
            kinds = *kinds, LINE_NEURON
            trained += class_wide_neurons(Z, targets, table.folds, rows, class_wide)
        known = targets.signs[rows], table.weights[rows], table.folds[rows]
        how = class_wide, self._exclusive
        doubt = self._doubt(targets, tested_layer(trained, Z[rows], *known, *how)[2].scores)
        trained = retrain(Z, targets.signs, kinds, trained, doubt.contradicted)
        kept, typical, spread, output, scores = output_layer(trained, Z[rows], *known, *how)
        self.slope_, shifts = calibrate(scores, *known[:2], self._exclusive)
        self.intercept_, self.penalty_ = output.intercept + shifts, output.penalty
        self.test_scores_ = scores + shifts
        sizes = np.linalg.norm(output.coef, axis=1) * spread
        shares = sizes / max(float(sizes.sum()), np.finfo(float).tiny)
        self.patterns_ = []
        for i in np.argsort(-shares, kind="stable").tolist():
            # One score speaks for the second class.
            positive = self.classes_[1 if self._has_one_score else kept[i].target]
            told = positive, typical[i], output.coef[i], shares[i]
            self.patterns_.append(as_pattern(Z, kept[i], *told))
        return scores

    def _resolved_design(self) -> Design:
        """The settings by which pairs are drawn; a subclass may change them."""
        kinds = KINDS if self.neuron_kinds is None else tuple(self.neuron_kinds)
        if not kinds:
            raise ValueError("neuron_kinds is empty; name at least one kind or give None.")
        for kind in kinds:
            refuse_label_weights(kind)
            if not HasMethods(["fit", "decision_function"]).is_satisfied_by(kind):
                raise ValueError(f"neuron_kinds holds {kind!r}, which has no decision_function.")
        return Design(draw_coherent, self.n_neurons, kinds, self.contrast_size)
