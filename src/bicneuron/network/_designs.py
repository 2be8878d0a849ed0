"""The two designs of a network: to be accurate, and to be readable."""

from collections.abc import Callable
from typing import Any, NamedTuple

from bicneuron.contrast import ContrastivePair
from bicneuron.network._draws import draw_coherent, draw_contrasting
from bicneuron.neurons import GaussianNeuron, KernelNeuron


class Design(NamedTuple):
    """How patterns are found, which depends on what the network is for.

    Parameters
    ----------
    draw : callable
        Draws a pair, as `draw_coherent` does.
    n_neurons : int
        Patterns to keep.
    neuron_kinds : tuple of classifiers
        Dealt out in turn.
    n_candidates : int
        Pairs to draw.
    max_draw_rows, contrast_size
        As in `draw_coherent`.
    n_folds : int
        Folds of the rows; each neuron is trained without one of them.
    """

    draw: Callable[..., ContrastivePair | None]
    n_neurons: int
    neuron_kinds: tuple[Any, ...]
    n_candidates: int
    max_draw_rows: int
    contrast_size: float
    n_folds: int


# Patterns that differ most from their contrast, one bell curve per class and column, chosen from
# many candidates.
READABLE = Design(draw_contrasting, 10, (GaussianNeuron(),), 400, 256, 2.0, 5)
# Three RBF neurons per linear one; the self-test may leave either kind out.
RBF, LINEAR = KernelNeuron(), KernelNeuron("linear")
ACCURATE = Design(draw_coherent, 400, (RBF, RBF, RBF, LINEAR), 0, 40, 2.0, 5)
DESIGNS = {"accurate": ACCURATE, "readable": READABLE}
