"""Plain JSON for a classifier of one neuron and two classes."""

import json
from functools import cache
from importlib.resources import files
from math import isfinite
from typing import Any

import numpy as np

from bicneuron._estimators._scaling import Scaling
from bicneuron._writing._seal import sealed
from bicneuron.classifier import BicNeuronClassifier, BicNeuronClassifierCV
from bicneuron.contrast import ContrastivePair
from bicneuron.exceptions import ModelFileError
from bicneuron.neurons import KernelPerceptron, OnlinePerceptron
from bicneuron.persistence._header import check_header, check_whole
from bicneuron.persistence._sound import check_sound

# Longest part of a message that may come from a file.
MAX_REASON = 200


def dump(model: Any, header: dict[str, Any]) -> str:
    """Content of a file."""
    names = getattr(model, "feature_names_in_", None)
    if isinstance(model, BicNeuronClassifierCV) and len(model.classes_) == 2:
        model = model.best_estimator_
    if not isinstance(model, BicNeuronClassifier) or len(model.classes_) > 2:
        raise ModelFileError(
            "a .json file holds a BicNeuronClassifier of two classes, but the model is a "
            f"{header['class']} of {len(getattr(model, 'classes_', ()))}; save it as .skops."
        )
    pair = model.selected_pair_
    columns = np.arange(model.n_features_in_) if pair is None else pair.columns
    scaling = model._scaling.take(columns)
    parts = {
        "classes": {"dtype": model.classes_.dtype.str, "values": model.classes_.tolist()},
        "n_features": model.n_features_in_,
        "feature_names": None if names is None else names.tolist(),
        "columns": columns.tolist(),
        "scaling": {name: part.tolist() for name, part in scaling._asdict().items()},
        "centroids": model.centroids_.tolist(),
        "neuron": _neuron_parts(model.estimator_),
        "threshold": float(model.threshold_),
        "slope": float(model.slope_),
        "pair": None if pair is None else _pair_parts(pair),
    }
    content = sealed({**header, "model": parts})
    try:
        text = json.dumps(content, indent=1, allow_nan=False)
    except ValueError as error:
        raise ModelFileError("the model holds NaN or infinity; save it as .skops.") from error
    _check(content)
    return text


def load_header(content: bytes) -> dict[str, Any]:
    """Read the header of a file."""
    read = _parse(content)
    header = check_header(read)
    check_whole(read)
    return header


def load(content: bytes) -> tuple[dict[str, Any], BicNeuronClassifier]:
    """Header, and a classifier that predicts and explains but does not know how it was fitted."""
    read = _parse(content)
    header = check_header(read)
    _check(read)
    check_whole(read)
    parts = read["model"]
    columns = np.array(parts["columns"], dtype=np.intp)
    model = BicNeuronClassifier()
    model.classes_ = _classes(**parts["classes"])
    model.n_features_in_ = int(parts["n_features"])
    if parts["feature_names"] is not None:
        model.feature_names_in_ = np.array(parts["feature_names"], dtype=object)
    model._scaling = _widened(parts["scaling"], columns, model.n_features_in_)
    model.centroids_ = np.array(parts["centroids"], dtype=np.float64)
    model.estimator_ = _neuron(parts["neuron"], len(columns))
    model.estimator_.classes_ = model.classes_
    model.estimator_.n_features_in_ = len(columns)
    model.threshold_ = float(parts["threshold"])
    model.slope_ = float(parts["slope"])
    model.selected_pair_ = _pair(parts["pair"], columns) if parts["pair"] else None
    check_sound(model)
    return header, model


def _parse(content: bytes) -> Any:
    """Parse JSON whose numbers are all finite."""
    return json.loads(content, parse_float=_finite, parse_constant=_finite)


