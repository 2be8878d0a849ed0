"""Mined pairs against random ones of the same sizes: is mining worth it?"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._core._residue import block_residue
from bicneuron.network import BicNeuronNetwork
from bicneuron.network._designs import Design
from bicneuron.network._draws import Side
from bicneuron.patterns import Pattern
from bicneuron.patterns._pairing import pair_biclusters
from bicneuron.reproduction._models import Model, network
from bicneuron.reproduction._protocols import FoldProtocol
from studies._classifiers import PATTERNS, MeanRow, Scores, classifier_study, mean_of, scores_of
from studies._comparison import signed_rank_p_value
from studies._report import curves_svg, markdown_table


class RandomPairsNetwork(BicNeuronNetwork):
    """`BicNeuronNetwork` with random rows and columns in its pairs.

    Each pair is mined as usual and then replaced: by as many random rows of the same class and
    random columns, and as many of the nearest rows of the other side.
    """

    def _resolved_design(self) -> Design:
        design = super()._resolved_design()
        return design._replace(draw=partial(draw_random, mine=design.draw))


def draw_random(
    Z: FloatArray,
    side: Side,
    max_draw_rows: int,
    contrast_size: float,
    rng: np.random.Generator,
    *,
    mine: Callable[..., Pattern | None],
) -> Pattern | None:
    """Draw a pair of the sizes that mining gives; parameters as in `draw_coherent`."""
    mined = mine(Z, side, max_draw_rows, contrast_size, rng)
    if mined is None:
        return None
    n_rows, n_contrast = len(mined.rows), len(mined.contrast_rows)
    rows = np.sort(rng.choice(side.rows, n_rows, replace=False))
    columns = np.sort(rng.choice(Z.shape[1], len(mined.columns), replace=False))
    pool_size = min(len(side.others), max_draw_rows)
    pool = np.sort(rng.choice(side.others, pool_size, replace=False))
    found = Pattern(rows, columns, block_residue(Z, rows, columns))
    return pair_biclusters(Z, [found], pool, side.label, n_contrast / n_rows)[0]


def random_pairs(protocol: FoldProtocol, dataset: str, seed: int, **changes: Any) -> Any:
    """Build a network on random pairs, with default or changed settings."""
    return RandomPairsNetwork(**changes, random_state=seed)


# Number of neurons to the design that is meant for it.
DESIGNS = {5: "readable", 10: "readable", 20: "readable", 400: "accurate"}
SIZES = tuple(DESIGNS)
# The same seeds for both, so that they differ in the pairs only.
MINED = {
    size: Model(f"mined-{size}", partial(network, design=design, n_neurons=size), seed_name="pairs")
    for size, design in DESIGNS.items()
}
RANDOM = {
    size: Model(
        f"random-{size}", partial(random_pairs, design=design, n_neurons=size), seed_name="pairs"
    )
    for size, design in DESIGNS.items()
}
METHODS = (*MINED.values(), *RANDOM.values())
REPEATED = "parkinsons"


def describe(rows: Sequence[MeanRow]) -> str:
    """Write mined and random pairs side by side as Markdown."""
    scores = scores_of(rows)
    lines = [
        "# Mined against random pairs",
        "",
        "ACC of networks that differ in their pairs only: mined, or random rows and columns",
        f"of the same class and sizes. Means over at most {PATTERNS.n_folds} clean folds with at",
        f"most {PATTERNS.max_rows} rows of a data set; all rows of a person are on one side of a",
        "fold. p: exact Wilcoxon signed-rank test over the data sets.",
        "",
        *markdown_table(
            (
                *("neurons", "mined", "random", "difference", "better / worse", "p"),
                *(f"without {REPEATED}: difference", "p"),
            ),
            [_summary(scores, size) for size in SIZES],
        ),
        "",
        "![Mean accuracy against the number of neurons](ablation.svg)",
    ]
    for size in SIZES:
        lines += [
            "",
            f"## {size} neurons",
            "",
            *markdown_table(
                ("data set", "mined", "random", "difference"),
                [
                    (
                        dataset,
                        f"{own[MINED[size].name]:.3f}",
                        f"{own[RANDOM[size].name]:.3f}",
                        f"{own[MINED[size].name] - own[RANDOM[size].name]:+.3f}",
                    )
                    for dataset, own in scores.items()
                ],
            ),
        ]
    return "\n".join(lines) + "\n"


def plot(rows: Sequence[MeanRow]) -> dict[str, str]:
    """Draw mean accuracy against the number of neurons."""
    scores = scores_of(rows)
    curves = {
        name: [mean_of(scores, models[size].name) for size in SIZES]
        for name, models in (("mined pairs", MINED), ("random pairs", RANDOM))
    }
    return {"ablation.svg": curves_svg(curves, [*map(str, SIZES)], x="neurons", y="mean ACC")}


def _summary(scores: Scores, size: int) -> tuple[str, ...]:
    mined, random = MINED[size].name, RANDOM[size].name
    gains = {dataset: own[mined] - own[random] for dataset, own in scores.items()}
    others = [gain for dataset, gain in gains.items() if dataset != REPEATED]
    return (
        str(size),
        f"{mean_of(scores, mined):.3f}",
        f"{mean_of(scores, random):.3f}",
        *_test([*gains.values()]),
        *(_test(others)[::2] if others else ("-", "-")),
    )


def _test(gains: Sequence[float]) -> tuple[str, str, str]:
    rounded = np.round(gains, 12)  # means that differ by rounding only are equal
    return (
        f"{np.mean(gains):+.3f}",
        f"{np.sum(rounded > 0)} / {np.sum(rounded < 0)}",
        f"{signed_rank_p_value(rounded):.4f}",
    )


STUDY = classifier_study("ablation", (PATTERNS,), METHODS, describe, plot)
