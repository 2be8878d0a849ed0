"""What all columns share: principal components that are taken out before groups are looked for.

In real tables a few components (tissue, batch, cell mixture) move most columns together. A group
that differs in ten columns is hidden by them, and is found when they are removed; a group that
differs in hundreds of columns is such a component itself, and is lost with them. So the search runs
once for each of several numbers of components.
"""

from typing import NamedTuple

import numpy as np

from bicneuron._core._arrays import Float32Array, FloatArray

# Numbers of components that are removed, as far as the table has so many; of wide tables only the
# middle one, to save time.
N_REMOVED, WIDE, N_REMOVED_WIDE = (2, 5, 10), 5000, (5,)
# Seed of the permutation that tells how many components a table has.
SEED = 0


class Background(NamedTuple):
    """Components and what is left of each column's deviation without them.

    Parameters
    ----------
    components : array of shape (n_components, n_columns)
        Orthonormal.
    deviation : array of shape (n_columns,)
        Of the columns without the components; 1 where nothing is left.
    """

    components: FloatArray
    deviation: FloatArray

    def remove(self, Z: FloatArray) -> Float32Array:
        """Rows without the components, columns with deviation 1."""
        left = Z - (Z @ self.components.T) @ self.components
        return np.ascontiguousarray(left / self.deviation, np.float32)


def backgrounds(Z: FloatArray) -> list[Background]:
    """Backgrounds to be removed in turn; the first has no component.

    Parameters
    ----------
    Z : array of shape (n_rows, n_columns)
        Standardised columns.
    """
    n_columns = Z.shape[1]
    found = [Background(np.empty((0, n_columns)), np.ones(n_columns))]
    numbers = N_REMOVED if n_columns <= WIDE else N_REMOVED_WIDE
    directions, n_components = _components(Z, max(numbers))
    for count in sorted({min(count, n_components) for count in numbers}):
        if count < 2:
            continue
        components = directions[:count]
        deviation = (Z - (Z @ components.T) @ components).std(axis=0)
        found.append(Background(components, np.where(deviation > 1e-3, deviation, 1.0)))
    return found


def _components(Z: FloatArray, most: int) -> tuple[FloatArray, int]:
    """Leading principal components, and how many are larger than those of shuffled columns."""
    shuffled = np.random.default_rng(SEED).permuted(Z, axis=0)
    largest = np.linalg.eigvalsh(shuffled @ shuffled.T)[-1]
    values, vectors = np.linalg.eigh(Z @ Z.T)
    n_components = min(int(np.sum(values > largest)), most)
    scores = vectors[:, ::-1][:, :n_components]
    directions = scores.T @ Z
    lengths = np.linalg.norm(directions, axis=1, keepdims=True)
    return directions / np.where(lengths > 0, lengths, 1.0), n_components
