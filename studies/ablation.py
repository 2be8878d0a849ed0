"""Mined pairs against random ones of the same sizes: is mining worth it?"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._core._residue import block_residue
from bicneuron.network import BicNeuronNetwork
from bicneuron.network._draws import MAX_DRAW_ROWS, Side
from bicneuron.network._hidden import Design
from bicneuron.patterns import Pattern, contrastive_pairs
from reproduction._models import Model, network
from reproduction._protocols import FoldProtocol
from studies._classifiers import PATTERNS, MeanRow, Scores, classifier_study, mean_of, scores_of
from studies._comparison import signed_rank_p_value
from studies._report import markdown_table


class RandomPairsNetwork(BicNeuronNetwork):
    """`BicNeuronNetwork` with random rows and columns in its pairs, of the sizes of mined ones."""

    def _resolved_design(self) -> Design:
        design = super()._resolved_design()
        return design._replace(draw=partial(draw_random, mine=design.draw))


def draw_random(
    Z: FloatArray,
    side: Side,
    contrast_size: float,
    rng: np.random.Generator,
    *,
    mine: Callable[..., Pattern | None],
) -> Pattern | None:
    """Draw a pair of the sizes that mining gives; parameters as in `draw_coherent`."""
    mined = mine(Z, side, contrast_size, rng)
    if mined is None:
        return None
    n_rows, n_contrast = len(mined.rows), len(mined.contrast_rows)
    rows = np.sort(rng.choice(side.rows, n_rows, replace=False))
    columns = np.sort(rng.choice(Z.shape[1], len(mined.columns), replace=False))
    pool_size = min(len(side.others), MAX_DRAW_ROWS)
    pool = np.sort(rng.choice(side.others, pool_size, replace=False))
    found = Pattern(rows, columns, block_residue(Z, rows, columns))
    size = n_contrast / n_rows
    return contrastive_pairs(Z, [found], pool, anchor_class=side.label, contrast_size=size)[0]


def random_pairs(protocol: FoldProtocol, dataset: str, seed: int) -> Any:
    """Build a network on random pairs, with default settings."""
    return RandomPairsNetwork(random_state=seed)


# The same seeds for both, so that they differ in the pairs only.
MINED = Model("mined", network, seed_name="pairs")
RANDOM = Model("random", random_pairs, seed_name="pairs")
METHODS = (MINED, RANDOM)
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
                *("mined", "random", "difference", "better / worse", "p"),
                *(f"without {REPEATED}: difference", "p"),
            ),
            [_summary(scores)],
        ),
        "",
        *markdown_table(
            ("data set", "mined", "random", "difference"),
            [
                (
                    dataset,
                    f"{own[MINED.name]:.3f}",
                    f"{own[RANDOM.name]:.3f}",
                    f"{own[MINED.name] - own[RANDOM.name]:+.3f}",
                )
                for dataset, own in scores.items()
            ],
        ),
    ]
    return "\n".join(lines) + "\n"


def _summary(scores: Scores) -> tuple[str, ...]:
    gains = {dataset: own[MINED.name] - own[RANDOM.name] for dataset, own in scores.items()}
    others = [gain for dataset, gain in gains.items() if dataset != REPEATED]
    return (
        *(f"{mean_of(scores, model.name):.3f}" for model in METHODS),
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


STUDY = classifier_study("ablation", (PATTERNS,), METHODS, describe)
