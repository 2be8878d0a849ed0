"""Prediction of many rows by one neuron, against the matrix product that it needs."""

from collections.abc import Iterator

from threadpoolctl import threadpool_limits

from benchmarks._bench import Bench, Size, fastest
from benchmarks._matrices import planted, shape_of
from bicneuron import BicNeuronClassifier


def rows(size: Size) -> Iterator[Bench]:
    X, y = planted(10_000 if size == "tiny" else 1_000_000, 50)
    model = BicNeuronClassifier(random_state=0, on_no_pair="raise").fit(X[:4000], y[:4000])
    model.predict(X[:10])  # loads kernels
    columns = model.selected_pair_.columns
    weights = model.estimator_.coef_[0]
    with threadpool_limits(1):
        seconds = fastest(
            {
                "predict": lambda: model.predict(X),
                "product": lambda: X[:, columns] @ weights,
            },
            5,
        )
    yield Bench(
        "predict",
        f"predict with one neuron / X[:, J] @ w, |J| = {len(columns)}",
        shape_of(X),
        seconds["predict"] / seconds["product"],
        at_most=3,
    )
