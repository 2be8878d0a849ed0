"""Variants of the readable network that were tried, on the development sets."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from bicneuron.contrast import ContrastivePair
from bicneuron.experiments._means import MeanRow, markdown_table, mean_of, scores_of
from bicneuron.experiments._models import Model
from bicneuron.experiments._protocols import PATTERNS, Protocol
from bicneuron.experiments._random_pairs import draw_random
from bicneuron.network import BicNeuronNetwork
from bicneuron.network._designs import Design
from bicneuron.network._draws import draw_coherent, draw_contrasting
from bicneuron.neurons import GaussianNeuron, KernelNeuron

DEVELOPMENT_SETS = ("chen", "ionosphere", "lsvt", "parkinsons", "sonar")
KEPT = "kept"
Draw = Callable[..., ContrastivePair | None]
GROWTHS: dict[str, Draw] = {
    KEPT: draw_contrasting,
    "local groups only": partial(draw_contrasting, whole_class=0.0),
    "whole classes only": partial(draw_contrasting, whole_class=1.0),
    "4 columns": partial(draw_contrasting, few_columns=(4,)),
    "16 columns": partial(draw_contrasting, few_columns=(16,)),
    "coherent growth": draw_coherent,
    "random pairs": partial(draw_random, mine=draw_contrasting),
}
STRAIGHT, BENDING = (KernelNeuron("linear"),), (KernelNeuron(),)
# Name to what differs from the design that was kept.
DESIGNS: dict[str, dict[str, Any]] = {
    **{name: {"growth": name} for name in GROWTHS},
    "200 candidates": {"n_candidates": 200},
    "800 candidates": {"n_candidates": 800},
    "contrast x1": {"contrast_size": 1.0},
    "contrast x4": {"contrast_size": 4.0},
    "slack 0.05": {"neuron_kinds": (GaussianNeuron(slack=0.05),)},
    "linear neurons": {"neuron_kinds": STRAIGHT},
    "linear neurons, random pairs": {"neuron_kinds": STRAIGHT, "growth": "random pairs"},
    "RBF neurons": {"neuron_kinds": BENDING},
    "RBF neurons, random pairs": {"neuron_kinds": BENDING, "growth": "random pairs"},
}


class DesignedNetwork(BicNeuronNetwork):
    """A network of ten patterns whose pairs are found in a way of their own."""

    def __init__(
        self,
        *,
        growth: str = KEPT,
        neuron_kinds: Sequence[Any] | None = None,
        n_candidates: int | None = None,
        contrast_size: float = 2.0,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            design="readable",
            n_neurons=10,
            neuron_kinds=neuron_kinds,
            n_candidates=n_candidates,
            contrast_size=contrast_size,
            random_state=random_state,
        )
        self.growth = growth

    def _design(self) -> Design:
        return super()._design()._replace(draw=GROWTHS[self.growth])


def designed_network(protocol: Protocol, dataset: str, seed: int, **changes: Any) -> Any:
    """Build a network of ten patterns by a design."""
    return DesignedNetwork(**changes, random_state=seed)


DESIGN_MODELS = tuple(
    Model(name.replace(" ", "-"), partial(designed_network, **changes), seed_name="designs")
    for name, changes in DESIGNS.items()
)


def describe_designs(rows: Sequence[MeanRow]) -> str:
    """Write one line for each design as Markdown, with the accuracy on each set."""
    scores = scores_of(rows)
    kept = mean_of(scores, KEPT)
    lines = []
    for name, model in zip(DESIGNS, DESIGN_MODELS, strict=True):
        mean = mean_of(scores, model.name)
        lines.append(
            (
                name,
                f"{mean:.3f}",
                f"{mean - kept:+.3f}",
                *(f"{own[model.name]:.3f}" for own in scores.values()),
            )
        )
    return "\n".join(
        [
            "# Variants of the readable network",
            "",
            "Mean ACC of ten patterns on the development sets, over at most "
            f"{PATTERNS.n_folds} clean folds;",
            "all rows of a person are on one side of a fold. Each design differs from the kept one",
            "in what its name says. Differences under .01 are noise.",
            "",
            *markdown_table(("design", "mean", "difference", *scores), lines),
            "",
        ]
    )
