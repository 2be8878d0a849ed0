"""Export to ONNX, for programs without Python: labels, scores and probabilities.

A new kind of scaling, neuron or model is one more registered function.
"""

import json
from functools import singledispatch
from typing import Any

import numpy as np

from bicneuron._core._arrays import AnyArray, FloatArray
from bicneuron._core._scale_columns import FARTHEST
from bicneuron._shared._checks import takes_missing
from bicneuron._shared._compat import import_extra
from bicneuron._shared._files import sealed
from bicneuron._shared._filling import LEAST_EXPLAINED, Filling
from bicneuron._shared._scaling import Scaling, SoftScaling
from bicneuron.exceptions import ModelFileError
from bicneuron.neurons import GaussianNeuron, KernelNeuron, KernelPerceptron, OnlinePerceptron
from bicneuron.persistence._archive import check_header
from bicneuron.tables._encoder import apart

HEADER = "bicneuron"
# Supported by onnxruntime>=1.14; all operations used accept doubles.
OPSET, IR_VERSION = 17, 8
# Name of a tensor in the graph.
Tensor = str


class Graph:
    """Operations and constants; calling it adds an operation and returns the name of its result."""

    def __init__(self, onnx: Any) -> None:
        self._onnx = onnx
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def __call__(self, operation: str, *inputs: Any, **attributes: Any) -> Tensor:
        """Add an operation; inputs that are not names of tensors become constants."""
        names = [value if isinstance(value, str) else self.constant(value) for value in inputs]
        result = attributes.pop("result", f"t{len(self._nodes)}")
        self._nodes.append(self._onnx.helper.make_node(operation, names, [result], **attributes))
        return str(result)

    def constant(self, value: Any) -> Tensor:
        """Add an array: int64, bool, text or otherwise float64."""
        array = np.asarray(value)
        wanted = {"i": np.int64, "u": np.int64, "f": np.float64, "U": object}
        array = array.astype(wanted.get(array.dtype.kind, array.dtype))
        name = f"c{len(self._constants)}"
        self._constants.append(self._onnx.numpy_helper.from_array(array, name))
        return name

    def model(self, features: int, outputs: dict[str, Any], properties: dict[str, str]) -> bytes:
        """The checked model; outputs are named and have an element type and a shape."""
        helper, double = self._onnx.helper, self._onnx.TensorProto.DOUBLE
        model = helper.make_model(
            helper.make_graph(
                self._nodes,
                "bicneuron",
                [helper.make_tensor_value_info("X", double, ["n_rows", features])],
                [
                    helper.make_tensor_value_info(name, kind, ["n_rows", *shape])
                    for name, (kind, *shape) in outputs.items()
                ],
                initializer=self._constants,
            ),
            opset_imports=[helper.make_opsetid("", OPSET)],
            ir_version=IR_VERSION,
            producer_name="bicneuron",
        )
        helper.set_model_props(model, properties)
        self._onnx.checker.check_model(model, full_check=True)
        content: bytes = model.SerializeToString()
        return content


def dump(model: Any, header: dict[str, Any]) -> bytes:
    """Export a model: input ``X`` of doubles, outputs ``label``, ``scores``, ``probabilities``.

    Scores and probabilities have the shape that `decision_function` and `predict_proba` give. Of a
    pipeline that begins with an encoder of tables, what comes behind it is exported.
    """
    onnx = _import_onnx()
    _, model = apart(model)
    kinds = onnx.TensorProto
    graph = Graph(onnx)
    scores = add_scores(model, graph, "X")  # of shape (n_rows, 1) or (n_rows, n_classes)
    n_classes = len(model.classes_)
    classes, label = _exportable(model.classes_, kinds)
    if n_classes == 2:
        flat = graph("Reshape", scores, [-1], result="scores")
        winner = graph("Cast", graph("Greater", flat, 0.0), to=kinds.INT64)
    else:
        winner = graph("ArgMax", scores, axis=1, keepdims=0)
        graph("Identity", scores, result="scores")
    graph("Gather", classes, winner, result="label")
    shape = [n_classes] if n_classes > 2 else []
    outputs: dict[str, Any] = {"label": [label], "scores": [kinds.DOUBLE, *shape]}
    if hasattr(model, "predict_proba"):
        _add_probabilities(model, graph, scores)
        outputs["probabilities"] = [kinds.DOUBLE, n_classes]
    properties = {HEADER: json.dumps(sealed(header))}
    if hasattr(model, "feature_names_in_"):
        properties["feature_names"] = json.dumps(model.feature_names_in_.tolist())
    return graph.model(model.n_features_in_, outputs, properties)


