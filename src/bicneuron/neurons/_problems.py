"""What a perceptron is trained on: signs for labels, and checked blocks."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from sklearn.utils.class_weight import compute_class_weight

from bicneuron._core._arrays import AnyArray, FloatArray, IndexArray
from bicneuron._core._blocks import Blocks, pack_blocks

BlockSequence: TypeAlias = Sequence[tuple[IndexArray, IndexArray]]


def signs_of_labels(y: AnyArray) -> tuple[AnyArray, FloatArray]:
    """Sorted classes, and the signs of each problem: shape (1 or n_classes, n_samples)."""
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"y holds one class, {classes.tolist()}, but at least two are needed.")
    positive = np.arange(len(classes)) if len(classes) > 2 else np.array([1])
    return classes, np.where(codes == positive[:, None], 1.0, -1.0)


def weigh_signs(signs: FloatArray, classes: AnyArray, y: AnyArray, class_weight: Any) -> FloatArray:
    """Signs times class weights, by which a perceptron multiplies its steps.

    As in scikit-learn, beyond two classes only the one class is weighted, not the rest.
    """
    if class_weight is None:
        return signs
    weights = compute_class_weight(class_weight, classes=classes, y=y)
    if not ((weights > 0) & np.isfinite(weights)).all():
        raise ValueError(
            f"class_weight={class_weight!r} has a weight that is not positive; leave the rows of "
            "a class out instead."
        )
    negative = weights[0] if len(classes) == 2 else 1.0
    weighed: FloatArray = np.where(signs > 0, weights[-len(signs) :, None], negative) * signs
    return weighed


def balance_signs(signs: FloatArray, row_starts: IndexArray) -> FloatArray:
    """`weigh_signs` with balanced weights, for the rows of each block alone."""
    sizes = np.diff(row_starts)
    n_positive = np.add.reduceat(signs > 0, row_starts[:-1], dtype=np.intp)
    positive, negative = (
        np.repeat(sizes / (2 * n), sizes) for n in (n_positive, sizes - n_positive)
    )
    return np.where(signs > 0, positive, negative) * signs


def whole(X: FloatArray) -> tuple[IndexArray, IndexArray]:
    """Give all rows and all columns, as a block."""
    return np.arange(X.shape[0]), np.arange(X.shape[1])


def pack_problems(X: FloatArray, blocks: BlockSequence) -> Blocks:
    """Pack blocks whose columns exist in ``X``."""
    packed = pack_blocks(blocks)
    check_columns(X, packed.columns)
    return packed


def check_columns(X: FloatArray, columns: IndexArray) -> None:
    """Refuse columns that ``X`` lacks: a kernel would read beyond the array."""
    n_columns = X.shape[1]
    if ((columns < 0) | (columns >= n_columns)).any():
        raise ValueError(f"blocks name columns outside 0..{n_columns - 1}, the columns of X.")


def check_both_classes(signs: FloatArray, blocks: Blocks, first: int) -> None:
    """Refuse blocks without rows of both classes; ``first`` is the number of the first block."""
    running = np.concatenate([[0.0], np.cumsum(signs[blocks.rows])])
    totals = np.diff(running[blocks.row_starts])
    one_sided = np.flatnonzero(np.abs(totals) >= np.diff(blocks.row_starts))
    if len(one_sided):
        raise ValueError(f"the rows of block {first + one_sided[0]} do not hold both classes.")
