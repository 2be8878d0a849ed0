"""Export to ONNX, for programs without Python: labels, scores and probabilities."""

import json
from functools import partial, singledispatch
from typing import Any, TypeAlias

import numpy as np

from bicneuron._core._arrays import AnyArray, IndexArray
from bicneuron._core._scale_columns import FARTHEST
from bicneuron._shared._checks import takes_missing
from bicneuron._shared._scaling import LEAST_EXPLAINED, Filling, Scaling, SoftScaling
from bicneuron._shared._version import import_extra
from bicneuron.exceptions import ModelFileError
from bicneuron.neurons import GaussianNeuron, KernelNeuron, KernelPerceptron, OnlinePerceptron
from bicneuron.tables._encoder import apart

OPSET, IR_VERSION = 17, 8  # of onnxruntime>=1.14; all operations used accept doubles


class Graph:
    """Operations and constants; calling it adds an operation and returns its result."""

    def __init__(self, onnx: Any, prefix: str = "") -> None:
        self.onnx, self._prefix = onnx, prefix
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def __call__(self, operation: str, *inputs: Any, result: str = "", **attributes: Any) -> Any:
        """Add an operation; inputs that are not results become constants."""
        names = [one.name if isinstance(one, _Result) else self._constant(one) for one in inputs]
        name = result or f"{self._prefix}t{len(self._nodes)}"
        self._nodes.append(self.onnx.helper.make_node(operation, names, [name], **attributes))
        return _Result(self, name)

    def _constant(self, value: Any) -> str:
        """Add an array."""
        name = f"{self._prefix}c{len(self._constants)}"
        is_code = isinstance(value, np.ndarray) and value.dtype.kind == "u"
        array = value if is_code else _plain(value)
        self._constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def made(self, inputs: dict[str, Any], outputs: dict[str, Any]) -> Any:
        """The graph; of inputs and outputs, an element type and a shape are given."""
        value = self.onnx.helper.make_tensor_value_info
        ends = ([value(name, *of[name]) for name in of] for of in (inputs, outputs))
        return self.onnx.helper.make_graph(
            self._nodes, "bicneuron", *ends, initializer=self._constants
        )


class _Result:
    """A tensor in a graph; every operation of ONNX is a method: ``x.Mul(2.0).Add(1.0)``."""

    def __init__(self, graph: Graph, name: str) -> None:
        self.graph, self.name = graph, name

    def __getattr__(self, operation: str) -> Any:
        return partial(self.graph, operation, self)


Tensor: TypeAlias = Any  # a result, whose methods have no types
KernelNeurons: TypeAlias = list[tuple[KernelNeuron, IndexArray]]  # and their columns


