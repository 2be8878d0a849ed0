"""The two designs of a network: to be accurate, and to be readable."""

from collections.abc import Callable
from typing import Any, NamedTuple

from bicneuron.contrast import ContrastivePair
from bicneuron.network._draws import draw_coherent, draw_contrasting
from bicneuron.neurons import GaussianNeuron, KernelNeuron


class Design(NamedTuple):
    """How the patterns of a network are found.

    Parameters
    ----------
    draw : callable
        Draws a pair, as `draw_coherent` does.
    n_neurons : int
        Patterns to keep.
    neuron_kinds : tuple of classifiers
        Used in turn.
    n_candidates : int
        Pairs to draw, but at least ``n_neurons``.
    max_draw_rows, contrast_size
        As in `draw_coherent`.
    n_folds : int
        Folds of the rows; each neuron is trained without one of them.
    retrain : bool
        Whether neurons are trained again without rows whose label is contradicted.
    """

    draw: Callable[..., ContrastivePair | None]
    n_neurons: int
    neuron_kinds: tuple[Any, ...]
    n_candidates: int
    max_draw_rows: int
    contrast_size: float
    n_folds: int
    retrain: bool


# Patterns that differ most from their contrast, one bell curve per class and column, chosen from
# many candidates.
READABLE = Design(
    draw_contrasting,
    n_neurons=10,
    neuron_kinds=(GaussianNeuron(),),
    n_candidates=400,
    max_draw_rows=256,
    contrast_size=2.0,
    n_folds=5,
    retrain=False,
)
# Three RBF neurons per linear one; the self-test may leave either kind out.
RBF, LINEAR = KernelNeuron(), KernelNeuron("linear")
ACCURATE = Design(
    draw_coherent,
    n_neurons=400,
    neuron_kinds=(RBF, RBF, RBF, LINEAR),
    n_candidates=0,
    max_draw_rows=40,
    contrast_size=2.0,
    n_folds=5,
    retrain=True,
)
DESIGNS = {"accurate": ACCURATE, "readable": READABLE}
