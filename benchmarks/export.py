"""ONNX of a network: seconds to load, size, and how far its scores are from those in float64."""

import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from sklearn.datasets import load_breast_cancer

from benchmarks._bench import Bench, Size
from bicneuron import BicNeuronNetwork
from bicneuron.persistence import save_model


def rows(size: Size) -> Iterator[Bench]:
    import onnxruntime

    X, y = load_breast_cancer(return_X_y=True)
    model = BicNeuronNetwork(n_neurons=20 if size == "tiny" else 400, random_state=0).fit(X, y)
    with TemporaryDirectory() as folder:
        path = Path(folder, "model.onnx")
        save_model(model, path)
        start = time.perf_counter()
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        seconds, megabytes = time.perf_counter() - start, path.stat().st_size / 1e6
    (scores,) = session.run(["scores"], {session.get_inputs()[0].name: X})
    Z, exact = model.scaled_table(X), model.intercept_  # the model scores in single precision
    for one, neuron in ((pattern, pattern.neuron) for pattern in model.patterns_):
        values = neuron.estimator.decision_function(Z[:, one.columns])
        exact = exact + neuron.weight * np.tanh(values / neuron.typical_score)
    apart = float(np.abs(scores - exact).max())
    found = {"seconds to load": (seconds, 1), "MB": (megabytes, 2), "difference": (apart, 1e-6)}
    for what, (value, most) in found.items():
        yield Bench("export", f"ONNX of BicNeuronNetwork, {what}", "569 x 30", value, most)
