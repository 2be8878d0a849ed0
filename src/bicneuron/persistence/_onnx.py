"""Export to ONNX, for programs without Python: labels, scores and probabilities."""

import json
from functools import singledispatch
from typing import Any

import numpy as np

from bicneuron._core._arrays import AnyArray
from bicneuron._estimators._checks import takes_missing
from bicneuron._writing._seal import sealed
from bicneuron.classifier import BicNeuronClassifier, BicNeuronClassifierCV
from bicneuron.exceptions import ModelFileError
from bicneuron.network import BicNeuronNetwork
from bicneuron.network._hidden import columns_in_use
from bicneuron.neurons import GaussianNeuron, KernelNeuron, KernelPerceptron, OnlinePerceptron
from bicneuron.persistence._header import check_header, check_whole
from bicneuron.persistence._onnx_graph import Graph, Tensor
from bicneuron.persistence._onnx_parts import add_estimates, add_filled, add_neuron, add_scaling

HEADER = "bicneuron"


def dump(model: Any, header: dict[str, Any]) -> bytes:
    """Content of a file: input ``X`` of doubles, outputs ``label``, ``scores``, ``probabilities``.

    Scores and probabilities have the shape that `decision_function` and `predict_proba` give.
    """
    onnx = _import_onnx()
    double = onnx.TensorProto.DOUBLE
    graph = Graph(onnx)
    scores = add_scores(model, graph, "X")  # of shape (n_rows, 1) or (n_rows, n_classes)
    classes = graph.constant(_exportable(model.classes_))
    n_classes = len(model.classes_)
    outputs: list[Any] = [("label", graph.type_of(classes), ["n_rows"])]
    if n_classes == 2:
        flat = graph("Reshape", scores, np.array([-1]))
        positive = graph("Greater", flat, np.array(0.0))
        winner = graph("Cast", positive, to=onnx.TensorProto.INT64)
        graph.name(flat, "scores")
        outputs.append(("scores", double, ["n_rows"]))
    else:
        winner = graph("ArgMax", scores, axis=1, keepdims=0)
        graph.name(scores, "scores")
        outputs.append(("scores", double, ["n_rows", n_classes]))
    graph.name(graph("Gather", classes, winner), "label")
    if hasattr(model, "predict_proba"):
        graph.name(_probabilities(model, graph, scores), "probabilities")
        outputs.append(("probabilities", double, ["n_rows", n_classes]))
    properties = {HEADER: json.dumps(sealed(header))}
    if hasattr(model, "feature_names_in_"):
        properties["feature_names"] = json.dumps(model.feature_names_in_.tolist())
    return graph.model([("X", double, ["n_rows", model.n_features_in_])], outputs, properties)


def load_header(content: bytes) -> dict[str, Any]:
    """Read the header of a file."""
    model = _import_onnx().load_model_from_string(content)
    properties = {entry.key: entry.value for entry in model.metadata_props}
    read = json.loads(properties.get(HEADER, "null"))
    header = check_header(read)
    check_whole(read)
    return header


def load(content: bytes) -> tuple[dict[str, Any], Any]:
    """Refuse: an export cannot be loaded."""
    raise ModelFileError("is an export; run it with onnxruntime, and keep a .skops file to load.")


@singledispatch
def add_scores(model: Any, graph: Graph, x: Tensor) -> Tensor:
    """Scores of a model, one column for two classes, otherwise one per class."""
    raise ModelFileError(f"ONNX export does not support {type(model).__name__}; save it as .skops.")


for kind in (OnlinePerceptron, KernelPerceptron, KernelNeuron, GaussianNeuron):
    add_scores.register(kind, add_neuron)


@add_scores.register(BicNeuronClassifier)
@add_scores.register(BicNeuronClassifierCV)
def _(model: Any, graph: Graph, x: Tensor) -> Tensor:
    if len(model.classes_) == 2:
        return _binary_scores(model, graph, x)
    parts = [_binary_scores(part, graph, x) for part in model.estimators_]
    scores = graph("Concat", *parts, axis=1)
    log_odds = graph("Add", graph("Mul", scores, model._slopes), model._offsets)
    if model.multi_class == "ovr":
        return log_odds
    return _votes(graph, scores, log_odds, len(model.classes_))


