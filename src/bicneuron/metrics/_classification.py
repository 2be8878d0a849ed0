"""The measures of the paper's tables, for two classes."""

import numpy as np
import numpy.typing as npt
from sklearn.utils import assert_all_finite, check_consistent_length

from bicneuron._core._arrays import AnyArray, BoolArray
from bicneuron._core._ranking import label_aucs, rank_sum_aucs


def label_auc(y_true: npt.ArrayLike, y_pred: npt.ArrayLike) -> float:
    """Area under the ROC curve of hard labels: the mean accuracy of the two classes.

    This is the "AUC" of the paper's tables, that is balanced accuracy. See `score_auc` for the
    area under the curve of real-valued scores.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, any two.
    y_pred : array-like of shape (n_samples,)
        Predicted labels, no others than those of ``y_true``.

    Returns
    -------
    float
        In [0, 1].

    Examples
    --------
    >>> from bicneuron.metrics import label_auc
    >>> label_auc(["sick", "sick", "well", "well"], ["sick", "well", "well", "well"])
    0.75
    """
    true, predicted = _check_labels(y_true, y_pred)
    positive = _positive_class(true)
    scores = (predicted == positive).astype(np.float64)
    return float(label_aucs(scores[None], true == positive, np.array([0.5]))[0])


def score_auc(y_true: npt.ArrayLike, y_score: npt.ArrayLike) -> float:
    """Area under the ROC curve of scores: the share of pairs of rows in the right order.

    Equal scores count half (Mann-Whitney with mid-ranks).

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, any two; the one that sorts last is positive, as in scikit-learn.
    y_score : array-like of shape (n_samples,)
        Finite scores, larger for the positive class; for instance a ``decision_function``.

    Returns
    -------
    float
        In [0, 1].

    Examples
    --------
    >>> from bicneuron.metrics import score_auc
    >>> score_auc([-1, -1, 1, 1], [0.1, 0.4, 0.4, 0.8])
    0.875
    """
    true, scores = _check_vector(y_true, "y_true"), _check_vector(y_score, "y_score")
    check_consistent_length(true, scores)
    is_positive = true == _positive_class(true)
    return float(rank_sum_aucs(scores[None].astype(np.float64), is_positive)[0])


def minority_accuracy(
    y_true: npt.ArrayLike, y_pred: npt.ArrayLike, *, minority_label: object = None
) -> float:
    """Accuracy on the rows of the smaller class (ACCm).

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, any two.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    minority_label : label, default=None
        The smaller class of the whole data set, where ``y_true`` is only a part of it. By default
        the class with fewer rows in ``y_true``; the one that sorts first if they are equal.

    Returns
    -------
    float
        In [0, 1].

    Examples
    --------
    >>> from bicneuron.metrics import minority_accuracy
    >>> minority_accuracy([0, 0, 0, 1, 1], [0, 0, 0, 1, 0])
    0.5
    """
    is_right, is_minority = _right_and_minority(y_true, y_pred, minority_label)
    return _share(is_right[is_minority], "minority")


def majority_accuracy(
    y_true: npt.ArrayLike, y_pred: npt.ArrayLike, *, minority_label: object = None
) -> float:
    """Accuracy on the rows of the larger class (ACCM).

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, any two.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    minority_label : label, default=None
        The *smaller* class, as in `minority_accuracy`; the rows of the other one are counted.

    Returns
    -------
    float
        In [0, 1].

    Examples
    --------
    >>> from bicneuron.metrics import majority_accuracy
    >>> majority_accuracy([0, 0, 0, 0, 1], [0, 0, 0, 1, 1])
    0.75
    """
    is_right, is_minority = _right_and_minority(y_true, y_pred, minority_label)
    return _share(is_right[~is_minority], "majority")


def _right_and_minority(
    y_true: npt.ArrayLike, y_pred: npt.ArrayLike, minority_label: object
) -> tuple[BoolArray, BoolArray]:
    if minority_label is None:
        true, predicted = _check_labels(y_true, y_pred)
        classes, counts = _two_classes(true)
        minority_label = classes[np.argmin(counts)]
    else:
        true, predicted = _check_labels(y_true, y_pred, minority_label)
    return true == predicted, true == minority_label


def _share(is_right: BoolArray, which: str) -> float:
    if not is_right.size:
        raise ValueError(f"y_true has no row of the {which} class; its accuracy is undefined.")
    return float(np.mean(is_right))


def _positive_class(y_true: AnyArray) -> object:
    return _two_classes(y_true)[0][1]


def _two_classes(y_true: AnyArray) -> tuple[AnyArray, AnyArray]:
    classes, counts = np.unique(y_true, return_counts=True)
    if len(classes) != 2:
        raise ValueError(f"y_true must hold two classes, got {len(classes)}: {classes.tolist()}.")
    return classes, counts


def _check_labels(
    y_true: npt.ArrayLike, y_pred: npt.ArrayLike, *known_labels: object
) -> tuple[AnyArray, AnyArray]:
    true, predicted = _check_vector(y_true, "y_true"), _check_vector(y_pred, "y_pred")
    check_consistent_length(true, predicted)
    # Python objects, since numpy would turn mixed labels such as 0 and "0" into equal strings.
    labels = {*true.tolist(), *predicted.tolist(), *known_labels}
    if len(labels) > 2:
        raise ValueError(f"y_true and y_pred must share two labels, got {sorted(labels, key=str)}.")
    return true, predicted


def _check_vector(values: npt.ArrayLike, name: str) -> AnyArray:
    vector = np.asarray(values)
    if vector.ndim != 1:
        raise ValueError(f"{name} must have one dimension, got shape {vector.shape}.")
    assert_all_finite(vector, input_name=name)
    return vector
