"""Model files that were damaged or altered: refused, or a model that answers with numbers."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sklearn.utils import get_tags

import bicneuron
from bicneuron import neurons
from bicneuron.exceptions import ModelFileError
from bicneuron.persistence import load_model, save_model
from hardening._judge import RefusedError, expect, may_refuse
from tests.data import classifier, make_one_factor
from tests.model_damage import DAMAGES, alter, forge

X, y = make_one_factor()
WORDS = np.array(["no", "yes"])[y]
THREE = np.array(["a", "b", "c"])[y + (X[:, 0] > np.median(X[:, 0]))]
GAPS = np.where(np.arange(X.size).reshape(X.shape) % 23 == 3, np.nan, X)
# Each is fitted when it is first damaged.
MODELS: dict[str, Callable[[], Any]] = {
    "classifier": lambda: classifier().fit(X, WORDS),
    "gaps": lambda: classifier(recalibrate=True).fit(GAPS, WORDS),
    "rbf": lambda: classifier(neuron=neurons.KernelPerceptron(bandwidth=0.5)).fit(X, WORDS),
    "gaussian": lambda: classifier(neuron=neurons.GaussianNeuron()).fit(X, WORDS),
    "one against one": lambda: classifier(multi_class="ovo").fit(X, THREE),
    "one against rest": lambda: classifier().fit(X, THREE),
    "searched": lambda: bicneuron.BicNeuronClassifier(cv=2, random_state=0).fit(X, WORDS),
    "network": lambda: bicneuron.BicNeuronNetwork(n_neurons=6, random_state=0).fit(GAPS, WORDS),
    "network of three": lambda: bicneuron.BicNeuronNetwork(n_neurons=6, random_state=0).fit(
        X, THREE
    ),
    "network of bells": lambda: bicneuron.BicNeuronNetwork(
        n_neurons=3, neuron_kinds=[neurons.GaussianNeuron()], random_state=0
    ).fit(X, WORDS),
    "readable": lambda: bicneuron.PatternClassifier(random_state=0).fit(X, WORDS),
    "online": lambda: neurons.OnlinePerceptron(random_state=0).fit(X, THREE),
    "kernel": lambda: neurons.KernelPerceptron(random_state=0).fit(X, WORDS),
    "kernel neuron": lambda: neurons.KernelNeuron().fit(X, WORDS),
    "linear neuron": lambda: neurons.KernelNeuron("linear").fit(X, WORDS),
    "gaussian neuron": lambda: neurons.GaussianNeuron().fit(X, WORDS),
    "subgroups": lambda: bicneuron.SubgroupBiclustering(n_patterns=2).fit(X, WORDS),
    "coherent": lambda: bicneuron.CoherentBiclustering().fit(X[:40]),
}
_METHODS = [
    "decision_function",
    "predict",
    "predict_proba",
    "transform",
    "coverage",
    "pattern_scores",
]


def draw_case(random: np.random.Generator, folder: Path) -> None:
    """Damage a model file, load it and ask the model about rows."""
    name = list(MODELS)[random.integers(len(MODELS))]
    content = _saved(name)
    changes = [*DAMAGES, alter, alter, alter]  # damage by accident is mostly found
    change = changes[random.integers(len(changes))]
    content = change(content, random)
    if change is alter and random.random() < 0.5:
        content = alter(content, random)
    path = folder / "model.skops"
    path.write_bytes(content)
    with may_refuse(ModelFileError):
        model = load_model(path)
    if change in (alter, forge):
        _answers_with_numbers(model)
    else:
        whole = _fitted(name)
        expect(_scores_or_rows(model) == _scores_or_rows(whole), "another model was accepted")


def _answers_with_numbers(model: Any) -> None:
    """Somebody who knew of the checksums wrote it: it may decide as it likes."""
    rows = [np.vstack([X, 5 * X, np.zeros((1, X.shape[1])), np.full((1, X.shape[1]), 1e6)])]
    if get_tags(model).input_tags.allow_nan:
        rows.append(np.where(np.arange(X.size).reshape(X.shape) % 2, np.nan, X))
    for each in rows:
        for name in _METHODS:
            if not hasattr(model, name):
                continue
            try:
                answer = np.asarray(getattr(model, name)(each))
            except ValueError as error:
                if "overflow" not in str(error):
                    raise
                raise RefusedError(str(error)) from error
            if answer.dtype.kind == "f" and not (name == "transform" and np.isnan(each).any()):
                expect(np.isfinite(answer).all(), f"{name} gives NaN or infinity")
    # A network of several labels per row has no explanations.
    if hasattr(model, "explain") and not getattr(model, "_multilabel", False):
        model.explain(X[:3]).to_frame()


def _scores_or_rows(model: Any) -> Any:
    scored = hasattr(model, "decision_function")
    return (model.decision_function(X) if scored else model.rows_).tolist()


@cache
def _fitted(name: str) -> Any:
    return MODELS[name]()


@cache
def _saved(name: str) -> bytes:
    with TemporaryDirectory() as folder:
        return save_model(_fitted(name), Path(folder, "model.skops")).read_bytes()
