"""Steps 2 to 6, which `fit` and the search call, and log odds."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import inf
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.utils import gen_batches

from bicneuron._core._arrays import AnyArray, BoolArray, FloatArray
from bicneuron._core._sorting import best_thresholds, label_aucs, rank_sum_aucs
from bicneuron._shared._calibration import LARGEST_ODDS, calibrate
from bicneuron._shared._checks import by_size
from bicneuron._shared._estimators import ScoreClassifier
from bicneuron.biclustering import BiclusterMiner
from bicneuron.classifier._problems import half
from bicneuron.neurons import decide, fit_neurons
from bicneuron.patterns import Pattern, contrastive_pairs

# Pairs per training task, and scores held at once by a task: independent of n_jobs.
PAIRS_PER_TASK = 256
SCORES_PER_TASK = 2**17

# Folds in which scores of unseen rows are made.
N_FOLDS = 5
LITTLE_ENDIAN = np.dtype("<i8")


class TrainedNeurons(NamedTuple):
    """The neuron of each pair, its value on all rows, and its threshold."""

    estimators: list[Any]
    scores: FloatArray
    thresholds: FloatArray

    def take(self, places: list[int]) -> "TrainedNeurons":
        """The neurons of the pairs at some places, in this order."""
        estimators = [self.estimators[k] for k in places]
        return TrainedNeurons(estimators, self.scores[places], self.thresholds[places])


def pair_with_contrast(
    Z: FloatArray, y: AnyArray, biclusters: dict[Any, list[Pattern]], model: Any
) -> list[Pattern]:
    """Steps 2 and 3: pair the biclusters of each class with the nearest rows of the other side."""
    pairs = []
    for label, found in biclusters.items():
        if found:
            pool = np.flatnonzero(y != y[found[0].rows[0]])
            pairs += contrastive_pairs(
                Z,
                found,
                pool,
                anchor_class=label,
                contrast_size=half(len(pool)) / len(found[0].rows) if model._local else 1.0,
            )
    return pairs


def train_pairs(
    neuron: Any, Z: FloatArray, y: AnyArray, pairs: Sequence[Pattern], seed: int, model: Any
) -> TrainedNeurons:
    """Step 5: train one neuron on the rows and columns of each pair; measure it on all rows.

    The ``model`` has the parameters ``selection``, ``recalibrate`` and ``n_jobs``.
    """
    if not pairs:
        return TrainedNeurons([], np.empty(0), np.empty(0))
    parallel = Parallel(n_jobs=model.n_jobs, require="sharedmem")
    blocks, seeds = [pair.block for pair in pairs], [pair_seed(seed, pair) for pair in pairs]
    trained = parallel(
        delayed(fit_neurons)(neuron, Z, y, blocks[some], seeds[some])
        for some in gen_batches(len(pairs), PAIRS_PER_TASK)
    )
    neurons = [fitted for some in trained for fitted in some]
    measured = parallel(
        delayed(_evaluate)(model.selection, model.recalibrate, Z, y, pairs[some], neurons[some])
        for some in gen_batches(len(pairs), max(1, SCORES_PER_TASK // len(y)))
    )
    return TrainedNeurons(neurons, *np.hstack(measured))


def _evaluate(
    selection: Any,
    recalibrate: bool,
    Z: FloatArray,
    y: AnyArray,
    pairs: Sequence[Pattern],
    neurons: Sequence[Any],
) -> tuple[FloatArray, FloatArray]:
    """Value of ``selection`` and threshold of each neuron."""
    positive = y == np.unique(y)[1]
    decided = decide(neurons, Z, [pair.columns for pair in pairs])
    thresholds = best_thresholds(decided, positive) if recalibrate else np.zeros(len(pairs))
    if selection == "label_auc":
        return label_aucs(decided, positive, thresholds), thresholds
    if selection == "score_auc":
        return rank_sum_aucs(decided, positive), thresholds
    scorer = get_scorer(selection)
    try:
        values = [
            scorer(ShiftedNeuron(*one) if one[1] else one[0], Z[:, pair.columns], y)
            for *one, pair in zip(neurons, thresholds, pairs, strict=True)
        ]
        scores = np.array(values, dtype=np.float64)
    except AttributeError as error:  # most neurons have no predict_proba
        lacking = str(error).rpartition(": ")[2].rstrip(".")
        raise ValueError(
            f"selection={selection!r} cannot measure {type(neurons[0]).__name__}, which has no "
            f"{lacking}; choose another selection or neuron."
        ) from error
    if np.isnan(scores).any():
        raise ValueError(f"selection={selection!r} returned nan for a neuron")
    return scores, thresholds


class ShiftedNeuron(ScoreClassifier):
    """A fitted neuron with another threshold, for scorers."""

    def __init__(self, neuron: Any, threshold: float) -> None:
        self.neuron = neuron
        self.threshold = threshold
        self.classes_ = neuron.classes_

    def __getattr__(self, name: str) -> Any:
        return getattr(self.neuron, name)

    def decision_function(self, X: FloatArray) -> FloatArray:
        """Scores that are positive above the threshold."""
        return np.asarray(self.neuron.decision_function(X) - self.threshold)


def shares_of(
    pair: Pattern | None, class_sizes: Mapping[Any, int], n_columns: int
) -> tuple[float, float]:
    """Share of the rows of its class, and of all columns, that a pair has; 1 without a pair."""
    if pair is None:
        return 1.0, 1.0
    size = class_sizes[pair.anchor_class]
    return len(pair.rows) / size, len(pair.columns) / n_columns


def pair_seed(root: int, pair: Pattern) -> int:
    """Seed that depends on the root and the pair alone, not on the other pairs."""
    sides = pair.rows, pair.columns
    rows, columns = (np.asarray(indices, LITTLE_ENDIAN).tobytes() for indices in sides)
    key = root.to_bytes(8, "little", signed=True) + rows + b"|" + columns
    return int.from_bytes(blake2b(key, digest_size=4).digest(), "little") >> 1


@dataclass(frozen=True, slots=True)
class FitDiagnostics:
    """Counts of the candidates that each stage of a fit kept.

    Parameters
    ----------
    n_seeds : int
        Starts of the search. With more than two classes, one search serves all problems.
    n_pairs, n_kept : int
        Contrastive pairs before and after the filter. Each bicluster of the anchor class gives
        one pair.
    best_ratio, worst_ratio : float or None
        Smallest and largest MSR ratio before the filter; None without pairs.
    """

    n_seeds: int
    n_pairs: int
    n_kept: int
    best_ratio: float | None
    worst_ratio: float | None

    def why_no_pair(self, sizes: dict[Any, int], miner: BiclusterMiner, max_ratio: float) -> str:
        """Reason and way out; ``sizes`` are the rows of each anchor class."""
        if self.n_pairs == 0:
            min_rows = getattr(miner, "min_rows", 0)
            for label, size in sizes.items():
                if size < min_rows:
                    return (
                        f"class {label!r} has {size} rows, fewer than the miner's "
                        f"min_rows={min_rows}. Lower min_rows or choose another anchor."
                    )
            named = [f"class {label!r} with {size} rows" for label, size in sizes.items()]
            return (
                f"{type(miner).__name__} found no bicluster in {', '.join(named)} "
                f"({self.n_seeds} seeds); {miner._advice}."
            )
        if self.best_ratio == inf:
            return (
                f"none of {self.n_pairs} biclusters has a contrast: the nearest rows of the "
                "other class are coherent themselves. Look for constant or repeated columns."
            )
        or_lower = " or lower the miner's cut_distance" if hasattr(miner, "cut_distance") else ""
        return (
            f"no pair has msr_ratio <= {max_ratio:g} (best found: {self.best_ratio:.3g}, "
            f"from {self.n_pairs} biclusters). Raise max_ratio{or_lower}."
        )


def calibrate_neuron(
    fitted: Any, neuron: Any, Z: FloatArray, y: AnyArray, weights: FloatArray, seed: int
) -> tuple[float, float]:
    """Slope and shift that turn scores into log odds, from rows the neuron was not trained on.

    The ``fitted`` model of two classes has its neuron, a copy of ``neuron``, and the threshold.
    """
    pair = fitted.selected_pair_
    positive = y == np.unique(y)[1]
    rows, columns = (np.arange(len(y)), np.arange(Z.shape[1])) if pair is None else pair.block
    scores = decide([fitted.estimator_], Z, [columns])[0]
    scores[rows] = np.nan
    order = np.random.default_rng(seed).permutation(len(rows))
    order = order[np.argsort(by_size(positive[rows][order])[1], kind="stable")]
    folds = np.empty(len(rows), dtype=np.intp)
    folds[order] = np.arange(len(rows)) % N_FOLDS  # both classes are dealt out evenly
    for fold in range(N_FOLDS):
        unseen, seen = rows[folds == fold], rows[folds != fold]
        if len(unseen) and len(np.unique(positive[seen])) == 2:
            (copy,) = fit_neurons(neuron, Z, y, [(seen, columns)], [seed])
            scores[unseen] = decide([copy], Z[unseen], [columns])[0]
    unit = _unit_of(scores[~np.isnan(scores)])
    signs = np.where(positive, 1.0, -1.0)[:, None]
    relative = (scores[:, None] - fitted.threshold_) / unit
    is_shifted = fitted.class_weight is not None
    slope, shifts = calibrate(relative, signs, weights, False, shifted=is_shifted)
    # Finite also where scores are so small that the quotient is not: infinity times 0 is NaN.
    return min(slope / unit, LARGEST_ODDS), unit * float(shifts[0])


def _unit_of(scores: FloatArray) -> float:
    """Standard deviation of scores, which have no unit of their own; 1 if they do not vary."""
    if not len(scores) or np.ptp(scores) == 0:
        return 1.0
    with np.errstate(over="ignore"):
        deviation = float(np.std(scores))
    return deviation if 0 < deviation < np.inf else float(np.abs(scores).max())


def log_odds_line(scores: FloatArray, positive: BoolArray) -> tuple[float, float]:
    """Slope and offset that turn scores, which have no unit, into log odds."""
    unit = _unit_of(scores)
    # The weak penalty keeps the slope finite where a threshold separates the sides.
    model = LogisticRegression(C=100, class_weight="balanced", solver="newton-cholesky")
    with warnings.catch_warnings():
        # Of a side that is all but separated: the penalty decides then, however far the steps went.
        warnings.simplefilter("ignore")
        model.fit(scores[:, None] / unit, positive)
    return float(model.coef_[0, 0] / unit), float(model.intercept_[0])