def dump(model: Any, header: dict[str, Any]) -> bytes:
    """Export a model: input ``X`` of doubles, outputs ``label``, ``scores``, ``probabilities``.

    Scores and probabilities have the shape that `decision_function` and `predict_proba` give. Of a
    pipeline that begins with an encoder of tables, what comes behind it is exported.
    """
    onnx = import_extra("onnx", "ONNX export needs onnx: pip install 'bicneuron[onnx]'")
    _, model = apart(model)
    if not hasattr(model, "classes_"):
        raise ModelFileError("ONNX export needs a model that predicts classes; save it as .skops.")
    double, n_classes = onnx.TensorProto.DOUBLE, len(model.classes_)
    graph = Graph(onnx)
    scores = add_scores(model, _Result(graph, "X"))  # one column for two classes
    classes = _plain(model.classes_)
    if n_classes == 2:
        flat = scores.Reshape([-1], result="scores")
        winner = flat.Greater(0.0).Cast(to=onnx.TensorProto.INT64)
    else:
        winner = scores.Identity(result="scores").ArgMax(axis=1, keepdims=0)
    graph("Gather", classes, winner, result="label")
    outputs = {
        "label": (onnx.helper.np_dtype_to_tensor_dtype(classes.dtype), ["n_rows"]),
        "scores": (double, ["n_rows"] if n_classes == 2 else ["n_rows", n_classes]),
    }
    if hasattr(model, "predict_proba"):
        if n_classes == 2:
            chances = scores.Mul(float(model.slope_)).Sigmoid()
            chances.Neg().Add(1.0).Concat(chances, axis=1, result="probabilities")
        elif hasattr(model, "multi_class"):  # the logarithm of the sigmoid function
            log_chances = scores.Min(0.0).Sub(scores.Abs().Neg().Exp().Add(1.0).Log())
            log_chances.Softmax(axis=1, result="probabilities")
        else:
            scores.Mul(float(model.slope_)).Softmax(axis=1, result="probabilities")
        outputs["probabilities"] = (double, ["n_rows", n_classes])
    about = {"bicneuron": json.dumps(header)}
    if hasattr(model, "feature_names_in_"):
        about["feature_names"] = json.dumps(model.feature_names_in_.tolist())
    exported = onnx.helper.make_model(
        graph.made({"X": (double, ["n_rows", model.n_features_in_])}, outputs),
        opset_imports=[onnx.helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="bicneuron",
    )
    onnx.helper.set_model_props(exported, about)
    onnx.checker.check_model(exported, full_check=True)
    return bytes(exported.SerializeToString())


def _plain(value: Any) -> AnyArray:
    """An array of int64, bool, text or float64."""
    array = np.asarray(value)
    if array.dtype.kind == "O" and not all(isinstance(label, str) for label in array):
        raise ModelFileError(f"ONNX has no type for the classes {array.tolist()}.")
    wanted = {"i": np.int64, "u": np.int64, "f": np.float64, "U": object}
    return array.astype(wanted.get(array.dtype.kind, array.dtype))


def add_scaling(scaling: Scaling | SoftScaling, x: Tensor) -> Tensor:
    """Add the operations that scale columns."""
    if isinstance(scaling, SoftScaling):
        scores = add_scaling(scaling.robust, x)
        size = scores.Abs()
        root = size.Mul(size).Add(1.0).Sqrt()
        # By logarithm and root, because Asinh does not accept doubles.
        return add_scaling(scaling.standard, scores.Sign().Mul(size.Add(root).Log()))
    half = -scaling.exponent // 2  # in two steps, because 2**1074 exceeds the largest double
    shrunk = x.Mul(np.ldexp(1.0, half)).Mul(np.ldexp(1.0, -scaling.exponent - half))
    return shrunk.Sub(scaling.shift).Div(scaling.scale).Clip(-FARTHEST, FARTHEST)


@singledispatch
def add_neuron(neuron: Any, z: Tensor) -> Tensor:
    """Scores of a neuron, of shape (n_rows, n_problems)."""
    raise ModelFileError(f"ONNX export does not support {neuron!r}; save it as .skops.")


@add_neuron.register
def _(neuron: OnlinePerceptron, z: Tensor) -> Tensor:
    return z.MatMul(neuron.coef_.T).Add(neuron.intercept_)


@add_neuron.register
def _(neuron: KernelPerceptron, z: Tensor) -> Tensor:
    if neuron.kernel == "linear":
        return z.MatMul(neuron._linear()[0].T)
    points, width = neuron.support_vectors_, float(neuron.bandwidth)
    squares = z.Mul(z).MatMul(np.ones((points.shape[1], 1)))
    products = z.MatMul(-2.0 * points.T)
    distances = products.Add(squares).Add(np.square(points).sum(axis=1)).Max(0.0)
    return distances.Div(width).Div(width).Mul(-0.5).Exp().MatMul(neuron.dual_coef_.T)


@add_neuron.register
def _(neuron: KernelNeuron, z: Tensor) -> Tensor:
    alone, n_columns = [(neuron, np.arange(len(neuron.centre_)))], len(neuron.centre_)
    return _rbf_neurons(alone, z) if neuron.kernel == "rbf" else _linear(alone, z, n_columns)


def _linear(neurons: KernelNeurons, z: Tensor, n_columns: int) -> Tensor:
    """Scores of linear kernel neurons, which have different columns."""
    coefs, of_missing = np.zeros((2, n_columns, len(neurons)))
    for place, (one, columns) in enumerate(neurons):
        coefs[columns, place], of_missing[columns, place] = one.coef_, one.coef_ * one.centre_
    missing = z.IsNaN()
    intercepts = np.array([one.intercept_ for one, _ in neurons])
    scores = missing.Where(0.0, z).MatMul(coefs).Add(intercepts)
    return scores.Add(missing.Where(1.0, 0.0).MatMul(of_missing))


def _rbf_neurons(neurons: KernelNeurons, z: Tensor) -> Tensor:
    """Scores of RBF neurons, one by one in a loop over one graph, because large graphs load slowly.

    Support vectors of many neurons are parts of the same rows: each number is stored once, and its
    place, in two bytes, as often as it occurs.
    """
    onnx, loop = z.graph.onnx, Graph(z.graph.onnx, "loop_")
    double, whole = onnx.TensorProto.DOUBLE, onnx.TensorProto.INT64
    span, fact, table = (_Result(loop, name) for name in ("span", "fact", z.name))
    every = [(columns, one.support_vectors_.ravel(), one.dual_coef_) for one, columns in neurons]
    sizes = np.array([[*map(len, parts)] for parts in every])
    ends = sizes.cumsum(axis=0)
    spans = np.stack([ends - sizes, ends], axis=2).reshape(-1, 6)
    facts = np.array([(one.squared_width_, one.intercept_) for one, _ in neurons])
    all_columns, vectors, weights = map(np.concatenate, zip(*every, strict=True))
    numbers, places = np.unique(vectors, return_inverse=True)

    def own(flat: AnyArray, k: int) -> Tensor:
        return loop("Slice", flat, span.Gather([2 * k]), span.Gather([2 * k + 1]))

    columns, duals = own(all_columns, 0), own(weights, 2).Unsqueeze([1])
    own_places = own(places.astype(np.min_scalar_type(len(numbers))), 1).Cast(to=whole)
    shape = loop("Concat", [-1], columns.Shape(), axis=0)
    points = loop("Gather", numbers, own_places).Reshape(shape).Transpose()
    # The part of the distance that a row has, times the ratio of all columns to its own.
    rows = table.Gather(columns, axis=1)
    missing = rows.IsNaN()
    observed, filled = missing.Where(0.0, 1.0), missing.Where(0.0, rows)
    distances = filled.MatMul(points).Mul(-2.0).Add(filled.Mul(filled).ReduceSum([1]))
    distances = distances.Add(observed.MatMul(points.Mul(points))).Max(0.0)
    counts = observed.ReduceSum([1])
    ratios = counts.Max(1.0).Reciprocal().Mul(columns.Shape().Cast(to=double))
    near = distances.Mul(ratios).Div(fact.Gather([0]).Neg()).Exp()
    scores = near.MatMul(duals).Add(fact.Gather([1]))
    counts.Greater(0.0).Where(scores, 0.0).Reshape([-1], result="loop_scores")
    body = loop.made({"span": (whole, [6]), "fact": (double, [2])}, {"loop_scores": (double, None)})
    return z.graph("Scan", spans, facts, body=body, num_scan_inputs=2).Transpose()


@add_neuron.register
def _(neuron: GaussianNeuron, z: Tensor) -> Tensor:
    (m0, m1), (v0, v1) = neuron.means_, neuron.variances_
    first, second = (
        z.Sub(mean).Mul(z.Sub(mean)).Div(variance).Min(FARTHEST)
        for mean, variance in ((m0, v0), (m1, v1))
    )
    columns = z.IsNaN().Where(0.0, first.Sub(second).Add(np.log(v0) - np.log(v1)))
    return columns.MatMul(np.full((len(m0), 1), 1 / len(m0)))


def add_estimates(filling: Filling, z: Tensor) -> Tensor:
    """Scaled columns with estimates in the place of NaN: `Filling.apply`."""
    mean, loadings, noise = filling
    n_columns, n = loadings.shape
    if not n:
        return z
    products = np.einsum("ja,jb->jab", loadings, loadings)
    weighted = (products / noise[:, None, None]).reshape(n_columns, -1)
    missing = z.IsNaN()
    square = missing.Where(0.0, 1.0).MatMul(weighted).Reshape([-1, n, n])
    apart = missing.Where(0.0, z.Sub(mean))
    right = apart.MatMul(loadings / noise[:, None]).Reshape([-1, n, 1])
    identity = right.Mul(np.zeros((1, n))).Add(np.eye(n))
    # The equations of each row, their right side, and the identity, which becomes a covariance.
    system = square.Add(np.eye(n)).Concat(right, identity, axis=2)
    for k in range(n):
        pivot = system.Gather([k], axis=1)
        pivot = pivot.Div(pivot.Gather([k], axis=2))
        others = system.Gather([k], axis=2).Sub(np.eye(n)[:, [k]])
        system = system.Sub(others.Mul(pivot))
    factors = system.Gather(n, axis=2)
    covariance = system.Gather(np.arange(n + 1, 2 * n + 1), axis=2).Reshape([-1, n * n])
    common = np.square(loadings).sum(axis=1)
    unexplained = covariance.MatMul(products.reshape(n_columns, -1).T).Sub(common)
    enough = unexplained.Neg().GreaterOrEqual(LEAST_EXPLAINED * (noise + common))
    estimates = enough.Where(factors.MatMul(loadings.T).Add(mean), np.nan)
    return missing.Where(estimates, z)


def add_scores(model: Any, x: Tensor) -> Tensor:
    """Scores of a model or a neuron, one column for two classes, otherwise one per class."""
    name = type(model).__name__  # models stand above this package
    if name in ("BicNeuronNetwork", "PatternClassifier"):
        return _network_scores(model, x)
    if name != "BicNeuronClassifier":
        return add_neuron(model, x)
    if len(model.classes_) == 2:
        return _binary_scores(model, x)
    part, *others = (_binary_scores(part, x) for part in model.estimators_)
    scores = part.Concat(*others, axis=1)
    log_odds = scores.Mul(model._slopes).Add(model._offsets)
    if model.multi_class == "ovr":
        return log_odds
    # Votes of the pairs of classes, plus a fraction from the sums of their log odds.
    n_classes = len(model.classes_)
    first, second = (np.eye(n_classes)[side] for side in np.triu_indices(n_classes, 1))
    for_second = scores.Greater(0.0).Where(1.0, 0.0)
    votes = for_second.MatMul(second - first).Add(first.sum(axis=0))
    sums = log_odds.MatMul(second - first)
    return votes.Add(sums.Div(sums.Abs().Add(1.0).Mul(3.0)))


def _network_scores(model: Any, x: Tensor) -> Tensor:
    if model._multilabel:
        raise ModelFileError("ONNX export does not support a network with several labels per row.")
    if not model.patterns_:  # the same scores for every row
        return x.Gather([0], axis=1).IsNaN().Where(0.0, 0.0).Add(model.intercept_)
    used = model.columns_in_use_
    scaled = _scaled(model._scaling.take(used), x.Gather(used, axis=1), np.nan)
    with_missing = add_estimates(model._filling.take(used), scaled)
    filled = with_missing.IsNaN().Where(0.0, with_missing)
    kinds: dict[str, list[Any]] = {"": [], "rbf": [], "linear": []}
    for pattern in model.patterns_:
        one, columns = pattern.neuron.estimator, np.searchsorted(used, pattern.columns)
        kind = one.kernel if isinstance(one, KernelNeuron) else ""
        kinds[kind].append((pattern.neuron, one, columns))
    hidden = [
        add_neuron(one, (with_missing if takes_missing(one) else filled).Gather(columns, axis=1))
        for _, one, columns in kinds[""]
    ]
    if rbf := [own[1:] for own in kinds["rbf"]]:
        hidden.append(_rbf_neurons(rbf, with_missing))
    if linear := [own[1:] for own in kinds["linear"]]:
        hidden.append(_linear(linear, with_missing, len(used)))
    neurons = [neuron for kind in kinds.values() for neuron, *_ in kind]
    output = hidden[0].Concat(*hidden[1:], axis=1)
    output = output.Div(np.array([neuron.typical_score for neuron in neurons])).Tanh()
    weights = np.array([neuron.weight for neuron in neurons])
    return output.MatMul(weights).Add(model.intercept_)


def _binary_scores(model: Any, x: Tensor) -> Tensor:
    """Scores of a model of one neuron, of shape (n_rows, 1)."""
    scaling = model._scaling
    if model.selected_pair_ is not None:
        columns = model.selected_pair_.columns
        x, scaling = x.Gather(columns, axis=1), scaling.take(columns)
    fill = np.nan if takes_missing(model.estimator_) else model._midpoint
    return add_neuron(model.estimator_, _scaled(scaling, x, fill)).Sub(float(model.threshold_))


def _scaled(scaling: Any, x: Tensor, fill: Any) -> Tensor:
    """Scaled columns; missing values are set aside, because Clip may make a number of NaN."""
    missing = x.IsNaN()
    return missing.Where(fill, add_scaling(scaling, missing.Where(0.0, x)))