def _exportable(classes: AnyArray, kinds: Any) -> tuple[AnyArray, int]:
    """The classes, and their element type in a graph."""
    is_text = classes.dtype.kind == "O" and all(isinstance(label, str) for label in classes)
    types = {"b": kinds.BOOL, "i": kinds.INT64, "u": kinds.INT64, "f": kinds.DOUBLE}
    if is_text or classes.dtype.kind == "U":
        return classes, kinds.STRING
    if classes.dtype.kind not in types:
        raise ModelFileError(f"ONNX has no type for the classes {classes.tolist()}.")
    return classes, types[classes.dtype.kind]


def load_header(content: bytes) -> dict[str, Any]:
    """Read the header of a file."""
    model = _import_onnx().load_model_from_string(content)
    properties = {entry.key: entry.value for entry in model.metadata_props}
    return check_header(json.loads(properties.get(HEADER, "null")))


def load(content: bytes) -> tuple[dict[str, Any], Any]:
    """Refuse to load an export."""
    raise ModelFileError("is an export; run it with onnxruntime, and keep a .skops file to load.")


def _import_onnx() -> Any:
    return import_extra("onnx", "ONNX export needs onnx: pip install 'bicneuron[onnx]'")


@singledispatch
def add_scaling(scaling: Any, graph: Graph, x: Tensor) -> Tensor:
    """Add the operations that scale columns."""
    raise ModelFileError(f"ONNX export does not support the scaling {type(scaling).__name__}.")


@add_scaling.register
def _(scaling: Scaling, graph: Graph, x: Tensor) -> Tensor:
    # In two steps, because 2**1074 exceeds the largest double.
    half = -scaling.exponent // 2
    halfway = graph("Mul", x, np.ldexp(1.0, half))
    shrunk = graph("Mul", halfway, np.ldexp(1.0, -scaling.exponent - half))
    z = graph("Div", graph("Sub", shrunk, scaling.shift), scaling.scale)
    return graph("Clip", z, -FARTHEST, FARTHEST)


@add_scaling.register
def _(scaling: SoftScaling, graph: Graph, x: Tensor) -> Tensor:
    # By logarithm and root, because Asinh does not accept doubles.
    scores = add_scaling(scaling.robust, graph, x)
    size = graph("Abs", scores)
    root = graph("Sqrt", graph("Add", graph("Mul", size, size), 1.0))
    soft = graph("Mul", graph("Sign", scores), graph("Log", graph("Add", size, root)))
    return add_scaling(scaling.standard, graph, soft)


@singledispatch
def add_neuron(neuron: Any, graph: Graph, z: Tensor) -> Tensor:
    """Scores of a neuron, of shape (n_rows, n_problems)."""
    raise ModelFileError(f"ONNX export does not support {neuron!r}; save it as .skops.")


@add_neuron.register
def _(neuron: OnlinePerceptron, graph: Graph, z: Tensor) -> Tensor:
    return graph("Add", graph("MatMul", z, neuron.coef_.T), neuron.intercept_)


@add_neuron.register
def _(neuron: KernelPerceptron, graph: Graph, z: Tensor) -> Tensor:
    if neuron.kernel == "linear":
        return graph("MatMul", z, neuron._weights().T)
    width = float(neuron.bandwidth)
    points = neuron.support_vectors_
    squares = _squared_distances(graph, z, points, np.square(points).sum(axis=1))
    distances = graph("Div", graph("Div", squares, width), width)
    near = graph("Exp", graph("Mul", distances, -0.5))
    return graph("MatMul", near, neuron.dual_coef_.T)


@add_neuron.register
def _(neuron: KernelNeuron, graph: Graph, z: Tensor) -> Tensor:
    missing = graph("IsNaN", z)
    if neuron.kernel == "linear":
        complete = graph("Where", missing, neuron.centre_, z)
        scores = graph("MatMul", complete, neuron.coef_[:, None])
        return graph("Add", scores, neuron.intercept_)
    # The part of the distance that a row has, times the ratio of all columns to its own.
    points = neuron.support_vectors_
    observed = graph("Where", missing, 0.0, 1.0)
    squares = graph("MatMul", observed, np.square(points).T)
    distances = _squared_distances(graph, graph("Where", missing, 0.0, z), points, squares)
    counts = graph("MatMul", observed, np.ones((points.shape[1], 1)))
    ratios = graph("Div", float(points.shape[1]), graph("Max", counts, 1.0))
    powers = graph("Div", graph("Mul", distances, ratios), -neuron.squared_width_)
    scores = graph("MatMul", graph("Exp", powers), neuron.dual_coef_[:, None])
    scores = graph("Add", scores, neuron.intercept_)
    return graph("Where", graph("Greater", counts, 0.0), scores, 0.0)


