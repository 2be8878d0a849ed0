"""Uses of bicneuron for mypy to check, which sees the installed package only. Nothing is run.

With --strict, a wrong use that is not reported is an error, as is a right one that is.
"""

from pathlib import Path

from bicneuron import BicNeuronClassifier, BicNeuronNetwork, PatternClassifier, __version__
from bicneuron.datasets import make_twonorm
from bicneuron.persistence import load_about, save_model


def right_use() -> tuple[Path, str, str, int]:
    X, y = make_twonorm(100, random_state=0)
    model = BicNeuronClassifier(search=None, max_ratio=0.5, random_state=0).fit(X, y)
    PatternClassifier(max_patterns=3).fit(X, y)
    path = save_model(model, "model.skops", overwrite=True)
    class_name: str = load_about(path)["class"]
    return path, class_name, __version__, X.shape[1]


def wrong_use() -> int:
    BicNeuronClassifier(search=None, max_ratio="half")  # type: ignore[arg-type]
    BicNeuronNetwork(n_neurons="ten")  # type: ignore[arg-type]
    make_twonorm("100")  # type: ignore[arg-type]
    save_model(BicNeuronClassifier(search=None), 3)  # type: ignore[arg-type]
    return __version__  # type: ignore[return-value]