def _finite(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise ModelFileError(f"is damaged: {text[:MAX_REASON]} is not a finite number.")
    return value


def _check(content: Any) -> None:
    """Refuse what breaks the schema, and lengths and values that do not fit together."""
    _check_schema(content)
    parts = content["model"]
    columns, n_features, names = parts["columns"], parts["n_features"], parts["feature_names"]
    neuron = parts["neuron"]
    fits = (
        columns == sorted(set(columns))
        and columns[-1] < n_features
        and (names is None or len(names) == n_features)
        and (parts["pair"] is not None or len(columns) == n_features)
        and all(len(part) == len(columns) for part in parts["scaling"].values())
        and all(len(centroid) == len(columns) for centroid in parts["centroids"])
        and len(neuron["weights"]) == len(neuron.get("support_vectors", columns))
        and all(len(vector) == len(columns) for vector in neuron.get("support_vectors", ()))
    )
    if not fits:
        raise ModelFileError("is damaged: the lengths of its lists do not fit together.")


def _check_schema(content: Any) -> None:
    fastjsonschema = _import_fastjsonschema()
    try:
        _validator(fastjsonschema)(content)
    except fastjsonschema.JsonSchemaValueException as error:
        # Its first word is "data", followed by the place in the file.
        reason = " ".join(str(error).split()).replace("data", "the file", 1)
        if len(reason) > MAX_REASON:
            reason = f"{reason[:MAX_REASON]}..."
        raise ModelFileError(f"does not follow its schema: {reason}.") from None


@cache
def _validator(fastjsonschema: Any) -> Any:
    text = files("bicneuron.persistence").joinpath("single_neuron.schema.json").read_text("utf-8")
    return fastjsonschema.compile(json.loads(text), use_default=False)


def _import_fastjsonschema() -> Any:
    try:
        import fastjsonschema
    except ImportError as error:
        raise ImportError(
            "JSON model files need fastjsonschema: pip install 'bicneuron[safe]'"
        ) from error
    return fastjsonschema


def _neuron_parts(neuron: Any) -> dict[str, Any]:
    if isinstance(neuron, OnlinePerceptron):
        return {
            "kind": "linear",
            "weights": neuron.coef_[0].tolist(),
            "intercept": float(neuron.intercept_[0]),
        }
    if isinstance(neuron, KernelPerceptron) and neuron.kernel == "linear":
        return {"kind": "linear", "weights": neuron._weights()[0].tolist(), "intercept": 0.0}
    if isinstance(neuron, KernelPerceptron) and neuron.kernel == "rbf":
        return {
            "kind": "rbf",
            "weights": neuron.dual_coef_[0].tolist(),
            "support_vectors": neuron.support_vectors_.tolist(),
            "bandwidth": float(neuron.bandwidth),
        }
    raise ModelFileError(
        "a .json file holds an OnlinePerceptron or a KernelPerceptron with an rbf or linear "
        f"kernel, but the neuron is {neuron!r}; save the model as .skops."
    )


def _neuron(parts: dict[str, Any], n_columns: int) -> OnlinePerceptron | KernelPerceptron:
    weights = np.array([parts["weights"]], dtype=np.float64)
    if parts["kind"] == "linear":
        linear = OnlinePerceptron()
        linear.coef_, linear.intercept_ = weights, np.array([parts["intercept"]], dtype=np.float64)
        return linear
    rbf = KernelPerceptron(bandwidth=float(parts["bandwidth"]))
    rbf.dual_coef_ = weights
    rbf.support_vectors_ = np.array(parts["support_vectors"], dtype=np.float64)
    rbf.support_vectors_ = rbf.support_vectors_.reshape(-1, n_columns)
    return rbf


def _pair_parts(pair: ContrastivePair) -> dict[str, Any]:
    return {
        "anchor_class": pair.anchor_class,
        "anchor_rows": pair.anchor_rows.tolist(),
        "contrast_rows": pair.contrast_rows.tolist(),
        "msr_ratio": _number_or_name(pair.msr_ratio),
        "criterion": _number_or_name(pair.criterion),
    }


def _pair(parts: dict[str, Any], columns: Any) -> ContrastivePair:
    return ContrastivePair(
        anchor_class=parts["anchor_class"],
        anchor_rows=np.array(parts["anchor_rows"], dtype=np.intp),
        contrast_rows=np.array(parts["contrast_rows"], dtype=np.intp),
        columns=columns,
        msr_ratio=float(parts["msr_ratio"]),
        criterion=float(parts["criterion"]),
    )


def _number_or_name(value: float) -> float | str:
    """JSON has no infinity."""
    return float(value) if np.isfinite(value) else str(float(value))


def _classes(dtype: str, values: list[Any]) -> Any:
    classes = np.array(values, dtype=dtype)
    if classes.tolist() != values:
        raise ModelFileError(f"is damaged: its classes {values} are not of type {dtype}.")
    return classes


def _widened(parts: dict[str, list[Any]], columns: Any, n_features: int) -> Scaling:
    """Scaling of all features; NaN for those that the neuron does not use."""
    exponent = np.zeros(n_features, dtype=np.intp)
    shift, scale = np.full((2, n_features), np.nan)
    exponent[columns] = parts["exponent"]
    shift[columns], scale[columns] = parts["shift"], parts["scale"]
    return Scaling(exponent, shift, scale)