@add_neuron.register
def _(neuron: GaussianNeuron, graph: Graph, z: Tensor) -> Tensor:
    (m0, m1), (v0, v1) = neuron.means_, neuron.variances_
    to_each = [graph("Sub", z, mean) for mean in (m0, m1)]
    first, second = (
        graph("Min", graph("Div", graph("Mul", apart, apart), variance), FARTHEST)
        for apart, variance in zip(to_each, (v0, v1), strict=True)
    )
    columns = graph("Add", graph("Sub", first, second), np.log(v0) - np.log(v1))
    columns = graph("Where", graph("IsNaN", z), 0.0, columns)
    return graph("MatMul", columns, np.full((len(m0), 1), 1 / len(m0)))


def add_estimates(filling: Filling, graph: Graph, z: Tensor) -> Tensor:
    """Scaled columns with estimates in the place of NaN: `Filling.apply`."""
    mean, loadings, noise = filling
    n_columns, n = loadings.shape
    if not n:
        return z
    products = np.einsum("ja,jb->jab", loadings, loadings)
    missing = graph("IsNaN", z)
    observed = graph("Where", missing, 0.0, 1.0)
    apart = graph("Where", missing, 0.0, graph("Sub", z, mean))
    weighted = (products / noise[:, None, None]).reshape(n_columns, -1)
    square = graph("Reshape", graph("MatMul", observed, weighted), [-1, n, n])
    right = graph("MatMul", apart, loadings / noise[:, None])
    right = graph("Reshape", right, [-1, n, 1])
    zeros = graph("Mul", right, np.zeros((1, n)))
    # The equations of each row, their right side, and the identity, which becomes a covariance.
    system = graph(
        "Concat", graph("Add", square, np.eye(n)), right, graph("Add", zeros, np.eye(n)), axis=2
    )
    for k in range(n):
        pivot = graph("Gather", system, [k], axis=1)
        pivot = graph("Div", pivot, graph("Gather", pivot, [k], axis=2))
        column = graph("Gather", system, [k], axis=2)
        others = graph("Sub", column, np.eye(n)[:, [k]])
        system = graph("Sub", system, graph("Mul", others, pivot))
    factors = graph("Gather", system, n, axis=2)
    covariance = graph("Gather", system, np.arange(n + 1, 2 * n + 1), axis=2)
    covariance = graph("Reshape", covariance, [-1, n * n])
    common = np.square(loadings).sum(axis=1)
    unknown = graph("MatMul", covariance, products.reshape(n_columns, -1).T)
    explained = graph("Sub", common, unknown)
    enough = graph("GreaterOrEqual", explained, LEAST_EXPLAINED * (noise + common))
    values = graph("Add", graph("MatMul", factors, loadings.T), mean)
    estimates = graph("Where", enough, values, np.nan)
    return graph("Where", missing, estimates, z)


def _squared_distances(
    graph: Graph, z: Tensor, points: FloatArray, squares: FloatArray | Tensor
) -> Tensor:
    """Between all rows and points, with memory for one number per pair.

    ``squares`` are those of the points, over the columns that count.
    """
    sizes = graph("MatMul", graph("Mul", z, z), np.ones((points.shape[1], 1)))
    products = graph("MatMul", z, -2.0 * points.T)
    distances = graph("Add", graph("Add", products, sizes), squares)
    return graph("Max", distances, 0.0)


def add_scores(model: Any, graph: Graph, x: Tensor) -> Tensor:
    """Scores of a model or a neuron, one column for two classes, otherwise one per class."""
    return _SCORES.get(type(model).__name__, add_neuron)(model, graph, x)


