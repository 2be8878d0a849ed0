"""The two designs of a network: accurate and readable."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from bicneuron._estimators._class_weight import refuse_label_weights
from bicneuron._estimators._compat import HasMethods
from bicneuron.network._draws import draw_coherent, draw_contrasting
from bicneuron.neurons import GaussianNeuron, KernelNeuron
from bicneuron.patterns import Pattern

# Numbers of patterns from which "auto" chooses.
AUTO_SIZES = (1, 2, 3, 5, 7, 10, 15, 20)


class Design(NamedTuple):
    """Settings by which the patterns of a network are found.

    Parameters
    ----------
    draw : callable
        Draws a pair, as `draw_coherent` does.
    n_neurons : int
        Patterns to keep, at most.
    neuron_kinds : tuple of classifiers
        Used in turn.
    n_candidates : int
        Pairs to draw, but at least ``n_neurons``.
    max_draw_rows, contrast_size
        As in `draw_coherent`.
    n_folds : int
        Folds of the rows; each neuron is trained without one of them.
    retrain : bool
        Train neurons again without rows whose label is contradicted.
    choose_size : bool, default=False
        Let the self-test choose the number of patterns.
    """

    draw: Callable[..., Pattern | None]
    n_neurons: int
    neuron_kinds: tuple[Any, ...]
    n_candidates: int
    max_draw_rows: int
    contrast_size: float
    n_folds: int
    retrain: bool
    choose_size: bool = False


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


def resolve_design(params: Mapping[str, Any]) -> Design:
    """Return the named design, overridden by parameters that are not None."""
    name, n_neurons = params["design"], params["n_neurons"]
    standard = DESIGNS[name]
    if n_neurons == "auto" and name != "readable":
        raise ValueError(
            'n_neurons="auto" is for design="readable"; '
            f"give a number or None with design={name!r}."
        )
    given = {key: params[key] for key in ("n_candidates", "max_draw_rows", "retrain")}
    design = standard._replace(**{key: value for key, value in given.items() if value is not None})
    kinds = params["neuron_kinds"]
    kinds = standard.neuron_kinds if kinds is None else tuple(kinds)
    if not kinds:
        raise ValueError("neuron_kinds is empty; name at least one kind or give None.")
    for kind in kinds:
        refuse_label_weights(kind)
        if not HasMethods(["fit", "decision_function"]).is_satisfied_by(kind):
            raise ValueError(f"neuron_kinds holds {kind!r}, which has no decision_function.")
    if n_neurons == "auto":
        n_neurons = max(AUTO_SIZES)
    elif n_neurons is None:
        n_neurons = standard.n_neurons
    return design._replace(
        n_neurons=int(n_neurons),
        neuron_kinds=kinds,
        n_candidates=max(design.n_candidates, int(n_neurons)),
        contrast_size=params["contrast_size"],
        choose_size=params["n_neurons"] == "auto",
    )
