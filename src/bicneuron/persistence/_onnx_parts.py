"""Scalings and neurons as ONNX operations.

A new kind of neuron or scaling is one more registered function.
"""

from functools import singledispatch
from typing import Any

import numpy as np

from bicneuron._core._arrays import FloatArray
from bicneuron._core._scale_columns import FARTHEST
from bicneuron._estimators._filling import LEAST_EXPLAINED, Filling
from bicneuron._estimators._scaling import Scaling
from bicneuron._estimators._soft_scaling import SoftScaling
from bicneuron.exceptions import ModelFileError
from bicneuron.neurons import GaussianNeuron, KernelNeuron, KernelPerceptron, OnlinePerceptron
from bicneuron.persistence._onnx_graph import Graph, Tensor


@singledispatch
def add_scaling(scaling: Any, graph: Graph, x: Tensor) -> Tensor:
    """Scaled columns."""
    raise ModelFileError(f"ONNX export does not support the scaling {type(scaling).__name__}.")


@add_scaling.register
def _(scaling: Scaling, graph: Graph, x: Tensor) -> Tensor:
    # In two steps, because 2**1074 exceeds the largest double.
    half = -scaling.exponent // 2
    halfway = graph("Mul", x, np.ldexp(1.0, half))
    shrunk = graph("Mul", halfway, np.ldexp(1.0, -scaling.exponent - half))
    z = graph("Div", graph("Sub", shrunk, scaling.shift), scaling.scale)
    return graph("Clip", z, np.array(-FARTHEST), np.array(FARTHEST))


@add_scaling.register
def _(scaling: SoftScaling, graph: Graph, x: Tensor) -> Tensor:
    # By logarithm and root, because Asinh does not accept doubles.
    scores = add_scaling(scaling.robust, graph, x)
    size = graph("Abs", scores)
    root = graph("Sqrt", graph("Add", graph("Mul", size, size), np.array(1.0)))
    soft = graph("Mul", graph("Sign", scores), graph("Log", graph("Add", size, root)))
    return add_scaling(scaling.standard, graph, soft)


@singledispatch
def add_neuron(neuron: Any, graph: Graph, z: Tensor) -> Tensor:
    """Scores of a neuron, of shape (n_rows, n_problems)."""
    raise ModelFileError(f"ONNX export does not support the neuron {neuron!r}; save it as .skops.")


@add_neuron.register
def _(neuron: OnlinePerceptron, graph: Graph, z: Tensor) -> Tensor:
    return graph("Add", graph("MatMul", z, neuron.coef_.T), neuron.intercept_)


@add_neuron.register
def _(neuron: KernelPerceptron, graph: Graph, z: Tensor) -> Tensor:
    if neuron.kernel == "linear":
        return graph("MatMul", z, neuron._weights().T)
    if neuron.kernel != "rbf":
        raise ModelFileError(f"ONNX export does not support the kernel of {neuron!r}.")
    width = np.array(float(neuron.bandwidth))
    points = neuron.support_vectors_
    squares = _squared_distances(graph, z, points, np.square(points).sum(axis=1))
    distances = graph("Div", graph("Div", squares, width), width)
    near = graph("Exp", graph("Mul", distances, np.array(-0.5)))
    return graph("MatMul", near, neuron.dual_coef_.T)


@add_neuron.register
def _(neuron: KernelNeuron, graph: Graph, z: Tensor) -> Tensor:
    missing = graph("IsNaN", z)
    if neuron.kernel == "linear":
        complete = graph("Where", missing, neuron.centre_, z)
        scores = graph("MatMul", complete, neuron.coef_[:, None])
        return graph("Add", scores, np.array(neuron.intercept_))
    # The part of the distance that a row has, times the ratio of all columns to its own.
    points = neuron.support_vectors_
    observed = graph("Where", missing, np.array(0.0), np.array(1.0))
    squares = graph("MatMul", observed, np.square(points).T)
    distances = _squared_distances(graph, add_filled(graph, z), points, squares)
    counts = graph("MatMul", observed, np.ones((points.shape[1], 1)))
    ratios = graph("Div", np.array(float(points.shape[1])), graph("Max", counts, np.array(1.0)))
    powers = graph("Div", graph("Mul", distances, ratios), np.array(-neuron.squared_width_))
    scores = graph("MatMul", graph("Exp", powers), neuron.dual_coef_[:, None])
    scores = graph("Add", scores, np.array(neuron.intercept_))
    return graph("Where", graph("Greater", counts, np.array(0.0)), scores, np.array(0.0))


