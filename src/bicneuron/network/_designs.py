"""The settings of the accurate design, and which parameters belong to which design."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from bicneuron._shared._class_weight import refuse_label_weights
from bicneuron._shared._compat import HasMethods
from bicneuron.network._draws import draw_coherent
from bicneuron.neurons import KernelNeuron
from bicneuron.patterns import Pattern

# Folds of the rows; each neuron is trained without one of them.
N_FOLDS = 5
# Parameters of one design, which the other refuses.
OF_ACCURATE = ("n_neurons", "neuron_kinds", "n_candidates", "max_draw_rows", "retrain")
OF_READABLE = ("max_patterns", "max_columns", "miners")


class Design(NamedTuple):
    """Settings by which the pairs of an accurate network are drawn.

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
    retrain : bool
        Train neurons again without rows whose label is contradicted.
    """

    draw: Callable[..., Pattern | None]
    n_neurons: int
    neuron_kinds: tuple[Any, ...]
    n_candidates: int
    max_draw_rows: int
    contrast_size: float
    retrain: bool


# Three RBF neurons per linear one; the self-test may leave either kind out.
RBF, LINEAR = KernelNeuron(), KernelNeuron("linear")
ACCURATE = Design(
    draw_coherent,
    n_neurons=400,
    neuron_kinds=(RBF, RBF, RBF, LINEAR),
    n_candidates=0,
    max_draw_rows=40,
    contrast_size=2.0,
    retrain=True,
)


def check_design(params: Mapping[str, Any]) -> None:
    """Refuse parameters of the other design."""
    design = params["design"]
    refused = OF_ACCURATE if design == "readable" else OF_READABLE
    other = "accurate" if design == "readable" else "readable"
    instead = "max_patterns" if design == "readable" else "n_neurons"
    for name in refused:
        if params[name] is not None:
            raise ValueError(
                f"{name}={params[name]!r} is for design={other!r}; with design={design!r} leave it "
                f"out, and set {instead} for the number of patterns."
            )


def resolve_design(params: Mapping[str, Any]) -> Design:
    """Return the accurate design, overridden by parameters that are not None."""
    given = {key: params[key] for key in ("n_candidates", "max_draw_rows", "retrain", "n_neurons")}
    design = ACCURATE._replace(**{key: value for key, value in given.items() if value is not None})
    kinds = params["neuron_kinds"]
    kinds = ACCURATE.neuron_kinds if kinds is None else tuple(kinds)
    if not kinds:
        raise ValueError("neuron_kinds is empty; name at least one kind or give None.")
    for kind in kinds:
        refuse_label_weights(kind)
        if not HasMethods(["fit", "decision_function"]).is_satisfied_by(kind):
            raise ValueError(f"neuron_kinds holds {kind!r}, which has no decision_function.")
    return design._replace(
        neuron_kinds=kinds,
        n_candidates=max(design.n_candidates, design.n_neurons),
        contrast_size=params["contrast_size"],
    )