@add_scores.register
def _(model: BicNeuronNetwork, graph: Graph, x: Tensor) -> Tensor:
    if model._multilabel:
        raise ModelFileError("ONNX export does not support a network with several labels per row.")
    used = columns_in_use(model.patterns_)
    x = graph("Gather", x, used, axis=1)
    # Around the scaling, because Clip may make a number of NaN.
    missing = graph("IsNaN", x)
    z = add_scaling(model._scaling.take(used), graph, graph("Where", missing, np.array(0.0), x))
    with_missing = graph("Where", missing, np.array(np.nan), z)
    with_missing = add_estimates(model._filling.take(used), graph, with_missing)
    tables = {True: with_missing, False: add_filled(graph, with_missing)}
    hidden = [
        add_neuron(
            pattern.neuron,
            graph,
            graph(
                "Gather",
                tables[takes_missing(pattern.neuron)],
                np.searchsorted(used, pattern.pair.columns),
                axis=1,
            ),
        )
        for pattern in model.patterns_
    ]
    scales = np.array([pattern.typical_score for pattern in model.patterns_])
    weights = np.array([pattern.weight for pattern in model.patterns_])
    output = graph("Tanh", graph("Div", graph("Concat", *hidden, axis=1), scales))
    return graph("Add", graph("MatMul", output, weights), model.intercept_)


def _binary_scores(model: Any, graph: Graph, x: Tensor) -> Tensor:
    """Scores of a model of one neuron, of shape (n_rows, 1)."""
    if isinstance(model, BicNeuronClassifierCV):
        model = model.best_estimator_
    scaling = model._scaling
    if model.selected_pair_ is not None:
        columns = model.selected_pair_.columns
        x, scaling = graph("Gather", x, columns, axis=1), scaling.take(columns)
    # Around the scaling, because Clip may make a number of NaN.
    missing = graph("IsNaN", x)
    z = add_scaling(scaling, graph, graph("Where", missing, np.array(0.0), x))
    fill = np.array(np.nan) if takes_missing(model.estimator_) else model._midpoint
    scores = add_neuron(model.estimator_, graph, graph("Where", missing, fill, z))
    return graph("Sub", scores, np.array(float(model.threshold_)))


def _votes(graph: Graph, scores: Tensor, log_odds: Tensor, n_classes: int) -> Tensor:
    """Votes of the pairs of classes, plus a fraction from the sums of their log-odds."""
    first, second = (np.eye(n_classes)[side] for side in np.triu_indices(n_classes, 1))
    positive = graph("Greater", scores, np.array(0.0))
    for_second = graph("Where", positive, np.array(1.0), np.array(0.0))
    for_first = graph("Sub", np.array(1.0), for_second)
    votes = graph("Add", graph("MatMul", for_first, first), graph("MatMul", for_second, second))
    sums = graph("MatMul", log_odds, second - first)
    size = graph("Mul", graph("Add", graph("Abs", sums), np.array(1.0)), np.array(3.0))
    return graph("Add", votes, graph("Div", sums, size))


def _probabilities(model: Any, graph: Graph, scores: Tensor) -> Tensor:
    if len(model.classes_) > 2 and not isinstance(model, BicNeuronNetwork):
        small = graph("Exp", graph("Neg", graph("Abs", scores)))
        excess = graph("Log", graph("Add", small, np.array(1.0)))
        log_chances = graph("Sub", graph("Min", scores, np.array(0.0)), excess)
        return graph("Softmax", log_chances, axis=1)
    log_odds = graph("Mul", scores, np.array(float(model.slope_)))
    if len(model.classes_) > 2:
        return graph("Softmax", log_odds, axis=1)
    chances = graph("Sigmoid", log_odds)
    return graph("Concat", graph("Sub", np.array(1.0), chances), chances, axis=1)


def _exportable(classes: AnyArray) -> AnyArray:
    is_text = classes.dtype.kind == "O" and all(isinstance(label, str) for label in classes)
    if classes.dtype.kind not in "biufU" and not is_text:
        raise ModelFileError(f"ONNX has no type for the classes {classes.tolist()}.")
    return classes


def _import_onnx() -> Any:
    try:
        import onnx
    except ImportError as error:
        raise ImportError("ONNX export needs onnx: pip install 'bicneuron[onnx]'") from error
    return onnx