@add_neuron.register
def _(neuron: GaussianNeuron, graph: Graph, z: Tensor) -> Tensor:
    (m0, m1), (v0, v1) = neuron.means_, neuron.variances_
    to_each = [graph("Sub", z, mean) for mean in (m0, m1)]
    first, second = (
        graph("Min", graph("Div", graph("Mul", apart, apart), variance), np.array(FARTHEST))
        for apart, variance in zip(to_each, (v0, v1), strict=True)
    )
    columns = graph("Add", graph("Sub", first, second), np.log(v0) - np.log(v1))
    columns = graph("Where", graph("IsNaN", z), np.array(0.0), columns)
    return graph("MatMul", columns, np.full((len(m0), 1), 1 / len(m0)))


def add_estimates(filling: Filling, graph: Graph, z: Tensor) -> Tensor:
    """Scaled columns with estimates in the place of NaN: `Filling.apply`."""
    mean, loadings, noise = filling
    n_columns, n = loadings.shape
    if not n:
        return z
    products = np.einsum("ja,jb->jab", loadings, loadings)
    missing = graph("IsNaN", z)
    observed = graph("Where", missing, np.array(0.0), np.array(1.0))
    apart = graph("Where", missing, np.array(0.0), graph("Sub", z, mean))
    weighted = (products / noise[:, None, None]).reshape(n_columns, -1)
    square = graph("Reshape", graph("MatMul", observed, weighted), np.array([-1, n, n]))
    right = graph("MatMul", apart, loadings / noise[:, None])
    right = graph("Reshape", right, np.array([-1, n, 1]))
    zeros = graph("Mul", right, np.zeros((1, n)))
    # The equations of each row, their right side, and the identity, which becomes a covariance.
    system = graph(
        "Concat", graph("Add", square, np.eye(n)), right, graph("Add", zeros, np.eye(n)), axis=2
    )
    for k in range(n):
        pivot = graph("Gather", system, np.array([k]), axis=1)
        pivot = graph("Div", pivot, graph("Gather", pivot, np.array([k]), axis=2))
        column = graph("Gather", system, np.array([k]), axis=2)
        others = graph("Sub", column, np.eye(n)[:, [k]])
        system = graph("Sub", system, graph("Mul", others, pivot))
    factors = graph("Gather", system, np.array(n), axis=2)
    covariance = graph("Gather", system, np.arange(n + 1, 2 * n + 1), axis=2)
    covariance = graph("Reshape", covariance, np.array([-1, n * n]))
    common = np.square(loadings).sum(axis=1)
    unknown = graph("MatMul", covariance, products.reshape(n_columns, -1).T)
    told = graph("Sub", common, unknown)
    enough = graph("GreaterOrEqual", told, LEAST_EXPLAINED * (noise + common))
    values = graph("Add", graph("MatMul", factors, loadings.T), mean)
    estimates = graph("Where", enough, values, np.array(np.nan))
    return graph("Where", missing, estimates, z)


def add_filled(graph: Graph, z: Tensor) -> Tensor:
    """Scaled columns with 0, their mean, in the place of missing values."""
    return graph("Where", graph("IsNaN", z), np.array(0.0), z)


def _squared_distances(
    graph: Graph, z: Tensor, points: FloatArray, squares: FloatArray | Tensor
) -> Tensor:
    """Between all rows and points, with memory for one number per pair.

    ``squares`` are those of the points, over the columns that count.
    """
    sizes = graph("MatMul", graph("Mul", z, z), np.ones((points.shape[1], 1)))
    products = graph("MatMul", z, -2.0 * points.T)
    distances = graph("Add", graph("Add", products, sizes), squares)
    return graph("Max", distances, np.array(0.0))
