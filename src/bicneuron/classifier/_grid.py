"""The grid that `BicNeuronClassifierCV` searches: presets, axes and results."""

from collections.abc import Mapping
from itertools import product
from math import inf
from typing import Any

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron.biclustering import CoherentBiclustering, ContrastBiclustering
from bicneuron.classifier._classifier import BicNeuronClassifier
from bicneuron.classifier._mining import MAX_COLUMNS
from bicneuron.neurons import KernelNeuron, KernelPerceptron, OnlinePerceptron

# Parameters that are searched: their names here, and in a BicNeuronClassifier.
AXES = {
    "searches": "miner__search",
    "max_residues": "miner__max_residue",
    "cut_distances": "miner__cut_distance",
    "neurons": "neuron",
    "anchors": "anchor",
    "max_ratios": "max_ratio",
}

PRESETS: dict[str, dict[str, Any]] = {
    "best": {
        "estimator": BicNeuronClassifier(
            miner=CoherentBiclustering(max_columns=128, max_seeds=50),
            max_rows=256,
            recalibrate=True,
        ),
        "searches": ("grow",),
        "max_residues": (0.1, 0.3, 1.0),
        "cut_distances": (0.5, 1.0, 2.0),
        "neurons": (
            OnlinePerceptron(average=True),
            KernelPerceptron(bandwidth=0.5, average=True),
        ),
        "anchors": ("both",),
        "max_ratios": (0.9, inf),
    },
    "paper": {
        "estimator": BicNeuronClassifier(),
        "searches": ("grow",),
        "max_residues": (0.02,),
        "cut_distances": (0.5, 0.8, 1.0, 1.5),
        "neurons": (OnlinePerceptron(),),
        "anchors": ("minority",),
        "max_ratios": (0.1, 0.3, 0.5, 0.7, 0.9),
    },
}

# These replace the preset with ``local=True``. Groups of a class that differ from their contrast
# are better local pairs than coherent ones are.
LOCAL: dict[str, Any] = {
    "estimator": BicNeuronClassifier(
        miner=ContrastBiclustering(max_columns=MAX_COLUMNS, max_seeds=30),
        max_rows=256,
        local=True,
        recalibrate=True,
    ),
    "cut_distances": (1.0, 2.0),
    "neurons": (OnlinePerceptron(average=True), KernelNeuron()),
    "anchors": ("both",),
    "max_ratios": (inf,),
}


def grid_axes(
    given: Mapping[str, Any], standard: Mapping[str, Any], base: BicNeuronClassifier
) -> dict[str, list[Any]]:
    """Values of each parameter that is searched."""
    axes = {}
    for axis, name in AXES.items():
        if name not in base.get_params():
            if given[axis] is not None:
                raise ValueError(
                    f"{axis} is given, but {type(base.miner).__name__} has no {axis}; leave it out."
                )
            continue
        values = standard.get(axis, PRESETS["best"][axis]) if given[axis] is None else given[axis]
        axes[axis] = list(values)
        if not axes[axis]:
            raise ValueError(f"{axis} is empty; give at least one value or None.")
    return axes


def searches_of(axes: Mapping[str, list[Any]]) -> list[dict[str, Any]]:
    """Parameters of the miner at each combination of the axes that need a search of their own."""
    own = [axis for axis in ("searches", "max_residues") if axis in axes]
    return [
        dict(zip([AXES[axis] for axis in own], values, strict=True))
        for values in product(*(axes[axis] for axis in own))
    ]


def grid_results(axes: Mapping[str, list[Any]], values: FloatArray) -> dict[str, Any]:
    """Results as in `GridSearchCV`, from scores and shares of shape (n_splits, n_points, 3)."""
    scores, row_shares, column_shares = np.moveaxis(values, -1, 0)
    names = [AXES[axis] for axis in axes]
    params = [dict(zip(names, point, strict=True)) for point in product(*axes.values())]
    mean = scores.mean(axis=0)
    finite = np.isfinite(mean)
    spread = np.full(len(mean), np.nan)
    spread[finite] = scores[:, finite].std(axis=0)
    results: dict[str, Any] = {"params": params}
    for name in names:
        column = np.empty(len(params), dtype=object)
        column[:] = [point[name] for point in params]
        results[f"param_{name}"] = column
    for split, line in enumerate(scores):
        results[f"split{split}_test_score"] = line
    results["mean_test_score"] = mean
    results["std_test_score"] = spread
    results["rank_test_score"] = 1 + np.array([np.sum(mean > score) for score in mean])
    results["mean_row_share"] = row_shares.mean(axis=0)
    results["mean_column_share"] = column_shares.mean(axis=0)
    return results


def path_at(
    axes: Mapping[str, list[Any]], results: Mapping[str, Any], index: int
) -> dict[str, Any]:
    """Results over cuts and ratios, with the other parameters as at one point of the grid."""
    shape = tuple(len(values) for values in axes.values())
    place: list[Any] = list(np.unravel_index(index, shape))
    for axis in ("cut_distances", "max_ratios"):
        place[list(axes).index(axis)] = slice(None)
    return {
        "cut_distances": np.array(axes["cut_distances"]),
        "max_ratios": np.array(axes["max_ratios"]),
        **{
            name: results[name].reshape(shape)[tuple(place)]
            for name in ("mean_test_score", "mean_row_share", "mean_column_share")
        },
    }
