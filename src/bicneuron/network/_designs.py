"""The settings by which the pairs of a network are drawn."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from bicneuron._shared._class_weight import refuse_label_weights
from bicneuron._shared._compat import HasMethods
from bicneuron.network._draws import draw_coherent
from bicneuron.neurons import KernelNeuron
from bicneuron.patterns import Pattern


class Design(NamedTuple):
    """Settings by which the pairs of a network are drawn; ``draw`` is as `draw_coherent`."""

    draw: Callable[..., Pattern | None]
    n_neurons: int
    neuron_kinds: tuple[Any, ...]
    n_candidates: int
    max_draw_rows: int
    contrast_size: float
    retrain: bool


# Three RBF neurons per linear one; the self-test may leave either kind out.
RBF, LINEAR = KernelNeuron(), KernelNeuron("linear")
USUAL = Design(
    draw_coherent,
    n_neurons=400,
    neuron_kinds=(RBF, RBF, RBF, LINEAR),
    n_candidates=0,
    max_draw_rows=40,
    contrast_size=2.0,
    retrain=True,
)


def resolve_design(params: Mapping[str, Any]) -> Design:
    """Return the usual settings, overridden by parameters that are not None."""
    given = {key: params[key] for key in ("n_candidates", "max_draw_rows", "retrain", "n_neurons")}
    design = USUAL._replace(**{key: value for key, value in given.items() if value is not None})
    kinds = params["neuron_kinds"]
    kinds = USUAL.neuron_kinds if kinds is None else tuple(kinds)
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