def _classifier_scores(model: Any, graph: Graph, x: Tensor) -> Tensor:
    if len(model.classes_) == 2:
        return _binary_scores(model, graph, x)
    parts = [_binary_scores(part, graph, x) for part in model.estimators_]
    scores = graph("Concat", *parts, axis=1)
    log_odds = graph("Add", graph("Mul", scores, model._slopes), model._offsets)
    if model.multi_class == "ovr":
        return log_odds
    return _votes(graph, scores, log_odds, len(model.classes_))


def _network_scores(model: Any, graph: Graph, x: Tensor) -> Tensor:
    if model._multilabel:
        raise ModelFileError("ONNX export does not support a network with several labels per row.")
    if not model.patterns_:  # the same scores for every row
        missing = graph("IsNaN", graph("Gather", x, np.array([0]), axis=1))
        return graph("Add", graph("Where", missing, 0.0, 0.0), model.intercept_)
    used = model.columns_in_use_
    x = graph("Gather", x, used, axis=1)
    scaled = _scaled(model._scaling.take(used), graph, x, np.nan)
    with_missing = add_estimates(model._filling.take(used), graph, scaled)
    filled = graph("Where", graph("IsNaN", with_missing), 0.0, with_missing)
    tables = {True: with_missing, False: filled}
    neurons = [pattern.neuron for pattern in model.patterns_]
    hidden = []
    for pattern, neuron in zip(model.patterns_, neurons, strict=True):
        z, places = tables[takes_missing(neuron.estimator)], np.searchsorted(used, pattern.columns)
        hidden.append(add_neuron(neuron.estimator, graph, graph("Gather", z, places, axis=1)))
    scales = np.array([neuron.typical_score for neuron in neurons])
    weights = np.array([neuron.weight for neuron in neurons])
    output = graph("Tanh", graph("Div", graph("Concat", *hidden, axis=1), scales))
    return graph("Add", graph("MatMul", output, weights), model.intercept_)


def _scaled(scaling: Any, graph: Graph, x: Tensor, fill: Any) -> Tensor:
    """Scaled columns; missing values are set aside, because Clip may make a number of NaN."""
    missing = graph("IsNaN", x)
    z = add_scaling(scaling, graph, graph("Where", missing, 0.0, x))
    return graph("Where", missing, fill, z)


def _binary_scores(model: Any, graph: Graph, x: Tensor) -> Tensor:
    """Scores of a model of one neuron, of shape (n_rows, 1)."""
    scaling = model._scaling
    if model.selected_pair_ is not None:
        columns = model.selected_pair_.columns
        x, scaling = graph("Gather", x, columns, axis=1), scaling.take(columns)
    fill = np.nan if takes_missing(model.estimator_) else model._midpoint
    scores = add_neuron(model.estimator_, graph, _scaled(scaling, graph, x, fill))
    return graph("Sub", scores, float(model.threshold_))


def _votes(graph: Graph, scores: Tensor, log_odds: Tensor, n_classes: int) -> Tensor:
    """Votes of the pairs of classes, plus a fraction from the sums of their log-odds."""
    first, second = (np.eye(n_classes)[side] for side in np.triu_indices(n_classes, 1))
    positive = graph("Greater", scores, 0.0)
    for_second = graph("Where", positive, 1.0, 0.0)
    for_first = graph("Sub", 1.0, for_second)
    votes = graph("Add", graph("MatMul", for_first, first), graph("MatMul", for_second, second))
    sums = graph("MatMul", log_odds, second - first)
    size = graph("Mul", graph("Add", graph("Abs", sums), 1.0), 3.0)
    return graph("Add", votes, graph("Div", sums, size))


def _add_probabilities(model: Any, graph: Graph, scores: Tensor) -> None:
    if len(model.classes_) > 2:
        if hasattr(model, "multi_class"):  # log(sigmoid(scores))
            small = graph("Exp", graph("Neg", graph("Abs", scores)))
            excess = graph("Log", graph("Add", small, 1.0))
            log_chances = graph("Sub", graph("Min", scores, 0.0), excess)
        else:
            log_chances = graph("Mul", scores, float(model.slope_))
        graph("Softmax", log_chances, axis=1, result="probabilities")
        return
    chances = graph("Sigmoid", graph("Mul", scores, float(model.slope_)))
    graph("Concat", graph("Sub", 1.0, chances), chances, axis=1, result="probabilities")


# By name: models stand above this package.
_SCORES = {
    "BicNeuronClassifier": _classifier_scores,
    "BicNeuronNetwork": _network_scores,
    "PatternClassifier": _network_scores,
}
